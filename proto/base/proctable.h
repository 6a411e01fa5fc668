/* proctable.h - the processes of this machine and who made them, as /proc has
 * them at one moment; those that others hide from us are not there. */
#ifndef HECTOR_PROCTABLE_H
#define HECTOR_PROCTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct proctable_process {
    pid_t pid, parent, group;
    bool dead;                  /* a zombie, or about to be nothing */
};

/* All of them, by pid; owned by the caller. NULL with *n = 0: /proc cannot be
 * read, or no memory. */
struct proctable_process *proctable_read(size_t *n);

/* Where pid is in v; SIZE_MAX: it is not. */
size_t proctable_find(const struct proctable_process *v, size_t n, pid_t pid);

#endif
