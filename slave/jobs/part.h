/* part.h - the part of a job that is on this node, whoever has started its
 * tasks, and all that can be done with one.
 *
 * There are three kinds, each with a table of the operations below: a job of
 * ours, whose tasks are our children (job.c); a session of tasks that others
 * start, and each further world in it, which is a job too (adopt.c). jobs.c
 * keeps jobs and sessions, worlds are kept by their session. What only one kind
 * can do is not here: PMIx serves jobs of ours, only sessions are told of
 * launchers.
 *
 * A part is the first member of its job, session or world, which is destroyed by
 * destroy() alone. Orders come from orders.c, the rest from jobs.c and from those
 * who look at tasks. What they give is theirs, what they get is borrowed until
 * the loop goes on. */
#ifndef HECTOR_PART_H
#define HECTOR_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/taskwalk.h"
#include "slave/page/account.h"

struct node;
struct part_ops;
struct priority;

struct part_periods { char *const *v; size_t n; };      /* as in Prepare */
struct sample_proc;

struct part {
    const struct part_ops *ops;
    struct part *next;          /* of the list in jobs.c */
    struct node *node;          /* borrowed */
    uint64_t id;                /* the job's; 0: the master has not said yet */
    uint32_t ntasks;            /* of the job, here or not; 0: not known */
    const struct launch_user *user;     /* whose tasks they are; borrowed */
    bool prompt;                /* its tagged calls are wanted at once */
    struct peek_job *peek;      /* what peeks at it know, borrowed; NULL: it is
                                   not peeked at */
};

enum part_tasks {
    PART_HERE,                  /* all that are here */
    PART_KNOWN,                 /* those of them that the master knows */
};

struct part_ops {
    /* Its tasks are our children: nobody else can end them, so they are never
     * let go, and this process stays until they are gone. */
    bool ours;

    /* ---- The master's orders. ranks: as taskset.h has them, "" is all. -1
     * and a sentence: the order cannot be followed. */

    /* Start its tasks, all of them; NULL: others do that. Ordered again, it is
     * done already. */
    int (*launch)(struct part *p, struct err *err);
    /* Pass on a signal, which is one. */
    int (*signal)(struct part *p, const char *ranks, int sig,
                  struct err *err);
    /* What lasts: suspend tasks, or let them go on; order is one of these. */
    int (*hold)(struct part *p, const char *ranks, Hct__HoldOrder order,
                struct err *err);
    /* Its tasks are more, or less, important from now on. */
    int (*prioritize)(struct part *p, const struct priority *to,
                      const struct part_periods *periods, struct err *err);
    /* End tasks: by sig, which is a signal, and KILL when the grace is over; of
     * all ranks, it is the end of the job. */
    int (*terminate)(struct part *p, const char *ranks, int sig,
                     uint64_t grace_ns, struct err *err);
    /* May it be destroyed? Its state has to allow that. */
    int (*forget)(struct part *p, struct err *err);
    /* The master has committed the event records of a task that are below
     * upto. -1: it cannot have, the link is to be broken. */
    int (*ack)(struct part *p, uint32_t rank, uint64_t upto,
               struct err *err);

    /* ---- Its tasks. */

    /* step(to, task) for each, by rank. */
    void (*each)(struct part *p, enum part_tasks which, taskwalk_f *step,
                 void *to);
    /* Borrowed; NULL: it is not here. */
    struct task *(*task)(struct part *p, uint32_t rank);
    /* What their calls cost; borrowed; NULL: no task has come. */
    struct account *(*account)(struct part *p);
    /* What one that lives has used until now, into *out, which is zero.
     * NULL: of its worlds, which tell of theirs. */
    void (*use)(struct part *p, struct task *t, struct sample_proc *out);

    /* ---- Asked of those in the list of jobs.c; NULL of a part in another. */

    /* The part in it that is this job, which is not p's own; NULL: there is
     * none. The operation is NULL where there never is. */
    struct part *(*inner)(struct part *p, uint64_t job);
    /* The jobs that it is, with those in it: at most max numbers, returns how
     * many there are. */
    size_t (*numbers)(const struct part *p, uint64_t *ids, size_t max);
    /* A second Prepare: say again what became of the first. */
    void (*answer)(struct part *p);
    /* A master has been joined, or joined again: tell it everything. */
    void (*tell)(struct part *p);
    /* Does its end wait for somebody who reads output? */
    bool (*output_waits)(const struct part *p);
    /* Read the rings; how many stamps there were. */
    long (*read)(struct part *p);
    bool (*has_pages)(const struct part *p);    /* that have to be read */
    /* Once a second: tell what the tasks use, and what their calls cost. */
    void (*sample)(struct part *p);
    /* The master is gone for good. True: p can be destroyed; else it ends its
     * tasks, and says when it is through. */
    bool (*orphan)(struct part *p, uint64_t grace_ns);

    /* ---- Free it; what still runs is not ended by that. */
    void (*destroy)(struct part *p);
};

/* Tell the master, of any part: that it is prepared, or why it is not (NULL: it
 * is). */
void part_tell_prepared(const struct part *p, const char *refusal);
/* Of one with an account: what its tasks use, and now and then what their calls
 * cost; of a task that was reaped, what it has used. */
void part_tell_use(struct part *p);
void part_tell_last_use(struct part *p, struct task *t);

/* Whose account it is, for account.h. */
struct account_of part_account(struct part *p);

#endif
