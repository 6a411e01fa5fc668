/* replaysteps.c - see replaysteps.h. */
#include "master/hector/plan/replaysteps.h"

#include <inttypes.h>
#include <stdio.h>

#include "master/ladder/climbtext.h"
#include "master/store/query.h"

struct replay {
    uint64_t steps;
    struct err *err;            /* borrowed */
    bool failed;
};

static int on_climb(void *arg, const struct store_climb *c)
{
    struct replay *r = arg;
    struct str line = { 0 };
    char shown[1024];

    r->steps++;
    if (!c->seen) {
        tool_complain(0, "job %" PRIu64 " step %" PRIu32 ": what it was decided "
                      "from was too large to be kept", c->job, c->number);
        return 0;
    }
    r->failed = climbtext_again(&line, c->number, c->seen, r->err) != 0;
    if (!r->failed) {
        str_visible(shown, sizeof(shown), str_text(&line), line.n);
        puts(shown);
    }
    str_fini(&line);
    return r->failed;
}

int replaysteps(const struct tool *t, uint64_t job)
{
    struct err err = { .text = "" };
    struct replay r = { .err = &err };
    struct store *st = tool_open_store(t);
    int rc;

    if (!st)
        return TOOL_FAILED;
    rc = query_climbs(st, job, on_climb, &r, &err);
    store_close(st);
    if (rc || r.failed)
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return r.steps ? 0 : tool_complain(TOOL_FAILED, "no step for a deadline is "
                                       "recorded%s", job ? " of that job" : "");
}
