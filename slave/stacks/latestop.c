/* latestop.c - threads that have not stopped in time. */
#include "slave/stacks/latestop.h"

#include <stdlib.h>
#include <time.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"

enum { FINI_MS = 100 };

void latestop_add(struct latestop *l, struct halt *h)
{
    halt_leave(h);
    if (array_reserve(&l->v, &l->cap, l->n + 1) == 0)
        l->v[l->n++] = *h;
}

void latestop_poll(struct latestop *l)
{
    for (size_t i = 0; i < l->n; )
        if (halt_poll(&l->v[i], NULL) == HALT_LEFT)
            i++;
        else
            l->v[i] = l->v[--l->n];
}

bool latestop_stopped(struct latestop *l, pid_t tid, int status)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].tid == tid) {
            halt_stopped(&l->v[i], status, NULL);
            l->v[i] = l->v[--l->n];
            return true;
        }
    return false;
}

/* One that sleeps in the kernel is let go by it when we end. */
void latestop_fini(struct latestop *l)
{
    const struct timespec ms = { 0, CLOCK_NS_PER_MS };

    for (int i = 0; i < FINI_MS && l->n > 0; i++) {
        latestop_poll(l);
        if (l->n > 0)
            nanosleep(&ms, NULL);
    }
    free(l->v);
    *l = (struct latestop){ 0 };
}
