/* target.h - what an operator points at: a job, or some tasks of it.
 *
 *   7            job 7, all its tasks
 *   7.0-3,9      its tasks 0 to 3 and 9 */
#ifndef HECTOR_TARGET_H
#define HECTOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/store/query.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"

struct target {
    uint64_t job;
    bool all;                   /* no ranks were named */
    struct taskset ranks;       /* owned; empty if all */
};

/* On error *t needs no target_fini(). */
int target_parse(struct target *t, const char *text, struct err *err);
void target_fini(struct target *t);

/* Its ranks as text, "" for all. -1 if they are too many ranges for buf. */
int target_ranks(const struct target *t, char *buf, size_t size,
                 struct err *err);

/* The same for ask.h; its ranks are borrowed from t. */
struct query_which target_which(const struct target *t);

#endif
