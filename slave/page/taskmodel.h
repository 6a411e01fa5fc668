/* taskmodel.h - the models in the pages of tasks, as part of that of their job.
 *
 * Read without stopping anybody. States are the sites of the account that is
 * kept of the job, so what they are called is known as soon as that is. */
#ifndef HECTOR_TASKMODEL_H
#define HECTOR_TASKMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/model/jobmodel.h"
#include "slave/page/account.h"
#include "slave/page/state.h"
#include "slave/page/tally.h"
#include "slave/page/window.h"
#include "slave/proc/ticks.h"

struct taskmodel {
    struct jobmodel model;      /* what has been read */
    bool histograms;
    enum window_what window;    /* of what time: may be set before any task is
                                   added. Of the last minutes all phases are
                                   one, merged, without histograms */
    struct account *account;    /* borrowed, like ticks */
    const struct ticks *ticks;
    struct state_model one;     /* owned, like the rest: of a thread */
    struct state_module *modules;
    unsigned nmodules;
    uint32_t *state_of;         /* site of the account: its state + 1 */
    size_t nstate_of;
    uint32_t *frame_of;         /* the same of frames */
    size_t nframe_of;
    double factor;              /* ns a tick */
    struct window stretch;      /* owned: of a task */
    uint64_t stretch_ns;        /* that long */
};

/* For so many tasks. */
int taskmodel_init(struct taskmodel *t, uint32_t width,
                   struct account *account, const struct ticks *ticks,
                   bool histograms, struct err *err);
void taskmodel_fini(struct taskmodel *t);       /* {0} is empty */

/* The state of one of the account's sites. */
uint32_t taskmodel_state(struct taskmodel *t, uint32_t site);

/* Add the task at this position, which has a page. Returns how many of its
 * threads have called MPI, or -1: out of memory. */
int taskmodel_add(struct taskmodel *t, const struct tally *w,
                  uint32_t position);

/* Put in what is known of the names of its frames. */
void taskmodel_name(struct taskmodel *t);

#endif
