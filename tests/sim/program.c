/* program.c - random programs, see program.h.
 *
 * They are written phase by phase: what belongs together is written for all of
 * its tasks before the next phase begins, and each task keeps that order. So
 * a program without mistakes ends whatever MPI buffers, but for those phases
 * that rely on small messages, as many programs do. */
#include "tests/sim/program.h"

#include <string.h>

#include "tests/sim/chance.h"
#include "tests/sim/mistake.h"

enum { LATER = 24 };

struct writer {
    struct program *p;
    uint64_t *chance;
    unsigned parts;
    uint32_t used[PROGRAM_TASKS];       /* variables of requests */
    uint32_t members[PROGRAM_TASKS][PROGRAM_COMMS];     /* 0: no such one */
    bool window[PROGRAM_COMMS];
    struct { uint32_t task; struct op op; } later[LATER];
    uint32_t nlater;
};

static uint32_t below(struct writer *w, uint32_t n)
{
    return chance_below(w->chance, n);
}

static bool is(struct writer *w, uint32_t percent)
{
    return chance_is(w->chance, percent);
}

static void add(struct writer *w, uint32_t task, struct op op)
{
    struct program *p = w->p;

    if (p->nops[task] < PROGRAM_OPS - 1)
        p->op[task][p->nops[task]++] = op;
}

static uint32_t take(struct writer *w, uint32_t task)
{
    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++)
        if (!(w->used[task] >> i & 1)) {
            w->used[task] |= 1u << i;
            return i;
        }
    return PROGRAM_SLOTS - 1;
}

static void give(struct writer *w, uint32_t task, uint32_t mask)
{
    w->used[task] &= ~mask;
}

/* To be written in a later phase. */
static void put_off(struct writer *w, uint32_t task, struct op op)
{
    if (w->nlater == LATER) {
        add(w, task, op);
        return;
    }
    w->later[w->nlater].task = task;
    w->later[w->nlater++].op = op;
}

/* In their order, or a task may wait for what it does itself later on. */
static void write_later(struct writer *w, uint32_t n)
{
    if (n > w->nlater)
        n = w->nlater;
    for (uint32_t i = 0; i < n; i++)
        add(w, w->later[i].task, w->later[i].op);
    w->nlater -= n;
    memmove(w->later, w->later + n, w->nlater * sizeof(w->later[0]));
}

static uint32_t some_bytes(struct writer *w)
{
    static const uint32_t sizes[] = { 1, 8, 256, 257, 4000, 4096, 4097, 4128,
                                      4160, 4161, 20000, 65536, 65537, 65600,
                                      1000000, 50000000 };

    return sizes[is(w, 50) ? below(w, 4)
                           : below(w, sizeof(sizes) / sizeof(sizes[0]))];
}

static void compute(struct writer *w, uint32_t task, uint64_t most_ns)
{
    add(w, task, (struct op){ .kind = is(w, 85) ? OP_COMPUTE : OP_SLEEP,
                              .ns = chance_ns(w->chance, 1000, most_ns) });
}

/* One of the communicators that all of these tasks know, by variable. */
static uint32_t common(struct writer *w, uint32_t mask)
{
    uint32_t at = below(w, PROGRAM_COMMS);

    for (uint32_t n = 0; n < PROGRAM_COMMS; n++) {
        uint32_t c = (at + n) % PROGRAM_COMMS, r = 0;

        if (w->window[c])
            continue;
        for (; r < w->p->ntasks; r++)
            if ((mask >> r & 1) && (w->members[r][c] & mask) != mask)
                break;
        if (r == w->p->ntasks)
            return c;
    }
    return 0;
}

static uint32_t everybody(const struct writer *w)
{
    return (1u << w->p->ntasks) - 1;
}

/* ------------------------------------------------------------- messages */

/* Waits for requests in any way, in the end for all of them. */
static void wait_for(struct writer *w, uint32_t task, uint32_t mask)
{
    static const uint8_t kinds[] = {
        OP_WAITALL, OP_WAITALL, OP_WAIT, OP_TESTALL, OP_WAITANY, OP_WAITSOME,
        OP_TESTANY };
    uint32_t n = (uint32_t)__builtin_popcount(mask);
    struct op op = {
        .kind = kinds[below(w, 7)], .mask = mask, .ignores = is(w, 50),
        .ns = chance_ns(w->chance, 500, 20000000),
    };

    if ((op.kind == OP_TESTALL || op.kind == OP_TESTANY) &&
        !(w->parts & PROGRAM_LOOPS))
        op.kind = OP_WAITALL;
    if (op.kind == OP_WAIT && n > 1)
        op.kind = OP_WAITALL;
    if (n == 1 && op.kind == OP_TESTALL && is(w, 70))
        op.kind = OP_TEST;
    if (op.kind == OP_WAITANY || op.kind == OP_TESTANY)
        for (uint32_t i = 1; i < n; i++)
            add(w, task, op);
    if (op.kind == OP_WAITSOME) {
        add(w, task, op);
        op.kind = OP_WAITALL;
    }
    if (op.kind >= OP_TEST && is(w, 20)) {
        op.patience_ns = chance_ns(w->chance, 1000000, 8000000000u);
        add(w, task, op);
        op.kind = OP_WAITALL;
        op.patience_ns = 0;
    }
    add(w, task, op);
    give(w, task, mask);
}

static struct op message(struct writer *w, uint32_t from, uint32_t to)
{
    return (struct op){
        .kind = OP_SEND, .comm = (uint8_t)common(w, 1u << from | 1u << to),
        .peer = (int8_t)to, .source = (int8_t)from,
        .tag = (int16_t)below(w, 3), .bytes = some_bytes(w),
        .ignores = is(w, 40),
        .ns = chance_ns(w->chance, 500, 20000000),
    };
}

static void send_some_way(struct writer *w, uint32_t from, struct op m,
                          bool may_wait)
{
    static const uint8_t kinds[] = { OP_SEND, OP_SEND, OP_SSEND, OP_BSEND,
                                     OP_RSEND, OP_ISEND, OP_ISSEND, OP_IBSEND,
                                     OP_ISEND, OP_SEND_INIT };

    m.kind = kinds[may_wait ? below(w, 10) : 5 + below(w, 4)];
    if (m.kind <= OP_RSEND) {
        add(w, from, m);
        return;
    }
    m.made = (uint8_t)take(w, from);
    add(w, from, m);
    if (m.kind == OP_SEND_INIT) {
        for (int i = 0; i < 1; i++)
            add(w, from, (struct op){ .kind = OP_START, .made = m.made });
    } else if (is(w, 25) && m.kind == OP_ISEND) {
        add(w, from, (struct op){ .kind = OP_REQUEST_FREE, .made = m.made });
        give(w, from, 1u << m.made);
        return;
    }
    if (!may_wait || is(w, 40))
        put_off(w, from, (struct op){ .kind = OP_WAIT, .mask = 1u << m.made,
                                      .ignores = true });
    else
        wait_for(w, from, 1u << m.made);
    if (m.kind == OP_SEND_INIT)
        put_off(w, from, (struct op){ .kind = OP_REQUEST_FREE,
                                      .made = m.made });
}

static void receive_some_way(struct writer *w, uint32_t to, struct op m)
{
    bool loops = w->parts & PROGRAM_LOOPS;

    m.peer = m.source;
    m.kind = OP_RECV;
    if ((w->parts & PROGRAM_WILD) && is(w, 15))
        m.peer = PROGRAM_ANY;
    if ((w->parts & PROGRAM_WILD) && is(w, 10))
        m.tag = PROGRAM_ANY;
    if (is(w, 15)) {
        struct op probe = m;

        probe.kind = loops && is(w, 50) ? OP_IPROBE : OP_PROBE;
        add(w, to, probe);
    } else if (is(w, 50)) {
        m.kind = is(w, 15) ? OP_RECV_INIT : OP_IRECV;
        m.made = (uint8_t)take(w, to);
        add(w, to, m);
        if (m.kind == OP_RECV_INIT)
            add(w, to, (struct op){ .kind = OP_START, .made = m.made });
        if (is(w, 40))
            compute(w, to, 3000000000u);
        wait_for(w, to, 1u << m.made);
        return;
    }
    add(w, to, m);
}

static void phase_pair(struct writer *w)
{
    uint32_t from = below(w, w->p->ntasks), to = below(w, w->p->ntasks);
    struct op m = message(w, from, to);
    bool self = from == to;

    if (is(w, 30))
        compute(w, from, 2000000000);
    send_some_way(w, from, m, !self);
    receive_some_way(w, to, m);
}

/* Sent now, received much later. */
static void phase_early(struct writer *w)
{
    uint32_t from = below(w, w->p->ntasks), to = below(w, w->p->ntasks);
    struct op m = message(w, from, to);

    m.tag = (int16_t)(10 + below(w, 3));
    send_some_way(w, from, m, false);
    m.kind = OP_RECV;
    m.peer = m.source;
    put_off(w, to, m);
}

/* Who sends first relies on buffers. */
static void phase_heads(struct writer *w)
{
    uint32_t a = below(w, w->p->ntasks), b = below(w, w->p->ntasks);
    struct op m = message(w, a, b), back = m;

    if (a == b)
        return;
    m.kind = back.kind = OP_SEND;
    m.bytes = is(w, 90) ? 1 + below(w, 256) : some_bytes(w);
    back.bytes = m.bytes;
    back.peer = (int8_t)a;
    add(w, a, m);
    add(w, b, back);
    m.kind = back.kind = OP_RECV;
    m.peer = (int8_t)a;
    back.peer = (int8_t)b;
    add(w, a, back);
    add(w, b, m);
}

static void phase_ring(struct writer *w)
{
    uint32_t n = w->p->ntasks, how = below(w, 3);
    struct op m = message(w, 0, n - 1);
    bool open = is(w, 40);      /* ... it is no ring */
    uint32_t comm = common(w, everybody(w));

    for (uint32_t r = 0; r < n; r++) {
        uint32_t to = (r + 1) % n, from = (r + n - 1) % n, q;
        struct op send = m, recv = m;

        send.comm = recv.comm = (uint8_t)comm;
        send.peer = (int8_t)(open && to == 0 ? PROGRAM_NULL : (int)to);
        send.source = recv.peer = (int8_t)(open && r == 0 ? PROGRAM_NULL
                                                          : (int)from);
        send.source_tag = send.tag;
        if (is(w, 10))
            compute(w, r, 3000000000u);
        if (how == 0) {
            send.kind = OP_SENDRECV;
            add(w, r, send);
            continue;
        }
        q = take(w, r);
        send.made = recv.made = (uint8_t)q;
        send.kind = how == 1 ? OP_ISEND : OP_SEND;
        recv.kind = how == 1 ? OP_RECV : OP_IRECV;
        add(w, r, how == 1 ? send : recv);
        add(w, r, how == 1 ? recv : send);
        if (is(w, 20))
            compute(w, r, 1000000000u);
        wait_for(w, r, 1u << q);
    }
}

static void phase_halo(struct writer *w)
{
    uint32_t n = w->p->ntasks, comm = common(w, everybody(w));
    uint32_t bytes = some_bytes(w), slow = below(w, 2 * n);

    if (n < 3)
        return;
    for (uint32_t r = 0; r < n; r++) {
        struct op m = { .comm = (uint8_t)comm, .bytes = bytes };
        uint32_t mask = 0;

        for (uint32_t i = 0; i < 4; i++) {
            m.kind = i < 2 ? OP_IRECV : OP_ISEND;
            m.peer = (int8_t)((r + (i % 2 ? 1 : n - 1)) % n);
            m.tag = (int16_t)(i == 1 || i == 2);
            m.made = (uint8_t)take(w, r);
            mask |= 1u << m.made;
            add(w, r, m);
        }
        compute(w, r, r == slow ? 6000000000u : 50000000);
        wait_for(w, r, mask);
    }
}

/* One takes from all, in any order, and may answer. */
static void phase_gather_any(struct writer *w)
{
    uint32_t n = w->p->ntasks, root = below(w, n);
    struct op m = message(w, 0, n - 1);
    bool answers = is(w, 50);

    m.comm = (uint8_t)common(w, everybody(w));
    m.tag = 20;
    for (uint32_t r = 0; r < n; r++) {
        struct op recv = m;

        if (r == root)
            continue;
        if (is(w, 30))
            compute(w, r, 2000000000);
        m.peer = (int8_t)root;
        m.kind = OP_SEND;
        add(w, r, m);
        recv.kind = OP_RECV;
        recv.peer = PROGRAM_ANY;
        recv.tag = is(w, 80) ? 20 : PROGRAM_ANY;
        add(w, root, recv);
    }
    for (uint32_t r = 0; r < n && answers; r++) {
        if (r == root)
            continue;
        m.peer = (int8_t)r;
        m.kind = OP_SEND;
        add(w, root, m);
        m.peer = (int8_t)root;
        m.kind = OP_RECV;
        add(w, r, m);
    }
}

static void phase_cancel(struct writer *w)
{
    uint32_t r = below(w, w->p->ntasks), q = take(w, r);
    uint32_t from = below(w, w->p->ntasks);

    add(w, r, (struct op){ .kind = OP_IRECV, .made = (uint8_t)q, .tag = 40,
                           .peer = (int8_t)(is(w, 50) ? (int)from
                                                      : PROGRAM_ANY),
                           .bytes = 8 });
    if (is(w, 40))              /* it comes, perhaps */
        add(w, from, (struct op){ .kind = OP_BSEND, .tag = 40,
                                  .peer = (int8_t)r, .bytes = 8 });
    if (is(w, 30)) {            /* and comes to where nobody asks for it */
        put_off(w, r, (struct op){ .kind = OP_REQUEST_FREE,
                                   .made = (uint8_t)q });
        return;
    }
    put_off(w, r, (struct op){ .kind = OP_CANCEL, .made = (uint8_t)q });
    put_off(w, r, (struct op){ .kind = OP_WAIT, .mask = 1u << q,
                               .ignores = is(w, 50) });
}

/* The same message several times. */
static void phase_persistent(struct writer *w)
{
    uint32_t from = below(w, w->p->ntasks), to = below(w, w->p->ntasks);
    struct op m = message(w, from, to), s, r;
    uint32_t times = 1 + below(w, 4);

    if (from == to)
        return;
    m.made = (uint8_t)take(w, from);
    m.kind = is(w, 80) ? OP_SEND_INIT : OP_SSEND_INIT;
    add(w, from, m);
    s = (struct op){ .kind = OP_WAIT, .mask = 1u << m.made };
    for (uint32_t i = 0; i < times; i++) {
        add(w, from, (struct op){ .kind = OP_START, .made = m.made });
        if (is(w, 20))
            compute(w, from, 1000000000);
        add(w, from, s);
    }
    add(w, from, (struct op){ .kind = OP_REQUEST_FREE, .made = m.made });
    give(w, from, 1u << m.made);
    m.made = (uint8_t)take(w, to);
    m.kind = OP_RECV_INIT;
    m.peer = (int8_t)from;
    add(w, to, m);
    r = (struct op){ .kind = is(w, 70) ? OP_WAITALL : OP_WAITANY,
                     .mask = 1u << m.made };
    for (uint32_t i = 0; i < times; i++) {
        add(w, to, (struct op){ .kind = OP_START, .made = m.made });
        add(w, to, r);
    }
    add(w, to, (struct op){ .kind = OP_REQUEST_FREE, .made = m.made });
    give(w, to, 1u << m.made);
}

/* ----------------------------------------------------------- collectives */

/* A communicator of a random task, and who is in it. */
static uint32_t some_comm(struct writer *w, uint32_t *members)
{
    uint32_t r = below(w, w->p->ntasks), c = below(w, PROGRAM_COMMS);

    if (w->window[c] || !w->members[r][c])
        c = 0;
    *members = w->members[r][c];
    return c;
}

static uint32_t one_of(struct writer *w, uint32_t mask)
{
    uint32_t r;

    do
        r = below(w, w->p->ntasks);
    while (!(mask >> r & 1));
    return r;
}

static void phase_collective(struct writer *w)
{
    uint32_t members, comm = some_comm(w, &members);
    bool later = is(w, 30);
    uint32_t kind = later ? OP_IBARRIER + below(w, 4)
                          : OP_BARRIER + below(w, 8);
    struct op m = { .kind = (uint8_t)kind, .comm = (uint8_t)comm,
                    .peer = (int8_t)one_of(w, members),
                    .bytes = some_bytes(w) };

    for (uint32_t r = 0; r < w->p->ntasks; r++) {
        if (!(members >> r & 1))
            continue;
        if (is(w, 15))
            compute(w, r, 3000000000u);
        if (later)
            m.made = (uint8_t)take(w, r);
        add(w, r, m);
        if (!later)
            continue;
        if (is(w, 30))
            compute(w, r, 1000000000);
        if (is(w, 25))
            put_off(w, r, (struct op){ .kind = OP_WAIT,
                                       .mask = 1u << m.made });
        else
            wait_for(w, r, 1u << m.made);
    }
}

/* For all members: op, which makes variable made, of the tasks in group. */
static void phase_comm(struct writer *w)
{
    uint32_t members, comm = some_comm(w, &members), made = 0, group[2];
    uint32_t undefined;
    bool splits = is(w, 50);

    for (uint32_t c = 1; c < PROGRAM_COMMS && !made; c++) {
        bool is_free = !w->window[c];

        for (uint32_t r = 0; r < w->p->ntasks; r++)
            is_free = is_free && !w->members[r][c];
        made = is_free ? c : 0;
    }
    if (!made)
        return;
    group[0] = splits ? (uint32_t)chance_next(w->chance) & members : members;
    group[1] = members & ~group[0];
    undefined = is(w, 20) ? 1u << below(w, w->p->ntasks) : 0;
    group[0] &= splits ? ~undefined : members;
    group[1] &= ~undefined;
    for (uint32_t r = 0; r < w->p->ntasks; r++) {
        uint32_t mine = group[group[1] >> r & 1];

        if (!(members >> r & 1))
            continue;
        if (splits && (undefined >> r & 1))
            mine = 0;
        add(w, r, (struct op){ .kind = splits ? OP_SPLIT : OP_DUP,
                               .comm = (uint8_t)comm, .made = (uint8_t)made,
                               .mask = mine });
        w->members[r][made] = mine;
    }
}

static void phase_free(struct writer *w)
{
    uint32_t members, comm = some_comm(w, &members);

    if (comm == 0)
        return;
    write_later(w, LATER);      /* what goes on in it */
    for (uint32_t r = 0; r < w->p->ntasks; r++)
        if (members >> r & 1) {
            add(w, r, (struct op){ .kind = OP_FREE, .comm = (uint8_t)comm });
            w->members[r][comm] = 0;
        }
}

/* -------------------------------------------------------------- windows */

static void epoch(struct writer *w, uint32_t win)
{
    uint32_t n = w->p->ntasks, to = below(w, n), from = 0;

    for (uint32_t r = 0; r < n; r++)
        if (r != to && is(w, 60))
            from |= 1u << r;
    if (!from)
        return;
    add(w, to, (struct op){ .kind = OP_POST, .comm = (uint8_t)win,
                            .mask = from });
    for (uint32_t r = 0; r < n; r++) {
        struct op op = { .kind = OP_START_EPOCH, .comm = (uint8_t)win,
                         .mask = 1u << to };

        if (!(from >> r & 1))
            continue;
        add(w, r, op);
        if (is(w, 30))
            compute(w, r, 1000000000);
        op.kind = OP_COMPLETE;
        add(w, r, op);
    }
    if (is(w, 30))
        compute(w, to, 1000000000);
    add(w, to, (struct op){ .kind = OP_WAIT_EPOCH, .comm = (uint8_t)win,
                            .mask = from });
}

static void locks(struct writer *w, uint32_t win)
{
    uint32_t target = below(w, w->p->ntasks);

    for (uint32_t r = 0; r < w->p->ntasks; r++) {
        struct op op = { .kind = OP_LOCK, .comm = (uint8_t)win,
                         .peer = (int8_t)target };

        if (is(w, 40))
            continue;
        add(w, r, op);
        compute(w, r, is(w, 20) ? 2000000000 : 100000);
        op.kind = OP_UNLOCK;
        add(w, r, op);
    }
}

static void for_all(struct writer *w, struct op op)
{
    for (uint32_t r = 0; r < w->p->ntasks; r++)
        add(w, r, op);
}

static void phase_window(struct writer *w)
{
    uint32_t win = PROGRAM_COMMS - 1;

    if (!w->window[win]) {
        w->window[win] = true;
        for_all(w, (struct op){ .kind = OP_WIN_CREATE, .made = (uint8_t)win,
                                .mask = everybody(w) });
    }
    switch (below(w, 4)) {
    case 0:
        for_all(w, (struct op){ .kind = OP_FENCE, .comm = (uint8_t)win });
        break;
    case 1:
        locks(w, win);
        break;
    case 2:
        epoch(w, win);
        break;
    default:
        for_all(w, (struct op){ .kind = OP_WIN_FREE, .comm = (uint8_t)win });
        w->window[win] = false;
    }
}

/* ---------------------------------------------------------- the program */

void program_insert(struct program *p, uint32_t r, uint32_t at, struct op op)
{
    if (p->nops[r] >= PROGRAM_OPS)
        return;
    memmove(&p->op[r][at + 1], &p->op[r][at],
            (p->nops[r]++ - at) * sizeof(op));
    p->op[r][at] = op;
}

void program_drop(struct program *p, uint32_t r, uint32_t at)
{
    memmove(&p->op[r][at], &p->op[r][at + 1],
            (--p->nops[r] - at) * sizeof(p->op[r][0]));
}


static void phase(struct writer *w)
{
    static void (*const talk[])(struct writer *) = {
        phase_pair, phase_pair, phase_early, phase_heads, phase_ring,
        phase_halo, phase_persistent, phase_cancel,
    };
    static void (*const collect[])(struct writer *) = {
        phase_collective, phase_collective, phase_collective, phase_comm,
        phase_comm, phase_free,
    };

    if (is(w, 20))
        compute(w, below(w, w->p->ntasks), 6000000000u);
    if (w->nlater && is(w, 30))
        write_later(w, 1 + below(w, w->nlater));
    if ((w->parts & PROGRAM_WINDOWS) && is(w, 8))
        phase_window(w);
    else if ((w->parts & PROGRAM_WILD) && is(w, 8))
        phase_gather_any(w);
    else if ((w->parts & PROGRAM_COLLECTIVES) && is(w, 35))
        collect[below(w, 6)](w);
    else
        talk[below(w, 8)](w);
}

/* What the first thread sends another one may, when it likes. */
static void give_to_threads(struct writer *w)
{
    for (uint32_t r = 0; r < w->p->ntasks; r++)
        for (uint32_t i = 0; i < w->p->nops[r]; i++) {
            struct op *o = &w->p->op[r][i];

            if (o->kind != OP_SEND || !is(w, 50))
                continue;
            o->kind = OP_THREAD;
            o->ns = chance_ns(w->chance, 1000, 6000000000u);
        }
    w->p->threads = true;
}

void program_make(struct program *p, uint64_t *chance, unsigned parts,
                  uint32_t mistakes)
{
    struct writer w = { .p = p, .chance = chance, .parts = parts };
    uint32_t phases;

    memset(p, 0, sizeof(*p));
    p->ntasks = is(&w, 30) ? 2 : 2 + below(&w, PROGRAM_TASKS - 1);
    phases = 2 + below(&w, is(&w, 70) ? 6 : 14);
    for (uint32_t r = 0; r < p->ntasks; r++)
        w.members[r][0] = everybody(&w);
    for (uint32_t i = 0; i < phases; i++)
        phase(&w);
    write_later(&w, LATER);
    if (is(&w, 25))
        give_to_threads(&w);
    for (uint32_t i = 0; i < mistakes && i < PROGRAM_MISTAKES; i++)
        mistake_make(p, chance);
    for (uint32_t r = 0; r < p->ntasks; r++)
        add(&w, r, (struct op){ .kind = OP_FINALIZE });
}
