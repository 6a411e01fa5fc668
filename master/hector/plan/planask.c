/* planask.c - see planask.h. */
#include "master/hector/plan/planask.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/clock.h"

struct planask {
    struct event_base *base;    /* owned, like the next two */
    struct judges *judges;
    struct planner *planner;
    planask_f *f;               /* of the question that is out */
    void *arg;
    bool answered, failed;
    struct err why;
};

static void on_planned(void *arg, const struct systembytes *of,
                       const struct checked *plan, const char *odd)
{
    struct planask *p = arg;

    p->answered = true;
    p->f(p->arg, of, plan, odd);
    event_base_loopbreak(p->base);
}

static void on_lost(void *arg, const char *why, bool off)
{
    struct planask *p = arg;

    (void)off;
    p->failed = true;
    err_set(&p->why, ECHILD, "optimizer %s: %s", planner_name(p->planner), why);
    event_base_loopbreak(p->base);
}

static const struct planner_ops ops = { .planned = on_planned, .lost = on_lost };

struct planask *planask_open(const char *spec, struct err *err)
{
    const struct judge_conf conf = {
        .step_ns = JUDGE_STEP_S * CLOCK_NS_PER_S,
        .memory_bytes = (uint64_t)JUDGE_MEMORY_MB << 20,
        .uid = (uint32_t)geteuid() };
    struct planask *p = calloc(1, sizeof(*p));

    if (!p)
        return err_memory(err), NULL;
    p->base = event_base_new();
    p->judges = p->base ? judges_create(p->base) : NULL;
    if (!p->judges)
        err_memory(err);
    else
        p->planner = planner_create(p->judges, spec, &conf, &ops, p, err);
    if (p->planner)
        return p;
    planask_close(p);
    return NULL;
}

void planask_close(struct planask *p)
{
    if (!p)
        return;
    planner_destroy(p->planner);
    judges_destroy(p->judges);
    if (p->base)
        event_base_free(p->base);
    free(p);
}

int planask_plan(struct planask *p, const void *system, size_t bytes,
                 planask_f *f, void *arg, struct err *err)
{
    p->f = f;
    p->arg = arg;
    p->answered = false;
    if (!p->failed && planner_ask(p->planner, system, bytes, err))
        return -1;
    while (!p->answered && !p->failed)
        event_base_loop(p->base, EVLOOP_ONCE);
    if (!p->answered)
        *err = p->why;
    return p->answered ? 0 : -1;
}
