/* job_ops.h - what is different in the lives of jobs by who starts their tasks:
 * this master (flow/own.c), or others (flow/adopt.c), of which a session and the
 * further worlds in it are two kinds again. Everything else in flow and its
 * neighbours treats them as one.
 *
 * The operations are called by flow_*.c, which have checked what is common: that
 * the words make sense in the job's state, and are not said again; and by
 * launch.c, recover.c and record.c, as said below. They may take steps
 * (flow_step.h), never free the job. All pointers are borrowed for the call. */
#ifndef HECTOR_MASTER_JOB_OPS_H
#define HECTOR_MASTER_JOB_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct job;
struct job_node;
struct node;
struct str;
struct task;

/* What a later master has to know of a job that others have started. */
struct job_past {
    const struct job *session;  /* borrowed; NULL: it is gone */
    const char *world;          /* borrowed; NULL: no task has come yet */
    bool closing;               /* no more tasks will come */
    bool known;                 /* the exit code is: */
    int code;
    bool left;                  /* a task went without MPI_Finalize */
};

/* What a slave tells with its last word on a job; all borrowed. */
struct job_drained {
    const uint8_t *model;       /* of its tasks, packed */
    size_t model_bytes;
    const char *abort_place;    /* where abort_rank called MPI_Abort; "": none
                                   did */
    uint32_t abort_rank;
};

struct job_ops {
    /* This master has its tasks started: how they end is known, and what they do
     * counts for the job. */
    bool ours;
    /* Its nodes are those of a placement; else they come with its tasks. */
    bool placed;

    /* It has its number, and is in the table; NULL: it is to be placed. */
    void (*accepted)(struct job *j);
    /* Take these nodes, with the ranks on them: as job_place() does; for
     * launch.c and recover.c. NULL: it is never placed. */
    int (*place)(struct job *j, struct node *const *nodes,
                 const uint32_t *node_of, const uint32_t *count, size_t n,
                 struct err *err);
    /* The timer, of a job that is placed. */
    void (*timer)(struct job *j);

    /* ---- What slaves say. core: it has left one; finalized: after
     * MPI_Finalize, or it was never in MPI. Its counts are made. */
    void (*task_ended)(struct job *j, struct job_node *jn, struct task *t,
                       bool core, bool finalized);
    /* A task that has ended turns out to have left MPI in the lurch. */
    void (*task_left)(struct job *j, struct task *t);
    /* Append what a person can do about tasks that are not in the job's world
     * of MPI, whose version text is library. */
    void (*apart_advice)(const char *library, struct str *to);
    /* Their last word. -1: it makes no sense. NULL: they have none on it. */
    int (*drained)(struct job *j, struct job_node *jn,
                   const struct job_drained *d, struct err *err);

    /* ---- Nodes. Lost: as are its tasks, which are counted. Back: what it may
     * not have heard besides Prepare, Launch and Terminate; NULL: nothing. */
    void (*node_lost)(struct job *j, const char *why);
    void (*order_again)(struct job *j, struct job_node *jn);

    /* ---- The end. */
    /* Its redirector is gone for good; the master has to stop (again: for the
     * second time). NULL: it goes with another job. */
    void (*abandoned)(struct job *j, const char *why);
    void (*stop)(struct job *j, const char *why, int exit_code, bool again);
    /* Do its tasks have to be ended, now that it ends? */
    bool (*ends_tasks)(const struct job *j);
    /* Should its nodes be through with it? */
    bool (*is_over)(const struct job *j);
    /* The exit code, and whether it is known what that was. */
    int (*exit_code)(const struct job *j, bool *known);

    /* ---- The record, of record.c and recover.c. What has to be noted for a
     * later master; NULL: nothing but what is of any job. */
    void (*note)(const struct job *j, struct job_past *past);
    /* A task taken up again, which is to be filled in; n NULL: not known. NULL:
     * there is no such rank. */
    struct task *(*restore_task)(struct job *j, struct node *n,
                                 uint64_t rank);

    /* Free what it has of its own; may be NULL. */
    void (*free)(struct job *j);
};

#endif
