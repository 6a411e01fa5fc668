/* fuzz_frame.c - any bytes as a stream of frames, each unpacked and packed
 * again: decoding never reads beyond its input, headers mean what they say,
 * and no message of a stranger upsets the unpacking. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/link/frame.h"
#include "proto/link/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack(const struct frame *f)
{
    const ProtobufCMessageDescriptor *d = message_descriptor(f->type);

    if (!d)
        return;
    ProtobufCMessage *m = protobuf_c_message_unpack(d, NULL, f->length,
                                                    f->body);

    if (!m)
        return;
    size_t n = protobuf_c_message_get_packed_size(m);
    uint8_t *out = malloc(n ? n : 1);

    assert(out);
    assert(protobuf_c_message_pack(m, out) == n);
    protobuf_c_message_free_unpacked(m, NULL);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frame f;
    struct err err;
    size_t need = 0;
    long used;

    while ((used = frame_decode(data, size, &f, &need, &err)) > 0) {
        uint8_t header[FRAME_HEADER];

        assert((size_t)used <= size && f.body + f.length == data + used);
        frame_header(header, f.type, f.sequence, (uint32_t)f.length);
        assert(memcmp(header, data, sizeof(header)) == 0);
        unpack(&f);
        data += used;
        size -= (size_t)used;
    }
    assert(used < 0 || need > size);
    return 0;
}
