/* ladder_private.h - what the files of this room share. */
#ifndef HECTOR_LADDER_PRIVATE_H
#define HECTOR_LADDER_PRIVATE_H

#include <sys/queue.h>

#include "master/ladder/climb.h"
#include "master/ladder/fare.h"
#include "master/ladder/ladder.h"
#include "master/ladder/rung.h"
#include "master/state/pace.h"
#include "proto/base/clock.h"

/* A step stands that long at least, and is not taken twice within it. */
#define LADDER_DWELL_NS (2 * CLOCK_NS_PER_S)
/* Of so much time a job may stand a part, at once; see struct patience. */
#define LADDER_WINDOW_S 20.0

/* A step, on its way. */
struct rung_taken {
    TAILQ_ENTRY(rung_taken) place;
    uint64_t job;               /* for whom, */
    uint32_t number, deadline; /* ... its steps from 1, and what is due in it */
    char *due;                  /* owned: as text */
    enum climb_kind kind;
    enum rung_state state;
    uint64_t target;            /* the job it is done to */
    struct node *node, *to;     /* borrowed: of moves; or NULL */
    struct taskset ranks;       /* owned: the same */
    char *was, *was_to;         /* owned: names of these two, of a recalled one */
    double margin, chance, gain, brought;       /* brought NaN: not known yet */
    uint64_t at_ns, done_ns, undone_ns;         /* wall clock */
    uint64_t since_ns;          /* monotonic: of the last change of state */
    uint64_t instances;         /* of the deadline, when it was done */
    bool recalled;              /* of a master before */
    bool moved;                 /* its move has been seen under way */
    double pressure;            /* soon after it was taken */
    char why[CLIMB_WHY], result[CLIMB_WHY];
};
TAILQ_HEAD(rungs, rung_taken);

/* A job that acts on its deadlines. */
struct climber {
    LIST_ENTRY(climber) place;
    uint64_t job;
    uint32_t nsteps;
    uint32_t asks;              /* answers that have not come, */
    uint64_t asked_ns;          /* ... of what was asked then; monotonic */
    uint64_t serial;
    uint32_t blind;             /* answers in it that did not say how it fares */
    uint32_t strange;           /* the same of where others may run, in a row */
    double pressure;            /* of late, while a step stands */
    bool told_none;             /* that nothing can be done, in this stretch */
};

/* How long a job may be suspended yet: it may use up its part of
 * LADDER_WINDOW_S at once, and gets it back while it runs, so that in the long
 * run it stands for no more than that part of the time. */
struct patience {
    LIST_ENTRY(patience) place;
    uint64_t job;
    double used_s;
    uint64_t at_ns;             /* monotonic */
};

struct seen_fare {
    LIST_ENTRY(seen_fare) place;
    uint64_t job;
    const struct node *node;    /* borrowed */
    struct fare is;
};

struct ladder {
    struct ladder_parts parts;
    struct event *timer;        /* owned, like the lists */
    struct rungs rungs; /* those that are not final, the oldest first, and
                                   final ones within the dwell time */
    LIST_HEAD(, climber) climbers;
    LIST_HEAD(, patience) patience;
    LIST_HEAD(, seen_fare) fares;
    struct climb_moves moves;   /* of earlier ones, */
    uint64_t moves_ns;          /* ... looked for then; monotonic */
    uint64_t serial;
};

/* ----------------------------------------------------------- ladder_look.c */

/* The job's deadline that is worst off, of those that are not met as they should
 * be; NULL: all are. */
const struct pace *ladder_worst(const struct job *j, uint32_t *number);
/* Ask all slaves of the job's nodes how it, and others there, fare. */
void ladder_ask(struct ladder *l, struct climber *c);
/* All there is for a decision, in memory that ladder_free() takes; steps to
 * `of`. False: no memory, or the job has no tasks. p and due NULL: about none. */
struct ladder_sight {
    struct climb_in in;
    struct climb_node *nodes;
    struct climb_job *jobs;
    struct climb_share *shares;
    struct job **of;            /* by index in jobs; borrowed */
};
bool ladder_look(struct ladder *l, const struct climber *c,
                 const struct pace *p, const struct due *due,
                 struct ladder_sight *sight);
void ladder_free(struct ladder_sight *sight);

struct fare *ladder_fare(struct ladder *l, uint64_t job, const struct node *n,
                         bool make);
/* Is it suspended by a step that stands? */
bool ladder_holds(const struct ladder *l, uint64_t job);
/* Seconds that it may be suspended yet. */
double ladder_may_s(struct ladder *l, const struct job *j);

/* ----------------------------------------------------------- ladder_step.c */

/* As it is now, in the database. */
void rung_note(struct ladder *l, const struct rung_taken *r);
/* Take the edge, and note it. False: there is none. */
bool rung_step(struct ladder *l, struct rung_taken *r, enum rung_event e,
               const char *result);
/* Do what is stored; undo what stands, for that reason. */
void rung_order(struct ladder *l, struct rung_taken *r);
void rung_undo(struct ladder *l, struct rung_taken *r, const char *why);
/* Has it come about? Once in a tick. */
void rung_watch(struct ladder *l, struct rung_taken *r);
/* What the job gives up, of all steps that stand, to one of its nodes or
 * (NULL) to all. */
void rung_tell(struct ladder *l, struct job *j, const struct job_node *only);
void rung_free(struct rung_taken *r);
/* It is not ours any more. */
void rung_over(struct ladder *l, struct rung_taken *r, const char *why);

#endif
