/* dirlock.h - one run at a time writes to a directory of checkpoints. */
#ifndef HECTOR_DIRLOCK_H
#define HECTOR_DIRLOCK_H

#include "proto/base/err.h"

/* The file in there that is locked: it says who has the lock, and stays. */
#define DIRLOCK "lock"

/* *fd, close-on-exec, has the lock as long as it, or what a child has inherited of
 * it, is open anywhere: the kernel ends it with the last process, however that dies,
 * and a server of a network file system with the machine. who: of us, for others.
 * Whoever has it is waited for so long, which is said. EBUSY: it is in use, says err.
 * Where there are no locks that is said, and *fd is -1. */
int dirlock_take(int *fd, const char *dir, const char *who, unsigned wait_s,
                 struct err *err);

#endif
