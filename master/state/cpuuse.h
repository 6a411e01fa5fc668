/* cpuuse.h - what tasks of a job that can be moved may use of processors: what all
 * hosts have that it could be started on, so that each of them can go to each. The
 * slaves tell their tasks' C library to do without the rest. Pure. */
#ifndef HECTOR_CPUUSE_H
#define HECTOR_CPUUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "hct.pb-c.h"
#include "mpi-wrappers/cpu.h"
#include "proto/base/err.h"

struct node;

struct cpuuse {                 /* {0}: nothing is known, nothing is refused */
    struct cpu_set has;
    bool bind_now;              /* some hosts have wider registers than others */
};

/* Of these hosts; those that have not told theirs do not count. */
struct cpuuse cpuuse_of(struct node *const *hosts, size_t n);

/* From a message, NULL is fine; and into one, that borrows of u. */
struct cpuuse cpuuse_read(const Hct__CpuUse *m);
void cpuuse_write(Hct__CpuUse *m, struct cpuuse *u);

bool cpuuse_known(const struct cpuuse *u);

/* Can tasks of that job, which may use that, be on this node? -1 with a sentence:
 * they cannot. */
int cpuuse_check(const struct cpuuse *u, unsigned long long job,
                 const struct node *n, struct err *err);

#endif
