/* host.c - see host.h.
 *
 * Time is virtual: the run begins at 1 s, its fault strikes in the middle. Who
 * waits asks for messages, with a processor of his own; at a look at stacks each
 * hundredth task is in one of some functions of MPI's, by lot, and the task of a
 * fault in a call is in one that stands before MPI, as the injector does. */
#include "slave/emulate/trial/host.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/taskset.h"
#include "proto/model/scores.h"
#include "slave/emulate/trial/chance.h"

enum { OTHER = 1, WAITS, CALLS };       /* numbers of calls */
enum { LINES = 512, VERDICTS = 16, ODDS = 512, RANKS = 512 };
enum { LOOK_NS = 500000000, PER_NODE = 64 };
enum { STACKS_NS = 50000000,     /* until they are there */
       SOON_NS = 200000000, FUNCTIONS = 8, STEPS_MAX = 100 };
#define BUSY 0.01                /* who does not just wait */
#define BEGAN_NS (1 * CLOCK_NS_PER_S)
#define HANG_NS (60 * CLOCK_NS_PER_S)   /* as the paper waits for a hang */
#define CALL_NS CLOCK_NS_PER_MS         /* each task makes a call so often */
#define HAD_NS (5 * CLOCK_NS_PER_S)     /* of a processor, before */
#define DELAYED_NS 1000000

static const struct hct_call calls[CALLS] = {
    [OTHER] = { .name = "MPI_Isend", .class_ = HCT_CLASS_SEND },
    [WAITS] = { .name = "MPI_Recv", .class_ = HCT_CLASS_RECV,
                .flags = HCT_CALL_BLOCKING },
};

struct host {
    const struct host_conf *conf;       /* borrowed */
    const struct hct_policy *policy;
    void *state, *room;         /* owned, like the rest */
    struct hct_job job;
    struct hct_rank *rank;
    uint64_t calls;             /* of each task until then */
    struct hct_inside inside[FUNCTIONS + 1];
    struct hct_model *model;
    struct hct_state *states;
    struct hct_edge *edge;
    struct score_edge one[GRAPH_STEPS];
    struct scores scores;
    struct hct_snapshot in;
    struct hct_out out;
    struct hct_verdict verdicts[VERDICTS];
    uint32_t ranks[RANKS];
    struct hct_line lines[LINES];
    struct hct_proposal proposals[VERDICTS];
    struct hct_odd odds[ODDS];
    _Alignas(8) uint8_t question[HCT_QUESTION_MAX];
};

/* ----------------------------------------------------------------- one step */

static int step(struct host *h, uint64_t now_ns, uint32_t parts,
                struct err *err)
{
    h->in.seq++;
    h->in.now_ns = now_ns;
    h->in.parts = parts;
    memset(h->room, 0, h->policy->room_bytes);
    h->out = (struct hct_out){
        .size = sizeof(h->out),
        .verdicts = h->verdicts, .verdicts_max = VERDICTS,
        .ranks = h->ranks, .ranks_max = RANKS,
        .lines = h->lines, .lines_max = LINES,
        .proposals = h->proposals, .proposals_max = VERDICTS,
        .question = h->question, .question_max = sizeof(h->question),
        .odds = h->odds, .odds_max = ODDS, .room = h->room };
    if (h->policy->step(h->state, &h->in, &h->out))
        return err_set(err, ECANCELED, "the policy has given up");
    return 0;
}

/* -------------------------------------------------------------------- looks */

/* All wait for the task of the fault, since some time; before: nobody does. */
static void show(struct host *h, uint64_t since_ns, bool struck)
{
    const struct played *p = h->conf->played;
    const struct graph *g = p->graph;
    bool runs = p->fault == PLAYED_CPU || p->fault == PLAYED_MEM;

    for (uint32_t i = 0; i < p->ntasks; i++) {
        struct hct_rank *k = &h->rank[i];
        bool is = struck && i == p->rank;

        *k = (struct hct_rank){
            .rank = i, .life = HCT_LIFE_RUNNING, .node = 1 + i / PER_NODE,
            .flags = HCT_OBSERVED | HCT_PAGE | HCT_RUNS, .threads = 1,
            .calls = h->calls + struck, .call = OTHER, .site = 1,
            .age_ns = since_ns, .own_cpu_ns = HAD_NS + since_ns, .ran_ns = HAD_NS,
            .delayed_ns = DELAYED_NS };
        if (struck && (!is || !p->after))
            k->flags |= HCT_IN_MPI;
        if (struck && p->waits != GRAPH_NOWHERE && !is) {
            k->call = WAITS;
            k->site = g->step[p->waits].from;
        }
        if (is && !runs) {
            k->flags &= (uint16_t)~HCT_RUNS;
            k->own_cpu_ns = HAD_NS;
        }
        if (is) {
            k->call = g->waits[g->step[p->step].from] ? WAITS : OTHER;
            k->site = g->step[p->step].from;
        }
    }
}

static void add_inside(struct hct_inside *v, uint32_t rank)
{
    if (v->tasks < sizeof(v->rank) / sizeof(v->rank[0]))
        v->rank[v->tasks] = rank;
    v->tasks++;
}

/* The same of their stacks. */
static void show_stacks(struct host *h)
{
    const struct played *p = h->conf->played;
    struct hct_inside *v = h->inside, fault = {
        .call = h->rank[p->rank].call, .what = HCT_INSIDE_BEFORE, .function = 1,
        .in_call = p->ntasks, .name = "fault" };
    bool in_call = !p->after;

    memset(v, 0, sizeof(h->inside));
    h->in.waiting = 0;
    for (uint32_t i = 0; i < p->ntasks; i++) {
        uint64_t at = h->in.now_ns + i;

        if (i == p->rank || h->rank[i].call != WAITS)
            continue;
        if (chance_part(p->seed, at) < BUSY)
            add_inside(&v[1 + (uint32_t)(chance_part(p->seed + 1, at) * FUNCTIONS)], i);
        else
            h->in.waiting++;
    }
    h->in.ninside = 0;
    if (in_call) {
        add_inside(&fault, p->rank);
        h->inside[h->in.ninside++] = fault;
    }
    for (uint32_t i = 1; i <= FUNCTIONS; i++) {
        struct hct_inside one = v[i];

        one.call = WAITS;
        one.what = HCT_INSIDE_LIBRARY;
        one.function = 1 + i;
        one.in_call = p->ntasks;
        if (one.tasks)
            h->inside[h->in.ninside++] = one;
    }
    h->in.stacks = p->ntasks;
}

/* The fault, from at_ns on. When the policy has asked for stacks they are there a
 * little later, and it looks soon if it says so. */
static int watch_fault(struct host *h, uint64_t at_ns, uint64_t long_ns,
                       struct err *err)
{
    uint64_t grid = LOOK_NS / 2;
    uint32_t parts = 0;

    for (uint64_t t = grid; t <= long_ns; ) {
        show(h, t, true);
        if (parts)
            show_stacks(h);
        if (step(h, at_ns + t, parts, err))
            return -1;
        while (grid <= t)
            grid += LOOK_NS;
        parts = h->out.need & HCT_NEED_STACKS;
        if (parts)
            t += STACKS_NS;
        else if (h->out.wake_ns < at_ns + t + SOON_NS &&
                 h->out.wake_ns < at_ns + grid && h->out.wake_ns > at_ns + t)
            t = h->out.wake_ns - at_ns;
        else
            t = grid;
    }
    h->in.ninside = h->in.stacks = h->in.waiting = 0;
    return 0;
}

/* From the beginning to the end of the fault; *now_ns is when. */
static int watch(struct host *h, uint64_t *now_ns, struct err *err)
{
    const struct played *p = h->conf->played;
    bool hang = p->fault == PLAYED_HANG;
    double part = hang ? p->part : 0.5;
    uint64_t at_ns = BEGAN_NS + (uint64_t)(p->graph->run_ns * part);
    uint64_t long_ns = hang ? HANG_NS : (uint64_t)p->cost_ns;

    h->calls = BEGAN_NS / CALL_NS;
    show(h, 0, false);
    if (step(h, BEGAN_NS, 0, err))
        return -1;
    h->calls = at_ns / CALL_NS;
    if (p->fault && watch_fault(h, at_ns, long_ns, err))
        return -1;
    if (!hang) {
        at_ns = BEGAN_NS + (uint64_t)p->graph->run_ns;
        h->calls = (at_ns + long_ns) / CALL_NS;
        show(h, 0, false);
    }
    *now_ns = at_ns + long_ns;
    return 0;
}

/* ------------------------------------------------------------------- models */

static void add_model(struct host *h, uint32_t number, uint32_t rank)
{
    const struct graph *g = h->conf->played->graph;
    uint32_t states = number * g->nstates, edges = number * g->nsteps;

    played_model(h->conf->played, rank, h->one);
    h->model[number] = (struct hct_model){
        .rank = rank, .threads = 1, .states = states, .nstates = g->nstates,
        .edges = edges, .nedges = g->nsteps, .at = g->nstates };
    for (uint32_t i = 0; i < g->nstates; i++)
        h->states[states + i] = (struct hct_state){
            .rank = rank, .site = i, .place = i ? i + 1 : 0,
            .call = i ? (g->waits[i] ? WAITS : OTHER) : 0 };
    for (uint32_t i = 0; i < g->nsteps; i++)
        h->edge[edges + i] = (struct hct_edge){
            .rank = rank, .from = g->step[i].from, .to = g->step[i].to,
            .n = h->one[i].n, .in_mean = h->one[i].in_mean,
            .in_m2 = h->one[i].in_m2, .out_mean = h->one[i].out_mean,
            .out_m2 = h->one[i].out_m2 };
}

/* Of those that it has asked for, by rank, each once: it may want to know more of one
 * that is in its sample. */
static int read_models(struct host *h, uint64_t now_ns, struct err *err)
{
    const struct graph *g = h->conf->played->graph;
    const uint32_t *asked = h->out.ranks + h->out.sample;
    struct taskset wanted = { 0 };
    uint32_t n = 0;
    int rc = 0;

    if (!(h->out.need & HCT_NEED_MODEL) || !h->out.nsample ||
        h->out.nsample > RANKS)
        return err_set(err, ECANCELED, "the policy does not ask for a sample");
    for (uint32_t i = 0; rc == 0 && i < h->out.nsample; i++)
        rc = taskset_add(&wanted, asked[i], asked[i]);
    for (int64_t r = -1; rc == 0 && (r = taskset_next(&wanted, r)) >= 0; )
        add_model(h, n++, (uint32_t)r);
    taskset_fini(&wanted);
    if (rc)
        return err_memory(err);
    h->in.nmodels = n;
    h->in.nstates = n * g->nstates;
    h->in.nedges = n * g->nsteps;
    return step(h, now_ns, HCT_NEED_MODEL, err);
}

static int read_scores(struct host *h, uint64_t now_ns, struct err *err)
{
    const struct str *answer;
    struct str question = { 0 };
    int rc;

    if (!(h->out.need & HCT_NEED_SCORES) || !h->out.nquestion)
        return err_set(err, ECANCELED, "the policy asks nothing");
    str_add_bytes(&question, h->question, h->out.nquestion);
    rc = str_failed(&question)
             ? err_memory(err)
             : h->conf->ask->ask(h->conf->ask->arg, &question, &answer, err);
    str_fini(&question);
    if (rc || scores_read(&h->scores, (const uint8_t *)str_text(answer),
                          answer->n, h->conf->played->ntasks, err))
        return -1;
    h->in.question = h->scores.number;
    h->in.clusters = h->scores.cluster;
    h->in.nclusters = h->scores.nclusters;
    h->in.scores = h->scores.score;
    h->in.nscores = h->scores.nscores;
    h->in.stretch = h->scores.stretch;
    return step(h, now_ns, HCT_NEED_SCORES, err);
}

/* ------------------------------------------------------------ what it says */

void host_said_fini(struct host_said *said)
{
    free(said->odd);
    free(said->from);
    free(said->to);
    *said = (struct host_said){ 0 };
}

static void note_question(const struct host *h, struct host_said *said)
{
    const struct hct_question *q = (const void *)h->question;
    const struct hct_question_model *m = (const void *)(
        h->question + sizeof(*q) + q->nsteps * sizeof(struct hct_question_step));

    said->nchains = q->nchains;
    said->nmodels = q->nmodels;
    for (uint32_t i = 0; i < q->nmodels; i++) {
        said->models[i] = m[i].rank;
        if (m[i].group < HCT_CLUSTERS_MAX)
            said->medoid[m[i].group] = m[i].rank;
    }
}

static void note_verdicts(const struct host *h, struct host_said *said)
{
    for (uint32_t i = 0; i < h->out.nverdicts; i++) {
        const struct hct_verdict *v = &h->verdicts[i];
        bool right = h->conf->played->fault && v->kind == HCT_OUTLIER &&
                     v->nranks && h->ranks[v->ranks] == h->conf->played->rank;

        said->right += right;
        said->wrong += !right;
    }
}

static uint32_t site_of(const struct host *h, uint32_t line)
{
    return line < h->out.nlines ? h->lines[line].site : 0;
}

static int note_odds(const struct host *h, struct host_said *said,
                     struct err *err)
{
    uint32_t n = h->out.nodds;

    said->odd = malloc((n + 1) * sizeof(*said->odd));
    said->from = malloc((n + 1) * sizeof(*said->from));
    said->to = malloc((n + 1) * sizeof(*said->to));
    if (!said->odd || !said->from || !said->to)
        return err_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        said->odd[i] = h->odds[i];
        said->from[i] = site_of(h, h->odds[i].line);
        said->to[i] = site_of(h, h->odds[i].line_to);
    }
    said->nodds = n;
    return 0;
}

/* ---------------------------------------------------------------------- all */

/* All as they are by default, but for two. */
static void set_params(const struct host *h, double v[HCT_PARAMS_MAX])
{
    const struct hct_param *p = h->policy->params;

    for (unsigned i = 0; p[i].name; i++)
        v[i] = strcmp(p[i].name, "every") == 0 ? p[i].max   /* at its end alone */
               : strcmp(p[i].name, "merge") == 0 ? !h->conf->whole
                                                 : p[i].def;
}

static int make(struct host *h, struct err *err)
{
    const struct played *p = h->conf->played;
    const struct graph *g = p->graph;
    double params[HCT_PARAMS_MAX];
    char why[256] = "";

    h->policy = hct_policy();
    h->job = (struct hct_job){ .size = sizeof(h->job), .nranks = p->ntasks,
                               .job = 1, .seed = p->seed };
    set_params(h, params);
    h->state = calloc(1, h->policy->state_bytes(&h->job, params));
    h->room = malloc(h->policy->room_bytes);
    h->rank = calloc(p->ntasks, sizeof(*h->rank));
    h->model = calloc(RANKS, sizeof(*h->model));
    h->states = calloc((size_t)RANKS * g->nstates, sizeof(*h->states));
    h->edge = calloc((size_t)RANKS * g->nsteps, sizeof(*h->edge));
    if (!h->state || !h->room || !h->rank || !h->model || !h->states ||
        !h->edge)
        return err_memory(err);
    if (h->policy->init(h->state, &h->job, params, why, sizeof(why)))
        return err_set(err, ECANCELED, "the policy: %s", why);
    h->in = (struct hct_snapshot){
        .size = sizeof(h->in), .job = &h->job, .calls = calls, .ncalls = CALLS,
        .call_size = sizeof(calls[0]), .ranks = h->rank, .nranks = p->ntasks,
        .rank_size = sizeof(h->rank[0]), .models = h->model,
        .model_size = sizeof(h->model[0]), .states = h->states,
        .state_size = sizeof(h->states[0]), .edges = h->edge,
        .edge_size = sizeof(h->edge[0]),
        .cluster_size = sizeof(h->scores.cluster[0]),
        .score_size = sizeof(h->scores.score[0]), .inside = h->inside,
        .inside_size = sizeof(h->inside[0]) };
    return 0;
}

/* A person asks; or the tasks are in MPI_Finalize. */
static int begin(struct host *h, uint64_t now_ns, struct err *err)
{
    if (h->conf->person)
        h->in.asked = HCT_ASKED_BY_PERSON;
    for (uint32_t i = 0; !h->conf->person && i < h->in.nranks; i++)
        h->rank[i].life = HCT_LIFE_FINALIZE;
    if (step(h, now_ns, 0, err))
        return -1;
    h->in.asked = 0;
    return 0;
}

/* Who asks while many wait is told what stacks say, too. */
static int read_stacks(struct host *h, uint64_t *now_ns, struct err *err)
{
    for (unsigned i = 0; i < STEPS_MAX && !(h->out.need & HCT_NEED_MODEL); i++) {
        uint32_t parts = h->out.need & HCT_NEED_STACKS;

        *now_ns = parts ? *now_ns + STACKS_NS : h->out.wake_ns;
        if (parts)
            show_stacks(h);
        if (step(h, *now_ns, parts, err))
            return -1;
    }
    return 0;
}

static int run(struct host *h, struct host_said *said, struct err *err)
{
    uint64_t now_ns;

    if (make(h, err) || watch(h, &now_ns, err) || begin(h, now_ns, err))
        return -1;
    note_verdicts(h, said);     /* of what has just gone on */
    if (read_stacks(h, &now_ns, err) || read_models(h, now_ns + 1, err))
        return -1;
    note_question(h, said);
    if (read_scores(h, now_ns + 2, err))
        return -1;
    note_verdicts(h, said);
    return note_odds(h, said, err);
}

int host_run(const struct host_conf *conf, struct host_said *said,
             struct err *err)
{
    struct host *h = calloc(1, sizeof(*h));
    int rc;

    *said = (struct host_said){ 0 };
    if (!h)
        return err_memory(err);
    h->conf = conf;
    rc = run(h, said, err);
    free(h->state);
    free(h->room);
    free(h->rank);
    free(h->model);
    free(h->states);
    free(h->edge);
    free(h);
    if (rc)
        host_said_fini(said);
    return rc;
}
