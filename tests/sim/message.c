/* message.c - messages: how they travel, are matched and received.
 *
 * Messages of one pair arrive in the order in which they were sent. A small one
 * is taken by whoever runs in MPI at the receiver; of a large one first the
 * question travels, and the data when both sides have run again. */
#include <string.h>

#include "tests/sim/chance.h"
#include "tests/sim/world.h"

/* When what is sent now arrives. */
static uint64_t arrival(struct world *w, uint32_t from, uint32_t to)
{
    uint64_t *link = &w->link_ns[from][to], at = w->now_ns;

    if (w->node[from] == w->node[to])
        at += 1000 + chance_below(&w->chance, 4000);
    else
        at += chance_ns(&w->chance, 20 * WORLD_US, WORLD_MS);
    if (w->node[from] != w->node[to] && chance_is(&w->chance, w->stalls))
        at += chance_ns(&w->chance, 100 * WORLD_MS, w->longest_stall_ns);
    if (at <= *link)
        at = *link + 1;
    *link = at;
    return at;
}

static void arrive(struct world *w, struct message *m, enum stage stage)
{
    bool back = stage == STAGE_GO || stage == STAGE_END;

    m->stage = (uint8_t)stage;
    m->at_ns = arrival(w, back ? m->to : m->from, back ? m->from : m->to);
}

static void finish(struct world *w, uint32_t task, int request)
{
    if (request >= 0)
        w->task[task].request[request].done = true;
    w->moved = true;
}

static void forget(struct message *m)
{
    m->stage = STAGE_NONE;
}

static void remember(struct task *t, const struct message *m)
{
    uint64_t kind = hct_message(m->context, m->tag), *v = t->took[m->from];
    uint32_t i = 0;

    while (i < WORLD_KINDS && v[i] && v[i] != kind)
        i++;
    if (i < WORLD_KINDS)
        v[i] = kind;
}

bool message_was_taken(const struct world *w, uint32_t task, uint32_t from,
                       uint64_t context, int32_t tag)
{
    const uint64_t *v = w->task[task].took[from];

    for (uint32_t i = 0; i < WORLD_KINDS && v[i]; i++)
        if (v[i] == hct_message(context, tag))
            return true;
    return v[WORLD_KINDS - 1] != 0;
}

static void match(struct world *w, struct message *m, uint32_t task,
                  uint32_t request)
{
    struct request *q = &w->task[task].request[request];

    if (request < WORLD_STEP)
        remember(&w->task[task], m);
    q->matched = true;
    q->from = (int8_t)m->from;
    q->was_tag = (int16_t)m->tag;
    m->recv = (int16_t)request;
    if (m->eager || w->fetches)
        finish(w, task, (int)request);
    if (m->eager && !m->sync)
        forget(m);
    else
        arrive(w, m, m->eager || w->fetches ? STAGE_END : STAGE_GO);
}

static bool matches(const struct message *m, const struct request *q)
{
    return q->what == WHAT_RECV && q->active && !q->matched && !q->done &&
           q->context == m->context && world_fits(q->peer, m->from) &&
           world_fits(q->tag, m->tag);
}

void message_send(struct world *w, uint32_t from, int request, uint64_t context,
                  uint32_t to, int32_t tag, uint32_t bytes, bool sync,
                  bool buffered)
{
    uint32_t i = 0, limit = w->node[from] == w->node[to] ? w->eager
                                                         : w->eager_far;
    struct request *q = request >= 0 ? &w->task[from].request[request] : NULL;
    bool fits = bytes <= limit, near = w->node[from] == w->node[to];
    struct message *m;

    while (i < WORLD_MESSAGES && w->message[i].stage)
        i++;
    if (i == WORLD_MESSAGES) {
        w->overflow = true;
        return;
    }
    if (i >= w->top)
        w->top = i + 1;
    m = &w->message[i];
    *m = (struct message){
        .from = (uint8_t)from, .to = (uint8_t)to, .send = (int16_t)request,
        .recv = -1, .tag = tag, .bytes = bytes, .context = context,
        .sync = sync };
    m->eager = fits && (sync || buffered || near || request >= WORLD_STEP ||
                        !chance_is(&w->chance, w->reluctant));
    if (q)
        q->reluctant = fits && !m->eager;
    if (buffered || (m->eager && !sync)) {
        finish(w, from, request);
        m->send = -1;
    }
    arrive(w, m, STAGE_FIRST);
}

const struct message *message_find(const struct world *w, uint32_t task,
                                   uint64_t context, int source, int tag)
{
    const struct message *best = NULL;

    for (uint32_t i = 0; i < w->top; i++) {
        const struct message *m = &w->message[i];

        if (m->stage == STAGE_UNEXPECTED && m->to == task &&
            m->context == context && world_fits(source, m->from) &&
            world_fits(tag, m->tag) && (!best || m->order < best->order))
            best = m;
    }
    return best;
}

void message_receive(struct world *w, uint32_t task, uint32_t request)
{
    struct request *q = &w->task[task].request[request];
    const struct message *m = message_find(w, task, q->context, q->peer,
                                           q->tag);

    q->order = ++w->order;
    if (m)
        match(w, &w->message[m - w->message], task, request);
    if (q->peer != PROGRAM_NULL)
        return;
    q->done = q->matched = true;
    q->from = PROGRAM_NULL;
}

void message_forget(struct world *w, uint32_t task, int request)
{
    for (uint32_t i = 0; i < w->top; i++)
        if (w->message[i].stage && w->message[i].from == task &&
            w->message[i].send == request)
            w->message[i].send = -1;
}

/* The message itself, or the question, is there. */
static void has_come(struct world *w, struct message *m)
{
    struct task *t = &w->task[m->to];
    uint32_t best = WORLD_REQUESTS;

    for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
        if (matches(m, &t->request[i]) &&
            (best == WORLD_REQUESTS ||
             t->request[i].order < t->request[best].order))
            best = i;
    m->order = ++w->order;
    if (best < WORLD_REQUESTS)
        match(w, m, m->to, best);
    else
        m->stage = STAGE_UNEXPECTED;
}

static void take(struct world *w, struct message *m)
{
    switch (m->stage) {
    case STAGE_FIRST:
        has_come(w, m);
        break;
    case STAGE_GO:
        finish(w, m->from, m->send);
        m->send = -1;
        arrive(w, m, STAGE_DATA);
        break;
    case STAGE_DATA:
        finish(w, m->to, m->recv);
        forget(m);
        break;
    default:
        finish(w, m->from, m->send);
        forget(m);
    }
}

void message_progress(struct world *w, uint32_t task)
{
    for (;;) {
        struct message *next = NULL;

        for (uint32_t i = 0; i < w->top; i++) {
            struct message *m = &w->message[i];
            bool back = m->stage == STAGE_GO || m->stage == STAGE_END;

            if (!m->stage || m->stage == STAGE_UNEXPECTED ||
                m->at_ns > w->now_ns || (back ? m->from : m->to) != task)
                continue;
            if (!next || m->at_ns < next->at_ns)
                next = m;
        }
        if (!next)
            break;
        w->moved = true;
        take(w, next);
    }
    while (w->top > 0 && !w->message[w->top - 1].stage)
        w->top--;
}
