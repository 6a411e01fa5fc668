/* oddtask.h - tasks of which one is odd: it takes longer in one step. Their models,
 * and the question to all of them that a policy would make of a sample.
 *
 * All go around a loop of ODDTASK_STATES calls; at each fourth of these one time in
 * eight leaves out the next. Times differ by a few per cent in each step of each
 * task, and by --spread in all steps of a task. Who is odd, and where, is drawn by
 * --seed; --odd says by how much. */
#ifndef HECTOR_EMULATE_ODDTASK_H
#define HECTOR_EMULATE_ODDTASK_H

#include <stdint.h>

#include "policies/smm/score.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "slave/emulate/options.h"

enum { ODDTASK_STATES = 160, ODDTASK_SKIPS = 40,
       ODDTASK_EDGES = ODDTASK_STATES + ODDTASK_SKIPS };

uint32_t oddtask_rank(const struct emulate *e);
/* The place that its step begins with. */
uint64_t oddtask_place(const struct emulate *e);

void oddtask_model(const struct emulate *e, uint32_t rank,
                   struct score_edge v[ODDTASK_EDGES]);

/* The bytes of the question are added to out. */
int oddtask_ask(const struct emulate *e, struct str *out, struct err *err);

#endif
