/* replayplans.c - see replayplans.h. */
#include "master/hector/plan/replayplans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/plan/planask.h"
#include "master/store/query.h"
#include "proto/base/str.h"

struct replay {
    const char *spec;
    struct planask *ask;        /* owned, with the next one */
    char *by;                   /* that spec */
    uint64_t systems;
    struct err *err;            /* borrowed */
    bool failed;
};

static void print(void *arg, const struct systembytes *of,
                  const struct checked *plan, const char *odd)
{
    struct str lines = { 0 };
    char line[1024];
    const char *end;

    (void)arg;
    (void)odd;
    planner_lines(&lines, of, plan);
    for (const char *p = str_text(&lines); (end = strchr(p, '\n')); p = end + 1) {
        str_visible(line, sizeof(line), p, (size_t)(end - p));
        puts(line);
    }
    str_fini(&lines);
}

static void close_ask(struct replay *r)
{
    planask_close(r->ask);
    free(r->by);
    r->ask = NULL;
    r->by = NULL;
}

/* Another one than before has another process. */
static int open_ask(struct replay *r, const char *spec)
{
    if (r->ask && strcmp(r->by, spec) == 0)
        return 0;
    close_ask(r);
    r->by = strdup(spec);
    if (!r->by)
        return err_memory(r->err);
    r->ask = planask_open(spec, r->err);
    return r->ask ? 0 : -1;
}

static int on_system(void *arg, const struct store_system *s)
{
    struct replay *r = arg;
    const char *spec = strcmp(r->spec, "-") == 0 ? s->optimizer : r->spec;

    r->systems++;
    if (!s->data.p || open_ask(r, spec ? spec : "") ||
        planask_plan(r->ask, s->data.p, s->data.n, print, NULL, r->err))
        r->failed = true;
    return r->failed;
}

int replayplans(const struct tool *t, const char *spec)
{
    struct err err = { .text = "a recorded system is empty" };
    struct replay r = { .spec = spec, .err = &err };
    struct store *st;
    int rc;

    if (strcmp(spec, "-") != 0 && open_ask(&r, spec)) {
        close_ask(&r);
        return tool_complain(TOOL_USAGE, "%s", err.text);
    }
    st = tool_open_store(t);
    if (!st) {
        close_ask(&r);
        return TOOL_FAILED;
    }
    rc = query_systems(st, on_system, &r, &err);
    store_close(st);
    close_ask(&r);
    if (rc || r.failed)
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return r.systems ? 0 : tool_complain(TOOL_FAILED, "no optimizer has planned "
                                         "anything that was recorded here");
}
