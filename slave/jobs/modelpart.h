/* modelpart.h - this node's part of the model of a job: what is in the pages of
 * its tasks, with notes about those that have none. */
#ifndef HECTOR_MODELPART_H
#define HECTOR_MODELPART_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"
#include "slave/jobs/task.h"
#include "slave/page/account.h"
#include "slave/proc/ticks.h"

struct modelpart {              /* all borrowed */
    struct task *const *tasks;  /* by rank: position i is the i-th */
    uint32_t n;
    const struct taskset *ranks;        /* whose; empty: all */
    struct account *account;    /* of the job: its places get numbers there */
    const struct ticks *ticks;
    bool histograms;
    enum window_what window;    /* of what time */
};

/* Append Model of hct.proto, with the names that the account has. out NULL:
 * the places get their numbers, so that names can be looked up. */
int modelpart_make(const struct modelpart *p, struct str *out,
                   struct err *err);

#endif
