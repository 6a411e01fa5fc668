/* oddtask.c - see oddtask.h. */
#include "slave/emulate/oddtask.h"

#include <stdlib.h>

#include "policies/lib/lot.h"
#include "policies/outlier/ask.h"
#include "slave/emulate/trial/chance.h"

enum { ROUNDS = 800, GROUPS = 4, TOP = 16 };
#define NOISE 0.02              /* a deviation */
#define ODD_CALL 1              /* one that does not wait: MPI_Isend's class */

static uint64_t ntasks_of(const struct emulate *e)
{
    return (uint64_t)e->daemons * e->tasks;
}

uint32_t oddtask_rank(const struct emulate *e)
{
    uint64_t seed = e->seed;

    return (uint32_t)lot_below(&seed, ntasks_of(e));
}

static uint32_t odd_state(const struct emulate *e)
{
    uint64_t seed = ~e->seed;

    return (uint32_t)lot_below(&seed, ODDTASK_STATES);
}

static uint64_t place(uint32_t state)
{
    return 1 + state % ODDTASK_STATES;
}

uint64_t oddtask_place(const struct emulate *e)
{
    return place(odd_state(e));
}

static bool is_fork(uint32_t state)
{
    return state % (ODDTASK_STATES / ODDTASK_SKIPS) == 0;
}

/* From that state, one farther on or two. */
static struct score_edge edge_of(const struct emulate *e, uint32_t rank,
                                 uint32_t state, uint32_t ahead, double load)
{
    uint32_t fork = is_fork(state) ? 8 : 1;
    uint64_t n = ahead == 2 ? ROUNDS / fork : ROUNDS - (fork > 1) * ROUNDS / fork;
    uint64_t seed = idtable_mix(e->seed, 2ull * state + ahead);
    double out = 20e3 * (1 + state % 7) * load * (1 + NOISE * chance_deviate(seed, rank));
    double in = 5e3 * (1 + state % 3) * load * (1 + NOISE * chance_deviate(~seed, rank));

    if (rank == oddtask_rank(e) && state == odd_state(e))
        out *= e->odd;
    return (struct score_edge){
        .from = place(state), .to = place(state + ahead), .site = state + 1,
        .n = n, .in_mean = in, .in_m2 = in * in / 100 * (double)n,
        .out_mean = out, .out_m2 = out * out / 100 * (double)n };
}

void oddtask_model(const struct emulate *e, uint32_t rank,
                   struct score_edge v[ODDTASK_EDGES])
{
    double load = 1 + e->spread_ppm / 1e6 *
                          (2 * chance_part(e->seed ^ 1, rank) - 1);
    size_t n = 0;

    for (uint32_t s = 0; s < ODDTASK_STATES; s++) {
        v[n++] = edge_of(e, rank, s, 1, load);
        if (is_fork(s))
            v[n++] = edge_of(e, rank, s, 2, load);
    }
}

/* ---------------------------------------------------------------- question */

struct sample {                 /* as a snapshot has it */
    struct hct_model model[GROUPS_SAMPLE];
    struct hct_state state[GROUPS_SAMPLE * ODDTASK_STATES];
    struct hct_edge edge[GROUPS_SAMPLE * ODDTASK_EDGES];
    struct groups groups;
    struct dictionary dictionary;
    struct habits habits;
    struct lknorm table;
    uint8_t question[HCT_QUESTION_MAX];
};

static void add_model(struct sample *s, const struct emulate *e, uint32_t rank)
{
    uint32_t k = s->groups.nsample++;
    struct score_edge v[ODDTASK_EDGES];

    oddtask_model(e, rank, v);
    s->groups.sample[k] = k;
    s->model[k] = (struct hct_model){
        .rank = rank, .threads = 1, .states = k * ODDTASK_STATES,
        .nstates = ODDTASK_STATES, .edges = k * ODDTASK_EDGES,
        .nedges = ODDTASK_EDGES };
    for (uint32_t i = 0; i < ODDTASK_STATES; i++)
        s->state[k * ODDTASK_STATES + i] = (struct hct_state){
            .rank = rank, .site = i + 1, .call = ODD_CALL, .place = place(i) };
    for (uint32_t i = 0; i < ODDTASK_EDGES; i++)
        s->edge[k * ODDTASK_EDGES + i] = (struct hct_edge){
            .rank = rank, .from = (uint32_t)v[i].from - 1,
            .to = (uint32_t)v[i].to - 1, .n = v[i].n, .in_mean = v[i].in_mean,
            .in_m2 = v[i].in_m2, .out_mean = v[i].out_mean,
            .out_m2 = v[i].out_m2 };
}

static void draw(struct sample *s, const struct emulate *e)
{
    uint32_t rank[LOT_SAMPLE];
    uint32_t n = lot_sample(e->seed ^ 2, (uint32_t)ntasks_of(e), rank);

    for (uint32_t i = 0; i < n; i++)
        add_model(s, e, rank[i]);
}

static size_t write_question(struct sample *s)
{
    static const struct hct_call calls[ODD_CALL + 1] = {
        [ODD_CALL] = { .name = "MPI_Isend", .class_ = HCT_CLASS_SEND } };
    static const struct ask ask = { .top = TOP, .score = 6, .share = 0.001,
                                    .cost_ns = 1e5 };
    const struct hct_snapshot in = {
        .size = sizeof(in), .calls = calls, .ncalls = ODD_CALL + 1,
        .call_size = sizeof(calls[0]), .models = s->model,
        .nmodels = s->groups.nsample, .model_size = sizeof(s->model[0]),
        .states = s->state, .state_size = sizeof(s->state[0]),
        .edges = s->edge, .edge_size = sizeof(s->edge[0]) };

    lknorm_fill(&s->table);
    dictionary_make(&s->dictionary, &in, s->groups.sample, s->groups.nsample);
    groups_make(&s->groups, &s->table, &s->dictionary, &in,
                &(struct groups_most){ .groups = GROUPS, .kinds = GROUPS });
    return ask_write(&ask, &s->habits, &s->groups, &s->dictionary, &in,
                     s->question, sizeof(s->question));
}

int oddtask_ask(const struct emulate *e, struct str *out, struct err *err)
{
    struct sample *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err);
    draw(s, e);
    str_add_bytes(out, s->question, write_question(s));
    free(s);
    return str_failed(out) || !out->n ? err_memory(err) : 0;
}
