/* bill.h - what a move costs: written down when it is asked for, and again at its
 * end, as a row of the database. Its parts are the times between its steps, which
 * are there already: the view moves puts both together. */
#ifndef HECTOR_BILL_H
#define HECTOR_BILL_H

#include <stddef.h>

#include "master/state/job.h"
#include "master/store/rows.h"

struct journal;
struct stop_orders;

struct bill {
    struct journal *journal;    /* borrowed */
    struct store_move row;      /* texts owned, but for result */
};

/* Of those tasks, to these nodes, from now on. */
int bill_open(struct bill *b, struct journal *jn, const struct job *j,
              const struct taskset *ranks, const char *to, struct err *err);
/* As an earlier master has written it down. */
int bill_reopen(struct bill *b, struct journal *jn, const struct store_move *row,
                struct err *err);
void bill_fini(struct bill *b);

/* A piece of an image passes; who stops the job has done so much. */
void bill_image(struct bill *b, size_t bytes);
void bill_stop(struct bill *b, const struct stop_orders *o);

/* As it is now; result (borrowed): how it has ended, or NULL. */
void bill_note(struct bill *b, const struct job *j, const char *result);

#endif
