/* hct_optimizer.h - what an optimizer is: a function that says which tasks
 * should be where. PUBLIC: an optimizer is one shared object that includes this
 * header, its sister hct_policy.h and libc's, and exports one symbol,
 * hct_optimizer. See hct-optimizer(7).
 *
 * "The optimizer is simply a function that is periodically called and is
 * therefore not persistent. This design was intentional, so that it could
 * easily be tested and replaced." (Russ et al., section 4.1 of the paper about
 * real-time instrumentation in Hector.) So it never reads a clock, a file, the
 * environment or a random device, keeps no globals, starts no threads and
 * allocates nothing. It is given memory for the time of one call, zeroed; what
 * it has to know of the past is in struct hct_system. The same system gives the
 * same plan.
 *
 * An optimizer proposes. The host checks each step, does one at a time, and
 * asks again.
 *
 * Changes, as in hct_policy.h: structs only grow at their end, and then
 * HCT_OPTIMIZER_MINOR grows; older optimizers still load, since all strides are
 * given. Anything else makes HCT_OPTIMIZER_MAJOR grow. An optimizer that was
 * built for a later version than the host's is refused with a sentence.
 *   1.0  first version
 *   1.1  hct_host.tasks_max, hct_work.crowds
 * */
#ifndef HCT_OPTIMIZER_H
#define HCT_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>

#include "hct_policy.h"

#define HCT_OPTIMIZER_MAJOR 1u
#define HCT_OPTIMIZER_MINOR 1u

#define HCT_NOWHERE UINT32_MAX

/* --------------------------------------------------------------- the system */

enum hct_host_flags {
    HCT_HOST_OWNER = 1,         /* who owns it is there: tasks should leave */
    HCT_HOST_DRAINING = 2,      /* tasks should leave, none may come */
};

struct hct_host {               /* a node */
    uint64_t id;                /* the same in all systems */
    uint32_t slots;             /* processors that tasks may use: 1 or more */
    uint32_t flags;             /* enum hct_host_flags */
    double speed;               /* of a processor, above 0: 1 is usual */
    double load;                /* processors that others than our tasks use */
    uint64_t memory_bytes;      /* for our tasks in all; 0: not known */
    uint64_t disk_bytes;        /* free; 0: not known */
    uint64_t features;          /* of its processors: a set of bits */
    /* since 1.1 */
    uint32_t tasks_max, pad;    /* no move leads to where there are as many tasks,
                                   wherever those of the same job that leave it
                                   are taken off; 0: no limit */
};

enum hct_work_class { HCT_WORK_NORMAL, HCT_WORK_REALTIME, HCT_WORK_IDLE };

enum hct_work_flags {
    HCT_WORK_MOVABLE = 1,       /* its tasks can be moved */
    HCT_WORK_WAITING = 2,       /* it has not been started: its tasks are
                                   HCT_NOWHERE, those of others are not */
    HCT_WORK_SUSPENDED = 4,     /* by Hector */
    HCT_WORK_MOVING = 8,        /* a task of it moves now, or it only starts:
                                   neither to be moved nor suspended */
};

struct hct_work {               /* a job */
    uint64_t id;                /* the same in all systems */
    uint32_t first, ntasks;     /* its tasks, in the order of their ranks */
    int32_t priority;           /* more is more important; 0 is usual */
    uint32_t class_;            /* enum hct_work_class */
    uint32_t flags;             /* enum hct_work_flags */
    uint32_t per_node;          /* tasks on one node at most; 0: no limit */
    uint64_t features;          /* that its tasks need, all of them */
    uint64_t image_bytes;       /* of one of its tasks, as it moves */
    double rest_s;              /* that each task has to compute yet, on a
                                   processor of speed 1; 0: not known */
    double used_s;              /* ... has computed */
    double margin;              /* the least of its deadlines', as part of what
                                   they allow; negative: missed. 1 if none */
    uint32_t deadlines, pad;    /* that it has */
    uint64_t submitted_ns;      /* on the clock of now_ns */
    /* since 1.1 */
    uint32_t crowds, pad2;      /* not 0: to its moves tasks_max does not apply */
};

struct hct_seat {               /* a task */
    uint32_t work;              /* whose it is, as index */
    uint32_t rank;
    uint32_t host;              /* where it is, as index; HCT_NOWHERE */
    uint32_t pad;
    double wants;               /* of a processor: 1 if it only computes */
    double gets;                /* of a processor */
    uint64_t memory_bytes;
};

struct hct_traffic {            /* between two tasks of one job */
    uint32_t a, b;              /* tasks, a < b; in order of a, then b */
    double bytes_s;             /* both ways, for each second that a task
                                   computes, as in rest_s */
};

struct hct_system {
    uint32_t size;              /* of this struct, bytes */
    uint32_t nmoves;            /* seen so far */
    uint64_t seq;               /* number of the plan, from 1 */
    uint64_t now_ns, seed;      /* the only clock, the only randomness */
    double move_s;              /* a move takes so long, */
    double move_bytes_s;        /* and the image is copied at this speed. Without
                                   moves seen what the host believes; not 0 */
    const double *params;       /* as long as the table, within its bounds */
    uint32_t nhosts, host_size;
    const struct hct_host *hosts;
    uint32_t nworks, work_size;
    const struct hct_work *works;
    uint32_t nseats, seat_size;
    const struct hct_seat *seats;
    uint32_t ntraffic, traffic_size;    /* pairs that are known */
    const struct hct_traffic *traffic;
};

/* ----------------------------------------------------------------- the plan */

enum hct_plan_kind {
    HCT_PLAN_PLACE = 1,         /* a task of a job that waits: all of its tasks
                                   have to be placed, or none */
    HCT_PLAN_MOVE,
    HCT_PLAN_SUSPEND,           /* a whole job; seat and host are HCT_NOWHERE */
    HCT_PLAN_RESUME,            /* the same */
};

struct hct_plan_step {
    uint32_t kind;              /* enum hct_plan_kind */
    uint32_t work, seat, host;  /* indexes: whose, which task, where to */
    uint32_t set, pad;          /* steps of one number are worth their gain
                                   together; 0: it is so by itself */
    double gain_s, cost_s;      /* seconds of processors, in all that is left;
                                   of a set, each has its part of both */
    char why[96];               /* for people: a part of a sentence */
};

/* The host's storage, empty at each call. */
struct hct_plan {
    uint32_t size;              /* of this struct, bytes */
    uint32_t nsteps, steps_max, step_size;
    struct hct_plan_step *steps;        /* by hct_plan_add() */
    uint64_t lost;              /* that found no room */
};

/* ------------------------------------------------------------- an optimizer */

/* HCT_PARAMS_MAX and HCT_STATE_MAX of hct_policy.h hold here, too. */
struct hct_optimizer {
    uint32_t major, minor;      /* HCT_OPTIMIZER_MAJOR and MINOR */
    const char *name, *help;    /* one word; one sentence */
    const struct hct_param *params;     /* ends with name NULL */
    /* How many bytes of state this call needs: nothing outlives it. */
    size_t (*state_bytes)(const struct hct_system *in);
    /* Not 0: it cannot go on, and is switched off. */
    int (*plan)(void *state, const struct hct_system *in, struct hct_plan *out);
};

/* The one symbol. */
typedef const struct hct_optimizer *hct_optimizer_f(void);
__attribute__((visibility("default"))) hct_optimizer_f hct_optimizer;

static inline const struct hct_host *hct_host(const struct hct_system *s,
                                              uint32_t i)
{
    return HCT_AT(struct hct_host, s->hosts, s->host_size, i);
}
static inline const struct hct_work *hct_work(const struct hct_system *s,
                                              uint32_t i)
{
    return HCT_AT(struct hct_work, s->works, s->work_size, i);
}
static inline const struct hct_seat *hct_seat(const struct hct_system *s,
                                              uint32_t i)
{
    return HCT_AT(struct hct_seat, s->seats, s->seat_size, i);
}
static inline const struct hct_traffic *hct_traffic(const struct hct_system *s,
                                                    uint32_t i)
{
    return HCT_AT(struct hct_traffic, s->traffic, s->traffic_size, i);
}

/* One more step, empty; NULL if there is no room: then it is counted. */
static inline struct hct_plan_step *hct_plan_add(struct hct_plan *p,
                                                 uint32_t kind)
{
    struct hct_plan_step *s;

    if (p->nsteps >= p->steps_max) {
        p->lost++;
        return NULL;
    }
    s = (struct hct_plan_step *)(void *)((char *)p->steps +
                                         (size_t)p->nsteps++ * p->step_size);
    s->kind = kind;
    s->seat = s->host = HCT_NOWHERE;
    return s;
}

#endif
