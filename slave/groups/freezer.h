/* freezer.h - holds tasks by the kernel's control groups (version 2), so that
 * also those of their processes stand still that have left the process group.
 *
 * Only where this process may make control groups below its own: as root, or
 * where one was delegated to it. A task gets one when it is to be held, its
 * processes move into it, and back when it is let go: who is never held is never
 * moved. Nothing here waits. */
#ifndef HECTOR_FREEZER_H
#define HECTOR_FREEZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "slave/proc/sweep.h"

struct freezer {                /* {0}: not looked for yet */
    char *dir;                  /* owned: our own control group; NULL: none */
    bool known;
    bool left;                  /* some could not be removed yet */
};

/* Can it be done? -1: err says why not. */
int freezer_open(struct freezer *f, struct err *err);
void freezer_fini(struct freezer *f);

struct freezer_job {
    uint64_t job;
    const struct sweep_job *who;        /* groups and ranks of its tasks */
    bool *frozen;               /* of who->groups: to be held; false then if
                                   that has not worked */
};

/* -1: some are not, err says why. */
int freezer_hold(struct freezer *f, const struct freezer_job *j,
                 struct err *err);

/* Let it go on; also when it has ended. */
void freezer_release(struct freezer *f, uint64_t job, uint32_t rank);

/* Try again with what could not be removed. */
void freezer_tidy(struct freezer *f);

/* Remove what processes that are dead have left. */
void freezer_sweep(void);

#endif
