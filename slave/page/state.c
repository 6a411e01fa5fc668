/* state.c - what a task's page says beyond counters and tags, see state.h.
 *
 * Invariants: every offset comes from the layout as the slave makes it, every
 * index is bounded before it is used, and a value is copied before it is
 * looked at. Reading never waits: TRIES, then what is there. */
#include "slave/page/state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/table/calls.h"

enum { TRIES = 8 };

#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)

static const struct page_slot *slot_at(const char *page, unsigned slot)
{
    return (const struct page_slot *)(page + page_slot_at(slot));
}

static const struct page_shared *shared_at(const char *page)
{
    return (const struct page_shared *)
        (page + page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
}

static const struct page_thread *thread_at(const char *page, unsigned slot)
{
    return (const struct page_thread *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, slot));
}

/* Around the copying of a record: begin returns its number, end says whether
 * what was copied is whole. */
static uint32_t begin(const _Atomic uint32_t *seq)
{
    return atomic_load_explicit(seq, memory_order_acquire);
}

static bool end(const _Atomic uint32_t *seq, uint32_t before)
{
    atomic_thread_fence(memory_order_acquire);
    return before % 2 == 0 &&
           atomic_load_explicit(seq, memory_order_relaxed) == before;
}

/* A month of ticks; so many in all sites of a function can still be added. */
static uint64_t a_count(uint64_t n)
{
    return n < UINT64_C(1) << 53 ? n : UINT64_C(1) << 53;
}

static uint32_t a_call(uint32_t call)
{
    return call < PAGE_CALLS ? call : 0;
}

static int32_t a_rank(int32_t rank)
{
    return rank >= PAGE_UNKNOWN ? rank : PAGE_UNKNOWN;
}

static uint32_t a_site(uint32_t site)
{
    return site < PAGE_SITES ? site : PAGE_SITE_OTHER;
}

/* -------------------------------------------------------------- threads */

static void read_slot(const struct page_slot *s, struct state_thread *t)
{
    t->torn = true;
    for (int i = 0; i < TRIES && t->torn; i++) {
        uint32_t seq = begin(&s->seq);

        t->tid = LOAD(s->tid);
        t->call = LOAD(s->call);
        t->waits_call = LOAD(s->waits_call);
        t->comm = LOAD(s->comm);
        t->since_ticks = LOAD(s->since_ticks);
        t->calls = LOAD(s->calls);
        t->in_ticks = LOAD(s->in_ticks);
        t->out_ticks = LOAD(s->out_ticks);
        t->peer = LOAD(s->peer);
        t->source = LOAD(s->source);
        t->tag = LOAD(s->tag);
        t->source_tag = LOAD(s->source_tag);
        t->requests = LOAD(s->requests);
        t->count = LOAD(s->count);
        t->bytes = LOAD(s->bytes);
        t->collective = LOAD(s->collective);
        t->site = LOAD(s->site);
        t->torn = !end(&s->seq, seq);
    }
    t->call = a_call(t->call);
    t->waits_call = a_call(t->waits_call);
    t->peer = a_rank(t->peer);
    t->source = a_rank(t->source);
    t->tag = a_rank(t->tag);
    t->source_tag = a_rank(t->source_tag);
    t->site = a_site(t->site);
    t->requests &= ~PAGE_BY_STANDING;
    if (t->requests > PAGE_REQUESTS)
        t->requests = PAGE_REQUESTS;
}

struct state_count state_count(const char *page, unsigned slot,
                               unsigned call)
{
    const struct page_count *c = (const struct page_count *)
        (page + page_counts_at(PAGE_SLOTS, PAGE_CALLS, slot)) + call;

    return (struct state_count){ a_count(LOAD(c->calls)),
                                 a_count(LOAD(c->in_ticks)),
                                 a_count(LOAD(c->bytes)) };
}

unsigned state_threads(const char *page, struct state_thread *v,
                       unsigned max)
{
    const struct page_header *h = (const struct page_header *)page;
    uint32_t used = atomic_load_explicit(&h->slots_used,
                                         memory_order_acquire);
    unsigned n = 0;

    for (unsigned i = 0; i < used && i < PAGE_SLOTS && n < max; i++) {
        v[n].slot = i;
        read_slot(slot_at(page, i), &v[n]);
        if (v[n].tid || v[n].calls)
            n++;
    }
    return n;
}

/* Those are counted first: so it never seems to have called less than it has. */
bool state_takes_part(const char *page, unsigned slot)
{
    static const unsigned aside[] = {
        CALL_Wtime, CALL_Wtick, CALL_Initialized, CALL_Finalized,
        CALL_Query_thread, CALL_Is_thread_main, CALL_Get_version,
        CALL_Get_library_version
    };
    uint64_t n = 0;

    for (size_t i = 0; i < sizeof(aside) / sizeof(aside[0]); i++)
        n += state_count(page, slot, aside[i]).calls;
    atomic_thread_fence(memory_order_acquire);
    return LOAD(slot_at(page, slot)->calls) > n;
}

/* -------------------------------------------- communicators, requests */

static bool read_comm(const struct page_comm *p, struct state_comm *c)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t seq = begin(&p->seq), kind = LOAD(p->kind);

        *c = (struct state_comm){
            .kind = kind <= PAGE_KIND_FILE ? (enum page_kind)kind : 0,
            .id = LOAD(p->id), .parent = LOAD(p->parent),
            .collectives = LOAD(p->collectives),
            .since_ticks = LOAD(p->since_ticks), .rank = LOAD(p->rank),
            .size = LOAD(p->size), .remote_size = LOAD(p->remote_size),
            .call = a_call(LOAD(p->call)), .history = LOAD(p->history),
            .history_before = LOAD(p->history_before),
            .freed = LOAD(p->freed), .parcels_in = LOAD(p->parcels_in),
            .gives = LOAD(p->gives), .gives_to = LOAD(p->gives_to),
            .takes = LOAD(p->takes), .takes_from = LOAD(p->takes_from),
            .bytes = LOAD(p->bytes) };
        if (end(&p->seq, seq))
            return c->kind != PAGE_KIND_NONE;
    }
    return false;
}

unsigned state_comms(const char *page, struct state_comm *v, unsigned max)
{
    const struct page_shared *s = shared_at(page);
    unsigned n = 0;

    for (unsigned i = 0; i < PAGE_COMMS && n < max; i++)
        if (LOAD(s->comm[i].kind) && read_comm(&s->comm[i], &v[n]))
            n++;
    return n;
}

/* Who waits for it now. Marks that stand are there also between the calls that
 * mean them. */
static int32_t waiter_of(const char *page, uint32_t waiter)
{
    uint32_t slot = (waiter & ~PAGE_STANDING) - 1;
    bool stands = waiter & PAGE_STANDING;
    const struct page_slot *s;

    if (slot >= PAGE_SLOTS)
        return -1;
    s = slot_at(page, slot);
    if (stands && (!LOAD(s->call) || !(LOAD(s->requests) & PAGE_BY_STANDING)))
        return -1;
    return (int32_t)slot;
}

static bool read_request(const char *page, const struct page_request *p,
                         struct state_request *r)
{
    for (int i = 0; i < TRIES; i++) {
        uint16_t seq = atomic_load_explicit(&p->seq, memory_order_acquire);
        uint32_t waiter = LOAD(p->waiter);

        *r = (struct state_request){
            .comm = LOAD(p->comm), .bytes = LOAD(p->bytes),
            .collective = LOAD(p->collective), .peer = a_rank(LOAD(p->peer)),
            .tag = a_rank(LOAD(p->tag)), .call = a_call(LOAD(p->call)),
            .site = LOAD(p->site), .waiter = waiter_of(page, waiter),
            .idle = LOAD(p->idle), .sent = LOAD(p->sent) };
        atomic_thread_fence(memory_order_acquire);
        if (seq % 2 == 0 && LOAD(p->seq) == seq)
            return true;
    }
    return false;
}

unsigned state_requests(const char *page, struct state_request *v,
                        unsigned max)
{
    const struct page_shared *s = shared_at(page);
    unsigned n = 0;

    for (unsigned i = 0; i < PAGE_REQUESTS && n < max; i++)
        if (atomic_load_explicit(&s->request_key[i],
                                 memory_order_acquire) > 1 &&
            read_request(page, &s->request[i], &v[n]))
            n++;
    return n;
}

/* ------------------------------------------------------ flight recorder */

static bool read_flight(const struct page_flight *f, uint64_t number,
                        struct state_flight *to)
{
    if (atomic_load_explicit(&f->number, memory_order_acquire) != number)
        return false;
    *to = (struct state_flight){
        .number = number, .enter_ticks = LOAD(f->enter_ticks),
        .exit_ticks = LOAD(f->exit_ticks), .comm = LOAD(f->comm),
        .bytes = LOAD(f->bytes), .collective = LOAD(f->collective),
        .peer = a_rank(LOAD(f->peer)), .tag = a_rank(LOAD(f->tag)),
        .call = a_call(LOAD(f->call)), .site = a_site(LOAD(f->site)) };
    atomic_thread_fence(memory_order_acquire);
    return LOAD(f->number) == number;
}

/* A fast task overwrites the oldest ones meanwhile: those are left out. */
unsigned state_flights(const char *page, unsigned slot,
                       struct state_flight *v, unsigned max)
{
    const struct page_thread *t = thread_at(page, slot);
    uint64_t last = LOAD(slot_at(page, slot)->flights);
    uint64_t back = last < PAGE_FLIGHT ? last : PAGE_FLIGHT;
    unsigned n = 0;

    if (back > max)
        back = max;
    for (uint64_t i = last - back + 1; back-- > 0; i++)
        if (read_flight(&t->flight[(i - 1) % PAGE_FLIGHT], i, &v[n]))
            n++;
    return n;
}

/* Behind those that ended before it; when there is no room, the first one
 * goes. */
static unsigned add_flight(struct state_flight *v, unsigned n, unsigned max,
                           const struct state_flight *f)
{
    unsigned at = n;

    while (at > 0 && v[at - 1].exit_ticks > f->exit_ticks)
        at--;
    if (n < max) {
        memmove(&v[at + 1], &v[at], (n - at) * sizeof(*v));
        v[at] = *f;
        return n + 1;
    }
    if (at > 0) {
        memmove(v, v + 1, (at - 1) * sizeof(*v));
        v[at - 1] = *f;
    }
    return n;
}

unsigned state_flights_all(const char *page, struct state_flight *v,
                           unsigned max)
{
    struct state_flight one[PAGE_FLIGHT];
    const struct page_header *h = (const struct page_header *)page;
    uint32_t used = LOAD(h->slots_used);
    unsigned n = 0;

    for (unsigned s = 0; s < used && s < PAGE_SLOTS; s++) {
        unsigned of = state_flights(page, s, one,
                                    max < PAGE_FLIGHT ? max : PAGE_FLIGHT);

        for (unsigned i = 0; i < of; i++) {
            one[i].site = page_site_in(s, one[i].site);
            n = add_flight(v, n, max, &one[i]);
        }
    }
    return n;
}

/* ------------------------------------------------------------- messages */

static int by_peer(const void *a, const void *b)
{
    const struct state_peer *x = a, *y = b;

    return x->peer < y->peer ? -1 : x->peer > y->peer;
}

static const struct page_messages *messages_of(const char *page)
{
    return (const struct page_messages *)
        (page + page_messages_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
}

bool state_sent(const char *page, uint32_t peer[PAGE_PEERS],
                uint64_t bytes[PAGE_PEERS])
{
    const struct page_messages *p = messages_of(page);

    if (LOAD(p->valid) != 1)
        return false;
    for (unsigned i = 0; i < PAGE_PEERS; i++) {
        uint32_t is = LOAD(p->peer[i].peer);

        peer[i] = is <= INT32_MAX ? is : 0;
        bytes[i] = LOAD(p->peer[i].bytes);
    }
    return true;
}

int state_messages(const char *page, unsigned slot, struct state_messages *m,
                   struct state_peer v[PAGE_PEERS])
{
    const struct page_messages *p = messages_of(page);
    int n = 0;

    if (LOAD(p->valid) != 1 || LOAD(p->lost))
        return -1;
    *m = (struct state_messages){
        .eager = LOAD(p->eager), .eager_far = LOAD(p->eager_far),
        .unsure = LOAD(p->unsure), .blind = LOAD(p->blind),
        .source_tag = a_rank(LOAD(slot_at(page, slot)->source_tag)) };
    for (unsigned i = 0; i < PAGE_PEERS; i++) {
        uint32_t peer = LOAD(p->peer[i].peer);

        if (peer == 0 || peer > INT32_MAX)
            continue;
        v[n++] = (struct state_peer){
            .peer = (int32_t)peer - 1, .blind = LOAD(p->peer[i].blind),
            .sent = LOAD(p->peer[i].sent),
            .received = LOAD(p->peer[i].received),
            .last_comm = LOAD(p->peer[i].last_comm),
            .last_tag = a_rank(LOAD(p->peer[i].last_tag)),
            .bytes = LOAD(p->peer[i].bytes) };
    }
    qsort(v, (size_t)n, sizeof(*v), by_peer);
    return n;
}

/* ------------------------------------------------------------- meetings */

static bool read_meeting(const struct page_meeting *p, struct state_meeting *m)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t seq = begin(&p->seq);

        *m = (struct state_meeting){
            .id = LOAD(p->id), .comm = LOAD(p->comm), .count = LOAD(p->count),
            .call = a_call(LOAD(p->call)), .size = LOAD(p->size),
            .runs = LOAD(p->runs), .tag = a_rank(LOAD(p->tag)),
            .in = LOAD(p->in) != 0 };
        if (m->runs > PAGE_RUNS)
            m->runs = 0;
        for (uint32_t r = 0; r < m->runs; r++) {
            m->first[r] = LOAD(p->run[r].first);
            m->n[r] = LOAD(p->run[r].n);
            m->step[r] = LOAD(p->run[r].step);
        }
        if (end(&p->seq, seq))
            return m->id != 0;
    }
    return false;
}

unsigned state_meetings(const char *page, struct state_meeting *v,
                        unsigned max, bool *lost)
{
    const struct page_meetings *s = (const void *)
        (page + page_meetings_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    unsigned n = 0, there = 0;

    for (unsigned i = 0; i < PAGE_MEETINGS; i++) {
        if (!LOAD(s->meeting[i].id))
            continue;
        there++;
        if (n < max && read_meeting(&s->meeting[i], &v[n]))
            n++;
    }
    *lost = LOAD(s->lost) != 0 || n < there;
    return n;
}

/* -------------------------------------------------------------- modules */

unsigned state_modules(const char *page, struct state_module *v,
                       unsigned max)
{
    const struct page_shared *s = shared_at(page);
    unsigned n = 0;

    for (unsigned i = 0; i < PAGE_MODULES && n < max; i++) {
        const struct page_module *m = &s->module[i];
        struct state_module *to = &v[n];

        to->start = atomic_load_explicit(&m->start, memory_order_acquire);
        to->end = m->end;
        to->base = m->base;
        to->id_bytes = m->id_bytes;
        memcpy(to->id, m->id, sizeof(to->id));
        memcpy(to->path, m->path, sizeof(to->path));
        to->path[sizeof(to->path) - 1] = '\0';
        if (to->id_bytes > sizeof(to->id))
            to->id_bytes = 0;
        if (to->start && to->end > to->start)
            n++;
    }
    return n;
}

/* ---------------------------------------------------------------- model */

int state_model_init(struct state_model *m, struct err *err)
{
    memset(m, 0, sizeof(*m));
    m->site = calloc(PAGE_SITES, sizeof(*m->site));
    m->edge = calloc((size_t)PAGE_BANKS * PAGE_EDGES, sizeof(*m->edge));
    if (m->site && m->edge)
        return 0;
    state_model_fini(m);
    return err_memory(err);
}

void state_model_fini(struct state_model *m)
{
    free(m->site);
    free(m->edge);
    memset(m, 0, sizeof(*m));
}

static bool sane(double mean, double m2)
{
    return isfinite(mean) && isfinite(m2) && mean >= 0 && m2 >= 0;
}

int state_site(const char *page, unsigned slot, unsigned i,
               struct state_site *to)
{
    const struct page_thread *t = thread_at(page, slot);
    const struct page_site *s = &t->site[i];

    if (!atomic_load_explicit(&s->address, memory_order_acquire))
        return 0;
    *to = (struct state_site){
        .number = i, .call = a_call(LOAD(s->call)),
        .height = LOAD(s->height), .frames = LOAD(s->frames),
        .calls = a_count(LOAD(s->calls)),
        .in_ticks = a_count(LOAD(s->in_ticks)),
        .bytes = a_count(LOAD(s->bytes)),
        .out_ticks = a_count(LOAD(s->out_ticks)),
        .in_max = a_count(LOAD(s->in_max)) };
    if (to->frames > PAGE_FRAMES || to->call == 0)
        return -1;
    for (unsigned f = 0; f < to->frames; f++)
        to->frame[f] = LOAD(t->frame[i][f]);
    return 1;
}

int state_site_in(const char *page, uint32_t site, struct state_site *to)
{
    unsigned slot = site / PAGE_SITES, i = site % PAGE_SITES;

    return slot < PAGE_SLOTS && i >= PAGE_SITE_FIRST
           ? state_site(page, slot, i, to) : 0;
}

static void read_sites(struct state_model *m, const char *page, unsigned slot)
{
    for (unsigned i = PAGE_SITE_FIRST; i < PAGE_SITES; i++) {
        int rc = state_site(page, slot, i, &m->site[m->nsites]);

        m->nsites += rc > 0;
        m->damaged += rc < 0;
    }
}

/* -1: it is just being made, or was written at each try; 0: it makes no
 * sense. */
static int read_edge(const struct page_edge *e, struct state_edge *to)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t seq = begin(&e->seq), ends = LOAD(e->ends);

        if (seq % 2)
            continue;
        to->from = (uint16_t)(ends >> 16);
        to->to = (uint16_t)ends;
        to->n = LOAD(e->n);
        to->in_mean = LOAD(e->in_mean);
        to->in_m2 = LOAD(e->in_m2);
        to->out_mean = LOAD(e->out_mean);
        to->out_m2 = LOAD(e->out_m2);
        to->in_max = LOAD(e->in_max);
        to->out_max = LOAD(e->out_max);
        to->bytes_mean = LOAD(e->bytes_mean);
        to->bytes_m2 = LOAD(e->bytes_m2);
        for (unsigned j = 0; j < PAGE_BUCKETS; j++) {
            to->in[j] = LOAD(e->in[j]);
            to->out[j] = LOAD(e->out[j]);
        }
        if (end(&e->seq, seq))
            return to->n == 0 ? -1
                   : to->from < PAGE_SITES && to->to < PAGE_SITES &&
                   to->to != PAGE_SITE_START &&
                   sane(to->in_mean, to->in_m2) &&
                   sane(to->out_mean, to->out_m2) &&
                   sane(to->bytes_mean, to->bytes_m2);
    }
    return -1;
}

/* False: the bank was emptied meanwhile. */
static bool read_bank(struct state_model *m, const struct page_bank *b,
                      unsigned i)
{
    uint32_t seq = begin(&b->seq), phase = LOAD(b->phase);
    uint32_t used = atomic_load_explicit(&b->used, memory_order_acquire);
    uint64_t damaged = 0;
    unsigned n = m->nedges;

    m->bank[i] = (struct state_bank){
        .there = phase != 0, .merged = i == 0,
        .phase = i == 0 || phase == 0 ? phase : phase - 1,
        .label = LOAD(b->label), .lost = LOAD(b->lost),
        .since_ticks = LOAD(b->since_ticks) };
    if (seq % 2)
        return false;
    for (unsigned j = 0; phase && j < used && j < PAGE_EDGES; j++) {
        int rc;

        m->edge[n].bank = i;
        rc = read_edge(&b->edge[j], &m->edge[n]);
        damaged += rc == 0;
        n += rc > 0;
    }
    if (!end(&b->seq, seq))
        return false;
    m->nedges = n;
    m->damaged += damaged;
    return true;
}

void state_model_read(struct state_model *m, const char *page, unsigned slot)
{
    const struct page_thread *t = thread_at(page, slot);

    m->nsites = m->nedges = 0;
    m->damaged = 0;
    m->sites_lost = LOAD(slot_at(page, slot)->sites_lost);
    read_sites(m, page, slot);
    for (unsigned i = 0; i < PAGE_BANKS; i++) {
        bool whole = false;

        for (int try = 0; try < TRIES && !whole; try++)
            whole = read_bank(m, &t->bank[i], i);
        m->bank[i].missed = !whole;
        m->bank[i].there &= whole;
    }
}

static uint64_t signal_bit(uint32_t signal)
{
    return signal && signal <= 64 ? UINT64_C(1) << (signal - 1) : 0;
}

uint64_t state_own_signals(const char *page)
{
    const struct page_told *t = (const void *)
        (page + page_told_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    const struct page_stop *s = (const void *)
        (page + page_stop_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));

    return signal_bit(LOAD(t->signal)) | signal_bit(LOAD(s->signal));
}

uint32_t state_phase(const char *page)
{
    const struct page_header *h = (const struct page_header *)page;

    return LOAD(h->phase);
}

bool state_world(const char *page, struct state_world *w)
{
    const struct page_header *h = (const struct page_header *)page;

    w->size = atomic_load_explicit(&h->world_size, memory_order_acquire);
    w->rank = LOAD(h->world_rank);
    w->nspace = LOAD(h->nspace);
    return w->size != 0;
}

void state_losses(const char *page, struct state_losses *l)
{
    const struct page_header *h = (const struct page_header *)page;
    uint32_t used = LOAD(h->slots_used);

    *l = (struct state_losses){
        .phase = LOAD(h->phase_bad) != 0, .library = LOAD(h->without) != 0,
        .threads = LOAD(h->threads_shared), .comms = LOAD(h->comms_lost),
        .requests = LOAD(h->requests_lost) };
    for (unsigned i = 0; i < used && i < PAGE_SLOTS; i++) {
        l->sites += LOAD(slot_at(page, i)->sites_lost);
        l->edges += LOAD(slot_at(page, i)->edges_lost);
    }
}
