/* runplace.h - the directory of one run, with the sockets of hector-run and of its
 * private master:
 *
 *   DIR/               private, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp
 *     run.lock         held as long as hector-run lives; says on which host
 *     master.sock ...  hector-run listens there, its master too, which may live longer
 *
 * It goes when hector-run ends, or when its master does. What was left of both, when
 * they were killed at once, the next run of the same user on that host removes: nobody
 * holds the lock, and nobody listens. */
#ifndef HECTOR_RUNPLACE_H
#define HECTOR_RUNPLACE_H

#include "proto/base/err.h"
#include "proto/base/paths.h"

struct runplace {
    char dir[PATHS_MAX];        /* "" when closed */
    int lock;                   /* -1: the file system has no locks */
};

int runplace_open(struct runplace *r, struct err *err);
/* -1: something is left. One that is not open is fine. */
int runplace_close(struct runplace *r, struct err *err);

#endif
