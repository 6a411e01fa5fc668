/* collective.c - collective calls and epochs of windows, as messages one after
 * another in a context of their own. Those of blocking calls have the kind of
 * the call as tag, as in Open MPI, so it shows what really happens when tasks
 * make different ones; those of the others have a number each. */
#include "tests/sim/chance.h"
#include "tests/sim/world.h"

static void step(struct schedule *s, int peer, bool sends)
{
    if (s->n == WORLD_STEPS)
        return;
    s->step[s->n].peer = (int8_t)peer;
    s->step[s->n++].sends = sends;
}

struct group { uint32_t size, me; uint8_t rank[PROGRAM_TASKS]; };

static struct group group_of(uint32_t members, uint32_t task)
{
    struct group g = { .size = 0 };

    for (uint32_t r = 0; r < PROGRAM_TASKS; r++) {
        if (!(members >> r & 1))
            continue;
        if (r == task)
            g.me = g.size;
        g.rank[g.size++] = (uint8_t)r;
    }
    return g;
}

/* From, or else to, the root; along a binomial tree or straight. */
static void spread(const struct world *w, struct schedule *s,
                   const struct group *g, uint32_t root, bool from)
{
    uint32_t me = (g->me + g->size - root) % g->size, bit = 1, parent = 0;
    uint32_t child[PROGRAM_TASKS], n = 0;

    if (w->tree) {
        for (; bit < g->size && !(me & bit); bit <<= 1)
            if (me + bit < g->size)
                child[n++] = me + bit;
        parent = me & ~bit;
    } else if (me == 0) {
        for (uint32_t i = 1; i < g->size; i++)
            child[n++] = i;
    }
    if (from && me)
        step(s, g->rank[(parent + root) % g->size], false);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = child[from ? n - 1 - i : i];

        step(s, g->rank[(c + root) % g->size], from);
    }
    if (!from && me)
        step(s, g->rank[(parent + root) % g->size], true);
}

/* Nobody leaves before all have come. */
static void gather_all(const struct world *w, struct schedule *s,
                       const struct group *g)
{
    if (!w->tree) {
        spread(w, s, g, 0, false);
        spread(w, s, g, 0, true);
        return;
    }
    for (uint32_t d = 1; d < g->size; d <<= 1) {
        step(s, g->rank[(g->me + d) % g->size], true);
        step(s, g->rank[(g->me + g->size - d) % g->size], false);
    }
}

static void make_steps(const struct world *w, struct schedule *s, uint32_t kind,
                       const struct group *g, int peer)
{
    uint32_t root = 0;

    for (uint32_t i = 0; i < g->size; i++)
        if (g->rank[i] == peer)
            root = i;
    switch (kind) {
    case OP_BCAST: case OP_IBCAST: case OP_SCATTER:
        spread(w, s, g, root, true);
        break;
    case OP_REDUCE: case OP_IREDUCE: case OP_GATHER:
        spread(w, s, g, root, false);
        break;
    case OP_SCAN:
        if (g->me > 0)
            step(s, g->rank[g->me - 1], false);
        if (g->me + 1 < g->size)
            step(s, g->rank[g->me + 1], true);
        break;
    case OP_FREE:
        break;
    default:
        s->bytes = 1;
        gather_all(w, s, g);
        return;
    }
    if (w->synchronous && kind != OP_FREE) {
        s->bytes = 1;
        gather_all(w, s, g);
    }
}

static int32_t tag_of(const struct world_comm *c, uint32_t kind)
{
    switch (kind) {
    case OP_IBARRIER: case OP_IALLREDUCE: case OP_IBCAST: case OP_IREDUCE:
        return 1000 + (int32_t)c->collectives;
    case OP_START_EPOCH:
        return OP_POST;
    case OP_WAIT_EPOCH:
        return OP_COMPLETE;
    default:
        return (int32_t)kind;
    }
}

/* Of a window: with those of a set. A lazy MPI_Win_start leaves it to
 * MPI_Win_complete to wait. */
static void make_epoch(const struct world *w, struct schedule *s,
                       uint32_t kind, uint32_t with)
{
    for (uint32_t r = 0; r < w->n; r++) {
        if (!(with >> r & 1) || (w->lazy && kind == OP_START_EPOCH))
            continue;
        if (kind == OP_COMPLETE && w->lazy)
            step(s, (int)r, false);
        step(s, (int)r, kind == OP_POST || kind == OP_COMPLETE);
    }
}

static bool is_epoch(uint32_t kind)
{
    return kind >= OP_POST && kind <= OP_WAIT_EPOCH;
}

void collective_begin(struct world *w, uint32_t task, uint32_t schedule,
                      uint32_t kind, const struct world_comm *c,
                      const struct op *o)
{
    struct schedule *s = &w->task[task].schedule[schedule];
    struct group g = group_of(c->members, task);

    *s = (struct schedule){
        .active = true, .kind = (uint8_t)kind, .root = o->peer,
        .members = c->members, .context = c->context + 1,
        .tag = tag_of(c, kind), .bytes = o->bytes };
    if (is_epoch(kind))
        make_epoch(w, s, kind, o->mask & ~(1u << task));
    else
        make_steps(w, s, kind, &g, o->peer);
}

void collective_imagine(const struct world *w, uint32_t task,
                        const struct schedule *like, struct schedule *s)
{
    struct group g = group_of(like->members, task);

    *s = *like;
    s->n = s->at = 0;
    s->begun = false;
    if (!is_epoch(s->kind))
        make_steps(w, s, s->kind, &g, s->root);
}

/* Messages of an epoch go both ways: a lazy task takes those of MPI_Win_post
 * in MPI_Win_complete. */
static int32_t step_tag(const struct schedule *s)
{
    return s->tag == OP_COMPLETE && !s->step[s->at].sends &&
           s->at + 1 < s->n && s->step[s->at + 1].sends ? OP_POST : s->tag;
}

static void begin_step(struct world *w, uint32_t task, uint32_t schedule)
{
    struct schedule *s = &w->task[task].schedule[schedule];
    struct request *q = &w->task[task].request[WORLD_STEP + schedule];
    int peer = s->step[s->at].peer;

    *q = (struct request){ .active = true, .context = s->context,
                           .peer = (int8_t)peer, .bytes = s->bytes,
                           .tag = (int16_t)step_tag(s) };
    s->begun = true;
    if (s->step[s->at].sends) {
        q->what = WHAT_SEND;
        message_send(w, task, (int)(WORLD_STEP + schedule), s->context,
                     (uint32_t)peer, q->tag, s->bytes, false, false);
    } else {
        q->what = WHAT_RECV;
        message_receive(w, task, WORLD_STEP + schedule);
    }
}

bool collective_progress(struct world *w, uint32_t task, uint32_t schedule)
{
    struct schedule *s = &w->task[task].schedule[schedule];
    struct request *q = &w->task[task].request[WORLD_STEP + schedule];

    if (!s->active)
        return true;
    while (s->at < s->n) {
        if (!s->begun)
            begin_step(w, task, schedule);
        if (!q->done)
            return false;
        s->begun = false;
        s->at++;
        w->moved = true;
    }
    s->active = false;
    q->what = WHAT_NONE;
    return true;
}
