/* delay.c - see delay.h. The kernel counts it in schedstat: ns on a processor, ns
 * in its queue (Documentation/scheduler/sched-stats.rst). */
#include "slave/proc/delay.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "slave/proc/smallfile.h"

/* Reads are not for nothing: what is shorter nobody compares, by the usual parameters. */
static const uint64_t apart_ns = 200000000;

bool delay_parse(const char *text, struct delay *d)
{
    struct delay is;

    if (sscanf(text, "%" SCNu64 " %" SCNu64, &is.ran_ns, &is.kept_ns) != 2)
        return false;
    *d = is;
    return true;
}

static bool read_thread(pid_t pid, const char *tid, struct delay *d)
{
    char path[64], text[128];

    snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int)pid,
             tid);
    return smallfile_read(path, text, sizeof(text)) && delay_parse(text, d);
}

void delay_read_main(struct delay *d, pid_t pid)
{
    char path[48], text[128];
    struct delay is;

    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
    *d = smallfile_read(path, text, sizeof(text)) && delay_parse(text, &is)
             ? is : (struct delay){ 0 };
}

struct delay delay_since(const struct delay *now, const struct delay *before)
{
    if (now->ran_ns < before->ran_ns || now->kept_ns < before->kept_ns)
        return (struct delay){ 0 };
    return (struct delay){ now->ran_ns - before->ran_ns,
                           now->kept_ns - before->kept_ns };
}

void delay_turn(struct delay_phases *p, pid_t pid, uint32_t phase,
                uint64_t now_ns)
{
    if (p->n && p->mark[0].phase == phase)
        return;
    if (p->n && now_ns - p->at_ns < apart_ns) {
        p->mark[0].phase = phase;
        return;
    }
    memmove(&p->mark[1], &p->mark[0], (DELAY_MARKS - 1) * sizeof(p->mark[0]));
    p->mark[0] = (struct delay_mark){ .phase = phase };
    if (phase)                  /* the first one began with the process */
        delay_read(&p->mark[0].is, pid);
    p->n += p->n < DELAY_MARKS;
    p->at_ns = now_ns;
}

struct delay delay_in_phase(const struct delay_phases *p, uint32_t phase,
                            const struct delay *now)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->mark[i].phase == phase)
            return delay_since(i ? &p->mark[i - 1].is : now, &p->mark[i].is);
    return (struct delay){ 0 };
}

void delay_read(struct delay *d, pid_t pid)
{
    char path[48];
    struct delay one;
    struct dirent *e;
    unsigned n = 0;
    DIR *dir;

    *d = (struct delay){ 0 };
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && n < DELAY_THREADS && (e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        n++;
        if (read_thread(pid, e->d_name, &one) && one.kept_ns >= d->kept_ns)
            *d = one;
    }
    if (dir)
        closedir(dir);
}
