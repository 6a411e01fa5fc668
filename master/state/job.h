/* job.h - a job and its tasks in memory, and how what happens to them adds
 * up. No I/O, no clock, no timers: flow.c drives, journal.c writes down.
 *
 * A struct job is made by submit.c, belongs to the table of jobs until flow.c
 * has ended it, and is found by its number in O(1). */
#ifndef HECTOR_JOB_H
#define HECTOR_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/state/cpuuse.h"
#include "master/state/hold.h"
#include "master/state/job_ops.h"
#include "master/state/job_state.h"
#include "master/state/node.h"
#include "master/state/task_state.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"
#include "proto/conf/priority.h"

struct adopt;
struct apart;
struct checkpoints;
struct conn;
struct course;
struct endmodel;
struct event;
struct findings;
struct flow;
struct launch_wish;
struct mover;
struct watcher;

/* What still has to be written of a task and of a job: the journal's. Tasks are
 * named by their rank + 1, as their table may move; 0: none. */
enum task_dirty { TASK_CLEAN, TASK_DIRTY_LATER, TASK_DIRTY };
struct task_record {
    enum task_dirty dirty;
    uint32_t next;              /* in one of the lists of its job */
};
struct job_record {
    uint64_t new_id;            /* inside a transaction */
    struct job *next;           /* in the journal's list, if listed */
    bool listed, dirty;         /* the job's own row */
    bool write_later;           /* with the next commit, not in a second */
    uint32_t dirty_tasks, later_tasks;
    uint64_t samples_ns;        /* when later_tasks was last written */
};

struct task {
    enum task_state state;
    uint32_t node;              /* index in job->nodes; UINT32_MAX: none yet */
    uint32_t pid;
    bool ended;                 /* exit_code and signal are known, unless */
    bool untold;                /* others have started it, and keep them */
    bool left;                  /* exit 0 after MPI_Init, no MPI_Finalize */
    bool starved;               /* killed for memory */
    int exit_code, signal;
    uint64_t mpi_calls, in_mpi_ns, out_mpi_ns, cpu_ns, cpu_in_mpi_ns;
    uint64_t waited_ns;         /* for a processor; 0: not known */
    uint64_t rss_bytes, ring_waits, ring_lost;
    uint64_t started_ns, ended_ns;      /* clock of its node */
    uint64_t since_ns;          /* it has been on its node; 0: from its start */
    enum hold hold;             /* what hands have done to it */
    uint64_t held_since_ns;     /* stopped since then; 0: it is not */
    uint64_t held_ns;           /* and for so long before */
    bool frozen;                /* stopped by a control group */
    struct {                    /* of the processors, as its slave says */
        uint8_t sort, applied;  /* enum priority_sort, priority_applied */
        int8_t nice;
        bool due;               /* another is ordered */
    } share;
    char *last_tag, *why;       /* owned; may be NULL */
    uint64_t records;           /* event records received so far */
    uint64_t acked;             /* of them committed */
    struct task_record record;
};

struct job_node {
    struct node *node;          /* borrowed */
    struct taskset ranks;
    uint32_t ntasks;
    uint32_t nlive;             /* tasks that have not ended */
    bool prepared, launched, drained, lost;
    bool disowned;              /* it ends what it has of the job, and has not
                                   said yet that there is nothing left */
    bool away;                  /* until its slave is back and has told all */
    bool keeping;               /* it works on files of a checkpoint */
    uint32_t share_told;        /* why it does not give all of it, without
                                   numbers; 0: it is not said yet */
    uint64_t gone_mono_ns;      /* flow_late.c: since when it has only to
                                 * clear up, all output read */
};

/* From a node to its place in the job. */
struct job_index {
    uint32_t *of;               /* owned: node->id -> 1 + index in nodes, or 0 */
    size_t n;
};

/* What its life waits for, on the monotonic clock. */
struct job_clock {
    struct event *timer;        /* owned */
    uint64_t submitted_ns;
    uint64_t preparing_ns;      /* since when it is preparing */
    uint64_t ending_ns;         /* since when it is ending */
    uint64_t settled_ns;        /* until when its end waits for its record to
                                   be in the database; 0: it does not */
    uint64_t alone_ns;          /* until when it waits for its redirector, which
                                   is away; 0: it is not */
};

/* What a later master has to read again. */
struct job_paper {
    uint8_t *bytes;             /* owned; NULL: there is none */
    size_t n;
    bool stored;                /* it need not be written any more */
};

/* How it ends: of job.c, and of record.c, which writes it down. */
struct job_ending {
    bool failed, killed, at_once;
    bool aborted;               /* a task called MPI_Abort */
    int exit_code;              /* of the failure */
    int kill_code;              /* for a kill, if no task failed before */
    int kill_signal;            /* comes first in place of TERM; 0: TERM */
    uint64_t failed_ns;         /* when, on the master's clock */
    char *why;                  /* owned; or NULL */
};

/* The job of a batch system that it is in. */
struct pace;

struct job_batch {
    char *id;                   /* owned: "Slurm 42"; NULL: none */
    uint32_t restarts;          /* that was begun so often before */
    uint64_t run_ns;            /* this run of it began then, and the runs
                                   before are to be counted; 0: they are */
    uint64_t end_ns;            /* wall clock: it ends then; 0: not known, */
    uint64_t begin_ns;          /* ... as when it began, */
    uint32_t nodes, cpus;       /* ... and how many it has */
    char *reason;               /* owned: why it was ended; NULL: it was not */
    bool tells;                 /* it is asked for that when the job ends, */
    bool told;                  /* ... and has answered */
    uint64_t before_ns;         /* so long before its end, 0: never, */
    char *before;               /* ... this is done: Submit; owned */
    bool warned;                /* it was */
};

enum { JOB_COOKIE = 16 };

/* Effects a committed transition has; flow.c carries them out. */
enum job_effect {
    JOB_EFFECT_ACCEPT = 1 << 0,
    JOB_EFFECT_PREPARE = 1 << 1,
    JOB_EFFECT_LAUNCH = 1 << 2,
    JOB_EFFECT_TERMINATE = 1 << 3,
    JOB_EFFECT_STATE = 1 << 4,  /* tell the redirector */
    JOB_EFFECT_END = 1 << 5,    /* frees the job */
    JOB_EFFECT_ATTACH = 1 << 6, /* answer a redirector that has come back */
    JOB_EFFECT_HOLD = 1 << 7,   /* orders of hold.h */
    JOB_EFFECT_MOVE = 1 << 8,   /* what a step of move_state.h orders */
    JOB_EFFECT_CHECK = 1 << 9,  /* may it end now? */
};

struct job {
    const struct job_ops *ops;  /* by who starts its tasks */
    uint64_t id;                /* 0 until it is stored */
    struct job *next;           /* in the table */
    uint32_t uid;
    char *name, *command;       /* owned */
    struct job_paper submit;    /* the packed Submit it came with */
    struct job_paper placement; /* a packed Prepare with namespace and nodes,
                                   once placed */
    enum job_state state;
    uint32_t ntasks;
    struct task *tasks;         /* owned, by rank; moves when it grows */
    size_t tasks_cap;
    uint64_t grace_ns;
    uint64_t submitted_ns, started_ns, ended_ns;        /* wall clock */
    int passed_signal;          /* the last that was passed on to its tasks */
    uint64_t passed_mono_ns;    /* when */
    bool names_told;            /* that it has published too much */

    struct job_node *nodes;     /* owned; NULL until placed */
    size_t nnodes, nodes_cap;
    struct job_index index;     /* of job.c */
    bool oversubscribed;
    bool inherited;             /* of a master before this one */
    bool migratable;            /* its tasks can be moved */
    struct cpuuse cpu;          /* what these may use of processors */
    struct priority priority;   /* what is asked for, */
    bool reprioritized;         /* ... and its Prepare may have had another */
    bool prompt;                /* something is due of its tagged calls, */
    bool rescheduled;           /* ... and its Prepare may say otherwise */
    bool acts_on_due;           /* others give way for its deadlines */
    uint32_t max_suspend;       /* per cent of its time, for those of others */
    uint32_t rungs;             /* steps taken for its own; of master/ladder */
    struct pace *paces;         /* owned: PACES, by number of the deadline, from
                                   1; NULL: nothing that is due has come */
    bool crowds;                /* its user does not mind more tasks than slots */
    uint32_t serial;            /* of its PMIx namespace: that of the last move */
    uint32_t attempt;           /* it has gone back to a checkpoint so often, */
    uint32_t resumes;           /* ... of that since somebody let it go on */
    char *owner_ranks;          /* owned, of ownerhold.h; NULL: none */
    bool stores;                /* its tasks are ended, or have, to be stored */

    uint32_t nrunning, nended;          /* tasks */
    size_t nprepared, nlaunched, ndrained;      /* nodes; lost ones count */

    struct job_ending ending;
    struct job_batch batch;
    struct {                    /* that its tasks began as; 0: anew */
        uint64_t job;
        uint32_t checkpoint;
    } from;
    struct job_record record;

    /* Hung on it by launch.c, watcher.c, findings.c, endmodel.c, adopt.c and
     * apart.c, which free them, and alone know what is in them. */
    struct launch_wish *wish;   /* where its tasks are to be; NULL: it is not
                                   placed */
    struct watcher *watcher;    /* its policies; NULL: none, nor the next */
    struct findings *findings;  /* what they have found */
    struct endmodel *models;    /* told in the end; or NULL */
    struct mover *mover;        /* of mover.c: its tasks are being moved; or NULL */
    uint32_t moved;             /* so often that was done by this master */
    struct bill *bill;          /* the same, of a move that an earlier master has
                                   begun, until it is taken up; or NULL */
    struct checkpoints *checkpoints;    /* of checkpoint.c: or NULL */
    struct adopt *adopt;        /* of adopt.c; NULL: its tasks are ours */
    struct course *course;      /* of master/optimize; or NULL */
    struct apart *apart;        /* tasks in other worlds of MPI; or NULL */
    struct conn *redirector;    /* borrowed; NULL when gone */
    struct flow *flow;          /* borrowed: who drives it */
    bool missing_told;          /* the Notice about missing hosts */
    uint8_t cookie[JOB_COOKIE];
    struct job_clock clock;     /* of master/flow, as the next two */
    unsigned effects;           /* enum job_effect, after the next commit */
    struct job *next_acting;    /* in flow.c, if effects */
};

enum { JOBS_BUCKETS = 256 };
struct jobs {                   /* {0} is the empty table */
    struct job *bucket[JOBS_BUCKETS];   /* numbers follow each other */
    size_t n;
};
struct job *jobs_find(const struct jobs *t, uint64_t id);
void jobs_add(struct jobs *t, struct job *j);           /* j->id is set */
void jobs_remove(struct jobs *t, struct job *j);
/* Walk: for (j = NULL; (j = jobs_next(t, j)); ) */
struct job *jobs_next(const struct jobs *t, const struct job *after);

/* Frees the job alone, which is in no table: what others have hung on it they
 * have freed before (flow_free_job()). NULL is fine. */
void job_destroy(struct job *j);

/* Give the ranks their nodes: host_of[rank] is an index into hosts[]. Hosts
 * without a task are left out of job->nodes. -1: out of memory. */
int job_place(struct job *j, struct node *const *hosts,
              const uint32_t *host_of, const uint32_t *count, size_t nhosts,
              struct err *err);

/* They are on no node any more, and it has none. */
void job_unplace(struct job *j);

/* How the deadline by that number is met, from 1; NULL: there is no memory, or no
 * such number. */
struct pace *job_pace(struct job *j, uint32_t number);

/* Another Submit in place of the one it came with, for the next one who takes
 * the job up: it is to be stored. -1: out of memory. */
int job_resubmit(struct job *j, const Hct__Submit *s, struct err *err);

/* For jobs whose tasks come one by one: more ranks (without a node), a node
 * (without tasks), a task on a node. -1, or NULL: out of memory. */
int job_grow(struct job *j, uint32_t ntasks);
struct job_node *job_add_node(struct job *j, struct node *n);
int job_add_task(struct job *j, struct job_node *jn, uint32_t rank);

/* It is on another of the job's nodes now, which lives as it does. */
int job_move_task(struct job *j, uint32_t rank, uint32_t node);
/* One that has no task, and has been left, is to have some again. */
void job_node_again(struct job *j, struct job_node *jn);

/* NULL if the job has no task there. */
struct job_node *job_node_find(struct job *j, const struct node *n);
struct task *job_task_find(struct job *j, uint64_t rank);       /* or NULL */
uint32_t job_rank(const struct job *j, const struct task *t);
const char *job_node_name(const struct job *j, const struct task *t);

/* A task has changed to a final state: count it. */
void job_task_ended(struct job *j, struct task *t);

/* Every slave of the job has ... (lost ones are not waited for) */
bool job_has_on(const struct job *j, const struct task *t,
                const struct job_node *jn);     /* t is on jn */
bool job_all_prepared(const struct job *j);
bool job_all_launched(const struct job *j);
bool job_all_drained(const struct job *j);

/* Take note of a failure at at_ns (master's clock). Keeps the one that came
 * first in time; returns whether this is it. why is copied. */
bool job_fail(struct job *j, int exit_code, uint64_t at_ns, const char *why);
/* What was just noted is a call of MPI_Abort: it stays the failure. */
void job_abort(struct job *j);
/* A task has crashed at at_ns (master's clock): if that was before such a call
 * it may be why, and job_fail() takes it. */
void job_abort_caused(struct job *j, uint64_t at_ns);

/* It is to end, with exit_code if no task has failed; 0: as its tasks end. why
 * is copied. What kills begin with in place of TERM is that of the first one,
 * given before. */
void job_kill(struct job *j, const char *why, int exit_code, bool at_once);
void job_kill_with(struct job *j, int signal);
/* It ends, or has ended, as it was killed so: no failure counts. */
void job_kill_for(struct job *j, const char *why, int exit_code);
void job_hurry(struct job *j);          /* no grace any more */

bool job_failed(const struct job *j);
bool job_killed(const struct job *j);
bool job_aborted(const struct job *j);
int job_kill_signal(const struct job *j);       /* 0: TERM, or not killed */
int job_kill_code(const struct job *j);         /* 0: none, or not killed */
uint64_t job_grace_ns(const struct job *j);     /* that tasks have to end */
/* Why it ends, for people; "" if nobody has said. Copied. */
const char *job_why(const struct job *j);
void job_set_why(struct job *j, const char *why);

/* The secret of the streams, which only its redirector and its slaves know. */
bool job_has_cookie(const struct job *j, const uint8_t *p, size_t bytes);

/* What is left of the allocation of a job that was ended for a hang: as
 * supercomputers charge, its nodes, or its processors, times the time (ParaStack
 * 7.V). All 0: it was not, or that is not known. */
struct job_saved {
    uint64_t left_ns;
    double percent;             /* of the time that it had */
    double node_hours, core_hours;
};
struct job_saved job_saved(const struct job *j);

/* The exit code of the whole job, that by its tasks alone, and the event that
 * ends it. */
int job_exit_code(const struct job *j);
int job_code_of_tasks(const struct job *j);
/* How it has ended, if not well, as in "was killed by signal 9"; or "". */
const char *job_task_fate(const struct task *t, char *buf, size_t size);
enum { JOB_CODE_HUNG = 123 };   /* of one that --on-hang kill has ended */
bool job_exit_known(const struct job *j);
enum job_event job_end_event(const struct job *j);

#endif
