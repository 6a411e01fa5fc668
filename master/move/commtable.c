/* commtable.c - communicators by identity: open addressing, no removal; when
 * two thirds are in use those of the last look are put in anew. */
#include "master/move/commtable.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/idtable.h"

int commtable_init(struct commtable *t, uint32_t ntasks, uint32_t width,
                   struct err *err)
{
    size_t places = (size_t)ntasks * width;

    *t = (struct commtable){ .ntasks = ntasks, .width = width };
    if (places > UINT32_MAX / 8)
        return err_memory(err);
    t->max = 3 * (uint32_t)places + 1;
    for (t->nslots = 8; t->nslots / 2 < t->max; t->nslots *= 2)
        ;
    t->v = calloc(t->max, sizeof(*t->v));
    t->slot = calloc(t->nslots, sizeof(*t->slot));
    t->place = calloc(places + 1, sizeof(*t->place));
    if (t->v && t->slot && t->place)
        return 0;
    commtable_fini(t);
    return err_memory(err);
}

void commtable_fini(struct commtable *t)
{
    free(t->v);
    free(t->slot);
    free(t->place);
    *t = (struct commtable){ 0 };
}

/* Where it is, or where it would have to be. */
static uint32_t *slot_of(const struct commtable *t, uint64_t id)
{
    uint32_t i = (uint32_t)idtable_mix(id, 1);

    for (;; i++) {
        uint32_t *slot = &t->slot[i & (t->nslots - 1)];

        if (!*slot || t->v[*slot - 1].id == id)
            return slot;
    }
}

static void forget(struct commtable *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->nslots; i++)
        t->slot[i] = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->v[i].look == t->look)
            t->v[n++] = t->v[i];
    t->n = n;
    for (uint32_t i = 0; i < n; i++)
        *slot_of(t, t->v[i].id) = i + 1;
}

void commtable_begin(struct commtable *t)
{
    if (t->n > t->max / 3 * 2)
        forget(t);
    t->look++;
}

static struct commtable_comm *find(struct commtable *t, uint32_t *place,
                                   uint64_t id)
{
    uint32_t *slot;

    if (*place < t->n && t->v[*place].id == id)
        return &t->v[*place];
    slot = slot_of(t, id);
    if (!*slot) {
        assert(t->n < t->max);      /* by what begin() leaves */
        t->v[t->n] = (struct commtable_comm){ .id = id };
        *slot = ++t->n;
    }
    *place = *slot - 1;
    return &t->v[*place];
}

static struct commtable_comm *known(const struct commtable *t, uint32_t rank,
                                    uint32_t position)
{
    return &t->v[t->place[(size_t)rank * t->width + position]];
}

static uint32_t listed(const struct commtable *t, const struct stop_task *task)
{
    return task->ncomms < t->width ? task->ncomms : t->width;
}

uint64_t commtable_read(struct commtable *t, uint32_t rank,
                        const struct stop_task *task)
{
    uint32_t *place = &t->place[(size_t)rank * t->width];
    uint32_t n = listed(t, task);
    uint64_t mark = n;

    for (uint32_t i = 0; i < n; i++) {
        const struct stop_comm *p = &task->comms[i];
        struct commtable_comm *c = find(t, &place[i], p->id);

        if (c->look != t->look) {
            c->look = t->look;
            c->highest = c->lowest = p->entered;
            c->size = p->size;
            c->listed = 0;
            c->again = false;
        }
        c->listed++;
        if (p->entered > c->highest)
            c->highest = p->entered;
        if (p->entered < c->lowest)
            c->lowest = p->entered;
        mark = mark * 0x9e3779b97f4a7c15u + p->entered;
    }
    return mark;
}

void commtable_end(struct commtable *t, bool raise)
{
    t->open = t->beyond = t->torn = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        struct commtable_comm *c = &t->v[i];

        if (c->look != t->look)
            continue;
        if (raise && c->highest > c->target)
            c->target = c->highest;
        t->open += c->lowest < c->target;
        t->beyond += c->highest > c->target;
        t->torn += c->size && c->listed != c->size;
    }
}

const struct commtable_comm *commtable_lags(struct commtable *t, uint32_t rank,
                                            const struct stop_task *task,
                                            bool torn)
{
    const struct commtable_comm *first = NULL;
    uint32_t n = listed(t, task);

    for (uint32_t i = 0; i < n; i++) {
        const struct stop_comm *p = &task->comms[i];
        struct commtable_comm *c = known(t, rank, i);

        if (p->entered < c->target) {
            if (p->target < c->target && task->order >= c->order)
                c->again = true;
        } else if (!torn || !c->size || c->listed == c->size) {
            continue;
        }
        if (!first)
            first = c;
    }
    return first;
}

bool commtable_holds(const struct commtable *t, uint32_t rank,
                     const struct stop_task *task)
{
    return task->where == STOP_AT_HELD && task->gate < listed(t, task) &&
           task->comms[task->gate].entered >= known(t, rank, task->gate)->target;
}

void commtable_push(struct commtable *t, uint32_t rank,
                    const struct stop_task *task)
{
    struct commtable_comm *c = known(t, rank, task->gate);

    c->target = task->comms[task->gate].entered + 1;
}
