/* profile.c - what the MPI calls of one task have cost, by call site.
 *
 * A function's counters are read before those of its sites, and the task
 * stores them the other way round: so what the sites lack was called from
 * places that found no room in the task's table, or were not recorded.
 *
 * Invariant: what `at` and `seen` hold is 0 or a place in cost + 1. */
#include "slave/page/profile.h"

#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/page.h"
#include "proto/base/array.h"

void profile_fini(struct profile *p)
{
    for (unsigned i = 0; i < PAGE_SLOTS; i++)
        free(p->seen[i]);
    free(p->cost);
    free(p->at);
    *p = (struct profile){ 0 };
}

/* One reading. */
struct reading {
    struct profile *p;
    const char *page;
    const struct ticks *ticks;
    struct sites *sites;
    unsigned clock;
    struct state_module *modules;       /* owned; NULL until asked for */
    unsigned nmodules;
};

/* The counters of a site; NULL: out of memory. */
static struct profile_cost *cost_of(struct profile *p, uint32_t site)
{
    if (site == SITES_NONE ||
        array_reserve_zeros(&p->at, &p->nat, (size_t)site + 1))
        return NULL;
    if (p->at[site])
        return &p->cost[p->at[site] - 1];
    if (array_reserve(&p->cost, &p->cap, p->n + 1))
        return NULL;
    p->cost[p->n] = (struct profile_cost){ .site = site };
    p->at[site] = (uint16_t)++p->n;
    return &p->cost[p->n - 1];
}

static uint64_t ns(const struct reading *r, uint64_t ticks)
{
    return ticks_ns(r->ticks, r->clock, ticks);
}

/* A site of the page that was not seen before. */
static struct profile_cost *meet(struct reading *r, unsigned slot,
                                 const struct state_site *s)
{
    struct profile *p = r->p;
    struct profile_cost *c;

    if (!r->modules) {
        r->modules = calloc(PAGE_MODULES, sizeof(*r->modules));
        if (!r->modules)
            return NULL;
        r->nmodules = state_modules(r->page, r->modules, PAGE_MODULES);
    }
    if (!p->seen[slot])
        p->seen[slot] = calloc(PAGE_SITES, sizeof(*p->seen[slot]));
    c = p->seen[slot] ? cost_of(p, sites_find(r->sites, s, r->modules,
                                              r->nmodules))
                      : NULL;
    if (c)
        p->seen[slot][s->number] = (uint16_t)(c - p->cost + 1);
    return c;
}

static struct profile_cost *known(const struct profile *p, unsigned slot,
                                  unsigned i)
{
    return p->seen[slot] && p->seen[slot][i]
           ? &p->cost[p->seen[slot][i] - 1] : NULL;
}

static uint64_t lack(uint64_t all, uint64_t some)
{
    return all > some ? all - some : 0;
}

static void add_time(const struct reading *r, struct profile_cost *c,
                     uint64_t ticks, uint64_t longest)
{
    uint64_t max_ns = ns(r, longest);

    c->in_ticks += ticks;
    c->now.in_ns += ns(r, ticks);
    if (max_ns > c->now.max_ns)
        c->now.max_ns = max_ns;
}

static void read_sites(struct reading *r, unsigned slot,
                       struct state_count *left)
{
    struct profile_cost *c;
    struct state_count *l;
    struct state_site s;

    for (unsigned i = PAGE_SITE_FIRST; i < PAGE_SITES; i++) {
        if (state_site(r->page, slot, i, &s) < 1)
            continue;
        c = known(r->p, slot, i);
        if (!c && !(c = meet(r, slot, &s)))
            continue;
        c->now.calls += s.calls;
        add_time(r, c, s.in_ticks, s.in_max);
        c->now.out_ns += ns(r, s.out_ticks);
        c->now.bytes += s.bytes;
        l = &left[r->sites->site[c->site].call];
        l->calls = lack(l->calls, s.calls);
        l->in_ticks = lack(l->in_ticks, s.in_ticks);
        l->bytes = lack(l->bytes, s.bytes);
    }
}

static void read_slot(struct reading *r, const struct state_thread *t)
{
    struct state_count left[PAGE_CALLS];
    struct profile_cost *c;
    uint64_t now = r->p->end_ticks ? r->p->end_ticks : ticks_now(r->clock);
    uint64_t open = t->call && now > t->since_ticks ? now - t->since_ticks : 0;

    for (unsigned i = 0; i < PAGE_CALLS; i++)
        left[i] = state_count(r->page, t->slot, i);
    read_sites(r, t->slot, left);
    for (uint32_t i = 1; i < PAGE_CALLS; i++)
        if (left[i].calls && (c = cost_of(r->p, sites_find_other(r->sites,
                                                                i)))) {
            c->now.calls += left[i].calls;
            add_time(r, c, left[i].in_ticks, 0);
            c->now.bytes += left[i].bytes;
        }
    if (!open)
        return;
    c = known(r->p, t->slot, t->site);
    if (!c || r->sites->site[c->site].call != t->call)
        c = cost_of(r->p, sites_find_other(r->sites, t->call));
    if (c)
        add_time(r, c, open, open);
}

void profile_read(struct profile *p, const char *page,
                  const struct ticks *ticks, struct sites *sites)
{
    const struct page_header *h = (const struct page_header *)page;
    struct reading r = { .p = p, .page = page, .ticks = ticks,
                         .sites = sites };
    struct state_thread threads[PAGE_SLOTS];
    unsigned n;

    r.clock = atomic_load_explicit(&h->clock, memory_order_relaxed);
    for (size_t i = 0; i < p->n; i++) {
        p->cost[i].now = (struct profile_counters){ 0 };
        p->cost[i].in_ticks = 0;
    }
    n = state_threads(page, threads, PAGE_SLOTS);
    for (unsigned i = 0; i < n; i++)
        read_slot(&r, &threads[i]);
    free(r.modules);
}

struct profile_counters profile_sum(const struct profile_cost *c)
{
    const struct profile_counters *a = &c->past, *b = &c->now;

    return (struct profile_counters){
        a->calls + b->calls, a->in_ns + b->in_ns, a->out_ns + b->out_ns,
        a->bytes + b->bytes, a->max_ns > b->max_ns ? a->max_ns : b->max_ns };
}

void profile_keep(struct profile *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->cost[i].past = profile_sum(&p->cost[i]);
        p->cost[i].now = (struct profile_counters){ 0 };
    }
    for (unsigned i = 0; i < PAGE_SLOTS; i++) {
        free(p->seen[i]);
        p->seen[i] = NULL;
    }
}

/* In ticks: the same number of them becomes other nanoseconds later, when
 * their rate is known better. */
bool profile_is_news(const struct profile_cost *c)
{
    return !c->sent || c->past.calls + c->now.calls != c->sent_calls ||
           c->in_ticks != c->sent_ticks;
}

void profile_sent(struct profile_cost *c)
{
    c->sent = true;
    c->sent_calls = c->past.calls + c->now.calls;
    c->sent_ticks = c->in_ticks;
}

void profile_forget_sent(struct profile *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->cost[i].sent = false;
}
