/* gather_scores.c - this node's tasks of a job against a question.
 *
 * Some tasks at a time: a node may have hundreds, each is compared with dozens
 * of models, and the loop has other things to do meanwhile. */
#include "slave/gather/gather_scores.h"

#include <event2/event.h>
#include <stdlib.h>

#include "proto/base/array.h"
#include "proto/link/timer.h"
#include "slave/gather/answer.h"
#include "slave/gather/gather.h"
#include "slave/gather/gather_tasks.h"
#include "slave/page/lookmodel.h"

enum { AT_ONCE = 8 };

/* One that is being made. */
struct scores_part {
    LIST_ENTRY(scores_part) place;
    struct gather *all;         /* borrowed, like the next */
    struct reduction *reduction;
    uint32_t n, done;           /* tasks */
    struct task **tasks;        /* owned, like all that follows; room for n */
    struct event *next;
    struct lookmodel *reads;
    struct answer *answer;
    struct score_edge *edge;
    size_t edges_cap;
};

static void part_free(struct scores_part *p)
{
    LIST_REMOVE(p, place);
    timer_free(p->next);
    free(p->tasks);
    lookmodel_destroy(p->reads);
    answer_close(p->answer);
    free(p->edge);
    free(p);
}

static void fail(struct scores_part *p, const char *why)
{
    struct reduction *r = p->reduction;

    part_free(p);
    reduction_fail(r, why);
}

static void finish(struct scores_part *p)
{
    struct reduction *r = p->reduction;
    struct str part = { 0 };
    struct err err;
    int rc = answer_write(p->answer, &part, &err);

    part_free(p);
    if (rc)
        reduction_fail(r, err.text);
    else
        reduction_own(r, str_text(&part), part.n);
    str_fini(&part);
}

/* ------------------------------------------------------------------- tasks */

static uint64_t place_of(const Hct__Looked__Model *m, uint32_t state)
{
    return m->places[state] ? m->places[state]
           : m->calls[state] ? SCORE_NOWHERE : 0;
}

static int take_edges(struct scores_part *p, const Hct__Looked__Model *m)
{
    if (array_reserve(&p->edge, &p->edges_cap, m->n_from + 1))
        return -1;
    for (size_t i = 0; i < m->n_from; i++)
        p->edge[i] = (struct score_edge){
            .from = place_of(m, m->from[i]), .to = place_of(m, m->to[i]),
            .site = m->sites[m->from[i]], .site_to = m->sites[m->to[i]],
            .n = m->n[i],
            .in_mean = m->in_mean[i], .in_m2 = m->in_m2[i],
            .out_mean = m->out_mean[i], .out_m2 = m->out_m2[i],
            .bytes_mean = m->bytes_mean[i] };
    return 0;
}

static enum window_what window_of(const struct hct_when *when)
{
    return when->window == HCT_WINDOW_PHASE ? WINDOW_PHASE
           : when->window == HCT_WINDOW_LAST ? WINDOW_LAST : WINDOW_START;
}

/* The edges of its model of the time that is asked about. 0: it has none, without a
 * page, or a call, or that time; -1: no memory. */
static int read_task(struct scores_part *p, const struct task *t,
                     struct answer_task *is, size_t *n)
{
    struct hct_when when = answer_when(p->answer);
    const struct lookmodel_time time = {
        .window = window_of(&when), .kept = t->tally.windows,
        .phase = &when.phase,
        .ago_ns = when.window == HCT_WINDOW_LAST ? when.ago_ns : 0 };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;
    int rc = 0;

    if (!t->tally.page ||
        !lookmodel_read(p->reads, t->tally.page, &jobs_node(p->all->jobs)->ticks,
                        0, &time, &m))
        return 0;
    is->ago_ns = m.ago_ns;
    *n = m.n_from;
    if (m.ago_ns)
        rc = take_edges(p, &m) ? -1 : 1;
    free(m.places);
    return rc;
}

/* -1: no memory. */
static int add_task(struct scores_part *p, uint32_t position)
{
    const struct task *t = p->tasks[position];
    struct answer_task is = { .position = position, .rank = t->rank };
    size_t n = 0;
    int rc = read_task(p, t, &is, &n);

    if (rc == 0) {
        answer_miss(p->answer);
    } else if (rc > 0) {
        delay_read(&is.delay, t->tally.pid);
        answer_add(p->answer, &is, p->edge, n);
    }
    return rc < 0 ? -1 : 0;
}

static void on_next(evutil_socket_t fd, short what, void *arg)
{
    struct scores_part *p = arg;
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

static struct scores_part *part_make(struct gather *g, struct reduction *r)
{
    struct scores_part *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->all = g;
    p->reduction = r;
    p->n = reduction_width(r);
    LIST_INSERT_HEAD(&g->scores, p, place);
    p->tasks = calloc(p->n, sizeof(*p->tasks));
    p->reads = lookmodel_create();
    p->next = evtimer_new(jobs_node(g->jobs)->base, on_next, p);
    if (p->tasks && p->reads && p->next)
        return p;
    part_free(p);
    return NULL;
}

void gather_scores_start(void *arg, struct reduction *r)
{
    struct gather *g = arg;
    struct err err = { .text = "out of memory" };
    struct scores_part *p;
    size_t n;
    const uint8_t *bytes = reduction_argument(r, &n);

    if (reduction_width(r) == 0)        /* no task is here yet */
        reduction_own(r, NULL, 0);
    else if (gather_check(g->jobs, reduction_job(r), reduction_width(r), &err) ||
             !(p = part_make(g, r)))
        reduction_fail(r, err.text);
    else if (!(p->answer = answer_open(bytes, n, p->n, &err)))
        fail(p, err.text);
    else
        on_next(-1, 0, p);
}

void gather_scores_stop(void *arg, struct reduction *r)
{
    const struct gather *g = arg;
    struct scores_part *p;

    LIST_FOREACH(p, &g->scores, place)
        if (p->reduction == r) {
            part_free(p);
            return;
        }
}
