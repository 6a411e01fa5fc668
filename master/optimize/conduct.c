/* conduct.c - see conduct.h.
 *
 * Invariants. The first of the list is what is being done, if it is ordered; it
 * leaves the list at its end. Nobody is ordered before the commit of its rows. */
#include "master/optimize/conduct.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/optimize/course.h"
#include "master/optimize/planner.h"
#include "master/store/journal.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

static const uint64_t conduct_rest_ns = 30 * CLOCK_NS_PER_S;
enum { CONDUCT_DOUBLE_MAX = 6 };        /* times that a rest is doubled */

struct step {
    struct store_plan row;      /* reason, detail and error are owned */
    struct node *to;            /* borrowed */
};

struct order {
    struct order *next;
    uint64_t job;
    uint32_t kind;              /* enum hct_plan_kind */
    struct step *steps;         /* owned */
    size_t nsteps, cap;
    bool ordered;
};

struct conduct {
    struct conduct_parts parts;
    struct order *list;         /* owned */
    bool begun;                 /* all of it is in the database */
};

static void order_free(struct order *o)
{
    for (size_t i = 0; i < o->nsteps; i++) {
        free((char *)(uintptr_t)o->steps[i].row.reason);
        free((char *)(uintptr_t)o->steps[i].row.detail);
        free((char *)(uintptr_t)o->steps[i].row.error);
    }
    free(o->steps);
    free(o);
}

/* --------------------------------------------------------------------- rows */

/* Texts are borrowed. detail is to stay until the row is copied. */
static void row_of(const struct conduct *c, struct store_plan *row,
                   const struct conduct_step *s, struct str *detail)
{
    const struct hct_system *in = &s->of->in;
    const struct hct_plan_step *p = s->step;
    bool task = p->seat < in->nseats;
    uint32_t from = task ? hct_seat(in, p->seat)->host : HCT_NOWHERE;

    planner_words(detail, s->of, p,
                  strcmp(s->state, "refused") == 0 ? s->error : NULL);
    *row = (struct store_plan){
        .at_ns = in->now_ns, .seq = in->seq, .step = s->number,
        .optimizer = s->optimizer, .kind = planner_kind(p->kind),
        .job = p->work < in->nworks ? hct_work(in, p->work)->id : 0,
        .rank = { task, task ? (int64_t)hct_seat(in, p->seat)->rank : 0 },
        .node_from = from < in->nhosts ? systembytes_node(s->of, from) : NULL,
        .node_to = p->host < in->nhosts ? systembytes_node(s->of, p->host)
                                        : NULL,
        .gain_s = p->gain_s, .cost_s = p->cost_s, .reason = p->why,
        .state = s->state, .error = s->error, .detail = str_text(detail),
        .master = c->parts.instance };
}

void conduct_record(struct conduct *c, const struct conduct_step *s)
{
    struct str detail = { 0 };
    struct store_plan row;

    row_of(c, &row, s, &detail);
    journal_plan(c->parts.acts->journal, &row);
    str_fini(&detail);
}

static void note(struct conduct *c, struct order *o, const char *state,
                 const char *error)
{
    for (size_t i = 0; i < o->nsteps; i++) {
        o->steps[i].row.state = state;
        free((char *)(uintptr_t)o->steps[i].row.error);
        o->steps[i].row.error = error ? strdup(error) : NULL;
        journal_plan(c->parts.acts->journal, &o->steps[i].row);
    }
    log_info("optimize", "%s: %s%s%s", o->steps[0].row.detail, state,
             error ? ": " : "", error ? error : "");
}

/* --------------------------------------------------------------------- list */

static struct order *last_of(struct conduct *c)
{
    struct order *o = c->list;

    while (o && o->next)
        o = o->next;
    return o;
}

static struct order *add_order(struct conduct *c, uint64_t job, uint32_t kind)
{
    struct order *last = last_of(c), *o;

    if (last && !last->ordered && last->job == job && last->kind == kind &&
        kind == HCT_PLAN_MOVE)
        return array_reserve(&last->steps, &last->cap, last->nsteps + 1)
               ? NULL : last;
    o = calloc(1, sizeof(*o));
    if (!o || array_reserve(&o->steps, &o->cap, 1)) {
        free(o);
        return NULL;
    }
    o->job = job;
    o->kind = kind;
    if (last)
        last->next = o;
    else
        c->list = o;
    return o;
}

/* Names of nodes and of the optimizer stay where they are; what is borrowed of the
 * plan does not. */
int conduct_add(struct conduct *c, const struct conduct_step *s,
                const struct node *from, struct node *to)
{
    const struct hct_work *w = hct_work(&s->of->in, s->step->work);
    struct order *o = add_order(c, w->id, s->step->kind);
    struct str detail = { 0 };
    struct step *n;

    if (!o)
        return -1;
    n = &o->steps[o->nsteps++];
    n->to = to;
    row_of(c, &n->row, s, &detail);
    n->row.node_from = from ? from->name : NULL;
    n->row.node_to = to ? to->name : NULL;
    n->row.reason = strdup(s->step->why);
    n->row.detail = str_take(&detail);
    n->row.error = NULL;
    c->begun = false;
    journal_plan(c->parts.acts->journal, &n->row);
    return 0;
}

bool conduct_busy(const struct conduct *c)
{
    return c->list != NULL;
}

/* -------------------------------------------------------------------- orders */

/* Who was moved is left alone for a while, and longer each time that nothing
 * came of it: what it gets there has to be seen first. */
static void rest(struct job *j, bool ok)
{
    struct course *c = course_of(j);
    unsigned n;

    if (!c)
        return;
    c->failed = ok ? 0 : c->failed + 1;
    n = c->failed < CONDUCT_DOUBLE_MAX ? c->failed : CONDUCT_DOUBLE_MAX;
    c->rests_ns = clock_monotonic_ns() + (conduct_rest_ns << n);
}

static int collect(const struct order *o, const struct job *j,
                   struct taskset *ranks, struct node **to_of, struct err *err)
{
    for (size_t i = 0; i < o->nsteps; i++) {
        const struct store_plan *row = &o->steps[i].row;
        uint32_t r = (uint32_t)row->rank.v;
        const struct task *t = r < j->ntasks ? &j->tasks[r] : NULL;

        if (!t || t->node >= j->nnodes || !row->node_from ||
            strcmp(j->nodes[t->node].node->name, row->node_from) != 0)
            return err_set(err, ESTALE, "task %u is not there any more", r);
        to_of[r] = o->steps[i].to;
        if (taskset_add(ranks, r, r))
            return err_memory(err);
    }
    return 0;
}

static int order_move(struct conduct *c, struct order *o, struct job *j,
                      struct err *err)
{
    struct node **to_of = calloc(j->ntasks + 1, sizeof(*to_of));
    struct taskset ranks = { 0 };
    struct act_order act = { .act = ACT_MIGRATE, .who = ACT_POLICY,
                             .by = o->steps[0].row.optimizer,
                             .why = o->steps[0].row.reason, .ranks = &ranks };
    struct mover_order m = { .ranks = &ranks, .to_of = to_of, .why = act.why };
    int rc = !to_of ? err_memory(err) : collect(o, j, &ranks, to_of, err);

    if (rc == 0) {
        rc = mover_able(j, err) || mover_order(c->parts.movers, j, &m, err);
        acts_record(c->parts.acts, j, &act, rc ? err->text : "ordered");
    }
    if (rc)
        rest(j, false);
    taskset_fini(&ranks);
    free(to_of);
    return rc ? -1 : 0;
}

/* Only what its owner calls idle, and nobody goes on whom others have stopped. */
static int order_hold(struct conduct *c, struct order *o, struct job *j,
                      struct err *err)
{
    bool stop = o->kind == HCT_PLAN_SUSPEND;
    struct course *course = course_of(j);
    struct taskset all = { 0 };
    struct act_order act = { .act = stop ? ACT_SUSPEND : ACT_RESUME,
                             .who = ACT_POLICY,
                             .by = o->steps[0].row.optimizer,
                             .why = o->steps[0].row.reason, .ranks = &all,
                             .whole = true };
    int rc;

    if (!course || taskset_add(&all, 0, j->ntasks - 1))
        return err_memory(err);
    if (stop && j->priority.class != PRIORITY_IDLE)
        rc = err_set(err, EPERM, "an optimizer suspends only jobs of class idle");
    else if (!stop && !course->suspended)
        rc = err_set(err, EPERM, "it was suspended by somebody else");
    else
        rc = acts_order(c->parts.acts, j, &act, NULL, 0, err) < 0 ? -1 : 0;
    if (rc == 0)
        course->suspended = stop;
    taskset_fini(&all);
    return rc;
}

/* 1: it is under way, and its end will be told. 0: that was all. */
static int begin(struct conduct *c, struct order *o, struct err *err)
{
    struct job *j = jobs_find(c->parts.jobs, o->job);

    if (!j || job_state_final(j->state))
        return err_set(err, ESRCH, "it has ended");
    if (o->kind == HCT_PLAN_MOVE)
        return order_move(c, o, j, err) ? -1 : 1;
    return order_hold(c, o, j, err);
}

static void drop_first(struct conduct *c, const char *state, const char *error)
{
    struct order *o = c->list;

    note(c, o, state, error);
    c->list = o->next;
    order_free(o);
}

static void go_on(struct conduct *c)
{
    struct err err;

    while (c->list && !c->list->ordered) {
        int rc = begin(c, c->list, &err);

        if (rc > 0) {
            c->list->ordered = true;
            note(c, c->list, "ordered", NULL);
            return;
        }
        drop_first(c, rc ? err.code == ESTALE || err.code == ESRCH ? "dropped"
                                                                  : "failed"
                         : "done", rc ? err.text : NULL);
    }
    if (!c->list)
        c->parts.idle(c->parts.arg);
}

void conduct_committed(struct conduct *c)
{
    if (c->begun || !c->list)
        return;
    c->begun = true;
    if (!c->list->ordered)
        go_on(c);
}

/* One of others is a reason to leave the job alone, too. */
void conduct_move_ended(struct conduct *c, struct job *j, bool ok,
                        const char *text)
{
    struct order *o = c->list;

    rest(j, ok);
    if (!o || !o->ordered || o->job != j->id)
        return;
    drop_first(c, ok ? "done" : "failed", ok ? NULL : text);
    if (c->list)
        c->begun = false;       /* with the next commit */
    else
        c->parts.idle(c->parts.arg);
}

void conduct_job_gone(struct conduct *c, const struct job *j)
{
    if (c->list && c->list->ordered && c->list->job == j->id) {
        drop_first(c, "failed", "it has ended");
        c->begun = false;
    }
}

/* Some of its nodes may have to be told yet what was ordered before. */
static bool is_there(const struct job *j)
{
    for (size_t i = 0; i < j->nnodes; i++)
        if (!j->nodes[i].lost &&
            (j->nodes[i].away || j->nodes[i].node->state != NODE_UP))
            return false;
    return true;
}

static void resume(struct conduct *c, struct job *j)
{
    struct taskset all = { 0 };
    struct act_order act = { .act = ACT_RESUME, .who = ACT_POLICY,
                             .by = "optimizer", .ranks = &all,
                             .why = j->course->orphan
                                    ? "its optimizer is not there any more"
                                    : "the optimizer is switched off",
                             .whole = true };
    struct err err;

    if (taskset_add(&all, 0, j->ntasks - 1))
        return;
    j->course->suspended = j->course->orphan = false;
    acts_order(c->parts.acts, j, &act, NULL, 0, &err);
    taskset_fini(&all);
}

bool conduct_resume_orphans(struct conduct *c, bool all)
{
    bool some = false;

    for (struct job *j = NULL; (j = jobs_next(c->parts.jobs, j)); ) {
        if (!j->course || !j->course->suspended || job_state_final(j->state) ||
            !(all || j->course->orphan))
            continue;
        if (is_there(j))
            resume(c, j);
        else
            some = true;
    }
    return some;
}

struct conduct *conduct_create(const struct conduct_parts *parts)
{
    struct conduct *c = calloc(1, sizeof(*c));

    if (c)
        c->parts = *parts;
    return c;
}

void conduct_destroy(struct conduct *c)
{
    if (!c)
        return;
    for (struct order *o; (o = c->list); order_free(o))
        c->list = o->next;
    free(c);
}
