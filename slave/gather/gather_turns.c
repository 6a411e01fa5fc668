/* gather_turns.c - see gather_turns.h. */
#include "slave/gather/gather_turns.h"

#include <event2/event.h>
#include <stdlib.h>

#include "proto/link/timer.h"
#include "slave/gather/gather_tasks.h"

/* One that is being made. */
struct turns_part {
    LIST_ENTRY(turns_part) place;
    struct gather *all;         /* borrowed, like the next two */
    struct reduction *reduction;
    const struct gather_way *way;
    uint32_t n, done;           /* tasks */
    struct task **tasks;        /* owned, like all that follows; room for n */
    struct event *next;
    struct lookmodel *reads;
    void *own;
};

static void part_free(struct turns_part *p)
{
    LIST_REMOVE(p, place);
    timer_free(p->next);
    free(p->tasks);
    lookmodel_destroy(p->reads);
    if (p->own)
        p->way->close(p->own);
    free(p->own);
    free(p);
}

static void fail(struct turns_part *p, const char *why)
{
    struct reduction *r = p->reduction;

    part_free(p);
    reduction_fail(r, why);
}

static void finish(struct turns_part *p)
{
    struct reduction *r = p->reduction;
    struct str part = { 0 };
    struct err err;
    int rc = p->way->write(p->own, &part, &err);

    part_free(p);
    if (rc)
        reduction_fail(r, err.text);
    else
        reduction_own(r, str_text(&part), part.n);
    str_fini(&part);
}

static int add_task(struct turns_part *p, uint32_t position)
{
    const struct gather_turn turn = {
        .task = p->tasks[position], .position = position, .reads = p->reads,
        .ticks = &jobs_node(p->all->jobs)->ticks };

    return p->way->add(p->own, &turn);
}

static void on_next(evutil_socket_t fd, short what, void *arg)
{
    struct turns_part *p = arg;
    struct gather_job of;
    struct err err;

    (void)fd, (void)what;
    if (gather_tasks(p->all->jobs, reduction_job(p->reduction), p->tasks, p->n,
                     &of, &err)) {
        fail(p, err.text);
        return;
    }
    for (unsigned i = 0; i < p->way->at_once && p->done < p->n; i++)
        if (add_task(p, p->done++)) {
            fail(p, "out of memory");
            return;
        }
    if (p->done == p->n)
        finish(p);
    else
        timer_set(p->next, 0);
}

static struct turns_part *part_make(struct gather *g, struct reduction *r,
                                    const struct gather_way *way)
{
    struct turns_part *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->all = g;
    p->reduction = r;
    p->way = way;
    p->n = reduction_width(r);
    LIST_INSERT_HEAD(&g->turns, p, place);
    p->tasks = calloc(p->n, sizeof(*p->tasks));
    p->reads = lookmodel_create();
    p->next = evtimer_new(jobs_node(g->jobs)->base, on_next, p);
    p->own = calloc(1, way->own_bytes);
    if (p->tasks && p->reads && p->next && p->own)
        return p;
    part_free(p);
    return NULL;
}

void gather_turns_start(struct gather *g, struct reduction *r,
                        const struct gather_way *way)
{
    struct err err = { .text = "out of memory" };
    struct turns_part *p;
    size_t n;
    const uint8_t *argument = reduction_argument(r, &n);

    if (reduction_width(r) == 0)        /* no task is here yet */
        reduction_own(r, NULL, 0);
    else if (gather_check(g->jobs, reduction_job(r), reduction_width(r), &err) ||
             !(p = part_make(g, r, way)))
        reduction_fail(r, err.text);
    else if (way->open(p->own, argument, n, p->n, &err))
        fail(p, err.text);
    else
        on_next(-1, 0, p);
}

void gather_turns_stop(void *arg, struct reduction *r)
{
    const struct gather *g = arg;
    struct turns_part *p;

    LIST_FOREACH(p, &g->turns, place)
        if (p->reduction == r) {
            part_free(p);
            return;
        }
}
