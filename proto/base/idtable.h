/* idtable.h - from a hash to the ids (small numbers) of what has it.
 *
 * The things themselves stay in an array of the owner, who compares:
 *
 *     i = idtable_first(t, h);
 *     for (; (id = idtable_at(t, h, &i)) != IDTABLE_NONE; i++)
 *         if (equal(id, what)) ...
 */
#ifndef HECTOR_IDTABLE_H
#define HECTOR_IDTABLE_H

#include <stddef.h>
#include <stdint.h>

#define IDTABLE_NONE UINT32_MAX

struct idtable {                /* {0} is the empty table */
    uint64_t *slot;             /* owned: high half of the hash, id + 1; the
                                   half also says where it belongs */
    size_t cap, n;              /* cap: 0 or a power of two */
};

void idtable_fini(struct idtable *t);           /* frees, leaves it empty */
void idtable_reset(struct idtable *t);          /* empty, keeps the memory */
int idtable_add(struct idtable *t, uint64_t hash, uint32_t id); /* or ENOMEM */

static inline size_t idtable_first(const struct idtable *t, uint64_t hash)
{
    return t->cap ? (hash >> 32) & (t->cap - 1) : 0;
}

/* The next id whose hash is likely the same, at *i or behind it. */
static inline uint32_t idtable_at(const struct idtable *t, uint64_t hash,
                                  size_t *i)
{
    if (!t->cap)
        return IDTABLE_NONE;
    for (;; (*i)++) {
        uint64_t s = t->slot[*i & (t->cap - 1)];

        if (!s)
            return IDTABLE_NONE;
        if (s >> 32 == hash >> 32)
            return (uint32_t)s - 1;
    }
}

uint64_t idtable_hash(const void *bytes, size_t n);

/* Of two numbers. */
static inline uint64_t idtable_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;

    x = (x ^ x >> 29) * 0x94d049bb133111ebull;
    return x ^ x >> 32;
}

#endif
