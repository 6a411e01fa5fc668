/* planner.c - see planner.h. */
#include "master/optimize/planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/judgewire.h"

struct planner {
    struct judge *judge;        /* owned, like the next three */
    char *spec;
    struct optimizer tally;     /* not open: it counts */
    struct systembytes shown;
    const struct planner_ops *ops;      /* borrowed, with arg */
    void *arg;
};

/* -------------------------------------------------------------------- words */

const char *planner_kind(uint32_t kind)
{
    static const char *const names[] = {
        [HCT_PLAN_PLACE] = "place", [HCT_PLAN_MOVE] = "move",
        [HCT_PLAN_SUSPEND] = "suspend", [HCT_PLAN_RESUME] = "resume" };

    return kind && kind <= HCT_PLAN_RESUME ? names[kind] : "?";
}

static uint32_t from(const struct systembytes *of, const struct hct_plan_step *s)
{
    return s->seat < of->in.nseats ? hct_seat(&of->in, s->seat)->host
                                   : HCT_NOWHERE;
}

void planner_words(struct str *to, const struct systembytes *of,
                   const struct hct_plan_step *s, const char *refused)
{
    str_addf(to, "%s ", planner_kind(s->kind));
    if (s->seat < of->in.nseats)
        str_addf(to, "task %u of ", hct_seat(&of->in, s->seat)->rank);
    if (s->work < of->in.nworks)
        str_addf(to, "job %llu",
                 (unsigned long long)hct_work(&of->in, s->work)->id);
    else
        str_addf(to, "job number %u of %u", s->work, of->in.nworks);
    if (s->kind == HCT_PLAN_MOVE)
        str_addf(to, " from %s", systembytes_node(of, from(of, s)));
    if (s->kind <= HCT_PLAN_MOVE)
        str_addf(to, " to %s", systembytes_node(of, s->host));
    str_addf(to, ", gain %.9g s, cost %.9g s", s->gain_s, s->cost_s);
    if (*s->why)
        str_addf(to, ": %s", s->why);
    if (refused)
        str_addf(to, "; refused: it %s", refused);
}

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

void planner_tell(Hct__Plan__Step *m, const struct systembytes *of,
                  const struct hct_plan_step *s, const char *refused)
{
    bool task = s->seat < of->in.nseats;

    m->kind = borrowed(planner_kind(s->kind));
    if (s->work < of->in.nworks)
        m->job = hct_work(&of->in, s->work)->id;
    m->whole = !task;
    m->rank = task ? hct_seat(&of->in, s->seat)->rank : 0;
    m->node_from = borrowed(systembytes_node(of, from(of, s)));
    m->node_to = borrowed(systembytes_node(of, s->host));
    m->gain_s = s->gain_s;
    m->cost_s = s->cost_s;
    m->reason = borrowed(s->why);
    m->error = borrowed(refused ? refused : "");
}

void planner_lines(struct str *to, const struct systembytes *of,
                   const struct checked *plan)
{
    unsigned long long seq = of->in.seq;

    for (uint32_t i = 0; i < plan->nsteps + plan->nrefused; i++) {
        bool bad = i >= plan->nsteps;
        uint32_t k = bad ? i - plan->nsteps : i;

        str_addf(to, "plan %llu step %u: ", seq, i + 1);
        planner_words(to, of, bad ? &plan->bad[k] : &plan->steps[k],
                      bad ? checked_reason(plan->bad_why[k]) : NULL);
        str_add(to, "\n");
    }
}

/* ------------------------------------------------------------------ answers */

/* Steps from another process may be anything, but for how many there are. */
static int read_answer(struct optimizer_answer *a, const void *p, size_t n,
                       struct err *err)
{
    struct judgewire_plan w;
    size_t bytes = n - sizeof(w), each = sizeof(*a->plan.steps);

    if (n < sizeof(w))
        return err_set(err, EPROTO, "it answered what makes no sense");
    memcpy(&w, p, sizeof(w));
    *a = (struct optimizer_answer){
        .rc = w.rc, .greedy = w.greedy != 0,
        .plan = { .size = sizeof(a->plan), .nsteps = w.nsteps,
                  .steps_max = w.steps_max, .step_size = (uint32_t)each,
                  .lost = w.lost } };
    if (a->rc || a->greedy || w.nsteps > w.steps_max)
        return 0;
    if (bytes != w.nsteps * each)
        return err_set(err, EPROTO, "it answered what makes no sense");
    a->plan.steps = malloc(bytes + 1);
    if (!a->plan.steps)
        return err_memory(err);
    memcpy(a->plan.steps, (const char *)p + sizeof(w), bytes);
    return 0;
}

static void on_planned(void *arg, struct judge *j, const void *answer, size_t n)
{
    struct planner *p = arg;
    struct optimizer_answer a = { .rc = 0 };
    struct err err;

    if (read_answer(&a, answer, n, &err) ||
        optimizer_take(&p->tally, &p->shown.in, &a, &err)) {
        free(a.plan.steps);
        p->ops->lost(p->arg, err.text, false);
        return;
    }
    free(a.plan.steps);
    p->ops->planned(p->arg, &p->shown, &p->tally.plan, p->tally.why);
    if (!p->tally.off)
        return;
    judge_set_off(j);
    p->ops->lost(p->arg, p->tally.why, true);
}

static void on_lost(void *arg, struct judge *j, const char *why, bool off)
{
    struct planner *p = arg;

    (void)j;
    p->tally.off |= off;
    p->ops->lost(p->arg, why, off);
}

/* It is asked again when it is time. */
static void on_back(void *arg, struct judge *j)
{
    (void)arg;
    (void)j;
}

static const struct judge_ops judge_ops = {
    .planned = on_planned, .lost = on_lost, .back = on_back };

/* --------------------------------------------------------------------- life */

struct planner *planner_create(struct judges *all, const char *spec,
                               const struct judge_conf *conf,
                               const struct planner_ops *ops, void *arg,
                               struct err *err)
{
    struct planner *p = calloc(1, sizeof(*p));
    struct judge_conf mine = *conf;

    if (!p || !(p->spec = strdup(spec))) {
        free(p);
        err_memory(err);
        return NULL;
    }
    mine.optimizer = true;
    p->ops = ops;
    p->arg = arg;
    p->judge = judge_create(all, spec, &mine, &judge_ops, p, err);
    if (!p->judge || judge_begin(p->judge, 0, err))
        return planner_destroy(p), NULL;
    return p;
}

void planner_destroy(struct planner *p)
{
    if (!p)
        return;
    judge_destroy(p->judge);
    optimizer_close(&p->tally);
    systembytes_fini(&p->shown);
    free(p->spec);
    free(p);
}

const char *planner_name(const struct planner *p)
{
    return judge_name(p->judge);
}

const char *planner_spec(const struct planner *p)
{
    return p->spec;
}

bool planner_off(const struct planner *p)
{
    return p->tally.off;
}

int planner_ask(struct planner *p, const void *system, size_t bytes,
                struct err *err)
{
    if (p->tally.off)
        return err_set(err, ECANCELED, "the optimizer is switched off");
    if (judge_busy(p->judge))
        return err_set(err, EBUSY, "it thinks of the system before");
    systembytes_fini(&p->shown);
    if (systembytes_read(&p->shown, system, bytes, err))
        return -1;
    return judge_ask(p->judge, system, bytes)
           ? 0 : err_set(err, EAGAIN, "its process is not there just now");
}
