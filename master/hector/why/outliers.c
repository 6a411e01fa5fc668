/* outliers.c - see outliers.h. */
#include "master/hector/why/outliers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/askpolicy.h"
#include "master/hector/core/human.h"
#include "master/hector/why/why_options.h"
#include "proto/base/clock.h"

enum { TOP = 5, WAIT_S = 40 };
/* Places come a little later, or never. */
static const uint64_t places_ns = 2 * CLOCK_NS_PER_S;

static const char *const methods[] = { "polish", "stands", "neighbour",
                                       "cluster" };

static const struct table_column tasks[] = {
    { "METHOD", TABLE_TEXT, NULL }, { "PLACE", TABLE_NUMBER, NULL },
    { "TASK", TABLE_NUMBER, NULL }, { "SCORE", TABLE_ANY, NULL },
    { "CLUSTER", TABLE_NUMBER, NULL }, { "COSTS", TABLE_DURATION, NULL } };
static const struct table_column steps[] = {
    { "PLACE", TABLE_NUMBER, NULL }, { "TASK", TABLE_NUMBER, NULL },
    { "FROM", TABLE_TEXT, NULL }, { "FILE", TABLE_WIDE, NULL },
    { "LINE", TABLE_NUMBER, NULL }, { "TO", TABLE_TEXT, NULL },
    { "FILE", TABLE_WIDE, NULL }, { "LINE", TABLE_NUMBER, NULL },
    { "TIMES", TABLE_NUMBER, NULL }, { "IN", TABLE_DURATION, NULL },
    { "NORMAL", TABLE_DURATION, NULL }, { "BEHIND", TABLE_DURATION, NULL },
    { "NORMAL", TABLE_DURATION, NULL }, { "SCORE", TABLE_ANY, NULL } };

/* ------------------------------------------------------------------- asking */

static int on_time(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    (void)ncols, (void)names;
    *(uint64_t *)arg = v[0].type == STORE_INT ? (uint64_t)v[0].i : 0;
    return 0;
}

static int found_at(struct store *st, uint64_t job, uint64_t *at_ns,
                    struct err *err)
{
    const struct query_rows to = { NULL, on_time, at_ns };

    *at_ns = 0;
    return query_outliers_at(st, job, &to, err);
}

/* Of now, if the job runs. */
static int ask(const struct tool *t, struct store *st, uint64_t job,
               uint64_t *at_ns, struct err *err)
{
    uint64_t before, began = clock_monotonic_ns(), seen = 0;

    if (found_at(st, job, &before, err) || askpolicy(t, job, "outlier", err))
        return -1;
    for (;;) {
        if (found_at(st, job, at_ns, err))
            return -1;
        if (*at_ns > before && !seen)
            seen = clock_monotonic_ns();
        if (seen && clock_monotonic_ns() - seen > places_ns)
            return 0;
        if (!seen && clock_monotonic_ns() - began > WAIT_S * CLOCK_NS_PER_S)
            return err_set(err, ETIMEDOUT, "no answer came within %d s: too few "
                           "tasks have models, a slave may not answer, or the job "
                           "is over", WAIT_S);
        askpolicy_nap();
    }
}

static int find(const struct tool *t, struct store *st, uint64_t job,
                uint64_t *at_ns, struct err *err)
{
    bool ended;

    if (query_job_ended(st, job, &ended, err) ||
        found_at(st, job, at_ns, err))
        return -1;
    if (!ended)
        return ask(t, st, job, at_ns, err);
    if (!*at_ns)
        return err_set(err, ENOENT, "the tasks of job %" PRIu64 " were not "
                       "compared: policy outlier did not watch it, or has found "
                       "nobody, and nobody has asked", job);
    return 0;
}

/* ------------------------------------------------------------------ showing */

struct wanted { uint64_t job, top; const char *method; };

static int show_tasks(const struct tool *t, struct store *st,
                      const struct wanted *w, struct err *err)
{
    struct answer a;

    answer_begin(&a, t, tasks);
    return answer_end(&a, query_outliers(st, w->job, w->top, w->method, &a.rows,
                                         &a.why), NULL, err);
}

static int show_steps(const struct tool *t, struct store *st,
                      const struct wanted *w, struct err *err)
{
    struct answer a;

    answer_begin(&a, t, steps);
    return answer_end(&a, query_steps(st, w->job, w->top, &a.rows, &a.why), NULL,
                      err);
}

static int show(const struct tool *t, struct store *st, const struct wanted *w,
                uint64_t at_ns, struct err *err)
{
    bool all = !w->method || strcmp(w->method, "polish") == 0 ||
               strcmp(w->method, "stands") == 0;
    char at[HUMAN_MAX];
    int rc;

    if (t->json)
        fputs("{\"outliers\":", stdout);
    else
        printf("job %" PRIu64 " at %s\n", w->job,
               human_time(at, at_ns, clock_wall_ns()));
    rc = show_tasks(t, st, w, err);
    if (rc == 0 && (all || t->json)) {
        fputs(t->json ? ",\"steps\":" : "\n", stdout);
        rc = show_steps(t, st, w, err);
    }
    if (t->json)
        puts("}");
    return rc;
}

int outliers_show(const struct tool *t, struct store *st, uint64_t job)
{
    const struct why_options *o = t->own;
    struct wanted w = { job, o->top ? o->top : TOP, o->method };
    struct err err;
    uint64_t at_ns;
    bool known = !w.method || strcmp(w.method, "all") == 0;

    if (known)
        w.method = NULL;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        known = known || strcmp(w.method, methods[i]) == 0;
    if (!known)
        return tool_complain(TOOL_USAGE, "--method: \"%.40s\" is not cluster, "
                             "neighbour, polish, stands or all", w.method);
    if (find(t, st, job, &at_ns, &err) || show(t, st, &w, at_ns, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return 0;
}
