/* yield.c - sched_yield(2) as the MPI library calls it while it waits for messages,
 * where its slave wants that to cost little: of tasks of class realtime.
 *
 * To a thread of SCHED_DEADLINE that call means that it wants no more of this
 * period, whatever comes (sched(7)), and to one of SCHED_RR that nobody but its like
 * gets the processor. So the first times in a step of the task nothing is given
 * up, and then the thread sleeps: for some 50 us, which real-time classes get to
 * the microsecond. */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/record/self.h"

enum { EAGER = 200, REST_NS = 50000 };

struct waiting { uint64_t step; unsigned asked; };
static _Thread_local struct waiting waiting
    __attribute__((tls_model("initial-exec")));

/* Shall it sleep? Not at once after the program has called MPI. */
static bool has_patience(struct waiting *w, const struct page_slot *s)
{
    uint64_t step = s ? GET(s->calls) : 0;

    if (step != w->step)
        *w = (struct waiting){ .step = step };
    return w->asked >= EAGER || w->asked++ >= EAGER;
}

__attribute__((visibility("default"))) int sched_yield(void)
{
    struct page_header *h = atomic_load_explicit(&thread_page,
                                                 memory_order_acquire);
    const struct timespec some = { .tv_nsec = REST_NS };
    int saved = errno;

    if (!h || !GET(h->rests)) {
        syscall(SYS_sched_yield);
    } else if (has_patience(&waiting, self.slot)) {
        nanosleep(&some, NULL);
    }
    errno = saved;
    return 0;
}
