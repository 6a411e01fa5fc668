/* rungs.c - see rungs.h. */
#include "master/hector/why/rungs.h"

#include <inttypes.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/store/query.h"
#include "master/store/rungkinds.h"
#include "proto/base/clock.h"

struct rungs { struct str *to; uint64_t job; };

static const char *words_of(const char *kind)
{
    const char *done = rungkind_done(kind);

    return done ? done : "?";
}

static bool is(const struct store_rung *r, const char *state)
{
    return r->state && strcmp(r->state, state) == 0;
}

/* "job 3 suspended for in..out<=80ms", or "suspended for in..out<=80ms of job
 * 5" */
static void add_what(struct str *to, const struct store_rung *r, uint64_t job)
{
    const char *due = r->deadline ? r->deadline : "?";

    if (r->job == job)
        str_addf(to, "step %" PRIu32 " for %s: job %" PRIu64 " %s", r->number,
                 due, r->target, words_of(r->kind));
    else
        str_addf(to, "%s for the deadline %s of job %" PRIu64,
                 words_of(r->kind), due, r->job);
    if (r->node && r->to_node)
        str_addf(to, ", from %s to %s", r->node, r->to_node);
}

static int on_rung(void *arg, const struct store_rung *r)
{
    const struct rungs *of = arg;
    struct str *to = of->to;
    char at[HUMAN_MAX];

    str_addf(to, "%s ", human_time(at, r->at_ns, clock_wall_ns()));
    add_what(to, r, of->job);
    str_addf(to, ": %s", r->why ? r->why : "?");
    if (r->brought != 0 && r->done_ns)
        str_addf(to, "; it was %.0f %% then", 100 * r->brought);
    if (r->undone_ns)
        str_addf(to, "; undone %s",
                 human_time(at, r->undone_ns, clock_wall_ns()));
    else if (!is(r, "done"))
        str_addf(to, "; %s", r->state ? r->state : "?");
    if (r->result)
        str_addf(to, ": %s", r->result);
    str_add(to, "\n");
    return 0;
}

void rungs_of_job(struct str *to, struct store *st, uint64_t job)
{
    struct rungs of = { to, job };

    query_rungs(st, job, on_rung, &of, NULL);
}
