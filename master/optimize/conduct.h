/* conduct.h - what an optimizer wants, done: each step stored before its effect,
 * one order at a time, by the mover and the table of actions.
 *
 *   planned --its turn--> ordered --its end--> done, or failed
 *      +--the job has changed meanwhile, or another plan--> dropped
 *
 * Moves of one job that follow each other are one order: the job stands once. */
#ifndef HECTOR_CONDUCT_H
#define HECTOR_CONDUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "master/act/act.h"
#include "master/optimize/survey.h"
#include "proto/plan/systembytes.h"

struct conduct_parts {          /* all borrowed */
    struct jobs *jobs;
    struct movers *movers;
    struct acts *acts;
    uint64_t instance;          /* of this master */
    /* Nothing is under way any more. */
    void (*idle)(void *arg);
    void *arg;
};

struct conduct;
struct conduct *conduct_create(const struct conduct_parts *parts);
void conduct_destroy(struct conduct *c);        /* NULL is fine */

/* A step of a plan is to be recorded; state as in table plan. */
struct conduct_step {           /* all borrowed */
    const char *optimizer, *state, *error;
    const struct systembytes *of;
    const struct hct_plan_step *step;
    uint32_t number;            /* in the plan, from 1 */
};
void conduct_record(struct conduct *c, const struct conduct_step *s);

/* ... and done; it is recorded, too. from and to may be NULL, of a whole job. -1:
 * no memory. */
int conduct_add(struct conduct *c, const struct conduct_step *s,
                const struct node *from, struct node *to);

/* Something is to be done, or is being done. */
bool conduct_busy(const struct conduct *c);

/* What was added is in the database. */
void conduct_committed(struct conduct *c);
/* A move of that job is over. */
void conduct_move_ended(struct conduct *c, struct job *j, bool ok,
                        const char *text);
/* It is about to be freed. */
void conduct_job_gone(struct conduct *c, const struct job *j);
/* Who was suspended by an optimizer that is not there any more goes on (all: or by
 * ours, which is switched off). true: some wait for their nodes to be back; ask
 * again. */
bool conduct_resume_orphans(struct conduct *c, bool all);

#endif
