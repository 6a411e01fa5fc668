/* models.h - the models of tasks that are not there: of the first
 * MODELS_STEPS steps of their chain (chain.h), each half a phase. Without
 * call sites (--sites) there are MODELS_SITES. */
#ifndef HECTOR_EMULATE_MODELS_H
#define HECTOR_EMULATE_MODELS_H

#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"
#include "slave/emulate/options.h"

enum { MODELS_STEPS = 256, MODELS_SITES = 32 };

/* Append that of these ranks, as a part: position i is the i-th of them. */
int models_part(const struct emulate *e, const struct taskset *ranks,
                bool histograms, struct str *out, struct err *err);

#endif
