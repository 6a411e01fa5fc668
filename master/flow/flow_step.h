/* flow_step.h - what flow.c, flow_*.c and adopt.c share: the only ways to change
 * the state of a job or a task, and what these files have of each other. For
 * them only. */
#ifndef HECTOR_FLOW_STEP_H
#define HECTOR_FLOW_STEP_H

#include "master/flow/flow.h"

enum { FLOW_WATCH_MS = 250 };   /* between two looks of flow_late.c */

struct flow {
    struct event_base *base;    /* borrowed, like the next four */
    struct nodes *nodes;
    struct jobs *jobs;
    struct journal *journal;
    struct relay *relay;
    struct reducer *reducer;    /* borrowed; NULL: none, or not any more */
    struct flow_conf conf;
    struct acts acts;
    struct movers movers;
    struct drains *drains;      /* owned, like the next ones */
    struct ladder *ladder;
    struct optimize *optimize;
    struct job *acting;         /* jobs with effects; new ones are only here */
    struct event *watch;        /* owned: looks for what takes too long */
    uint64_t watched_ns;        /* when it did so last; monotonic */
    struct judges *judges;      /* owned: the processes of policies */
    bool stopping;
};

/* Take a step of the machine, note it, and have effects (JOB_EFFECT_*) carried
 * out after the commit. false: there is no such edge. */
bool flow_step(struct job *j, enum job_event ev, unsigned effects);
bool flow_task_step(struct job *j, struct task *t, enum task_event ev);

/* The task, if it is on that node. */
struct task *flow_task(struct job *j, const struct job_node *jn,
                       uint32_t rank, const char *message, struct err *err);

/* Effects without a step. */
void flow_act(struct job *j, unsigned effects);

/* A failure at at_ns (master's wall clock): end the job if that has not
 * begun yet. */
void flow_fail(struct job *j, int exit_code, uint64_t at_ns, const char *why);
void flow_fail_now(struct job *j, const char *why);     /* it is ours */

/* The last word of the last node ends the job. */
void flow_check_drained(struct job *j);

/* Place a job that has no nodes yet, if its hosts are there. */
void flow_place(struct job *j);

/* Have the job's timer come after so long. */
void flow_arm(struct job *j, uint64_t delay_ns);

/* Look in a while whether the others have left MPI as well. */
void flow_wait_for_others(struct job *j);

/* Order what runs of an ending job on this node to end, if that is for us to
 * do. Slaves pass over what they know. */
void flow_order_end(const struct job *j, const struct job_node *jn);

/* Nobody knows any more how the job's tasks on this node are: how many were
 * thought to live. */
size_t flow_lose_tasks(struct job *j, struct job_node *jn);

/* The node does not come back, or is not waited for any more. */
void flow_job_node_lost(struct job *j, struct job_node *jn, const char *why);

/* Its redirector is gone for good. */
void flow_abandon(struct job *j);

/* Since when its hector-run has said nothing; and has a person stopped it, it
 * seems? */
uint64_t flow_silence_ns(const struct job *j);
bool flow_may_be_stopped(const struct job *j);

/* flow_late.c: the timer of struct flow; arg is the flow. */
void flow_on_watch(evutil_socket_t fd, short what, void *arg);

struct relay *flow_relay(const struct job *j);

#endif
