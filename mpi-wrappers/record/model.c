/* model.c - how a thread moves from call to call, see model.h and the structs
 * of page.h.
 *
 * Sites stand in a hash table, edges in the order that they came in, with a hash
 * table of their numbers; these fill up and never shrink, but for a bank that gets
 * the edges of a new phase. Invariants: every index is bounded, whatever the page
 * says; an edge is added before bank.used says so. */
#include "mpi-wrappers/record/model.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi-wrappers/record/frames.h"
#include "mpi-wrappers/record/phase.h"
#include "mpi-wrappers/fields.h"

enum {
    SITE_PROBES = 64,
    CALLERS = 3,
    SITES_APART = PAGE_SITES / 2,       /* so many: no more are told apart by
                                           their callers alone */
    BUCKET_FIRST = 8,           /* as in struct page_edge */
};

/* The square root of 2, with its highest bit where that of a number is. */
#define BUCKET_HALF 0xb504f333f9de6485u

/* Sites with the same place and height that were called in different ways are
 * told apart, by their innermost callers, while there is room. What is read of
 * the stack by it is not for others to scribble on. */
struct sites {
    uint32_t used;              /* sites, of all kinds */
    struct callers {
        uint64_t is[CALLERS];   /* return addresses, innermost first, */
        uint16_t at[CALLERS];   /* and where: words above our frame */
        bool known;             /* there is one at least; if there are fewer
                                   than so many, some are here twice */
    } callers[PAGE_SITES];
};

/* Of each slot, like the tables of the page; NULL: no memory for it. */
static struct sites *_Atomic known_sites[PAGE_SLOTS];

static COLD void make_sites(unsigned number)
{
    struct sites *none = NULL;
    void *p;

    if (atomic_load(&known_sites[number]))
        return;
    p = mmap(NULL, sizeof(*none), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED &&
        !atomic_compare_exchange_strong(&known_sites[number], &none, p))
        munmap(p, sizeof(*none));
}

void model_init(struct model *m, unsigned number, struct page_slot *slot,
                struct page_thread *page, struct page_shared *shared,
                uint32_t what)
{
    *m = (struct model){ .page = page, .shared = shared, .slot = slot,
                         .what = what, .bank = &page->bank[1],
                         .number = number };
    if (what & PAGE_DO_FRAMES)
        make_sites(number);
}

/* ---------------------------------------------------------------- sites */

static COLD void note_callers(struct sites *s, uint32_t site,
                              const _Atomic uint64_t *frame,
                              const struct frames_where *where)
{
    struct callers *c = &s->callers[site];
    uint32_t n = 0;

    s->used++;
    while (n < where->n && n < CALLERS && where->at[n] % 8 == 0 &&
           where->at[n] / 8 <= UINT16_MAX)
        n++;
    for (uint32_t i = 0; n && i < CALLERS; i++) {
        c->at[i] = (uint16_t)(where->at[i % n] / 8);
        c->is[i] = GET(frame[i % n + 1]);
    }
    c->known = n > 0;
}

static COLD uint32_t add_site(struct model *m, uint32_t at, unsigned call,
                              const void *from, const char *frame,
                              uint32_t height)
{
    struct page_site *s = &m->page->site[at];
    struct sites *sites = GET(known_sites[m->number]);
    struct frames_where where = { 0 };
    uint32_t n = 0;

    if (m->what & PAGE_DO_FRAMES)
        n = frames_take(m->shared, from, m->page->frame[at], frame, height,
                        &where);
    if (sites)
        note_callers(sites, at, m->page->frame[at], &where);
    SET(s->height, height);
    SET(s->call, call);
    SET(s->frames, n);
    SET(s->marks, phase_is_marked(call, from));
    atomic_store_explicit(&s->address, (uint64_t)(uintptr_t)from,
                          memory_order_release);
    return at;
}

static inline uint64_t word_at(const char *frame, size_t words)
{
    uint64_t word;

    memcpy(&word, frame + 8 * words, sizeof(word));
    return word;
}

/* Do the same return addresses stand where they stood when the site was seen
 * first? The stack is as high as it was then, so that all of it is there. */
static inline bool are_callers(const struct callers *c, const char *frame)
{
    return ((word_at(frame, c->at[0]) ^ c->is[0]) |
            (word_at(frame, c->at[1]) ^ c->is[1]) |
            (word_at(frame, c->at[2]) ^ c->is[2])) == 0;
}

static inline bool is_site(const struct page_site *s, unsigned call,
                           uint64_t address, uint32_t height)
{
    return LIKELY(GET(s->address) == address) &&
           LIKELY(GET(s->height) == height) && LIKELY(GET(s->call) == call);
}

/* As far as is known, they do. */
static inline bool same_callers(const struct sites *sites, uint32_t at,
                                const char *frame)
{
    return !sites || !sites->callers[at].known ||
           are_callers(&sites->callers[at], frame);
}

/* Is it this site, and no other? */
static inline bool is_guessed(const struct model *m, uint32_t at,
                              unsigned call, const void *from,
                              const char *frame, uint32_t height)
{
    const struct sites *sites = GET(known_sites[m->number]);

    return LIKELY(is_site(&m->page->site[at], call, (uint64_t)(uintptr_t)from,
                          height)) &&
           (UNLIKELY(!sites) ||
            (LIKELY(sites->callers[at].known) &&
             LIKELY(are_callers(&sites->callers[at], frame))));
}

/* The site of this call; a new one, or PAGE_SITE_OTHER, if need be. */
static __attribute__((noinline)) uint32_t
find_site(struct model *m, unsigned call, const void *from, const char *frame,
          uint32_t height)
{
    const struct sites *sites = GET(known_sites[m->number]);
    uint64_t address = (uint64_t)(uintptr_t)from;
    uint64_t h = (address ^ (uint64_t)(height ^ call << 16) << 28) *
                 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(h >> 40) % PAGE_SITES, like = PAGE_SITE_OTHER;

    for (unsigned n = 0; n < SITE_PROBES; n++, at = (at + 1) % PAGE_SITES) {
        const struct page_site *s = &m->page->site[at];
        uint64_t is = GET(s->address);

        if (is_site(s, call, address, height)) {
            if (LIKELY(same_callers(sites, at, frame)))
                return at;
            if (like == PAGE_SITE_OTHER)
                like = at;
        }
        if (is == 0 && at >= PAGE_SITE_FIRST) {
            if (like != PAGE_SITE_OTHER && sites->used >= SITES_APART)
                break;
            return add_site(m, at, call, from, frame, height);
        }
    }
    if (like != PAGE_SITE_OTHER)
        return like;
    SET(m->slot->sites_lost, GET(m->slot->sites_lost) + 1);
    return PAGE_SITE_OTHER;
}

/* ---------------------------------------------------------------- edges */

/* NULL: no room. */
static COLD struct page_edge *add_edge(struct page_bank *b,
                                       _Atomic uint16_t *slot, uint32_t ends)
{
    uint32_t used = GET(b->used);

    if (used >= PAGE_EDGES)
        return NULL;
    SET(b->edge[used].ends, ends);
    SET(*slot, (uint16_t)(used + 1));
    atomic_store_explicit(&b->used, used + 1, memory_order_release);
    return &b->edge[used];
}

/* NULL: no room. */
static __attribute__((noinline)) struct page_edge *
find_edge(struct page_bank *b, uint32_t ends)
{
    uint32_t at = (ends * 0x9e3779b1u) >> 16;

    for (unsigned probes = 0; probes < PAGE_EDGE_SLOTS; probes++, at++) {
        _Atomic uint16_t *slot = &b->by_ends[at % PAGE_EDGE_SLOTS];
        uint32_t is = GET(*slot);

        if (is == 0)
            return add_edge(b, slot, ends);
        if (LIKELY(is <= PAGE_EDGES) &&
            LIKELY(GET(b->edge[is - 1].ends) == ends))
            return &b->edge[is - 1];
    }
    return NULL;                /* only if somebody has scribbled on it */
}

static inline void edge_begin(struct page_edge *e)
{
    SET(e->seq, GET(e->seq) | 1);
    atomic_thread_fence(memory_order_release);
}

static inline void edge_end(struct page_edge *e)
{
    atomic_store_explicit(&e->seq, GET(e->seq) + 1, memory_order_release);
}

static inline unsigned bucket_of(uint64_t ticks)
{
    uint64_t x = ticks > 1 << BUCKET_FIRST ? ticks : 1 << BUCKET_FIRST;
    unsigned zeros = (unsigned)__builtin_clzll(x);
    unsigned i = 2 * (63 - BUCKET_FIRST - zeros) + (x << zeros >= BUCKET_HALF);

    return i < PAGE_BUCKETS ? i : PAGE_BUCKETS - 1;
}

static inline void count(_Atomic uint16_t *side, uint64_t ticks)
{
    unsigned i = bucket_of(ticks);
    uint16_t n = GET(side[i]);

    if (UNLIKELY(n == UINT16_MAX)) {
        for (unsigned j = 0; j < PAGE_BUCKETS; j++)
            SET(side[j], (uint16_t)(GET(side[j]) / 2));
        n /= 2;
    }
    SET(side[i], (uint16_t)(n + 1));
}

/* Welford 1962, as in Knuth, The Art of Computer Programming 2, 4.2.2,
 * equations (15) and (16). */
static inline void add_time(_Atomic double *mean, _Atomic double *m2,
                            _Atomic uint64_t *max, uint64_t ticks,
                            double one_nth)
{
    double x = (double)(int64_t)ticks, was = GET(*mean), d = x - was;
    double is = was + d * one_nth;

    SET(*mean, is);
    SET(*m2, GET(*m2) + d * (x - is));
    if (UNLIKELY(ticks > GET(*max)))
        SET(*max, ticks);
}

/* The same; mostly it is as many each time, and there is nothing to do. */
static inline void add_bytes(struct page_edge *e, uint64_t bytes,
                             double one_nth)
{
    double x = (double)(int64_t)bytes, was = GET(e->bytes_mean), d = x - was;
    double is = was + d * one_nth;

    if (LIKELY(x == was))
        return;
    SET(e->bytes_mean, is);
    SET(e->bytes_m2, GET(e->bytes_m2) + d * (x - is));
}

/* Of two samples together: Chan, Golub and LeVeque, Updating formulae and a
 * pairwise algorithm for computing sample variances, 1979. */
static void add_times(_Atomic double *mean, _Atomic double *m2, uint64_t n,
                      double mean_b, double m2_b, uint64_t n_b)
{
    double d = mean_b - GET(*mean), all = (double)(n + n_b);

    SET(*m2, GET(*m2) + m2_b + d * d * (double)n * (double)n_b / all);
    SET(*mean, GET(*mean) + d * (double)n_b / all);
}

static void add_side(_Atomic uint16_t *to, const _Atomic uint16_t *from)
{
    unsigned halve = 0;

    for (unsigned i = 0; i < PAGE_BUCKETS; i++)
        while ((unsigned)(GET(to[i]) + GET(from[i])) >> halve > UINT16_MAX)
            halve++;
    for (unsigned i = 0; i < PAGE_BUCKETS; i++)
        SET(to[i], (uint16_t)((GET(to[i]) + GET(from[i])) >> halve));
}

static void merge_edge(struct page_bank *to, const struct page_bank *from,
                       unsigned i)
{
    const struct page_edge *b = &from->edge[i];
    struct page_edge *a = find_edge(to, GET(b->ends));
    uint64_t n, n_b = GET(b->n);

    if (!a) {
        SET(to->lost, GET(to->lost) + n_b);
        return;
    }
    n = GET(a->n);
    edge_begin(a);
    if (n + n_b) {
        add_times(&a->in_mean, &a->in_m2, n, GET(b->in_mean), GET(b->in_m2),
                  n_b);
        add_times(&a->out_mean, &a->out_m2, n, GET(b->out_mean),
                  GET(b->out_m2), n_b);
        add_times(&a->bytes_mean, &a->bytes_m2, n, GET(b->bytes_mean),
                  GET(b->bytes_m2), n_b);
    }
    SET(a->n, n + n_b);
    if (GET(b->in_max) > GET(a->in_max))
        SET(a->in_max, GET(b->in_max));
    if (GET(b->out_max) > GET(a->out_max))
        SET(a->out_max, GET(b->out_max));
    add_side(a->in, b->in);
    add_side(a->out, b->out);
    edge_end(a);
}

static void bank_begin(struct page_bank *b)
{
    SET(b->seq, GET(b->seq) | 1);
    atomic_thread_fence(memory_order_release);
}

static void bank_end(struct page_bank *b)
{
    atomic_store_explicit(&b->seq, GET(b->seq) + 1, memory_order_release);
}

/* Clears fields of the page word by word: a reader may look meanwhile, and
 * drops what it saw. */
static void wipe(void *fields, size_t bytes)
{
    _Atomic uint64_t *word = fields;

    for (size_t i = 0; i < bytes / sizeof(*word); i++)
        SET(word[i], 0);
}

/* The bank for the edges of a phase; what another phase has left in it goes
 * to bank 0. */
static COLD void change_phase(struct model *m, uint32_t phase, uint64_t now)
{
    struct page_bank *b = &m->page->bank[page_bank_of(phase)];
    struct page_bank *old = &m->page->bank[0];
    uint32_t used = GET(b->used);

    used = used < PAGE_EDGES ? used : PAGE_EDGES;
    m->phase = phase + 1;
    m->bank = b;
    if (GET(b->phase) == phase + 1)     /* the slot had it before */
        return;
    bank_begin(b);
    if (GET(b->phase)) {
        uint64_t lost = GET(old->lost);

        bank_begin(old);
        for (unsigned i = 0; i < used; i++)
            merge_edge(old, b, i);
        SET(m->slot->edges_lost, GET(m->slot->edges_lost) + GET(old->lost) -
                                 lost);
        SET(old->lost, GET(old->lost) + GET(b->lost));
        SET(old->phase, GET(old->phase) + 1);
        bank_end(old);
        static_assert(sizeof(b->edge[0]) % 8 == 0 &&
                      sizeof(b->by_ends) % 8 == 0, "wipe() clears words");
        wipe(b->edge, used * sizeof(b->edge[0]));
        wipe(b->by_ends, sizeof(b->by_ends));
    }
    SET(b->used, 0);
    SET(b->lost, 0);
    SET(b->phase, phase + 1);
    SET(b->label, phase_label());
    SET(b->since_ticks, now);
    bank_end(b);
}

/* ---------------------------------------------------------------- steps */

/* The edge to this site, which next->edge is then; NULL: no room. */
static inline struct page_edge *edge_to(struct model *m, struct guess *next,
                                        uint32_t site)
{
    uint32_t ends = m->last << 16 | site;
    struct page_edge *e = &m->bank->edge[next->edge];

    if (LIKELY(GET(e->ends) == ends))
        return e;
    e = find_edge(m->bank, ends);
    if (e)
        next->edge = (uint16_t)(e - m->bank->edge);
    return e;
}

uint32_t model_enter(struct model *m, unsigned call, const void *from,
                     uint32_t height, uint64_t out, uint64_t now)
{
    const char *frame = __builtin_frame_address(0);
    struct guess *next = &m->next[m->last];
    uint32_t site = next->site, phase;
    struct page_site *s;
    struct page_edge *e;
    double one_nth;
    uint64_t n;

    if (UNLIKELY(!is_guessed(m, site, call, from, frame, height))) {
        site = find_site(m, call, from, frame, height);
        next->site = (uint16_t)site;
    }
    s = &m->page->site[site];
    SET(s->out_ticks, GET(s->out_ticks) + out);
    if (UNLIKELY(GET(s->marks)))
        phase_marked();
    phase = phase_current();
    if (UNLIKELY(m->phase != phase + 1))
        change_phase(m, phase, now);
    e = edge_to(m, next, site);
    m->last = site;
    if (UNLIKELY(!e)) {
        SET(m->bank->lost, GET(m->bank->lost) + 1);
        SET(m->slot->edges_lost, GET(m->slot->edges_lost) + 1);
        return site;
    }
    n = GET(e->n) + 1;
    one_nth = 1.0 / (double)(int64_t)n;
    edge_begin(e);
    SET(e->n, n);
    add_time(&e->in_mean, &e->in_m2, &e->in_max, m->in, one_nth);
    add_time(&e->out_mean, &e->out_m2, &e->out_max, out, one_nth);
    add_bytes(e, m->bytes, one_nth);
    if (LIKELY(m->what & PAGE_DO_HISTOGRAM)) {
        count(e->in, m->in);
        count(e->out, out);
    }
    edge_end(e);
    return site;
}

void model_leave(struct model *m, uint64_t in, uint64_t bytes)
{
    struct page_site *s = &m->page->site[m->last];

    m->in = in;
    m->bytes = bytes;
    SET(s->calls, GET(s->calls) + 1);
    SET(s->in_ticks, GET(s->in_ticks) + in);
    SET(s->bytes, GET(s->bytes) + bytes);
    if (UNLIKELY(in > GET(s->in_max)))
        SET(s->in_max, in);
}
