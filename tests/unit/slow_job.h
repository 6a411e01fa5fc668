/* slow_job.h - simulated jobs for the policy slow: iterations of all tasks in
 * virtual time, with what makes one slow and what only looks like it. Each is four
 * calls, MPI_Irecv, Isend, Waitall and Allreduce, in which all wait for the last;
 * most of the computation is before the fourth. */
#ifndef HECTOR_TESTS_SLOW_JOB_H
#define HECTOR_TESTS_SLOW_JOB_H

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/callclass.h"
#include "mpi-wrappers/table/calls.h"
#include "policies/hct_policy.h"

enum slow_kind {
    SLOW_CLEAN,
    SLOW_IMBALANCE,             /* always there, and another one each time */
    SLOW_WANDERS,               /* one task has more to do for a while, a
                                   neighbour as much less */
    SLOW_SPREADS,               /* ... and all others a little less */
    SLOW_PHASES,                /* phases that are marked, one of them heavy */
    SLOW_UNMARKED,              /* nobody says so, but the steps are others */
    SLOW_OUTPUT,                /* one task alone does something now and then */
    SLOW_BYTES,                 /* ... or calls that move more */
    SLOW_OVERLOAD,              /* all wait for a processor */
    SLOW_STALL,                 /* a task, once, for some seconds */
    SLOW_RANK, SLOW_NODE, SLOW_ALL,     /* slow from at_s on */
    SLOW_KINDS,
};

static const char *const slow_kinds[SLOW_KINDS] = {
    "clean", "imbalance", "work that wanders", "work from all to one",
    "heavier phase", "... that is not marked", "output of one task",
    "more work in the same calls", "overloaded machine", "short stall",
    "slow rank", "slow node", "all slow",
};

enum { SLOW_CALLS = 4, SLOW_STATES = 2 * SLOW_CALLS };

struct slow_task {
    uint64_t calls, in_ns, out_ns, visits[SLOW_STATES];
    double load;                /* static */
    uint64_t seg_ns[SLOW_CALLS];        /* of this iteration, before each call */
    uint64_t left_ns;           /* when it left the last call */
    uint64_t edge_n[SLOW_STATES], edge_out[SLOW_STATES], edge_in[SLOW_STATES];
    uint64_t edge_bytes[SLOW_STATES];
    uint64_t delayed_ns;        /* was kept from a processor */
};

struct slow_job {
    enum slow_kind kind;
    uint32_t tasks, nodes, target;      /* target: rank or node, from 0 */
    double iteration_s, spread, common, transfer, factor, at_s, until_s;
    double every_s;             /* of what comes and goes */
    double second_s;            /* SLOW_RANK: from then on the next one is slow,
                                   too; 0: never */
    const struct hct_policy *policy;
    struct hct_job job;
    struct hct_snapshot in;
    struct hct_rank *rank;      /* owned, as what follows */
    struct slow_task *task;
    struct hct_model *model;
    struct hct_state *state;
    struct hct_edge *edge;
    void *known;
    uint32_t *blamed;
    struct hct_out out;
    struct hct_verdict verdicts[8];
    struct hct_line lines[64];
    struct hct_proposal proposals[8];
    uint64_t random, now_ns, begin_ns, end_ns, iterations;
    uint64_t asked;             /* models read */
    uint32_t set, was_set;      /* of the iteration: which steps it has */
    uint32_t phase;
    bool stalled;
    uint32_t call[SLOW_CALLS];
};

static const uint64_t slow_call_ns = 2000;      /* in one that waits for nobody */

static inline double slow_uniform(struct slow_job *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static inline double slow_log_normal(struct slow_job *s, double sigma)
{
    double z = sqrt(-2 * log(slow_uniform(s))) *
               cos(6.283185307 * slow_uniform(s));

    return exp(sigma * z - sigma * sigma / 2);
}

static inline uint32_t slow_node(const struct slow_job *s, uint32_t rank)
{
    return rank * s->nodes / s->tasks;
}

/* How much more than usual has that task to do, or how much slower is it? */
static inline double slow_times(struct slow_job *s, uint32_t i, double t)
{
    uint32_t turn = (uint32_t)(t / s->every_s);
    bool on = t >= s->at_s && t < s->until_s;

    switch (s->kind) {
    case SLOW_IMBALANCE:
        return 0.5 + slow_uniform(s);
    case SLOW_WANDERS:
        return turn % s->tasks == i ? s->factor
               : (turn + 1) % s->tasks == i ? 2 - s->factor : 1;
    case SLOW_SPREADS:
        return turn % s->tasks == i
                   ? s->factor : 1 - (s->factor - 1) / (s->tasks - 1);
    case SLOW_PHASES:
    case SLOW_UNMARKED:
        return turn % 2 ? s->factor : 1;
    case SLOW_RANK:
        if (s->second_s > 0 && t >= s->second_s && i == s->target + 1)
            return s->factor;
        return on && i == s->target ? s->factor : 1;
    case SLOW_NODE:
        return on && slow_node(s, i) == s->target ? s->factor : 1;
    case SLOW_BYTES:
    case SLOW_OVERLOAD:
    case SLOW_ALL:
        return on ? s->factor : 1;
    default:
        return 1;
    }
}

/* What is done outside of MPI before each call, and who does more. */
static inline void slow_draw(struct slow_job *s)
{
    double t = (double)s->begin_ns / 1e9;
    double common = slow_log_normal(s, s->common);
    uint32_t turn = (uint32_t)(t / s->every_s);

    s->was_set = s->set;
    s->set = s->kind == SLOW_UNMARKED && turn % 2;
    s->phase = s->kind == SLOW_PHASES ? turn : 0;
    for (uint32_t i = 0; i < s->tasks; i++) {
        struct slow_task *k = &s->task[i];
        double work = s->iteration_s * k->load * common *
                      slow_log_normal(s, s->spread);

        /* 70 % before the fourth call, which is what grows. */
        k->seg_ns[0] = (uint64_t)(0.3e9 * work);
        k->seg_ns[1] = k->seg_ns[2] = 3000;
        k->seg_ns[3] = (uint64_t)(work * 1e9 * (slow_times(s, i, t) - 0.3));
        if (s->kind == SLOW_OVERLOAD && t >= s->at_s)
            k->delayed_ns += (uint64_t)(work * 1e9 * (s->factor - 1));
        if (s->kind == SLOW_STALL && !s->stalled && t >= s->at_s &&
            i == s->target) {
            k->seg_ns[3] += (uint64_t)(s->factor * 1e9);
            s->stalled = true;
        }
        if (s->kind == SLOW_OUTPUT && i == s->target &&
            s->iterations % (uint64_t)(s->every_s / s->iteration_s + 1) == 0)
            k->seg_ns[0] += (uint64_t)(s->factor * 1e9);
    }
}

static inline uint64_t slow_enters(const struct slow_task *k)
{
    uint64_t t = k->left_ns;

    for (unsigned c = 0; c < SLOW_CALLS; c++)
        t += k->seg_ns[c] + (c + 1 < SLOW_CALLS ? slow_call_ns : 0);
    return t;
}

static inline void slow_count(struct slow_job *s, struct slow_task *k)
{
    uint32_t base = s->set * SLOW_CALLS;

    for (unsigned c = 0; c < SLOW_CALLS; c++) {
        uint64_t in_ns = c + 1 < SLOW_CALLS ? slow_call_ns
                                            : s->end_ns - slow_enters(k);
        uint32_t at = base + c;

        k->calls++;
        k->out_ns += k->seg_ns[c];
        k->in_ns += in_ns;
        k->visits[at]++;
        k->edge_n[at]++;        /* the edge that ends there */
        k->edge_out[at] += k->seg_ns[c];
        k->edge_in[at] += in_ns;
        k->edge_bytes[at] += s->kind == SLOW_BYTES &&
                             (double)s->begin_ns / 1e9 >= s->at_s ? 4000 : 1000;
    }
    k->left_ns = s->end_ns;
}

/* The iteration that is under way at now. */
static inline void slow_go(struct slow_job *s)
{
    while (s->end_ns <= s->now_ns) {
        uint64_t last = 0;

        if (s->end_ns) {
            for (uint32_t i = 0; i < s->tasks; i++)
                slow_count(s, &s->task[i]);
            s->iterations++;
        }
        s->begin_ns = s->end_ns;
        slow_draw(s);
        for (uint32_t i = 0; i < s->tasks; i++) {
            uint64_t t = slow_enters(&s->task[i]);

            last = t > last ? t : last;
        }
        s->end_ns = last + 1000 + (uint64_t)(s->transfer * s->iteration_s *
                                             1e9 * slow_log_normal(s, 0.2));
    }
}

static inline void slow_see_one(struct slow_job *s, struct slow_task *k,
                                struct hct_rank *r)
{
    uint64_t t = k->left_ns;
    uint32_t base = s->set * SLOW_CALLS, c;
    bool in = false;

    r->calls = k->calls;
    r->in_ns = k->in_ns;
    r->out_ns = k->out_ns;
    for (c = 0; c < SLOW_CALLS; c++) {
        if (t + k->seg_ns[c] > s->now_ns)
            break;
        t += k->seg_ns[c];
        r->out_ns += k->seg_ns[c];
        r->calls++;
        in = true;
        if (c + 1 == SLOW_CALLS || t + slow_call_ns > s->now_ns)
            break;
        t += slow_call_ns;
        r->in_ns += slow_call_ns;
        in = false;
    }
    r->age_ns = s->now_ns - t;
    r->flags = (uint16_t)(HCT_OBSERVED | HCT_PAGE | (in ? HCT_IN_MPI : 0));
    r->threads_in = in;
    if (in || c) {
        uint32_t last = in ? c : c - 1;

        r->call = s->call[last];
        r->site = 1 + base + last;
        r->site_calls = k->visits[base + last] + !in;
    } else {
        uint32_t last = s->was_set * SLOW_CALLS + SLOW_CALLS - 1;

        r->call = k->calls ? s->call[SLOW_CALLS - 1] : 0;
        r->site = k->calls ? 1 + last : 0;
        r->site_calls = k->visits[last];
    }
    r->phase = s->phase;
    r->phase_id = s->kind == SLOW_PHASES ? 1 + s->phase % 2 : 0;
}

static inline void slow_model(struct slow_job *s, uint32_t i)
{
    const struct slow_task *k = &s->task[i];
    struct hct_state *state = s->state + i * SLOW_STATES;
    struct hct_edge *edge = s->edge + i * SLOW_STATES;
    struct hct_model *m = &s->model[i];

    *m = (struct hct_model){ .rank = i, .threads = 1, .states = i * SLOW_STATES,
                             .nstates = SLOW_STATES, .edges = i * SLOW_STATES };
    for (uint32_t j = 0; j < SLOW_STATES; j++) {
        uint32_t from = j % SLOW_CALLS ? j - 1 : j + SLOW_CALLS - 1;
        double n = (double)k->edge_n[j];

        state[j] = (struct hct_state){ .rank = i, .site = 1 + j,
                                       .call = s->call[j % SLOW_CALLS],
                                       .place = 100 + j };
        if (n > 0)
            edge[m->nedges++] = (struct hct_edge){
                .rank = i, .from = from, .to = j, .phase = s->phase,
                .n = k->edge_n[j], .in_mean = (double)k->edge_in[j] / n,
                .out_mean = (double)k->edge_out[j] / n,
                .bytes_mean = (double)k->edge_bytes[j] / n };
    }
}

static inline void slow_see(struct slow_job *s, uint32_t parts)
{
    for (uint32_t i = 0; i < s->tasks; i++) {
        slow_see_one(s, &s->task[i], &s->rank[i]);
        if (!parts)
            continue;
        slow_model(s, i);
        s->rank[i].delayed_ns = 1000 + s->task[i].delayed_ns;
    }
    s->in.now_ns = s->now_ns;
    s->in.seq++;
    s->in.parts = parts;
    s->in.nmodels = parts ? s->tasks : 0;
    s->asked += parts != 0;
}

/* What s says of kind to transfer is set before; self: argv[0]. */
static inline bool slow_open(struct slow_job *s, const char *object,
                             uint64_t seed)
{
    static const char *const names[SLOW_CALLS] = {
        "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce" };
    double param[HCT_PARAMS_MAX] = { 0 };
    hct_policy_f *get;
    void *so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    char why[100];

    if (!so || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    s->policy = get();
    for (unsigned i = 0; s->policy->params[i].name; i++)
        param[i] = s->policy->params[i].def;
    s->random = seed;
    s->job = (struct hct_job){ .size = sizeof(s->job), .nranks = s->tasks,
                               .job = 1, .seed = seed,
                               .level = HCT_LEVEL_SINGLE };
    s->rank = calloc(s->tasks, sizeof(*s->rank));
    s->task = calloc(s->tasks, sizeof(*s->task));
    s->model = calloc(s->tasks, sizeof(*s->model));
    s->state = calloc(s->tasks, SLOW_STATES * sizeof(*s->state));
    s->edge = calloc(s->tasks, SLOW_STATES * sizeof(*s->edge));
    s->blamed = calloc(s->tasks, sizeof(*s->blamed));
    s->known = calloc(1, s->policy->state_bytes(&s->job, param));
    s->in = (struct hct_snapshot){
        .size = sizeof(s->in), .job = &s->job, .ranks = s->rank,
        .nranks = s->tasks, .rank_size = sizeof(*s->rank),
        .call_size = sizeof(struct hct_call),
        .models = s->model, .model_size = sizeof(*s->model),
        .states = s->state, .state_size = sizeof(*s->state),
        .nstates = s->tasks * SLOW_STATES,
        .edges = s->edge, .edge_size = sizeof(*s->edge),
        .nedges = s->tasks * SLOW_STATES };
    s->in.calls = callclass_table(&s->in.ncalls);
    for (unsigned c = 0; c < SLOW_CALLS; c++)
        s->call[c] = call_find(names[c]);
    for (uint32_t i = 0; i < s->tasks; i++) {
        s->rank[i] = (struct hct_rank){
            .rank = i, .life = HCT_LIFE_RUNNING, .threads = 1,
            .comm = HCT_COMM_WORLD, .peer = HCT_NONE, .source = HCT_NONE,
            .tag = HCT_NONE, .node = 1 + slow_node(s, i) };
        s->task[i].load = s->kind == SLOW_IMBALANCE ? 0.7 + 0.6 * slow_uniform(s)
                                                    : 0.95 + 0.1 *
                                                      slow_uniform(s);
    }
    return s->policy->init(s->known, &s->job, param, why, sizeof(why)) == 0;
}

static inline void slow_close(struct slow_job *s)
{
    free(s->rank);
    free(s->task);
    free(s->model);
    free(s->state);
    free(s->edge);
    free(s->blamed);
    free(s->known);
}

/* One look; 0, or what the policy's step gave. */
static inline int slow_look(struct slow_job *s)
{
    uint32_t parts = s->out.need;

    slow_go(s);
    slow_see(s, parts);
    s->out = (struct hct_out){
        .size = sizeof(s->out), .verdicts = s->verdicts, .verdicts_max = 8,
        .ranks = s->blamed, .ranks_max = s->tasks, .lines = s->lines,
        .lines_max = 64, .proposals = s->proposals, .proposals_max = 8 };
    return s->policy->step(s->known, &s->in, &s->out);
}

/* Up to the next verdict of that kind: its time, or 0: none until then. */
static inline uint64_t slow_until(struct slow_job *s, uint32_t kind, double end_s)
{
    while ((double)s->now_ns < end_s * 1e9) {
        uint64_t at = s->now_ns;

        if (slow_look(s))
            return 0;
        s->now_ns = s->out.wake_ns;
        for (uint32_t i = 0; i < s->out.nverdicts; i++)
            if (s->verdicts[i].kind == kind)
                return at;
    }
    return 0;
}

#endif
