/* bymodel.c - see bymodel.h. */
#include "policies/progress/bymodel.h"

#include <string.h>

#define NONE UINT32_MAX

static const struct hct_model *model_of(const struct hct_snapshot *in,
                                        uint32_t rank)
{
    uint32_t low = 0, high = in->nmodels;

    while (low < high) {
        uint32_t at = low + (high - low) / 2;
        const struct hct_model *m = hct_model(in, at);

        if (m->rank == rank)
            return m;
        if (m->rank < rank)
            low = at + 1;
        else
            high = at;
    }
    return NULL;
}

/* How often the rank has begun the call that is this state of the
 * dictionary. */
static uint64_t entered_by(const struct bymodel *b, const struct hct_snapshot *in,
                           uint32_t rank, uint32_t state)
{
    const struct hct_model *m = model_of(in, rank);

    for (uint32_t i = 0; m && i < m->nstates; i++) {
        const struct hct_state *s = hct_state(in, m, i);

        if (dictionary_state(&b->dictionary, s) == state)
            return s->visits +
                   (i == m->at && (hct_rank(in, rank)->flags & HCT_IN_MPI));
    }
    return 0;
}

/* The graph of all tasks together. */
static void make_graph(struct bymodel *b)
{
    const struct dictionary *d = &b->dictionary;
    uint32_t n = 0;

    for (uint32_t s = 0; s < d->nstates; s++)
        b->edge[n++] = (struct reach_edge){ rows_state(s, true),
                                            rows_state(s, false) };
    for (uint32_t i = 0; i < d->nsteps; i++)
        b->edge[n++] = (struct reach_edge){ rows_state(d->step[i].from, false),
                                            rows_state(d->step[i].to, true) };
    reach_make(&b->loops.g, 2 * d->nstates, b->edge, n, b->words);
}

void bymodel_make(struct bymodel *b, struct nodes_task *t,
                  const struct hct_snapshot *in)
{
    b->told = false;
    dictionary_make(&b->dictionary, in, NULL, in->nmodels);
    make_graph(b);
    for (uint32_t i = 0; i < in->nmodels; i++) {
        const struct hct_model *m = hct_model(in, i);
        struct nodes_task *of = &t[m->rank];

        if (m->at >= m->nstates)
            continue;
        of->state = dictionary_state(&b->dictionary, hct_state(in, m, m->at));
        if (of->state != NODES_NOWHERE)
            of->entered = entered_by(b, in, m->rank, of->state);
    }
}

/* --------------------------------------------------------------- the answer */

static uint32_t number_of(const struct bymodel *b, uint64_t place, uint32_t call)
{
    return dictionary_state(&b->dictionary, &(struct hct_state){
        .place = place, .call = call });
}

/* Has it been seen elsewhere since it was asked? */
static bool is_there(const struct hct_rank *k, const struct hct_place *p)
{
    bool in = k->flags & HCT_IN_MPI;

    return in == (p->in == 1) && (!in || k->call == p->call);
}

static void take_rows(struct bymodel *b, const struct question *q)
{
    uint32_t at[ROWS_OCCUPIED];

    for (uint32_t i = 0; i < q->nasked; i++) {
        uint32_t state = number_of(b, q->asked[i].place, q->asked[i].place != 0);

        at[i] = state == NONE ? NONE - 1 : rows_state(state, q->asked[i].in);
    }
    rows_begin(&b->rows, b->dictionary.nstates, at, q->nasked);
    for (uint32_t i = 0; i < q->nasked; i++)
        for (uint32_t j = 0; j < q->nasked; j++)
            b->rows.is[i][j] = q->order[i][j];
}

void bymodel_told(struct bymodel *b, struct nodes_task *t,
                  const struct question *q, const struct hct_snapshot *in)
{
    uint32_t state[HCT_PLACES_MAX];

    bymodel_make(b, t, in);
    b->told = true;
    for (uint32_t i = 0; i < q->nplaces; i++)
        state[i] = number_of(b, q->place[i].place, q->place[i].call);
    for (uint32_t r = 0; r < in->nranks; r++) {
        const struct hct_rank *k = hct_rank(in, r);
        uint32_t place = t[r].place;

        t[r].state = place && is_there(k, &q->place[place - 1])
                         ? state[place - 1] : NODES_NOWHERE;
        t[r].entered = k->site_calls + ((k->flags & HCT_IN_MPI) != 0);
    }
    take_rows(b, q);
}

/* --------------------------------------------------------------- the models */

static uint32_t state_of(const struct node *n)
{
    return n->state == NODES_NOWHERE ? NONE : rows_state(n->state, n->in);
}

/* Its number among those that tasks are in. */
static uint32_t place_of(const struct rows *r, const struct node *n)
{
    uint32_t state = state_of(n);

    for (uint32_t i = 0; i < r->n; i++)
        if (r->at[i] == state)
            return i;
    return NONE;
}

static void begin_rows(struct bymodel *b, const struct nodes *g)
{
    uint32_t at[ROWS_OCCUPIED], n = 0, i;

    for (uint32_t a = 0; a < g->n; a++) {
        uint32_t state = state_of(&g->node[a]);

        for (i = 0; i < n && at[i] != state; i++)
            ;
        if (i == n && state != NONE && n < ROWS_OCCUPIED)
            at[n++] = state;
    }
    rows_begin(&b->rows, b->dictionary.nstates, at, n);
}

/* Its steps, as often as it has them in phases: once. */
static uint32_t steps_of(struct bymodel *b, const struct hct_snapshot *in,
                         const struct hct_model *m)
{
    uint64_t has[REACH_SET(DICTIONARY_STEPS)] = { 0 };
    const struct dictionary *d = &b->dictionary;
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->nedges; i++) {
        const struct hct_edge *e = hct_edge(in, m, i);
        uint32_t step = dictionary_step(d, in, m, e);

        if (step == NONE)
            continue;
        b->taken[step] += e->n;
        if (reach_has(has, step))
            continue;
        has[step / 64] |= (uint64_t)1 << step % 64;
        b->step[n++] = (struct reach_edge){ d->step[step].from,
                                            d->step[step].to };
    }
    return n;
}

static void make_rows(struct bymodel *b, const struct nodes *g,
                      const struct nodes_task *t, const struct hct_snapshot *in)
{
    if (!b->told)
        begin_rows(b, g);
    memset(b->taken, 0, sizeof(b->taken));
    for (uint32_t i = 0; i < in->nmodels; i++) {
        const struct hct_model *m = hct_model(in, i);
        uint32_t n = steps_of(b, in, m), a = t[m->rank].node;

        if (!b->told && a < g->n && !m->lost)
            rows_task(&b->rows, b->step, n, place_of(&b->rows, &g->node[a]));
    }
}

/* ---------------------------------------------------------------- each pair */

struct pairs { const struct bymodel *b; const struct hct_snapshot *in; };

static uint64_t entered(void *arg, uint32_t rank, uint32_t state)
{
    const struct pairs *p = arg;

    return entered_by(p->b, p->in, rank, state / 2);
}

/* Who is it of a and b who waits for the other, by what? */
static enum dependence compare(struct bymodel *b, const struct node *x,
                               const struct node *y,
                               const struct hct_snapshot *in,
                               enum hct_decided *why)
{
    uint32_t i = place_of(&b->rows, x), j = place_of(&b->rows, y);
    struct pairs p = { b, in };
    enum loops_order order;

    if (i == NONE || j == NONE)
        return DEPENDENCE_NONE;
    *why = HCT_DECIDED_LOOP;
    order = loops_order(&b->loops, (struct loops_task){ x->first, state_of(x) },
                        (struct loops_task){ y->first, state_of(y) }, entered,
                        &p);
    if (order == LOOPS_BEHIND)
        return DEPENDENCE_BACKWARD;
    if (order == LOOPS_AHEAD)
        return DEPENDENCE_FORWARD;
    *why = HCT_DECIDED_MODEL;
    return (enum dependence)b->rows.is[i][j];
}

/* Directly or by way of others: Warshall, JACM 1962. */
static void known(const struct nodes *g, uint64_t *to)
{
    for (uint32_t a = 0; a < g->n; a++) {
        to[a] = 0;
        for (unsigned why = 0; why <= HCT_DECIDED_MODEL; why++)
            to[a] |= g->edge[why][a];
    }
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t a = 0; a < g->n; a++)
            if (to[a] >> k & 1)
                to[a] |= to[k];
}

static void decide(struct bymodel *b, struct nodes *g, uint32_t x, uint32_t y,
                   const struct hct_snapshot *in)
{
    const struct node *a = &g->node[x], *c = &g->node[y];
    enum hct_decided why;

    switch (compare(b, a, c, in, &why)) {
    case DEPENDENCE_FORWARD:
        if (a->waits || !c->waits)
            nodes_edge(g, why, x, y);
        return;
    case DEPENDENCE_BACKWARD:
        if (c->waits || !a->waits)
            nodes_edge(g, why, y, x);
        return;
    case DEPENDENCE_UNDEFINED:
        g->unsure[x] |= (uint64_t)1 << y;
        g->unsure[y] |= (uint64_t)1 << x;
        return;
    case DEPENDENCE_NONE:
        return;
    }
}

void bymodel_decide(struct bymodel *b, struct nodes *g,
                    const struct nodes_task *t, const struct hct_snapshot *in)
{
    uint64_t to[NODES_MAX];

    known(g, to);
    make_rows(b, g, t, in);
    for (uint32_t x = 0; x < g->n; x++)
        for (uint32_t y = x + 1; y < g->n; y++)
            if (!(to[x] >> y & 1) && !(to[y] >> x & 1))
                decide(b, g, x, y, in);
}

void bymodel_hint(struct bymodel *b, const struct node *from,
                  const struct node *to, double *least, double *most)
{
    const struct reach_graph *g = &b->loops.g;
    const struct dictionary *d = &b->dictionary;
    struct reach_to sets = { b->rows.room.can, b->rows.room.always };

    for (uint32_t s = 0, e; s < d->nstates; s++)
        for (e = g->first[rows_state(s, true)];
             e < g->first[rows_state(s, true) + 1]; e++)
            b->weight[e] = 1;
    /* Steps are sorted by from, as edges are by state. */
    for (uint32_t s = 0, i = 0; s < d->nstates; s++)
        for (uint32_t e = g->first[rows_state(s, false)];
             e < g->first[rows_state(s, false) + 1]; e++)
            b->weight[e] = (double)b->taken[i++];
    reach_to(g, state_of(to), &sets, b->rows.room.queue);
    hitting(g, b->weight, &sets, b->least, b->most);
    *least = b->least[state_of(from)];
    *most = b->most[state_of(from)];
}
