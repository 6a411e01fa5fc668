/* ladder.c - who hears of deadlines, and when something is done; see ladder.h.
 *
 * Invariants. A step is proposed only where none of the same job is under way,
 * and only in a handler of an event, never in that of a commit: what is found
 * stored there has been committed. A job that is not in the table of jobs, or
 * ends, has no steps that stand, neither for it nor done to it, by the next
 * tick. */
#include "master/ladder/ladder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/act/hands.h"
#include "master/ladder/climbtext.h"
#include "master/ladder/ladder_private.h"
#include "master/ladder/rungrow.h"
#include "master/store/journal.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

static const uint64_t ladder_tick_ns = 100 * CLOCK_NS_PER_MS,
                      ladder_calm_ns =
                          250 *
                          CLOCK_NS_PER_MS, /* between looks where all is good */
    ladder_wait_ns = 200 * CLOCK_NS_PER_MS, /* for answers */
    ladder_settle_ns = 2 * CLOCK_NS_PER_S;  /* for what a step brings */
static const double pressure_weight = 0.1;      /* of a tick */
enum { SETTLE = 3, /* turns of instances that show it */
       BLIND = 10 };            /* answers that do not tell how it fares */

static unsigned long long ladder_id(const struct job *j)
{
    return j->id;
}

static void wake(struct ladder *l)
{
    if (!event_pending(l->timer, EV_TIMEOUT, NULL))
        timer_set(l->timer, ladder_tick_ns);
}

/* ----------------------------------------------------------------- climbers */

static bool acts(const struct job *j)
{
    return j->acts_on_due && j->state == JOB_RUNNING;
}

static struct climber *find_climber(const struct ladder *l, uint64_t job)
{
    struct climber *c;

    LIST_FOREACH(c, &l->climbers, place)
        if (c->job == job)
            return c;
    return NULL;
}

static struct climber *climber_of(struct ladder *l, const struct job *j)
{
    struct climber *c = find_climber(l, j->id);

    if (c || !(c = calloc(1, sizeof(*c))))
        return c;
    c->job = j->id;
    c->nsteps = j->rungs;
    LIST_INSERT_HEAD(&l->climbers, c, place);
    wake(l);
    return c;
}

/* How many instances there are in one turn of the program. */
static uint32_t each_of(const struct job *j, const struct due *d)
{
    if (d->kind == DUE_SPAN || d->kind == DUE_END)
        return 1;
    return d->some ? (uint32_t)taskset_count(&d->ranks) : j->ntasks;
}

/* NULL: nothing is due by that number. */
static struct pace *pace_of(struct ladder *l, struct job *j, uint32_t number)
{
    const struct due *d = number >= 1 && number <= PACES
                          ? l->parts.due(j, number) : NULL;
    struct pace *p = d ? job_pace(j, number) : NULL;

    if (p && !p->each) {
        p->each = each_of(j, d);
        p->want = d->margin;
    }
    return p;
}

/* ----------------------------------------------------------- the next step */

static bool under_way(const struct ladder *l, const struct climber *c)
{
    const struct rung_taken *r;

    TAILQ_FOREACH(r, &l->rungs, place)
        if (r->job == c->job && !rung_final(r->state) && r->state != RUNG_DONE)
            return true;
    return false;
}

/* What the last one has brought is not seen yet. */
static bool settles(const struct ladder *l, const struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns();
    const struct rung_taken *r;

    TAILQ_FOREACH(r, &l->rungs, place) {
        const struct pace *p = &j->paces[r->deadline - 1];

        if (r->job == j->id && r->state == RUNG_DONE &&
            p->instances < r->instances + SETTLE * (uint64_t)p->each &&
            now_ns < r->since_ns + ladder_settle_ns)
            return true;
    }
    return false;
}

static int add_ranks_on(struct taskset *set, struct job *j,
                        const struct node *n)
{
    const struct job_node *jn = job_node_find(j, n);

    for (int64_t r = -1; jn && (r = taskset_next(&jn->ranks, r)) >= 0; )
        if (!task_state_final(j->tasks[r].state) &&
            taskset_add(set, (uint32_t)r, (uint32_t)r))
            return -1;
    return 0;
}

/* What it was decided from: of a machine of a usual size. */
enum { SEEN_BYTES = 1 << 18 };

/* Of that step; back: that it is taken back. Both texts are given up. */
static void record(struct ladder *l, const struct rung_taken *r, bool back,
                   struct str *seen, struct str *line)
{
    struct store_climb row = {
        .job = r->job, .number = r->number, .back = back,
        .at_ns = clock_wall_ns(), .detail = str_text(line),
        .seen = str_failed(seen) || seen->n > SEEN_BYTES ? NULL
                                                         : str_text(seen) };

    journal_climb(l->parts.acts->journal, &row);
    str_fini(seen);
    str_fini(line);
}

static void record_up(struct ladder *l, const struct rung_taken *r,
                      const struct climb_in *in, const struct climb_step *s)
{
    struct str seen = { 0 }, line = { 0 };

    climbtext_up(&seen, in);
    climbtext_step(&line, r->number, in, s);
    record(l, r, false, &seen, &line);
}

static bool any_stands(const struct ladder *l, const struct climber *c)
{
    const struct rung_taken *r;

    TAILQ_FOREACH(r, &l->rungs, place)
        if (r->job == c->job && r->state == RUNG_DONE)
            return true;
    return false;
}

static void propose(struct ladder *l, struct climber *c, struct job *j,
                    const struct pace *p, const struct due *due,
                    const struct ladder_sight *sight,
                    const struct climb_step *s)
{
    struct rung_taken *r = calloc(1, sizeof(*r));
    struct job *target = sight->of[s->job];

    if (!r || !(r->due = strdup(due->text))) {
        free(r);
        return;
    }
    r->job = j->id;
    r->number = ++c->nsteps;
    j->rungs = c->nsteps;
    r->deadline = due->number;
    r->kind = s->kind;
    r->target = target->id;
    if (s->kind == CLIMB_LEAVE || s->kind == CLIMB_FASTER) {
        r->node = l->parts.nodes->v[s->node];
        r->to = l->parts.nodes->v[s->to];
        if (add_ranks_on(&r->ranks, target, r->node)) {
            rung_free(r);
            return;
        }
    }
    r->margin = p->margin;
    r->chance = p->chance;
    r->gain = s->gain;
    r->brought = NAN;
    r->pressure = climb_pressure(&sight->in);
    if (!any_stands(l, c))
        c->pressure = r->pressure;
    r->at_ns = clock_wall_ns();
    snprintf(r->why, sizeof(r->why), "%s", s->why);
    TAILQ_INSERT_TAIL(&l->rungs, r, place);
    record_up(l, r, &sight->in, s);
    rung_step(l, r, RUNG_EVENT_STORE, NULL);
    log_info("ladder", "%s job=%llu for=%llu %s: %s", climb_name(r->kind),
             ladder_id(target), ladder_id(j), due->text, r->why);
}

/* What its tasks want, and get, has been measured on all nodes; or nobody says. */
static bool knows(struct climber *c, const struct climb_in *in)
{
    for (size_t i = 0; i < in->nshares; i++)
        if (in->shares[i].job == in->job && in->shares[i].wanted < 0)
            return ++c->blind >= BLIND;
    return true;
}

/* If it is never said where others may run, that is everywhere. */
static bool knows_others(struct climber *c, const struct climb_in *in)
{
    c->strange = climb_knows(in) ? 0 : c->strange + 1;
    return c->strange == 0 || c->strange >= BLIND;
}

/* Once in a stretch that is not good. */
static void say_none(struct ladder *l, struct climber *c, const struct job *j,
                     const struct due *due, const char *why)
{
    if (c->told_none)
        return;
    c->told_none = true;
    log_info("ladder", "nothing is done job=%llu: %s", ladder_id(j), why);
    l->parts.acts->ops->notice(
        j, false, "deadline %s: nothing is done about it: %s", due->text, why);
}

static void decide(struct ladder *l, struct climber *c)
{
    struct job *j = jobs_find(l->parts.jobs, c->job);
    const struct pace *p;
    const struct due *due;
    struct ladder_sight sight;
    struct climb_step s;
    uint32_t number;

    c->asks = 0;
    if (!j || !acts(j) || !(p = ladder_worst(j, &number)) ||
        !(due = l->parts.due(j, number)) || under_way(l, c) || settles(l, j))
        return;
    if (ladder_look(l, c, p, due, &sight) && knows_others(c, &sight.in)) {
        if (climb_up(&sight.in, &s))
            propose(l, c, j, p, due, &sight, &s);
        else if (p->stage > PACE_WARY && knows(c, &sight.in))
            say_none(l, c, j, due, s.why);
    }
    ladder_free(&sight);
}

/* ------------------------------------------------------------- and undoing */

enum { STANDING = 64 };

static bool may_undo(const struct job *j)
{
    for (size_t i = 0; j->paces && i < PACES; i++)
        if (j->paces[i].each && !pace_may_undo(&j->paces[i]))
            return false;
    return true;
}

/* As long as nothing is late nor declines for certain, others stand for no longer
 * than they may. */
static bool is_firm(const struct ladder *l, const struct job *j,
                    uint32_t deadline)
{
    const struct due *d = l->parts.due(j, deadline);

    return d && d->firm && j->paces &&
           j->paces[deadline - 1].stage != PACE_WARY;
}

static void gave_back(struct job *j)
{
    for (size_t i = 0; j->paces && i < PACES; i++)
        if (j->paces[i].each)
            pace_gave_back(&j->paces[i]);
}

/* What others want comes in answers that are about short times: the last second
 * or two count. For a step those after it. */
static double pressure(struct ladder *l, struct climber *c)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct ladder_sight sight;
    struct rung_taken *r;

    if (ladder_look(l, c, NULL, NULL, &sight))
        c->pressure += pressure_weight *
                       (climb_pressure(&sight.in) - c->pressure);
    ladder_free(&sight);
    TAILQ_FOREACH(r, &l->rungs, place)
        if (r->job == c->job && r->state == RUNG_DONE &&
            now_ns - r->since_ns < LADDER_DWELL_NS)
            r->pressure = c->pressure;
    return c->pressure;
}

static void step_down(struct ladder *l, struct climber *c, struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct climb_stand v[STANDING];
    struct rung_taken *of[STANDING], *r;
    struct climb_mood mood = { .may_undo = may_undo(j),
                               .dwell_s = (double)LADDER_DWELL_NS / 1e9 };
    enum climb_down down;
    size_t n = 0, which = 0;

    if (!any_stands(l, c))
        return;
    mood.pressure = pressure(l, c);
    TAILQ_FOREACH(r, &l->rungs, place) {
        struct job *target = jobs_find(l->parts.jobs, r->target);

        if (r->job != c->job || r->state != RUNG_DONE || n == STANDING ||
            !target)
            continue;
        mood.firm |= is_firm(l, j, r->deadline);
        v[n] = (struct climb_stand){.number = r->number, .kind = r->kind,
                                    .pressure = r->pressure,
                                    .stood_s =
                                        (double)(now_ns - r->since_ns) / 1e9,
                                    .may_s = ladder_may_s(l, target)};
        of[n++] = r;
    }
    down = climb_down(v, n, &mood, &which);
    if (down != CLIMB_STAY) {
        struct str seen = { 0 }, line = { 0 };

        climbtext_down(&seen, j->id, v, n, &mood);
        climbtext_back(&line, j->id, of[which]->number, down);
        record(l, of[which], true, &seen, &line);
    }
    if (down == CLIMB_GOOD)
        gave_back(j);
    if (down != CLIMB_STAY)
        rung_undo(l, of[which], down == CLIMB_GOOD
                  ? "the margin is good again"
                  : "it has stood for as long as its --max-suspend allows");
}

/* Afterwards: what was it good for? */
static void note_brought(struct ladder *l, const struct job *j)
{
    struct rung_taken *r;

    if (!j->paces)
        return;
    TAILQ_FOREACH(r, &l->rungs, place) {
        const struct pace *p = &j->paces[r->deadline - 1];

        if (r->job == j->id && r->state == RUNG_DONE && isnan(r->brought) &&
            p->instances >= r->instances + SETTLE * (uint64_t)p->each) {
            r->brought = p->margin;
            rung_note(l, r);
        }
    }
}

/* --------------------------------------------------------------- the clock */

static bool has_gone(const struct ladder *l, uint64_t job, bool target)
{
    const struct job *j = jobs_find(l->parts.jobs, job);

    return !j || job_state_final(j->state) || j->state == JOB_ENDING ||
           (!target && !acts(j));
}

static void tick_rung(struct ladder *l, struct rung_taken *r)
{
    if (rung_final(r->state)) {
        if (clock_monotonic_ns() - r->since_ns > LADDER_DWELL_NS) {
            TAILQ_REMOVE(&l->rungs, r, place);
            rung_free(r);
        }
        return;
    }
    if (has_gone(l, r->target, true))
        rung_over(l, r, "it has ended");
    else if (r->recalled && rung_stands(r->state))
        rung_undo(l, r, "hector-master was started again");
    else if (has_gone(l, r->job, false) && rung_stands(r->state))
        rung_undo(l, r, "the job it was for has ended");
    else if (has_gone(l, r->job, false) && r->state == RUNG_STORED)
        rung_step(l, r, RUNG_EVENT_OVER, "the job it was for has ended");
    else
        rung_watch(l, r);
}

/* Deadlines that have been taken back. */
static void forget_over(struct ladder *l, struct job *j)
{
    for (uint32_t i = 0; j->paces && i < PACES; i++)
        if (j->paces[i].each && !l->parts.due(j, i + 1))
            j->paces[i] = (struct pace){ 0 };
}

static void tick_climber(struct ladder *l, struct climber *c)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct job *j = jobs_find(l->parts.jobs, c->job);
    uint32_t number;
    bool bad;

    if (!j || !acts(j)) {
        LIST_REMOVE(c, place);
        free(c);
        return;
    }
    forget_over(l, j);
    bad = ladder_worst(j, &number) != NULL;
    c->told_none &= bad;
    c->blind = bad ? c->blind : 0;
    note_brought(l, j);
    step_down(l, c, j);
    if (c->asks && now_ns - c->asked_ns >= ladder_wait_ns)
        decide(l, c);
    else if (!c->asks && now_ns - c->asked_ns >= (bad ? ladder_tick_ns
                                                      : ladder_calm_ns))
        ladder_ask(l, c);
}

static void forget_gone(struct ladder *l)
{
    struct patience *p, *nextp;
    struct seen_fare *f, *nextf;

    for (p = LIST_FIRST(&l->patience); p; p = nextp) {
        nextp = LIST_NEXT(p, place);
        if (!jobs_find(l->parts.jobs, p->job)) {
            LIST_REMOVE(p, place);
            free(p);
        }
    }
    for (f = LIST_FIRST(&l->fares); f; f = nextf) {
        nextf = LIST_NEXT(f, place);
        if (!jobs_find(l->parts.jobs, f->job)) {
            LIST_REMOVE(f, place);
            free(f);
        }
    }
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct ladder *l = arg;
    struct rung_taken *r, *nextr;
    struct climber *c, *nextc;

    (void)fd, (void)what;
    for (r = TAILQ_FIRST(&l->rungs); r; r = nextr) {
        nextr = TAILQ_NEXT(r, place);
        tick_rung(l, r);
    }
    for (c = LIST_FIRST(&l->climbers); c; c = nextc) {
        nextc = LIST_NEXT(c, place);
        tick_climber(l, c);
    }
    forget_gone(l);
    if (!TAILQ_EMPTY(&l->rungs) || !LIST_EMPTY(&l->climbers))
        wake(l);
}

/* ------------------------------------------------------------ who hears it */

void ladder_instances(struct ladder *l, struct job *j,
                      const struct hct_instance *v, uint32_t n)
{
    struct climber *c = l && acts(j) ? climber_of(l, j) : NULL;
    bool worse = false;

    for (uint32_t i = 0; l && i < n; i++) {
        struct pace *p = pace_of(l, j, v[i].deadline);
        double had = (double)(v[i].due_ns - v[i].release_ns);
        double left = v[i].open || had <= 0 ? NAN
                      : fmin(1, (double)(v[i].due_ns - v[i].done_ns) / had);

        if (p)
            worse |= pace_instance(p, left, v[i].late, v[i].chance);
    }
    if (worse && c)
        ladder_ask(l, c);
}

void ladder_verdict(struct ladder *l, struct job *j,
                    const struct hct_verdict *v)
{
    struct pace *p = l && v->kind == HCT_DEADLINE && v->deadline
                     ? pace_of(l, j, v->deadline) : NULL;
    struct climber *c = p && acts(j) ? climber_of(l, j) : NULL;

    if (!p)
        return;
    if (v->what == HCT_DEADLINE_MET_AGAIN)
        pace_met_again(p);
    if (v->what == HCT_DEADLINE_DECLINING && pace_declines(p) && c)
        ladder_ask(l, c);
}

int ladder_yielded(struct ladder *l, struct job *j, struct job_node *on,
                   const Hct__Yielded *m, struct err *err)
{
    struct fare *f = ladder_fare(l, j->id, on->node, true);
    struct rung_taken *r;
    struct climber *c;

    if (!f)
        return 0;
    if (fare_take(f, m, ladder_holds(l, j->id), clock_monotonic_ns(), err))
        return -1;
    TAILQ_FOREACH(r, &l->rungs, place)
        if (r->target == j->id && *m->why && r->state == RUNG_DOING)
            snprintf(r->result, sizeof(r->result), "%.150s", m->why);
    LIST_FOREACH(c, &l->climbers, place)
        if (c->serial == m->serial && c->asks && --c->asks == 0)
            break;
    if (c)
        decide(l, c);
    return 0;
}

void ladder_node_back(struct ladder *l, struct job *j, struct job_node *on)
{
    const struct rung_taken *r;

    TAILQ_FOREACH(r, &l->rungs, place)
        if (r->target == j->id) {
            rung_tell(l, j, on);
            return;
        }
}

void ladder_ordered(struct ladder *l, struct job *j, const struct act_order *o)
{
    struct rung_taken *r;

    if (o->act != ACT_SUSPEND && o->act != ACT_RESUME)
        return;
    TAILQ_FOREACH(r, &l->rungs, place)
    if (r->target == j->id && r->kind == CLIMB_SUSPEND && !rung_final(r->state))
        rung_over(l, r,
                  o->act == ACT_SUSPEND ? "a person has suspended it"
                                        : "a person has resumed it");
}

void ladder_committed(struct ladder *l)
{
    struct rung_taken *r, *next;

    for (r = TAILQ_FIRST(&l->rungs); r; r = next) {
        next = TAILQ_NEXT(r, place);
        if (r->state == RUNG_STORED)
            rung_order(l, r);
    }
}

/* All but its state, of a row that makes sense. NULL: no memory. */
static struct rung_taken *rung_again(const struct store_rung *row,
                                     const struct rungrow *is)
{
    struct rung_taken *r = calloc(1, sizeof(*r));

    if (!r || !(r->due = strndup(row->deadline ? row->deadline : "",
                                 DUE_TEXT_MAX))) {
        free(r);
        return NULL;
    }
    r->job = row->job;
    r->number = row->number;
    r->deadline = is->deadline;
    r->kind = is->kind;
    r->state = is->state;
    r->target = row->target;
    r->margin = row->margin;
    r->chance = row->chance;
    r->gain = row->gain;
    r->brought = row->brought != 0 ? row->brought : NAN;        /* 0: NULL */
    r->at_ns = row->at_ns;
    r->done_ns = row->done_ns;
    r->since_ns = clock_monotonic_ns();
    r->recalled = true;
    if (row->node)
        r->was = strdup(row->node);
    if (row->to_node)
        r->was_to = strdup(row->to_node);
    snprintf(r->why, sizeof(r->why), "%s", row->why ? row->why : "");
    return r;
}

/* It is of this master from now on: if this one is killed before it takes it back, the
 * next one has to find it. */
void ladder_recall(struct ladder *l, const struct store_rung *row)
{
    struct rung_taken *r;
    struct rungrow is;
    struct err err;

    if (rungrow_read(&is, row, jobs_find(l->parts.jobs, row->job),
                     jobs_find(l->parts.jobs, row->target), &err)) {
        log_warn("ladder", "step %" PRIu32 " is not taken up, as %s job=%" PRIu64,
                 row->number, err.text, row->job);
        return;
    }
    if (*is.odd)
        log_warn("ladder", "step %" PRIu32 " is taken back, but its record has "
                 "%s job=%" PRIu64, row->number, is.odd, row->job);
    if (!(r = rung_again(row, &is)))
        return;
    TAILQ_INSERT_TAIL(&l->rungs, r, place);
    if (r->state == RUNG_UNDOING)
        r->state = RUNG_DONE;   /* that is ordered again */
    if (r->state == RUNG_STORED)
        rung_step(l, r, RUNG_EVENT_OVER,
                  "hector-master ended before it was done");
    else
        rung_note(l, r);
    wake(l);
}

/* ---------------------------------------------------------------- the rest */

static bool names_deadline(const char *spec)
{
    return strncmp(spec, "deadline", strlen("deadline")) == 0 &&
           strchr(":", spec[strlen("deadline")]);
}

/* An adopted job's tasks can give way, and others for them. */
int ladder_check(const Hct__Submit *s, struct err *err)
{
    bool any = s->n_deadlines > 0;

    if (*s->on_deadline && strcmp(s->on_deadline, "report") != 0 &&
        strcmp(s->on_deadline, "act") != 0)
        return err_set(err, EINVAL,
                       "--on-deadline %.20s: report or act is wanted",
                       s->on_deadline);
    if (s->max_suspend > 101)
        return err_set(err, EINVAL,
                       "--max-suspend %u is more than all of the time",
                       s->max_suspend - 1);
    for (size_t i = 0; i < s->n_policies && !any; i++)
        any = names_deadline(s->policies[i]);
    if (strcmp(s->on_deadline, "act") == 0 && !any)
        return err_set(err, EINVAL,
                       "--on-deadline act: nothing is due in this job "
                       "(--deadline, --calendar)");
    return 0;
}

struct ladder *ladder_create(const struct ladder_parts *parts)
{
    struct ladder *l = calloc(1, sizeof(*l));

    if (l)
        l->timer = evtimer_new(parts->base, on_tick, l);
    if (!l || !l->timer) {
        free(l);
        return NULL;
    }
    l->parts = *parts;
    TAILQ_INIT(&l->rungs);
    return l;
}

void ladder_destroy(struct ladder *l)
{
    struct rung_taken *r;
    struct climber *c;
    struct patience *p;
    struct seen_fare *f;

    if (!l)
        return;
    while ((r = TAILQ_FIRST(&l->rungs))) {
        TAILQ_REMOVE(&l->rungs, r, place);
        rung_free(r);
    }
    while ((c = LIST_FIRST(&l->climbers))) {
        LIST_REMOVE(c, place);
        free(c);
    }
    while ((p = LIST_FIRST(&l->patience))) {
        LIST_REMOVE(p, place);
        free(p);
    }
    while ((f = LIST_FIRST(&l->fares))) {
        LIST_REMOVE(f, place);
        free(f);
    }
    timer_free(l->timer);
    free(l);
}
