/* lookmodel.c - the model of one task as part of a look, see lookmodel.h.
 *
 * Invariant: what an edge names is a state. A number that is no site of its
 * thread counts as a place that found no room. */
#include "slave/page/lookmodel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "slave/page/sites.h"
#include "slave/page/state.h"

enum { MEASURE = 1 << 30 };

struct state {
    uint32_t site, call;
    uint64_t place, visits, in_ns, longest_ns, out_ns;
};

struct edge {
    uint32_t from, to, phase;
    uint64_t n;
    double in_mean, in_m2, out_mean, out_m2, bytes_mean, bytes_m2;
};

struct lookmodel {
    struct state_model one;     /* owned, as all here: of a thread */
    struct state_module *modules;
    unsigned nmodules;
    struct state *state;
    struct edge *edge;
    size_t nstates, nedges, states_cap, edges_cap;
    double factor;              /* ns a tick */
    uint64_t lost;
};

struct lookmodel *lookmodel_create(void)
{
    struct lookmodel *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->modules = calloc(PAGE_MODULES, sizeof(*r->modules));
    if (!r->modules || state_model_init(&r->one, NULL)) {
        lookmodel_destroy(r);
        return NULL;
    }
    return r;
}

void lookmodel_destroy(struct lookmodel *r)
{
    if (!r)
        return;
    state_model_fini(&r->one);
    free(r->modules);
    free(r->state);
    free(r->edge);
    free(r);
}

/* Room for so many more. */
static bool reach(void **v, size_t n, size_t *cap, size_t more, size_t bytes)
{
    size_t wanted = 2 * (n + more);
    void *bigger;

    if (n + more <= *cap)
        return true;
    bigger = realloc(*v, wanted * bytes);
    if (!bigger)
        return false;
    *v = bigger;
    *cap = wanted;
    return true;
}

static uint64_t ns(const struct lookmodel *r, uint64_t ticks)
{
    double x = (double)ticks * r->factor;

    return x < 1e18 ? (uint64_t)x : (uint64_t)1e18;
}

/* Begins with the two that are no sites; number[] is that of each. */
static void take_states(struct lookmodel *r, const char *page, unsigned slot,
                        uint32_t number[PAGE_SITES])
{
    uint32_t start = (uint32_t)r->nstates, other = start + 1;

    r->state[r->nstates++] = (struct state){
        .site = page_site_in(slot, PAGE_SITE_START) };
    r->state[r->nstates++] = (struct state){
        .site = page_site_in(slot, PAGE_SITE_OTHER) };
    for (unsigned i = 0; i < PAGE_SITES; i++)
        number[i] = other;
    number[PAGE_SITE_START] = start;
    if (r->one.nsites && !r->nmodules)
        r->nmodules = state_modules(page, r->modules, PAGE_MODULES);
    for (unsigned i = 0; i < r->one.nsites; i++) {
        const struct state_site *s = &r->one.site[i];

        number[s->number] = (uint32_t)r->nstates;
        r->state[r->nstates++] = (struct state){
            .site = page_site_in(slot, s->number), .call = s->call,
            .place = sites_key(s, r->modules, r->nmodules),
            .visits = s->calls, .in_ns = ns(r, s->in_ticks),
            .longest_ns = ns(r, s->in_max), .out_ns = ns(r, s->out_ticks) };
    }
}

static bool sane(const struct edge *e)
{
    return isfinite(e->in_mean) && isfinite(e->in_m2) &&
           isfinite(e->out_mean) && isfinite(e->out_m2);
}

static void take_edges(struct lookmodel *r, const uint32_t number[PAGE_SITES])
{
    double f = r->factor;

    for (unsigned i = 0; i < r->one.nedges; i++) {
        const struct state_edge *e = &r->one.edge[i];
        const struct state_bank *b = &r->one.bank[e->bank];
        struct edge to = {
            .from = number[e->from], .to = number[e->to], .n = e->n,
            .phase = b->merged ? UINT32_MAX : b->phase,
            .in_mean = e->in_mean * f, .in_m2 = e->in_m2 * f * f,
            .out_mean = e->out_mean * f, .out_m2 = e->out_m2 * f * f,
            .bytes_mean = e->bytes_mean, .bytes_m2 = e->bytes_m2 };

        if (b->there && sane(&to))
            r->edge[r->nedges++] = to;
        else
            r->lost += e->n;
    }
    for (unsigned i = 0; i < PAGE_BANKS; i++)
        r->lost += r->one.bank[i].there ? r->one.bank[i].lost : 0;
    r->lost += r->one.sites_lost;
}

static bool take_thread(struct lookmodel *r, const char *page, unsigned slot)
{
    uint32_t number[PAGE_SITES];

    state_model_read(&r->one, page, slot);
    if (!reach((void **)&r->state, r->nstates, &r->states_cap,
               2 + r->one.nsites, sizeof(*r->state)) ||
        !reach((void **)&r->edge, r->nedges, &r->edges_cap, r->one.nedges,
               sizeof(*r->edge)))
        return false;
    take_states(r, page, slot, number);
    take_edges(r, number);
    return true;
}

static bool columns(Hct__Looked__Model *m, size_t states, size_t edges)
{
    char *p = malloc(states * (5 * sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
                     edges * (sizeof(uint64_t) + 6 * sizeof(double) +
                              3 * sizeof(uint32_t)) + 1);

    if (!p)
        return false;
    m->n_sites = m->n_calls = m->n_places = m->n_visits = states;
    m->n_in_ns = m->n_longest_ns = m->n_out_ns = states;
    m->n_from = m->n_to = m->n_phases = m->n_n = edges;
    m->n_in_mean = m->n_in_m2 = m->n_out_mean = m->n_out_m2 = edges;
    m->n_bytes_mean = m->n_bytes_m2 = edges;
    m->places = (uint64_t *)(void *)p;
    m->visits = m->places + states;
    m->in_ns = m->visits + states;
    m->longest_ns = m->in_ns + states;
    m->out_ns = m->longest_ns + states;
    m->n = m->out_ns + states;
    m->in_mean = (double *)(void *)(m->n + edges);
    m->in_m2 = m->in_mean + edges;
    m->out_mean = m->in_m2 + edges;
    m->out_m2 = m->out_mean + edges;
    m->bytes_mean = m->out_m2 + edges;
    m->bytes_m2 = m->bytes_mean + edges;
    m->sites = (uint32_t *)(void *)(m->bytes_m2 + edges);
    m->calls = m->sites + states;
    m->from = m->calls + states;
    m->to = m->from + edges;
    m->phases = m->to + edges;
    return true;
}

static void fill(const struct lookmodel *r, uint32_t site,
                 Hct__Looked__Model *m)
{
    m->lost = r->lost;
    m->at = (uint32_t)r->nstates;
    for (size_t i = 0; i < r->nstates; i++) {
        const struct state *s = &r->state[i];

        if (s->site == site)
            m->at = (uint32_t)i;
        m->sites[i] = s->site;
        m->calls[i] = s->call;
        m->places[i] = s->place;
        m->visits[i] = s->visits;
        m->in_ns[i] = s->in_ns;
        m->longest_ns[i] = s->longest_ns;
        m->out_ns[i] = s->out_ns;
    }
    for (size_t i = 0; i < r->nedges; i++) {
        const struct edge *e = &r->edge[i];

        m->from[i] = e->from;
        m->to[i] = e->to;
        m->phases[i] = e->phase;
        m->n[i] = e->n;
        m->in_mean[i] = e->in_mean;
        m->in_m2[i] = e->in_m2;
        m->out_mean[i] = e->out_mean;
        m->out_m2[i] = e->out_m2;
        m->bytes_mean[i] = e->bytes_mean;
        m->bytes_m2[i] = e->bytes_m2;
    }
}

bool lookmodel_read(struct lookmodel *r, const char *page,
                    const struct ticks *ticks, uint32_t site,
                    Hct__Looked__Model *m)
{
    const struct page_header *h = (const struct page_header *)page;
    unsigned clock = atomic_load_explicit(&h->clock, memory_order_relaxed);
    static struct state_thread threads[PAGE_SLOTS];
    unsigned n = state_threads(page, threads, PAGE_SLOTS);

    r->factor = (double)ticks_ns(ticks, clock, MEASURE) / MEASURE;
    r->nstates = r->nedges = 0;
    r->nmodules = 0;
    r->lost = 0;
    if (n == 0 || r->factor <= 0)       /* of a clock that is none */
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!take_thread(r, page, threads[i].slot))
            return false;
    if (!columns(m, r->nstates, r->nedges))
        return false;
    m->threads = n;
    fill(r, site, m);
    return true;
}
