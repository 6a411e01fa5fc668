/* cpuuse.c - what tasks may use of processors: see cpuuse.h. */
#include "master/state/cpuuse.h"

#include <errno.h>

#include "master/state/node.h"

enum { CPUUSE_NAMES = 3 };      /* that a sentence has */

struct cpuuse cpuuse_of(struct node *const *hosts, size_t n)
{
    struct cpuuse u = { 0 };

    for (size_t i = 0; i < n; i++)
        if (cpu_none(&hosts[i]->cpu))
            continue;
        else if (cpuuse_known(&u))
            cpu_and(&u.has, &hosts[i]->cpu);
        else
            u.has = hosts[i]->cpu;
    for (size_t i = 0; i < n; i++)
        u.bind_now |= cpu_is_wider(&hosts[i]->cpu, &u.has);
    return u;
}

struct cpuuse cpuuse_read(const Hct__CpuUse *m)
{
    struct cpuuse u = { 0 };

    if (m) {
        cpu_take(&u.has, m->has, m->n_has);
        u.bind_now = m->bind_now;
    }
    return u;
}

void cpuuse_write(Hct__CpuUse *m, struct cpuuse *u)
{
    m->has = u->has.has;
    m->n_has = CPU_WORDS;
    m->bind_now = u->bind_now;
}

bool cpuuse_known(const struct cpuuse *u)
{
    return !cpu_none(&u->has);
}

int cpuuse_check(const struct cpuuse *u, unsigned long long job,
                 const struct node *n, struct err *err)
{
    struct cpu_set lacks = cpu_missing(&n->cpu, &u->has);
    char names[80];

    if (!cpuuse_known(u) || cpu_none(&n->cpu))
        return 0;
    if (!cpu_none(&lacks)) {
        cpu_say(&lacks, CPUUSE_NAMES, names, sizeof(names));
        return err_set(err, ENOTSUP, "node %.40s has no %s, which tasks of job "
                       "%llu may use: they do without if it is among its hosts "
                       "from the start", n->name, names, job);
    }
    if (!u->bind_now && cpu_is_wider(&n->cpu, &u->has))
        return err_set(err, ENOTSUP, "node %.40s has wider registers than tasks "
                       "of job %llu were started for: it has to be among its "
                       "hosts from the start", n->name, job);
    return 0;
}
