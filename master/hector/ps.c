/* ps.c - hector ps: the jobs, or the tasks of one job. */
#include "master/hector/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/target.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"

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
    { "EXIT", TABLE_NUMBER, NULL }, { "COMMAND", TABLE_WIDE, NULL },
};

static const struct table_column task_columns[] = {
    { "RANK", TABLE_NUMBER, NULL }, { "NODE", TABLE_TEXT, NULL },
    { "PID", TABLE_NUMBER, NULL }, { "STATE", TABLE_TEXT, NULL },
    { "EXIT", TABLE_NUMBER, NULL }, { "CALLS", TABLE_NUMBER, NULL },
    { "IN MPI", TABLE_DURATION, NULL }, { "OUTSIDE", TABLE_DURATION, NULL },
    { "MEMORY", TABLE_BYTES, NULL }, { "SUSPENDED", TABLE_DURATION, NULL },
    { "LAST TAG", TABLE_WIDE, NULL },
};

static int jobs(const struct tool *t, struct store *st, struct err *err)
{
    const struct ps_options *o = t->own;
    struct store_value params[] = {
        { .type = STORE_INT, .i = (int64_t)clock_wall_ns() },
        { .type = STORE_INT, .i = o->all ? -1 : o->count ? (int64_t)o->count
                                                         : PS_JOBS },
    };

    struct str sql = { 0 };
    int rc;

    /* Nobody has recorded yet how such a job has ended. */
    str_addf(&sql,
        "SELECT job, name, iif(dead, 'lost', iif(held, 'suspended', state))"
        " AS state, ntasks,"
        " started_ns, iif(dead, NULL, ifnull(ended_ns, ?1) - started_ns)"
        " AS elapsed_ns, exit_code, command FROM"
        " (SELECT j.*, %s AS held, j.ended_ns IS NULL AND"
        " ifnull(master_is_dead(m.host, m.pid, %s), 0) AS dead"
        " FROM job j LEFT JOIN master m ON m.instance = j.master"
        " WHERE j.ended_ns IS NULL OR j.job IN"
        " (SELECT job FROM job ORDER BY job DESC LIMIT ?2)) ORDER BY job",
        store_version(st) < 3 ? "0"
        : "j.state = 'running' AND NOT EXISTS (SELECT 1 FROM task t WHERE"
          " t.job = j.job AND t.held_since_ns IS NULL AND t.state NOT IN"
          " ('exited', 'killed', 'lost'))",
        store_version(st) > 1 ? "m.process" : "NULL");
    rc = answer_query(t, st, str_text(&sql), params, 2, job_columns, NULL,
                      err);
    str_fini(&sql);
    return rc;
}

static int tasks(const struct tool *t, struct store *st,
                 const struct target *target, const char *word)
{
    struct str sql = { 0 };
    struct err err;
    unsigned long rows = 0;

    str_add(&sql, "SELECT rank, n.name AS node, pid, ");
    str_add(&sql, store_version(st) > 2
        ? "iif(hold <> 'going' AND t.state NOT IN ('exited', 'killed', 'lost'),"
          " hold, t.state) AS state" : "t.state");
    str_add(&sql, ", exit_code, mpi_calls, in_mpi_ns, out_mpi_ns, rss_bytes,");
    if (store_version(st) > 2)
        str_addf(&sql, " nullif(held_ns + ifnull(%" PRIu64 " - held_since_ns,"
                 " 0), 0) AS suspended_ns,", clock_wall_ns());
    else
        str_add(&sql, " NULL AS suspended_ns,");
    str_add(&sql, " last_tag FROM task t LEFT JOIN node n ON n.id = t.node");
    target_where(target, &sql);
    str_add(&sql, " ORDER BY rank");
    int rc = answer_query(t, st, str_text(&sql), NULL, 0, task_columns, &rows,
                          &err);
    str_fini(&sql);
    if (rc)
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
