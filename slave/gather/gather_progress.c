/* gather_progress.c - this node's tasks of a job, where they are and what
 * their models say. A task is where the last look found it, so that what comes
 * of this fits what policies have seen.
 *
 * Some tasks at a time: a node may have hundreds, and the loop has other
 * things to do meanwhile. */
#include "slave/gather/gather_progress.h"

#include <event2/event.h>
#include <stdlib.h>

#include "proto/base/array.h"
#include "proto/link/timer.h"
#include "slave/gather/gather.h"
#include "slave/gather/gather_tasks.h"
#include "slave/gather/standing.h"
#include "slave/jobs/look.h"
#include "slave/page/lookmodel.h"

enum { AT_ONCE = 16 };

/* One that is being made. */
struct progress_part {
    LIST_ENTRY(progress_part) place;
    struct gather *all;         /* borrowed, like the next */
    struct reduction *reduction;
    uint32_t n, done;           /* tasks */
    struct task **tasks;        /* owned, like all that follows; room for n */
    struct event *next;
    struct lookmodel *reads;
    struct standing *standing;
    struct witness_step *step;
    size_t steps_cap;
};

static void part_free(struct progress_part *p)
{
    LIST_REMOVE(p, place);
    timer_free(p->next);
    free(p->tasks);
    lookmodel_destroy(p->reads);
    standing_close(p->standing);
    free(p->step);
    free(p);
}

static void fail(struct progress_part *p, const char *why)
{
    struct reduction *r = p->reduction;

    part_free(p);
    reduction_fail(r, why);
}

static void finish(struct progress_part *p)
{
    struct reduction *r = p->reduction;
    struct str part = { 0 };
    struct err err;
    int rc = standing_write(p->standing, &part, &err);

    part_free(p);
    if (rc)
        reduction_fail(r, err.text);
    else
        reduction_own(r, str_text(&part), part.n);
    str_fini(&part);
}

/* ------------------------------------------------------------------- tasks */

/* Calls from places that found no room are at no place. */
static bool is_place(const Hct__Looked__Model *m, uint32_t state)
{
    return state < m->n_sites && (m->places[state] || !m->calls[state]);
}

/* False: there is no memory. *whole: the model has all that the task has
 * done. */
static bool take_steps(struct progress_part *p, const Hct__Looked__Model *m,
                       bool *whole)
{
    *whole = m->lost == 0;
    if (array_reserve(&p->step, &p->steps_cap, m->n_from + 1))
        return false;
    for (size_t i = 0; i < m->n_from; i++) {
        *whole &= is_place(m, m->from[i]) && is_place(m, m->to[i]);
        p->step[i] = (struct witness_step){ m->places[m->from[i]],
                                            m->places[m->to[i]] };
    }
    return true;
}

/* -1: no memory. One without a page, or a call, is at no place. */
static int add_task(struct progress_part *p, uint32_t position)
{
    const struct task *t = p->tasks[position];
    const struct lookmodel_time all = { .window = WINDOW_START };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;
    struct look_spot spot;
    bool whole, read;

    if (!t->tally.page || !look_spot(t, &spot) ||
        !lookmodel_read(p->reads, t->tally.page, &jobs_node(p->all->jobs)->ticks,
                        spot.site, &all, &m))
        return 0;
    read = take_steps(p, &m, &whole);
    if (read && is_place(&m, m.at) && (m.places[m.at] || whole))
        standing_add(p->standing, &(struct standing_task){
            .position = position, .place = m.places[m.at],
            .call = m.calls[m.at], .in = spot.in },
            whole ? p->step : NULL, m.n_from);
    free(m.places);
    return read ? 0 : -1;
}

static void on_next(evutil_socket_t fd, short what, void *arg)
{
    struct progress_part *p = arg;
    struct gather_job of;
    struct err err;

    (void)fd, (void)what;
    if (gather_tasks(p->all->jobs, reduction_job(p->reduction), p->tasks, p->n,
                     &of, &err)) {
        fail(p, err.text);
        return;
    }
    for (unsigned i = 0; i < AT_ONCE && p->done < p->n; i++)
        if (add_task(p, p->done++)) {
            fail(p, "out of memory");
            return;
        }
    if (p->done == p->n)
        finish(p);
    else
        timer_set(p->next, 0);
}

/* ------------------------------------------------------------------- begin */

static struct progress_part *part_make(struct gather *g, struct reduction *r)
{
    struct progress_part *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->all = g;
    p->reduction = r;
    p->n = reduction_width(r);
    LIST_INSERT_HEAD(&g->progress, p, place);
    p->tasks = calloc(p->n, sizeof(*p->tasks));
    p->reads = lookmodel_create();
    p->next = evtimer_new(jobs_node(g->jobs)->base, on_next, p);
    if (p->tasks && p->reads && p->next)
        return p;
    part_free(p);
    return NULL;
}

void gather_progress_start(void *arg, struct reduction *r)
{
    struct gather *g = arg;
    struct err err = { .text = "out of memory" };
    struct progress_part *p;
    size_t n;
    const uint8_t *bytes = reduction_argument(r, &n);

    if (reduction_width(r) == 0)        /* no task is here yet */
        reduction_own(r, NULL, 0);
    else if (gather_check(g->jobs, reduction_job(r), reduction_width(r), &err) ||
             !(p = part_make(g, r)))
        reduction_fail(r, err.text);
    else if (!(p->standing = standing_open(bytes, n, p->n, &err)))
        fail(p, err.text);
    else
        on_next(-1, 0, p);
}

void gather_progress_stop(void *arg, struct reduction *r)
{
    const struct gather *g = arg;
    struct progress_part *p;

    LIST_FOREACH(p, &g->progress, place)
        if (p->reduction == r) {
            part_free(p);
            return;
        }
}
