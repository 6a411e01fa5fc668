/* yield.c - sched_yield(2) as the MPI library calls it while it waits for
 * messages, in tasks that were started in class realtime.
 *
 * To a thread of SCHED_DEADLINE that call means that it wants no more of this
 * period, whatever comes (sched(7)); of one of SCHED_RR only its like gets the
 * processor. So where the slave wants waiting to cost little the first times in
 * a step of the task nothing is given up, and then the thread sleeps for some
 * 50 us, which in these classes are not made longer. */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EAGER = 200, REST_NS = 50000 };

/* hct_hook_rests() of libhector.so (hook.h); NULL: that is not there. */
static bool (*rests)(uint64_t *step);

__attribute__((constructor)) static void find_rests(void)
{
    void *p = dlsym(RTLD_DEFAULT, "hct_hook_rests");

    memcpy(&rests, &p, sizeof(p));
}

struct waiting { uint64_t step; unsigned asked; };
static _Thread_local struct waiting waiting;

/* Shall it sleep? Not at once after the program has called MPI. */
static bool has_patience(struct waiting *w, uint64_t step)
{
    if (step != w->step)
        *w = (struct waiting){ .step = step };
    return w->asked >= EAGER || w->asked++ >= EAGER;
}

__attribute__((visibility("default"))) int sched_yield(void)
{
    const struct timespec some = { .tv_nsec = REST_NS };
    int saved = errno;
    uint64_t step;

    if (!rests || !rests(&step))
        syscall(SYS_sched_yield);
    else if (has_patience(&waiting, step))
        nanosleep(&some, NULL);
    errno = saved;
    return 0;
}
