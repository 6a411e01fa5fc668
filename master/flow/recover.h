/* recover.h - what masters that are dead have left in the database: jobs that
 * this one takes up again, if it stands in the place of theirs, and jobs that
 * have to be buried; which nodes they were told not to use, and which they were
 * emptying. */
#ifndef HECTOR_RECOVER_H
#define HECTOR_RECOVER_H

#include "master/flow/flow.h"
#include "master/state/node.h"
#include "master/store/journal.h"
#include "master/store/store.h"

struct recover {
    const char *addresses;      /* where this master listens: who listened
                                   there before is taken over from */
    uint64_t instance;          /* of this master */
    struct store *store;        /* only read from */
    struct nodes *nodes;
    struct flow *flow;
    struct journal *journal;    /* where burials go */
};

/* Nodes that take no new tasks still do not. */
void recover_nodes(struct recover *r);
/* And drains that were under way. Returns how many jobs were taken up again. What
 * cannot be read is buried, or left to the next master, and logged. */
size_t recover_jobs(const struct recover *r);

#endif
