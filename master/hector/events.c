/* events.c - hector events: the tagged MPI calls of a job, in time. */
#include "master/hector/commands.h"

#include <inttypes.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/target.h"
#include "proto/base/str.h"

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

/* -n takes the last ones. JSON has both stamps, the table their difference. */
static void question(const struct tool *t, const struct target *target,
                     struct str *sql)
{
    const struct events_options *o = t->own;

    str_addf(sql, "SELECT rank, marker, label, call, enter_ns, %s, node"
             " FROM events", t->json ? "exit_ns" : "exit_ns - enter_ns");
    target_where(target, sql);
    if (o->count)
        str_addf(sql, " ORDER BY enter_ns DESC, rank DESC LIMIT %" PRIu64,
                 o->count);
    else
        str_add(sql, " ORDER BY enter_ns, rank");
}

static int run_events(const struct tool *t)
{
    const struct events_options *o = t->own;
    struct str sql = { 0 };
    struct target target;
    struct store *st;
    struct err err;
    int rc;

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "events wants one JOB or JOB.RANKS");
    if (target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    if (o->count)
        str_add(&sql, "SELECT * FROM (");
    question(t, &target, &sql);
    if (o->count)
        str_add(&sql, ") ORDER BY enter_ns, rank");
    st = tool_open_store(t);
    rc = st ? answer_query(t, st, str_text(&sql), NULL, 0, columns, NULL, &err)
            : 0;
    str_fini(&sql);
    target_fini(&target);
    if (!st)
        return TOOL_FAILED;
    store_close(st);
    return rc ? tool_complain(TOOL_FAILED, "%s", err.text) : 0;
}

const struct command events_command = {
    "events", "JOB[.RANKS]", "tagged MPI calls, in time",
    COMMAND_OPTIONS(options, defaults), run_events
};
