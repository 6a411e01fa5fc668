/* hook.c - libhector.so's side of hook.h, and sched_yield(2) as the MPI library
 * calls it while it waits for messages. */
#include "mpi-wrappers/record/hook.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/record/record.h"
#include "mpi-wrappers/record/self.h"
#include "mpi-wrappers/record/wrap.h"

WRAP_EXPORT bool hct_hook_inside(unsigned call)
{
    return record_inside(call);
}

WRAP_EXPORT void hct_hook_dropped(void)
{
    record_unsent();
}

WRAP_EXPORT void hct_hook_note(int marker, const char *text,
                               size_t text_bytes)
{
    record_note(marker, text, text_bytes);
}

WRAP_EXPORT void hct_hook_stand(void)
{
    thread_stand();
}

WRAP_EXPORT void hct_hook_go_on(void)
{
    thread_go_on();
}

/* ---------------------------------------------------------------- waiting */

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

/* Where its slave wants waiting to cost little, of tasks of class realtime. To a
 * thread of SCHED_DEADLINE that call means that it wants no more of this period,
 * whatever comes (sched(7)); of one of SCHED_RR only its like gets the processor.
 * So the first times in a step of the task nothing is given up, and then the
 * thread sleeps for some 50 us, which in these classes are not made longer. */
WRAP_EXPORT int sched_yield(void)
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
