/* stop_sim.h - a model of MPI tasks that are to be stopped. Random programs,
 * run step by step with their pages, the word in them, and the reading of pages
 * taking turns at random. A tick is a step of a task, or of who reads.
 *
 * A program is made as one sequence of events, each put at the end of what its
 * tasks do, so it ends whatever the order and however late messages are
 * complete. What each task gets, and so its checksum, is known from the start.
 * Everything follows from the seed. */
#ifndef HECTOR_TESTS_STOP_SIM_H
#define HECTOR_TESTS_STOP_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "master/move/stop.h"

enum {
    SIM_TASKS = 16, SIM_COMMS = 20, SIM_OPS = 320, SIM_MESSAGES = 256,
    SIM_INSTANCES = 128, SIM_PENDING = 24,
};

enum sim_kind {
    SIM_COMPUTE, SIM_SEND, SIM_ISEND, SIM_WAIT_SEND, SIM_RECV, SIM_IRECV,
    SIM_WAIT_RECV, SIM_PROBE, SIM_POLL,
    /* through the gate: */
    SIM_COLL, SIM_ICOLL, SIM_MAKE, SIM_FREE, SIM_FINALIZE,
    SIM_WAIT_COLL,
};

struct sim_op {
    uint8_t kind;
    uint8_t any;                /* of so many messages from what, any; 0: what */
    bool last;                  /* of these */
    int8_t child;               /* MAKE: what becomes known, or -1 */
    uint16_t what;              /* message, instance, or steps */
};

struct sim_message {
    uint8_t src, dst;
    bool rendezvous, placed;    /* its receive is in the program */
    enum { SIM_UNSENT, SIM_SENT, SIM_MATCHED, SIM_RECEIVED, SIM_KEPT } state;
    uint16_t send_at, recv_at;  /* places in the programs */
    uint64_t there;             /* tick of arrival */
};

struct sim_instance {           /* of a collective */
    uint8_t comm, size, entered, left;
    int8_t root;                /* others do not wait for each other; -1: do */
    bool rooted;                /* the root has entered */
    bool waits;                 /* non-blocking */
    uint16_t number;
    uint16_t at[SIM_TASKS];     /* place in the program of each member */
    uint64_t value;
};

struct sim_comm {
    uint32_t members;           /* a bit each */
    uint16_t made, number;      /* collectives so far, in making the program */
    uint16_t pending;
    bool freed;
    uint16_t instance[SIM_INSTANCES];   /* by number - 1 */
};

struct sim_task {
    uint16_t pc, phase, left;
    enum stop_where where, back;
    int32_t peer;
    uint32_t gate;              /* comm */
    bool in_layer, signalled, heard;
    uint64_t sent, received, calls, checksum, sum;
    uint32_t unfinished;
    uint32_t lists;             /* comms, a bit each */
    uint16_t entered[SIM_COMMS], target[SIM_COMMS], base[SIM_COMMS];
    uint16_t begun;             /* op when it first had the word, for need */
    uint16_t posted[SIM_PENDING], nposted;      /* receives */
    uint16_t sends[SIM_PENDING], nsends;
    uint16_t colls[SIM_PENDING], ncolls;
    enum stop_want want;
    uint64_t order, asleep_until;
    /* of the program */
    struct sim_op op[SIM_OPS];
    uint16_t nops;
    uint64_t expected;
    struct { uint8_t kind; uint16_t what; } pending[SIM_PENDING];
    uint16_t npending;
};

struct sim_options {
    uint64_t seed;
    bool ignores_raises;        /* pages never let through who is held */
    bool owes;                  /* the program of owe, below */
    bool shows;
    uint32_t limit_rounds;      /* 0: plenty */
};

struct sim_result {
    uint32_t stops, late, given_up, pushed, tried, retreats, kept, ticks;
    uint32_t rounds;            /* the longest stop */
    bool counted;               /* what was needed is known; then so many were
                                   let through, and are too many; the same of
                                   programs that free communicators */
    uint32_t more, excess, torn_excess;
    const char *wrong;          /* NULL: nothing */
    struct stop_why why;        /* of the last stop that was given up */
};

struct sim {
    uint64_t random, tick, round;
    uint32_t n, live;
    bool calm, plain, frees;    /* nobody sleeps; no any, no polling */
    bool kept;                  /* some messages are, from an earlier stop */
    struct sim_task task[SIM_TASKS];
    struct sim_comm comm[SIM_COMMS];
    struct sim_message message[SIM_MESSAGES];
    struct sim_instance instance[SIM_INSTANCES];
    uint32_t ncomms, nmessages, ninstances;
    /* the master's side */
    struct stop *stop;
    const struct stop_orders *orders;
    enum stop_want want;
    uint64_t order;
    uint16_t ordered[SIM_COMMS];
    struct stop_task seen[SIM_TASKS];
    struct stop_comm seen_comms[SIM_TASKS][SIM_COMMS];
    uint32_t reading;
    bool half_read;
    uint64_t looks;
    const struct sim_options *options;
    const char *wrong;
};

static inline uint32_t sim_random(struct sim *s, uint32_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)((s->random >> 16 & 0xffffffff) * below >> 32);
}

static inline uint64_t sim_hash(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 27;
}

static inline uint64_t sim_comm_id(uint32_t comm)
{
    return sim_hash(comm, 77);
}

/* ------------------------------------------------------ making a program */

static inline struct sim_op *sim_put(struct sim *s, uint32_t rank,
                                     enum sim_kind kind, uint32_t what)
{
    struct sim_task *k = &s->task[rank];
    struct sim_op *op = &k->op[k->nops++];

    *op = (struct sim_op){ .kind = (uint8_t)kind, .what = (uint16_t)what,
                           .child = -1 };
    return op;
}

static inline void sim_expect(struct sim *s, uint32_t rank, uint64_t value)
{
    s->task[rank].expected = sim_hash(s->task[rank].expected, value);
}

static inline uint64_t sim_value(uint32_t message)
{
    return sim_hash(message, 5);
}

static inline bool sim_room(const struct sim *s, uint32_t rank)
{
    return s->task[rank].nops < SIM_OPS - 3 * SIM_PENDING &&
           s->task[rank].npending < SIM_PENDING - 6;
}

static inline void sim_later(struct sim *s, uint32_t rank, enum sim_kind kind,
                             uint32_t what)
{
    struct sim_task *k = &s->task[rank];

    k->pending[k->npending].kind = (uint8_t)kind;
    k->pending[k->npending++].what = (uint16_t)what;
}

static inline void sim_put_recv(struct sim *s, uint32_t m)
{
    uint32_t dst = s->message[m].dst, way = sim_random(s, 6);

    if (way == 0)
        sim_put(s, dst, SIM_PROBE, m);
    if (way == 1 && !s->plain)
        sim_put(s, dst, SIM_POLL, m);
    s->message[m].recv_at = s->task[dst].nops;
    s->message[m].placed = true;
    sim_put(s, dst, SIM_RECV, m);
    sim_expect(s, dst, sim_value(m));
}

/* Puts one of what is pending at the end of the task's program, if it may. */
static inline bool sim_flush(struct sim *s, uint32_t rank, uint32_t i)
{
    struct sim_task *k = &s->task[rank];
    uint16_t what = k->pending[i].what;

    switch (k->pending[i].kind) {
    case SIM_WAIT_SEND:
        if (!s->message[what].placed)
            return false;
        sim_put(s, rank, SIM_WAIT_SEND, what);
        break;
    case SIM_WAIT_RECV:
        sim_put(s, rank, SIM_WAIT_RECV, what);
        sim_expect(s, rank, sim_value(what));
        break;
    case SIM_RECV:
        sim_put_recv(s, what);
        break;
    default:
        sim_put(s, rank, SIM_WAIT_COLL, what);
        sim_expect(s, rank, s->instance[what].value);
        s->comm[s->instance[what].comm].pending--;
    }
    k->pending[i] = k->pending[--k->npending];
    return true;
}

static inline uint32_t sim_message(struct sim *s, uint32_t src, uint32_t dst,
                                   bool rendezvous)
{
    s->message[s->nmessages] = (struct sim_message){
        .src = (uint8_t)src, .dst = (uint8_t)dst, .rendezvous = rendezvous };
    return s->nmessages++;
}

static inline void sim_put_send(struct sim *s, enum sim_kind kind, uint32_t m)
{
    s->message[m].send_at = s->task[s->message[m].src].nops;
    sim_put(s, s->message[m].src, kind, m);
}

static inline void sim_make_message(struct sim *s)
{
    uint32_t src = sim_random(s, s->n);
    uint32_t dst = (src + 1 + sim_random(s, s->n - 1)) % s->n;
    bool rendezvous = sim_random(s, 2), posts = sim_random(s, 3) == 0;
    bool waits = sim_random(s, 2);
    uint32_t m;

    if (!sim_room(s, src) || !sim_room(s, dst))
        return;
    m = sim_message(s, src, dst, rendezvous);
    if (posts) {
        s->message[m].recv_at = s->task[dst].nops;
        s->message[m].placed = true;
        sim_put(s, dst, SIM_IRECV, m);
    }
    sim_put_send(s, rendezvous && waits ? SIM_ISEND : SIM_SEND, m);
    if (rendezvous && waits)
        sim_later(s, src, SIM_WAIT_SEND, m);
    if (posts)
        sim_later(s, dst, SIM_WAIT_RECV, m);
    else if ((!rendezvous || waits) && sim_random(s, 3))
        sim_later(s, dst, SIM_RECV, m);
    else
        sim_put_recv(s, m);
}

/* Several tasks send to one that takes them in any order. */
static inline void sim_make_any(struct sim *s)
{
    uint32_t dst = sim_random(s, s->n), of = 1 + sim_random(s, s->n - 1);
    uint32_t first = s->nmessages;
    uint64_t sum = 0;

    of = of > 4 ? 4 : of;
    for (uint32_t i = 0; i <= of; i++)
        if (!sim_room(s, (dst + i) % s->n))
            return;
    for (uint32_t i = 1; i <= of; i++) {
        uint32_t m = sim_message(s, (dst + i) % s->n, dst, sim_random(s, 2));

        sim_put_send(s, SIM_SEND, m);
        s->message[m].placed = true;
        sum += sim_value(m);
    }
    for (uint32_t i = 0; i < of; i++) {
        if (sim_random(s, 3) == 0)
            sim_put(s, dst, SIM_PROBE, first)->any = (uint8_t)of;
        *sim_put(s, dst, SIM_RECV, first) = (struct sim_op){
            .kind = SIM_RECV, .what = (uint16_t)first, .any = (uint8_t)of,
            .last = i == of - 1, .child = -1 };
    }
    sim_expect(s, dst, sum);
}

static inline uint32_t sim_instance(struct sim *s, uint32_t comm, bool rooted)
{
    struct sim_comm *c = &s->comm[comm];
    struct sim_instance *x = &s->instance[s->ninstances];

    *x = (struct sim_instance){
        .comm = (uint8_t)comm, .root = -1, .number = ++c->number,
        .size = (uint8_t)__builtin_popcount(c->members) };
    c->instance[c->number - 1] = (uint16_t)s->ninstances;
    for (uint32_t i = 0; i < s->n; i++)
        if (c->members >> i & 1) {
            x->at[i] = s->task[i].nops;
            x->value += sim_hash(s->ninstances, i);
            if (rooted && (x->root < 0 || sim_random(s, 3) == 0))
                x->root = (int8_t)i;
        }
    if (rooted)
        x->value = sim_hash(s->ninstances, (uint64_t)x->root);
    return s->ninstances++;
}

static inline void sim_make_coll(struct sim *s, uint32_t comm,
                                 enum sim_kind kind)
{
    uint32_t members = s->comm[comm].members, way = sim_random(s, 3);
    uint32_t x, child[2] = { SIM_COMMS, SIM_COMMS };

    for (uint32_t i = 0; i < s->n; i++)
        if ((members >> i & 1) && !sim_room(s, i))
            return;
    x = sim_instance(s, comm, sim_random(s, 3) == 0 &&
                     (kind == SIM_COLL || kind == SIM_ICOLL));
    s->instance[x].waits = kind == SIM_ICOLL;
    if (kind == SIM_MAKE)
        for (int i = 0; i < (way ? 2 : 1); i++) {
            child[i] = s->ncomms++;
            s->comm[child[i]] = (struct sim_comm){ .made = 1 };
        }
    for (uint32_t i = 0; i < s->n; i++) {
        struct sim_op *op;
        uint32_t which = way ? sim_random(s, way == 1 ? 2 : 3) : 0;

        if (!(members >> i & 1))
            continue;
        op = sim_put(s, i, kind, x);
        if (kind == SIM_ICOLL) {
            sim_later(s, i, SIM_WAIT_COLL, x);
            s->comm[comm].pending++;
        } else if (kind != SIM_FREE && kind != SIM_FINALIZE) {
            sim_expect(s, i, s->instance[x].value);
        }
        if (kind == SIM_MAKE && which < 2) {
            op->child = (int8_t)child[which];
            s->comm[child[which]].members |= 1u << i;
        }
    }
    if (kind == SIM_FREE)
        s->comm[comm].freed = true;
}

static inline uint32_t sim_some_comm(struct sim *s)
{
    for (int i = 0; i < 4; i++) {
        uint32_t c = sim_random(s, s->ncomms);

        if (!s->comm[c].freed && s->comm[c].members)
            return c;
    }
    return 0;
}

static inline void sim_make_event(struct sim *s)
{
    uint32_t way = sim_random(s, 100), comm = sim_some_comm(s);

    if (s->nmessages > SIM_MESSAGES - 8 || s->ninstances > SIM_INSTANCES - 4)
        return;
    if (way < 25)
        sim_make_coll(s, comm, SIM_COLL);
    else if (way < 33)
        sim_make_coll(s, comm, SIM_ICOLL);
    else if (way < 42 && s->ncomms + 2 < SIM_COMMS)
        sim_make_coll(s, comm, SIM_MAKE);
    else if (way < 46 && comm && !s->comm[comm].pending && s->frees)
        sim_make_coll(s, comm, SIM_FREE);
    else if (way < (s->plain ? 82 : 66))
        sim_make_message(s);
    else if (way < 88 && !s->plain)
        sim_make_any(s);
    else if (sim_room(s, way % s->n))
        sim_put(s, way % s->n, SIM_COMPUTE, 1 + sim_random(s, 40));
    for (uint32_t i = 0; i < s->n; i++)
        while (s->task[i].npending && sim_random(s, 4) == 0)
            if (!sim_flush(s, i, sim_random(s, s->task[i].npending)))
                break;
}

/* Task 0 waits for a message of task 2 before its next collective with 1, who
 * is in it soon; 2 sends it after one with 3, who is late. */
static inline void sim_make_owing(struct sim *s)
{
    s->n = 4;
    s->comm[0].members = 15;
    s->comm[1] = (struct sim_comm){ .members = 3 };
    s->comm[2] = (struct sim_comm){ .members = 12 };
    s->ncomms = 3;
    for (int i = 0; i < 14; i++) {
        uint32_t m = sim_message(s, 2, 0, sim_random(s, 2));

        sim_put(s, 2, SIM_COMPUTE, 50 + sim_random(s, 200));
        sim_put(s, 3, SIM_COMPUTE, 50 + sim_random(s, 200));
        sim_make_coll(s, 2, SIM_COLL);
        sim_put_send(s, SIM_SEND, m);
        sim_put_recv(s, m);
        sim_make_coll(s, 1, SIM_COLL);
    }
}

static inline void sim_make(struct sim *s, const struct sim_options *o)
{
    uint32_t way, events;

    s->options = o;
    s->random = sim_hash(o->seed, 1) | 1;
    for (int i = 0; i < 4; i++)
        sim_random(s, 2);
    way = sim_random(s, 100);
    s->n = way < 60 ? 2 + way % 4 : way < 92 ? 6 + way % 4 : 10 + way % 7;
    s->calm = sim_random(s, 2);
    s->plain = o->owes || sim_random(s, 2);
    s->frees = sim_random(s, 2);
    s->ncomms = 1;
    s->comm[0] = (struct sim_comm){ .members = (1u << s->n) - 1 };
    if (o->owes) {
        sim_make_owing(s);
    } else {
        events = 8 + sim_random(s, 40);
        for (uint32_t i = 0; i < events; i++)
            sim_make_event(s);
    }
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = s->task[i].npending; k-- > 0;)
            if (s->task[i].pending[k].kind == SIM_RECV)
                sim_flush(s, i, k);
    for (uint32_t i = 0; i < s->n; i++)
        while (s->task[i].npending)
            sim_flush(s, i, 0);
    sim_make_coll(s, 0, SIM_FINALIZE);
    s->live = s->n;
    s->tick = 1000;
    s->round = s->n + 4;
    for (uint32_t i = 0; i < s->n; i++) {
        s->task[i].peer = STOP_NONE;
        for (uint32_t c = 0; c < s->ncomms; c++)
            if (!s->comm[c].made && (s->comm[c].members >> i & 1))
                s->task[i].lists |= 1u << c;
    }
}

/* --------------------------------------------------------------- running */

static inline bool sim_arrived(const struct sim *s, const struct sim_message *m)
{
    return m->state == SIM_SENT && m->there <= s->tick;
}

/* What MPI does inside of any call. */
static inline void sim_progress(struct sim *s, struct sim_task *k)
{
    for (uint32_t i = 0; i < k->nposted; i++) {
        struct sim_message *m = &s->message[k->posted[i]];

        if (sim_arrived(s, m))
            m->state = SIM_MATCHED;
    }
}

/* What the layer does where it waits: it sees which receives are complete. */
static inline void sim_poke(struct sim *s, struct sim_task *k)
{
    sim_progress(s, k);
    for (uint32_t i = 0; i < k->nposted; i++)
        if (s->message[k->posted[i]].state == SIM_MATCHED) {
            s->message[k->posted[i]].state = SIM_RECEIVED;
            k->received++;
        }
}

static inline bool sim_instance_over(const struct sim_instance *x)
{
    return x->root < 0 ? x->entered == x->size : x->rooted;
}

static inline void sim_drain(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];
    const struct sim_op *op = &k->op[k->pc];
    uint32_t n = 0;

    sim_poke(s, k);
    for (uint32_t i = 0; i < s->nmessages; i++)
        if (s->message[i].dst == rank && sim_arrived(s, &s->message[i])) {
            s->message[i].state = SIM_KEPT;
            k->received++;
        }
    for (uint32_t i = 0; i < k->nsends; i++)
        n += s->message[k->sends[i]].state == SIM_SENT;
    for (uint32_t i = 0; i < k->ncolls; i++)
        n += !sim_instance_over(&s->instance[k->colls[i]]);
    if (op->kind == SIM_SEND && k->phase == 2)
        n += s->message[op->what].rendezvous &&
             s->message[op->what].state == SIM_SENT;
    k->unfinished = n;
}

static inline void sim_freeze(struct sim_task *k)
{
    k->back = k->where;
    k->unfinished = STOP_UNKNOWN;
    k->where = STOP_AT_FROZEN;
}

static inline void sim_frozen(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];

    if (k->want < STOP_WANT_FREEZE) {
        k->where = k->back;
        k->unfinished = 0;
    } else if (k->want == STOP_WANT_FREEZE) {
        sim_progress(s, k);
    } else {
        sim_drain(s, rank);
    }
}

/* Out of a call; what comes next is the program's own code again, but the layer
 * may not be left for a moment, in which signals do nothing. */
static inline void sim_leave(struct sim *s, struct sim_task *k)
{
    k->where = STOP_AT_USER;
    k->peer = STOP_NONE;
    k->pc++;
    k->phase = 0;
    k->in_layer = sim_random(s, 4) == 0;
    if (k->want >= STOP_WANT_FREEZE)
        sim_freeze(k);
}

/* One of the messages that the op is for, which is there; or none. */
static inline struct sim_message *sim_there(struct sim *s,
                                            const struct sim_op *op)
{
    uint32_t of = op->any ? op->any : 1, from = sim_random(s, of);

    for (uint32_t i = 0; i < of; i++) {
        struct sim_message *m = &s->message[op->what + (from + i) % of];

        if (m->state == SIM_KEPT || sim_arrived(s, m))
            return m;
    }
    return NULL;
}

static inline void sim_got(struct sim_task *k, uint64_t value)
{
    k->checksum = sim_hash(k->checksum, value);
}

static inline void sim_forget(uint16_t *v, uint16_t *n, uint16_t what)
{
    for (uint32_t i = 0; i < *n; i++)
        if (v[i] == what)
            v[i--] = v[--*n];
}

static inline void sim_send(struct sim *s, struct sim_task *k,
                            struct sim_message *m)
{
    k->sent++;
    m->state = SIM_SENT;
    m->there = s->tick + sim_random(s, 3 * (uint32_t)s->round);
}

/* Does what it is inside of MPI for; true: that is done. */
static inline bool sim_complete(struct sim *s, struct sim_task *k)
{
    const struct sim_op *op = &k->op[k->pc];
    struct sim_message *m = &s->message[op->what];

    switch (op->kind) {
    case SIM_SEND:
    case SIM_WAIT_SEND:
        if (m->rendezvous && m->state == SIM_SENT)
            return false;
        sim_forget(k->sends, &k->nsends, op->what);
        return true;
    case SIM_WAIT_RECV:
        sim_poke(s, k);
        if (m->state != SIM_RECEIVED && m->state != SIM_KEPT)
            return false;
        m->state = SIM_RECEIVED;
        sim_forget(k->posted, &k->nposted, op->what);
        sim_got(k, sim_value(op->what));
        return true;
    case SIM_RECV:
        m = sim_there(s, op);
        if (!m)
            return false;
        k->received += m->state != SIM_KEPT;
        m->state = SIM_RECEIVED;
        k->sum += sim_value((uint32_t)(m - s->message));
        if (!op->any || op->last) {
            sim_got(k, k->sum);
            k->sum = 0;
        }
        return true;
    case SIM_PROBE:
        return sim_there(s, op) != NULL;
    default:                    /* a collective's request */
        if (!sim_instance_over(&s->instance[op->what]))
            return false;
        sim_forget(k->colls, &k->ncolls, op->what);
        sim_got(k, s->instance[op->what].value);
        return true;
    }
}

static inline int32_t sim_peer(const struct sim *s, const struct sim_op *op)
{
    switch (op->kind) {
    case SIM_SEND:
    case SIM_WAIT_SEND:
        return s->message[op->what].dst;
    case SIM_WAIT_COLL:
        return STOP_NONE;
    default:
        return op->any ? STOP_ANY : s->message[op->what].src;
    }
}

static inline void sim_call(struct sim *s, struct sim_task *k)
{
    const struct sim_op *op = &k->op[k->pc];

    if (k->phase == 0) {
        k->calls++;
        k->where = STOP_AT_LIBRARY;
        k->phase = 1;
        return;
    }
    sim_progress(s, k);
    if (k->phase == 1) {
        struct sim_message *m = &s->message[op->what];

        if (op->kind == SIM_SEND || op->kind == SIM_ISEND)
            sim_send(s, k, m);
        if (op->kind == SIM_ISEND)
            k->sends[k->nsends++] = op->what;
        if (op->kind == SIM_IRECV)
            k->posted[k->nposted++] = op->what;
        if (op->kind == SIM_ISEND || op->kind == SIM_IRECV) {
            sim_leave(s, k);
            return;
        }
        k->phase = 2;
        if (!sim_complete(s, k)) {
            k->peer = sim_peer(s, op);
            k->where = STOP_AT_WAITING;
        } else {
            sim_leave(s, k);
        }
        return;
    }
    sim_poke(s, k);
    if (sim_complete(s, k))
        sim_leave(s, k);
    else if (k->want >= STOP_WANT_FREEZE)
        sim_freeze(k);
}

static inline void sim_poll(struct sim *s, struct sim_task *k)
{
    if (k->phase == 0) {
        k->calls++;
        k->where = STOP_AT_LIBRARY;
        k->phase = 1;
        return;
    }
    sim_progress(s, k);
    if (!sim_there(s, &k->op[k->pc]))
        k->pc--;                /* and again */
    sim_leave(s, k);
}

static inline void sim_enter(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];
    const struct sim_op *op = &k->op[k->pc];
    struct sim_instance *x = &s->instance[op->what];

    k->entered[x->comm]++;
    if (k->entered[x->comm] != x->number || !(k->lists >> x->comm & 1))
        s->wrong = "the model of a collective";
    x->entered++;
    x->rooted |= x->root == (int)rank;
    switch (op->kind) {
    case SIM_ICOLL:
        k->colls[k->ncolls++] = op->what;
        sim_leave(s, k);
        break;
    case SIM_FREE:
        k->lists &= ~(1u << x->comm);
        x->left++;
        sim_leave(s, k);
        break;
    default:
        k->phase = 13;
    }
}

static inline void sim_collective(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];
    const struct sim_op *op = &k->op[k->pc];
    struct sim_instance *x = &s->instance[op->what];
    uint32_t comm = x->comm;

    switch (k->phase) {
    case 0:
        k->calls++;
        k->in_layer = true;
        k->phase = 10;
        break;
    case 10:                    /* the gate */
        if (k->want == STOP_WANT_RUN || k->entered[comm] + 1 <= k->target[comm]) {
            k->phase = 11;
            break;
        }
        k->gate = comm;
        k->where = STOP_AT_HELD;
        sim_poke(s, k);
        if (k->want >= STOP_WANT_FREEZE)
            sim_freeze(k);
        break;
    case 11:
        k->where = STOP_AT_COLLECTIVE;
        k->phase = 12;
        break;
    case 12:
        sim_enter(s, rank);
        break;
    default:
        sim_progress(s, k);
        if (!sim_instance_over(x))
            break;
        x->left++;
        if (op->kind == SIM_FINALIZE) {
            k->where = STOP_AT_FINALIZED;
            s->live--;
            break;
        }
        if (op->child >= 0)
            k->lists |= 1u << op->child;
        sim_got(k, x->value);
        sim_leave(s, k);
    }
}

static inline void sim_step(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];
    const struct sim_op *op = &k->op[k->pc];
    bool signalled = k->signalled && k->order == s->order;

    if (k->where == STOP_AT_FINALIZED || k->asleep_until > s->tick)
        return;
    if (!s->calm && sim_random(s, 256) == 0) {
        k->asleep_until = s->tick + sim_random(s, 100 * (uint32_t)s->round);
        return;
    }
    if (k->where == STOP_AT_FROZEN) {
        sim_frozen(s, rank);
        return;
    }
    if (signalled) {
        k->signalled = false;
        if (k->phase == 0 && !k->in_layer && k->want >= STOP_WANT_FREEZE &&
            sim_random(s, 4)) {         /* else inside of malloc */
            sim_freeze(k);
            return;
        }
    }
    if (k->phase == 0 && k->in_layer) {
        k->in_layer = false;
        return;
    }
    if (op->kind == SIM_COMPUTE) {
        if (k->left++ < op->what)
            return;
        k->left = 0;
        k->pc++;
    } else if (op->kind == SIM_POLL) {
        sim_poll(s, k);
    } else if (op->kind >= SIM_COLL && op->kind <= SIM_FINALIZE) {
        sim_collective(s, rank);
    } else {
        sim_call(s, k);
    }
}

/* ---------------------------------------------------- the master's side */

/* The orders come to a page. */
static inline void sim_deliver(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];
    const struct sim_op *op = &k->op[k->pc];

    if (!k->heard && s->want != STOP_WANT_RUN) {
        k->heard = true;
        k->begun = k->pc;
        memcpy(k->base, k->entered, sizeof(k->base));
        if (k->phase == 11 || k->phase == 12)
            k->base[s->instance[op->what].comm]++;
    }
    k->order = s->order;
    k->want = s->want;
    for (uint32_t c = 0; c < s->ncomms; c++) {
        uint16_t to = s->ordered[c], highest = 0;

        if (!(k->lists >> c & 1))
            continue;
        for (uint32_t i = 0; s->options->ignores_raises && i < s->n; i++)
            if (s->task[i].entered[c] > highest)
                highest = s->task[i].entered[c];
        if (s->options->ignores_raises && to > highest)
            to = highest;
        if (to > k->target[c])
            k->target[c] = to;
    }
}

static inline void sim_read_first(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];

    s->seen[rank] = (struct stop_task){
        .comms = s->seen_comms[rank], .order = k->order, .where = k->where,
        .peer = k->peer };
}

static inline void sim_read_rest(struct sim *s, uint32_t rank)
{
    struct sim_task *k = &s->task[rank];
    struct stop_task *t = &s->seen[rank];

    for (uint32_t c = 0; c < s->ncomms; c++) {
        if (!(k->lists >> c & 1))
            continue;
        if (k->gate == c)
            t->gate = t->ncomms;
        s->seen_comms[rank][t->ncomms++] = (struct stop_comm){
            .id = sim_comm_id(c), .entered = k->entered[c],
            .target = k->target[c],
            .size = (uint32_t)__builtin_popcount(s->comm[c].members) };
    }
    t->sent = k->sent;
    t->received = k->received;
    t->calls = k->calls;
    t->unfinished = k->unfinished;
}

static inline void sim_obey(struct sim *s, const struct stop_orders *o)
{
    s->orders = o;
    s->want = o->want;
    s->order = o->number;
    for (uint32_t i = 0; i < o->nraises; i++)
        for (uint32_t c = 0; c < s->ncomms; c++)
            if (sim_comm_id(c) == o->raises[i].comm &&
                s->ordered[c] < o->raises[i].number)
                s->ordered[c] = (uint16_t)o->raises[i].number;
    for (uint32_t i = 0; i < o->nsignals; i++)
        s->task[o->signals[i]].signalled = true;
}

/* Reads a page, or half of it; after the last one it is the stop's turn. */
static inline void sim_look(struct sim *s)
{
    struct stop_look look;

    if (!s->half_read) {
        sim_read_first(s, s->reading);
        s->half_read = true;
        if (sim_random(s, 4) == 0)
            return;
    }
    s->half_read = false;
    sim_read_rest(s, s->reading);
    if (++s->reading < s->n)
        return;
    s->reading = 0;
    look = (struct stop_look){ .now_ns = s->tick, .number = ++s->looks,
                               .tasks = s->seen, .ntasks = s->n };
    sim_obey(s, stop_step(s->stop, &look));
}

static inline void sim_tick(struct sim *s, bool looks)
{
    uint32_t rank = sim_random(s, s->n + (looks ? 4 : 0));

    s->tick++;
    if (rank >= s->n) {
        sim_look(s);
        return;
    }
    if (s->task[rank].order != s->order && sim_random(s, 4) == 0)
        sim_deliver(s, rank);
    sim_step(s, rank);
}

/* ------------------------------------------------------------ judging it */

/* What has to be entered of each communicator before there can be a stop, from
 * where each task was when it had the word: who comes to where a message is
 * received, needs who sends it to come to that, and so on. */
struct sim_need {
    const struct sim *s;
    uint16_t entered[SIM_COMMS], begun[SIM_TASKS], done[SIM_TASKS];
    bool more;
};

static inline void sim_need_begun(struct sim_need *w, uint32_t rank,
                                  uint32_t op)
{
    if (w->begun[rank] >= op)
        return;
    w->begun[rank] = (uint16_t)op;
    w->more = true;
}

static inline void sim_need_entered(struct sim_need *w, uint32_t comm,
                                    uint16_t number)
{
    const struct sim_instance *x;

    if (w->entered[comm] >= number)
        return;
    w->entered[comm] = number;
    x = &w->s->instance[w->s->comm[comm].instance[number - 1]];
    for (uint32_t i = 0; i < w->s->n; i++)
        if (w->s->comm[comm].members >> i & 1)
            sim_need_begun(w, i, x->at[i] + 1u);    /* it has to be left */
}

/* What it takes for the op to be over. */
static inline void sim_need_done(struct sim_need *w, const struct sim_op *op)
{
    const struct sim_message *m = w->s->message + op->what;
    const struct sim_instance *x;

    switch (op->kind) {
    case SIM_COLL:
    case SIM_ICOLL:
    case SIM_MAKE:
    case SIM_FREE:
    case SIM_FINALIZE:
        x = &w->s->instance[op->what];
        sim_need_entered(w, x->comm, x->number);
        break;
    case SIM_RECV:
    case SIM_PROBE:
    case SIM_WAIT_RECV:
        sim_need_begun(w, m->src, m->send_at);
        break;
    case SIM_SEND:
    case SIM_WAIT_SEND:
        if (m->rendezvous)
            sim_need_begun(w, m->dst, m->recv_at);
        break;
    }
}

static inline void sim_needs(struct sim_need *w, const struct sim *s)
{
    *w = (struct sim_need){ .s = s };
    for (uint32_t i = 0; i < s->n; i++)
        w->begun[i] = s->task[i].begun;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t c = 0; c < s->ncomms; c++)
            sim_need_entered(w, c, s->task[i].base[c]);
    do {
        w->more = false;
        for (uint32_t i = 0; i < s->n; i++)
            while (w->done[i] < w->begun[i])
                sim_need_done(w, &s->task[i].op[w->done[i]++]);
    } while (w->more);
}

static inline const char *sim_check_stopped(const struct sim *s)
{
    uint64_t sent = 0, received = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        if (s->task[i].where != STOP_AT_FROZEN)
            return "a task does not stand";
        sent += s->task[i].sent;
        received += s->task[i].received;
    }
    if (sent != received)
        return "sums differ";
    for (uint32_t i = 0; i < s->nmessages; i++)
        if (s->message[i].state == SIM_SENT || s->message[i].state == SIM_MATCHED)
            return "a message is under way";
    for (uint32_t i = 0; i < s->ninstances; i++) {
        const struct sim_instance *x = &s->instance[i];

        if (x->entered && x->entered != x->size)
            return "a collective is half entered";
        if (x->entered && !x->waits && x->left != x->size)
            return "a collective is half left";
    }
    for (uint32_t c = 0; c < s->ncomms; c++) {
        uint32_t listed = 0;

        for (uint32_t i = 0; i < s->n; i++)
            listed |= (s->task[i].lists >> c & 1) << i;
        if (listed && listed != s->comm[c].members)
            return "a communicator is there on some only";
    }
    return NULL;
}

static inline void sim_judge(struct sim *s, struct sim_result *r)
{
    struct sim_need need;

    s->wrong = sim_check_stopped(s);
    for (uint32_t i = 0; i < s->nmessages; i++)
        r->kept += s->message[i].state == SIM_KEPT;
    if (!s->calm || !s->plain || s->kept)
        return;
    r->counted = true;
    sim_needs(&need, s);
    for (uint32_t c = 0; c < s->ncomms; c++) {
        uint16_t highest = 0, base = 0;

        for (uint32_t i = 0; i < s->n; i++) {
            if (s->task[i].entered[c] > highest)
                highest = s->task[i].entered[c];
            if (s->task[i].base[c] > base)
                base = s->task[i].base[c];
        }
        r->more += highest - base;
        if (highest > need.entered[c])
            *(s->frees ? &r->torn_excess : &r->excess) +=
                highest - need.entered[c];
        if (highest < need.entered[c])
            s->wrong = "the model of what is needed";
    }
}

/* One stop, to its end; then the word is RUN. */
static inline void sim_stop(struct sim *s, struct sim_result *r)
{
    const struct sim_options *o = s->options;
    struct stop_options so = {
        .limit_ns = s->round * (o->limit_rounds ? o->limit_rounds : 200000),
        .still_ns = 40 * s->round, .patience_ns = 120 * s->round,
        .freeze_ns = 60 * s->round, .signal_ns = 4 * s->round,
    };
    uint64_t begin = s->tick, ran = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        s->task[i].heard = false;
        s->task[i].order = 0;
    }
    s->kept = false;
    for (uint32_t i = 0; i < s->nmessages; i++)
        s->kept |= s->message[i].state == SIM_KEPT;
    memset(s->ordered, 0, sizeof(s->ordered));
    s->reading = s->order = s->looks = 0;
    s->half_read = false;
    s->stop = stop_create(s->n, SIM_COMMS, &so, NULL);
    s->orders = NULL;
    while (!s->wrong && (!s->orders || s->orders->wake_ns))
        sim_tick(s, true);
    r->pushed += s->orders ? s->orders->pushed : 0;
    r->tried += s->orders ? s->orders->tried : 0;
    r->retreats += s->orders ? s->orders->retreats : 0;
    if (s->wrong) {
    } else if (s->orders->state == STOP_STOPPED) {
        r->stops++;
        sim_judge(s, r);
        for (uint32_t i = 0; i < s->n; i++)
            ran += s->task[i].sent + s->task[i].received + s->task[i].pc;
        for (int i = 0; i < 50; i++)
            sim_tick(s, false);
        for (uint32_t i = 0; i < s->n; i++)
            ran -= s->task[i].sent + s->task[i].received + s->task[i].pc;
        if (ran && !s->wrong)
            s->wrong = "a task goes on";
    } else {
        r->why = s->orders->why;
        r->late += r->why.reason == STOP_WHY_FINALIZED;
        r->given_up += r->why.reason != STOP_WHY_FINALIZED;
    }
    if ((s->tick - begin) / s->round > r->rounds)
        r->rounds = (uint32_t)((s->tick - begin) / s->round);
    s->want = STOP_WANT_RUN;
    s->order++;
    stop_destroy(s->stop);
    s->stop = NULL;
}

static inline void sim_show(const struct sim *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sim_task *k = &s->task[i];

        printf("# task %u: op %u (kind %u) of %u, phase %u, at %u, peer %d, want "
               "%u, sent %u, received %u, lists %x:", i, k->pc,
               k->op[k->pc].kind, k->nops, k->phase, k->where, k->peer, k->want,
               (unsigned)k->sent, (unsigned)k->received, k->lists);
        for (uint32_t c = 0; c < s->ncomms; c++)
            printf(" %u/%u", k->entered[c], k->target[c]);
        printf("\n");
    }
}

/* Nothing is left of the stop before. */
static inline bool sim_undisturbed(const struct sim *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->task[i].order != s->order || s->task[i].where == STOP_AT_FROZEN)
            return false;
    return true;
}

/* A program, with some stops on its way. */
static inline void sim_run(const struct sim_options *o, struct sim_result *r)
{
    static struct sim s;
    uint32_t ops = 0, stops;
    uint64_t at, ends;

    *r = (struct sim_result){ 0 };
    memset(&s, 0, offsetof(struct sim, task));
    for (uint32_t i = 0; i < SIM_TASKS; i++) {
        memset(&s.task[i], 0, offsetof(struct sim_task, op));
        s.task[i].nops = s.task[i].npending = 0;
        s.task[i].expected = 0;
    }
    memset(&s.ncomms, 0, sizeof(s) - offsetof(struct sim, ncomms));
    sim_make(&s, o);
    for (uint32_t i = 0; i < s.n; i++)
        ops += s.task[i].nops;
    stops = o->owes ? 1 : 1 + sim_random(&s, 3);
    at = s.tick + sim_random(&s, 4 * ops + 1);
    if (o->owes)
        at = s.tick + 20 * s.round;
    ends = s.tick + 2000000;
    while (s.live && !s.wrong && s.tick < ends) {
        sim_tick(&s, false);
        if (s.tick < at || !stops || !s.live || !sim_undisturbed(&s))
            continue;
        sim_stop(&s, r);
        stops--;
        ends = s.tick + 2000000;
        at = s.tick + sim_random(&s, 2 * ops);
    }
    for (uint32_t i = 0; !s.wrong && i < s.n; i++) {
        if (s.live)
            s.wrong = "the program does not end";
        else if (s.task[i].checksum != s.task[i].expected)
            s.wrong = "a checksum";
    }
    r->ticks = (uint32_t)s.tick;
    r->wrong = s.wrong;
    if (o->shows)
        sim_show(&s);
}

#endif
