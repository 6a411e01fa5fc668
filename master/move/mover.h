/* mover.h - moves tasks of a running job to other nodes: brings the job to stand
 * (stop.h), takes it apart, and puts it together again with some of its tasks
 * elsewhere.
 *
 * Each step of the machine (move_state.h) is noted, and what it is to effect is
 * done by mover_act() when it is in the database. Until all has come apart
 * whatever goes wrong lets all tasks go on as if nothing had been. A job has
 * one move at a time, which is hung on it (job->mover). */
#ifndef HECTOR_MOVER_H
#define HECTOR_MOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "master/move/move_state.h"
#include "master/state/job.h"
#include "proto/base/err.h"

struct conn;
struct journal;
struct mover;
struct moverank;
struct store_move;

struct mover_ops {              /* by whoever drives jobs */
    /* Have mover_act() called after the commit. */
    void (*act)(struct job *j);
    /* It is in files, its tasks are to end until it is resumed. */
    void (*store)(struct job *j);
    /* The job cannot go on. */
    void (*fail)(struct job *j, const char *why);
    void (*notice)(const struct job *j, bool error, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
    /* A node that is new to the job, or (jn) has been left by all its tasks is
     * to prepare, with none. */
    int (*prepare)(struct job *j, struct job_node *jn, struct node *n,
                   struct err *err);
    /* Its tasks are elsewhere now: note it for a later master, and what was
     * known of those that have moved. */
    int (*seal)(struct job *j, Hct__SwapGo__Arrival **arrivals, size_t n,
                struct err *err);
};

struct moves_seen {             /* what they took; the latest count most */
    uint32_t n;
    double move_s;              /* the job stood for so long, images aside; */
    double bytes_s;             /* ... which went so fast */
};

struct movers {                 /* what all moves of a master share; borrowed */
    struct event_base *base;
    struct journal *journal;
    const struct mover_ops *ops;
    uint64_t looks;             /* number of the last one, of any job */
    struct moves_seen seen;
    /* A move is over, and the next one may begin; or NULL. passing: nothing was
     * moved, for a reason that may not be there in a while. */
    void (*ended)(void *arg, struct job *j, bool ok, bool passing,
                  const char *text);
    void *ended_arg;
};

enum { MOVER_QUIESCE_S = 10 };
extern const struct moves_seen mover_unseen;    /* what is believed before */

/* Of a stop in which all tasks were to write their images. */
struct mover_saved {            /* all borrowed */
    const struct moverank *rank;        /* by rank: what each has said */
    uint32_t serial;            /* that they ask for a place of */
    uint64_t at_ns;             /* when all stood: wall clock */
    uint64_t stood_ns;          /* for so long */
};

struct mover_order {            /* all borrowed */
    /* Not NULL: nobody moves, all write their images into this directory. How
     * that ended is said by saved alone; s is NULL if there are none, and text
     * says why not. */
    const char *saving;
    void (*saved)(struct job *j, const struct mover_saved *s, const char *text);
    const struct taskset *ranks;
    struct node *to;
    struct node *const *to_of;  /* by rank, instead; or NULL */
    uint64_t quiesce_ns;        /* for all to stand; 0: MOVER_QUIESCE_S */
    const char *why;            /* for the record */
    struct conn *asker;         /* hears of each step; or NULL */
    bool tells;                 /* that nothing was moved, to who runs the job */
};

/* Begin. -1 with a sentence: it cannot be. */
int mover_order(struct movers *all, struct job *j, const struct mover_order *o,
                struct err *err);
/* Whether it could be, of a job that runs. -1 with a sentence. */
int mover_able(const struct job *j, struct err *err);
/* What the last steps are to effect. */
void mover_act(struct job *j);
/* The job ends: nothing is moved any more. NULL is fine. */
void mover_drop(struct job *j, const char *why);
/* Part of flow_free_job(): nothing is said or noted. */
void mover_free_of(struct job *j);
/* That link is gone. */
void mover_forget(struct job *j, const struct conn *asker);

/* The link of a node is broken: what was under way is lost. It is back, and has
 * told what it knows, also if there is no move: it may not have heard of the end
 * of one. Or it is lost, without any task: the job goes on. */
void mover_node_away(struct job *j, struct job_node *jn);
void mover_node_back(struct job *j, struct job_node *jn);
void mover_node_lost(struct job *j, struct job_node *jn);
/* A slave says to this master, which knows of no move, how far one has come: when
 * all have, it goes on from there, or back. */
int mover_apart(struct movers *all, struct job *j, struct job_node *jn,
                const Hct__ComeApart *m, struct err *err);

/* A move that an earlier master has begun, as the database has it; and no slave
 * knows of it, so it is over. */
int mover_known(struct movers *all, struct job *j, const struct store_move *row,
                struct err *err);
void mover_not_taken_up(struct job *j);

/* Words of slaves. -1: they make no sense. */
void mover_prepared(struct job *j, struct job_node *jn,
                    const Hct__Prepared *m);
void mover_drained(struct job *j);      /* a node is through with it */
int mover_looked(struct job *j, struct job_node *jn, const Hct__StopLook *m,
                 struct err *err);
void mover_swapped(struct job *j, struct job_node *jn, const Hct__Swapped *m);
int mover_moved(struct job *j, struct job_node *jn, const Hct__TaskMoved *m,
                struct err *err);
/* To where the task goes, or from where, as long as slaves do not reach each
 * other; and how much went past us. */
void mover_image(struct job *j, struct job_node *jn, const Hct__Image *m);
void mover_credit(struct job *j, struct job_node *jn,
                  const Hct__ImageCredit *m);
void mover_sent(struct job *j, struct job_node *jn, const Hct__ImageSent *m);
void mover_room(struct job *j, struct job_node *jn, const Hct__Room *m);
void mover_room_made(struct job *j, struct job_node *jn, const Hct__RoomMade *m);

#endif
