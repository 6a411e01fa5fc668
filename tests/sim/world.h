/* world.h - a small model of MPI: tasks that execute a program, messages
 * between them, and what each task's page would show.
 *
 * Time stands still while a task is in its own code: only computations,
 * messages under way and calls that wait take any. What MPI may do in one way
 * or another (buffer a small message, pass collective data on along a line or
 * a tree, let the receiver fetch a large message or have it sent) is decided
 * once for each world. A task takes part in MPI only while it is in a call and
 * the system lets it run: then it takes what has arrived, matches it, and
 * answers. Links between nodes stand still at times. A task may have another
 * thread, which sleeps until the first one wakes it, and then sends something.
 *
 * A world has no pointers but to its program: a copy of it goes its own way. */
#ifndef HECTOR_SIM_WORLD_H
#define HECTOR_SIM_WORLD_H

#include "policies/hct_policy.h"
#include "tests/sim/program.h"

#define WORLD_US ((uint64_t)1000)
#define WORLD_MS ((uint64_t)1000000)
#define WORLD_S ((uint64_t)1000000000)

enum {
    WORLD_SCHEDULES = 8,        /* collective calls of a task at once; 0: the
                                   one that it is in */
    WORLD_REQUESTS = PROGRAM_SLOTS + 2 + WORLD_SCHEDULES,
    WORLD_OWN_SEND = PROGRAM_SLOTS,     /* of a blocking call */
    WORLD_OWN_RECV, WORLD_STEP,         /* and one for each schedule */
    WORLD_MESSAGES = 192,
    WORLD_STEPS = 3 * PROGRAM_TASKS + 1,
    WORLD_LOCKS = PROGRAM_TASKS,
    WORLD_FLIGHTS = 8,
    WORLD_FREED = 3,            /* communicators of a task that are remembered */
    WORLD_KINDS = 8,            /* of messages, that it has taken of another */
};

/* Where a message is. First: the message, or the question whether it may be
 * sent, is on its way. */
enum stage {
    STAGE_NONE, STAGE_FIRST, STAGE_UNEXPECTED,
    STAGE_GO,                   /* "send it" is on its way back */
    STAGE_DATA,
    STAGE_END,                  /* "received" is on its way back */
};

struct message {
    uint8_t stage, from, to;
    bool eager, sync;
    int16_t send, recv;         /* requests; -1: nobody waits for it */
    int32_t tag;
    uint32_t bytes;
    uint64_t context;
    uint64_t at_ns;             /* it arrives */
    uint64_t order;             /* in which it has arrived */
};

enum what { WHAT_NONE, WHAT_SEND, WHAT_RECV, WHAT_COLLECTIVE };

struct request {
    uint8_t what;               /* enum what */
    bool active;                /* started, and not ended by the program */
    bool done;                  /* ended by MPI */
    bool matched, persistent, sync, buffered, cancelled;
    bool shown;                 /* in the page */
    bool reluctant;             /* it waits for the receiver, but it may yet be
                                   sent without: to another node */
    uint8_t schedule;
    uint16_t call;
    int8_t peer, from;          /* as asked for; who it was */
    int16_t tag, was_tag;
    uint32_t bytes;
    uint64_t context, comm, collective;
    uint64_t order;             /* in which it was posted */
    uint64_t sent;              /* hct_request.sent */
};

/* A communicator or window, as one task knows it. */
struct world_comm {
    uint32_t members;           /* 0: none */
    bool window, freed;
    uint64_t context;           /* MPI's own number */
    uint64_t id, parent;        /* the page's */
    uint64_t collectives, entered_ns;   /* the last one, which is call */
    uint32_t made, call;
    uint64_t history, history_before;
};

/* A collective call, or an epoch of a window: messages one after another. */
struct schedule {
    bool active, begun;         /* begun: the step at */
    uint8_t n, at, kind;
    int8_t root;
    uint32_t members;
    uint64_t context;
    int32_t tag;
    uint32_t bytes;
    struct { int8_t peer; bool sends; } step[WORLD_STEPS];
};

enum freeze { FREEZE_NONE, FREEZE_SQUEEZED, FREEZE_STOPPED, FREEZE_DISK,
              FREEZE_ASLEEP };

/* The other thread of a task: it sleeps until the first one wakes it, computes,
 * sends one message by a call that does not wait, and sleeps again. */
struct helper {
    bool awake;
    uint64_t at_ns;             /* it sends; with MPI_THREAD_SERIALIZED not
                                   while the first one is in MPI */
    uint64_t context, comm;
    int8_t to;
    int16_t tag;
    uint32_t bytes, calls;
};

struct flight {
    uint32_t call;
    uint64_t comm, collective, bytes, entered_ns, left_ns, number;
    int32_t peer, tag;
};

struct task {
    uint32_t at;                /* operation that it is in, or is next */
    uint8_t life;               /* enum hct_life */
    bool in, asks;              /* in MPI; in a loop of questions */
    bool sleeps;                /* outside of MPI */
    uint8_t frozen;             /* enum freeze */
    uint8_t freezes;            /* to come */
    uint64_t wake_ns;           /* outside: when it goes on; UINT64_MAX:
                                   never */
    uint64_t freeze_ns, thaw_ns, frozen_ns;
    uint64_t thawed_ns;         /* the last time */
    uint64_t since_ns;          /* call entered or left */
    uint64_t asks_ns;           /* since when, less the time it was frozen */
    uint64_t stops_ns;          /* ... and until when; UINT64_MAX: for ever */
    uint64_t idle_ns, idle_since_ns;    /* did not use its processor; 0: does */
    uint64_t calls, polls, moves;       /* moves: calls but questions left */
    uint64_t moved_ns;
    uint32_t call, waits_call, waits;
    uint64_t comm, collective, bytes;
    int32_t peer, source, tag, source_tag;
    uint32_t mask;              /* of requests that it waits for */
    struct request request[WORLD_REQUESTS];
    struct schedule schedule[WORLD_SCHEDULES];
    struct world_comm comms[PROGRAM_COMMS];
    struct flight flight[WORLD_FLIGHTS];
    uint64_t flights;
    struct world_comm freed[WORLD_FREED];
    uint32_t nfreed;            /* ever */
    uint64_t sent[PROGRAM_TASKS], received[PROGRAM_TASKS];
    uint32_t blinds[PROGRAM_TASKS], blind, unsure;
    struct helper helper;
    uint64_t last_comm[PROGRAM_TASKS];
    int32_t last_tag[PROGRAM_TASKS];
    uint64_t took[PROGRAM_TASKS][WORLD_KINDS];  /* hct_message() of their
                                                   context; 0: none */
};

struct world_lock { uint64_t context; int8_t target, owner; };

struct world {
    const struct program *program;      /* borrowed */
    uint64_t chance, now_ns;
    uint32_t n;
    uint8_t node[PROGRAM_TASKS];        /* from 1 */
    uint32_t eager, eager_far;  /* bytes; without the header, which the limit
                                   that is told includes */
    uint32_t header;
    uint32_t reluctant, stalls, freezes, strange;       /* per cent; strange:
                                   communicators that could not be followed */
    uint64_t longest_stall_ns;
    bool far;                   /* there are two nodes */
    bool fetches;               /* large messages: the receiver does */
    bool tree, synchronous;     /* collective calls */
    bool lazy;                  /* MPI_Win_start does not wait */
    bool lock_asks;             /* ... the target, which has to be in MPI */
    bool serialized;            /* threads take turns, where there are two */
    bool parts_alone;           /* MPI_Finalize does not wait for the others */
    bool overflow;              /* there was no room: what follows is wrong */
    bool moved;                 /* by what was tried last */
    uint64_t order;
    uint32_t top;               /* messages in use are below */
    uint64_t link_ns[PROGRAM_TASKS][PROGRAM_TASKS];
    struct message message[WORLD_MESSAGES];
    struct world_lock lock[WORLD_LOCKS];
    struct task task[PROGRAM_TASKS];
};

void world_init(struct world *w, const struct program *p, uint64_t seed);

/* When something happens next; UINT64_MAX: never. */
uint64_t world_next(const struct world *w);
void world_run(struct world *w, uint64_t until_ns);

/* Since it was copied it may go on another way: links stand still no more,
 * nobody is frozen again, and with eager all messages that may be sent without
 * the receiver are. */
void world_branch(struct world *w, uint64_t seed, bool eager);

/* ------------------------------------------------- between the files of it */

static inline bool world_runs(const struct task *t)
{
    return t->in && !t->frozen;
}

/* May the other thread send, when it is time to? Between the questions of a loop
 * it may. */
static inline bool world_helps(const struct world *w, const struct task *t)
{
    return t->helper.awake && !(w->serialized && t->in && !t->asks);
}

static inline bool world_fits(int32_t asked, int32_t is)
{
    return asked == PROGRAM_ANY || asked == is;
}

/* message.c */
void message_send(struct world *w, uint32_t from, int request, uint64_t context,
                  uint32_t to, int32_t tag, uint32_t bytes, bool sync,
                  bool buffered);
void message_receive(struct world *w, uint32_t task, uint32_t request);
void message_progress(struct world *w, uint32_t task);
/* One that has arrived, and nobody has taken; or NULL. */
const struct message *message_find(const struct world *w, uint32_t task,
                                   uint64_t context, int source, int tag);
/* Has it ever taken one like this, or so many kinds that nobody knows? */
bool message_was_taken(const struct world *w, uint32_t task, uint32_t from,
                       uint64_t context, int32_t tag);
/* The task no longer waits for its request. */
void message_forget(struct world *w, uint32_t task, int request);

/* collective.c */
void collective_begin(struct world *w, uint32_t task, uint32_t schedule,
                      uint32_t kind, const struct world_comm *c,
                      const struct op *o);
/* What a member would have to do that has not entered the call of that
 * schedule yet. */
void collective_imagine(const struct world *w, uint32_t task,
                        const struct schedule *like, struct schedule *s);
/* True when it is over. */
bool collective_progress(struct world *w, uint32_t task, uint32_t schedule);

/* call.c: enters the operation that the task is at; false: it makes no sense,
 * as after a mistake. Is it over? Then leaves it. */
bool call_enter(struct world *w, uint32_t task);
bool call_over(struct world *w, uint32_t task);
void call_leave(struct world *w, uint32_t task);
/* The other thread is woken to do the operation that the task is at; it does. */
void call_wake(struct world *w, uint32_t task);
void call_help(struct world *w, uint32_t task);

#endif
