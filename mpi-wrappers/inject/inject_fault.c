/* inject_fault.c - the faults, as they are described in the papers: section
 * 4.1 of "Large Scale Debugging of Parallel Tasks with AutomaDeD" has the
 * first four. */
#include "mpi-wrappers/inject/inject_strike.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void sleep_for(uint64_t ns)
{
    uint64_t until = now_ns() + ns;
    struct timespec ts = { .tv_sec = (time_t)(until / 1000000000u),
                           .tv_nsec = (long)(until % 1000000000u) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
        ;
}

/* size is the length of each loop; with a time, begun anew until it is over. */
static void burn(uint64_t size, uint64_t time_ns)
{
    uint64_t until = now_ns() + time_ns;
    volatile double sum = 0;

    do
        for (uint64_t i = 0; i < size; i++) {
            for (uint64_t j = 0; j < size; j++)
                for (uint64_t k = 0; k < size; k++)
                    sum = sum * 0.5 + (double)(i ^ j ^ k);
            if (time_ns && now_ns() >= until)
                return;
        }
    while (time_ns);
}

/* As many random places as there are words; with a time, until it is over. */
static void fill(uint64_t bytes, uint64_t time_ns)
{
    enum { CHUNK = 1 << 16 };
    uint64_t words = bytes / sizeof(uint64_t), until = now_ns() + time_ns;
    uint64_t at = 88172645463325252u;
    uint64_t *v;

    if (words == 0)
        return;
    v = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (v == MAP_FAILED)
        return;
    for (uint64_t i = 0; time_ns || i < words; i++) {
        at ^= at << 13;
        at ^= at >> 7;
        at ^= at << 17;
        ((volatile uint64_t *)v)[at % words] = at;
        if (time_ns && i % CHUNK == 0 && now_ns() >= until)
            break;
    }
    munmap(v, bytes);
}

static void touch_nothing(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

void inject_fault(const struct inject_rule *r)
{
    switch (r->fault) {
    case INJECT_CPU:
        burn(r->size, r->time_ns);
        return;
    case INJECT_MEM:
        fill(r->size, r->time_ns);
        return;
    case INJECT_HANG:
        for (;;)
            pause();
    case INJECT_STALL:
    case INJECT_SLOW:
        sleep_for(r->time_ns);
        return;
    case INJECT_DROP:           /* by the entry point */
        return;
    case INJECT_EXIT:
        exit(r->code);
    case INJECT_SEGV:
        touch_nothing();
        return;
    case INJECT_KILL:
        kill(getpid(), SIGKILL);
        return;
    case INJECT_SPIN:
    case INJECT_PROBE:
        inject_poll(r->fault == INJECT_PROBE);
        return;
    }
}
