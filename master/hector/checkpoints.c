/* checkpoints.c - hector checkpoints: what tasks can be made again of. */
#include "master/hector/commands.h"

#include "master/hector/core/answer.h"
#include "master/hector/core/target.h"

static const struct table_column columns[] = {
    { "JOB", TABLE_NUMBER, NULL }, { "NUMBER", TABLE_NUMBER, NULL },
    { "STATE", TABLE_TEXT, NULL }, { "AT", TABLE_STAMP, NULL },
    { "IMAGES", TABLE_BYTES, NULL }, { "STOOD", TABLE_DURATION, NULL },
    { "DIRECTORY", TABLE_WIDE, NULL },
};

static int run_checkpoints(const struct tool *t)
{
    struct query_which which = { 0 };
    struct target target = { 0 };
    struct store *st;
    struct answer a;
    struct err err;
    int rc;

    if (t->nwords > 1)
        return tool_complain(TOOL_USAGE, "checkpoints wants one JOB, or none");
    if (t->nwords && target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    which.job = target.job;
    target_fini(&target);
    st = tool_open_store(t);
    if (!st)
        return TOOL_FAILED;
    answer_begin(&a, t, columns);
    rc = answer_end(&a, query_checkpoints(st, &which, &a.rows, &a.why), NULL,
                    &err);
    store_close(st);
    return rc ? tool_complain(TOOL_FAILED, "%s", err.text) : 0;
}

const struct command checkpoints_command = {
    "checkpoints", "[JOB]", "checkpoints of jobs, and where they are",
    COMMAND_NO_OPTIONS, run_checkpoints
};
