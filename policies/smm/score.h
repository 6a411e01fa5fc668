/* score.h - one task against the models of a question (struct hct_question):
 * what is done where the tasks are, so that their models need not travel.
 *
 * The same measures as where all models are in one place: the distance from the
 * medoid of its group and from its nearest neighbour (SC11, 3.3.1 and 3.3.2),
 * and median polish (polish.h), with what is normal taken from the question.
 *
 * A task that is slow in all that it does is as fast as its like in none of its
 * steps more than in others, and polish does not see it. But others wait for
 * it: it waits less than they do, in all calls that wait taken together, and
 * that is what it computes longer. Where it waits less in one call for more in
 * another nothing is said: it may be one of those that wait for somebody else
 * there.
 *
 * What a step costs has to exceed what chance does to the sum of its times, or
 * it is nothing to be said aloud: the steps of young jobs, and those that
 * compute for a time that is drawn by lot, differ from task to task by that.
 * And who takes a step more often is compared with others that would: what they
 * take each time. */
#ifndef HCT_SCORE_H
#define HCT_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/smm/lknorm.h"

struct score;                   /* a question, ready to be answered */

/* Bytes that it takes; 0: these are no question. */
size_t score_room(const void *question, size_t bytes);
/* In room, of so many bytes and aligned for anything. Both question and table
 * are borrowed; the question is aligned to 8 bytes. Needs what score_room()
 * did not refuse. */
struct score *score_open(void *room, const void *question,
                         const struct lknorm *table);

struct score_edge {             /* of the task's model, as in hct_edge */
    uint64_t from, to;          /* places; 0: the beginning */
    uint32_t site, site_to;     /* of this task: from, to */
    uint64_t n;
    double in_mean, in_m2, out_mean, out_m2;
    double bytes_mean;
};
/* A place that is not known. */
#define SCORE_NOWHERE UINT64_MAX

struct score_task {
    uint32_t group, kind;       /* whose medoid is nearest */
    double far, near;           /* from that of the group; from the nearest
                                   model of another task */
    uint32_t from;              /* group of the medoid that is nearest of those which
                                   are other tasks; HCT_NO_MEDOID */
    double apart;               /* ... how far */
    double like;                /* from the medoid of the kind, by what they
                                   do alone */
    double total_ns;            /* of all its steps, also of others than those of
                                   the question */
    double kept_ns;             /* that it was kept from a processor; 0: not
                                   known. By who knows, between the two below */
};

/* Edges of all its phases, in any order. Steps that the question does not have
 * make it as different as can be. */
void score_task(struct score *s, uint32_t rank, const struct score_edge *v,
                size_t n, struct score_task *t);

/* Of the task that was scored last: its steps that are longer than the question
 * allows, the most costly ones, at most k, the first most. Returns how many. */
size_t score_steps(struct score *s, uint32_t rank, const struct score_task *t,
                   struct hct_score *v, size_t k);

/* The step in which it differs most from the medoid of its group, or, if that
 * is itself, from the nearest other one, into x: step to share of struct
 * hct_score. Of whole models, but for time that others take. Chains are made
 * one to find who is odd; this is where (SC11, 3.2 and 4.3: to compare with one
 * medoid is enough). False: there is none, or the question has no whole
 * models. */
bool score_differs(struct score *s, const struct score_task *t,
                   struct hct_score *x);

#endif
