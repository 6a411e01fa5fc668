/* contextid.c - what each node brings: its ID and the size of its endpoints, in eight
 * bytes each, the lowest first; and the endpoints. */
#include "slave/pmix/contextid.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

struct part {
    uint64_t id, bytes;
};

void contextid_pack(struct str *out, uint32_t here, uint32_t serial,
                    const void *endpoints, size_t bytes)
{
    struct part p = { htole64(((uint64_t)here + 1) << 32 | serial), htole64(bytes) };

    str_add_bytes(out, &p, sizeof(p));
    if (bytes)
        str_add_bytes(out, endpoints, bytes);
}

int contextid_unpack(const void *all, size_t bytes, uint64_t *id,
                     struct str *endpoints, struct err *err)
{
    const char *at = all, *end = at + bytes;

    *id = 0;
    while (at < end) {
        struct part p;

        if ((size_t)(end - at) < sizeof(p))
            return err_set(err, EPROTO, "a contribution to a group ends in its head");
        memcpy(&p, at, sizeof(p));
        at += sizeof(p);
        p.id = le64toh(p.id);
        p.bytes = le64toh(p.bytes);
        if (p.bytes > (uint64_t)(end - at))
            return err_set(err, EPROTO, "a contribution to a group is cut off");
        if (!*id)
            *id = p.id;
        str_add_bytes(endpoints, at, (size_t)p.bytes);
        at += p.bytes;
    }
    return *id ? 0 : err_set(err, EPROTO, "a group without contributions");
}
