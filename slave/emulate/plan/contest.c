/* contest.c - see contest.h.
 *
 * A job goes as fast as its slowest task, and stands while one of them moves;
 * traffic between nodes takes time of it. Processors are shared evenly. The
 * optimizer is asked when jobs have come, no more than once a second, and each
 * ten seconds. Of its plan jobs are started at once, and moves are done one at
 * a time, as a master does them, until there is another plan. */
#include "slave/emulate/plan/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/clock.h"

#define MESSAGE_S 1e-9          /* a byte between nodes */
#define MOVE_S 1.0
#define MOVE_BYTES_S 1e8
#define PERIOD_S 10.0
#define AGAIN_S 1.0
#define LONGEST_S 1e8           /* nobody waits for the end of time */

struct run {                    /* a job that has arrived and not ended */
    uint32_t job;               /* of the fleet */
    double done_s;              /* by each task, on a processor of speed 1 */
    double speed;               /* now */
    bool placed, suspended;
};

struct world {
    const struct fleet *f;      /* borrowed */
    struct optimizer *o;        /* borrowed */
    struct contest *c;          /* borrowed */
    double now_s, planned_s;
    bool news;                  /* jobs have come since the last plan */
    uint32_t arrived;
    struct run *runs;           /* owned, like the rest */
    uint32_t nruns;
    uint32_t *at;               /* host of each task of the fleet */
    double *demand;             /* of each host, in processors */
    struct hct_plan_step *queue;        /* moves of the last plan, by ids: */
    uint32_t nqueue, next;      /* seat is the fleet's number, work the job's */
    double moved_s;             /* end of the move that is under way */
    uint32_t moving;            /* job; HCT_NOWHERE: none */
    struct hct_host *hosts;
    struct hct_work *works;
    struct hct_seat *seats;
    struct hct_traffic *traffic;
    uint64_t *times_ns;
    size_t ntimes, times_cap;
    double slow;                /* sum */
};

/* ------------------------------------------------------------------- speeds */

static const struct fleet_job *job_of(const struct world *w,
                                      const struct run *r)
{
    return &w->f->jobs[r->job];
}

static double rate(const struct world *w, uint32_t host)
{
    const struct hct_host *h = &w->f->hosts[host];
    double all = w->demand[host] + fleet_load(w->f, host, w->now_s);

    return all > h->slots ? h->speed * h->slots / all : h->speed;
}

static double speed_of(const struct world *w, const struct run *r)
{
    const struct fleet_job *j = job_of(w, r);
    double slowest = INFINITY, crossing = 0;

    if (!r->placed || r->suspended || r->job == w->moving)
        return 0;
    for (uint32_t k = 0; k < j->as.ntasks; k++) {
        uint32_t host = w->at[j->as.first + k];

        slowest = fmin(slowest, rate(w, host));
        crossing += k && w->at[j->as.first + k - 1] != host ? j->bytes_s : 0;
    }
    return slowest / (1 + crossing * MESSAGE_S / j->as.ntasks);
}

/* A task that stands wants its processor all the same: it polls. */
static void weigh(struct world *w, const struct run *r, double sign)
{
    const struct fleet_job *j = job_of(w, r);

    for (uint32_t k = 0; k < j->as.ntasks; k++)
        w->demand[w->at[j->as.first + k]] += sign;
}

/* --------------------------------------------------------------- the system */

static void tell_run(struct world *w, uint32_t i, struct hct_system *s)
{
    const struct run *r = &w->runs[i];
    const struct fleet_job *j = job_of(w, r);
    struct hct_work *as = &w->works[i];

    *as = j->as;
    as->first = s->nseats;
    as->rest_s = as->rest_s > 0 ? fmax(as->rest_s - r->done_s, 1e-3) : 0;
    as->used_s = r->done_s;
    as->submitted_ns = (uint64_t)(j->arrives_s * 1e9);
    as->flags |= (r->placed ? 0u : (uint32_t)HCT_WORK_WAITING) |
                 (r->suspended ? (uint32_t)HCT_WORK_SUSPENDED : 0) |
                 (r->job == w->moving ? (uint32_t)HCT_WORK_MOVING : 0);
    for (uint32_t k = 0; k < as->ntasks; k++) {
        if (k && j->bytes_s > 0 && r->placed)
            w->traffic[s->ntraffic++] = (struct hct_traffic){
                s->nseats - 1, s->nseats, j->bytes_s };
        w->seats[s->nseats++] = (struct hct_seat){
            .work = i, .rank = k, .host = w->at[j->as.first + k], .wants = 1,
            .gets = r->placed ? fmin(1, r->speed) : 0,
            .memory_bytes = as->image_bytes };
    }
}

static void tell(struct world *w, struct hct_system *s)
{
    *s = (struct hct_system){.size = sizeof(*s),
                             .nmoves = (uint32_t)w->c->moves,
                             .seq = w->c->plans + 1,
                             .now_ns = (uint64_t)(w->now_s * 1e9),
                             .seed = w->f->conf.seed,
                             .move_s = MOVE_S,
                             .move_bytes_s = MOVE_BYTES_S,
                             .nhosts = w->f->conf.nodes,
                             .host_size = sizeof(*w->hosts),
                             .hosts = w->hosts,
                             .nworks = w->nruns,
                             .work_size = sizeof(*w->works),
                             .works = w->works,
                             .seat_size = sizeof(*w->seats),
                             .seats = w->seats,
                             .traffic_size = sizeof(*w->traffic),
                             .traffic = w->traffic};
    for (uint32_t i = 0; i < s->nhosts; i++) {
        w->hosts[i] = w->f->hosts[i];
        w->hosts[i].load = fleet_load(w->f, i, w->now_s);
        w->hosts[i].flags =
            fleet_owned(w->f, i, w->now_s) ? (uint32_t)HCT_HOST_OWNER : 0;
    }
    for (uint32_t i = 0; i < w->nruns; i++)
        tell_run(w, i, s);
}

/* ----------------------------------------------------------------- the plan */

static int note_time(struct world *w, uint64_t ns)
{
    if (w->ntimes == w->times_cap) {
        size_t cap = w->times_cap ? 2 * w->times_cap : 1024;
        uint64_t *more = realloc(w->times_ns, cap * sizeof(*more));

        if (!more)
            return -1;
        w->times_ns = more;
        w->times_cap = cap;
    }
    w->times_ns[w->ntimes++] = ns;
    return 0;
}

static void follow(struct world *w, const struct hct_plan_step *step)
{
    struct run *r = &w->runs[step->work];
    uint32_t seat = job_of(w, r)->as.first + w->seats[HCT_NOWHERE == step->seat
                                                      ? 0 : step->seat].rank;

    switch (step->kind) {
    case HCT_PLAN_PLACE:
        w->at[seat] = step->host;
        w->demand[step->host]++;
        r->placed = true;
        break;
    case HCT_PLAN_MOVE:
        w->queue[w->nqueue] = *step;
        w->queue[w->nqueue].seat = seat;
        w->queue[w->nqueue++].work = r->job;
        break;
    case HCT_PLAN_SUSPEND:
    case HCT_PLAN_RESUME:
        r->suspended = step->kind == HCT_PLAN_SUSPEND;
        weigh(w, r, r->suspended ? -1 : 1);
        break;
    }
}

static int plan(struct world *w, struct err *err)
{
    struct hct_system system;
    uint64_t start;

    tell(w, &system);
    start = clock_monotonic_ns();
    if (optimizer_plan(w->o, &system, err))
        return -1;
    if (note_time(w, clock_monotonic_ns() - start))
        return err_memory(err);
    w->nqueue = w->next = 0;
    w->c->plans++;
    for (uint32_t i = 0; i < w->o->plan.nsteps; i++)
        follow(w, &w->o->plan.steps[i]);
    w->c->refused += w->o->plan.nrefused;
    if (*w->o->why)
        snprintf(w->c->why, sizeof(w->c->why), "%s", w->o->why);
    w->planned_s = w->now_s;
    w->news = false;
    return 0;
}

/* ------------------------------------------------------------- what happens */

static struct run *find_run(struct world *w, uint32_t job)
{
    for (uint32_t i = 0; i < w->nruns; i++)
        if (w->runs[i].job == job)
            return &w->runs[i];
    return NULL;
}

/* One at a time; what has ended meanwhile does not move. */
static void start_move(struct world *w)
{
    while (w->moving == HCT_NOWHERE && w->next < w->nqueue) {
        const struct hct_plan_step *s = &w->queue[w->next++];
        const struct run *r = find_run(w, s->work);

        if (!r)
            continue;
        if (!r->suspended) {
            w->demand[w->at[s->seat]]--;
            w->demand[s->host]++;
        }
        w->at[s->seat] = s->host;
        w->moving = s->work;
        w->moved_s = w->now_s + MOVE_S +
                     (double)job_of(w, r)->as.image_bytes / MOVE_BYTES_S;
        w->c->moves++;
    }
}

static void arrive(struct world *w)
{
    while (w->arrived < w->f->conf.jobs &&
           w->f->jobs[w->arrived].arrives_s <= w->now_s) {
        w->runs[w->nruns++] = (struct run){ .job = w->arrived++ };
        w->news = true;
    }
}

static bool finish(struct world *w, struct run *r)
{
    const struct fleet_job *j = job_of(w, r);

    if (!r->placed || r->done_s < j->work_s * (1 - 1e-9))
        return false;
    if (!r->suspended)
        weigh(w, r, -1);
    w->slow += (w->now_s - j->arrives_s) / j->alone_s;
    w->c->makespan_s = w->now_s;
    if (w->moving == r->job)
        w->moving = HCT_NOWHERE;
    return true;
}

static void end_runs(struct world *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->nruns; i++)
        if (!finish(w, &w->runs[i]))
            w->runs[n++] = w->runs[i];
    w->nruns = n;
}

/* The next time at which anything changes. */
static double next_time(const struct world *w)
{
    double next_s = w->planned_s + (w->news ? AGAIN_S : PERIOD_S);

    if (w->arrived < w->f->conf.jobs)
        next_s = fmin(next_s, w->f->jobs[w->arrived].arrives_s);
    if (w->moving != HCT_NOWHERE)
        next_s = fmin(next_s, w->moved_s);
    for (uint32_t i = 0; i < w->nruns; i++) {
        const struct run *r = &w->runs[i];

        if (r->speed > 0)
            next_s = fmin(next_s, w->now_s +
                          (job_of(w, r)->work_s - r->done_s) / r->speed);
    }
    return fmax(next_s, w->now_s);
}

static int turn(struct world *w, struct err *err)
{
    double then_s;

    for (uint32_t i = 0; i < w->nruns; i++)
        w->runs[i].speed = speed_of(w, &w->runs[i]);
    then_s = next_time(w);
    for (uint32_t i = 0; i < w->nruns; i++)
        w->runs[i].done_s += w->runs[i].speed * (then_s - w->now_s);
    w->now_s = then_s;
    if (w->moving != HCT_NOWHERE && w->moved_s <= w->now_s)
        w->moving = HCT_NOWHERE;
    end_runs(w);
    arrive(w);
    if (w->nruns && (w->now_s >= w->planned_s + PERIOD_S ||
                     (w->news && w->now_s >= w->planned_s + AGAIN_S)) &&
        plan(w, err))
        return -1;
    if (!w->nruns)              /* until the next one comes */
        w->planned_s = w->now_s;
    start_move(w);
    return 0;
}

/* ---------------------------------------------------------------------- all */

static bool open_world(struct world *w)
{
    size_t tasks = w->f->ntasks, jobs = w->f->conf.jobs,
           nodes = w->f->conf.nodes;

    w->runs = calloc(jobs, sizeof(*w->runs));
    w->at = calloc(tasks, sizeof(*w->at));
    w->demand = calloc(nodes, sizeof(*w->demand));
    w->queue = calloc(tasks, sizeof(*w->queue));
    w->hosts = calloc(nodes, sizeof(*w->hosts));
    w->works = calloc(jobs, sizeof(*w->works));
    w->seats = calloc(tasks, sizeof(*w->seats));
    w->traffic = calloc(tasks, sizeof(*w->traffic));
    if (!w->runs || !w->at || !w->demand || !w->queue || !w->hosts ||
        !w->works || !w->seats || !w->traffic)
        return false;
    for (size_t i = 0; i < tasks; i++)
        w->at[i] = HCT_NOWHERE;
    return true;
}

static void close_world(struct world *w)
{
    free(w->runs);
    free(w->at);
    free(w->demand);
    free(w->queue);
    free(w->hosts);
    free(w->works);
    free(w->seats);
    free(w->traffic);
    free(w->times_ns);
}

static int in_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sum_up(struct world *w)
{
    struct contest *c = w->c;
    uint32_t done = w->arrived - w->nruns;

    c->left = w->f->conf.jobs - done;
    c->slowdown = done ? w->slow / done : 0;
    qsort(w->times_ns, w->ntimes, sizeof(*w->times_ns), in_order);
    if (w->ntimes) {
        c->median_ns = w->times_ns[w->ntimes / 2];
        c->max_ns = w->times_ns[w->ntimes - 1];
    }
}

int contest_run(struct contest *c, const struct fleet *f, struct optimizer *o,
                struct err *err)
{
    struct world w = { .f = f, .o = o, .c = c, .moving = HCT_NOWHERE,
                       .planned_s = -PERIOD_S };
    int rc = 0;

    *c = (struct contest){ .moves = 0 };
    if (!open_world(&w))
        rc = err_memory(err);
    while (rc == 0 && (w.nruns || w.arrived < f->conf.jobs) && !o->off &&
           w.now_s < LONGEST_S)
        rc = turn(&w, err);
    if (rc == 0)
        sum_up(&w);
    close_world(&w);
    return rc;
}
