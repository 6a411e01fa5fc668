/* ladder.h - acts on deadlines: when the margin of a job with --on-deadline
 * act declines, less important jobs of the same user give way to it, step by
 * step, and get back what they gave when it is good again (climb.h decides
 * which).
 *
 * Each step is a row of table rung before anything is done, and after a crash
 * the rows are what has to be undone. Slaves give everything back by
 * themselves when the master is away for some seconds (Yield of hct.proto). */
#ifndef HECTOR_LADDER_H
#define HECTOR_LADDER_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "master/act/act.h"
#include "master/move/mover.h"
#include "master/state/job.h"
#include "policies/hct_policy.h"
#include "proto/base/err.h"
#include "proto/conf/due.h"

struct ladder;
struct store_rung;

struct ladder_parts {           /* all borrowed */
    struct event_base *base;
    struct nodes *nodes;
    struct jobs *jobs;
    struct movers *movers;
    struct acts *acts;
    uint64_t instance;          /* of this master */
    /* What is due in the job by that number; NULL: nothing is, or any more. */
    const struct due *(*due)(const struct job *j, uint32_t number);
    /* A job that is in files goes on. */
    int (*unstore)(struct job *j, struct err *err);
};

struct ladder *
ladder_create(const struct ladder_parts *parts); /* NULL: no memory */
void ladder_destroy(struct ladder *l);  /* NULL is fine, as below */

/* What its policy says of the deadlines of a job. */
void ladder_instances(struct ladder *l, struct job *j,
                      const struct hct_instance *v, uint32_t n);
void ladder_verdict(struct ladder *l, struct job *j,
                    const struct hct_verdict *v);

/* A slave says how a job fares there. -1: it makes no sense. */
int ladder_yielded(struct ladder *l, struct job *j, struct job_node *on,
                   const Hct__Yielded *m, struct err *err);
/* It may not know what the job gives up there. */
void ladder_node_back(struct ladder *l, struct job *j, struct job_node *on);

/* A person has ordered that of a job: it is his affair from now on. */
void ladder_ordered(struct ladder *l, struct job *j, const struct act_order *o);

/* Steps that are in the database by now are done. */
void ladder_committed(struct ladder *l);

/* What a master before has done, and not undone; what is wrong with it is logged. */
void ladder_recall(struct ladder *l, const struct store_rung *row);

/* Can a job with these wishes act on its deadlines? -1 with a sentence: no. */
int ladder_check(const Hct__Submit *s, struct err *err);

#endif
