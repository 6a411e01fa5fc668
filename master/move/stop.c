/* stop.c - a stop, look by look.
 *
 * Numbers of collectives only grow, so what a look says of them is a lower
 * bound, however old it is. A target that follows from it is never too high but
 * may be too low; whoever is beyond one makes it higher. So the quiescing may
 * believe that it is done when it is not. The freezing finds that out, and goes
 * back: pages of tasks that all stand still, by an order that all of them had
 * before they were read, do not change, and where members of each communicator
 * have equal numbers in them, and nobody is inside, no collective is half
 * entered.
 *
 * Why the drain's end is one. Let S(t) and R(t) be what all tasks have sent and
 * received up to time t. Both only grow, and R(t) <= S(t), as what is received
 * was sent before. A look reads pages one after another. The first look is
 * complete at t1 and says received R1, where each page was read at t1 or before,
 * so R1 <= R(t1). The second one begins after t1 and says sent S2, where each
 * page was read after t1, so S2 >= S(t1). If R1 = S2, then
 *
 *     R1 <= R(t1) <= S(t1) <= S2 = R1,
 *
 * all are equal, and at t1 nothing was under way; nor was anything sent between
 * t1 and the reading of each page of the second look. (Mattern, "Algorithms for
 * distributed termination detection", 1987: the four counters.) Sums of one look
 * that are equal would not do: a page read early may lack the sending of a
 * message whose receiving is in a page read late, while another one, sent late
 * to who was read early, makes up for it. Here nobody who stands still sends, so
 * one look would do if all stand; two need not trust in that. What a task has
 * not finished is zero in the first look, and never grows while it stands; that
 * it has stood is in the second look, too. */
#include "master/move/stop.h"

#include <assert.h>
#include <stdlib.h>

#include "master/move/commtable.h"
#include "master/move/push.h"

struct stop {
    struct stop_options options;
    struct commtable comms;
    struct push push;
    struct stop_orders orders;
    struct stop_raise *raises;      /* owned */
    uint32_t *signals;              /* owned */
    uint32_t *behind, nbehind;      /* owned: tasks that lag in this look */
    uint32_t ntasks;
    uint64_t asked;                 /* number of the orders with the last word */
    uint64_t begun_ns;
    uint64_t freeze_ns, frozen_by_ns;       /* for this one, and its end */
    uint64_t signal_ns, next_signal_ns;
    bool was_late;
    uint32_t late;                  /* who did not freeze in time, then */
    bool looked;                    /* the look before found all finished: */
    uint64_t looked_number, looked_received;
};

/* What a look says of all tasks together. */
struct sight {
    /* how many; the first: */
    uint32_t unheard, running, standing, inside, unfinished;
    uint32_t unheard_rank, running_rank, standing_rank, inside_rank,
        unfinished_rank;
    enum stop_reason lost;          /* of lost_rank */
    uint32_t lost_rank;
    uint64_t sent, received;
};

static uint64_t or_default(uint64_t ns, uint64_t otherwise_ns)
{
    return ns ? ns : otherwise_ns;
}

struct stop *stop_create(uint32_t ntasks, uint32_t width,
                         const struct stop_options *options, struct err *err)
{
    struct stop *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err), NULL;
    s->ntasks = ntasks;
    s->options = (struct stop_options){
        .limit_ns = or_default(options->limit_ns, 10000000000u),
        .still_ns = or_default(options->still_ns, 2000000),
        .patience_ns = or_default(options->patience_ns, 100000000),
        .freeze_ns = or_default(options->freeze_ns, 50000000),
        .signal_ns = or_default(options->signal_ns, 500000),
    };
    s->freeze_ns = s->options.freeze_ns;
    s->signals = calloc((size_t)ntasks + 1, sizeof(*s->signals));
    s->behind = calloc((size_t)ntasks + 1, sizeof(*s->behind));
    if (!s->signals || !s->behind) {
        err_memory(err);
        goto fail;
    }
    if (push_init(&s->push, ntasks, s->options.still_ns,
                  s->options.patience_ns, err) ||
        commtable_init(&s->comms, ntasks, width, err))
        goto fail;
    s->raises = calloc(s->comms.max, sizeof(*s->raises));
    if (s->raises)
        return s;
    err_memory(err);
fail:
    stop_destroy(s);
    return NULL;
}

void stop_destroy(struct stop *s)
{
    if (!s)
        return;
    commtable_fini(&s->comms);
    push_fini(&s->push);
    free(s->raises);
    free(s->signals);
    free(s->behind);
    free(s);
}

static void count(uint32_t *n, uint32_t *first, uint32_t rank)
{
    if ((*n)++ == 0)
        *first = rank;
}

static void lose(struct sight *g, enum stop_reason reason, uint32_t rank)
{
    if (g->lost != STOP_WHY_NOTHING)
        return;
    g->lost = reason;
    g->lost_rank = rank;
}

static void see(struct stop *s, const struct stop_look *in, struct sight *g)
{
    commtable_begin(&s->comms);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct stop_task *k = &in->tasks[i];

        if (k->where == STOP_AT_GONE)
            lose(g, STOP_WHY_GONE, i);
        else if (k->where == STOP_AT_FINALIZED)
            lose(g, STOP_WHY_FINALIZED, i);
        else if (k->ncomms > s->comms.width)
            lose(g, STOP_WHY_CROWDED, i);
        if (k->order < s->asked)
            count(&g->unheard, &g->unheard_rank, i);
        if (k->where != STOP_AT_FROZEN)
            count(&g->running, &g->running_rank, i);
        else
            count(&g->standing, &g->standing_rank, i);
        if (k->where == STOP_AT_COLLECTIVE)
            count(&g->inside, &g->inside_rank, i);
        if (k->unfinished)
            count(&g->unfinished, &g->unfinished_rank, i);
        g->sent += k->sent;
        g->received += k->received;
        push_see(&s->push, in->now_ns, i, k, commtable_read(&s->comms, i, k));
    }
}

static void happen(struct stop *s, enum stop_event event)
{
    enum stop_want before = stop_state_want(s->orders.state);
    int rc = stop_state_next(s->orders.state, event, &s->orders.state, NULL);

    assert(rc == 0);
    (void)rc;
    s->orders.want = stop_state_want(s->orders.state);
    if (s->orders.want != before)
        s->asked = s->orders.number + 1;
}

static void interrupt(struct stop *s, const struct stop_look *in)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (in->tasks[i].where == STOP_AT_USER)
            s->signals[s->orders.nsignals++] = i;
    s->next_signal_ns = in->now_ns + s->signal_ns;
    s->signal_ns *= 2;
    if (s->signal_ns > s->options.freeze_ns / 10)
        s->signal_ns = s->options.freeze_ns / 10;
}

/* Of all who lag first those that are held themselves: others may wait for
 * them. Who does so for stood_ns only counts. */
static void let_through(struct stop *s, const struct stop_look *in, bool torn,
                        uint64_t stood_ns)
{
    uint32_t before = s->push.found + s->push.tried;

    for (uint32_t i = 0; i < s->ntasks; i++)
        if (commtable_lags(&s->comms, i, &in->tasks[i], torn) &&
            push_stood(&s->push, in->now_ns, i, stood_ns))
            s->behind[s->nbehind++] = i;
    for (uint32_t i = 0; i < s->nbehind; i++)
        push_held(&s->push, &s->comms, in, s->behind[i]);
    for (uint32_t i = 0; i < s->nbehind; i++)
        push_waits(&s->push, &s->comms, in, s->behind[i]);
    push_anybody(&s->push, &s->comms, in);
    if (before != s->push.found + s->push.tried)
        commtable_end(&s->comms, true);
}

static void quiesce(struct stop *s, const struct stop_look *in,
                    const struct sight *g)
{
    const struct commtable *t = &s->comms;

    /* A communicator that some list and some do not: these have freed it, and
     * the others have to come to that; or they are about to make it, which
     * shows after a while. */
    if (t->open)
        let_through(s, in, false, 0);
    else if (t->torn)
        let_through(s, in, true, g->inside ? s->options.patience_ns
                                           : s->options.still_ns);
    if (t->open || t->torn || g->inside || g->unheard)
        return;
    happen(s, STOP_EVENT_MET);
    s->frozen_by_ns = in->now_ns + s->freeze_ns;
    s->signal_ns = s->options.signal_ns;
    interrupt(s, in);
}

static void retreat(struct stop *s, enum stop_event event)
{
    happen(s, event);
    s->orders.retreats++;
    s->looked = false;
    commtable_end(&s->comms, true);
}

static void freeze(struct stop *s, const struct stop_look *in,
                   const struct sight *g)
{
    const struct commtable *t = &s->comms;

    if (t->beyond) {
        retreat(s, STOP_EVENT_SLIPPED);
    } else if (!g->unheard && !g->running) {
        if (t->open || t->torn)
            retreat(s, STOP_EVENT_SLIPPED);
        else
            happen(s, STOP_EVENT_FROZEN);
    } else if (in->now_ns >= s->frozen_by_ns) {
        s->was_late = g->running > 0;
        s->late = g->running_rank;
        s->freeze_ns *= 2;
        retreat(s, STOP_EVENT_LATE);
    } else if (in->now_ns >= s->next_signal_ns) {
        interrupt(s, in);
    }
}

static void thaw(struct stop *s, const struct sight *g)
{
    if (!g->unheard && !g->standing)
        happen(s, STOP_EVENT_THAWED);
}

static void drain(struct stop *s, const struct stop_look *in,
                  const struct sight *g)
{
    const struct commtable *t = &s->comms;
    bool again = s->looked && in->number > s->looked_number;

    if (g->running || t->beyond || t->open || t->torn) {
        retreat(s, STOP_EVENT_SLIPPED);
        return;
    }
    if (again && s->looked_received == g->sent) {
        happen(s, STOP_EVENT_DRAINED);
        return;
    }
    s->looked = !g->unheard && !g->unfinished;
    s->looked_number = in->number;
    s->looked_received = g->received;
}

static void name_task(struct stop_why *w, const struct stop_look *in,
                      enum stop_reason reason, uint32_t rank)
{
    w->reason = reason;
    w->rank = w->end = rank;
    w->where = w->end_where = in->tasks[rank].where;
    w->peer = in->tasks[rank].peer;
    w->unfinished = in->tasks[rank].unfinished;
}

static void name_behind(struct stop *s, const struct stop_look *in,
                        struct stop_why *w)
{
    uint32_t rank = s->behind[0];
    const struct stop_task *k = &in->tasks[rank];
    const struct commtable_comm *c =
        commtable_lags(&s->comms, rank, k, !s->comms.open);

    name_task(w, in, STOP_WHY_BEHIND, rank);
    w->comm = c->id;
    w->target = c->target;
    for (uint32_t i = 0; i < k->ncomms; i++)
        if (k->comms[i].id == c->id)
            w->entered = k->comms[i].entered;
    w->others = s->nbehind - 1;
    w->end = push_end(&s->push, in, rank, &w->circle);
    w->end_where = in->tasks[w->end].where;
    w->listed = c->listed;
    w->size = c->size;
    if (w->entered >= w->target)
        w->reason = STOP_WHY_TORN;
}

static uint64_t received_of(const struct stop_task *k, uint32_t from,
                            uint64_t comm)
{
    for (uint32_t i = 0; i < k->npairs; i++)
        if (k->pairs[i].peer == from && k->pairs[i].comm == comm)
            return k->pairs[i].received;
    return 0;
}

/* The first pair of tasks between which some are missing, if it was counted. */
static void name_message(const struct stop *s, const struct stop_look *in,
                         const struct sight *g, struct stop_why *w)
{
    w->reason = STOP_WHY_MESSAGE;
    w->sent = g->sent;
    w->received = g->received;
    for (uint32_t i = 0; i < s->ntasks; i++)
        for (uint32_t k = 0; k < in->tasks[i].npairs; k++) {
            const struct stop_pair *p = &in->tasks[i].pairs[k];
            uint64_t received = p->peer >= s->ntasks ? p->sent :
                received_of(&in->tasks[p->peer], i, p->comm);

            if (received >= p->sent)
                continue;
            w->paired = true;
            w->rank = i;
            w->peer = (int32_t)p->peer;
            w->comm = p->comm;
            w->pair_sent = p->sent;
            w->pair_received = received;
            return;
        }
}

static void name_late(struct stop *s, const struct stop_look *in,
                      const struct sight *g, struct stop_why *w)
{
    bool drains = s->orders.state == STOP_DRAINING;

    if (s->nbehind)
        name_behind(s, in, w);
    else if (g->unheard)
        name_task(w, in, STOP_WHY_UNHEARD, g->unheard_rank);
    else if (s->orders.state == STOP_FREEZING && g->running)
        name_task(w, in, STOP_WHY_RUNNING, g->running_rank);
    else if (s->orders.state == STOP_THAWING && g->standing &&
             s->asked <= s->orders.number)      /* and was asked before */
        name_task(w, in, STOP_WHY_STANDING, g->standing_rank);
    else if (g->inside)
        name_task(w, in, STOP_WHY_INSIDE, g->inside_rank);
    else if (drains && g->unfinished)
        name_task(w, in, STOP_WHY_REQUEST, g->unfinished_rank);
    else if (drains)
        name_message(s, in, g, w);
    else if (s->was_late)
        name_task(w, in, STOP_WHY_RUNNING, s->late);
    else
        w->reason = STOP_WHY_SLIPPING;
}

/* What pages have to be told anew: targets that somebody has not reached. */
static void order_raises(struct stop *s)
{
    struct stop_orders *o = &s->orders;

    for (uint32_t i = 0; s->comms.open && i < s->comms.n; i++) {
        struct commtable_comm *c = &s->comms.v[i];

        if (c->look != s->comms.look || c->lowest >= c->target ||
            (c->ordered >= c->target && !c->again))
            continue;
        s->raises[o->nraises++] = (struct stop_raise){ c->id, c->target };
        c->ordered = c->target;
        c->order = o->number + 1;
    }
}

static void finish(struct stop *s, uint64_t now_ns)
{
    struct stop_orders *o = &s->orders;
    uint64_t end_ns = s->begun_ns + s->options.limit_ns;

    o->pushed = s->push.found;
    o->tried = s->push.tried;
    o->raises = s->raises;
    o->signals = s->signals;
    if (o->nraises || s->asked > o->number)
        o->number++;
    o->wake_ns = now_ns + s->options.still_ns;
    if (o->state == STOP_FREEZING)
        o->wake_ns = s->next_signal_ns < s->frozen_by_ns ? s->next_signal_ns
                                                         : s->frozen_by_ns;
    if (o->wake_ns > end_ns)
        o->wake_ns = end_ns;
    if (o->state == STOP_STOPPED || o->state == STOP_GIVEN_UP)
        o->wake_ns = 0;
}

const struct stop_orders *stop_step(struct stop *s, const struct stop_look *in)
{
    struct stop_orders *o = &s->orders;
    struct sight g = { 0 };

    assert(in->ntasks == s->ntasks);
    o->nraises = o->nsignals = s->nbehind = 0;
    if (o->state == STOP_STOPPED || o->state == STOP_GIVEN_UP)
        return o;
    if (!o->number) {
        s->begun_ns = in->now_ns;
        o->want = stop_state_want(o->state);
        s->asked = 1;
    }
    see(s, in, &g);
    commtable_end(&s->comms, stop_state_want(o->state) == STOP_WANT_QUIESCE);
    if (g.lost != STOP_WHY_NOTHING) {
        name_task(&o->why, in, g.lost, g.lost_rank);
    } else {
        switch (o->state) {
        case STOP_QUIESCING:
            quiesce(s, in, &g);
            break;
        case STOP_FREEZING:
            freeze(s, in, &g);
            break;
        case STOP_THAWING:
            thaw(s, &g);
            break;
        default:
            drain(s, in, &g);
        }
        if (o->state != STOP_STOPPED &&
            in->now_ns - s->begun_ns >= s->options.limit_ns)
            name_late(s, in, &g, &o->why);
    }
    if (o->why.reason != STOP_WHY_NOTHING) {
        o->why.after_ns = in->now_ns - s->begun_ns;
        happen(s, STOP_EVENT_GIVE_UP);
    }
    if (o->state == STOP_QUIESCING || o->state == STOP_THAWING)
        order_raises(s);
    finish(s, in->now_ns);
    return o;
}
