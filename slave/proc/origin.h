/* origin.h - where a process that registers comes from: which MPI world it is
 * in, which program it runs. Told by /proc, as the wrapper library cannot
 * know; the process waits meanwhile.
 *
 * A world is named so that all its processes have the same name on all hosts,
 * and those of other launches another one: by the namespace of PMIx (Open
 * MPI, srun --mpi=pmix), by the address of the mpiexec behind Hydra's proxies
 * (MPICH), by job and step of Slurm. Failing that, by node and parent; and a
 * process that no launcher has started is a world by itself. */
#ifndef HECTOR_ORIGIN_H
#define HECTOR_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proto/base/str.h"

enum { ORIGIN_WORLD_MAX = 256 };

struct origin {
    char world[ORIGIN_WORLD_MAX];
    bool alone;                 /* rank 0 of 1, whatever its environment says */
    struct str name;            /* of its program */
    struct str command;         /* its words, as a shell would take them */
};

/* Never fails: what cannot be read stays empty. */
void origin_find(struct origin *o, pid_t pid, const char *node);
void origin_fini(struct origin *o);

/* The pure parts, on what the files of /proc hold: lists of zero-terminated
 * strings. */
bool origin_from_env(struct origin *o, const char *env, size_t n);
bool origin_from_proxy(struct origin *o, const char *cmdline, size_t n);
void origin_from_words(struct origin *o, const char *cmdline, size_t n);

#endif
