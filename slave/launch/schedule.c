/* schedule.c - nice and classes of the kernel's scheduler, see schedule.h.
 *
 * Invariant: what schedule_take() calls is safe between fork() and execve().
 * Threads that have made themselves something else stay that. */
#include "slave/launch/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "slave/launch/apart.h"
#include "slave/proc/smallfile.h"

enum { NICE_LEAST = -20, NICE_MOST = 19, NICE_ZERO = 20, PASSES = 8 };
enum { POLICY_DEADLINE = 6 };   /* SCHED_DEADLINE, which glibc does not have */

void schedule_want(struct schedule *s, const struct priority *p)
{
    int nice = getpriority(PRIO_PROCESS, 0) - p->n;

    s->was_realtime = s->realtime;
    s->was_own = s->own;
    s->was_idle = s->want.class == PRIORITY_IDLE;
    s->want = *p;
    s->asked |= p->n || p->class;
    s->realtime = false;
    s->nice = nice < NICE_LEAST ? NICE_LEAST
              : nice > NICE_MOST ? NICE_MOST : nice;
    *s->why = '\0';
}

/* --------------------------------------------------------------- realtime */

/* Else a task that computes for ever takes a processor for ever. */
static bool is_throttled(void)
{
    char text[32];

    return smallfile_read("/proc/sys/kernel/sched_rt_runtime_us", text,
                          sizeof(text)) && atol(text) >= 0;
}

static bool is_alone(void)
{
    return CPU_COUNT(apart_all()) < 2;
}

bool schedule_reserves(const struct schedule *s)
{
    return s->want.class == PRIORITY_REALTIME && !is_alone() && is_throttled();
}

bool schedule_admit(struct schedule *s, unsigned n)
{
    unsigned all = (unsigned)CPU_COUNT(apart_all()), taken;
    cpu_set_t others;

    if (s->want.class != PRIORITY_REALTIME)
        return true;
    apart_others(&others);
    taken = all - (unsigned)CPU_COUNT(&others);
    s->realtime = CPU_COUNT(&s->own) > 0;
    if (is_alone())
        snprintf(s->why, sizeof(s->why), "class realtime is not given where one "
                 "processor is all there is");
    else if (!is_throttled())
        snprintf(s->why, sizeof(s->why), "class realtime is not given where "
                 "sched_rt_runtime_us does not limit it");
    else if (!apart_take(&s->own, n))
        snprintf(s->why, sizeof(s->why), "class realtime is not given to %u "
                 "task%s: of %u processors one is kept, and %u %s taken",
                 n, n == 1 ? "" : "s", all, taken, taken == 1 ? "is" : "are");
    else
        return s->realtime = true;
    return false;
}

void schedule_part(struct schedule *s, unsigned n)
{
    apart_give(&s->own, n);
}

/* -------------------------------------------------------------- one thread */

static int policy_of(pid_t tid)
{
    int policy = sched_getscheduler(tid);

    return policy < 0 ? policy : policy & ~SCHED_RESET_ON_FORK;
}

static bool is_realtime(int policy)
{
    return policy == SCHED_RR || policy == POLICY_DEADLINE;
}

/* May it be made another? */
static bool is_ours(const struct schedule *s, int policy, int to)
{
    return policy == SCHED_OTHER ||
           (policy == SCHED_BATCH && to != SCHED_OTHER) ||
           (policy == SCHED_RR && s->was_realtime) ||
           (policy == SCHED_IDLE && (s->was_idle || to == SCHED_RR));
}

/* As much of it as the kernel lets us. */
static bool become_realtime(const struct schedule *s, pid_t tid)
{
    struct sched_param to = {
        .sched_priority = s->want.n > 0 ? 1 + s->want.n : 1 };
    struct sched_param now = { 0 };
    struct rlimit limit;
    cpu_set_t had, set, others;

    if (policy_of(tid) == SCHED_RR && sched_getparam(tid, &now) == 0 &&
        now.sched_priority == to.sched_priority)
        return false;
    if (sched_getaffinity(tid, sizeof(had), &had))
        return false;
    apart_others(&others);
    CPU_AND(&set, CPU_EQUAL(&had, &others) ? apart_all() : &had, &s->own);
    if (CPU_COUNT(&set) == 0 || sched_setaffinity(tid, sizeof(set), &set))
        return false;
    if (sched_setscheduler(tid, SCHED_RR, &to) == 0)
        return true;
    if (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0 &&
        limit.rlim_cur < (rlim_t)to.sched_priority) {
        to.sched_priority = (int)limit.rlim_cur;
        if (sched_setscheduler(tid, SCHED_RR, &to) == 0)
            return to.sched_priority != now.sched_priority;
    }
    if (!s->was_realtime)
        sched_setaffinity(tid, sizeof(had), &had);
    return false;
}

static bool become_other(const struct schedule *s, pid_t tid, int policy,
                         int to)
{
    struct sched_param none = { 0 };
    cpu_set_t now, others;

    if (sched_setscheduler(tid, to, &none))
        return false;
    apart_others(&others);
    CPU_OR(&others, &others, &s->was_own);      /* it may have them yet */
    if (policy == SCHED_RR && sched_getaffinity(tid, sizeof(now), &now) == 0 &&
        CPU_EQUAL(&now, &s->was_own))
        sched_setaffinity(tid, sizeof(others), &others);
    return true;
}

static bool set_policy(const struct schedule *s, pid_t tid)
{
    int policy = policy_of(tid);
    int to = s->realtime ? SCHED_RR
             : s->want.class == PRIORITY_IDLE ? SCHED_IDLE : SCHED_OTHER;

    if (policy < 0 || !is_ours(s, policy, to))
        return false;
    if (to == SCHED_RR)
        return become_realtime(s, tid);
    return policy != to && become_other(s, tid, policy, to);
}

static bool has_capability(unsigned which)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    return syscall(SYS_capget, &head, data) == 0 &&
           data[which / 32].effective & 1u << which % 32;
}

/* getrlimit(2): a limit of 1 is nice 19, one of 40 is -20. */
int schedule_least_nice(void)
{
    struct rlimit limit;

    if (has_capability(CAP_SYS_NICE))
        return NICE_LEAST;
    if (getrlimit(RLIMIT_NICE, &limit))
        return NICE_ZERO;
    return limit.rlim_cur > NICE_ZERO - NICE_LEAST
           ? NICE_LEAST : NICE_ZERO - (int)limit.rlim_cur;
}

/* As near as is allowed. */
static bool set_nice(const struct schedule *s, pid_t tid)
{
    int now = getpriority(PRIO_PROCESS, (id_t)tid), least;

    if (now == s->nice)
        return false;
    if (setpriority(PRIO_PROCESS, (id_t)tid, s->nice) == 0)
        return true;
    least = schedule_least_nice();
    return least < now && setpriority(PRIO_PROCESS, (id_t)tid, least) == 0;
}

static bool set_thread(const struct schedule *s, pid_t tid)
{
    bool changed = set_policy(s, tid);

    if (is_realtime(policy_of(tid)))
        return changed;         /* nice means nothing there */
    return set_nice(s, tid) || changed;
}

/* --------------------------------------------------------------- processes */

void schedule_take(const struct schedule *s)
{
    if (s->asked)
        set_thread(s, 0);
}

/* Threads that one has made meanwhile are what it was: again, until all are
 * done. */
void schedule_process(const struct schedule *s, pid_t pid)
{
    char path[40];
    bool changed = s->asked;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    for (int i = 0; changed && i < PASSES; i++) {
        DIR *d = opendir(path);
        struct dirent *e;

        changed = false;
        while (d && (e = readdir(d)))
            if (atoi(e->d_name) > 0)
                changed = set_thread(s, atoi(e->d_name)) || changed;
        if (d)
            closedir(d);
    }
}

void schedule_undo(pid_t pid)
{
    const struct priority none = { 0 };
    struct schedule s = { .want.class = PRIORITY_IDLE, .realtime = true,
                          .asked = true };

    if (policy_of(pid) == SCHED_RR)
        sched_getaffinity(pid, sizeof(s.own), &s.own);
    schedule_want(&s, &none);
    schedule_process(&s, pid);
}

static enum priority_sort sort_of(int policy)
{
    switch (policy) {
    case SCHED_OTHER:
        return PRIORITY_SORT_NORMAL;
    case SCHED_BATCH:
        return PRIORITY_SORT_BATCH;
    case SCHED_IDLE:
        return PRIORITY_SORT_IDLE;
    case SCHED_RR: case SCHED_FIFO:
        return PRIORITY_SORT_REALTIME;
    default:
        return policy == POLICY_DEADLINE ? PRIORITY_SORT_DEADLINE
                                         : PRIORITY_SORT_UNKNOWN;
    }
}

/* In the class that is wanted? */
static bool has_class(const struct schedule *s, enum priority_sort sort)
{
    return s->want.class == PRIORITY_REALTIME
           ? sort == PRIORITY_SORT_REALTIME || sort == PRIORITY_SORT_DEADLINE
           : s->want.class == PRIORITY_IDLE ? sort == PRIORITY_SORT_IDLE
           : sort != PRIORITY_SORT_IDLE || !s->was_idle;
}

void schedule_read(const struct schedule *s, pid_t pid,
                   struct schedule_share *to)
{
    bool nice, class;

    to->sort = sort_of(policy_of(pid));
    to->nice = getpriority(PRIO_PROCESS, (id_t)pid);
    class = has_class(s, to->sort);
    nice = to->nice == s->nice || to->sort == PRIORITY_SORT_REALTIME ||
           to->sort == PRIORITY_SORT_DEADLINE;
    to->applied = !s->asked ? PRIORITY_NOT_ASKED
                  : class && nice ? PRIORITY_APPLIED
                  : (class && s->want.class) || (nice && s->want.n)
                  ? PRIORITY_PARTLY : PRIORITY_REFUSED;
}

void schedule_why(const struct schedule *s, const struct schedule_share *has,
                  const char *more, char *buf, size_t size)
{
    int n;

    snprintf(buf, size, "%s", more);
    if (has->applied != PRIORITY_PARTLY && has->applied != PRIORITY_REFUSED)
        return;
    n = snprintf(buf, size, "%s%s", more, *more ? "; " : "");
    buf += n;
    size -= (size_t)n;
    if (*s->why)
        snprintf(buf, size, "%s; the tasks have nice %d", s->why, has->nice);
    else if (!has_class(s, has->sort))
        snprintf(buf, size, "class %s is not given: the kernel does not let this "
                 "user have it%s", priority_class_name(s->want.class),
                 s->want.class == PRIORITY_REALTIME ? " (ulimit -r)" : " back");
    else
        snprintf(buf, size, "priority %d would be nice %d, and the kernel lets this "
                 "user have no less than %d (ulimit -e)", s->want.n, s->nice,
                 has->nice);
}
