/* effort.c - see effort.h. */
#include "slave/effort/effort.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "slave/page/state.h"

void effort_fini(struct effort *e)
{
    free(e->mark);
    free(e->sent);
    free(e->comm);
    *e = (struct effort){ .seen = false };
}

static uint64_t more(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* For one more of the `most` that have most, which are in no order: behind them, or
 * in place of the least; most: it is none of them. */
static size_t place_for(const uint64_t *v, size_t *n, size_t most, uint64_t x)
{
    size_t least = 0;

    if (*n < most)
        return (*n)++;
    for (size_t i = 1; i < most; i++)
        if (v[i] < v[least])
            least = i;
    return v[least] < x ? least : most;
}

/* -------------------------------------------------------------------- sites */

static void note_site(struct effort_told *to, uint64_t key,
                      struct effort_mark since)
{
    size_t at = place_for(to->out_ns, &to->m.n_sites, EFFORT_SITES,
                          since.out_ns);

    if (at == EFFORT_SITES)
        return;
    to->site[at] = key;
    to->calls[at] = since.calls;
    to->out_ns[at] = since.out_ns;
}

static void look_at_sites(struct effort *e, const struct profile *p,
                          const struct sites *sites, struct effort_told *to)
{
    if (array_reserve_zeros(&e->mark, &e->nmarks, p->n))
        return;
    for (size_t i = 0; i < p->n; i++) {
        const struct profile_counters is = profile_sum(&p->cost[i]);
        const struct effort_mark since = {
            more(is.calls, e->mark[i].calls),
            more(is.out_ns, e->mark[i].out_ns) };
        uint64_t key = since.calls && since.out_ns
                       ? sites_key_of(sites, p->cost[i].site) : 0;

        e->mark[i] = (struct effort_mark){ is.calls, is.out_ns };
        if (key)
            note_site(to, key, since);
    }
}

/* ----------------------------------------------------------------- partners */

static void note_partner(struct effort_told *to, uint32_t peer, uint64_t bytes)
{
    size_t at = place_for(to->bytes, &to->m.n_partners, EFFORT_PARTNERS, bytes);

    if (at == EFFORT_PARTNERS)
        return;
    to->partner[at] = peer;
    to->bytes[at] = bytes;
}

/* A page that is another than before begins at 0, or goes on with what was sent
 * elsewhere: it is only noted. */
static void look_at_partners(struct effort *e, const struct tally *w,
                             struct effort_told *to)
{
    static uint32_t peer[PAGE_PEERS];
    static uint64_t bytes[PAGE_PEERS];
    bool new = e->page != w->page || !e->sent;

    if (!w->page || !state_sent(w->page, peer, bytes)) {
        e->page = NULL;
        return;
    }
    if (!e->sent)
        e->sent = calloc(PAGE_PEERS, sizeof(*e->sent));
    if (!e->sent)
        return;
    for (unsigned i = 0; i < PAGE_PEERS; i++)
        if (peer[i] && !new && bytes[i] > e->sent[i] &&
            peer[i] - 1 != w->rank)
            note_partner(to, peer[i] - 1, bytes[i] - e->sent[i]);
    memcpy(e->sent, bytes, sizeof(bytes));
    e->page = w->page;
}

/* ------------------------------------------------------------ communicators */

/* Those that others know by the same number, and that have others in them. */
static bool is_shared(const struct state_comm *c)
{
    return c->kind == PAGE_KIND_COMM && c->id && !(c->id & PAGE_COMM_LOCAL) &&
           c->remote_size == 0 && c->size > 1 && !c->freed;
}

/* They keep their places, more or less: at is where it may be. */
static uint64_t collected_before(const struct effort *e, uint64_t id, size_t at)
{
    for (size_t i = 0; i < e->ncomms; i++) {
        size_t k = (at + i) % e->ncomms;

        if (e->comm[k].id == id)
            return e->comm[k].bytes;
    }
    return 0;
}

static void note_comm(struct effort_told *to, const struct state_comm *c,
                      uint64_t bytes)
{
    size_t at = place_for(to->collected, &to->m.n_comms, EFFORT_COMMS, bytes);

    if (at == EFFORT_COMMS)
        return;
    to->comm[at] = c->id;
    to->comm_rank[at] = c->rank;
    to->comm_size[at] = c->size;
    to->collected[at] = bytes;
}

/* Of another page than before it is only noted, as with partners. */
static void look_at_comms(struct effort *e, const struct tally *w,
                          struct effort_told *to)
{
    static struct state_comm v[PAGE_COMMS];
    bool new = e->comms_page != w->page;
    unsigned n = w->page ? state_comms(w->page, v, PAGE_COMMS) : 0, kept = 0;

    e->comms_page = NULL;
    if (!w->page)
        return;
    for (unsigned i = 0; i < n && !new; i++) {
        uint64_t had = is_shared(&v[i]) ? collected_before(e, v[i].id, i) : 0;

        if (is_shared(&v[i]) && v[i].bytes > had)
            note_comm(to, &v[i], v[i].bytes - had);
    }
    if (n > e->ncomms && array_reserve_zeros(&e->comm, &e->ncomms, n))
        return;                 /* it begins once more */
    for (unsigned i = 0; i < n; i++)
        e->comm[kept++] = (struct effort_comm){ v[i].id, v[i].bytes };
    while (kept < e->ncomms)
        e->comm[kept++] = (struct effort_comm){ 0, 0 };
    e->comms_page = w->page;
}

/* ---------------------------------------------------------------------- all */

bool effort_look(struct effort *e, const struct tally *w,
                 const struct sites *sites, struct effort_told *to)
{
    const struct sample_split *s = &w->split;
    uint64_t cpu_out_ns = more(s->cpu_ns, s->cpu_in_ns);
    bool first = !e->seen;

    hct__effort__task__init(&to->m);
    look_at_sites(e, &w->profile, sites, to);
    look_at_partners(e, w, to);
    look_at_comms(e, w, to);
    to->m.rank = w->rank;
    to->m.outside_ns = more(s->out_ns, e->out_ns);
    to->m.computed_ns = more(cpu_out_ns, e->cpu_out_ns);
    to->m.sites = to->site;
    to->m.calls = to->calls;
    to->m.out_ns = to->out_ns;
    to->m.n_calls = to->m.n_out_ns = to->m.n_sites;
    to->m.partners = to->partner;
    to->m.bytes = to->bytes;
    to->m.n_bytes = to->m.n_partners;
    to->m.comms = to->comm;
    to->m.comm_ranks = to->comm_rank;
    to->m.comm_sizes = to->comm_size;
    to->m.collected = to->collected;
    to->m.n_comm_ranks = to->m.n_comm_sizes = to->m.n_collected =
        to->m.n_comms;
    e->seen = true;
    e->out_ns = s->out_ns;
    e->cpu_out_ns = cpu_out_ns;
    return !first && (to->m.n_sites || to->m.n_partners || to->m.n_comms);
}
