/* slow_job.h - simulated jobs for the policy slow: iterations of all tasks in
 * virtual time (slow_kind.h). Each is four calls, MPI_Irecv, Isend, Waitall and
 * Allreduce, in which all wait for the last; most of the computation is before the
 * fourth. */
#ifndef HECTOR_TESTS_SLOW_JOB_H
#define HECTOR_TESTS_SLOW_JOB_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "master/watch/callclass.h"
#include "mpi-wrappers/table/calls.h"
#include "tests/unit/slow_kind.h"

static inline uint64_t slow_enters(const struct slow_task *k)
{
    uint64_t t = k->left_ns;

    for (unsigned c = 0; c < SLOW_CALLS; c++)
        t += k->seg_ns[c] + (c + 1 < SLOW_CALLS ? slow_call_ns : 0);
    return t;
}

/* What a processor of 2 GHz counts while it computes and waits for so long. What
 * is slow is the part before the fourth call: all of it is taken to be. */
static inline void slow_spend(const struct slow_job *s,
                              const struct slow_task *k, double out_ns,
                              double in_ns, double *instructions, double *cycles)
{
    double slower = k->slower > 0 ? k->slower : 1;
    double clock = s->counts == SLOW_COUNTS_CLOCK ? 2 / slower : 2;
    double each = s->counts == SLOW_COUNTS_MEMORY ? 0.5 * slower : 0.5;

    if (s->counts == SLOW_COUNTS_NOTHING)
        return;
    *cycles += clock * (out_ns + 0.7 * in_ns);  /* the rest is the kernel's */
    *instructions += clock * (out_ns / each + 0.5 * in_ns);
}

/* Of each call of this iteration. */
static inline uint64_t slow_bytes(const struct slow_job *s,
                                  const struct slow_task *k)
{
    bool on = (double)s->begin_ns / 1e9 >= s->at_s;

    switch (s->kind) {
    case SLOW_BYTES:
        return on ? 4000 : 1000;
    case SLOW_GATHERS:
        return on && k == &s->task[s->target] ? 4000 : 1000;
    case SLOW_DOUBLES:
        return (uint64_t)(1000 * k->slower);
    case SLOW_REFINES:          /* a surface, or the list of particles */
        return s->target % 2 ? (uint64_t)(1000 * pow(k->slower, 2 / 3.0)) : 1000;
    default:
        return 1000;
    }
}

/* What it has had of a processor, and wanted, up to some part of what is before a
 * call, and of that. */
static inline void slow_had(struct slow_task *k, unsigned c, double out,
                            uint64_t in_ns, double in)
{
    double kept = c + 1 == SLOW_CALLS ? k->kept_in_ns : 0;

    k->ran_ns += (uint64_t)(out * fmax(k->had_ns[c], 0));
    k->delayed_ns += (uint64_t)(out * k->kept_ns[c]);
    k->ran_ns += (uint64_t)(in * fmax((double)in_ns - kept, 0));
    k->delayed_ns += (uint64_t)(in * kept);
}

static inline void slow_count(struct slow_job *s, struct slow_task *k)
{
    uint32_t base = s->set * SLOW_CALLS;

    for (unsigned c = 0; c < SLOW_CALLS; c++) {
        uint64_t in_ns = c + 1 < SLOW_CALLS ? slow_call_ns
                                            : k->end_ns - slow_enters(k);
        uint32_t at = base + c;

        k->calls++;
        k->out_ns += k->seg_ns[c];
        k->in_ns += in_ns;
        slow_had(k, c, 1, in_ns, 1);
        slow_spend(s, k, (double)k->seg_ns[c], (double)in_ns, &k->instructions,
                   &k->cycles);
        k->visits[at]++;
        k->edge_n[at]++;        /* the edge that ends there */
        k->edge_out[at] += k->seg_ns[c];
        k->edge_in[at] += in_ns;
        k->edge_bytes[at] += slow_bytes(s, k);
    }
    k->left_ns = k->end_ns;
}

/* Pieces, one after the other, that wait for nobody. */
static inline void slow_go_alone(struct slow_job *s, uint32_t i)
{
    struct slow_task *k = &s->task[i];

    while (k->end_ns <= s->now_ns) {
        if (k->end_ns)
            slow_count(s, k);
        s->begin_ns = k->end_ns;
        slow_draw_one(s, i, (double)k->end_ns / 1e9, 1);
        k->end_ns = slow_enters(k) + slow_call_ns;
        k->kept_in_ns = 0;
        s->iterations += i == 0;
    }
}

/* The iteration that is under way at now. */
static inline void slow_go(struct slow_job *s)
{
    for (uint32_t i = 0; s->kind == SLOW_FARM && i < s->tasks; i++)
        slow_go_alone(s, i);
    while (s->kind != SLOW_FARM && s->end_ns <= s->now_ns) {
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
        s->end_ns = last + 1000 + (uint64_t)slow_transfer_ns(s);
        for (uint32_t i = 0; i < s->tasks; i++) {
            struct slow_task *k = &s->task[i];
            double t = (double)slow_enters(k) / 1e9;

            k->end_ns = s->end_ns + slow_late_ns(s, k);
            slow_poll(s, k, t, (double)k->end_ns / 1e9 - t);
        }
    }
}

/* When is the node of that task read? */
static inline uint64_t slow_read_ns(const struct slow_job *s,
                                    const struct slow_task *k)
{
    uint32_t node = slow_node(s, (uint32_t)(k - s->task));
    uint64_t apart = (uint64_t)(s->apart_s * 1e9 * node / s->nodes);

    return s->now_ns > k->left_ns + apart ? s->now_ns - apart : k->left_ns;
}

static inline void slow_see_one(struct slow_job *s, struct slow_task *k,
                                struct hct_rank *r)
{
    uint64_t t = k->left_ns, now_ns = slow_read_ns(s, k);
    uint32_t base = s->set * SLOW_CALLS, c;
    double instructions = k->instructions, cycles = k->cycles;
    struct slow_task is = *k;   /* how far it has come */
    bool in = false;

    r->calls = k->calls;
    r->in_ns = k->in_ns;
    r->out_ns = k->out_ns;
    for (c = 0; c < SLOW_CALLS; c++) {
        if (t + k->seg_ns[c] > now_ns) {
            slow_had(&is, c, (double)(now_ns - t) / (double)k->seg_ns[c], 0, 0);
            break;
        }
        t += k->seg_ns[c];
        r->out_ns += k->seg_ns[c];
        r->calls++;
        in = true;
        if (c + 1 == SLOW_CALLS) {
            slow_had(&is, c, 1, k->end_ns - t, (double)(now_ns - t) /
                                               (double)(k->end_ns - t));
            break;
        }
        if (t + slow_call_ns > now_ns)
            break;
        slow_had(&is, c, 1, slow_call_ns, 1);
        t += slow_call_ns;
        r->in_ns += slow_call_ns;
        in = false;
    }
    r->age_ns = now_ns - t;
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
    r->phase_id = slow_is(s, SLOW_PHASES) ? 1 + s->phase % 2 : 0;
    slow_spend(s, k, (double)(r->out_ns - k->out_ns),
               (double)(r->in_ns - k->in_ns), &instructions, &cycles);
    r->instructions = (uint64_t)instructions;
    r->cycles = (uint64_t)cycles;
    r->had_ns = 1000 + is.ran_ns;
    r->wanted_ns = 1000 + is.delayed_ns;
    slow_seen(s, r);
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
        s->rank[i].delayed_ns = s->rank[i].wanted_ns;
        s->rank[i].ran_ns = s->rank[i].had_ns;
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
    double quicker = s->quicker > 0 ? 1 / s->quicker : 1;
    void *so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    char why[100];

    if (!so || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    s->policy = get();
    for (unsigned i = 0; s->policy->params[i].name; i++)
        param[i] = s->policy->params[i].def *
                   (strcmp(s->policy->params[i].unit, "s") == 0 ? quicker : 1);
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
    uint32_t parts = s->no_models ? 0 : s->out.need;
    clock_t began;
    int failed;

    slow_go(s);
    slow_see(s, parts);
    s->out = (struct hct_out){
        .size = sizeof(s->out), .verdicts = s->verdicts, .verdicts_max = 8,
        .ranks = s->blamed, .ranks_max = s->tasks, .lines = s->lines,
        .lines_max = 64, .proposals = s->proposals, .proposals_max = 8 };
    began = clock();
    failed = s->policy->step(s->known, &s->in, &s->out);
    s->step_s += (double)(clock() - began) / CLOCKS_PER_SEC;
    return failed;
}

/* Up to the next verdict of that kind: its time, or 0: none until then. */
static inline uint64_t slow_until(struct slow_job *s, uint32_t kind, double end_s)
{
    while ((double)s->now_ns < end_s * 1e9) {
        uint64_t at = s->now_ns;

        if (slow_look(s))
            return 0;
        s->now_ns = s->out.wake_ns;
        if (s->late_s > 0)
            s->now_ns += (uint64_t)(-log(slow_uniform(s)) * s->late_s * 1e9);
        for (uint32_t i = 0; i < s->out.nverdicts; i++)
            if (s->verdicts[i].kind == kind)
                return at;
    }
    return 0;
}

#endif
