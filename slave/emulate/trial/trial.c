/* trial.c - see trial.h. */
#include "slave/emulate/trial/trial.h"

#include <stdio.h>
#include <stdlib.h>

#include "policies/smm/isolate.h"

enum { STEPS = 5 };             /* of a task, as the paper counts */

struct places { uint32_t task, step; };

/* -------------------------------------------------------------------- tasks */

static bool is_of(const struct hct_odd *o, enum hct_method method)
{
    return o->method == method ||
           (method == HCT_METHOD_POLISH && (o->method == HCT_METHOD_STANDS ||
                                            o->method == HCT_METHOD_INSIDE));
}

/* The first place that a rank has in the list; TRIAL_NOT. */
static uint32_t first_place(const struct host_said *said,
                            enum hct_method method, uint32_t rank)
{
    uint32_t first = TRIAL_NOT;

    for (uint32_t i = 0; i < said->nodds; i++)
        if (is_of(&said->odd[i], method) && said->odd[i].rank == rank &&
            said->odd[i].place < first)
            first = said->odd[i].place;
    return first;
}

/* Each task once: those that are there before it. */
static uint32_t place_of(const struct host_said *said, enum hct_method method,
                         uint32_t rank)
{
    uint32_t own = first_place(said, method, rank), place = 1;

    for (uint32_t i = 0; own != TRIAL_NOT && i < said->nodds; i++)
        place += is_of(&said->odd[i], method) && said->odd[i].place < own &&
                 first_place(said, method, said->odd[i].rank) ==
                     said->odd[i].place;
    return own == TRIAL_NOT ? TRIAL_NOT : place;
}

/* -------------------------------------------------------------------- steps */

/* In the list of what the task is slow in; one that stands, or computes, is in a
 * call, whatever comes behind it. */
static uint32_t step_by_polish(const struct host_said *said,
                               const struct played *p)
{
    const struct graph_step *s = &p->graph->step[p->step];
    uint32_t place = 0;

    for (uint32_t i = 0; i < said->nodds; i++) {
        const struct hct_odd *o = &said->odd[i];

        if (!is_of(o, HCT_METHOD_POLISH) || o->rank != p->rank)
            continue;
        place++;
        if (said->from[i] == s->from &&
            (o->method != HCT_METHOD_POLISH || said->to[i] == s->to))
            return place;
    }
    return TRIAL_NOT;
}

struct whole {                  /* models of some tasks, not merged */
    struct smm_edge edge[1 + HCT_MODELS_MAX][GRAPH_STEPS];
    struct smm smm[1 + HCT_MODELS_MAX];
    struct smm_step step[GRAPH_STEPS];
    struct score_edge one[GRAPH_STEPS];
    struct lknorm table;
};

static void put(struct whole *w, const struct played *p, uint32_t at,
                uint32_t rank)
{
    const struct graph *g = p->graph;

    played_model(p, rank, w->one);
    for (uint32_t i = 0; i < g->nsteps; i++) {
        w->step[i] = (struct smm_step){ g->step[i].from, g->step[i].to, 1 };
        w->edge[at][i] = (struct smm_edge){ .n = 0 };
        smm_add(&w->edge[at][i], w->one[i].n,
                (struct moments){ w->one[i].in_mean, w->one[i].in_m2 },
                (struct moments){ w->one[i].out_mean, w->one[i].out_m2 });
    }
    w->smm[at] = (struct smm){ w->edge[at], g->nsteps };
    smm_finish(&w->smm[at], w->step);
}

/* Against so many others of the ranks. */
static uint32_t step_by_models(struct whole *w, const struct played *p,
                               const uint32_t *ranks, uint32_t n)
{
    uint32_t edge[STEPS], k = 0;
    size_t found;

    put(w, p, 0, p->rank);
    for (uint32_t i = 0; i < n; i++)
        if (ranks[i] != p->rank)
            put(w, p, ++k, ranks[i]);
    found = isolate(&(struct isolate){ &w->table, &w->smm[0], &w->smm[1], k },
                    edge, STEPS);
    for (size_t i = 0; i < found; i++)
        if (edge[i] == p->step)
            return (uint32_t)i + 1;
    return TRIAL_NOT;
}

/* The group that the task is said to be in; that of number 0 if it is not in
 * the list. */
static uint32_t group_of(const struct host_said *said, uint32_t rank)
{
    for (uint32_t i = 0; i < said->nodds; i++)
        if (said->odd[i].method == HCT_METHOD_CLUSTER &&
            said->odd[i].rank == rank)
            return said->odd[i].group;
    return 0;
}

/* ---------------------------------------------------------------------- all */

static void tell(struct str *out, struct places is)
{
    str_addf(out, " %u %u", is.task, is.step);
}

/* By the two ways of the paper. */
static void tell_models(struct str *out, struct whole *w,
                        const struct played *p, const struct host_said *said)
{
    const uint32_t medoid = said->medoid[group_of(said, p->rank)];

    tell(out, (struct places){
        place_of(said, HCT_METHOD_NEIGHBOUR, p->rank),
        step_by_models(w, p, said->models, said->nmodels) });
    tell(out, (struct places){ place_of(said, HCT_METHOD_CLUSTER, p->rank),
                               step_by_models(w, p, &medoid, 1) });
}

static int ask_as_person(const struct played *p, const struct host_ask *ask,
                         struct str *out, struct err *err)
{
    struct whole *w = malloc(sizeof(*w));
    struct host_said said = { 0 };
    int rc = 0;

    if (!w)
        return err_memory(err);
    lknorm_fill(&w->table);
    for (int whole = 0; rc == 0 && whole < 2; whole++) {
        rc = host_run(&(struct host_conf){ p, ask, true, whole }, &said, err);
        if (rc == 0 && !whole)
            str_addf(out, " %u %u %u", said.nchains,
                     place_of(&said, HCT_METHOD_POLISH, p->rank),
                     step_by_polish(&said, p));
        if (rc == 0)
            tell_models(out, w, p, &said);
        host_said_fini(&said);
    }
    free(w);
    return rc;
}

/* A hang does not come to MPI_Finalize. */
static int watch_alone(const struct played *p, const struct host_ask *ask,
                       struct str *out, struct err *err)
{
    struct host_said said = { 0 };

    if (p->fault != PLAYED_HANG &&
        host_run(&(struct host_conf){ p, ask, false, false }, &said, err))
        return -1;
    str_addf(out, " %u %u", said.right, said.wrong);
    host_said_fini(&said);
    return 0;
}

static int put_line(const struct played *p, const struct host_ask *ask,
                    struct str *out, struct err *err)
{
    str_addf(out, "%s %d %.5f %u %u", played_name(p), played_is_hidden(p),
             p->cost_ns / p->graph->run_ns, p->rank, p->graph->nsteps);
    if (watch_alone(p, ask, out, err) ||
        (p->fault && ask_as_person(p, ask, out, err)))
        return -1;
    return str_failed(out) ? err_memory(err) : 0;
}

int trial_run(const struct played_conf *conf, uint32_t number,
              const struct host_ask *ask, struct err *err)
{
    struct played *p = malloc(sizeof(*p));
    struct str line = { 0 };
    int rc = -1;

    if (!p)
        return err_memory(err);
    played_make(p, conf, number);
    rc = put_line(p, ask, &line, err);
    if (rc == 0 && (puts(str_text(&line)) < 0 || fflush(stdout)))
        rc = err_sys(err, "cannot write");
    str_fini(&line);
    free(p);
    return rc;
}
