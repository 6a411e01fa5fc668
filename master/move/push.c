/* push.c - follows the waits from those who lag to those held back. */
#include "master/move/push.h"

#include <stdlib.h>

#include "proto/base/idtable.h"

int push_init(struct push *p, uint32_t ntasks, uint64_t still_ns,
              uint64_t patience_ns, struct err *err)
{
    *p = (struct push){ .ntasks = ntasks, .walk = 1, .still_ns = still_ns,
                        .patience_ns = patience_ns };
    p->task = calloc((size_t)ntasks + 1, sizeof(*p->task));
    return p->task ? 0 : err_memory(err);
}

void push_fini(struct push *p)
{
    free(p->task);
    *p = (struct push){ 0 };
}

void push_see(struct push *p, uint64_t now_ns, uint32_t rank,
              const struct stop_task *task, uint64_t mark)
{
    struct push_task *k = &p->task[rank];
    /* Who polls goes in and out: that is no move. */
    uint32_t where = task->where == STOP_AT_LIBRARY ? STOP_AT_USER : task->where;

    if (where == STOP_AT_WAITING)
        mark += (uint64_t)(uint32_t)task->peer << 8;
    mark = idtable_mix(mark + where, task->sent * 31 + task->received);
    k->turns += task->calls != k->calls;
    k->calls = task->calls;
    if (mark == k->mark && k->since_ns)
        return;
    k->mark = mark;
    k->turns = 0;
    k->since_ns = p->moved_ns = now_ns;
}

bool push_stood(const struct push *p, uint64_t now_ns, uint32_t rank,
                uint64_t ns)
{
    return now_ns - p->task[rank].since_ns >= ns;
}

void push_held(struct push *p, struct commtable *t, const struct stop_look *in,
               uint32_t rank)
{
    if (!commtable_holds(t, rank, &in->tasks[rank]) ||
        !push_stood(p, in->now_ns, rank, 1))
        return;
    commtable_push(t, rank, &in->tasks[rank]);
    p->found++;
}

/* One that no single task can be said to hold up: is it time to try? */
static void want_anybody(struct push *p, uint64_t now_ns, uint32_t rank)
{
    uint64_t pause_ns = now_ns - p->tried_ns;

    if ((now_ns - p->moved_ns >= p->still_ns && pause_ns >= p->still_ns) ||
        (push_stood(p, now_ns, rank, p->patience_ns) &&
         pause_ns >= p->patience_ns))
        p->try_anybody = true;
}

void push_waits(struct push *p, struct commtable *t, const struct stop_look *in,
                uint32_t rank)
{
    uint64_t now = in->now_ns;

    for (uint32_t at = rank;; at = (uint32_t)in->tasks[at].peer) {
        const struct stop_task *task = &in->tasks[at];

        if (p->task[at].walk == p->walk)
            return;                 /* been there: a circle, or a way joined */
        p->task[at].walk = p->walk;
        if (!push_stood(p, now, at, p->still_ns))
            return;
        if (task->where == STOP_AT_HELD) {
            push_held(p, t, in, at);
            return;
        }
        if (task->where != STOP_AT_WAITING) {
            bool polls = p->task[at].turns >= PUSH_POLLS &&
                (task->where == STOP_AT_USER || task->where == STOP_AT_LIBRARY);

            if (polls && push_stood(p, now, at, p->patience_ns))
                want_anybody(p, now, at);
            return;
        }
        if (task->peer == STOP_ANY)
            want_anybody(p, now, at);
        if (task->peer < 0 || (uint32_t)task->peer >= p->ntasks)
            return;
    }
}

void push_anybody(struct push *p, struct commtable *t,
                  const struct stop_look *in)
{
    bool now = p->try_anybody && p->found == p->found_before;

    p->walk++;                      /* of the next look */
    p->try_anybody = false;
    p->found_before = p->found;
    for (uint32_t i = 0; now && i < p->ntasks; i++) {
        uint32_t rank = (p->next + i) % p->ntasks;

        if (!commtable_holds(t, rank, &in->tasks[rank]) ||
            !push_stood(p, in->now_ns, rank, p->still_ns))
            continue;
        commtable_push(t, rank, &in->tasks[rank]);
        p->tried++;
        p->tried_ns = in->now_ns;
        p->next = rank + 1;
        return;
    }
}

uint32_t push_end(struct push *p, const struct stop_look *in, uint32_t rank,
                  bool *circle)
{
    uint32_t at = rank;

    p->walk++;
    for (*circle = false;;) {
        const struct stop_task *task = &in->tasks[at];

        if (task->where != STOP_AT_WAITING || task->peer < 0 ||
            (uint32_t)task->peer >= p->ntasks)
            return at;
        *circle = p->task[at].walk == p->walk;
        if (*circle)
            return at;
        p->task[at].walk = p->walk;
        at = (uint32_t)task->peer;
    }
}
