/* played.c - see played.h. */
#include "slave/emulate/trial/played.h"

#include <math.h>

#include "policies/lib/lot.h"
#include "slave/emulate/trial/chance.h"

/* Of the run: what faults cost, evenly by its logarithm. */
#define COST_LEAST 0.002
#define COST_MOST  0.05

static const struct { enum played_fault fault; bool after; const char *name; }
turns[] = {
    { PLAYED_CPU, false, "cpu" }, { PLAYED_CPU, true, "cpu-after" },
    { PLAYED_MEM, false, "mem" }, { PLAYED_MEM, true, "mem-after" },
    { PLAYED_STALL, false, "stall" }, { PLAYED_STALL, true, "stall-after" },
    { PLAYED_HANG, false, "hang" }, { PLAYED_HANG, true, "hang-after" },
};
enum { TURNS = sizeof(turns) / sizeof(turns[0]) };

const char *played_name(const struct played *p)
{
    for (unsigned i = 0; i < TURNS; i++)
        if (turns[i].fault == p->fault && turns[i].after == p->after)
            return turns[i].name;
    return "none";
}

bool played_is_hidden(const struct played *p)
{
    return p->fault && !p->after &&
           p->graph->waits[p->graph->step[p->step].from];
}

/* One step of the loops, each as likely as it is often taken. */
static uint32_t draw_step(const struct graph *g, uint64_t *lot)
{
    uint64_t all = 0, at;
    uint32_t i = 0;

    for (uint32_t k = 0; k < g->nsteps; k++)
        all += g->step[k].n > 1 ? g->step[k].n : 0;
    at = lot_below(lot, all);
    for (; g->step[i].n < 2 || at >= g->step[i].n; i++)
        at -= g->step[i].n > 1 ? g->step[i].n : 0;
    return i;
}

static void draw_fault(struct played *p, uint32_t number)
{
    uint64_t lot = p->seed;

    p->fault = turns[number % TURNS].fault;
    p->after = turns[number % TURNS].after;
    p->rank = (uint32_t)lot_below(&lot, p->ntasks);
    p->step = draw_step(p->graph, &lot);
    p->cost_ns = p->graph->run_ns * COST_LEAST *
                 pow(COST_MOST / COST_LEAST, chance_part(p->seed, 1));
    if (p->fault == PLAYED_HANG)
        p->part = 0.2 + 0.6 * chance_part(p->seed, 2);
    p->waits = played_is_hidden(p) ? p->step
                                   : graph_waits_at(p->graph, p->step);
}

void played_make(struct played *p, const struct played_conf *conf,
                 uint32_t number)
{
    const struct graph *g = conf->graph;

    *p = (struct played){ .graph = g, .ntasks = conf->ntasks,
                          .spread = conf->spread, .part = 1,
                          .seed = idtable_mix(conf->seed, number),
                          .waits = GRAPH_NOWHERE };
    for (uint32_t i = 0; i < g->nsteps; i++) {
        uint32_t at = graph_waits_at(g, i);

        if (at != GRAPH_NOWHERE)
            p->late_ns[at] += (double)g->step[i].n * g->step[i].out.mean;
    }
    if (!conf->clean)
        draw_fault(p, number);
}

/* -------------------------------------------------------------- the models */

struct mean_m2 { double mean, m2; };

static struct mean_m2 play(const struct graph_time *t, double times, double n,
                           uint64_t seed, uint32_t rank)
{
    double mean = t->mean * times *
                      (1 + t->part * chance_deviate(seed, rank)) +
                  t->sd / sqrt(n) * chance_deviate(seed + 16, rank);
    double sd = t->sd * times *
                (1 + chance_deviate(seed + 32, rank) / sqrt(2 * n));

    return (struct mean_m2){ fmax(mean, t->mean * times / 10),
                             n > 1 ? n * fmax(sd, 0) * sd : 0 };
}

/* One time of the n has taken so much longer. */
static void strike(struct mean_m2 *t, double n, double cost_ns)
{
    t->mean += cost_ns / n;
    t->m2 += cost_ns * cost_ns * (1 - 1 / n);
}

static uint64_t place(uint32_t state)
{
    return state ? state + 1 : 0;
}

static double load_of(const struct played *p, uint32_t rank)
{
    return 1 + p->spread * (2 * chance_part(p->seed ^ 3, rank) - 1);
}

/* How much longer this task is in the call, or in the computation behind it. */
static double longer(const struct played *p, uint32_t rank, uint32_t step,
                     bool after)
{
    if (!p->fault || p->fault == PLAYED_HANG)
        return 0;
    if (rank == p->rank)
        return step == p->step && after == p->after ? p->cost_ns : 0;
    return step == p->waits && !after ? p->cost_ns : 0;
}

void played_model(const struct played *p, uint32_t rank, struct score_edge *v)
{
    const struct graph *g = p->graph;
    double load = load_of(p, rank), waits = 1 + p->spread - load;

    for (uint32_t i = 0; i < g->nsteps; i++) {
        const struct graph_step *s = &g->step[i];
        double n = s->n > 1 ? fmax(2, floor((double)s->n * p->part)) : 1;
        uint64_t seed = idtable_mix(p->seed, 64ull + 128 * i);
        struct mean_m2 in = play(&s->in, 1, n, seed, rank);
        struct mean_m2 out = play(&s->out, load, n, seed + 64, rank);

        in.mean += waits * p->late_ns[i] / (double)s->n;
        strike(&in, n, longer(p, rank, i, false));
        strike(&out, n, longer(p, rank, i, true));
        v[i] = (struct score_edge){
            .from = place(s->from), .to = place(s->to), .site = s->from,
            .site_to = s->to, .n = (uint64_t)n, .in_mean = in.mean,
            .in_m2 = in.m2, .out_mean = out.mean, .out_m2 = out.m2 };
    }
}
