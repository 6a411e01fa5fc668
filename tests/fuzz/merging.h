/* merging.h - any bytes as a slave's part of a result: refused with a sentence,
 * or it merges with itself, travels on, gets ranks, and whoever asked for it
 * makes something of it. The first byte is the number of tasks. */
#ifndef MERGING_H
#define MERGING_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/tree/merge.h"

/* Of width positions, the last one is rank 0. */
static inline void merging_finish(const struct merge_kind *kind, void *whole,
                                  uint32_t width,
                                  void (*use)(const struct str *result))
{
    uint32_t rank_of[512];
    struct str s = { 0 };

    for (uint32_t i = 0; i < width; i++)
        rank_of[i] = width - 1 - i;
    assert(kind->finish(whole, rank_of, width, &s, NULL) == 0);
    use(&s);
    str_fini(&s);
}

static inline void merging(const struct merge_kind *kind, const uint8_t *data,
                           size_t size, void (*use)(const struct str *result))
{
    uint32_t width = size ? data[0] : 0;
    void *one, *two;
    struct str s = { 0 };
    struct err err = { 0 };

    if (size < 1)
        return;
    one = kind->create(width, NULL);
    two = kind->create(2 * width, NULL);
    assert(one && two);
    if (kind->add(one, data + 1, size - 1, 0, width, &err)) {
        assert(*err.text);
    } else {
        assert(kind->pack(one, &s, NULL) == 0);
        assert(kind->add(two, (uint8_t *)s.s, s.n, 0, width, NULL) == 0);
        assert(kind->add(two, data + 1, size - 1, width, width, NULL) == 0);
        merging_finish(kind, two, 2 * width, use);
    }
    kind->destroy(one);
    kind->destroy(two);
    str_fini(&s);
}

#endif
