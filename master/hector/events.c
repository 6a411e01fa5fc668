/* events.c - hector events: the tagged MPI calls of a job, in time. */
#include "master/hector/commands.h"

#include "master/hector/core/answer.h"
#include "master/hector/core/target.h"

struct events_options { uint64_t count; };
static const struct events_options defaults;

static const struct args_option options[] = {
    { NULL, "n count", ARGS_VALUE, "N", "the last N",
      args_u64, offsetof(struct events_options, count), 1, INT32_MAX },
};

static const struct table_column columns[] = {
    { "RANK", TABLE_NUMBER, NULL }, { "MARKER", TABLE_NUMBER, NULL },
    { "LABEL", TABLE_WIDE, NULL }, { "CALL", TABLE_TEXT, NULL },
    { "ENTERED", TABLE_STAMP, NULL },
    { "TIME", TABLE_DURATION, "still inside" }, { "NODE", TABLE_TEXT, NULL },
};

static int run_events(const struct tool *t)
{
    const struct events_options *o = t->own;
    struct target target;
    struct query_which which;
    struct answer a;
    struct store *st;
    struct err err;
    int rc;

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "events wants one JOB or JOB.RANKS");
    if (target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    st = tool_open_store(t);
    if (!st) {
        target_fini(&target);
        return TOOL_FAILED;
    }
    /* JSON has both stamps, the table their difference. */
    which = target_which(&target);
    answer_begin(&a, t, columns);
    rc = answer_end(&a, query_events(st, &which, o->count, t->json, &a.rows,
                                     &a.why), NULL, &err);
    if (rc == 0 && !t->json)
        rc = answer_lost(st, &which, &err);
    target_fini(&target);
    store_close(st);
    return rc ? tool_complain(TOOL_FAILED, "%s", err.text) : 0;
}

const struct command events_command = {
    "events", "JOB[.RANKS]", "tagged MPI calls, in time",
    COMMAND_OPTIONS(options, defaults), run_events
};
