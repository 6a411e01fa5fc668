/* sim.h - simulated jobs for policies: programs of many tasks in virtual time,
 * looked at through the policy object whenever it asks for it. Details hold
 * nothing: deadlocks have tests of their own. */
#ifndef HECTOR_TESTS_SIM_H
#define HECTOR_TESTS_SIM_H

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/callclass.h"
#include "mpi-wrappers/table/calls.h"

#define SIM_MS 1000000ull
#define SIM_S 1000000000ull

/* A program: rounds of computation and MPI_Allreduce of all tasks. */
struct sim_program {
    const char *name;
    double compute_s;           /* mean of a round's computation */
    double spread;              /* sigma of its logarithm, each task anew */
    double imbalance;           /* the last task takes so many times as long,
                                   at the end; grows evenly */
    unsigned serial_every;      /* rounds; then rank 0 alone writes output */
    double serial_s;            /* mean, sigma 0.5; 0: none */
    double input_s;             /* rank 0 alone, at the beginning */
    double transfer_s;          /* mean time in which all are in MPI */
    double stall_every_s, stall_s;      /* a random task, now and then */
};

struct sim {
    const struct sim_program *program;
    const struct hct_policy *policy;
    struct hct_job job;
    struct hct_snapshot in;
    struct hct_rank *rank;      /* owned, as what follows */
    uint64_t *out_until, *stall_ns;     /* of which it did not run */
    void *state;
    struct hct_out out;
    struct hct_verdict verdicts[16];
    struct hct_line lines[256];
    uint32_t *blamed;
    struct hct_proposal proposals[16];
    uint64_t random, now_ns, looks;
    uint64_t round, begin_ns, end_ns;   /* of the round */
    uint64_t length_ns, next_stall_ns;
    uint64_t hang_ns;           /* 0: none */
    uint32_t hang_rank;
    bool hang_inside;           /* of MPI */
    bool hang_pauses;           /* asleep, else at work */
    uint32_t call;              /* number of MPI_Allreduce */
};

static inline double sim_uniform(struct sim *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static inline double sim_normal(struct sim *s)
{
    return sqrt(-2 * log(sim_uniform(s))) * cos(6.283185307 * sim_uniform(s));
}

/* Around a mean, with a long tail. */
static inline double sim_lognormal(struct sim *s, double mean, double sigma)
{
    return mean * exp(sigma * sim_normal(s) - sigma * sigma / 2);
}

static inline uint64_t sim_ns(double seconds)
{
    return seconds < 1e9 ? (uint64_t)(seconds * 1e9) : (uint64_t)1e18;
}

/* The first round that ends after now. Those that are over have left nothing
 * but their number. */
static inline void sim_rounds(struct sim *s)
{
    const struct sim_program *p = s->program;

    while (s->end_ns <= s->now_ns) {
        uint32_t n = s->job.nranks;
        bool serial = (s->round == 0 && p->input_s > 0) ||
            (p->serial_every && s->round % p->serial_every == 0 && s->round);
        double done = (double)s->now_ns / (double)s->length_ns;
        uint64_t last = 0;

        s->begin_ns = s->end_ns;
        /* Rounds much shorter than a look are not gone through one by one. */
        if (!serial && p->compute_s < 0.005 &&
            s->now_ns - s->begin_ns > 20 * SIM_MS) {
            uint64_t some = (uint64_t)((double)(s->now_ns - s->begin_ns) / 1e9 /
                                       p->compute_s * 0.5);
            uint64_t to = p->serial_every ? p->serial_every -
                s->round % p->serial_every - 1 : UINT64_MAX;

            some = some < to ? some : to;
            s->round += some;
            s->begin_ns += sim_ns((double)some * p->compute_s);
            if (s->begin_ns > s->now_ns)
                s->begin_ns = s->now_ns;
        }
        for (uint32_t r = 0; r < n; r++) {
            double t = serial ? 0 : sim_lognormal(s, p->compute_s, p->spread);

            if (serial && r == 0)
                t = s->round == 0 ? p->input_s
                                  : sim_lognormal(s, p->serial_s, 0.5);
            if (!serial && r == n - 1 && p->imbalance > 1)
                t *= 1 + (p->imbalance - 1) * fmin(done, 1);
            s->out_until[r] = s->begin_ns + sim_ns(t);
            s->stall_ns[r] = 0;
        }
        if (p->stall_every_s > 0 && s->begin_ns >= s->next_stall_ns) {
            uint32_t r = (uint32_t)(sim_uniform(s) * n);

            s->stall_ns[r] = sim_ns(p->stall_s * sim_uniform(s));
            s->out_until[r] += s->stall_ns[r];
            s->next_stall_ns = s->begin_ns +
                sim_ns(-log(sim_uniform(s)) * p->stall_every_s);
        }
        if (s->hang_ns && s->begin_ns >= s->hang_ns)
            s->out_until[s->hang_rank] = UINT64_MAX / 2;
        for (uint32_t r = 0; r < n; r++)
            if (s->out_until[r] > last)
                last = s->out_until[r];
        s->end_ns = last + 1000 +
            sim_ns(p->transfer_s > 0 ? sim_lognormal(s, p->transfer_s, 0.3) : 0);
        s->round++;
    }
}

/* What is seen now. */
static inline void sim_see(struct sim *s, bool detail)
{
    uint32_t n = s->job.nranks;
    /* serial output is another place in the program than the rounds */
    const struct sim_program *p = s->program;
    bool serial = (s->round == 1 && p->input_s > 0) ||
        (p->serial_every && s->round > 1 &&
         (s->round - 1) % p->serial_every == 0);

    for (uint32_t r = 0; r < n; r++) {
        struct hct_rank *k = &s->rank[r];
        bool in = s->now_ns >= s->out_until[r];

        if (s->hang_ns && s->hang_inside && r == s->hang_rank &&
            s->now_ns >= s->hang_ns)
            in = true;
        k->flags = (uint16_t)(HCT_OBSERVED | HCT_PAGE | (in ? HCT_IN_MPI : 0));
        k->threads_in = in;
        k->calls = s->round + in - 1;
        k->call = s->round == 1 && !in ? 0 : s->call;
        k->collective = s->round;
        k->site = serial ? 3 : 2;
        k->site_calls = serial ? (s->round - 2) /
            (p->serial_every ? p->serial_every : 1) : s->round - 1;
        k->been = in || serial ? HCT_BEEN_UNKNOWN : HCT_BEEN_HERE;
        k->age_ns = s->now_ns - (in ? s->out_until[r] : s->begin_ns);
        if (s->hang_inside && s->out_until[r] > s->now_ns && in)
            k->age_ns = s->now_ns - s->begin_ns;
        /* The waiting ones spin, who computes computes. */
        k->cpu_ns = s->now_ns;
        k->own_cpu_ns = s->now_ns - s->begin_ns > s->stall_ns[r]
            ? s->now_ns - s->stall_ns[r] : s->begin_ns;
        if (s->hang_ns && s->hang_pauses && r == s->hang_rank &&
            s->begin_ns >= s->hang_ns && s->now_ns - s->begin_ns > SIM_S / 2) {
            k->flags |= HCT_PAUSES;
            k->cpu_ns = k->own_cpu_ns = s->begin_ns;
        }
    }
    s->in.now_ns = s->now_ns;
    s->in.seq++;
    s->in.has_detail = detail;
}

/* params: "mode=1,alpha=0.01" or NULL. */
static inline bool sim_open(struct sim *s, const char *object,
                            const char *params, const struct sim_program *p,
                            uint32_t n, double seconds, uint64_t seed)
{
    double param[HCT_PARAMS_MAX] = { 0 };
    hct_policy_f *get;
    void *so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    char why[100];

    memset(s, 0, sizeof(*s));
    if (!so || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    s->policy = get();
    for (unsigned i = 0; s->policy->params[i].name; i++) {
        const char *name = s->policy->params[i].name;
        const char *at = params;

        param[i] = s->policy->params[i].def;
        while (at && *at) {
            size_t len = strcspn(at, "=");

            if (strlen(name) == len && strncmp(at, name, len) == 0)
                param[i] = atof(at + len + 1);
            at = strchr(at, ',');
            if (at)
                at++;
        }
    }
    s->program = p;
    s->random = seed;
    s->length_ns = sim_ns(seconds);
    s->job = (struct hct_job){ .size = sizeof(s->job), .nranks = n, .job = 1,
                               .seed = seed, .level = HCT_LEVEL_SINGLE };
    s->rank = calloc(n, sizeof(*s->rank));
    s->out_until = calloc(n, sizeof(*s->out_until));
    s->stall_ns = calloc(n, sizeof(*s->stall_ns));
    s->blamed = calloc(n, sizeof(*s->blamed));
    s->state = calloc(1, s->policy->state_bytes(&s->job, param));
    s->call = call_find("MPI_Allreduce");
    s->in = (struct hct_snapshot){
        .size = sizeof(s->in), .job = &s->job, .ranks = s->rank, .nranks = n,
        .rank_size = sizeof(*s->rank), .call_size = sizeof(struct hct_call),
        .flight_size = sizeof(struct hct_flight),
        .comm_size = sizeof(struct hct_comm),
        .request_size = sizeof(struct hct_request),
    };
    s->in.calls = callclass_table(&s->in.ncalls);
    for (uint32_t r = 0; r < n; r++)
        s->rank[r] = (struct hct_rank){
            .rank = r, .life = HCT_LIFE_RUNNING, .threads = 1,
            .comm = HCT_COMM_WORLD, .peer = HCT_NONE, .source = HCT_NONE,
            .tag = HCT_NONE, .bytes = 8, .count = 1,
        };
    return s->policy->init(s->state, &s->job, param, why, sizeof(why)) == 0;
}

static inline void sim_close(struct sim *s)
{
    free(s->rank);
    free(s->out_until);
    free(s->stall_ns);
    free(s->blamed);
    free(s->state);
}

/* Up to the next verdict of this kind, or to the end: its time, or 0. */
static inline uint64_t sim_until(struct sim *s, uint32_t kind)
{
    bool detail = false;

    while (s->now_ns < s->length_ns) {
        sim_rounds(s);
        sim_see(s, detail);
        s->out = (struct hct_out){
            .size = sizeof(s->out),
            .verdicts = s->verdicts, .verdicts_max = 16,
            .ranks = s->blamed, .ranks_max = s->job.nranks,
            .lines = s->lines, .lines_max = 256,
            .proposals = s->proposals, .proposals_max = 16,
        };
        if (s->policy->step(s->state, &s->in, &s->out) != 0)
            return 0;
        s->looks++;
        detail = s->out.need & HCT_NEED_DETAIL;
        for (uint32_t i = 0; i < s->out.nverdicts; i++)
            if (s->verdicts[i].kind == kind) {
                uint64_t at = s->now_ns;

                s->now_ns = s->out.wake_ns;
                return at;
            }
        s->now_ns = s->out.wake_ns > s->now_ns ? s->out.wake_ns
                                               : s->now_ns + SIM_S;
    }
    return 0;
}

#endif
