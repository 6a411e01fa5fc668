/* gather_model.c - the models of this node's tasks of a job.
 *
 * They are read twice: at once, to know which places have to be looked up in
 * the binaries, and when those have names, or that has taken too long. */
#include "slave/gather/gather_model.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/link/timer.h"
#include "slave/gather/gather_part.h"
#include "slave/gather/gather_tasks.h"
#include "slave/jobs/modelpart.h"

#define LOOK_NS (5 * CLOCK_NS_PER_MS)
#define NAMES_NS (8 * CLOCK_NS_PER_S)

/* One that is being made. */
struct model_part {
    struct gather_part part;
    uint64_t job, until_ns;
    uint32_t n;
    bool histograms;
    enum window_what window;
    struct taskset ranks;       /* whose; empty: all */
    struct task **tasks;        /* owned; room for n */
    struct event *look;         /* owned */
};

static void part_free(struct gather_part *part)
{
    struct model_part *p = (struct model_part *)part;

    timer_free(p->look);
    taskset_fini(&p->ranks);
    free(p->tasks);
    free(p);
}

static int make(const struct model_part *p, const struct gather_job *of,
                struct str *out, struct err *err)
{
    const struct modelpart part = {
        .tasks = p->tasks, .n = p->n, .ranks = &p->ranks,
        .account = of->account, .ticks = &jobs_node(p->part.all->jobs)->ticks,
        .histograms = p->histograms, .window = p->window };

    return modelpart_make(&part, out, err);
}

static void finish(struct model_part *p, struct gather_job *of)
{
    struct str part = { 0 };
    struct err err;
    int rc = make(p, of, &part, &err);

    gather_part_finish(&p->part, rc, &part, &err);
}

/* ------------------------------------------------------------------- names */

static void wait_on(struct model_part *p)
{
    timer_set(p->look, LOOK_NS);
}

/* Or will not get more. A child that is at work may have begun before we knew
 * what we want; where one has failed, another try is the end's. */
static bool has_names(const struct model_part *p, const struct gather_job *of)
{
    struct account *a = of->account;

    if (names_settled(&a->names, &a->sites))
        return true;
    if (!a->names.failures)
        names_ask(&a->names, jobs_node(p->part.all->jobs)->base, &a->sites, of->user,
                  false);
    return !a->names.child;
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
    struct model_part *p = arg;
    struct gather_job of;
    struct err err;

    (void)fd, (void)what;
    if (gather_tasks(p->part.all->jobs, p->job, p->tasks, p->n, &of, &err)) {
        gather_part_fail(&p->part, err.text);
        return;
    }
    if (has_names(p, &of) || clock_monotonic_ns() >= p->until_ns)
        finish(p, &of);
    else
        wait_on(p);
}

/* ------------------------------------------------------------------- begin */

static struct model_part *part_make(struct gather *g, struct reduction *r)
{
    struct model_part *p = calloc(1, sizeof(*p));
    uint64_t half_ns = reduction_wait_ns(r) / 2;

    if (!p)
        return NULL;
    gather_part_begin(&p->part, g, r, part_free);
    p->job = reduction_job(r);
    p->n = reduction_width(r);
    p->until_ns = clock_monotonic_ns() +
                  (half_ns < NAMES_NS ? half_ns : NAMES_NS);
    p->tasks = calloc(p->n, sizeof(*p->tasks));
    p->look = evtimer_new(jobs_node(g->jobs)->base, on_look, p);
    if (p->tasks && p->look)
        return p;
    gather_part_end(&p->part);
    return NULL;
}

static int begin(struct model_part *p, const Hct__ModelAsk *m,
                 struct gather_job *of, struct err *err)
{
    if (m->window >= WINDOWS)
        return err_set(err, EPROTO, "this is no request for models: there is no "
                       "window %u", m->window);
    p->histograms = m->histograms;
    p->window = (enum window_what)m->window;
    if (*m->ranks && taskset_parse(&p->ranks, m->ranks, UINT32_MAX, err))
        return -1;
    if (gather_tasks(p->part.all->jobs, p->job, p->tasks, p->n, of, err))
        return -1;
    return make(p, of, NULL, err);
}

void gather_model_start(void *arg, struct reduction *r)
{
    struct gather *g = arg;
    struct err err = { .text = "out of memory" };
    struct model_part *p = NULL;
    struct gather_job of;
    size_t n;
    const uint8_t *bytes = reduction_argument(r, &n);
    Hct__ModelAsk *m = hct__model_ask__unpack(NULL, n, bytes);

    if (!m) {
        reduction_fail(r, "this is no request for models");
        return;
    }
    if (reduction_width(r) == 0)        /* no task is here yet */
        reduction_own(r, NULL, 0);
    else if (gather_check(g->jobs, reduction_job(r), reduction_width(r), &err) ||
             !(p = part_make(g, r)))
        reduction_fail(r, err.text);
    else if (begin(p, m, &of, &err))
        gather_part_fail(&p->part, err.text);
    else
        on_look(-1, 0, p);
    hct__model_ask__free_unpacked(m, NULL);
}
