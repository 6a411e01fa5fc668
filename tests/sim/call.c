/* call.c - one MPI call of one task: how it begins, when it is over, and what
 * the page says of it. */
#include <string.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/calls.h"
#include "tests/sim/chance.h"
#include "tests/sim/world.h"

static uint32_t number_of(uint32_t kind)
{
    static uint32_t numbers[OP_KINDS];

    if (!numbers[OP_SEND])
        for (uint32_t i = 0; i < OP_KINDS; i++)
            numbers[i] = call_find(program_call(i));
    return numbers[kind];
}

static const struct op *op_of(const struct world *w, uint32_t task)
{
    return &w->program->op[task][w->task[task].at];
}

static bool is_collective(uint32_t kind)
{
    return (kind >= OP_BARRIER && kind <= OP_FENCE) || kind == OP_WIN_FREE;
}

static bool asks(uint32_t kind)
{
    return kind == OP_IPROBE || (kind >= OP_TEST && kind <= OP_TESTANY);
}

static bool waits(uint32_t kind)
{
    return kind >= OP_WAIT && kind <= OP_TESTANY;
}

/* ------------------------------------------------------------ the account */

static uint64_t count_sent(struct task *t, uint64_t comm, int peer, int tag)
{
    if (peer == PROGRAM_NULL)
        return 0;
    t->last_comm[peer] = comm;
    t->last_tag[peer] = tag;
    return t->sent[peer] += hct_message(comm, tag);
}

/* A partner and a tag that are not known are negative. */
static void count_received(struct task *t, uint64_t comm, int peer, int tag)
{
    if (peer == PROGRAM_NULL)
        return;
    if (peer < 0)
        t->blind++;
    else if (tag < 0)
        t->blinds[peer]++;
    else
        t->received[peer] += hct_message(comm, tag);
}

static void count_request(struct task *t, const struct request *q, bool status)
{
    if (q->what != WHAT_RECV || q->cancelled)
        return;
    count_received(t, q->comm, status ? q->from : q->peer,
                   status ? q->was_tag : q->tag);
}

/* ---------------------------------------------------------------- entering */

static bool makes_sense(const struct task *t, const struct op *o)
{
    const struct world_comm *c = &t->comms[o->comm];
    const struct request *q = &t->request[o->made];
    bool one = (o->kind >= OP_SEND && o->kind <= OP_IPROBE);
    bool window = o->kind >= OP_FENCE && o->kind <= OP_WIN_FREE;

    if (o->kind >= OP_DUP && o->kind <= OP_WIN_CREATE && o->kind != OP_FREE &&
        t->comms[o->made].members)
        return false;
    if ((one || is_collective(o->kind) || window) &&
        (!c->members || c->window != window))
        return false;
    if (one && ((o->peer >= 0 && !(c->members >> o->peer & 1)) ||
                (o->kind == OP_SENDRECV && o->source >= 0 &&
                 !(c->members >> o->source & 1))))
        return false;
    if ((o->kind == OP_BCAST || o->kind == OP_SCATTER || o->kind == OP_REDUCE ||
         o->kind == OP_GATHER || o->kind == OP_IBCAST || o->kind == OP_IREDUCE)
        && !(c->members >> o->peer & 1))
        return false;
    if ((o->kind >= OP_ISEND && o->kind <= OP_SSEND_INIT) ||
        o->kind == OP_IRECV || o->kind == OP_RECV_INIT ||
        (o->kind >= OP_IBARRIER && o->kind <= OP_IREDUCE))
        return !q->active;
    if (o->kind == OP_START)
        return q->persistent && !q->active;
    if (o->kind == OP_CANCEL)
        return q->what == WHAT_RECV && q->active;
    if (o->kind == OP_REQUEST_FREE)
        return q->what && q->shown &&
               (!q->active || q->what != WHAT_COLLECTIVE);
    return true;
}

static void about(struct task *t, const struct op *o)
{
    t->mask = t->waits = t->waits_call = 0;
    t->comm = t->collective = t->bytes = 0;
    t->peer = t->source = t->tag = t->source_tag = HCT_NONE;
    if (o->kind >= OP_SEND && o->kind <= OP_IPROBE) {
        t->comm = t->comms[o->comm].id;
        t->peer = o->peer;
        t->tag = o->tag;
        t->bytes = o->kind < OP_PROBE ? o->bytes : 0;
    }
    if (o->kind == OP_SENDRECV) {
        t->source = o->source;
        t->source_tag = o->source_tag;
    }
    if (o->kind >= OP_BARRIER && o->kind <= OP_WIN_FREE)
        t->comm = t->comms[o->comm].id;
    if (o->kind == OP_LOCK || o->kind == OP_UNLOCK ||
        (o->kind >= OP_BCAST && o->kind <= OP_GATHER) ||
        o->kind == OP_IBCAST || o->kind == OP_IREDUCE)
        t->peer = o->peer;
    if (o->kind >= OP_ALLREDUCE && o->kind <= OP_IREDUCE &&
        o->kind != OP_IBARRIER)
        t->bytes = o->bytes;
    if (!waits(o->kind))
        return;
    t->mask = o->mask;
    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
        const struct request *q = &t->request[i];

        if (!(o->mask >> i & 1) || !q->active || t->waits++)
            continue;
        t->waits_call = q->call;
        t->comm = q->comm;
        t->collective = q->collective;
        t->peer = q->peer;
        t->tag = q->tag;
        t->bytes = q->bytes;
    }
}

/* Fills request i. */
static struct request *make(struct task *t, uint32_t i, const struct op *o,
                            enum what what)
{
    struct request *q = &t->request[i];
    const struct world_comm *c = &t->comms[o->comm];

    *q = (struct request){
        .what = (uint8_t)what, .active = true, .call = (uint16_t)t->call,
        .peer = o->peer, .tag = o->tag, .bytes = o->bytes,
        .context = c->context, .comm = c->id, .shown = i < PROGRAM_SLOTS,
    };
    return q;
}

static void begin_send(struct world *w, uint32_t task, uint32_t request)
{
    struct request *q = &w->task[task].request[request];

    if (q->peer == PROGRAM_NULL)
        q->done = true;
    else
        message_send(w, task, (int)request, q->context, (uint32_t)q->peer,
                     q->tag, q->bytes, q->sync, q->buffered);
}

static void enter_send(struct world *w, uint32_t task, const struct op *o)
{
    struct task *t = &w->task[task];
    bool mine = o->kind >= OP_ISEND && o->kind <= OP_SSEND_INIT;
    uint32_t i = mine ? o->made : WORLD_OWN_SEND;
    struct request *q = make(t, i, o, WHAT_SEND);

    q->sync = o->kind == OP_SSEND || o->kind == OP_ISSEND ||
              o->kind == OP_SSEND_INIT;
    q->buffered = o->kind == OP_BSEND || o->kind == OP_IBSEND;
    if (o->kind == OP_SEND_INIT || o->kind == OP_SSEND_INIT) {
        q->persistent = true;
        q->active = false;
        return;
    }
    q->sent = count_sent(t, q->comm, q->peer, q->tag);
    begin_send(w, task, i);
}

static void enter_receive(struct world *w, uint32_t task, const struct op *o)
{
    struct task *t = &w->task[task];
    bool mine = o->kind == OP_IRECV || o->kind == OP_RECV_INIT;
    uint32_t i = mine ? o->made : WORLD_OWN_RECV;
    struct request *q = make(t, i, o, WHAT_RECV);

    if (o->kind == OP_RECV_INIT) {
        q->persistent = true;
        q->active = false;
        return;
    }
    message_receive(w, task, i);
}

static void enter_both(struct world *w, uint32_t task, struct op o)
{
    struct op recv = o;

    recv.peer = o.source;
    recv.tag = o.source_tag;
    recv.kind = OP_RECV;
    o.kind = OP_SEND;
    enter_receive(w, task, &recv);
    enter_send(w, task, &o);
}

static void enter_collective(struct world *w, uint32_t task,
                             const struct op *o)
{
    struct task *t = &w->task[task];
    struct world_comm *c = &t->comms[o->comm];
    uint32_t schedule = 0;

    if (is_collective(o->kind)) {
        t->collective = ++c->collectives;
        c->history_before = c->history;
        c->history = page_history(c->history, t->call, t->peer);
        c->call = t->call;
        c->entered_ns = w->now_ns;
    }
    if (o->kind >= OP_IBARRIER && o->kind <= OP_IREDUCE) {
        struct request *q = make(t, o->made, o, WHAT_COLLECTIVE);

        for (uint32_t s = WORLD_SCHEDULES - 1; s > 0; s--)
            schedule = t->schedule[s].active ? schedule : s;
        w->overflow |= schedule == 0;
        q->collective = t->collective;
        q->schedule = (uint8_t)schedule;
        q->peer = (int8_t)t->peer;
        q->tag = HCT_NONE;
    }
    collective_begin(w, task, schedule, o->kind, c, o);
}

static void enter_start(struct world *w, uint32_t task, uint32_t i)
{
    struct task *t = &w->task[task];
    struct request *q = &t->request[i];

    q->active = true;
    q->done = q->matched = q->cancelled = false;
    if (q->what == WHAT_SEND) {
        t->comm = q->comm;
        t->peer = q->peer;
        t->tag = q->tag;
        q->sent = count_sent(t, q->comm, q->peer, q->tag);
        begin_send(w, task, i);
    } else {
        message_receive(w, task, i);
    }
}

static void enter_cancel(struct request *q)
{
    q->cancelled = true;
    if (!q->matched)
        q->done = q->matched = true;
}

/* A receive goes on, unseen. */
static void enter_free(struct world *w, uint32_t task, uint32_t i)
{
    struct task *t = &w->task[task];
    struct request *q = &t->request[i];

    if (q->what == WHAT_RECV && q->active) {
        t->unsure++;
        q->shown = false;
        return;
    }
    message_forget(w, task, (int)i);
    *q = (struct request){ .what = WHAT_NONE };
}

/* Begins what MPI does. */
static void begin(struct world *w, uint32_t task, const struct op *o)
{
    struct task *t = &w->task[task];

    switch (o->kind) {
    case OP_SENDRECV:
        enter_both(w, task, *o);
        break;
    case OP_RECV: case OP_IRECV: case OP_RECV_INIT:
        enter_receive(w, task, o);
        break;
    case OP_START:
        enter_start(w, task, o->made);
        break;
    case OP_CANCEL:
        enter_cancel(&t->request[o->made]);
        t->unsure++;
        break;
    case OP_REQUEST_FREE:
        enter_free(w, task, o->made);
        break;
    case OP_FINALIZE:
        t->life = HCT_LIFE_FINALIZE;
        break;
    default:
        if (o->kind >= OP_SEND && o->kind <= OP_SSEND_INIT)
            enter_send(w, task, o);
        else if (o->kind >= OP_BARRIER && o->kind <= OP_WIN_FREE &&
                 o->kind != OP_LOCK && o->kind != OP_UNLOCK)
            enter_collective(w, task, o);
    }
}

bool call_enter(struct world *w, uint32_t task)
{
    struct task *t = &w->task[task];
    const struct op *o = op_of(w, task);

    if (!makes_sense(t, o))
        return false;
    t->in = true;
    t->asks = asks(o->kind);
    t->asks_ns = w->now_ns;
    t->stops_ns = o->patience_ns ? w->now_ns + o->patience_ns : UINT64_MAX;
    t->call = number_of(o->kind);
    t->calls += !t->asks;
    t->since_ns = w->now_ns;
    about(t, o);
    begin(w, task, o);
    return true;
}

/* ----------------------------------------------------------------- its end */

static bool all_done(const struct task *t, bool any)
{
    bool none = true;

    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
        const struct request *q = &t->request[i];

        if (!(t->mask >> i & 1) || !q->active)
            continue;
        if (q->done == any)
            return any;
        none = false;
    }
    return none || !any;
}

static bool lock_taken(struct world *w, uint32_t task, const struct op *o)
{
    uint64_t context = w->task[task].comms[o->comm].context;
    struct world_lock *place = NULL;

    if (w->lock_asks && o->peer != (int)task && !world_runs(&w->task[o->peer]))
        return false;
    for (uint32_t i = 0; i < WORLD_LOCKS; i++) {
        if (w->lock[i].context == context && w->lock[i].target == o->peer)
            return false;
        if (!w->lock[i].context)
            place = &w->lock[i];
    }
    if (!place)
        return false;
    *place = (struct world_lock){ context, o->peer, (int8_t)task };
    return true;
}

static bool unlocked(struct world *w, uint32_t task, const struct op *o)
{
    uint64_t context = w->task[task].comms[o->comm].context;

    if (w->lock_asks && o->peer != (int)task && !world_runs(&w->task[o->peer]))
        return false;
    for (uint32_t i = 0; i < WORLD_LOCKS; i++)
        if (w->lock[i].context == context && w->lock[i].target == o->peer &&
            w->lock[i].owner == (int)task)
            w->lock[i].context = 0;
    return true;
}

static bool all_finalize(const struct world *w)
{
    for (uint32_t r = 0; r < w->n; r++)
        if (w->task[r].life < HCT_LIFE_FINALIZE)
            return false;
    return true;
}

bool call_over(struct world *w, uint32_t task)
{
    struct task *t = &w->task[task];
    const struct op *o = op_of(w, task);

    if (t->asks && w->now_ns >= t->stops_ns)
        return true;
    switch (o->kind) {
    case OP_SEND: case OP_SSEND: case OP_BSEND: case OP_RSEND:
        return t->request[WORLD_OWN_SEND].done;
    case OP_RECV:
        return t->request[WORLD_OWN_RECV].done;
    case OP_SENDRECV:
        return t->request[WORLD_OWN_SEND].done &&
               t->request[WORLD_OWN_RECV].done;
    case OP_PROBE: case OP_IPROBE:
        return message_find(w, task, t->comms[o->comm].context, o->peer,
                            o->tag) != NULL;
    case OP_WAIT: case OP_WAITALL: case OP_TEST: case OP_TESTALL:
        return all_done(t, false);
    case OP_WAITANY: case OP_WAITSOME: case OP_TESTANY:
        return all_done(t, true);
    case OP_LOCK:
        return lock_taken(w, task, o);
    case OP_UNLOCK:
        return unlocked(w, task, o);
    case OP_FINALIZE:
        return w->parts_alone || all_finalize(w);
    case OP_IBARRIER: case OP_IALLREDUCE: case OP_IBCAST: case OP_IREDUCE:
        return true;
    default:
        return o->kind < OP_BARRIER || collective_progress(w, task, 0);
    }
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) *
           0xbf58476d1ce4e5b9u;
}

static void make_comm(struct world *w, struct task *t, const struct op *o)
{
    struct world_comm *c = &t->comms[o->comm], *made = &t->comms[o->made];
    uint32_t first = o->mask ? (uint32_t)__builtin_ctz(o->mask) : 0;
    uint32_t size = (uint32_t)__builtin_popcount(o->mask);

    *made = (struct world_comm){
        .members = o->mask, .window = o->kind == OP_WIN_CREATE,
        .context = mix(mix(c->context, ++c->made), o->mask) << 1 | 1ull << 60,
        .parent = c->id,
        .id = (mix(mix(mix(c->id, t->collective), first), size) | 4) &
              ~HCT_COMM_LOCAL,
    };
    if (chance_is(&w->chance, w->strange))
        made->id |= HCT_COMM_LOCAL;
}

static void free_comm(struct task *t, struct world_comm *c)
{
    c->freed = true;
    t->freed[t->nfreed++ % WORLD_FREED] = *c;
    *c = (struct world_comm){ .members = 0 };
}

static void end_request(struct task *t, struct request *q, bool status)
{
    count_request(t, q, status);
    q->active = false;
    if (!q->persistent)
        *q = (struct request){ .what = WHAT_NONE };
}

static void end_requests(struct task *t, const struct op *o)
{
    bool one = o->kind == OP_WAITANY || o->kind == OP_TESTANY;
    bool status = (o->kind == OP_WAIT || o->kind == OP_TEST) && !o->ignores;

    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
        struct request *q = &t->request[i];

        if (!(t->mask >> i & 1) || !q->active || !q->done)
            continue;
        end_request(t, q, status);
        if (one)
            return;
    }
}

static void end_messages(struct task *t, const struct op *o)
{
    struct request *q = &t->request[WORLD_OWN_RECV];

    if (o->kind == OP_RECV || o->kind == OP_SENDRECV)
        end_request(t, q, !o->ignores);
    t->request[WORLD_OWN_SEND].what = WHAT_NONE;
}

static void fly(struct world *w, struct task *t)
{
    t->flight[t->flights % WORLD_FLIGHTS] = (struct flight){
        .call = t->call, .comm = t->comm, .collective = t->collective,
        .bytes = t->bytes, .entered_ns = t->since_ns, .left_ns = w->now_ns,
        .number = t->flights + 1, .peer = t->peer, .tag = t->tag };
    t->flights++;
}

void call_wake(struct world *w, uint32_t task)
{
    struct task *t = &w->task[task];
    const struct op *o = op_of(w, task);
    const struct world_comm *c = &t->comms[o->comm];

    if (!c->members || c->window ||
        (o->peer >= 0 && !(c->members >> o->peer & 1)))
        return;
    t->helper.awake = true;
    t->helper.at_ns = w->now_ns + o->ns;
    t->helper.context = c->context;
    t->helper.comm = c->id;
    t->helper.to = o->peer;
    t->helper.tag = o->tag;
    t->helper.bytes = o->bytes;
}

void call_help(struct world *w, uint32_t task)
{
    struct task *t = &w->task[task];
    struct helper *h = &t->helper;

    count_sent(t, h->comm, h->to, h->tag);
    if (h->to != PROGRAM_NULL)
        message_send(w, task, -1, h->context, (uint32_t)h->to, h->tag, h->bytes,
                     false, true);
    t->flight[t->flights % WORLD_FLIGHTS] = (struct flight){
        .call = number_of(OP_BSEND), .comm = h->comm, .bytes = h->bytes,
        .entered_ns = w->now_ns, .left_ns = w->now_ns,
        .number = t->flights + 1, .peer = h->to, .tag = h->tag };
    t->flights++;
    t->calls++;
    t->moves++;
    h->calls++;
    h->awake = false;
}

void call_leave(struct world *w, uint32_t task)
{
    struct task *t = &w->task[task];
    const struct op *o = op_of(w, task);
    uint64_t asked = t->asks ? (w->now_ns - t->asks_ns) / (o->ns | 1) + 1 : 0;

    if (waits(o->kind))
        end_requests(t, o);
    else if (o->kind >= OP_SEND && o->kind <= OP_SENDRECV)
        end_messages(t, o);
    else if (o->kind == OP_DUP || o->kind == OP_SPLIT ||
             o->kind == OP_WIN_CREATE)
        make_comm(w, t, o);
    else if (o->kind == OP_FREE || o->kind == OP_WIN_FREE)
        free_comm(t, &t->comms[o->comm]);
    if (o->kind == OP_FINALIZE)
        t->life = HCT_LIFE_DONE;
    t->calls += asked;
    t->polls += asked;
    for (uint64_t i = asked < WORLD_FLIGHTS ? asked : WORLD_FLIGHTS; i > 1; i--)
        fly(w, t);
    fly(w, t);
    t->in = t->asks = false;
    t->since_ns = t->moved_ns = w->now_ns;
    t->moves++;
    t->at++;
    t->wake_ns = w->now_ns + 200 + chance_below(&w->chance, 20000);
}
