/* lookmodel.c - the model of one task as part of a look, see lookmodel.h.
 *
 * Invariant: what an edge names is a state. A number that is no site of its
 * thread counts as a place that found no room. */
#include "slave/page/lookmodel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
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
    struct edge *edge, *last;   /* last: besides, of the last time */
    size_t nstates, nedges, nlast, states_cap, edges_cap, last_cap;
    double factor;              /* ns a tick */
    uint64_t lost;
    const struct lookmodel_time *time;  /* borrowed */
    uint64_t now_ticks, ago_ns; /* the model began so long ago */
    bool stretches;             /* there is one: */
    struct window stretch;      /* of the last time; all threads */
    uint64_t stretch_ns;        /* so long */
    struct delay before;        /* as it began */
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
    window_fini(&r->stretch);
    free(r->modules);
    free(r->state);
    free(r->edge);
    free(r->last);
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

static void take_edge(struct lookmodel *r, struct edge *to, size_t *nto,
                      const struct edge *e, bool there)
{
    if (there && sane(e))
        to[(*nto)++] = *e;
    else
        r->lost += e->n;
}

static bool is_wanted(const struct lookmodel *r, const struct state_bank *b,
                      uint32_t phase)
{
    return r->time->window == WINDOW_START ||
           (b->merged ? phase == UINT32_MAX : b->phase == phase);
}

/* How long ago the page was made. */
static uint64_t age_of(const struct lookmodel *r, const char *page)
{
    const struct page_header *h = (const struct page_header *)page;
    uint64_t began = atomic_load_explicit(&h->start_ticks,
                                          memory_order_relaxed);
    uint64_t age = r->now_ticks > began ? ns(r, r->now_ticks - began) : 0;

    return age ? age : 1;
}

/* The model begins where the first thread has entered the phase; those that are
 * merged began with the page. */
static void begin_at(struct lookmodel *r, const char *page,
                     const struct state_bank *b)
{
    uint64_t ago = age_of(r, page), since = b->since_ticks;
    uint64_t is = r->now_ticks > since ? ns(r, r->now_ticks - since) : 0;

    if (!b->merged && is < ago)
        ago = is ? is : 1;
    if (ago > r->ago_ns)
        r->ago_ns = ago;
}

static void take_edges(struct lookmodel *r, const char *page,
                       const uint32_t number[PAGE_SITES])
{
    uint32_t phase = r->time->phase ? *r->time->phase : state_phase(page);
    double f = r->factor;

    for (unsigned i = 0; i < r->one.nedges; i++) {
        const struct state_edge *e = &r->one.edge[i];
        const struct state_bank *b = &r->one.bank[e->bank];

        if (is_wanted(r, b, phase))
            take_edge(r, r->edge, &r->nedges, &(struct edge){
                .from = number[e->from], .to = number[e->to], .n = e->n,
                .phase = b->merged ? UINT32_MAX : b->phase,
                .in_mean = e->in_mean * f, .in_m2 = e->in_m2 * f * f,
                .out_mean = e->out_mean * f, .out_m2 = e->out_m2 * f * f,
                .bytes_mean = e->bytes_mean, .bytes_m2 = e->bytes_m2 },
                b->there);
    }
    for (unsigned i = 0; i < PAGE_BANKS; i++) {
        const struct state_bank *b = &r->one.bank[i];

        if (!b->there || !is_wanted(r, b, phase))
            continue;
        r->lost += b->lost;
        if (r->time->window == WINDOW_PHASE)
            begin_at(r, page, b);
    }
    r->lost += r->one.sites_lost;
}

/* Of the last time. */
static void take_stretch(struct lookmodel *r, unsigned slot,
                         const uint32_t number[PAGE_SITES], struct edge *to,
                         size_t *nto)
{
    const struct window_edge *e;
    size_t n = window_of_slot(&r->stretch, slot, &e);
    double f = r->factor;

    for (size_t i = 0; i < n; i++)
        take_edge(r, to, nto, &(struct edge){
            .from = number[e[i].ends >> 16], .to = number[e[i].ends % 65536],
            .n = e[i].n, .phase = UINT32_MAX,
            .in_mean = e[i].in.mean * f, .in_m2 = e[i].in.m2 * f * f,
            .out_mean = e[i].out.mean * f, .out_m2 = e[i].out.m2 * f * f,
            .bytes_mean = e[i].bytes.mean, .bytes_m2 = e[i].bytes.m2 }, true);
}

/* Sites count since the start: of a window states have what its edges say. */
static void recount(struct lookmodel *r, size_t states, size_t edges)
{
    for (size_t i = states; i < r->nstates; i++)
        r->state[i].visits = r->state[i].in_ns = r->state[i].out_ns =
            r->state[i].longest_ns = 0;
    for (size_t i = edges; i < r->nedges; i++) {
        const struct edge *e = &r->edge[i];
        double in = (double)e->n * e->in_mean, out = (double)e->n * e->out_mean;

        r->state[e->to].visits += e->n;
        r->state[e->from].in_ns += in < 1e18 ? (uint64_t)in : (uint64_t)1e18;
        r->state[e->to].out_ns += out < 1e18 ? (uint64_t)out : (uint64_t)1e18;
    }
}

static bool take_thread(struct lookmodel *r, const char *page, unsigned slot)
{
    uint32_t number[PAGE_SITES];
    size_t states = r->nstates, edges = r->nedges;
    bool last = r->time->window == WINDOW_LAST;

    state_model_read(&r->one, page, slot);
    if (!reach((void **)&r->state, r->nstates, &r->states_cap,
               2 + r->one.nsites, sizeof(*r->state)) ||
        !reach((void **)&r->edge, r->nedges, &r->edges_cap,
               r->one.nedges + r->stretch.n, sizeof(*r->edge)) ||
        !reach((void **)&r->last, r->nlast, &r->last_cap, r->stretch.n,
               sizeof(*r->last)))
        return false;
    take_states(r, page, slot, number);
    if (last)
        take_stretch(r, slot, number, r->edge, &r->nedges);
    else
        take_edges(r, page, number);
    if (!last && r->stretches)
        take_stretch(r, slot, number, r->last, &r->nlast);
    if (r->time->window != WINDOW_START)
        recount(r, states, edges);
    return true;
}

/* False: it is just changing, or there is no memory. */
static bool read_stretch(struct lookmodel *r, const char *page)
{
    uint64_t now_ns = clock_monotonic_ns(), age_ns = age_of(r, page);
    uint64_t ago_ns = r->time->ago_ns;
    const struct windows *kept = r->time->kept;
    const struct window *before =
        ago_ns ? windows_from(kept, page, now_ns, ago_ns, age_ns)
               : windows_before(kept, page);

    if (!window_read(&r->stretch, &r->one, page, now_ns))
        return false;
    r->stretch_ns = before ? now_ns - before->at_ns : age_ns;
    r->before = before ? before->delay : (struct delay){ 0 };
    if (before)
        window_since(&r->stretch, before);
    r->lost += r->stretch.lost + r->stretch.damaged;
    return true;
}

static size_t columns_bytes(size_t states, size_t edges)
{
    size_t n = states * (5 * sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
               edges * (sizeof(uint64_t) + 6 * sizeof(double) +
                        3 * sizeof(uint32_t));

    return (n + 7) / 8 * 8;
}

static void lay_columns(Hct__Looked__Model *m, char *p, size_t states,
                        size_t edges)
{
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
}

/* In one piece; and m->last behind it, if there is one. */
static bool columns(const struct lookmodel *r, Hct__Looked__Model *m)
{
    size_t bytes = columns_bytes(r->nstates, r->nedges), more = 0;
    bool last = r->stretches && r->time->window != WINDOW_LAST;
    char *p;

    if (last)
        more = sizeof(*m->last) + columns_bytes(0, r->nlast);
    p = malloc(bytes + more + 1);
    if (!p)
        return false;
    lay_columns(m, p, r->nstates, r->nedges);
    if (!last)
        return true;
    m->last = (Hct__Looked__Model *)(void *)(p + bytes);
    hct__looked__model__init(m->last);
    m->last->ago_ns = r->stretch_ns;
    lay_columns(m->last, p + bytes + sizeof(*m->last), 0, r->nlast);
    return true;
}

static void fill_edges(const struct edge *v, size_t n, Hct__Looked__Model *m)
{
    for (size_t i = 0; i < n; i++) {
        const struct edge *e = &v[i];

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

static void fill(const struct lookmodel *r, uint32_t site,
                 Hct__Looked__Model *m)
{
    m->lost = r->lost;
    m->ago_ns = r->ago_ns;
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
    fill_edges(r->edge, r->nedges, m);
    if (m->last)
        fill_edges(r->last, r->nlast, m->last);
}

bool lookmodel_read(struct lookmodel *r, const char *page,
                    const struct ticks *ticks, uint32_t site,
                    const struct lookmodel_time *time, Hct__Looked__Model *m)
{
    const struct page_header *h = (const struct page_header *)page;
    unsigned clock = atomic_load_explicit(&h->clock, memory_order_relaxed);
    static struct state_thread threads[PAGE_SLOTS];
    unsigned n = state_threads(page, threads, PAGE_SLOTS);

    r->factor = (double)ticks_ns(ticks, clock, MEASURE) / MEASURE;
    r->nstates = r->nedges = r->nlast = 0;
    r->nmodules = 0;
    r->lost = r->ago_ns = 0;
    r->time = time;
    r->now_ticks = ticks_now(clock);
    r->stretch.n = 0;
    if (n == 0 || r->factor <= 0)       /* of a clock that is none */
        return false;
    r->stretches = (time->window == WINDOW_LAST || time->ago_ns) &&
                   read_stretch(r, page);
    if (time->window == WINDOW_LAST && !r->stretches)
        return false;
    if (time->window != WINDOW_PHASE)
        r->ago_ns = r->stretches && time->window == WINDOW_LAST
                        ? r->stretch_ns : age_of(r, page);
    for (unsigned i = 0; i < n; i++)
        if (!take_thread(r, page, threads[i].slot))
            return false;
    if (!columns(r, m))
        return false;
    m->threads = n;
    fill(r, site, m);
    return true;
}

struct delay lookmodel_delay(const struct lookmodel *r)
{
    return r->before;
}
