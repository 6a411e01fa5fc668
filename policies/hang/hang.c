/* hang.c - the policy that finds hangs and deadlocks: its parameters, and
 * which of the methods looks. */
#include <math.h>
#include <string.h>

#include "policies/hang/parastack.h"
#include "policies/hang/still.h"
#include "policies/hct_policy.h"

enum mode { MODE_HECTOR, MODE_PARASTACK, MODE_SOUT, MODE_FIXED };

enum { ALPHA, MODE, INTERVAL, INTERVAL_MAX, LEAST, SURE, WORK, PATIENCE,
       LOOK, PROVE,
       STILL, SPIN, STUCK, TIMES };

static const struct hct_param params[] = {
    [ALPHA] = { "alpha", "", "chance of a false alarm that is accepted",
                0.001, 1e-9, 0.2 },
    [MODE] = { "mode", "", "0: counters of all tasks, or as 2 if some have "
               "none; for comparison, 1: ParaStack, two random sets of 10; "
               "2: ParaStack, all tasks; 3: a fixed time-out", 0, 0, 3 },
    [INTERVAL] = { "interval", "s", "mean time between samples, at first",
                   0.4, 0.01, 3600 },
    [INTERVAL_MAX] = { "interval_max", "s", "up to which ParaStack doubles it",
                       60, 0.01, 86400 },
    [LEAST] = { "least", "s", "how long a hang lasts at least: longer than "
                "transient stalls", 5.5, 0.1, 86400 },
    [SURE] = { "sure", "s", "... of a task that sleeps until a signal comes: "
               "no stall of a system does that", 1.5, 0.1, 86400 },
    [WORK] = { "work", "s", "... of a task that works for longer than ever "
               "before: of its processor time", 2, 0.1, 86400 },
    [PATIENCE] = { "patience", "s", "after which a job that stands still where "
                   "nobody knows how long it may is worth a notice", 12, 0.1,
                   864000 },
    [LOOK] = { "look", "s", "time between looks", 0.2, 0.01, 60 },
    [PROVE] = { "prove", "", "1: look for deadlocks, too", 1, 0, 1 },
    [STILL] = { "still", "s", "how long tasks in a deadlock have not moved",
                0.4, 0.1, 3600 },
    [SPIN] = { "spin", "s", "... that ask in a loop", 3, 0.1, 3600 },
    [STUCK] = { "stuck", "s", "... in a send or a collective call that need "
                "not wait for the others", 1, 0.1, 3600 },
    [TIMES] = { "times", "", "mode 3: samples in a row without any task out of "
                "MPI", 10, 1, 100000 },
    { .name = NULL },
};

struct state {
    uint32_t mode, nranks;
    struct parastack parastack;
    struct still watch;
    /* followed by one still_rank, deadlock_rank and parastack_rank a rank */
};

static struct still_rank *watched(struct state *s)
{
    return (struct still_rank *)(void *)(s + 1);
}

static struct deadlock_rank *deadlocks(struct state *s)
{
    return (struct deadlock_rank *)(void *)(watched(s) + s->nranks);
}

static struct parastack_rank *sampled(struct state *s)
{
    return (struct parastack_rank *)(void *)(deadlocks(s) + s->nranks);
}

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)param;
    return sizeof(struct state) + (size_t)job->nranks *
        (sizeof(struct still_rank) + sizeof(struct deadlock_rank) +
         sizeof(struct parastack_rank));
}

static uint64_t ns(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;
    struct parastack_options p = {
        .alpha = param[ALPHA], .interval_ns = ns(param[INTERVAL]),
        .interval_max_ns = ns(param[INTERVAL_MAX]),
        .fixed = (uint32_t)param[TIMES],
    };
    struct still_options w = {
        .alpha = param[ALPHA], .interval_ns = ns(param[INTERVAL]),
        .least_ns = ns(param[LEAST]), .patience_ns = ns(param[PATIENCE]),
        .sure_ns = ns(fmin(param[SURE], param[LEAST])),
        .work_ns = ns(param[WORK]),
        .look_ns = ns(param[LOOK]), .prove = param[PROVE] >= 0.5,
        .deadlock = { .still_ns = ns(param[STILL]), .small_ns = ns(param[STUCK]),
                      .asleep_ns = ns(param[LEAST]),
                      .spin_ns = ns(param[SPIN]) },
    };

    (void)why;
    (void)why_bytes;
    s->mode = (uint32_t)param[MODE];
    s->nranks = job->nranks;
    p.mode = s->mode == MODE_SOUT || s->mode == MODE_HECTOR ? PARASTACK_ALL :
             s->mode == MODE_FIXED ? PARASTACK_FIXED : PARASTACK_SOME;
    if (s->mode == MODE_HECTOR)
        p.patience_ns = w.patience_ns;
    parastack_init(&s->parastack, job, &p);
    still_init(&s->watch, job, &w);
    return 0;
}

/* Mode 0. Tasks that are known by their stacks have no counters: whether the
 * job hangs is decided by ParaStack's model then, of all tasks, and what the
 * others wait for may still prove that they are in a deadlock. */
static void look(struct state *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    uint64_t wake_ns;

    still_look(&s->watch, watched(s), deadlocks(s), in, out);
    if (s->watch.reported || parastack_stacks(in) == 0)
        return;
    wake_ns = out->wake_ns;
    parastack_look(&s->parastack, sampled(s), in, out);
    if (wake_ns < out->wake_ns)
        out->wake_ns = wake_ns;
}

static int step(void *state, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct state *s = state;

    if (in->nranks != s->nranks)
        return -1;
    if (s->mode == MODE_HECTOR)
        look(s, in, out);
    else
        parastack_look(&s->parastack, sampled(s), in, out);
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR,
    .name = "hang", .help = "finds jobs that hang, and deadlocks",
    .params = params, .state_bytes = state_bytes, .init = init, .step = step,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
