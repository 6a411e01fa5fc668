/* act.h - what can be done to a job, as one table: who may ask for it, whether
 * it is legal just now, what limits it, what is ordered, the row in table action
 * that stands before the effect, and the sentence about it.
 *
 * Operators, hector-run, batch systems and policies all come this way. What an
 * action changes is noted and recorded in this turn; slaves hear of it after the
 * commit, from whoever drives jobs. */
#ifndef HECTOR_ACT_H
#define HECTOR_ACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "master/act/limit.h"
#include "master/places/whereis.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"
#include "proto/link/message.h"

struct job;
struct journal;
struct ladder;
struct optimize;
struct movers;
struct nodes;
struct priority;
struct timetable_change;

enum act_who {                  /* bits */
    ACT_OWNER = 1,              /* hector-run, for its own job */
    ACT_OPERATOR = 2,
    ACT_BATCH = 4,              /* a batch system, by way of a slave */
    ACT_POLICY = 8,
    ACT_HOST = 16,              /* the owner of a node, by his being there */
    ACT_LADDER = 32,            /* this master, for a deadline */
};

enum act_name {
    ACT_REPORT, ACT_SUSPEND, ACT_RESUME, ACT_KILL, ACT_SIGNAL, ACT_WARN,
    ACT_SWITCH_OFF, ACT_MIGRATE, ACT_DRAIN, ACT_UNDRAIN, ACT_CHECKPOINT,
    ACT_ROLLBACK, ACT_PRIORITY, ACT_DEADLINE,
};

/* Texts and set are borrowed. */
struct act_order {
    enum act_name act;
    enum act_who who;
    const char *by;             /* the name of a policy; else NULL */
    const char *why;            /* for the record, and who runs the job */
    const struct taskset *ranks;        /* NULL: all, and whole */
    bool whole;                 /* of the job as a whole, not of its tasks */
    int number;                 /* SIGNAL: which; KILL: comes first in place
                                   of TERM, 0: TERM */
    const struct priority *priority;    /* PRIORITY */
    const struct timetable_change *due; /* DEADLINE */
    int exit_code;              /* KILL of the job: how that looks */
    bool at_once;               /* KILL: without grace */
    const char *end;            /* KILL of the job: why it ended; NULL: why */
};

/* By whoever drives jobs. */
struct act_ops {
    /* Have these effects (enum job_effect) after the commit. */
    void (*effect)(struct job *j, unsigned effects);
    void (*end)(struct job *j, const char *why, int exit_code, bool at_once);
    /* Back to its last checkpoint; false: it cannot. */
    bool (*again)(struct job *j, const char *why);
    /* A person has ordered that, and it is noted; NULL: nobody wants to know. */
    void (*ordered)(struct job *j, const struct act_order *o);
    /* A sentence for the person who runs the job. */
    void (*finding)(const struct job *j, const Hct__Finding *m);
    void (*notice)(const struct job *j, bool error, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
};

struct acts_conf {
    uint32_t kills_per_hour;    /* by policies, of all jobs together */
    uint32_t hang_samples;      /* of all stacks at a hang; 0: none */
    int max_priority;           /* that people may ask for, */
    bool realtime;              /* ... and this class */
    bool hang_slices;           /* of who is to blame for one: autoslice.h */
};

/* What all actions of a master need. */
struct acts {
    struct acts_conf conf;
    const struct act_ops *ops;  /* borrowed, like the next two */
    struct journal *journal;
    struct whereis_by by;
    struct movers *movers;      /* borrowed, like the next one; NULL: nobody can
                                   be moved */
    const struct nodes *nodes;
    struct ladder *ladder;      /* borrowed: who acts on deadlines; or NULL */
    struct optimize *optimize;  /* borrowed: who says where tasks go; or NULL */
    struct limit kills;
    LIST_HEAD(, autoslice) slices;      /* owned: of jobs that have gone */
};

/* The name in table action. */
const char *act_name(enum act_name act);

/* The action that a Hold with this order (HoldOrder) asks for. -1: none. */
int act_of_hold(int order, enum act_name *act, struct err *err);

/* Do it, within its limits. Returns how many tasks change, and leaves in text
 * what who asked for it is told, "" for nothing more than that it was done. -1
 * with a sentence: it is not done; of a policy that is recorded. text may be
 * NULL. */
long acts_order(struct acts *a, struct job *j, const struct act_order *o,
                char *text, size_t size, struct err *err);

/* A row of table action about what is not done, and why not; or done by others.
 * No job: it is about a node. */
void acts_record(struct acts *a, const struct job *j,
                 const struct act_order *o, const char *result);

#endif
