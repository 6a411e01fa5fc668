/* sql.c - hector sql: any question to the database, which stays as it is. */
#include "master/hector/commands.h"

#include "master/hector/core/answer.h"

static int run_sql(const struct tool *t)
{
    struct store *st;
    struct answer a;
    struct err err;
    int rc;

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "sql wants one query, in quotes");
    st = tool_open_store(t);
    if (!st)
        return TOOL_FAILED;
    answer_begin(&a, t, NULL);
    rc = answer_end(&a, store_query_bound(st, t->words[0], NULL, 0,
                                          a.rows.head, a.rows.row,
                                          a.rows.arg, &a.why), NULL, &err);
    store_close(st);
    return rc ? tool_complain(TOOL_FAILED, "%s", err.text) : 0;
}

const struct command sql_command = {
    "sql", "QUERY", "ask the database",
    COMMAND_NO_OPTIONS, run_sql
};
