/* image_processors.h - which processors threads are bound to, and which ones
 * that is where the node, or what it gives to tasks, is another one. */
#ifndef HECTOR_IMAGE_PROCESSORS_H
#define HECTOR_IMAGE_PROCESSORS_H

#include <stdbool.h>
#include <string.h>

#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/image/sys.h"

/* Those of a thread or process; 0: of the caller. None: it has gone, or there
 * are more than can be asked about. */
static inline void image_processors_of(int tid, struct image_processors *p)
{
    memset(p, 0, sizeof(*p));
    if (sys(SYS_sched_getaffinity, tid, sizeof(p->w), p->w) < 0)
        memset(p, 0, sizeof(*p));
}

static inline bool image_processors_has(const struct image_processors *p,
                                        unsigned n)
{
    return p->w[n / 64] >> n % 64 & 1;
}

/* The next one from n on; IMAGE_PROCESSORS: there is none. */
static inline unsigned image_processors_next(const struct image_processors *p,
                                             unsigned n)
{
    while (n < IMAGE_PROCESSORS && !image_processors_has(p, n))
        n++;
    return n;
}

/* Who was bound to some of those that were given is bound to the same ones of
 * those that are given here, counted from the lowest. False: he was not, or has
 * none of these, and has them all. */
static inline bool image_processors_here(const struct image_processors *bound,
                                         const struct image_processors *given,
                                         const struct image_processors *here,
                                         struct image_processors *to)
{
    bool any = false, all = true;
    unsigned is = image_processors_next(here, 0);

    memset(to, 0, sizeof(*to));
    for (unsigned was = image_processors_next(given, 0); was < IMAGE_PROCESSORS;
         was = image_processors_next(given, was + 1)) {
        if (!image_processors_has(bound, was)) {
            all = false;
        } else if (is < IMAGE_PROCESSORS) {
            to->w[is / 64] |= 1ull << is % 64;
            any = true;
        }
        if (is < IMAGE_PROCESSORS)
            is = image_processors_next(here, is + 1);
    }
    return any && !all;
}

#endif
