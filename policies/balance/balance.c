/* balance.c - the optimizer that comes with Hector: load, relative speed and
 * affinity, as the paper's appendix says. Jobs that wait are placed first, then
 * tasks move until no move is worth more than `margin` times its cost: local
 * search by moves that improve. What is left is a plan for which there is
 * nothing more to do: shown its own result, it says nothing. */
#include <stdio.h>

#include "policies/balance/faster.h"
#include "policies/balance/field.h"
#include "policies/balance/gain.h"
#include "policies/balance/nearer.h"
#include "policies/balance/seating.h"
#include "policies/balance/still.h"
#include "policies/hct_optimizer.h"

/* Each round but the last makes the whole cheaper; some three are usual. */
enum { ROUNDS_MAX = 1000 };

static const struct hct_param params[] = {
    [FIELD_MARGIN] = {"margin", "", "a move has to gain so many times its cost",
                      2, 1, 100},
    [FIELD_MESSAGE] = {"message", "ns/byte",
                       "processor time that a byte between nodes takes", 1, 0,
                       1000},
    {.name = NULL},
};

static size_t state_bytes(const struct hct_system *in)
{
    return sizeof(struct field) + 16 + field_bytes(in);
}

static bool round_of(struct field *f)
{
    bool changed = seating_place(f);

    for (uint32_t i = 0; i < f->in->nworks; i++)
        if (field_movable(f, f->order[i]))
            changed |= faster_try(f, f->order[i]);
    for (uint32_t i = 0; i < f->nheaviest; i++)
        changed |= nearer_try(f, f->heaviest[i]);
    return changed;
}

/* ----------------------------------------------------------------- the plan */

static bool moved(const struct field *f, uint32_t seat)
{
    uint32_t was = hct_seat(f->in, seat)->host;

    return was != f->seats[seat].at && f->seats[seat].at != HCT_NOWHERE;
}

static const char *reason(const struct field *f, uint32_t seat)
{
    uint32_t was = hct_seat(f->in, seat)->host, at = f->seats[seat].at;
    uint32_t flags = hct_host(f->in, was)->flags;

    if (flags & HCT_HOST_OWNER)
        return "its owner is there";
    if (flags & HCT_HOST_DRAINING)
        return "it is to be empty";
    if (hct_host(f->in, at)->speed > hct_host(f->in, was)->speed)
        return "a faster node";
    return "more room, or nearer to its partners";
}

static void say(const struct field *f, uint32_t work, struct hct_plan *out)
{
    const struct hct_work *w = hct_work(f->in, work);
    bool waits = w->flags & HCT_WORK_WAITING;
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->ntasks; i++)
        n += moved(f, w->first + i);
    for (uint32_t i = 0; i < w->ntasks; i++) {
        struct hct_plan_step *s;

        if (!moved(f, w->first + i))
            continue;
        s = hct_plan_add(out, waits ? HCT_PLAN_PLACE : HCT_PLAN_MOVE);
        if (!s)
            continue;
        s->work = work;
        s->seat = w->first + i;
        s->host = f->seats[s->seat].at;
        s->set = work + 1;
        s->gain_s = waits ? 0 : f->works[work].worth_s / n;
        s->cost_s = waits ? 0 : gain_price(f, work);
        snprintf(s->why, sizeof(s->why), "%s",
                 waits ? "where it goes fastest" : reason(f, s->seat));
    }
}

static int plan(void *state, const struct hct_system *in, struct hct_plan *out)
{
    struct field *f = state;
    size_t own = (sizeof(*f) + 15) & ~(size_t)15;

    if (in->nhosts == 0)
        return 0;
    field_init(f, (char *)state + own, in);
    for (int i = 0; i < ROUNDS_MAX && round_of(f); i++) {}
    for (uint32_t i = 0; i < in->nworks; i++) {
        still_all(f, f->order[i]);
        say(f, f->order[i], out);
    }
    return 0;
}

static const struct hct_optimizer optimizer = {
    .major = HCT_OPTIMIZER_MAJOR, .minor = HCT_OPTIMIZER_MINOR,
    .name = "balance",
    .help = "places and moves tasks by load, speed of nodes and traffic",
    .params = params, .state_bytes = state_bytes, .plan = plan,
};

const struct hct_optimizer *hct_optimizer(void)
{
    return &optimizer;
}
