/* world.c - the clockwork of the model, see world.h. */
#include "tests/sim/world.h"

#include <string.h>

#include "tests/sim/chance.h"

static void init_task(struct world *w, uint32_t r)
{
    struct task *t = &w->task[r];

    t->life = HCT_LIFE_RUNNING;
    t->wake_ns = chance_below(&w->chance, WORLD_MS);
    t->freeze_ns = t->thaw_ns = UINT64_MAX;
    if (chance_is(&w->chance, w->freezes)) {
        t->freezes = (uint8_t)(1 + chance_below(&w->chance, 3));
        t->freeze_ns = chance_ns(&w->chance, WORLD_MS, 8 * WORLD_S);
    }
    t->comms[0] = (struct world_comm){
        .members = (1u << w->n) - 1, .context = 2, .id = HCT_COMM_WORLD };
}

static uint32_t limit(struct world *w)
{
    static const uint32_t limits[] = { 4096, 4096, 65536, 256, 1 };

    return limits[chance_below(&w->chance, 5)];
}

void world_init(struct world *w, const struct program *p, uint64_t seed)
{
    uint64_t *c = &w->chance;

    memset(w, 0, sizeof(*w));
    w->program = p;
    w->n = p->ntasks;
    *c = seed;
    w->eager = limit(w);
    w->eager_far = limit(w);
    w->header = chance_below(c, 3) * 32;
    w->reluctant = chance_is(c, 25) ? 30 : 0;
    w->strange = chance_is(c, 5) ? 20 : 0;
    w->fetches = chance_is(c, 50);
    w->tree = chance_is(c, 50);
    w->synchronous = chance_is(c, 20);
    w->lazy = chance_is(c, 50);
    w->lock_asks = chance_is(c, 50);
    w->parts_alone = chance_is(c, 10);
    w->freezes = chance_is(c, 40) ? 30 : 0;
    w->serialized = p->threads && chance_is(c, 50);
    w->far = chance_is(c, 50);
    w->stalls = !w->far ? 0 : chance_is(c, 50) ? 20 : 2;
    w->longest_stall_ns = chance_is(c, 50) ? WORLD_S : 8 * WORLD_S;
    for (uint32_t r = 0; r < w->n; r++) {
        w->node[r] = (uint8_t)(1 + (w->far ? chance_below(c, 2) : 0));
        init_task(w, r);
    }
}

/* ------------------------------------------------------------- freezing */

static void freeze(struct world *w, struct task *t)
{
    t->frozen = (uint8_t)(1 + chance_below(&w->chance, 4));
    t->thaw_ns = w->now_ns + chance_ns(&w->chance, 10 * WORLD_MS,
                                       (chance_is(&w->chance, 80) ? 3 : 9) *
                                           WORLD_S);
    t->freeze_ns = UINT64_MAX;
    t->freezes--;
    t->frozen_ns = w->now_ns;
    if (!t->sleeps)
        t->idle_since_ns = w->now_ns;
}

static void thaw(struct world *w, struct task *t)
{
    t->asks_ns += w->now_ns - t->frozen_ns;
    t->frozen = FREEZE_NONE;
    t->thaw_ns = UINT64_MAX;
    t->thawed_ns = w->now_ns;
    if (!t->sleeps) {
        t->idle_ns += w->now_ns - t->idle_since_ns;
        t->idle_since_ns = 0;
    }
    if (t->freezes)
        t->freeze_ns = w->now_ns + chance_ns(&w->chance, WORLD_MS,
                                             8 * WORLD_S);
}

/* ------------------------------------------------------ outside of MPI */

static void wakes(struct world *w, struct task *t)
{
    if (!t->sleeps)
        return;
    t->sleeps = false;
    t->idle_ns += w->now_ns - t->idle_since_ns;
    t->idle_since_ns = 0;
}

/* What the program does only when the other thread has nothing to do. */
static bool joins(const struct op *o)
{
    return o->kind == OP_THREAD || o->kind == OP_FREE || o->kind == OP_FINALIZE;
}

static void next_operation(struct world *w, uint32_t r)
{
    struct task *t = &w->task[r];
    const struct op *o = &w->program->op[r][t->at];

    wakes(w, t);
    if (t->life == HCT_LIFE_DONE) {
        t->life = HCT_LIFE_ENDED;
        t->wake_ns = UINT64_MAX;
    } else if (o->kind <= OP_SLEEP) {
        t->wake_ns = w->now_ns + o->ns;
        t->sleeps = o->kind == OP_SLEEP;
        t->idle_since_ns = t->sleeps ? w->now_ns : 0;
        t->at++;
    } else if (o->kind == OP_FOREVER) {
        t->wake_ns = UINT64_MAX;
    } else if (t->helper.awake && joins(o)) {
        t->wake_ns = t->helper.at_ns + 1;
        t->sleeps = true;
        t->idle_since_ns = w->now_ns;
    } else if (o->kind == OP_THREAD) {
        call_wake(w, r);
        t->at++;
        t->wake_ns = w->now_ns + 100;
    } else if (!call_enter(w, r)) {
        t->at++;
        t->wake_ns = w->now_ns + 100;
    }
}

/* ------------------------------------------------------------ the clock */

uint64_t world_next(const struct world *w)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t r = 0; r < w->n; r++) {
        const struct task *t = &w->task[r];
        uint64_t at = t->frozen ? t->thaw_ns : !t->in ? t->wake_ns
                      : t->asks ? t->stops_ns : UINT64_MAX;

        if (t->life == HCT_LIFE_ENDED)
            continue;
        if (!t->frozen && t->freeze_ns < at)
            at = t->freeze_ns;
        if (!t->frozen && world_helps(w, t) && t->helper.at_ns < at)
            at = t->helper.at_ns;
        if (at < next)
            next = at;
    }
    for (uint32_t i = 0; i < w->top; i++) {
        const struct message *m = &w->message[i];
        bool back = m->stage == STAGE_GO || m->stage == STAGE_END;

        if (m->stage && m->stage != STAGE_UNEXPECTED && m->at_ns < next &&
            world_runs(&w->task[back ? m->from : m->to]))
            next = m->at_ns;
    }
    return next;
}

/* All that can happen now, does. */
static void settle(struct world *w)
{
    do {
        w->moved = false;
        for (uint32_t r = 0; r < w->n; r++) {
            struct task *t = &w->task[r];

            if (!world_runs(t))
                continue;
            message_progress(w, r);
            for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
                struct request *q = &t->request[i];

                if (q->what == WHAT_COLLECTIVE && q->active && !q->done)
                    q->done = collective_progress(w, r, q->schedule);
            }
            if (call_over(w, r)) {
                call_leave(w, r);
                w->moved = true;
            }
        }
    } while (w->moved);
}

void world_run(struct world *w, uint64_t until_ns)
{
    uint64_t next;

    while (!w->overflow && (next = world_next(w)) <= until_ns) {
        if (next > w->now_ns)
            w->now_ns = next;
        for (uint32_t r = 0; r < w->n; r++) {
            struct task *t = &w->task[r];

            if (t->life == HCT_LIFE_ENDED)
                continue;
            if (t->frozen && t->thaw_ns <= w->now_ns)
                thaw(w, t);
            if (!t->frozen && t->freeze_ns <= w->now_ns)
                freeze(w, t);
            if (!t->frozen && !t->in && t->wake_ns <= w->now_ns)
                next_operation(w, r);
            if (!t->frozen && world_helps(w, t) && t->helper.at_ns <= w->now_ns)
                call_help(w, r);
        }
        settle(w);
    }
    if (until_ns > w->now_ns && until_ns < UINT64_MAX)
        w->now_ns = until_ns;
}

void world_branch(struct world *w, uint64_t seed, bool eager)
{
    w->chance = seed;
    w->stalls = 0;
    for (uint32_t r = 0; r < w->n; r++) {
        w->task[r].freezes = 0;
        w->task[r].freeze_ns = UINT64_MAX;
    }
    if (!eager)
        return;
    w->reluctant = 0;
    for (uint32_t i = 0; i < w->top; i++) {
        struct message *m = &w->message[i];

        if ((m->stage != STAGE_FIRST && m->stage != STAGE_UNEXPECTED) ||
            m->send < 0 || !w->task[m->from].request[m->send].reluctant)
            continue;
        w->task[m->from].request[m->send].done = true;
        m->send = -1;
    }
}
