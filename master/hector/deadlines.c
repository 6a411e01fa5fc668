/* deadlines.c - hector deadlines: how what is due in jobs is met. */
#include "master/hector/commands.h"

#include <inttypes.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/target.h"

/* All but the label and its limit within 60 columns. */
static const struct table_column columns[] = {
    { "JOB", TABLE_NUMBER, NULL }, { "NO", TABLE_NUMBER, NULL },
    { "DEADLINE", TABLE_WIDE, NULL }, { "TIMES", TABLE_NUMBER, NULL },
    { "MET", TABLE_NUMBER, NULL }, { "MISSED", TABLE_NUMBER, NULL },
    { "MARGIN", TABLE_NUMBER, NULL }, { "WORST", TABLE_NUMBER, NULL },
    { "TREND", TABLE_NUMBER, NULL }, { "CHANCE", TABLE_NUMBER, NULL },
    { "STEP", TABLE_TEXT, NULL },
};

/* A table without a row would say less. */
static int say_none(struct store *st, uint64_t job, struct err *err)
{
    bool ended;

    if (!job)
        puts("no job that runs has deadlines, nor has the last one if none runs");
    else if (query_job_ended(st, job, &ended, err))
        return -1;
    else
        printf("job %" PRIu64 " has no deadlines\n", job);
    return 0;
}

static int answer(const struct tool *t, struct store *st, uint64_t job,
                  struct err *err)
{
    struct answer a;
    bool any, ended;

    if (query_any_deadline(st, job, &any, err))
        return -1;
    if (!any && !t->json)
        return say_none(st, job, err);
    if (!any && job && query_job_ended(st, job, &ended, err))
        return -1;
    answer_begin(&a, t, columns);
    return answer_end(&a, query_deadlines(st, job, t->json, &a.rows, &a.why),
                      NULL, err);
}

static int run_deadlines(const struct tool *t)
{
    struct target target = { 0 };
    bool ranks;
    struct store *st;
    struct err err;
    int rc;

    if (t->nwords > 1)
        return tool_complain(TOOL_USAGE, "deadlines wants one JOB, or none");
    if (t->nwords && target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    ranks = t->nwords && !target.all;
    target_fini(&target);
    if (ranks)
        return tool_complain(TOOL_USAGE, "deadlines are of a whole JOB, not of "
                             "some ranks");
    st = tool_open_store(t);
    if (!st)
        return TOOL_FAILED;
    rc = answer(t, st, target.job, &err);
    store_close(st);
    return rc ? tool_complain(TOOL_FAILED, "%s", err.text) : 0;
}

const struct command deadlines_command = {
    "deadlines", "[JOB]", "what is due in jobs, and how it is met",
    COMMAND_NO_OPTIONS, run_deadlines
};
