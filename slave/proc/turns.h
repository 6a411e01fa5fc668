/* turns.h - what threads of a process have had of a processor while they wait.
 *
 * Of several threads in MPI one asks for messages, for all of them, and the
 * others sleep until it wakes them; so it is in Open MPI. Who asks, and who was
 * woken, needs a processor to find out that it need not wait any longer. */
#ifndef HECTOR_TURNS_H
#define HECTOR_TURNS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpi-wrappers/page.h"

struct turns_of {               /* one that waits */
    pid_t tid;                  /* 0: not known */
    uint64_t since;             /* differs with the call that it waits in */
};

struct turns {                  /* { 0 }: nothing has been read */
    uint64_t progress;
    unsigned n;                 /* of these, as of the last reading: */
    struct {
        struct turns_of of;
        uint64_t first_ns, ns;  /* of a processor; when first read, and last */
        bool sleeps;
    } turn[PAGE_SLOTS];
};

/* Read the times of the n threads at v, at most PAGE_SLOTS. They count from the
 * first reading with the same progress in which the thread waits in the same
 * call. */
void turns_read(struct turns *t, uint64_t progress, const struct turns_of *v,
                unsigned n);

/* The least that one of those has had that do not sleep, in microseconds; if all
 * of them sleep, the most that one of them has had; and 1. 0: not known of one, or
 * no longer, since progress is another one than in the last reading. */
uint32_t turns_us(const struct turns *t, uint64_t progress);

#endif
