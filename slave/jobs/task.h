/* task.h - one task of a job on this node, from fork to the last sample.
 *
 * Facts about it (connected, finalized, aborted, exited) are kept, each with
 * a mark whether the master has been told, so that they can be told again. */
#ifndef HECTOR_TASK_H
#define HECTOR_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "slave/effort/effort.h"
#include "slave/jobs/glance.h"
#include "slave/jobs/node.h"
#include "slave/jobs/peek.h"
#include "slave/launch/launch.h"
#include "slave/launch/plan.h"
#include "slave/launch/reserve.h"
#include "slave/page/tally.h"
#include "slave/proc/reap.h"
#include "slave/streams/streams.h"

enum task_fact {
    TASK_IN_INIT = 1, TASK_CONNECTED = 2, TASK_FINALIZED = 4,
    TASK_ABORTED = 8, TASK_EXITED = 16,
    TASK_APART = 32,            /* a program of it was in another world */
};

struct look_task;
struct task_stance;

/* The world that a task was given by who started it. */
struct task_given {
    uint32_t rank, ntasks;      /* ntasks 0: not known */
    const char *nspace;         /* borrowed: the PMIx namespace of that world;
                                   NULL: not known */
};

struct task {
    uint32_t rank;
    pid_t pid;                  /* its process group too; 0: never forked */
    int report;                 /* of its exec; -1: known */
    int terminal;               /* its end of it, while it runs, so that it is
                                   not hung up should it close its own; -1:
                                   it has none */
    struct event *report_event; /* owned */
    bool over;                  /* it will never run, or was reaped */
    bool restoring;             /* it is being made of an image in a file, and has
                                   not asked for its place yet: what is in its
                                   page is not whole */
    int words;                  /* owned: why it cannot be made; -1: none */
    uint64_t kill_ns;           /* when its grace is over; 0: not ordered */
    bool held, held_news;       /* suspended; the master is to be told */
    bool frozen;                /* ... by a control group: jobfreeze.h */
    bool by_others;             /* ... by TSTP or the like; others may let it
                                   go on as well */
    bool stopped;               /* by a signal, as far as the kernel has told */
    uint64_t held_ns;           /* when that was last ordered; 0: never */
    uint64_t held_ticks;        /* since then, by the clock of its page; 0: it
                                   is not */
    unsigned facts, told;       /* masks of enum task_fact */
    uint64_t init_ns, connected_ns, finalized_ns, exited_ns;
    unsigned nconnected, nfinalized;
    int code, sig;              /* how it ended */
    bool core;
    bool starved;               /* by the kernel, for memory */
    bool untold;                /* its parent, another, knows that alone */
    char *why;                  /* owned: could not be started */
    uint64_t user_ns, system_ns, max_rss_bytes;
    uint64_t waited_ns;         /* for a processor; 0: not known */
    int abort_code;
    uint32_t abort_call, abort_site;    /* what it was in, as account_in() has
                                           it */
    char *abort_text, *abort_ranks;     /* owned */
    bool world_seen;            /* of the program that has the page now */
    bool world_right;           /* a program of it was in the one it was given */
    uint32_t world_rank, world_size;    /* TASK_APART: as MPI says */
    bool world_given;           /* ... though it was told of the other one */
    char mpi[64];               /* the library's version text */
    struct tally tally;
    struct effort effort;       /* as it was told */
    struct look_task *look;     /* owned: what the last look found, or NULL */
    struct task_stance *stance; /* owned: of jobstop.c, or NULL */
    struct schedule_share share;        /* what it has of processors, */
    bool share_news;            /* ... which the master is to be told, */
    char *share_why;            /* ... and why not more: owned, or NULL */
    struct reserve reserve;     /* of them, in each period */
    bool yields;                /* it waits by libhector-yield.so */
    struct peeked peeked;       /* without a page: what its stack says */
    struct glanced glanced;     /* with one */
};

struct task_start {             /* all borrowed */
    const struct node *node;
    const struct plan *plan;
    const struct exec_search *search;
    const struct launch_user *user;
    const struct taskenv *env;
    struct streams *streams;
    event_callback_fn report;   /* called with report_arg when the exec's
                                   outcome may be known: task_report() */
    void *report_arg;
    int image, words;           /* passed on to hector-restore; 0: none */
    const char *file;           /* instead of image: its name; or NULL */
    const char *rooms;          /* with image: memory to be had first, as
                                   hector-restore has it; or NULL */
};

void task_init(struct task *t, uint64_t job, uint32_t rank,
               struct records_window *window);
void task_fini(struct task *t);

/* Fork it and connect its pipes. A task that cannot even be forked is over,
 * with a sentence. */
void task_start(struct task *t, const struct task_start *s);

/* A process that becomes the task whose image it reads from s->image, or from
 * s->file. If it cannot it says so by s->words. tell: where tasks register. Where in
 * standard input it is the streams are told later. */
int task_restore(struct task *t, const struct task_start *s,
                 const char *tell, struct err *err);

/* The same as task_start(), of a task that is made of the image in s->file. */
void task_start_again(struct task *t, const struct task_start *s,
                      const char *tell);

/* It has asked for its place. */
void task_restored(struct task *t);

/* It will not be started, for this reason. */
void task_fail(struct task *t, const struct task_start *s, const char *why);

/* Did its exec work? False: not known yet. */
bool task_report(struct task *t, const struct plan *plan);

void task_reaped(struct task *t, struct node *node, int status,
                 const struct reap_usage *usage);

/* What it has of the processors is known now, and is to be told. */
void task_shares(struct task *t, const struct schedule *s);

/* It is to have a part of each period of a processor, if that can be given:
 * when it is ordered, or another program of it has a page. */
void task_reserve(struct task *t, struct node *node, const struct plan *plan);
/* n times what comes round in it has ended since the last time. True: it has
 * something else now, and the master is to be told. */
bool task_measured(struct task *t, struct node *node, const struct plan *plan,
                   unsigned n);
/* It is another's now, or nobody's. */
void task_unreserve(struct task *t, struct node *node);

/* It has by a weight what it lacks. */
void task_weighed(struct task *t);

/* To its whole process group. False if it is over. */
bool task_signal(const struct task *t, int sig);

/* Suspend it, or let it go on. A task that is over stays so. */
void task_hold(struct task *t, bool release);
/* The same, done by others: first its page is told how long it stood, before it can
 * make a call; then it is noted. */
void task_go_on(struct task *t);
void task_held(struct task *t, bool held);

/* As its parent hears of it: it was stopped by this signal, or, 0, goes on. One
 * that was asked to stop, as by TSTP, and did, is suspended, whoever has asked.
 * False: that is nothing new. */
bool task_stood(struct task *t, int sig);
/* It goes on, and nobody has told us that it was stopped: we stood, too, since
 * so long ago. As task_stood() of then; task_stood() of now follows. */
bool task_stood_unseen(struct task *t, const struct node *node,
                       uint64_t ago_ns);

void task_connected(struct task *t);
void task_finalized(struct task *t);
void task_aborted(struct task *t, int code, const char *text,
                  const char *ranks);

/* A program of it has asked for a page: which library, see page_hello. */
void task_new_program(struct task *t, const char *mpi, size_t size);

/* Once its page says so, see whether the world it is in is the one it was
 * given; if not that is a fact, and again when a later program of it is. True:
 * the master is to be told. */
bool task_check_world(struct task *t, const struct task_given *given);

/* Tell the master what it has not been told. */
void task_tell(struct task *t, const struct node *node, uint64_t job);

/* Fill in a sample: the page's counters, and CPU time split by them. */
void task_sample(struct task *t, const struct node *node,
                 const struct sample_proc *proc, Hct__TaskSamples__Task *m);

#endif
