/* dirlock.h - one run at a time writes to a directory of checkpoints. */
#ifndef HECTOR_DIRLOCK_H
#define HECTOR_DIRLOCK_H

#include "proto/base/err.h"

/* The file in there that is locked: it says who has the lock, and stays. */
#define DIRLOCK "lock"

/* A process of its own has the lock as long as *fd, close-on-exec, or what a child has
 * inherited of it, is open anywhere, however those that have it die; the server of a
 * network file system ends it with the machine. who: of us, for others. Whoever has it
 * is waited for so long, which is said. EBUSY: it is in use, says err. Where there are no
 * locks that is said, and *fd is -1. */
int dirlock_take(int *fd, const char *dir, const char *who, unsigned wait_s,
                 struct err *err);

#endif
