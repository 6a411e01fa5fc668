/* look.h - looks at jobs, made by hand: for tests of policies. */
#ifndef HECTOR_TESTS_LOOK_H
#define HECTOR_TESTS_LOOK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/callclass.h"
#include "mpi-wrappers/table/calls.h"

#define MS 1000000ull
#define S 1000000000ull
#define WORLD HCT_COMM_WORLD

/* A test of more ranks says so before it includes this. */
#ifndef LOOK_RANKS
#define LOOK_RANKS 64
#endif
enum { RANKS = LOOK_RANKS, MANY = 4096 + 2 * RANKS };

static struct look {
    struct hct_job job;
    struct hct_snapshot in;
    struct hct_rank rank[RANKS];
    struct hct_request request[MANY];
    struct hct_comm comm[MANY];
    struct hct_flight flight[MANY];
    struct hct_account account[RANKS];
    struct hct_pair pair[MANY];
    struct hct_meeting meeting[MANY];
    uint64_t entered[RANKS];    /* collective calls on the world */
    struct hct_out out;
    struct hct_verdict verdicts[8];
    struct hct_line lines[64];
    uint32_t blamed[RANKS];
    struct hct_proposal proposals[8];
} look;

static void look_empty_out(void)
{
    look.out = (struct hct_out){
        .size = sizeof(look.out),
        .verdicts = look.verdicts, .verdicts_max = 8,
        .ranks = look.blamed, .ranks_max = RANKS,
        .lines = look.lines, .lines_max = 64,
        .proposals = look.proposals, .proposals_max = 8,
    };
}

/* n tasks that compute. */
static void look_at(uint32_t n)
{
    memset(&look, 0, sizeof(look));
    look.job = (struct hct_job){ .size = sizeof(look.job), .nranks = n,
                                 .job = 1, .seed = 42, .name = "test" };
    look.in = (struct hct_snapshot){
        .size = sizeof(look.in), .seq = 1, .now_ns = S, .job = &look.job,
        .call_size = sizeof(struct hct_call), .has_detail = 1,
        .parts = HCT_NEED_DETAIL,
        .ranks = look.rank, .nranks = n, .rank_size = sizeof(look.rank[0]),
        .requests = look.request, .request_size = sizeof(look.request[0]),
        .comms = look.comm, .comm_size = sizeof(look.comm[0]),
        .flights = look.flight, .flight_size = sizeof(look.flight[0]),
        .accounts = look.account, .account_size = sizeof(look.account[0]),
        .pairs = look.pair, .pair_size = sizeof(look.pair[0]),
        .meetings = look.meeting, .meeting_size = sizeof(look.meeting[0]),
    };
    look.in.calls = callclass_table(&look.in.ncalls);
    for (uint32_t r = 0; r < n; r++)
        look.rank[r] = (struct hct_rank){
            .rank = r, .life = HCT_LIFE_RUNNING, .threads = 1,
            .flags = HCT_OBSERVED | HCT_PAGE, .calls = 10,
            .peer = HCT_NONE, .source = HCT_NONE, .tag = HCT_NONE,
        };
    for (uint32_t r = 0; r < n; r++)
        look.account[r] = (struct hct_account){
            .rank = r, .node = 1, .eager = 4096, .eager_far = 65536,
            .source_tag = HCT_NONE };
    look.in.naccounts = n;
    look_empty_out();
}

/* What r has sent to peer, or got from there, is so much more. */
static inline struct hct_pair *pair(uint32_t r, uint32_t peer)
{
    look.pair[look.in.npairs] = (struct hct_pair){ .rank = r, .peer = peer };
    return &look.pair[look.in.npairs++];
}

static inline void sent(uint32_t r, int peer, uint64_t comm, int tag)
{
    if (peer >= 0)
        pair(r, (uint32_t)peer)->sent += hct_message(comm, tag);
}

static inline void received(uint32_t r, int peer, uint64_t comm, int tag)
{
    if (peer >= 0)
        pair(r, (uint32_t)peer)->received += hct_message(comm, tag);
}

static inline uint32_t number_of(const char *name)
{
    char full[64];
    unsigned call;

    snprintf(full, sizeof(full), "MPI_%s", name);
    call = call_find(full);
    if (!call)
        fail_msg("no function %s", full);
    return call;
}

static inline struct hct_rank *is_in(uint32_t r, const char *call)
{
    struct hct_rank *k = &look.rank[r];

    k->call = number_of(call);
    k->flags |= HCT_IN_MPI | HCT_RUNS;
    k->threads_in = 1;
    k->comm = WORLD;
    if (strcmp(call, "Finalize") == 0)
        k->life = HCT_LIFE_FINALIZE;
    return k;
}

static inline struct hct_rank *talks(uint32_t r, const char *call, int peer,
                                     int tag)
{
    struct hct_rank *k = is_in(r, call);

    k->peer = k->source = peer;
    k->tag = tag;
    k->bytes = k->count = 1 << 20;
    return k;
}

static inline struct hct_request *asks(uint32_t r, const char *call, int peer,
                                       int tag)
{
    struct hct_request *q = &look.request[look.in.nrequests++];

    *q = (struct hct_request){ .rank = r, .call = number_of(call),
                               .comm = WORLD, .peer = peer, .tag = tag,
                               .bytes = 1 << 20, .waited = 1 };
    look.rank[r].requests++;
    return q;
}

/* In its n-th collective call on a communicator of these members. */
static inline struct hct_rank *joins(uint32_t r, const char *call,
                                     uint64_t comm, uint64_t n, int root)
{
    struct hct_rank *k = is_in(r, call);

    k->comm = comm;
    k->collective = n;
    k->peer = root;
    return k;
}

/* rank is a member, and has entered so many collective calls. */
static inline struct hct_comm *member(uint32_t r, uint64_t comm, uint32_t size,
                                      uint64_t entered, const char *last)
{
    struct hct_comm *c = &look.comm[look.in.ncomms++];

    *c = (struct hct_comm){ .rank = r, .kind = HCT_KIND_COMM, .id = comm,
                            .size = size, .collectives = entered,
                            .call = last ? number_of(last)
                                  : entered ? number_of("Barrier") : 0,
                            .history = entered ? 1000 + entered : 0,
                            .history_before = entered > 1 ? 999 + entered : 0,
                            .age_ns = 100 * S };
    return c;
}

/* All ranks are members of the world. */
static inline void world(uint64_t entered)
{
    for (uint32_t r = 0; r < look.in.nranks; r++) {
        const struct hct_rank *k = &look.rank[r];
        bool in = (k->flags & HCT_IN_MPI) && k->comm == WORLD && k->collective;
        struct hct_comm *c = member(r, WORLD, look.in.nranks,
                                    in ? k->collective : entered, NULL);

        if (in)
            c->call = k->call;
    }
}

/* r is in a call of n members, first, first + step, ..., with a tag on the world,
 * for the count-th time. To be said in the order of ranks. */
static inline struct hct_meeting *meets(uint32_t r, const char *call,
                                        uint64_t count, int tag,
                                        uint32_t first, uint32_t n, int step)
{
    struct hct_meeting *m = &look.meeting[look.in.nmeetings++];
    struct hct_rank *k = is_in(r, call);

    k->tag = tag;
    *m = (struct hct_meeting){
        .rank = r, .call = k->call, .comm = WORLD, .tag = tag, .in = 1,
        .id = 1000000 + (uint64_t)tag * 10000 + first * 100 + n * 10 +
              (uint64_t)step, .count = count, .size = n, .nruns = 1,
        .runs = { { .first = first, .n = n, .step = step } } };
    return m;
}

static inline struct hct_flight *flew(uint32_t r, const char *call,
                                      uint64_t comm, uint64_t n, int peer,
                                      int tag)
{
    struct hct_flight *f = &look.flight[look.in.nflights++];

    *f = (struct hct_flight){ .rank = r, .call = number_of(call), .comm = comm,
                              .collective = n, .peer = peer, .tag = tag };
    return f;
}

#define BY_RANK(name, type) \
    static inline int name(const void *a, const void *b) \
    { \
        const type *x = a, *y = b; \
        return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) \
                                  : (x > y) - (x < y); \
    }
BY_RANK(by_request, struct hct_request)
BY_RANK(by_comm, struct hct_comm)
BY_RANK(by_flight, struct hct_flight)

static inline int by_pair(const void *a, const void *b)
{
    const struct hct_pair *x = a, *y = b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->peer > y->peer) - (x->peer < y->peer);
}

static inline bool is_send(uint32_t call)
{
    enum hct_class c = hct_call(&look.in, call)->class_;

    return c == HCT_CLASS_SEND || c == HCT_CLASS_SENDRECV;
}

/* The accounts, as they follow from what is being sent, and add to them what a
 * test has said. */
static inline void look_account(void)
{
    uint32_t n = 0;

    for (uint32_t r = 0; r < look.in.nranks; r++) {
        const struct hct_rank *k = &look.rank[r];

        if ((k->flags & HCT_IN_MPI) && is_send(k->call))
            sent(r, k->peer, k->comm, k->tag);
    }
    for (uint32_t i = 0; i < look.in.nrequests; i++)
        if (!look.request[i].idle && is_send(look.request[i].call))
            sent(look.request[i].rank, look.request[i].peer,
                 look.request[i].comm, look.request[i].tag);
    qsort(look.pair, look.in.npairs, sizeof(look.pair[0]), by_pair);
    for (uint32_t i = 0; i < look.in.npairs; i++) {
        struct hct_pair *p = &look.pair[i], *last = n ? &look.pair[n - 1] : p;

        if (n && by_pair(p, last) == 0) {
            last->sent += p->sent;
            last->received += p->received;
            last->blind += p->blind;
        } else {
            look.pair[n++] = *p;
        }
    }
    look.in.npairs = n;
}

static inline void look_sort(void)
{
    qsort(look.request, look.in.nrequests, sizeof(look.request[0]), by_request);
    qsort(look.comm, look.in.ncomms, sizeof(look.comm[0]), by_comm);
    qsort(look.flight, look.in.nflights, sizeof(look.flight[0]), by_flight);
}

#endif
