/* model_ask.h - asks the master of a job for the models of its tasks; and those
 * that are kept in the database. */
#ifndef HECTOR_MODEL_ASK_H
#define HECTOR_MODEL_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/hector/core/target.h"
#include "master/hector/core/tool.h"

struct model_how {
    bool histograms;
    uint32_t window;            /* as in ModelAsk; 0: all their time */
};

/* To be freed; NULL with a sentence. word is what target was. */
Hct__Model *model_ask(const struct tool *t, const struct target *target,
                      const char *word, const struct model_how *how,
                      struct err *err);

/* The latest that is kept, with a title for it; NULL after having complained. */
Hct__Model *model_last(const struct tool *t, uint64_t job, char *title,
                       size_t size);

/* Has the job ended, as far as the database knows? */
bool model_job_ended(const struct tool *t, uint64_t job);

#endif
