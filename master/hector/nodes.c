/* nodes.c - hector nodes: the machines slaves have reported from. */
#include "master/hector/commands.h"

#include "master/hector/core/answer.h"

static const struct table_column columns[] = {
    { "NODE", TABLE_TEXT, NULL }, { "STATE", TABLE_TEXT, NULL },
    { "CPUS", TABLE_NUMBER, NULL }, { "LOAD", TABLE_NUMBER, NULL },
    { "MEMORY", TABLE_BYTES, NULL }, { "CLOCK", TABLE_DURATION, NULL },
    { "+/-", TABLE_DURATION, NULL }, { "SEEN", TABLE_AGE, NULL },
    { "DRAIN", TABLE_TEXT, NULL }, { "OWNER", TABLE_TEXT, NULL },
};

static int run_nodes(const struct tool *t)
{
    struct store *st = tool_open_store(t);
    struct answer a;
    struct err err;
    int rc;

    if (!st)
        return TOOL_FAILED;
    answer_begin(&a, t, columns);
    rc = answer_end(&a, query_nodes(st, &a.rows, &a.why), NULL, &err);
    store_close(st);
    return rc ? tool_complain(TOOL_FAILED, "%s", err.text) : 0;
}

const struct command nodes_command = {
    "nodes", "", "machines, their load and their clocks",
    COMMAND_NO_OPTIONS, run_nodes
};
