/* ps.c - hector ps: the jobs, or the tasks of one job. */
#include "master/hector/commands.h"

#include "master/hector/core/answer.h"
#include "master/hector/core/target.h"
#include "proto/base/clock.h"

enum { PS_JOBS = 20 };          /* of those that have ended, without -a */

struct ps_options { bool all; uint64_t count; };
static const struct ps_options defaults;

static const struct args_option options[] = {
    { NULL, "a all", ARGS_NONE, NULL, "all jobs, not only the latest",
      args_flag, offsetof(struct ps_options, all), 0, 0 },
    { NULL, "n count", ARGS_VALUE, "N", "the last N",
      args_u64, offsetof(struct ps_options, count), 1, INT32_MAX },
};

static const struct table_column job_columns[] = {
    { "JOB", TABLE_NUMBER, NULL }, { "NAME", TABLE_TEXT, NULL },
    { "STATE", TABLE_TEXT, NULL }, { "TASKS", TABLE_NUMBER, NULL },
    { "STARTED", TABLE_TIME, NULL }, { "TIME", TABLE_DURATION, NULL },
    { "LEFT", TABLE_DURATION, NULL }, { "EXIT", TABLE_NUMBER, NULL },
    { "COMMAND", TABLE_WIDE, NULL },
};

/* Where some of them are in jobs of a batch system. */
static const struct table_column run_columns[] = {
    { "JOB", TABLE_NUMBER, NULL }, { "NAME", TABLE_TEXT, NULL },
    { "STATE", TABLE_TEXT, NULL }, { "TASKS", TABLE_NUMBER, NULL },
    { "STARTED", TABLE_TIME, NULL }, { "TIME", TABLE_DURATION, NULL },
    { "LEFT", TABLE_DURATION, NULL }, { "EXIT", TABLE_NUMBER, NULL },
    { "BATCH", TABLE_TEXT, NULL }, { "RUN", TABLE_NUMBER, NULL },
    { "REASON", TABLE_TEXT, NULL }, { "COMMAND", TABLE_WIDE, NULL },
};

static const struct table_column task_columns[] = {
    { "RANK", TABLE_NUMBER, NULL }, { "NODE", TABLE_TEXT, NULL },
    { "PID", TABLE_NUMBER, NULL }, { "STATE", TABLE_TEXT, NULL },
    { "EXIT", TABLE_NUMBER, NULL }, { "CALLS", TABLE_NUMBER, NULL },
    { "IN MPI", TABLE_DURATION, NULL }, { "OUTSIDE", TABLE_DURATION, NULL },
    { "MEMORY", TABLE_BYTES, NULL }, { "SUSPENDED", TABLE_DURATION, NULL },
    { "LAST TAG", TABLE_WIDE, NULL },
};

/* Where something is asked for of the processors. */
static const struct table_column share_columns[] = {
    { "RANK", TABLE_NUMBER, NULL }, { "NODE", TABLE_TEXT, NULL },
    { "PID", TABLE_NUMBER, NULL }, { "STATE", TABLE_TEXT, NULL },
    { "EXIT", TABLE_NUMBER, NULL }, { "CALLS", TABLE_NUMBER, NULL },
    { "IN MPI", TABLE_DURATION, NULL }, { "OUTSIDE", TABLE_DURATION, NULL },
    { "MEMORY", TABLE_BYTES, NULL }, { "SUSPENDED", TABLE_DURATION, NULL },
    { "CLASS", TABLE_TEXT, NULL }, { "NICE", TABLE_NUMBER, NULL },
    { "APPLIED", TABLE_TEXT, NULL }, { "LAST TAG", TABLE_WIDE, NULL },
};

static int jobs(const struct tool *t, struct store *st, struct err *err)
{
    const struct ps_options *o = t->own;
    int64_t count = o->all ? -1 : o->count ? (int64_t)o->count : PS_JOBS;
    struct answer a;
    bool runs;

    if (query_any_batch(st, count, &runs, err))
        return -1;
    runs |= t->json;
    answer_begin(&a, t, runs ? run_columns : job_columns);
    return answer_end(&a, query_jobs(st, clock_wall_ns(), count, runs, !t->json,
                                     &a.rows, &a.why), NULL, err);
}

static int tasks(const struct tool *t, struct store *st,
                 const struct target *target, const char *word)
{
    struct query_which which = target_which(target);
    unsigned long rows = 0;
    struct answer a;
    struct err err;
    bool shares;

    if (query_any_share(st, target->job, &shares, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    shares |= t->json;
    answer_begin(&a, t, shares ? share_columns : task_columns);
    if (answer_end(&a, query_tasks(st, &which, clock_wall_ns(), shares, &a.rows,
                                   &a.why), &rows, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return rows ? 0 : tool_complain(TOOL_FAILED, "there is no task %s", word);
}

static int run_ps(const struct tool *t)
{
    struct target target = { 0 };
    struct store *st;
    struct err err;
    int status = 0;

    if (t->nwords > 1)
        return tool_complain(TOOL_USAGE, "ps takes one JOB or JOB.RANKS");
    if (t->nwords && target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    st = tool_open_store(t);
    if (!st)
        status = TOOL_FAILED;
    else if (t->nwords)
        status = tasks(t, st, &target, t->words[0]);
    else if (jobs(t, st, &err))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    store_close(st);
    target_fini(&target);
    return status;
}

const struct command ps_command = {
    "ps", "[JOB[.RANKS]]", "jobs, or the tasks of a job",
    COMMAND_OPTIONS(options, defaults), run_ps
};
