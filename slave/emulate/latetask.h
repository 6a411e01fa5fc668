/* latetask.h - tasks of which one is behind: where they are, the steps of
 * their models, and the questions to all of them that the policy progress
 * would ask.
 *
 * All go through a line of calls, as many as the odd task of oddtask.h; some
 * kinds of tasks leave out one of each four now and then. All but one are in
 * or behind one of LATETASK_PLACES calls of the second half; the one, drawn by
 * --seed, is in a call of the first. So each of them waits for it, by the
 * models. */
#ifndef HECTOR_EMULATE_LATETASK_H
#define HECTOR_EMULATE_LATETASK_H

#include <stddef.h>
#include <stdint.h>

#include "policies/progress/witness.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/model/whereabouts.h"
#include "slave/emulate/options.h"
#include "slave/gather/standing.h"

enum { LATETASK_PLACES = 39, LATETASK_KINDS = 8 };

uint32_t latetask_rank(const struct emulate *e);

/* Where it is; its steps are the result, *n of them, borrowed. */
const struct witness_step *latetask_model(const struct emulate *e, uint32_t rank,
                                          struct standing_task *t, size_t *n);

/* The question about these places, added to out; NULL: where all are. */
int latetask_ask(const struct whereabouts *are, struct str *out,
                 struct err *err);

/* The rank that all others wait for; -1: there is none. */
int64_t latetask_found(const struct whereabouts *are);

#endif
