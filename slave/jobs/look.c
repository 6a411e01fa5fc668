/* look.c - one reading of a task, see look.h.
 *
 * Invariants. What is compared between two looks are the raw values of the
 * page, in ticks, which change only when the task does; what is sent is
 * computed from them. Bits of polls are the master's word on which functions
 * only look, and stay until the next full order. */
#include "slave/jobs/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/hct_policy.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/lookwire.h"
#include "slave/page/lookmodel.h"
#include "slave/page/stance.h"
#include "slave/page/state.h"
#include "slave/proc/counters.h"
#include "slave/proc/delay.h"
#include "slave/proc/procstate.h"
#include "slave/proc/threads.h"
#include "slave/proc/turns.h"

static const uint64_t look_stands_ns = 200 * CLOCK_NS_PER_MS;
static const uint64_t look_proc_ns = 500 * CLOCK_NS_PER_MS;
static const uint64_t look_had_ns = 100 * CLOCK_NS_PER_MS;
enum { LOOK_REQUESTS = 256, LOOK_COMMS = 256, LOOK_FLIGHTS = 8,
       LOOK_WORDS = PAGE_CALLS / 64,
       LOOK_FIRST = 64,                 /* there is room for at once, of a kind */
       LOOK_ENTRIES = 100000 };         /* of models: 8 MB of a message */

struct look_raw {               /* all but padding is compared */
    uint32_t life, flags, threads, threads_in, call, waits_call, requests,
             site, phase, phase_id, level, sample, been, waits, waited_cpu_us;
    int32_t peer, source, tag, mark;
    uint64_t calls, polls, comm, collective, bytes, count;
    uint64_t since_ticks, in_ticks, out_ticks, cpu_ns, own_cpu_ns, tags, site_calls;
    uint64_t sampled_ns, waits_ns, place_key;
    struct delay delay, had;
    struct counters_value counted;
    char wchan[PROCSTATE_WCHAN], place[WAITING_NAME];
};

struct look_task {
    struct look_raw last;
    bool known;                 /* the master has been told last */
    bool together;              /* two of its threads were in MPI at once */
    pid_t tid;                  /* the thread that speaks for it; 0: not known,
                                   or its number means nothing here */
    uint64_t moved_ns;          /* when the task was last seen to move */
    uint64_t had_at_ns;         /* what it had of its processor was read */
    pid_t had_pid;              /* ... of that process */
    uint64_t proc_at_ns;        /* proc was read; 0: not since it moved */
    struct procstate proc;
    char place[WAITING_NAME];   /* that is being told */
    uint64_t key_stay, key;     /* of which stay, in ticks: place_key */
    uint64_t polls[LOOK_WORDS];
    uint64_t used[LOOK_WORDS];  /* those of them that are called */
    uint64_t progress;          /* calls but those, the most that is certain */
    struct turns *turns;        /* of several threads that wait in MPI; or NULL */
    struct delay delay;         /* as of the last look with models */
    struct counters *counters;  /* or NULL */
    pid_t uncounted;            /* of this process there are none */
};

void look_task_free(struct look_task *k)
{
    if (k) {
        free(k->turns);
        counters_close(k->counters);
    }
    free(k);
}

/* -------------------------------------------------------------- the page */

static uint32_t life_of(const struct task *t)
{
    static const uint8_t lives[] = {
        [PAGE_STATE_NEW] = HCT_LIFE_STARTED, [PAGE_STATE_INIT] = HCT_LIFE_INIT,
        [PAGE_STATE_RUNNING] = HCT_LIFE_RUNNING,
        [PAGE_STATE_FINALIZE] = HCT_LIFE_FINALIZE,
        [PAGE_STATE_DONE] = HCT_LIFE_DONE,
    };
    const struct page_header *h = (const void *)t->tally.page;
    uint32_t state;

    if (t->over)
        return HCT_LIFE_ENDED;
    if (!t->pid)
        return HCT_LIFE_NONE;
    if (!h)
        return peek_life(t);
    state = atomic_load_explicit(&h->state, memory_order_relaxed);
    return state <= PAGE_STATE_DONE ? lives[state] : HCT_LIFE_STARTED;
}

/* The main thread, which has the first slot, and those others that matter. */
static unsigned threads_of(const char *page, struct state_thread v[PAGE_SLOTS])
{
    unsigned n = state_threads(page, v, PAGE_SLOTS), m = n > 0;

    for (unsigned i = 1; i < n; i++)
        if (state_takes_part(page, v[i].slot))
            v[m++] = v[i];
    return m;
}

/* Most programs use few functions, and the table is long: all is looked through
 * to find out which ones are used. */
static uint64_t polls_of(struct look_task *k, const char *page,
                         unsigned slots, bool all)
{
    uint64_t n = 0;

    if (all)
        memset(k->used, 0, sizeof(k->used));
    for (unsigned s = 0; s < slots; s++) {
        const struct page_count *c = (const struct page_count *)
            (page + page_counts_at(PAGE_SLOTS, PAGE_CALLS, s));

        if (s > 0 && !state_takes_part(page, s))
            continue;
        for (unsigned i = 0; i < LOOK_WORDS; i++)
            for (uint64_t b = all ? k->polls[i] : k->used[i]; b; b &= b - 1) {
                unsigned bit = (unsigned)__builtin_ctzll(b);
                uint64_t calls = atomic_load_explicit(&c[64 * i + bit].calls,
                                                      memory_order_relaxed);

                n += calls;
                if (calls)
                    k->used[i] |= UINT64_C(1) << bit;
            }
    }
    return n;
}

static bool is_poll(const struct look_task *k, uint32_t call)
{
    return call < PAGE_CALLS && k->polls[call / 64] >> call % 64 & 1;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* What is told is consistent, though it is read while the task runs: calls are
 * read before the questions among them, so their difference, the progress, may
 * come out too low, but never too high; it never falls; and so the highest one
 * is the one to tell. asking: threads that were in a question, or may have
 * been, when calls was read. */
static void count_polls(struct look_raw *r, struct look_task *k,
                        const char *page, unsigned slots, unsigned asking)
{
    uint64_t most = less(r->calls, asking);

    if (r->calls < k->last.calls)
        k->progress = 0;                /* of another page */
    if (less(most, polls_of(k, page, slots, false)) > k->progress) {
        uint64_t progress = less(most, polls_of(k, page, slots, true));

        if (progress > k->progress)
            k->progress = progress;
    }
    r->polls = less(r->calls, k->progress + ((r->flags & HCT_IN_MPI) &&
                                             is_poll(k, r->call)));
}

/* Outside of MPI: the call that was left last. */
static uint32_t last_call(const char *page, unsigned slot)
{
    struct state_flight f;

    return state_flights(page, slot, &f, 1) ? f.call : 0;
}

/* How often the task has been there before. */
static uint64_t calls_of_site(const char *page, unsigned slot, uint32_t site)
{
    const struct page_thread *t = (const void *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, slot));

    if (site < PAGE_SITE_FIRST || site >= PAGE_SITES)
        return 0;
    return atomic_load_explicit(&t->site[site].calls, memory_order_relaxed);
}

static void take_thread(struct look_raw *r, const struct state_thread *t)
{
    r->call = t->call;
    r->waits_call = t->waits_call;
    r->requests = t->requests;
    r->site = page_site_in(t->slot, t->site);
    r->peer = t->peer;
    r->source = t->source;
    r->tag = t->tag;
    r->comm = t->comm;
    r->collective = t->collective;
    r->bytes = t->bytes;
    r->count = t->count;
    r->since_ticks = t->since_ticks;
    r->in_ticks = t->in_ticks;
    r->out_ticks = t->out_ticks;
    if (t->torn)
        r->flags |= HCT_TORN;
}

/* Is there perhaps no room for another record? Then the task waits for us, or
 * for the master behind us. */
static bool has_no_room(const char *page, unsigned slot)
{
    const struct page_slot *s = (const void *)(page + page_slot_at(slot));
    uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);

    return head - tail > PAGE_RING_BYTES - PAGE_TEXT_MAX -
                         2 * sizeof(struct page_record);
}

/* The main thread has the first slot. It speaks for the task, unless it is
 * outside of MPI and another one is inside: then the one that entered first;
 * or, where any may call, has just asked for something: it does so in a loop,
 * perhaps. */
static unsigned choose(const struct look_task *k, const char *page,
                       const struct state_thread *v, unsigned n, uint32_t level)
{
    unsigned chosen = 0, last = 0;

    for (unsigned i = 1; i < n; i++) {
        if (v[i].call && (!v[chosen].call ||
                          (chosen && v[i].since_ticks < v[chosen].since_ticks)))
            chosen = i;
        if (v[i].since_ticks > v[last].since_ticks)
            last = i;
    }
    return level >= HCT_LEVEL_SERIALIZED && !v[chosen].call && last > 0 &&
           is_poll(k, last_call(page, v[last].slot)) ? last : chosen;
}

/* Its number means something here if that of the task does. */
static pid_t thread_id(const struct task *t, const struct state_thread *v)
{
    const struct page_header *h = (const void *)t->tally.page;

    return atomic_load_explicit(&h->pid, memory_order_relaxed) ==
           (uint32_t)t->tally.pid ? (pid_t)v->tid : 0;
}

/* How many threads may call MPI. Who breaks the rule that only one may at a time
 * will again. */
static uint32_t level_of(const char *page, struct look_task *k, unsigned in)
{
    const struct page_header *h = (const void *)page;
    uint32_t level = atomic_load_explicit(&h->level, memory_order_relaxed);

    k->together |= in > 1;
    if (level == HCT_LEVEL_SERIALIZED && k->together)
        return HCT_LEVEL_MULTIPLE;
    return level > HCT_LEVEL_MULTIPLE ? HCT_LEVEL_UNKNOWN : level;
}

static void read_threads(struct look_raw *r, struct look_task *k,
                         const struct task *t, const struct state_thread *v,
                         unsigned n, unsigned asking)
{
    const char *page = t->tally.page;
    unsigned chosen = choose(k, page, v, n, r->level);

    take_thread(r, &v[chosen]);
    k->tid = thread_id(t, &v[chosen]);
    r->site_calls = calls_of_site(page, v[chosen].slot, v[chosen].site);
    if (r->call)
        r->flags |= HCT_IN_MPI;
    else
        r->call = last_call(page, v[chosen].slot);
    count_polls(r, k, page, v[n - 1].slot + 1, asking);
}

static void read_page(struct look_raw *r, struct look_task *k,
                      const struct task *t)
{
    static struct state_thread v[PAGE_SLOTS];
    const char *page = t->tally.page;
    const struct page_header *h = (const void *)page;
    unsigned n = threads_of(page, v), asking = 0;

    r->flags |= HCT_PAGE | HCT_OBSERVED;
    r->peer = r->source = r->tag = HCT_NONE;
    r->phase = state_phase(page);
    r->phase_id = atomic_load_explicit(&h->phase_id, memory_order_relaxed);
    if (atomic_load_explicit(&h->comms_lost, memory_order_relaxed) ||
        atomic_load_explicit(&h->requests_lost, memory_order_relaxed))
        r->flags |= HCT_LOST;
    for (unsigned i = 0; i < n; i++) {
        r->calls += v[i].calls;
        r->threads_in += v[i].call != 0;
        asking += v[i].torn || is_poll(k, v[i].call);
    }
    r->threads = n;
    r->level = level_of(page, k, r->threads_in);
    k->tid = 0;
    if (n == 0)
        return;
    read_threads(r, k, t, v, n, asking);
    for (unsigned i = 0; i < n; i++)
        if (has_no_room(page, v[i].slot))       /* says nothing of itself */
            r->flags &= ~(uint32_t)(HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI);
}

/* Without a page. */
static void read_stack(struct look_raw *r, const struct peeked *p)
{
    if (!p->sample)
        return;
    r->flags |= HCT_STACK | HCT_OBSERVED | (p->in ? HCT_IN_MPI : 0);
    r->peer = r->source = r->tag = HCT_UNKNOWN;
    r->call = p->call;
    r->sample = p->sample;
    r->sampled_ns = p->at_ns;
}

/* ------------------------------------------------------------ collecting */

/* NULL: out of memory. Each look begins anew, so that its arrays must not grow
 * from one on. */
#define ONE_MORE(l, what) \
    (array_reserve(&(l)->what, &(l)->what##_cap, \
                   (l)->n##what ? (l)->n##what + 1 : LOOK_FIRST) \
     ? NULL : &(l)->what[(l)->n##what++])

static unsigned clock_of(const struct task *t)
{
    const struct page_header *h = (const void *)t->tally.page;

    return h ? atomic_load_explicit(&h->clock, memory_order_relaxed) : 0;
}

static uint64_t age_of(const struct look *l, unsigned clock, uint64_t ticks)
{
    uint64_t now = ticks_now(clock);

    return ticks && now > ticks ? ticks_ns(&l->node->ticks, clock, now - ticks)
                                : 0;
}

static void tell(struct look *l, const struct task *t,
                 const struct look_raw *r)
{
    unsigned clock = clock_of(t);
    Hct__Looked__Task *m = ONE_MORE(l, tasks);

    if (!m)
        return;
    hct__looked__task__init(m);
    m->rank = t->rank;
    m->life = r->life;
    m->flags = r->flags;
    m->threads = r->threads;
    m->threads_in = r->threads_in;
    m->calls = r->calls;
    m->polls = r->polls;
    m->age_ns = r->sample ? clock_monotonic_ns() - r->sampled_ns
                          : age_of(l, clock, r->since_ticks);
    m->sample = r->sample;
    m->in_ns = ticks_ns(&l->node->ticks, clock, r->in_ticks);
    m->out_ns = ticks_ns(&l->node->ticks, clock, r->out_ticks);
    m->cpu_ns = r->cpu_ns;
    m->own_cpu_ns = r->own_cpu_ns;
    m->call = r->call;
    m->waits_call = r->waits_call;
    m->comm = r->comm;
    m->collective = r->collective;
    m->bytes = r->bytes;
    m->count = r->count;
    m->peer = r->peer;
    m->source = r->source;
    m->tag = r->tag;
    m->requests = r->requests;
    m->site = r->site;
    m->phase = r->phase;
    m->phase_id = r->phase_id;
    m->mark = r->mark;
    m->site_calls = r->site_calls;
    m->level = r->level;
    m->tag_text.data = (uint8_t *)t->tally.last_tag;
    m->tag_text.len = strnlen(t->tally.last_tag, sizeof(
        ((struct hct_rank *)NULL)->tag_text) - 1);
    m->wchan = (char *)t->look->proc.wchan;
    m->been = r->been;
    m->waits = r->waits;
    m->waits_ns = r->waits_ns;
    m->waited_cpu_us = r->waited_cpu_us;
    m->delayed_ns = r->delay.kept_ns;
    m->ran_ns = r->delay.ran_ns;
    m->instructions = r->counted.instructions;
    m->cycles = r->counted.cycles;
    m->had_ns = r->had.ran_ns;
    m->wanted_ns = r->had.kept_ns;
    m->place = t->look->place;
    m->place_key = r->place_key;
}

/* Has one thread sent after the other? Of several that may call at the same time
 * that is not known. */
static bool in_turn(const char *page, uint32_t level)
{
    const struct page_header *h = (const void *)page;

    return level != HCT_LEVEL_MULTIPLE ||
           (atomic_load_explicit(&h->slots_used, memory_order_relaxed) <= 1 &&
            !atomic_load_explicit(&h->threads_shared, memory_order_relaxed));
}

/* Of calls that wait, by the slot of their thread; -1: none. */
static uint32_t waited_by(int32_t slot, uint32_t shown)
{
    return slot < 0 ? 0 : (uint32_t)slot == shown ? HCT_WAITED_HERE
                                    : HCT_WAITED_HERE + 1 + (uint32_t)slot;
}

/* What the threads wait for that are not shown. */
static void detail_calls(struct look *l, const struct task *t, uint32_t shown)
{
    static struct state_thread v[PAGE_SLOTS];
    unsigned n = threads_of(t->tally.page, v);

    for (unsigned i = 0; i < n; i++) {
        Hct__Looked__Request *m = v[i].call && v[i].slot != shown
            ? ONE_MORE(l, requests) : NULL;

        if (!m)
            continue;
        hct__looked__request__init(m);
        m->rank = t->rank;
        m->call = v[i].call;
        m->comm = v[i].comm;
        m->bytes = v[i].bytes;
        m->collective = v[i].collective;
        m->peer = v[i].peer;
        m->tag = v[i].tag;
        m->site = page_site_in(v[i].slot, v[i].site);
        m->waited = waited_by((int32_t)v[i].slot, shown);
    }
}

static void detail_requests(struct look *l, const struct task *t,
                            uint32_t level, uint32_t shown)
{
    static struct state_request v[LOOK_REQUESTS];
    unsigned n = state_requests(t->tally.page, v, LOOK_REQUESTS);
    bool ordered = in_turn(t->tally.page, level);

    for (unsigned i = 0; i < n; i++) {
        Hct__Looked__Request *m = ONE_MORE(l, requests);

        if (!m)
            return;
        hct__looked__request__init(m);
        m->rank = t->rank;
        m->call = v[i].call;
        m->comm = v[i].comm;
        m->bytes = v[i].bytes;
        m->collective = v[i].collective;
        m->peer = v[i].peer;
        m->tag = v[i].tag;
        m->idle = v[i].idle;
        m->site = v[i].site;
        m->sent = ordered ? v[i].sent : 0;
        m->waited = waited_by(v[i].waiter, shown);
    }
}

static void detail_comms(struct look *l, const struct task *t)
{
    static struct state_comm v[LOOK_COMMS];
    unsigned n = state_comms(t->tally.page, v, LOOK_COMMS);

    for (unsigned i = 0; i < n; i++) {
        Hct__Looked__Comm *m = ONE_MORE(l, comms);

        if (!m)
            return;
        hct__looked__comm__init(m);
        m->rank = t->rank;
        m->kind = v[i].kind;
        m->id = v[i].id;
        m->parent = v[i].parent;
        m->local = v[i].rank;
        m->size = v[i].size;
        m->remote_size = v[i].remote_size;
        m->call = v[i].call;
        m->history = v[i].history;
        m->history_before = v[i].history_before;
        m->freed = v[i].freed;
        m->parcels_in = v[i].parcels_in;
        m->gives = v[i].gives;
        m->gives_to = v[i].gives_to;
        m->takes = v[i].takes;
        m->takes_from = v[i].takes_from;
        m->collectives = v[i].collectives;
        m->age_ns = age_of(l, clock_of(t), v[i].since_ticks);
    }
}

static void detail_flights(struct look *l, const struct task *t)
{
    struct state_flight v[LOOK_FLIGHTS];
    unsigned n = state_flights_all(t->tally.page, v, LOOK_FLIGHTS);

    for (unsigned i = 0; i < n; i++) {
        Hct__Looked__Flight *m = ONE_MORE(l, flights);

        if (!m)
            return;
        hct__looked__flight__init(m);
        m->rank = t->rank;
        m->call = v[i].call;
        m->comm = v[i].comm;
        m->collective = v[i].collective;
        m->bytes = v[i].bytes;
        m->peer = v[i].peer;
        m->tag = v[i].tag;
        m->site = v[i].site;
        m->number = v[i].number;
        m->entered_ns = age_of(l, clock_of(t), v[i].enter_ticks);
        m->left_ns = age_of(l, clock_of(t), v[i].exit_ticks);
    }
}

/* Its arrays in one piece, which begins with sent. */
static bool account_arrays(Hct__Looked__Account *m, size_t n)
{
    char *p = malloc(n * (3 * sizeof(uint64_t) + 3 * sizeof(uint32_t)) + 1);

    if (!p)
        return false;
    m->n_peers = m->n_sent = m->n_received = m->n_blinds = n;
    m->n_last_comms = m->n_last_tags = n;
    m->sent = (uint64_t *)(void *)p;
    m->received = m->sent + n;
    m->last_comms = m->received + n;
    m->peers = (uint32_t *)(m->last_comms + n);
    m->blinds = m->peers + n;
    m->last_tags = (int32_t *)(m->blinds + n);
    return true;
}

static void detail_messages(struct look *l, const struct task *t,
                            unsigned slot)
{
    static struct state_peer v[PAGE_PEERS];
    struct state_messages s;
    int n = state_messages(t->tally.page, slot, &s, v);
    Hct__Looked__Account *m = n >= 0 ? ONE_MORE(l, accounts) : NULL;

    if (!m)
        return;
    hct__looked__account__init(m);
    m->rank = t->rank;
    if (!account_arrays(m, (size_t)n)) {
        l->naccounts--;
        return;
    }
    m->eager = s.eager;
    m->eager_far = s.eager_far;
    m->unsure = s.unsure;
    m->blind = s.blind;
    m->source_tag = s.source_tag;
    for (int i = 0; i < n; i++) {
        m->peers[i] = (uint32_t)v[i].peer;
        m->sent[i] = v[i].sent;
        m->received[i] = v[i].received;
        m->blinds[i] = v[i].blind;
        m->last_comms[i] = v[i].last_comm;
        m->last_tags[i] = v[i].last_tag;
    }
}

/* Its runs in one piece, which begins with firsts. */
static bool meeting_runs(Hct__Looked__Meeting *m, const struct state_meeting *v)
{
    uint32_t *p = malloc(v->runs * 3 * sizeof(*p) + 1);

    if (!p)
        return false;
    m->n_firsts = m->n_ns = m->n_steps = v->runs;
    m->firsts = memcpy(p, v->first, v->runs * sizeof(*p));
    m->ns = memcpy(p + v->runs, v->n, v->runs * sizeof(*p));
    m->steps = memcpy(p + 2 * v->runs, v->step, v->runs * sizeof(*p));
    return true;
}

static void detail_meetings(struct look *l, const struct task *t)
{
    static struct state_meeting v[PAGE_MEETINGS + 1];
    bool lost;
    unsigned n = state_meetings(t->tally.page, v, PAGE_MEETINGS, &lost);

    if (lost)
        v[n++] = (struct state_meeting){ .id = 0 };
    for (unsigned i = 0; i < n; i++) {
        Hct__Looked__Meeting *m = ONE_MORE(l, meetings);

        l->failed |= !m;        /* it would seem not to have met */
        if (!m)
            return;
        hct__looked__meeting__init(m);
        m->rank = t->rank;
        m->call = v[i].call;
        m->id = v[i].id;
        m->comm = v[i].comm;
        m->count = v[i].count;
        m->tag = v[i].tag;
        m->in = v[i].in;
        m->size = v[i].size;
        l->failed |= !meeting_runs(m, &v[i]);
    }
}

/* Messages before requests: one that is counted as received is no longer
 * waited for by the time that its request is read. */
static void read_detail(struct look *l, const struct task *t,
                        const struct look_raw *r)
{
    uint32_t shown = r->site / PAGE_SITES;      /* slot */

    detail_messages(l, t, shown);
    detail_requests(l, t, r->level, shown);
    if (r->threads_in > 1)
        detail_calls(l, t, shown);
    detail_comms(l, t);
    detail_flights(l, t);
    detail_meetings(l, t);
}

static bool wants_model(const Hct__Look *m, uint32_t rank)
{
    size_t low = 0, high = m->n_models;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (m->models[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return m->n_models == 0 || (low < m->n_models && m->models[low] == rank);
}

static void read_model(struct look *l, const struct task *t, uint32_t site)
{
    struct lookmodel_time time = {
        .window = l->order->window < WINDOWS
                      ? (enum window_what)l->order->window : WINDOW_START,
        .kept = t->tally.windows, .ago_ns = l->order->last_ns };
    size_t entries;
    Hct__Looked__Model *m;

    if (!l->reads && !(l->reads = lookmodel_create()))
        return;
    m = ONE_MORE(l, models);
    if (!m)
        return;
    hct__looked__model__init(m);
    m->rank = t->rank;
    if (!lookmodel_read(l->reads, t->tally.page, &l->node->ticks, site, &time,
                        m)) {
        l->nmodels--;
        return;
    }
    entries = m->n_sites + m->n_from + (m->last ? m->last->n_from : 0);
    l->entries += entries;
    if (l->entries > LOOK_ENTRIES) {
        l->entries -= entries;
        free(m->places);
        l->nmodels--;
    }
}

/* Has it been in the same call all the while? Else its details may be of
 * another one. Who asks in a loop is in many. */
static bool stayed(const struct task *t, const struct look_raw *r)
{
    static struct state_thread v[PAGE_SLOTS];
    unsigned n = threads_of(t->tally.page, v), in = 0;
    uint64_t calls = 0;

    if (is_poll(t->look, r->call))
        return true;

    for (unsigned i = 0; i < n; i++) {
        calls += v[i].calls;
        in += v[i].call != 0;
        if (v[i].torn)
            return false;
    }
    return calls == r->calls && in == r->threads_in;
}

/* Has it moved since the look before? What /proc says of it counts until then,
 * and for a while. */
static void look_proc(struct look_task *k, const struct task *t,
                      struct look_raw *r, bool detail)
{
    uint64_t now = clock_monotonic_ns();
    const struct look_raw *o = &k->last;

    if (!k->moved_ns || r->calls != o->calls || r->life != o->life ||
        r->since_ticks != o->since_ticks ||
        (r->sample && (r->call != o->call ||
                       ((r->flags ^ o->flags) & HCT_IN_MPI)))) {
        k->moved_ns = now;
        k->proc_at_ns = 0;
        k->proc = (struct procstate){ 0 };
    } else if (detail || (now - k->moved_ns >= look_stands_ns &&
                          now - k->proc_at_ns >= look_proc_ns)) {
        k->proc_at_ns = now;
        procstate_read(&k->proc, (r->flags & HCT_IN_MPI) && k->tid ? k->tid
                                 : t->tally.page ? t->tally.pid
                                 : t->peeked.pid ? t->peeked.pid : t->pid);
    }
    r->flags |= k->proc.flags;
    r->cpu_ns = k->proc.cpu_ns;
    r->own_cpu_ns = k->proc.own_cpu_ns;
    memcpy(r->wchan, k->proc.wchan, sizeof(r->wchan));
}

/* Can no other thread call MPI, before one of those that are in it wakes it, or
 * the one that is shown? As it stays so until one of these goes on, it is so as
 * long as none has. */
static void look_alone(const struct look_task *k, const struct task *t,
                       struct look_raw *r)
{
    static struct state_thread v[PAGE_SLOTS];
    const char *page = t->tally.page;
    const struct page_header *h = (const void *)page;
    struct threads_but but = { .tid = { k->tid }, .n = 1 };
    unsigned n;

    if (!page || !k->tid || r->level < HCT_LEVEL_SERIALIZED ||
        (r->flags & HCT_TORN) ||
        atomic_load_explicit(&h->threads_shared, memory_order_relaxed))
        return;
    n = threads_of(page, v);
    for (unsigned i = 0; i < n && but.n < PAGE_SLOTS; i++)
        if (v[i].call && (pid_t)v[i].tid != k->tid)
            but.tid[but.n++] = (pid_t)v[i].tid;
    if (but.n - 1 != r->threads_in - !!(r->flags & HCT_IN_MPI))
        return;
    but.page = h;
    but.signals = state_own_signals(page);
    if (threads_asleep(t->tally.pid, &but))
        r->flags |= HCT_ALONE;
}

/* Where several threads may call: what those that wait in MPI have had of a
 * processor since. Who only asks does not wait. */
static void look_turns(struct look_task *k, const struct task *t,
                       struct look_raw *r, bool detail)
{
    static struct state_thread v[PAGE_SLOTS];
    static struct turns_of waiting[PAGE_SLOTS];
    unsigned n, m = 0;

    if (!t->tally.page || r->level < HCT_LEVEL_SERIALIZED || r->threads <= 1 ||
        !(r->flags & HCT_IN_MPI))
        return;
    if (!k->turns && !(k->turns = calloc(1, sizeof(*k->turns))))
        return;
    if (detail) {
        n = threads_of(t->tally.page, v);
        for (unsigned i = 0; i < n; i++)
            if (v[i].call && !is_poll(k, v[i].call))
                waiting[m++] = (struct turns_of){ .tid = thread_id(t, &v[i]),
                    .since = v[i].since_ticks };
        turns_read(k->turns, k->progress, waiting, m);
    }
    r->waited_cpu_us = turns_us(k->turns, k->progress);
}

/* Of one that stands for some time: what other runs call the place that it has
 * left MPI at. Read once in a stay. */
static uint64_t look_key(struct look_task *k, const struct task *t,
                         const struct look_raw *r)
{
    static struct state_module modules[PAGE_MODULES];
    struct state_site s;

    if (k->key_stay == r->since_ticks)
        return k->key;
    if (!k->known || r->since_ticks != k->last.since_ticks ||
        clock_monotonic_ns() - k->moved_ns < look_stands_ns)
        return 0;
    k->key_stay = r->since_ticks;
    k->key = state_site_in(t->tally.page, r->site, &s) < 1 ? 0
        : sites_key(&s, modules,
                    state_modules(t->tally.page, modules, PAGE_MODULES));
    return k->key;
}

/* Outside of MPI: where that is, and what for. */
static void look_place(struct look_task *k, const struct task *t,
                       struct look_raw *r)
{
    const struct waiting *w = &k->proc.waiting;

    if ((r->flags & HCT_IN_MPI) || !(r->flags & HCT_PAGE))
        return;
    r->waits = w->what;
    r->waits_ns = w->ns;
    r->place_key = look_key(k, t, r);
    if (t->glanced.stay == r->since_ticks)
        r->been = t->glanced.been;
    if (r->waits && *w->name)
        memcpy(r->place, w->name, sizeof(r->place));
    else if (t->glanced.stay == r->since_ticks)
        memcpy(r->place, t->glanced.place, sizeof(r->place));
}

/* What the processor has counted of it since it was first looked at, or since it
 * came here. Why there is nothing is said once for all tasks. */
static void look_counters(const struct look *l, struct look_task *k,
                          const struct task *t, struct look_raw *r)
{
    struct counters_source *s = l->node->counters;
    pid_t pid = t->tally.page && r->life < HCT_LIFE_ENDED ? t->tally.pid : 0;
    struct err err;

    if (k->counters && counters_pid(k->counters) != pid) {
        counters_close(k->counters);
        k->counters = NULL;
    }
    if (s && !s->none && !k->counters && pid > 0 && k->uncounted != pid &&
        r->life == HCT_LIFE_RUNNING) {
        k->uncounted = pid;
        k->counters = counters_open(s, pid, &err);
        if (s->none)
            log_info("look", "%s", err.text);
    }
    r->counted = k->counters ? counters_read(k->counters)
                             : (struct counters_value){ 0 };
}

/* How its main thread shares its processor. Where looks follow each other fast,
 * not of each. */
static void look_had(struct look_task *k, const struct task *t,
                     struct look_raw *r)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (!t->tally.page || r->life >= HCT_LIFE_ENDED)
        return;
    if (k->had_pid == t->tally.pid && now_ns - k->had_at_ns < look_had_ns)
        return;
    k->had_pid = t->tally.pid;
    k->had_at_ns = now_ns;
    delay_read_main(&r->had, t->tally.pid);
}

bool look_stay(const struct task *t, struct look_stay *s)
{
    const struct look_task *k = t->look;
    struct state_thread v;

    if (!k || !k->known || t->over || t->held || !t->tally.page ||
        k->last.life != HCT_LIFE_RUNNING ||
        state_threads(t->tally.page, &v, 1) == 0 || v.call || !v.since_ticks)
        return false;
    *s = (struct look_stay){ .stay = v.since_ticks,
        .call = last_call(t->tally.page, v.slot) };
    if (v.since_ticks != k->last.since_ticks)
        return true;
    s->stands_ns = clock_monotonic_ns() - k->moved_ns;
    s->flags = k->proc.flags;
    s->waits = k->proc.waiting.what;
    s->collects = k->proc.waiting.collects;
    return true;
}

bool look_spot(const struct task *t, struct look_spot *s)
{
    const struct look_task *k = t->look;

    if (!k || !k->known || t->over || !(k->last.flags & HCT_PAGE))
        return false;
    *s = (struct look_spot){ .site = k->last.site,
                             .in = k->last.flags & HCT_IN_MPI };
    return true;
}

static void take_polls(struct look_task *k, const ProtobufCBinaryData *polls)
{
    if (polls->len > PAGE_CALLS / 8)
        return;
    for (size_t i = 0; i < polls->len; i++) {
        if (i % 8 == 0)
            k->polls[i / 8] = 0;
        k->polls[i / 8] |= (uint64_t)polls->data[i] << 8 * (i % 8);
    }
}

void look_at(struct look *l, struct task *t)
{
    const Hct__Look *m = l->order;
    bool detail = m->parts & HCT_NEED_DETAIL;
    struct look_raw r;
    struct look_task *k = t->look;

    if (!k && !(k = t->look = calloc(1, sizeof(*k))))
        return;
    if (m->full)
        take_polls(k, &m->polls);
    memset(&r, 0, sizeof(r));
    r.life = life_of(t);
    r.mark = t->tally.last_mark;
    r.tags = t->tally.next_seq;
    if (t->tally.page) {
        read_page(&r, k, t);
        delay_turn(&t->tally.delays, t->tally.pid, r.phase, clock_monotonic_ns());
    } else {
        read_stack(&r, &t->peeked);
    }
    if (r.life < HCT_LIFE_ENDED && r.life > HCT_LIFE_NONE)
        look_proc(k, t, &r, detail);
    if (r.life == HCT_LIFE_RUNNING && detail)
        look_alone(k, t, &r);
    if (r.life == HCT_LIFE_RUNNING)
        look_turns(k, t, &r, detail);
    look_place(k, t, &r);
    if (t->held) {
        r.flags |= HCT_SUSPENDED | HCT_STOPPED;
        if (!t->by_others)
            r.flags &= ~(uint32_t)HCT_STOPPED;
    }
    if (t->stance || t->restoring ||
        (t->tally.page && stance_apart(t->tally.page)))
        r.flags |= HCT_MIGRATING;
    if (detail && t->tally.page) {
        read_detail(l, t, &r);
        if (!stayed(t, &r))
            r.flags |= HCT_TORN;
    }
    if ((m->parts & HCT_NEED_MODEL) && t->tally.page &&
        wants_model(m, t->rank)) {
        read_model(l, t, r.site);
        delay_read(&k->delay, t->tally.pid);
    }
    r.delay = k->delay;
    memcpy(k->place, r.place, sizeof(k->place));
    r.counted = k->last.counted;        /* these alone are no news */
    r.had = k->last.had;
    if (m->full || !k->known || memcmp(&r, &k->last, sizeof(r)) != 0) {
        look_counters(l, k, t, &r);
        look_had(k, t, &r);
        tell(l, t, &r);
    }
    memcpy(&k->last, &r, sizeof(r));
    k->known = true;
}

/* protobuf-c wants arrays of pointers. */
static void *pointers_to(void *v, size_t n, size_t bytes)
{
    void **p = malloc((n + 1) * sizeof(void *));

    for (size_t i = 0; p && i < n; i++)
        p[i] = (char *)v + i * bytes;
    return p;
}

#define POINTERS(l, what) \
    pointers_to((l)->what, (l)->n##what, sizeof(*(l)->what))

/* m borrows from l; false without memory. */
static bool fill(struct look *l, Hct__Looked *m)
{
    m->job = l->order->job;
    m->seq = l->order->seq;
    m->n_tasks = l->ntasks;
    m->n_requests = l->nrequests;
    m->n_comms = l->ncomms;
    m->n_flights = l->nflights;
    m->n_accounts = l->naccounts;
    m->n_meetings = l->nmeetings;
    m->n_models = l->nmodels;
    m->tasks = POINTERS(l, tasks);
    m->requests = POINTERS(l, requests);
    m->comms = POINTERS(l, comms);
    m->flights = POINTERS(l, flights);
    m->accounts = POINTERS(l, accounts);
    m->meetings = POINTERS(l, meetings);
    m->models = POINTERS(l, models);
    return !l->failed && m->tasks && m->requests && m->comms && m->flights &&
           m->accounts && m->meetings && m->models;
}

static void empty(Hct__Looked *m)
{
    free(m->tasks);
    free(m->requests);
    free(m->comms);
    free(m->flights);
    free(m->accounts);
    free(m->meetings);
    free(m->models);
}

void look_send(struct look *l)
{
    Hct__Looked m = HCT__LOOKED__INIT;

    if (fill(l, &m))
        uplink_send(l->node->uplink, MESSAGE_LOOKED, &m);
    empty(&m);
}

bool look_pack(struct look *l, uint64_t after_ns, ProtobufCBinaryData *to)
{
    uint8_t *less;
    size_t n;

    to->data = malloc(2 * LOOKWIRE_HEAD_MAX + l->ntasks * LOOKWIRE_TASK_MAX);
    if (!to->data)
        return false;
    n = lookwire_put_head(to->data, l->order->job, l->order->seq);
    for (size_t i = 0; i < l->ntasks; i++)
        n += lookwire_put_task(to->data + n, &l->tasks[i]);
    to->len = n + lookwire_put_after(to->data + n, after_ns);
    less = realloc(to->data, to->len + 1);
    to->data = less ? less : to->data;
    return true;
}

void look_free(struct look *l)
{
    free(l->tasks);
    free(l->requests);
    free(l->comms);
    free(l->flights);
    for (size_t i = 0; i < l->naccounts; i++)
        free(l->accounts[i].sent);      /* and the others with it */
    free(l->accounts);
    for (size_t i = 0; i < l->nmeetings; i++)
        free(l->meetings[i].firsts);    /* the same */
    free(l->meetings);
    for (size_t i = 0; i < l->nmodels; i++)
        free(l->models[i].places);      /* and the others with it */
    free(l->models);
    lookmodel_destroy(l->reads);
}
