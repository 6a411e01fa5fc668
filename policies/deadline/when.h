/* when.h - times that saturate: what a program or its user writes into a
 * calendar may be any number. */
#ifndef HCT_DEADLINE_WHEN_H
#define HCT_DEADLINE_WHEN_H

#include <stdint.h>

#define WHEN_NEVER INT64_MAX

static inline int64_t when_add(int64_t t, uint64_t ns)
{
    uint64_t room = (uint64_t)WHEN_NEVER - (uint64_t)t;

    return ns >= room ? WHEN_NEVER : (int64_t)((uint64_t)t + ns);
}

static inline int64_t when_since(int64_t t, int64_t since)
{
    int64_t d;

    if (__builtin_sub_overflow(t, since, &d))
        return t < since ? INT64_MIN : INT64_MAX;
    return d;
}

/* The nth of times that are step_ns apart. */
static inline int64_t when_nth(int64_t from, uint64_t n, uint64_t step_ns)
{
    uint64_t ns;

    return __builtin_mul_overflow(n, step_ns, &ns) ? WHEN_NEVER
                                                   : when_add(from, ns);
}

/* A look's time as one of those. */
static inline int64_t when_now(uint64_t now_ns)
{
    return now_ns < (uint64_t)WHEN_NEVER ? (int64_t)now_ns : WHEN_NEVER - 1;
}

#endif
