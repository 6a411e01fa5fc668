/* checked.c - see checked.h.
 *
 * First each step by itself. Then they are done, on paper, in rounds: a step
 * waits while its node is full, until others have left; where a node has no
 * place for one more task, those of its job that wait to leave there count as
 * gone, as they move at once. A job is placed as a whole or not at all. What
 * waits when nothing moves any more is refused: where it would fit if all
 * others that wait had gone, they wait for each other. */
#include "proto/plan/checked.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/idtable.h"

enum { TAKEN = -1, WAITS = -2 };        /* besides enum checked_reason */

struct crowd {                  /* tasks of one job on one host */
    uint32_t work, host;
    uint32_t n;                 /* of a job that has a limit */
    uint32_t leave;             /* steps that wait to move one of them elsewhere */
};

struct desk {
    const struct hct_system *in;        /* borrowed */
    const struct hct_plan *plan;
    int *fate;                  /* of each step; owned, like the rest */
    uint32_t *at;               /* host of each seat */
    uint64_t *memory;           /* of the tasks of each host, */
    uint32_t *tasks;            /* ... and how many */
    uint8_t *named;             /* by a step: seats, then jobs */
    uint8_t *late;              /* jobs, by find_late() */
    uint32_t *placed;           /* steps that place tasks of each job */
    struct crowd *crowds;       /* of jobs that have a limit, or leave a host */
    uint32_t ncrowds;
    struct idtable crowd_of;
};

void checked_fini(struct checked *c)
{
    free(c->steps);
    free(c->bad);
    free(c->bad_why);
    *c = (struct checked){ .steps = NULL };
}

const char *checked_reason(enum checked_reason why)
{
#define X(name, text) text,
    static const char *const texts[] = { CHECKED_REASONS(X) };
#undef X

    return texts[why];
}

/* Steps of an older optimizer lie as the host has laid them out. */
static const struct hct_plan_step *step_at(const struct desk *d, uint32_t i)
{
    return HCT_AT(struct hct_plan_step, d->plan->steps, d->plan->step_size, i);
}

/* ------------------------------------------------------------------- crowds */

static struct crowd *crowd(const struct desk *d, uint32_t work, uint32_t host)
{
    uint64_t hash = idtable_mix(work, host);
    size_t i = idtable_first(&d->crowd_of, hash);
    uint32_t id;

    for (; (id = idtable_at(&d->crowd_of, hash, &i)) != IDTABLE_NONE; i++)
        if (d->crowds[id].work == work && d->crowds[id].host == host)
            return &d->crowds[id];
    return NULL;
}

static struct crowd *note_crowd(struct desk *d, uint32_t work, uint32_t host)
{
    struct crowd *c = crowd(d, work, host);

    if (c)
        return c;
    c = &d->crowds[d->ncrowds];
    *c = (struct crowd){ .work = work, .host = host };
    return idtable_add(&d->crowd_of, idtable_mix(work, host), d->ncrowds++)
           ? NULL : c;
}

/* There is one for each pair that a seat or a step names. */
static int note_limited(struct desk *d, uint32_t work, uint32_t host)
{
    return hct_work(d->in, work)->per_node && !note_crowd(d, work, host)
           ? -1 : 0;
}

/* Does it move a task away from where no more than so many may come? */
static bool leaves_limited(const struct desk *d, const struct hct_plan_step *s)
{
    return s->kind == HCT_PLAN_MOVE && d->at[s->seat] < d->in->nhosts &&
           hct_host(d->in, d->at[s->seat])->tasks_max;
}

static int note_leaver(struct desk *d, const struct hct_plan_step *s)
{
    struct crowd *c;

    if (!leaves_limited(d, s))
        return 0;
    c = note_crowd(d, s->work, d->at[s->seat]);
    if (!c)
        return -1;
    c->leave++;
    return 0;
}

/* It has left, or does not. */
static void forget_leaver(const struct desk *d, const struct hct_plan_step *s)
{
    if (leaves_limited(d, s))
        crowd(d, s->work, d->at[s->seat])->leave--;
}

static void put(struct desk *d, uint32_t seat, uint32_t host)
{
    const struct hct_seat *s = hct_seat(d->in, seat);
    uint32_t from = d->at[seat];
    bool limit = hct_work(d->in, s->work)->per_node > 0;

    if (from < d->in->nhosts) {
        d->tasks[from]--;
        d->memory[from] -= s->memory_bytes;
        if (limit)
            crowd(d, s->work, from)->n--;
    }
    if (host < d->in->nhosts) {
        d->tasks[host]++;
        d->memory[host] += s->memory_bytes;
        if (limit)
            crowd(d, s->work, host)->n++;
    }
    d->at[seat] = host;
}

/* Is there room, if so much memory is left before? */
static bool fits(const struct desk *d, uint32_t seat, uint32_t host,
                 uint64_t leave)
{
    const struct hct_seat *s = hct_seat(d->in, seat);
    uint64_t all = hct_host(d->in, host)->memory_bytes;
    uint32_t most = hct_work(d->in, s->work)->per_node;

    return (!all || d->memory[host] + s->memory_bytes <= all + leave) &&
           (!most || crowd(d, s->work, host)->n < most);
}

static bool needs_place(const struct desk *d, const struct hct_plan_step *s)
{
    return s->kind == HCT_PLAN_MOVE && !hct_work(d->in, s->work)->crowds;
}

/* A place for one more that moves, if so many have left before? */
static bool has_place(const struct desk *d, const struct hct_plan_step *s,
                      uint32_t left)
{
    uint64_t most = hct_host(d->in, s->host)->tasks_max;
    const struct crowd *c;

    if (!most || !needs_place(d, s))
        return true;
    c = crowd(d, s->work, s->host);
    return d->tasks[s->host] < most + left + (c ? c->leave : 0);
}

/* ------------------------------------------------------ each step by itself */

static int check_job(const struct desk *d, const struct hct_plan_step *s)
{
    uint32_t flags;
    bool suspended;

    if (s->work >= d->in->nworks)
        return CHECKED_TASK;
    flags = hct_work(d->in, s->work)->flags;
    suspended = flags & HCT_WORK_SUSPENDED;
    if ((flags & (HCT_WORK_WAITING | HCT_WORK_MOVING)) ||
        suspended != (s->kind == HCT_PLAN_RESUME))
        return CHECKED_STATE;
    return d->named[d->in->nseats + s->work] ? CHECKED_TWICE : WAITS;
}

static int check_target(const struct desk *d, const struct hct_plan_step *s)
{
    const struct hct_work *w = hct_work(d->in, s->work);
    const struct hct_host *h;

    if (s->host >= d->in->nhosts)
        return CHECKED_NODE;
    h = hct_host(d->in, s->host);
    if (s->host == d->at[s->seat])
        return CHECKED_HERE;
    if (h->flags & HCT_HOST_DRAINING)
        return CHECKED_DRAINING;
    return w->features & ~h->features ? CHECKED_FEATURES : WAITS;
}

static int check_task(const struct desk *d, const struct hct_plan_step *s)
{
    uint32_t flags;
    bool place = s->kind == HCT_PLAN_PLACE;

    if (s->seat >= d->in->nseats || s->work >= d->in->nworks ||
        hct_seat(d->in, s->seat)->work != s->work)
        return CHECKED_TASK;
    flags = hct_work(d->in, s->work)->flags;
    if (!!(flags & HCT_WORK_WAITING) != place ||
        (flags & (HCT_WORK_SUSPENDED | HCT_WORK_MOVING)))
        return CHECKED_STATE;
    if (d->named[s->seat])
        return CHECKED_TWICE;
    if (!place && !(flags & HCT_WORK_MOVABLE))
        return CHECKED_FIXED;
    return check_target(d, s);
}

/* A job is not suspended and moved at once either. */
static int check_alone(struct desk *d, const struct hct_plan_step *s)
{
    bool whole = s->kind == HCT_PLAN_SUSPEND || s->kind == HCT_PLAN_RESUME;
    int fate;

    if (s->kind < HCT_PLAN_PLACE || s->kind > HCT_PLAN_RESUME)
        return CHECKED_KIND;
    if (!isfinite(s->gain_s) || !isfinite(s->cost_s) || s->cost_s < 0)
        return CHECKED_FIGURES;
    fate = whole ? check_job(d, s) : check_task(d, s);
    if (fate != WAITS)
        return fate;
    if (!whole && d->named[d->in->nseats + s->work] == 2)
        return CHECKED_TWICE;
    if (!whole)
        d->named[s->seat] = 1;
    d->named[d->in->nseats + s->work] = whole ? 2 : 1;
    d->placed[s->work] += s->kind == HCT_PLAN_PLACE;
    return whole ? TAKEN : WAITS;
}

/* Moves of one job that follow each other in the plan, from step i to before
 * end: does each node have as many of its tasks as before, all of them
 * alike? */
static bool is_circle(const struct desk *d, uint32_t i, uint32_t end,
                      int32_t *change)
{
    const struct hct_seat *first = NULL;
    bool circle = true;

    for (uint32_t k = i; k < end; k++) {
        const struct hct_plan_step *s = step_at(d, k);
        const struct hct_seat *t;

        if (d->fate[k] != WAITS || s->kind != HCT_PLAN_MOVE)
            continue;
        t = hct_seat(d->in, s->seat);
        first = first ? first : t;
        circle &=
            t->wants == first->wants && t->memory_bytes == first->memory_bytes;
        change[s->host]++;
        change[d->at[s->seat]]--;
    }
    for (uint32_t k = i; k < end; k++)
        if (d->fate[k] == WAITS && step_at(d, k)->kind == HCT_PLAN_MOVE)
            circle &= change[step_at(d, k)->host] == 0;
    for (uint32_t k = i; k < end; k++)
        if (d->fate[k] == WAITS && step_at(d, k)->kind == HCT_PLAN_MOVE)
            change[step_at(d, k)->host] = change[d->at[step_at(d, k)->seat]] =
                0;
    return circle;
}

/* Tasks of a job that change places with each other, where nobody knows of any
 * traffic between them: all is as it was. */
static void refuse_circles(struct desk *d, int32_t *change)
{
    uint8_t *talks = d->named;  /* of jobs; nobody needs it as it was */

    memset(talks, 0, d->in->nworks);
    for (uint32_t i = 0; i < d->in->ntraffic; i++)
        talks[hct_seat(d->in, hct_traffic(d->in, i)->a)->work] = 1;
    for (uint32_t i = 0, end; i < d->plan->nsteps; i = end) {
        uint32_t work = step_at(d, i)->work;

        for (end = i + 1;
             end < d->plan->nsteps && step_at(d, end)->work == work;)
            end++;
        if (work >= d->in->nworks || talks[work] ||
            !is_circle(d, i, end, change))
            continue;
        for (uint32_t k = i; k < end; k++) {
            if (d->fate[k] != WAITS || step_at(d, k)->kind != HCT_PLAN_MOVE)
                continue;
            forget_leaver(d, step_at(d, k));
            d->fate[k] = CHECKED_CYCLE;
        }
    }
}

/* ------------------------------------------------------------ done on paper */

struct gone {                   /* what a host has to do with those that wait */
    uint64_t memory;            /* of those that are to leave it, */
    uint32_t tasks;             /* ... and how many they are */
    uint32_t come;              /* who is to come; */
    uint32_t wanted;            /* ... those who need a place for that */
};

/* Places all tasks of the job of step i, if all have room. */
static bool place_job(struct desk *d, uint32_t i, uint32_t *order, uint32_t *n)
{
    uint32_t work = step_at(d, i)->work, was = *n;

    for (uint32_t k = i; k < d->plan->nsteps; k++) {
        const struct hct_plan_step *s = step_at(d, k);

        if (s->work != work || d->fate[k] != WAITS)
            continue;
        if (!fits(d, s->seat, s->host, 0)) {
            while (*n > was) {
                const struct hct_plan_step *t = step_at(d, order[--*n]);

                d->fate[order[*n]] = WAITS;
                put(d, t->seat, HCT_NOWHERE);
            }
            return false;
        }
        put(d, s->seat, s->host);
        d->fate[k] = TAKEN;
        order[(*n)++] = k;
        if (*n - was == hct_work(d->in, work)->ntasks)
            return true;
    }
    return true;
}

static bool do_one(struct desk *d, uint32_t i, uint32_t *order, uint32_t *n,
                   uint8_t *tried)
{
    const struct hct_plan_step *s = step_at(d, i);

    if (s->kind == HCT_PLAN_PLACE) {
        if (tried[s->work])
            return false;
        tried[s->work] = 1;
        return place_job(d, i, order, n);
    }
    if (!fits(d, s->seat, s->host, 0) || !has_place(d, s, 0))
        return false;
    forget_leaver(d, s);
    put(d, s->seat, s->host);
    d->fate[i] = TAKEN;
    order[(*n)++] = i;
    return true;
}

/* Who waits to come to each host, and who to leave it. */
static void find_waiting(const struct desk *d, struct gone *gone)
{
    memset(gone, 0, d->in->nhosts * sizeof(*gone));
    for (uint32_t i = 0; i < d->plan->nsteps; i++) {
        const struct hct_plan_step *s = step_at(d, i);
        uint32_t from = d->fate[i] == WAITS ? d->at[s->seat] : HCT_NOWHERE;

        if (from < d->in->nhosts) {
            gone[from].memory += hct_seat(d->in, s->seat)->memory_bytes;
            gone[from].tasks++;
        }
        if (d->fate[i] == WAITS) {
            gone[s->host].come++;
            gone[s->host].wanted += needs_place(d, s);
        }
    }
}

/* It needs no place, but takes one where others wait for that, and there are
 * not enough for all. */
static bool presses(const struct desk *d, const struct hct_plan_step *s,
                    const struct gone *gone)
{
    const struct gone *g = &gone[s->host];
    uint32_t most = hct_host(d->in, s->host)->tasks_max;

    return most && g->wanted && !needs_place(d, s) &&
           d->tasks[s->host] + g->come - g->tasks > most;
}

static void find_late(const struct desk *d, const struct gone *gone)
{
    memset(d->late, 0, d->in->nworks);
    for (uint32_t i = 0; i < d->plan->nsteps; i++) {
        const struct hct_plan_step *s = step_at(d, i);

        if (d->fate[i] == WAITS && s->kind == HCT_PLAN_PLACE)
            d->late[s->work] |= presses(d, s, gone);
    }
}

static bool is_late(const struct desk *d, const struct hct_plan_step *s,
                    const struct gone *gone)
{
    return s->kind == HCT_PLAN_PLACE ? d->late[s->work] : presses(d, s, gone);
}

/* Of those who are late it is one at a time: others may have their turn then. */
static bool do_some(struct desk *d, bool late, const struct gone *gone,
                    uint32_t *order, uint32_t *n)
{
    bool more = false;

    memset(d->named, 0, d->in->nworks);
    for (uint32_t i = 0; i < d->plan->nsteps && !(late && more); i++)
        if (d->fate[i] == WAITS && is_late(d, step_at(d, i), gone) == late)
            more |= do_one(d, i, order, n, d->named);
    return more;
}

static void do_all(struct desk *d, struct gone *gone, uint32_t *order,
                   uint32_t *n)
{
    do {
        find_waiting(d, gone);
        find_late(d, gone);
        while (do_some(d, false, gone, order, n))
            find_waiting(d, gone);
    } while (do_some(d, true, gone, order, n));
}

/* What still waits: for a node that stays full, or for each other. */
static void refuse_rest(struct desk *d, struct gone *gone)
{
    find_waiting(d, gone);
    for (uint32_t i = 0; i < d->plan->nsteps; i++) {
        const struct hct_plan_step *s = step_at(d, i);
        const struct gone *g = &gone[d->fate[i] == WAITS ? s->host : 0];

        if (d->fate[i] == WAITS)
            d->fate[i] = g->tasks && fits(d, s->seat, s->host, g->memory) &&
                         has_place(d, s, g->tasks)
                         ? CHECKED_CYCLE : CHECKED_FULL;
    }
}

/* ----------------------------------------------------------------- the plan */

static void say_first(struct checked *c, const struct desk *d, uint32_t i)
{
    const struct hct_plan_step *s = step_at(d, i);

    snprintf(c->first, sizeof(c->first),
             "step %u %s (job %u, task %d, node %d)", i,
             checked_reason((enum checked_reason)d->fate[i]), s->work,
             (int)s->seat, (int)s->host);
}

static void take(struct checked *c, struct desk *d, const uint32_t *order,
                 uint32_t n)
{
    for (uint32_t i = 0; i < d->plan->nsteps; i++) {
        const struct hct_plan_step *s = step_at(d, i);

        if (d->fate[i] == TAKEN && s->kind >= HCT_PLAN_SUSPEND)
            c->steps[c->nsteps++] = *s;
        if (d->fate[i] < 0)
            continue;
        if (c->nrefused == 0)
            say_first(c, d, i);
        c->bad[c->nrefused] = *s;
        c->bad_why[c->nrefused++] = (uint8_t)d->fate[i];
        c->refused[d->fate[i]]++;
    }
    for (uint32_t i = 0; i < n; i++)
        c->steps[c->nsteps++] = *step_at(d, order[i]);
    for (uint32_t i = 0; i < c->nsteps; i++)
        c->steps[i].why[sizeof(c->steps[i].why) - 1] = '\0';
    for (uint32_t i = 0; i < c->nrefused; i++)
        c->bad[i].why[sizeof(c->bad[i].why) - 1] = '\0';
}

static int begin(struct desk *d)
{
    const struct hct_system *in = d->in;

    for (uint32_t i = 0; i < in->nseats; i++) {
        const struct hct_seat *s = hct_seat(in, i);

        d->at[i] = HCT_NOWHERE;
        if (s->host < in->nhosts && note_limited(d, s->work, s->host))
            return -1;
        put(d, i, s->host);
    }
    for (uint32_t i = 0; i < d->plan->nsteps; i++) {
        const struct hct_plan_step *s = step_at(d, i);

        d->fate[i] = check_alone(d, s);
        if (d->fate[i] == WAITS &&
            (note_limited(d, s->work, s->host) || note_leaver(d, s)))
            return -1;
    }
    for (uint32_t i = 0; i < d->plan->nsteps; i++) {
        const struct hct_plan_step *s = step_at(d, i);

        if (d->fate[i] == WAITS && s->kind == HCT_PLAN_PLACE &&
            d->placed[s->work] != hct_work(in, s->work)->ntasks)
            d->fate[i] = CHECKED_PART;
    }
    return 0;
}

static int run(struct checked *c, struct desk *d, void *scratch,
               uint32_t *order)
{
    uint32_t n = 0;

    if (begin(d))
        return -1;
    refuse_circles(d, scratch);
    do_all(d, scratch, order, &n);
    refuse_rest(d, scratch);
    take(c, d, order, n);
    return 0;
}

static void end(struct desk *d)
{
    free(d->fate);
    free(d->at);
    free(d->memory);
    free(d->tasks);
    free(d->named);
    free(d->late);
    free(d->placed);
    free(d->crowds);
    idtable_fini(&d->crowd_of);
}

int checked_plan(struct checked *c, const struct hct_system *in,
                 const struct hct_plan *plan, struct err *err)
{
    size_t n = plan->nsteps, seats = in->nseats;
    struct desk d = {
        .in = in, .plan = plan,
        .fate = calloc(n + 1, sizeof(*d.fate)),
        .at = calloc(seats + 1, sizeof(*d.at)),
        .memory = calloc(in->nhosts + 1, sizeof(*d.memory)),
        .tasks = calloc(in->nhosts + 1, sizeof(*d.tasks)),
        .named = calloc(seats + in->nworks + 1, 1),
        .late = calloc(in->nworks + 1, 1),
        .placed = calloc(in->nworks + 1, sizeof(*d.placed)),
        .crowds = calloc(seats + 2 * n + 1, sizeof(*d.crowds)),
    };
    void *scratch = calloc(in->nhosts + 1, sizeof(struct gone));
    uint32_t *order = calloc(n + 1, sizeof(*order));
    int rc = -1;

    checked_fini(c);
    c->steps = calloc(n + 1, sizeof(*c->steps));
    c->bad = calloc(n + 1, sizeof(*c->bad));
    c->bad_why = calloc(n + 1, sizeof(*c->bad_why));
    if (d.fate && d.at && d.memory && d.tasks && d.named && d.late && d.placed &&
        d.crowds && scratch && order && c->steps && c->bad && c->bad_why)
        rc = run(c, &d, scratch, order);
    end(&d);
    free(scratch);
    free(order);
    if (rc == 0)
        return 0;
    checked_fini(c);
    return err_memory(err);
}
