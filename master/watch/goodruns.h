/* goodruns.h - what earlier runs of the same program, which ended well, have taken for
 * its steps: the last ten whose models are kept, of as many tasks, merged (struct
 * hct_earlier); and what policies have learnt of them (struct hct_learnt). One is read
 * at each turn of the loop. */
#ifndef HECTOR_GOODRUNS_H
#define HECTOR_GOODRUNS_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "master/store/rows.h"
#include "master/watch/looks.h"

struct journal;
struct goodruns;

/* NULL: no memory. Reading begins at the next turn. */
struct goodruns *goodruns_create(struct event_base *base, struct journal *jn,
                                 uint64_t job, uint32_t ntasks);
void goodruns_destroy(struct goodruns *g);      /* NULL is fine */

/* All are read, or there is none. */
bool goodruns_known(const struct goodruns *g);
/* ... and become part of the look. */
void goodruns_show(const struct goodruns *g, struct looks *l);

/* For tests: another run; of one that makes no sense, or of another number of tasks,
 * nothing is kept. False: no memory. */
bool goodruns_add(struct goodruns *g, const Hct__Model *model);
/* What was learnt of the run that was added last. */
void goodruns_learn(struct goodruns *g, const struct store_learnt *row);
/* That were all. */
void goodruns_end(struct goodruns *g);

#endif
