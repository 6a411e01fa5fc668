/* weight.h - more of the processors for a job than nice(2) gives it: the weight of a
 * control group, cpu.weight of version 2 or cpu.shares of version 1.
 *
 * Its use is where the kernel does not let us have the nice value, but we may make
 * control groups below our own: as whoever one was delegated to. A group counts as
 * one beside the processes and groups around it, so its weight is that of its
 * tasks together; and as each step of nice is a quarter more (sched(7)), so is each
 * that is missing. */
#ifndef HECTOR_WEIGHT_H
#define HECTOR_WEIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "slave/proc/sweep.h"

struct weight {                 /* {0}: not looked for yet */
    char *dir;                  /* owned: our own control group; NULL: none */
    int version;
    bool known, enabled;        /* enabled: by us, for groups below */
};

/* Can it be done? -1: err says why not. */
int weight_open(struct weight *w, struct err *err);
void weight_fini(struct weight *w);

/* Of so many tasks, which lack so many steps of nice. */
unsigned weight_of(int version, unsigned tasks, int steps);

/* All processes of a job get it, again if there are new ones. -1: err says why
 * not. */
int weight_give(const struct weight *w, uint64_t job, const struct sweep_job *who,
                unsigned weight, struct err *err);
/* They have it no longer; also when they have ended. */
void weight_take_back(const struct weight *w, uint64_t job);

/* Remove what processes that are dead have left. */
void weight_sweep(void);

/* The part that knows only files; for tests. */
int weight_open_in(struct weight *w, const char *dir, int version,
                   struct err *err);

#endif
