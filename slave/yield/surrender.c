/* surrender.c - see surrender.h.
 *
 * Invariants. What a thread had is noted before it is changed. A thread that
 * is new has what the one had that made it: where that had given something up,
 * the note is a copy of that one's, or of any of its process. */
#include "slave/yield/surrender.h"

#include <dirent.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/array.h"

enum { PASSES = 8, NICE_ZERO = 20 };

static bool has_capability(unsigned which)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    return syscall(SYS_capget, &head, data) == 0 &&
           data[which / 32].effective & 1u << which % 32;
}

bool surrender_may_calm(void)
{
    struct rlimit limit;

    return has_capability(CAP_SYS_NICE) ||
           (getrlimit(RLIMIT_NICE, &limit) == 0 &&
            (int64_t)limit.rlim_cur >=
                NICE_ZERO - getpriority(PRIO_PROCESS, 0));
}

static struct surrendered *find(const struct surrender *s, pid_t tid)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].tid == tid)
            return &s->v[i];
    return NULL;
}

/* Whose notes a new one takes over: its process', or that of any. */
static const struct surrendered *maker(const struct surrender *s, pid_t pid)
{
    const struct surrendered *of = find(s, pid);

    for (size_t i = 0; i < s->n && !of; i++)
        if (s->v[i].calm || s->v[i].aside)
            of = &s->v[i];
    return of;
}

static struct surrendered *note(struct surrender *s, pid_t pid, pid_t tid)
{
    struct surrendered is = { .tid = tid, .pid = pid };
    const struct surrendered *of = maker(s, pid);

    if (array_reserve(&s->v, &s->cap, s->n + 1) ||
        sched_getaffinity(tid, sizeof(is.cpus), &is.cpus))
        return NULL;
    of = maker(s, pid);         /* the array may have moved */
    is.nice = getpriority(PRIO_PROCESS, (id_t)tid);
    if (of && of->calm && is.nice == SURRENDER_NICE) {
        is.nice = of->nice;
        is.calm = true;
    }
    if (of && of->aside && CPU_EQUAL(&is.cpus, &of->put)) {
        is.put = of->put;
        is.cpus = of->cpus;
        is.aside = true;
    }
    s->v[s->n] = is;
    return &s->v[s->n++];
}

/* Whether that is so now. */
static bool weigh(const struct surrender *s, struct surrendered *t)
{
    int is = getpriority(PRIO_PROCESS, (id_t)t->tid);

    if (s->calm == t->calm)
        return true;
    if (!s->calm) {
        t->calm = false;
        return is != SURRENDER_NICE ||
               setpriority(PRIO_PROCESS, (id_t)t->tid, t->nice) == 0;
    }
    t->calm = setpriority(PRIO_PROCESS, (id_t)t->tid, SURRENDER_NICE) == 0;
    return t->calm;
}

static bool place(const struct surrender *s, struct surrendered *t)
{
    cpu_set_t is;

    if (s->aside == t->aside)
        return true;
    if (!s->aside) {
        t->aside = false;
        return sched_getaffinity(t->tid, sizeof(is), &is) ||
               !CPU_EQUAL(&is, &t->put) ||
               sched_setaffinity(t->tid, sizeof(t->cpus), &t->cpus) == 0;
    }
    CPU_AND(&t->put, &t->cpus, &s->room);
    if (CPU_COUNT(&t->put) == 0)
        t->put = s->room;
    t->aside = sched_setaffinity(t->tid, sizeof(t->put), &t->put) == 0;
    return t->aside;
}

/* Returns whether it was not known. */
static bool take(struct surrender *s, pid_t pid, pid_t tid)
{
    struct surrendered *t = find(s, tid);
    bool new = !t;

    if (new)
        t = note(s, pid, tid);
    if (!t)
        return false;
    if (!weigh(s, t) || !place(s, t))
        s->refused++;
    return new;
}

/* Threads that one makes meanwhile have what it has: again, until there is none
 * that is not known. */
void surrender_take(struct surrender *s, pid_t pid)
{
    char path[40];
    bool more = true;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    for (int i = 0; more && i < PASSES; i++) {
        DIR *d = opendir(path);
        struct dirent *e;

        more = false;
        while (d && (e = readdir(d)))
            if (atoi(e->d_name) > 0)
                more |= take(s, pid, atoi(e->d_name));
        if (d)
            closedir(d);
    }
}

void surrender_fini(struct surrender *s)
{
    free(s->v);
    *s = (struct surrender){ 0 };
}
