/* optimize.c - see optimize.h.
 *
 * Invariants. One system is out to be planned for at a time, and it is kept until
 * the answer: a plan speaks of its indexes. While something is being done for the
 * last plan only places are taken from the next one; moves are looked for again
 * when it is over. */
#include "master/optimize/optimize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/optimize/conduct.h"
#include "master/optimize/course.h"
#include "master/optimize/planner.h"
#include "master/store/journal.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/message.h"
#include "proto/link/timer.h"

static const uint64_t again_ns = CLOCK_NS_PER_S;
static const uint64_t first_ns = 2 * CLOCK_NS_PER_S;    /* tasks come to work */

struct optimize {
    struct optimize_parts parts;
    struct planner *planner;    /* owned; NULL: none */
    struct conduct *conduct;    /* owned, like the next two */
    struct event *timer;
    struct survey asked;
    bool asking;
    bool news;                  /* something has changed since it was asked */
    bool orphans;               /* jobs may be suspended by nobody any more */
    uint64_t seq, planned_ns;   /* of the last plan; monotonic */
    struct conn **askers;       /* owned: who waits for a plan; borrowed */
    size_t naskers, askers_cap;
};

static uint64_t mono(void)
{
    return clock_monotonic_ns();
}

static bool on(const struct optimize *o)
{
    return o->planner && !planner_off(o->planner);
}

/* ------------------------------------------------------------------- people */

static void answer(struct optimize *o, bool ok, const char *text)
{
    Hct__Result m = HCT__RESULT__INIT;

    m.ok = ok;
    m.text = (char *)(uintptr_t)text;
    while (o->naskers)
        conn_send(o->askers[--o->naskers], MESSAGE_RESULT, &m);
}

/* What the optimizer wants, and what of it is refused. */
static void show_plan(struct optimize *o, const struct systembytes *of,
                      const struct checked *plan, const char *odd)
{
    Hct__Plan m = HCT__PLAN__INIT;
    uint32_t all = plan->nsteps + plan->nrefused;
    Hct__Plan__Step *steps = calloc(all + 1, sizeof(*steps));
    Hct__Plan__Step **list = calloc(all + 1, sizeof(*list));
    char text[300];

    for (uint32_t i = 0; steps && list && i < all; i++) {
        bool bad = i >= plan->nsteps;
        uint32_t k = bad ? i - plan->nsteps : i;

        list[i] = &steps[i];
        hct__plan__step__init(&steps[i]);
        planner_tell(&steps[i], of, bad ? &plan->bad[k] : &plan->steps[k],
                  bad ? checked_reason(plan->bad_why[k]) : NULL);
    }
    m.optimizer = (char *)(uintptr_t)planner_spec(o->planner);
    m.seq = of->in.seq;
    m.steps = list;
    m.n_steps = steps && list ? all : 0;
    for (size_t i = 0; i < o->naskers; i++)
        conn_send(o->askers[i], MESSAGE_PLAN, &m);
    snprintf(text, sizeof(text), "%u step%s planned%s%s", plan->nsteps,
             plan->nsteps == 1 ? "" : "s", *odd ? "; some were refused: " : "",
             odd);
    answer(o, true, text);
    free(steps);
    free(list);
}

void optimize_forget(struct optimize *o, const struct conn *asker)
{
    for (size_t i = o->naskers; i-- > 0; )
        if (o->askers[i] == asker)
            o->askers[i] = o->askers[--o->naskers];
}

/* ----------------------------------------------------------------- the plan */

static struct job *job_of(const struct optimize *o, const struct hct_system *in,
                          uint32_t work)
{
    return jobs_find(o->parts.by.jobs, hct_work(in, work)->id);
}

static struct node *node_at(const struct optimize *o, uint32_t host)
{
    return host < o->asked.in.nhosts ? o->asked.nodes[host] : NULL;
}

/* All of its tasks are placed, or none: checked.h. Returns what is in the way, or
 * NULL. */
static const char *aim(struct optimize *o, const struct hct_system *in,
                       const struct hct_plan_step *s)
{
    struct job *j = job_of(o, in, s->work);
    struct course *c = j ? j->course : NULL;

    if (!c)
        return "the job is over";
    if (c->placing != COURSE_ASKED)
        return "it came too late, the job was placed without it";
    if (!c->aims)
        c->aims = calloc(j->ntasks + 1, sizeof(struct node *));
    if (!c->aims)
        return "no memory";
    c->aims[hct_seat(in, s->seat)->rank] = node_at(o, s->host);
    return NULL;
}

static void take_step(struct optimize *o, struct conduct_step *s, bool busy)
{
    const struct hct_system *in = &s->of->in;
    uint32_t from = s->step->seat < in->nseats
                    ? hct_seat(in, s->step->seat)->host : HCT_NOWHERE;

    if (s->step->kind == HCT_PLAN_PLACE) {
        s->error = aim(o, in, s->step);
        s->state = s->error ? "dropped" : "done";
        conduct_record(o->conduct, s);
        s->error = NULL;
    } else if (!busy) {
        s->state = "planned";
        conduct_add(o->conduct, s, node_at(o, from), node_at(o, s->step->host));
    }
}

static void record_refused(struct optimize *o, struct conduct_step *s,
                           const struct checked *plan)
{
    s->state = "refused";
    for (uint32_t i = 0; i < plan->nrefused; i++) {
        s->step = &plan->bad[i];
        s->error = checked_reason(plan->bad_why[i]);
        s->number = plan->nsteps + i + 1;
        conduct_record(o->conduct, s);
    }
}

static void record_system(const struct optimize *o,
                          const struct systembytes *shown)
{
    struct str bytes = { 0 };
    struct store_system row = { .at_ns = shown->in.now_ns,
                                .seq = shown->in.seq,
                                .optimizer = planner_spec(o->planner) };

    systembytes_pack(&bytes, &shown->in, shown->names);
    row.data = (struct row_bytes){ str_text(&bytes), bytes.n };
    if (!str_failed(&bytes))
        journal_system(o->parts.acts->journal, &row);
    str_fini(&bytes);
}

static void arm(struct optimize *o, uint64_t delay_ns)
{
    if (on(o))
        timer_set(o->timer, delay_ns);
}

/* Soon, where there is news, but not more than one plan a second: what has begun
 * needs some time until it can be seen what it does. While steps are being done
 * none is made. */
static void arm_next(struct optimize *o)
{
    uint64_t now_ns = mono(), at_ns = now_ns;

    if (!o->news || conduct_busy(o->conduct)) {
        arm(o, o->parts.conf.period_ns);
        return;
    }
    if (o->planned_ns && o->planned_ns + again_ns > now_ns)
        at_ns = o->planned_ns + again_ns;
    arm(o, at_ns - now_ns + first_ns);
}

static bool is_shown(const struct systembytes *shown, const struct job *j)
{
    for (uint32_t i = 0; i < shown->in.nworks; i++)
        if (hct_work(&shown->in, i)->id == j->id)
            return true;
    return false;
}

/* Those that have waited are placed, as the plan has it or without; who came after
 * the system had been made waits for the next plan, and that is returned. NULL:
 * there is no plan for any. */
static bool place_all(struct optimize *o, const struct systembytes *shown)
{
    struct job *next;
    bool more = false;

    for (struct job *j = jobs_next(o->parts.by.jobs, NULL); j; j = next) {
        next = jobs_next(o->parts.by.jobs, j);
        if (!j->course || j->course->placing != COURSE_ASKED)
            continue;
        if (shown && !is_shown(shown, j)) {
            more = true;
            continue;
        }
        j->course->placing = COURSE_ANSWERED;
        o->parts.place(j);
    }
    return more;
}

static void on_planned(void *arg, const struct systembytes *shown,
                       const struct checked *plan, const char *odd)
{
    struct optimize *o = arg;
    struct conduct_step s = { .optimizer = planner_name(o->planner),
                              .of = shown };
    bool busy = conduct_busy(o->conduct);

    o->asking = false;
    log_debug("optimize", "plan %llu of %s: %u nodes, %u jobs, %u tasks: %u steps, "
              "%u refused", (unsigned long long)shown->in.seq, s.optimizer,
              shown->in.nhosts, shown->in.nworks, shown->in.nseats,
              plan->nsteps, plan->nrefused);
    if (plan->nsteps || plan->nrefused)
        record_system(o, shown);
    for (uint32_t i = 0; i < plan->nsteps; i++) {
        s.step = &plan->steps[i];
        s.number = i + 1;
        take_step(o, &s, busy);
    }
    record_refused(o, &s, plan);
    if (*odd)
        log_warn("optimize", "%s: %s", planner_name(o->planner), odd);
    if (o->naskers)
        show_plan(o, shown, plan, odd);
    o->news |= busy && plan->nsteps;
    if (place_all(o, shown))
        arm(o, 0);
    else
        arm_next(o);
    survey_fini(&o->asked);
}

/* Again in a second, if some wait for their nodes. */
static void resume_orphans(struct optimize *o)
{
    if (!o->orphans)
        return;
    o->orphans = conduct_resume_orphans(o->conduct, !on(o));
    if (o->orphans && !on(o))
        timer_set(o->timer, again_ns);
}

/* What is over for good is said to all who will wonder. */
static void on_lost(void *arg, const char *why, bool off)
{
    struct optimize *o = arg;
    char text[300];

    o->asking = false;
    snprintf(text, sizeof(text), "the optimizer %s %s: %.200s",
             planner_name(o->planner), off ? "is switched off" : "was lost",
             why);
    log_warn("optimize", "%s", text);
    answer(o, false, text);
    place_all(o, NULL);
    survey_fini(&o->asked);
    arm(o, o->parts.conf.period_ns);
    o->orphans |= off;
    resume_orphans(o);
}

static const struct planner_ops planner_ops = {
    .planned = on_planned, .lost = on_lost };

/* ------------------------------------------------------------------- asking */

static int ask(struct optimize *o, struct err *err)
{
    struct str bytes = { 0 };
    int rc;

    if (survey_take(&o->asked, &o->parts.by, o->seq + 1, mono(), err))
        return -1;
    systembytes_pack(&bytes, &o->asked.in, o->asked.names);
    rc = str_failed(&bytes) ? err_memory(err) : 0;
    o->asking = rc == 0;
    o->news = false;
    if (rc == 0)
        rc = planner_ask(o->planner, str_text(&bytes), bytes.n, err);
    str_fini(&bytes);
    o->planned_ns = mono();
    if (rc == 0) {
        o->seq++;
        return 0;
    }
    o->asking = false;
    survey_fini(&o->asked);
    return -1;
}

static bool anything(const struct optimize *o)
{
    return o->naskers || jobs_next(o->parts.by.jobs, NULL);
}

/* A process that is not there just now costs the plans until it is. */
static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct optimize *o = arg;
    struct err err;

    (void)fd, (void)what;
    resume_orphans(o);
    if (!on(o) || o->asking || !anything(o))
        return;
    if (ask(o, &err) == 0)
        return;
    log_debug("optimize", "no plan: %s", err.text);
    if (o->asking)
        return;
    answer(o, false, err.text);
    place_all(o, NULL);
    arm(o, o->parts.conf.period_ns);
}

void optimize_news(struct optimize *o)
{
    if (!o || !on(o))
        return;
    o->news = true;
    if (!o->asking)
        arm_next(o);
}

/* Also of what has come while steps were done. */
static void on_idle(void *arg)
{
    struct optimize *o = arg;

    if (on(o) && !o->asking)
        arm_next(o);
}

bool optimize_holds(struct optimize *o, struct job *j, uint64_t *wait_ns)
{
    struct course *c;

    *wait_ns = 0;
    if (!on(o) || j->nnodes || j->attempt || !j->ntasks || !j->ops->ours ||
        j->inherited || !o->parts.open(j) || !(c = course_of(j)) ||
        c->placing == COURSE_ANSWERED)
        return false;
    if (c->placing == COURSE_ASKED) {
        uint64_t until_ns = c->asked_ns + o->parts.conf.wait_ns;
        uint64_t now_ns = mono();

        if (now_ns < until_ns) {        /* timers may come a little early */
            *wait_ns = until_ns - now_ns + CLOCK_NS_PER_MS;
            return true;
        }
        c->placing = COURSE_ANSWERED;
        return false;
    }
    c->placing = COURSE_ASKED;
    c->asked_ns = mono();
    *wait_ns = o->parts.conf.wait_ns;
    if (!o->asking)
        timer_set(o->timer, 0);
    return true;
}

void optimize_ordered(struct job *j, const struct act_order *o)
{
    if (j->course && (o->act == ACT_SUSPEND || o->act == ACT_RESUME))
        j->course->suspended = false;
}

void optimize_recall(struct optimize *o, struct job *j, const char *optimizer)
{
    struct course *c = course_of(j);

    if (!c)
        return;
    c->suspended = true;
    c->orphan = !o->planner || strcmp(planner_name(o->planner), optimizer) != 0;
    o->orphans |= c->orphan;
    log_info("optimize", "suspended by optimizer %s, %s job=%llu", optimizer,
             c->orphan ? "which is not there any more: it is resumed"
                       : "which goes on seeing to it",
             (unsigned long long)j->id);
    if (c->orphan)
        timer_set(o->timer, again_ns);
}

void optimize_committed(struct optimize *o)
{
    conduct_committed(o->conduct);
}

void optimize_move_ended(struct optimize *o, struct job *j, bool ok,
                         const char *text)
{
    conduct_move_ended(o->conduct, j, ok, text);
}

void optimize_job_gone(struct optimize *o, const struct job *j)
{
    conduct_job_gone(o->conduct, j);
    optimize_news(o);
}

/* ------------------------------------------------------------------- orders */

/* The system alone: who asks has an optimizer of his own. */
static int tell_system(struct optimize *o, struct conn *asker, struct err *err)
{
    Hct__System m = HCT__SYSTEM__INIT;
    Hct__Result r = HCT__RESULT__INIT;
    struct str bytes = { 0 };
    struct survey s;
    int rc;

    if (survey_take(&s, &o->parts.by, o->seq + 1, mono(), err))
        return -1;
    systembytes_pack(&bytes, &s.in, s.names);
    survey_fini(&s);
    m.optimizer = (char *)(uintptr_t)(o->planner ? planner_spec(o->planner)
                                                 : "");
    m.system.data = (uint8_t *)(uintptr_t)str_text(&bytes);
    m.system.len = bytes.n;
    rc = str_failed(&bytes) ? err_memory(err) : 0;
    if (rc == 0) {
        conn_send(asker, MESSAGE_SYSTEM, &m);
        r.ok = true;
        r.text = (char *)(uintptr_t)"";
        conn_send(asker, MESSAGE_RESULT, &r);
    }
    str_fini(&bytes);
    return rc;
}

int optimize_order(struct optimize *o, struct conn *asker,
                   const Hct__Optimize *m, struct err *err)
{
    if (m->dry_run)
        return tell_system(o, asker, err);
    if (!o->planner)
        return err_set(err, ENOENT, "this master has no optimizer: it is "
                       "started with --optimizer NAME");
    if (planner_off(o->planner))
        return err_set(err, ECANCELED, "the optimizer %s is switched off",
                       planner_name(o->planner));
    if (conduct_busy(o->conduct))
        return err_set(err, EBUSY, "what was planned last is being done");
    if (array_reserve(&o->askers, &o->askers_cap, o->naskers + 1))
        return err_memory(err);
    o->askers[o->naskers++] = asker;
    if (!o->asking)
        timer_set(o->timer, 0);
    return 0;
}

/* --------------------------------------------------------------------- life */

struct optimize *optimize_create(const struct optimize_parts *parts)
{
    const struct conduct_parts conduct = {
        .jobs = parts->by.jobs, .movers = parts->movers, .acts = parts->acts,
        .instance = parts->instance, .idle = on_idle };
    struct optimize *o = calloc(1, sizeof(*o));
    struct conduct_parts c = conduct;
    struct err err = { 0 };

    if (!o)
        return NULL;
    o->parts = *parts;
    c.arg = o;
    o->timer = evtimer_new(parts->base, on_timer, o);
    o->conduct = conduct_create(&c);
    if (parts->conf.spec && *parts->conf.spec)
        o->planner = planner_create(parts->judges, parts->conf.spec,
                                    &parts->judge, &planner_ops, o, &err);
    if (err.code)
        log_warn("optimize", "%s: jobs are placed without an optimizer",
                 err.text);
    if (o->timer && o->conduct)
        return o;
    optimize_destroy(o);
    return NULL;
}

void optimize_destroy(struct optimize *o)
{
    if (!o)
        return;
    planner_destroy(o->planner);
    conduct_destroy(o->conduct);
    survey_fini(&o->asked);
    timer_free(o->timer);
    free(o->askers);
    free(o);
}
