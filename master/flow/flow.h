/* flow.h - drives jobs through their lives.
 *
 * What slaves, redirectors and operators say comes in as calls; each changes
 * a machine, is noted in the journal, and leaves effects to be carried out
 * by flow_committed(), when the change is in the database. So nothing is ever
 * done that the record does not know of. */
#ifndef HECTOR_FLOW_H
#define HECTOR_FLOW_H

#include <event2/event.h>

#include "master/act/act.h"
#include "master/act/drain.h"
#include "master/flow/relay.h"
#include "master/move/mover.h"
#include "master/optimize/optimize.h"
#include "master/state/job.h"
#include "master/store/journal.h"
#include "master/watch/watcher.h"
#include "proto/base/err.h"
#include "proto/link/message.h"

enum { FLOW_FAILURE = 125 };    /* exit code: ours, not the tasks' */

struct flow_conf {
    uint64_t instance;          /* of this master */
    uint64_t join_wait_ns;      /* for hosts that have not joined */
    uint64_t notice_ns;         /* before their names are shown */
    uint64_t left_wait_ns;      /* others may follow a task that left without
                                   MPI_Finalize */
    uint64_t lost_wait_ns;      /* for a slave or hector-run without a link */
    uint64_t restart_wait_ns;   /* the same after this master has started */
    uint64_t prepare_wait_ns;   /* for slaves to prepare a job */
    uint64_t batch_wait_ns;     /* for hector-run to say why a batch system ends it: it
                                   asks for 23 s at most, 5 s one question */
    uint64_t end_wait_ns;       /* for slaves, beyond the grace, to end tasks
                                   and to clear up */
    struct watcher_conf watch;
    struct acts_conf act;
    struct optimize_conf optimize;
};

struct flow;
/* All but conf are borrowed. */
struct flow *flow_create(struct event_base *base, const struct flow_conf *conf,
                         struct nodes *nodes, struct jobs *jobs,
                         struct relay *relay);
void flow_set_journal(struct flow *f, struct journal *jn);
struct reducer;
void flow_set_reducer(struct flow *f, struct reducer *rd);  /* or NULL */
void flow_destroy(struct flow *f);      /* and all its jobs */

/* The policies of a job that is to be submitted, or taken up again. -1 with a
 * sentence: one of them is wrong. */
int flow_watch(struct flow *f, struct job *j, const Hct__Submit *s,
               struct err *err);

/* Free a job that is in no table, with all that hangs on it. NULL is fine. */
void flow_free_job(struct job *j);

/* Take a checked job; its redirector hears of everything. */
void flow_submit(struct flow *f, struct job *j);

/* Words of a slave about a job with tasks on its node. -1: it makes no
 * sense, close the link. */
int flow_prepared(struct job *j, struct job_node *jn, const Hct__Prepared *m,
                  struct err *err);
int flow_launched(struct job *j, struct job_node *jn, const Hct__Launched *m,
                  struct err *err);
int flow_task_state(struct job *j, struct job_node *jn,
                    const Hct__TaskState *m, struct err *err);
int flow_task_exited(struct job *j, struct job_node *jn,
                     const Hct__TaskExited *m, struct err *err);
int flow_task_abort(struct job *j, struct job_node *jn,
                    const Hct__TaskAbort *m, struct err *err);
int flow_drained(struct job *j, struct job_node *jn, const Hct__Drained *m,
                 struct err *err);

/* What its batch system says, as its redirector hears. -1: close the link. */
int flow_allotment(struct job *j, const Hct__Allotment *m, struct err *err);

/* End a job; a second time, or at_once, without grace. exit_code 0: as its
 * tasks end. */
void flow_kill(struct job *j, const char *why, int exit_code, bool at_once);
/* What can be done to jobs, by act.h; lives as the flow does. */
struct acts *flow_acts(struct flow *f);
struct movers *flow_movers(struct flow *f);     /* the same of moves */
/* So long slaves may take to come after this master was started. */
uint64_t flow_restart_wait_ns(const struct flow *f);
struct drains *flow_drains(struct flow *f);     /* and of nodes to be empty */
struct ladder *flow_ladder(struct flow *f);     /* and of what is done for deadlines */
struct optimize *flow_optimize(struct flow *f); /* and of where tasks should be */
int flow_task_moved(struct job *j, struct job_node *jn, const Hct__TaskMoved *m,
                    struct err *err);

/* Links that come and go: flow_come.c. A node with jobs that has lost its
 * link is away first, and lost when it does not come back in time. */
void flow_node_joined(struct flow *f);
void flow_node_away(struct flow *f, struct node *n, const char *why);
/* The guard of its slave, which is dead, has called: until it has delivered what
 * is left it is waited for, but not for ever. */
void flow_node_speaks(struct node *n);
void flow_node_lost(struct flow *f, struct node *n, const char *why);
/* It was away for too long. */
void flow_node_overdue(struct flow *f, struct node *n);
/* A slave has told what it has, and these are the jobs it has. */
void flow_node_told(struct flow *f, struct node *n, const uint64_t *jobs,
                    size_t njobs);
/* What it was told to end, as the job had given up the node, is not there any more. */
void flow_left(struct job *j, struct job_node *jn);
/* wait_ns: how long it may take to come back. */
void flow_redirector_gone(struct flow *f, const struct conn *link,
                          uint64_t wait_ns);
void flow_attach(struct job *j, struct conn *redirector);
/* Take up a job of a master that is dead. -1: no memory; j is freed. */
int flow_restore(struct flow *f, struct job *j, struct err *err);
/* End all jobs, with this exit code, and take no more. */
void flow_stop(struct flow *f, int exit_code);
bool flow_stopping(const struct flow *f);
bool flow_idle(const struct flow *f);   /* no job is left */

/* For the journal. */
void flow_committed(struct flow *f);
void flow_note_all(struct flow *f);     /* the database is a new one */

#endif
