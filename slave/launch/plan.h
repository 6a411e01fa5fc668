/* plan.h - what the master's Prepare says, checked, in our own words.
 *
 * Immutable once made, but for the places of tasks that are moved. Ranks are
 * numbered through the programs (apps) in order; every rank has exactly one
 * node. */
#ifndef HECTOR_PLAN_H
#define HECTOR_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "hct.pb-c.h"
#include "mpi-wrappers/cpu.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"
#include "proto/conf/calendar.h"
#include "proto/link/nodemap.h"
#include "slave/launch/schedule.h"

enum { PLAN_COOKIE_MAX = 64, PLAN_NSPACE_MAX = 255 };

struct plan_app {
    char **argv, **env;         /* owned, NULL-terminated */
    char *wdir;                 /* owned */
    uint32_t first, ntasks;     /* its ranks */
};

struct plan {
    uint64_t job;
    uint32_t serial;            /* of the namespace in its job, from 0 */
    uint32_t attempt;           /* how often the job has gone back */
    char nspace[PLAN_NSPACE_MAX + 1];
    uint32_t ntasks;
    struct plan_app *apps;      /* owned, unless lent */
    bool lent;                  /* by the plan that this one is to follow */
    size_t napps;
    struct nodemap nodes;       /* owned */
    size_t here;                /* index in them */
    uint32_t *node_of;          /* owned: index in nodes, by rank */
    uint32_t *local_of;         /* owned: place among the ranks of its node */
    struct taskset stdin_ranks; /* owned */
    char *stream_addresses;     /* owned: an address list, "" for none */
    uint8_t cookie[PLAN_COOKIE_MAX];
    size_t cookie_bytes;
    bool merge_stderr, want_stdtim, oversubscribed;
    bool migratable;            /* its tasks get the layer before MPI */
    struct cpu_set cpu;         /* what these may use; none: what they find */
    bool bind_now;              /* all functions when they are started */
    struct schedule schedule;   /* of its tasks here */
    struct calendar periods;    /* what comes round in them; owned */
    bool has_terminal;          /* the tasks of stdin_ranks get one */
    struct winsize window;
    uint32_t uid, gid;
    char *restore;              /* owned: the directory of the images that its
                                   tasks are made of; NULL: they are started */
    uint8_t *past;              /* owned: what was known of them, a packed SwapGo
                                   of arrivals alone */
    size_t past_bytes;
};

/* NULL if the message makes no sense; err says what in it. */
struct plan *plan_create(const Hct__Prepare *m, struct err *err);
void plan_destroy(struct plan *p);

/* The same job in another namespace, with its tasks on other nodes; p lives as
 * long. NULL if the message makes no sense. */
struct plan *plan_elsewhere(const struct plan *p, const Hct__Swap *m,
                            struct err *err);
/* That is where they are now. Frees to. */
void plan_follow(struct plan *p, struct plan *to);

/* That comes round in it, from now on. -1: it makes no sense, and nothing has
 * changed. */
int plan_take_periods(struct plan *p, char *const *v, size_t n,
                      struct err *err);

/* Does what its tasks wait by come from libhector-yield.so? And do they sleep now
 * and then while they wait for messages? */
bool plan_yields(const struct plan *p);
bool plan_rests(const struct plan *p);
bool plan_has_periods(const struct plan *p, char *const *v, size_t n);

const struct nodemap_node *plan_here(const struct plan *p);
const struct plan_app *plan_app(const struct plan *p, uint32_t rank);
bool plan_is_local(const struct plan *p, uint32_t rank);

#endif
