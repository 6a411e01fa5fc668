/* bymodel.h - who waits for whom, where nothing exact says so: by the
 * iterations of loops (loops.h), then by the models of the tasks (rows.h). */
#ifndef HCT_BYMODEL_H
#define HCT_BYMODEL_H

#include "policies/progress/hitting.h"
#include "policies/progress/loops.h"
#include "policies/progress/nodes.h"
#include "policies/progress/question.h"
#include "policies/progress/rows.h"

struct bymodel {
    struct dictionary dictionary;
    struct rows rows;
    struct loops loops;
    struct reach_edge edge[ROWS_EDGES];
    uint32_t words[REACH_WORDS(ROWS_STATES, ROWS_EDGES)];
    struct reach_edge step[DICTIONARY_STEPS];
    double weight[ROWS_EDGES], least[ROWS_STATES], most[ROWS_STATES];
    uint64_t taken[DICTIONARY_STEPS];   /* by all tasks */
    bool told;                  /* rows are what others have said */
};

/* Numbers all states of the snapshot's models; sets state and entered of the
 * tasks that have one. */
void bymodel_make(struct bymodel *b, struct nodes_task *t,
                  const struct hct_snapshot *in);

/* The same where the snapshot has models of some tasks only, of each node one, and
 * all tasks have been asked. */
void bymodel_told(struct bymodel *b, struct nodes_task *t,
                  const struct question *q, const struct hct_snapshot *in);

/* Adds edges between nodes of which none waits for the other yet, directly or
 * by way of others. Who waits for nobody in MPI is not behind one who does. */
void bymodel_decide(struct bymodel *b, struct nodes *g,
                    const struct nodes_task *t, const struct hct_snapshot *in);

/* How probable it is that a task comes from where the ones are to where the
 * others are: between *least and *most. A hint, where the model says
 * nothing. */
void bymodel_hint(struct bymodel *b, const struct node *from,
                  const struct node *to, double *least, double *most);

#endif
