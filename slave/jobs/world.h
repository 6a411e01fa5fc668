/* world.h - one adopted world on this node: its tasks, their pages, their
 * ends. For adopt.c, which decides who belongs to it. */
#ifndef HECTOR_WORLD_H
#define HECTOR_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"
#include "slave/jobs/node.h"
#include "slave/jobs/part.h"
#include "slave/jobs/task.h"
#include "slave/page/account.h"
#include "slave/proc/origin.h"
#include "slave/streams/streams.h"

struct world_owner {            /* the session; all borrowed */
    struct node *node;
    struct streams *streams;    /* for stdtim; NULL: not wanted */
    const struct launch_user *user;
    const struct schedule *schedule;    /* of what comes */
    uint32_t here;              /* our number among the session's nodes */
    uint64_t session;
    void (*moved)(void *arg);   /* a process is gone */
    void *arg;
};

struct world {
    struct part part;           /* its operations are those of adopt.c; ntasks:
                                   the most that was announced */
    struct world *next;         /* of the session */
    const struct world_owner *owner;    /* borrowed */
    char *name;                 /* owned */
    struct adopted *tasks;      /* owned, by rank */
    unsigned losses_told;       /* see losses.h */
    struct account account;
};

struct adopted {                /* a task */
    struct adopted *next;
    struct world *world;        /* borrowed */
    struct task task;           /* its pid: who registered */
    int pidfd;                  /* owned */
    struct event *gone;         /* owned */
    bool taken;                 /* the master knows it */
    bool accounted;             /* its last costs were told */
    bool dying;                 /* TERM was ordered: KILL follows */
    uint32_t ntasks;            /* it announced; 0: unknown */
    uint64_t at_ns, stood_cpu_ns;       /* stood_cpu_ns: procstate_stands()'s */
    struct origin origin;
};

struct world *world_create(const struct world_owner *owner, const char *name,
                           const struct part_ops *ops);
void world_destroy(struct world *w);    /* lets its tasks go */

struct adopted *world_find(const struct world *w, uint32_t rank);

/* A process has registered: returns the memfd of its page. hello was
 * checked; origin becomes the world's in any case. */
int world_add(struct world *w, const struct page_hello *hello, pid_t pid,
              struct origin *origin, struct err *err);
void world_drop(struct adopted *a);     /* lets it go, frees it */

/* Ask the master, and its answer. Until it comes nothing is told, and what was
 * is to be told again. */
void world_ask(struct adopted *a);
void world_take(struct adopted *a, uint64_t job);

/* Read the rings, pass on what the pages say; stamps found. */
long world_read(struct world *w);
/* Who was stopped by others, and who goes on? */
void world_see(struct world *w);
/* What a task uses, as an operation of part.h. */
void world_use(struct part *p, struct task *t, struct sample_proc *out);

/* All that are there get that of the processors, and it is told. */
void world_prioritize(struct world *w, const struct schedule *s);

/* To the processes of a set that still live. */
void world_signal(struct world *w, const struct taskset *set, int sig,
                  bool dying);  /* KILL may follow: world_kill_dying() */
void world_kill_dying(struct world *w);

/* Every process is gone, and the master has been told. */
bool world_is_over(const struct world *w);
bool world_has_pages(const struct world *w);    /* that have to be read */

#endif
