/* surrender.c - see surrender.h.
 *
 * Invariants. What a thread had is noted before it is changed. A thread that
 * is new has what the one had that made it: where that had given something up,
 * the note is a copy of that one's, or of any of its process. */
#include "slave/yield/surrender.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "proto/base/array.h"
#include "slave/launch/schedule.h"

enum { PASSES = 8 };

bool surrender_may_calm(void)
{
    return schedule_least_nice() <= getpriority(PRIO_PROCESS, 0);
}

unsigned surrender_may_raise(void)
{
    int steps = getpriority(PRIO_PROCESS, 0) - schedule_least_nice();

    return steps > 0 ? (unsigned)steps : 0;
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
        if (s->v[i].weighs || s->v[i].aside)
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
    if (of && of->weighs && is.nice == of->made) {
        is.nice = of->nice;
        is.made = of->made;
        is.weighs = true;
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

    if (s->weighs ? t->weighs && t->made == s->nice : !t->weighs)
        return true;
    if (!s->weighs) {
        t->weighs = false;
        return is != t->made ||
               setpriority(PRIO_PROCESS, (id_t)t->tid, t->nice) == 0;
    }
    t->made = s->nice;
    t->weighs = setpriority(PRIO_PROCESS, (id_t)t->tid, s->nice) == 0;
    return t->weighs;
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

bool surrender_knows(const struct surrender *s, pid_t pid)
{
    return find(s, pid) != NULL;
}

void surrender_fini(struct surrender *s)
{
    free(s->v);
    *s = (struct surrender){ 0 };
}
