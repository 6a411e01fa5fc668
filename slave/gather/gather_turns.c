/* gather_turns.c - see gather_turns.h. */
#include "slave/gather/gather_turns.h"

#include <event2/event.h>
#include <stdlib.h>

#include "proto/link/timer.h"
#include "slave/gather/gather_part.h"
#include "slave/gather/gather_tasks.h"

/* One that is being made. */
struct turns_part {
    struct gather_part part;
    const struct gather_way *way;       /* borrowed */
    uint32_t n, done;           /* tasks */
    struct task **tasks;        /* owned, like all that follows; room for n */
    struct event *next;
    struct lookmodel *reads;
    void *own;
};

static void part_free(struct gather_part *part)
{
    struct turns_part *p = (struct turns_part *)part;

    timer_free(p->next);
    free(p->tasks);
    lookmodel_destroy(p->reads);
    if (p->own)
        p->way->close(p->own);
    free(p->own);
    free(p);
}

static void finish(struct turns_part *p)
{
    struct str part = { 0 };
    struct err err;
    int rc = p->way->write(p->own, &part, &err);

    gather_part_finish(&p->part, rc, &part, &err);
}

static int add_task(struct turns_part *p, uint32_t position)
{
    const struct gather_turn turn = {
        .task = p->tasks[position], .position = position, .reads = p->reads,
        .ticks = &jobs_node(p->part.all->jobs)->ticks };

    return p->way->add(p->own, &turn);
}

static void on_next(evutil_socket_t fd, short what, void *arg)
{
    struct turns_part *p = arg;
    struct gather_job of;
    struct err err;

    (void)fd, (void)what;
    if (gather_tasks(p->part.all->jobs, reduction_job(p->part.reduction), p->tasks, p->n,
                     &of, &err)) {
        gather_part_fail(&p->part, err.text);
        return;
    }
    for (unsigned i = 0; i < p->way->at_once && p->done < p->n; i++)
        if (add_task(p, p->done++)) {
            gather_part_fail(&p->part, "out of memory");
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
    gather_part_begin(&p->part, g, r, part_free);
    p->way = way;
    p->n = reduction_width(r);
    p->tasks = calloc(p->n, sizeof(*p->tasks));
    p->reads = lookmodel_create();
    p->next = evtimer_new(jobs_node(g->jobs)->base, on_next, p);
    p->own = calloc(1, way->own_bytes);
    if (p->tasks && p->reads && p->next && p->own)
        return p;
    gather_part_end(&p->part);
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
        gather_part_fail(&p->part, err.text);
    else
        on_next(-1, 0, p);
}
