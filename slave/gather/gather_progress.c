/* gather_progress.c - this node's tasks of a job, where they are and what
 * their models say. A task is where the last look found it, so that what comes
 * of this fits what policies have seen. */
#include "slave/gather/gather_progress.h"

#include <stdlib.h>

#include "proto/base/array.h"
#include "slave/gather/gather_turns.h"
#include "slave/gather/standing.h"
#include "slave/jobs/look.h"

struct progress {               /* owned */
    struct standing *standing;
    struct witness_step *step;
    size_t cap;
};

static int progress_open(void *own, const void *question, size_t bytes,
                         uint32_t width, struct err *err)
{
    struct progress *p = own;

    p->standing = standing_open(question, bytes, width, err);
    return p->standing ? 0 : -1;
}

static void progress_close(void *own)
{
    struct progress *p = own;

    standing_close(p->standing);
    free(p->step);
}

static int progress_write(const void *own, struct str *out, struct err *err)
{
    const struct progress *p = own;

    return standing_write(p->standing, out, err);
}

/* Calls from places that found no room are at no place. */
static bool is_place(const Hct__Looked__Model *m, uint32_t state)
{
    return state < m->n_sites && (m->places[state] || !m->calls[state]);
}

/* False: there is no memory. *whole: the model has all that the task has
 * done. */
static bool take_steps(struct progress *p, const Hct__Looked__Model *m,
                       bool *whole)
{
    *whole = m->lost == 0;
    if (array_reserve(&p->step, &p->cap, m->n_from + 1))
        return false;
    for (size_t i = 0; i < m->n_from; i++) {
        *whole &= is_place(m, m->from[i]) && is_place(m, m->to[i]);
        p->step[i] = (struct witness_step){ m->places[m->from[i]],
                                            m->places[m->to[i]] };
    }
    return true;
}

/* One without a page, or a call, is at no place. */
static int progress_add(void *own, const struct gather_turn *turn)
{
    struct progress *p = own;
    const struct task *t = turn->task;
    const struct lookmodel_time all = { .window = WINDOW_START };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;
    struct look_spot spot;
    bool whole, read;

    if (!t->tally.page || !look_spot(t, &spot) ||
        !lookmodel_read(turn->reads, t->tally.page, turn->ticks, spot.site, &all,
                        &m))
        return 0;
    read = take_steps(p, &m, &whole);
    if (read && is_place(&m, m.at) && (m.places[m.at] || whole))
        standing_add(p->standing, &(struct standing_task){
            .position = turn->position, .place = m.places[m.at],
            .call = m.calls[m.at], .in = spot.in },
            whole ? p->step : NULL, m.n_from);
    free(m.places);
    return read ? 0 : -1;
}

void gather_progress_start(void *arg, struct reduction *r)
{
    static const struct gather_way way = {
        .at_once = 16, .own_bytes = sizeof(struct progress),
        .open = progress_open, .add = progress_add, .write = progress_write,
        .close = progress_close };

    gather_turns_start(arg, r, &way);
}
