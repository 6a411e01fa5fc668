/* telling.h - what the command of --notify is told: a verdict and what became of the
 * job, as one JSON object. */
#ifndef HECTOR_REDIRECTOR_TELLING_H
#define HECTOR_REDIRECTOR_TELLING_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/str.h"
#include "proto/link/message.h"

struct telling;

struct telling_job {
    uint64_t job;               /* 0: not known yet */
    const char *batch, *name;   /* NULL: none, or not known */
    uint32_t ntasks;
    bool ended;
    int exit_code;              /* if it has */
    uint64_t left_ns;           /* of its allocation; 0: nothing, or not known */
    double percent, node_hours, core_hours;
};

/* NULL: no memory. */
struct telling *telling_make(const Hct__Finding *m);
/* One line, less than a pipe holds; text is cut to a length that people read. 0, or
 * -1: no memory. Once. */
int telling_text(struct telling *t, const struct telling_job *j, struct str *to);
void telling_free(struct telling *t);           /* NULL is fine */

#endif
