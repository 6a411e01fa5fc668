/* frame.c - the only place that knows the bytes of a frame header. */
#include "proto/link/frame.h"

#include <assert.h>
#include <errno.h>

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
           (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void put32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

long frame_decode(const uint8_t *in, size_t n, struct frame *f, size_t *need,
                  struct err *err)
{
    if (n < FRAME_HEADER) {
        *need = FRAME_HEADER;
        return 0;
    }
    uint32_t length = get32(in);

    /* Version first: in another version the rest may mean something else. */
    if (in[6] != FRAME_VERSION)
        return err_set(err, EPROTO, "frame of version %u, we speak %u",
                       in[6], FRAME_VERSION);
    if (in[7] != 0)
        return err_set(err, EPROTO, "not a frame: byte 7 is %u", in[7]);
    if (length > FRAME_BODY_MAX)
        return err_set(err, EMSGSIZE, "frame of %u bytes, at most %u may come",
                       length, FRAME_BODY_MAX);
    if (n - FRAME_HEADER < length) {
        *need = FRAME_HEADER + (size_t)length;
        return 0;
    }
    *f = (struct frame){
        .type = (uint16_t)(in[4] << 8 | in[5]),
        .sequence = get32(in + 8),
        .body = in + FRAME_HEADER,
        .length = length,
    };
    return (long)FRAME_HEADER + (long)length;
}

void frame_header(uint8_t out[FRAME_HEADER], uint16_t type,
                  uint32_t sequence, uint32_t length)
{
    assert(length <= FRAME_BODY_MAX);
    put32(out, length);
    out[4] = (uint8_t)(type >> 8);
    out[5] = (uint8_t)type;
    out[6] = FRAME_VERSION;
    out[7] = 0;
    put32(out + 8, sequence);
}
