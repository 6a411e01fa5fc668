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

uint64_t idtable_hash(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = n;

    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w;

        memcpy(&w, p, 8);
        h = idtable_mix(h, w);
    }
    if (n) {
        uint64_t w = 0;

        memcpy(&w, p, n);
        h = idtable_mix(h, w);
    }
    return idtable_mix(h, 0);
}
