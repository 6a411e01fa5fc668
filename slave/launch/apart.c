/* apart.c - processors of class realtime, see apart.h.
 *
 * Invariant: threads of this process and of its descendants that have chosen nothing
 * themselves may use what is nobody's own, no more and no less; those to whom
 * something was given that, or (SCHED_DEADLINE) all. */
#include "slave/launch/apart.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "slave/proc/sweep.h"

enum { PASSES = 8 };

static struct { bool known; cpu_set_t all, taken; } here;

const cpu_set_t *apart_all(void)
{
    if (!here.known && sched_getaffinity(0, sizeof(here.all), &here.all) == 0)
        here.known = true;
    return &here.all;
}

void apart_others(cpu_set_t *set)
{
    CPU_XOR(set, apart_all(), &here.taken);
}

/* ---------------------------------------------------------------- everybody */

struct shift { cpu_set_t from, to; bool any; };

/* Threads that it has made meanwhile may use what it could: again. */
static void shift_process(void *arg, pid_t pid, size_t task)
{
    struct shift *s = arg;
    char path[40];
    struct dirent *e;
    cpu_set_t now;
    DIR *d;

    (void)task;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && (e = readdir(d))) {
        pid_t tid = atoi(e->d_name);

        if (tid > 0 && sched_getaffinity(tid, sizeof(now), &now) == 0 &&
            CPU_EQUAL(&now, &s->from) &&
            sched_setaffinity(tid, sizeof(s->to), &s->to) == 0)
            s->any = true;
    }
    if (d)
        closedir(d);
}

static void shift(const cpu_set_t *from)
{
    static const struct sweep_job all = { .all = true };
    struct shift s = { .from = *from, .any = true };

    apart_others(&s.to);
    for (int i = 0; s.any && i < PASSES; i++) {
        s.any = false;
        shift_process(&s, getpid(), 0);
        sweep_each(&all, shift_process, &s);
    }
}

/* ------------------------------------------------------------ who has which */

bool apart_take(cpu_set_t *own, unsigned n)
{
    cpu_set_t from;

    apart_others(&from);
    if (n >= (unsigned)CPU_COUNT(&from))
        return false;
    for (int i = CPU_SETSIZE - 1; n > 0 && i >= 0; i--)
        if (CPU_ISSET(i, &from)) {
            CPU_SET(i, own);
            CPU_SET(i, &here.taken);
            n--;
        }
    shift(&from);
    return true;
}

void apart_give(cpu_set_t *own, unsigned n)
{
    cpu_set_t from;

    if (n == 0 || CPU_COUNT(own) == 0)
        return;
    apart_others(&from);
    for (int i = 0; n > 0 && i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, own)) {
            CPU_CLR(i, own);
            CPU_CLR(i, &here.taken);
            n--;
        }
    shift(&from);
}
