/* idtable.c - open addressing with linear steps, at most half full. */
#include "proto/base/idtable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void idtable_fini(struct idtable *t)
{
    free(t->slot);
    memset(t, 0, sizeof(*t));
}

void idtable_reset(struct idtable *t)
{
    if (t->n)
        memset(t->slot, 0, t->cap * sizeof(*t->slot));
    t->n = 0;
}

static size_t idtable_home(uint64_t slot, size_t cap)
{
    return (size_t)(slot >> 32) & (cap - 1);
}

static void idtable_put(uint64_t *slot, size_t cap, uint64_t s)
{
    size_t i = idtable_home(s, cap);

    while (slot[i & (cap - 1)])
        i++;
    slot[i & (cap - 1)] = s;
}

int idtable_add(struct idtable *t, uint64_t hash, uint32_t id)
{
    if (t->n * 2 >= t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 64;
        uint64_t *slot = calloc(cap, sizeof(*slot));

        if (!slot)
            return errno = ENOMEM, -1;
        for (size_t i = 0; i < t->cap; i++)
            if (t->slot[i])
                idtable_put(slot, cap, t->slot[i]);
        free(t->slot);
        t->slot = slot;
        t->cap = cap;
    }
    idtable_put(t->slot, t->cap, (hash >> 32) << 32 | (id + 1));
    t->n++;
    return 0;
}

static uint64_t idtable_word(const unsigned char *p)
{
    uint64_t w;

    memcpy(&w, p, sizeof(w));
    return w;
}

static uint64_t idtable_half(const unsigned char *p)
{
    uint32_t w;

    memcpy(&w, p, sizeof(w));
    return w;
}

/* Eight bytes at a time; the last ones are read from the end, and may be some
 * that have been read: what n is, is in h. */
uint64_t idtable_hash(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = n;

    if (n >= 8) {
        const unsigned char *last = p + n - 8;

        for (; p < last; p += 8)
            h = idtable_mix(h, idtable_word(p));
        return idtable_mix(h, idtable_word(last));
    }
    if (n >= 4)
        return idtable_mix(h, idtable_half(p) | idtable_half(p + n - 4) << 32);
    if (n > 0)
        return idtable_mix(h, p[0] | (uint32_t)p[n / 2] << 8 |
                                  (uint32_t)p[n - 1] << 16);
    return h;
}
