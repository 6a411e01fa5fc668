/* optimize.h - when the optimizer is asked, and what becomes of its plan: now and
 * then while there are jobs, soon after something has changed, at once when a
 * job waits to be placed. Without one nothing of this is there. */
#ifndef HECTOR_OPTIMIZE_H
#define HECTOR_OPTIMIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "master/act/act.h"
#include "master/optimize/survey.h"
#include "master/watch/judge.h"
#include "proto/base/err.h"

struct conn;
struct optimize;

struct optimize_conf {
    const char *spec;           /* as --optimizer has it; borrowed. "": none */
    uint64_t wait_ns;           /* for a plan, before a job is placed without */
    uint64_t period_ns;         /* between two plans */
};
enum { OPTIMIZE_WAIT_MS = 200 };

struct optimize_parts {         /* all borrowed */
    struct event_base *base;
    struct judges *judges;
    struct judge_conf judge;
    struct optimize_conf conf;
    struct acts *acts;
    struct survey_by by;
    struct movers *movers;
    uint64_t instance;          /* of this master */
    /* Is it for others to say where its tasks go? */
    bool (*open)(const struct job *j);
    /* Place it: what it waited for is there, or does not come. */
    void (*place)(struct job *j);
};

/* Without an optimizer it is there for people's questions only. */
struct optimize *optimize_create(const struct optimize_parts *parts);
void optimize_destroy(struct optimize *o);      /* NULL is fine */

/* Something has changed that a plan may depend on: jobs, nodes, their owners, margins
 * that decline. NULL is fine. */
void optimize_news(struct optimize *o);
/* The job is to be placed. true: it waits for a plan, and is to be asked about
 * again in *wait_ns; parts.place may be called before. */
bool optimize_holds(struct optimize *o, struct job *j, uint64_t *wait_ns);
void optimize_committed(struct optimize *o);
void optimize_move_ended(struct optimize *o, struct job *j, bool ok,
                         const char *text);
void optimize_job_gone(struct optimize *o, const struct job *j);

/* A person has ordered that: a job that he suspends is none of an optimizer's. */
void optimize_ordered(struct job *j, const struct act_order *o);
/* After a restart: this job is suspended, and it was this optimizer. Another one, or
 * none, will never resume it: then it is resumed as soon as its nodes are back. */
void optimize_recall(struct optimize *o, struct job *j, const char *optimizer);

/* An operator wants a plan, or the system alone. -1 with a sentence, and the
 * asker hears nothing; else Plan or System, and Result. */
int optimize_order(struct optimize *o, struct conn *asker,
                   const Hct__Optimize *m, struct err *err);
void optimize_forget(struct optimize *o, const struct conn *asker);

#endif
