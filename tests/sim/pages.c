/* pages.c - what a look shows, see pages.h: as the slave and the master make
 * it of pages. */
#include "tests/sim/pages.h"

#include <string.h>

#include "master/watch/callclass.h"
#include "tests/sim/chance.h"

void pages_init(struct pages *p, uint32_t n, uint32_t level, uint64_t *chance)
{
    memset(p, 0, sizeof(*p));
    p->accounted = chance_is(chance, 94);
    p->limits = chance_is(chance, 80);
    p->level = level ? level : chance_is(chance, 80) ? HCT_LEVEL_SINGLE
                                     : 1 + chance_below(chance, 4);
    p->alone = chance_is(chance, 90);
    if (chance_is(chance, 4))
        p->lost = 1u << chance_below(chance, n);
    if (chance_is(chance, 4))
        p->bare = 1u << chance_below(chance, n);
    p->chance = chance_next(chance);
    p->job = (struct hct_job){ .size = sizeof(p->job), .nranks = n, .job = 1,
                               .seed = 42, .level = p->level };
    p->in = (struct hct_snapshot){
        .size = sizeof(p->in), .has_detail = 1, .job = &p->job,
        .call_size = sizeof(struct hct_call), .ranks = p->rank, .nranks = n,
        .rank_size = sizeof(p->rank[0]), .requests = p->requests,
        .request_size = sizeof(p->requests[0]), .comms = p->comms,
        .comm_size = sizeof(p->comms[0]), .flights = p->flights,
        .flight_size = sizeof(p->flights[0]), .pairs = p->pairs,
        .pair_size = sizeof(p->pairs[0]), .accounts = p->accounts,
        .account_size = sizeof(p->accounts[0]),
    };
    p->in.calls = callclass_table(&p->in.ncalls);
}

static int32_t partner(int32_t v)
{
    return v == PROGRAM_ANY ? HCT_ANY : v;
}

static uint32_t system_flags(const struct task *t)
{
    switch (t->frozen) {
    case FREEZE_SQUEEZED:
        return HCT_RUNS;
    case FREEZE_STOPPED:
        return HCT_STOPPED;
    case FREEZE_DISK:
        return HCT_SLEEPS;
    case FREEZE_ASLEEP:
        return 0;
    default:
        return t->sleeps ? 0 : HCT_RUNS;
    }
}

/* What the kernel says counts only for a task that has not moved. */
static void read_system(const struct pages *p, const struct world *w,
                        const struct task *t, struct hct_rank *k)
{
    const struct hct_rank *before = &p->known[k->rank];
    uint64_t idle = t->idle_ns +
        (t->idle_since_ns ? w->now_ns - t->idle_since_ns : 0);

    if (k->calls != before->calls || k->life != before->life ||
        p->since_ns[k->rank] != w->now_ns - k->age_ns)
        return;
    k->flags |= (uint16_t)system_flags(t);
    k->cpu_ns = k->own_cpu_ns = w->now_ns - idle + 1;
}

/* It asks again and again, and is in the midst of it. */
static void read_loop(struct pages *p, const struct world *w,
                      const struct task *t, struct hct_rank *k)
{
    uint64_t period = w->program->op[k->rank][t->at].ns | 1;
    uint64_t now = t->frozen ? t->frozen_ns : w->now_ns, asked, last;

    asked = (now - t->asks_ns) / period + 1;
    last = t->asks_ns + (asked - 1) * period;
    k->calls += asked;
    k->polls += asked;
    k->age_ns = w->now_ns - last;
    if (!chance_is(&p->chance, 30))
        k->flags &= (uint16_t)~HCT_IN_MPI;
    else
        k->polls--;
}

static void read_rank(struct pages *p, const struct world *w,
                      struct hct_rank *k)
{
    const struct task *t = &w->task[k->rank];
    bool in = t->in;

    k->life = t->life;
    k->flags = HCT_OBSERVED | HCT_PAGE;
    k->threads = 1 + (t->helper.calls > 0);
    k->threads_in = in;
    k->level = p->level;
    k->calls = t->calls;
    k->polls = t->polls;
    k->age_ns = w->now_ns - t->since_ns;
    k->call = t->call;
    k->peer = k->source = k->tag = HCT_NONE;
    k->site = 2 + t->at;
    k->requests = t->asks ? t->waits : 0;
    if (in) {
        k->flags |= HCT_IN_MPI;
        k->waits_call = t->waits_call;
        k->comm = t->comm;
        k->collective = t->collective;
        k->bytes = k->count = t->bytes;
        k->peer = partner(t->peer);
        k->source = partner(t->source);
        k->tag = partner(t->tag);
        k->requests = t->waits;
    }
    if (p->lost >> k->rank & 1)
        k->flags |= HCT_LOST;
    if (p->alone && p->level >= HCT_LEVEL_SERIALIZED && !t->helper.awake)
        k->flags |= HCT_ALONE;
    if (t->asks)
        read_loop(p, w, t, k);
    read_system(p, w, t, k);
}

/* Has one thread sent after the other, as far as that is known? */
static bool in_turn(const struct pages *p, const struct task *t)
{
    return p->level != HCT_LEVEL_MULTIPLE || t->helper.calls == 0;
}

static void read_requests(struct pages *p, const struct task *t, uint32_t rank,
                          bool in)
{
    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
        const struct request *q = &t->request[i];

        if (!q->what || !q->shown || ((p->lost >> rank & 1) && i % 2))
            continue;
        p->request[rank][p->nrequests[rank]++] = (struct hct_request){
            .rank = rank, .call = q->call, .comm = q->comm, .bytes = q->bytes,
            .collective = q->collective, .peer = partner(q->peer),
            .tag = partner(q->tag), .idle = !q->active,
            .sent = !in_turn(p, t) ? 0
                    : q->what == WHAT_RECV ? q->order : q->sent,
            .waited = in && q->active && (t->mask >> i & 1) };
    }
}

static void read_comms(struct pages *p, const struct world *w,
                       const struct task *t, uint32_t rank)
{
    for (uint32_t i = 0; i < PAGES_COMMS; i++) {
        const struct world_comm *c = i < PROGRAM_COMMS
            ? &t->comms[i] : &t->freed[i - PROGRAM_COMMS];

        if (!c->members)
            continue;
        p->comm[rank][p->ncomms[rank]++] = (struct hct_comm){
            .rank = rank, .kind = c->window ? HCT_KIND_WIN : HCT_KIND_COMM,
            .id = c->id, .parent = c->parent,
            .local = (uint32_t)__builtin_popcount(c->members &
                                                  ((1u << rank) - 1)),
            .size = (uint32_t)__builtin_popcount(c->members),
            .call = c->call, .history = c->history, .freed = c->freed,
            .history_before = c->history_before,
            .collectives = c->collectives,
            .age_ns = c->collectives ? w->now_ns - c->entered_ns : 0 };
    }
}

/* Those of a loop are made up. */
static void read_flights(struct pages *p, const struct world *w,
                         const struct task *t, const struct hct_rank *k)
{
    uint64_t asked = k->polls > t->polls ? k->polls - t->polls : 0, period =
        w->program->op[k->rank][t->at].ns | 1;
    uint64_t total = t->flights + asked;
    uint64_t n = total < WORLD_FLIGHTS ? total : WORLD_FLIGHTS;

    for (uint64_t i = total - n; i < total; i++) {
        struct hct_flight *to = &p->flight[k->rank][p->nflights[k->rank]++];
        const struct flight *f = &t->flight[i % WORLD_FLIGHTS];

        if (i < t->flights) {
            *to = (struct hct_flight){
                .rank = k->rank, .call = f->call, .comm = f->comm,
                .collective = f->collective, .bytes = f->bytes,
                .peer = partner(f->peer), .tag = partner(f->tag),
                .number = f->number, .entered_ns = w->now_ns - f->entered_ns,
                .left_ns = w->now_ns - f->left_ns };
            continue;
        }
        *to = (struct hct_flight){
            .rank = k->rank, .call = t->call, .comm = t->comm,
            .peer = partner(t->peer), .tag = partner(t->tag), .number = i + 1,
            .entered_ns = k->age_ns + (total - 1 - i) * period };
        to->left_ns = to->entered_ns;
    }
}

static void read_account(struct pages *p, const struct world *w, uint32_t rank)
{
    const struct task *t = &w->task[rank];

    if (!p->accounted)
        return;
    p->account[rank][0] = (struct hct_account){
        .rank = rank, .node = w->node[rank], .blind = t->blind,
        .unsure = t->unsure,
        .eager = p->limits ? w->eager + w->header : HCT_EAGER_UNKNOWN,
        .eager_far = p->limits ? w->eager_far + w->header
                                : HCT_EAGER_UNKNOWN,
        .source_tag = t->in ? partner(t->source_tag) : HCT_NONE };
    p->naccounts[rank] = 1;
    for (uint32_t r = 0; r < w->n; r++)
        if (t->sent[r] || t->received[r] || t->blinds[r])
            p->pair[rank][p->npairs[rank]++] = (struct hct_pair){
                .rank = rank, .peer = r, .sent = t->sent[r],
                .received = t->received[r], .blind = t->blinds[r],
                .last_comm = t->last_comm[r],
                .last_tag = t->last_comm[r] ? t->last_tag[r] : HCT_NONE };
}

/* A task without a page: where its stack was seen to be. */
static void read_stack(const struct world *w, struct hct_rank *k)
{
    const struct task *t = &w->task[k->rank];

    k->life = t->life;
    k->flags = HCT_OBSERVED | HCT_STACK;
    k->flags |= t->in ? HCT_IN_MPI : 0;
    k->peer = k->source = k->tag = HCT_UNKNOWN;
    k->call = t->in ? t->call : 0;
    k->sample = 1 + (uint32_t)(w->now_ns / WORLD_S);
}

void pages_read(struct pages *p, const struct world *w, uint32_t task)
{
    struct hct_rank *k = &p->rank[task];

    if (p->absent >> task & 1) {
        *k = p->known[task];
        k->flags &= (uint16_t)~(HCT_OBSERVED | HCT_PAGE | HCT_STACK |
                                HCT_IN_MPI);
        return;
    }
    *k = (struct hct_rank){ .rank = task };
    if (p->bare >> task & 1)
        read_stack(w, k);
    else
        read_rank(p, w, k);
    p->since_ns[task] = w->now_ns - k->age_ns;
}

void pages_read_detail(struct pages *p, const struct world *w, uint32_t task)
{
    const struct task *t = &w->task[task];
    struct hct_rank *k = &p->rank[task];

    p->nrequests[task] = p->ncomms[task] = p->nflights[task] =
        p->npairs[task] = p->naccounts[task] = 0;
    if (t->life == HCT_LIFE_ENDED || ((p->absent | p->bare) >> task & 1))
        return;
    if (t->calls != k->calls - (k->polls - t->polls) && !t->asks)
        k->flags |= HCT_TORN;
    if (t->in != (k->threads_in != 0))
        k->flags |= HCT_TORN;
    read_account(p, w, task);
    read_requests(p, t, task, k->flags & HCT_IN_MPI);
    read_comms(p, w, t, task);
    read_flights(p, w, t, k);
}

#define GATHER(p, what, all) \
    do { \
        (p)->in.n##all = 0; \
        for (uint32_t r = 0; r < (p)->in.nranks; r++) { \
            memcpy(&(p)->all[(p)->in.n##all], (p)->what[r], \
                   (p)->n##all[r] * sizeof((p)->what[r][0])); \
            (p)->in.n##all += (p)->n##all[r]; \
        } \
    } while (0)

void pages_end(struct pages *p, uint64_t now_ns)
{
    p->in.seq++;
    p->in.now_ns = now_ns;
    GATHER(p, request, requests);
    GATHER(p, comm, comms);
    GATHER(p, flight, flights);
    GATHER(p, pair, pairs);
    GATHER(p, account, accounts);
    memcpy(p->known, p->rank, sizeof(p->known));
}
