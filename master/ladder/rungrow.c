/* rungrow.c - see rungrow.h. */
#include "master/ladder/rungrow.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "master/state/pace.h"

static const char *text(const char *t)
{
    return t ? t : "";
}

/* Who takes the step is who it is done to, or it is done to another one. */
static bool is_own(enum climb_kind k)
{
    return k == CLIMB_RAISE || k == CLIMB_FASTER;
}

static int check_jobs(const struct rungrow *r, const struct store_rung *row,
                      const struct job *j, const struct job *target,
                      struct err *err)
{
    if (is_own(r->kind) != (row->job == row->target))
        return err_set(err, EINVAL, "%s cannot be done to job %" PRIu64,
                       climb_name(r->kind), row->target);
    if (j && target && j->uid != target->uid)
        return err_set(err, EPERM, "job %" PRIu64 " is of another user",
                       row->target);
    return 0;
}

static void find_odd(struct rungrow *r, const struct store_rung *row)
{
    if (row->deadline_number < 1 || row->deadline_number > PACES)
        snprintf(r->odd, sizeof(r->odd), "deadline %" PRIu32 " of %u at most",
                 row->deadline_number, PACES);
    else if (row->number < 1 || row->number > RUNGROW_MOST)
        snprintf(r->odd, sizeof(r->odd), "step %" PRIu32 " of %u at most",
                 row->number, RUNGROW_MOST);
    else if (!isfinite(row->margin) || !isfinite(row->chance) ||
             !isfinite(row->gain) || isinf(row->brought))
        snprintf(r->odd, sizeof(r->odd), "a figure that is no number");
}

int rungrow_read(struct rungrow *to, const struct store_rung *row,
                 const struct job *j, const struct job *target,
                 struct err *err)
{
    struct rungrow r = {
        .kind = climb_find(text(row->kind)),
        .state = machine_find(&rung_machine, text(row->state)),
        .deadline = 1 };

    if (r.kind == CLIMB_KINDS)
        return err_set(err, EINVAL, "there is no step \"%.20s\"",
                       text(row->kind));
    if (r.state < RUNG_STORED || r.state >= RUNG_FAILED)
        return err_set(err, EINVAL, "nothing is taken back of one that is "
                       "\"%.20s\"", text(row->state));
    if (check_jobs(&r, row, j, target, err))
        return -1;
    if (row->deadline_number >= 1 && row->deadline_number <= PACES)
        r.deadline = row->deadline_number;
    find_odd(&r, row);
    *to = r;
    return 0;
}
