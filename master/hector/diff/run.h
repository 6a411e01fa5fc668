/* run.h - all that is known of a job that is to be compared: from the database,
 * and, while it runs, from its master. */
#ifndef HECTOR_DIFF_RUN_H
#define HECTOR_DIFF_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/hector/core/tool.h"
#include "master/hector/diff/rundiff.h"
#include "master/hector/diff/setup.h"
#include "master/hector/model/modelview.h"

struct run {
    uint64_t job;
    bool known, runs;           /* it has not ended */
    char state[40];
    char *why, *what, *command, *builds, *environment, *nodes;  /* owned, or
                                   NULL */
    int64_t program;            /* runkey.h; 0: not known */
    bool good;
    uint32_t ntasks;
    double wall_ns;             /* suspended times left out; 0: not known */
    struct rundiff_task *task;  /* owned: by rank */
    char **node;                /* owned: names, by number */
    uint32_t nnodes;
    Hct__Model *message;        /* owned */
    struct modelview view;      /* of all its steps */
};

/* -1 with a sentence: there is no such job, or it has no model. One that runs
 * is asked for it; t NULL: it is taken as if it had none. */
int run_load(struct run *r, struct store *st, const struct tool *t,
             uint64_t job, struct err *err);
/* The same without model and tasks: what the job was, and how long it took. */
int run_load_brief(struct run *r, struct store *st, uint64_t job,
                   struct err *err);
void run_fini(struct run *r);           /* {0} is empty */

struct rundiff_run run_figures(const struct run *r);
struct setup_run run_setup(const struct run *r);

/* Good runs of this program before that job, the latest first; not the one. */
unsigned run_good(struct store *st, int64_t program, uint64_t before,
                  uint64_t not_this, uint64_t *jobs, unsigned most);

#endif
