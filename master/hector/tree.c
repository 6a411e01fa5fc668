/* tree.c - hector tree: the tree of slaves through which things are gathered,
 * each of them asked whether it is there. */
#include "master/hector/commands.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/ask.h"
#include "master/hector/core/seek.h"
#include "master/hector/core/target.h"
#include "proto/base/parse.h"

static void print_name(const char *name, const char *ranks, const char *why)
{
    char text[4][1024];

    str_visible(text[0], sizeof(text[0]), name, strlen(name));
    str_visible(text[1], sizeof(text[1]), ranks, strlen(ranks));
    str_visible(text[2], sizeof(text[2]), why, strlen(why));
    printf("%s%s%s%s%s\n", text[0], *ranks ? ", ranks " : "", text[1],
           *why ? ": " : "", text[2]);
}

static const Hct__Gathered__Absent *absence(const Hct__Gathered *m,
                                            const char *name)
{
    for (size_t i = 0; i < m->n_absent; i++)
        if (strcmp(m->absent[i]->node, name) == 0)
            return m->absent[i];
    return NULL;
}

static void print_text(const Hct__Gathered *m)
{
    size_t n = m->n_nodes < m->n_parents ? m->n_nodes : m->n_parents;

    printf("%u slaves, %u level%s, fan-out %u: %.3f ms, %zu missing\n",
           m->members, m->levels, m->levels == 1 ? "" : "s", m->fan_out,
           (double)m->took_ns / 1e6, m->n_absent);
    for (size_t i = 0; i < n; i++) {
        const Hct__Gathered__Absent *a = absence(m, m->nodes[i]);
        unsigned deep = 1;

        for (size_t k = i; m->parents[k] && m->parents[k] <= k; deep++)
            k = m->parents[k] - 1;      /* a parent has a smaller number */
        printf("%*s", (int)deep * 2, "");
        print_name(m->nodes[i], a ? a->ranks : "", a ? a->why : "");
    }
    for (size_t i = 0; i < m->n_absent; i++) {  /* not in the tree at all */
        bool asked = false;

        for (size_t k = 0; k < n; k++)
            asked = asked || strcmp(m->nodes[k], m->absent[i]->node) == 0;
        if (!asked)
            print_name(m->absent[i]->node, m->absent[i]->ranks,
                       m->absent[i]->why);
    }
}

static void print_json(const Hct__Gathered *m)
{
    json_t *nodes = json_array(), *missing = json_array(), *j;

    for (size_t i = 0; i < m->n_nodes && i < m->n_parents; i++)
        json_array_append_new(nodes, json_pack("{s:s, s:I}",
            "node", m->nodes[i], "parent", (json_int_t)m->parents[i] - 1));
    for (size_t i = 0; i < m->n_absent; i++)
        json_array_append_new(missing, json_pack("{s:s, s:s, s:s}",
            "node", m->absent[i]->node, "ranks", m->absent[i]->ranks,
            "why", m->absent[i]->why));
    j = json_pack("{s:i, s:i, s:i, s:I, s:o, s:o}", "slaves", (int)m->members,
                  "levels", (int)m->levels, "fan_out", (int)m->fan_out,
                  "took_ns", (json_int_t)m->took_ns, "nodes", nodes,
                  "missing", missing);
    if (j)
        json_dumpf(j, stdout, JSON_COMPACT);
    json_decref(j);
    putchar('\n');
}

struct tree_options { uint64_t levels; };
static const struct tree_options defaults;

static const struct args_option options[] = {
    { NULL, "n count", ARGS_VALUE, "N", "N levels",
      args_u64, offsetof(struct tree_options, levels), 1, INT32_MAX },
};

static int run_tree(const struct tool *t)
{
    const struct tree_options *o = t->own;
    Hct__Gather m = HCT__GATHER__INIT;
    char address[ADDR_LIST_MAX];
    struct ask a;
    struct err err = { 0 };
    int status = 0;

    if (t->nwords > 1)
        return tool_complain(TOOL_USAGE, "tree wants one JOB, or none");
    if (t->nwords && parse_u64(&m.job, t->words[0], 1, INT64_MAX, &err))
        return tool_complain(TOOL_USAGE, "the number of a job: %s", err.text);
    m.kind = (char *)"who";
    m.levels = (uint32_t)o->levels;
    if (seek_master(t, m.job, address, &err) ||
        ask_gather(&a, address, &m, &err))
        return tool_complain(TOOL_FAILED, "%s%s%s", t->nwords ? t->words[0]
                             : "", t->nwords ? ": " : "", err.text);
    if (t->json)
        print_json(a.end);
    else
        print_text(a.end);
    if (a.end->n_absent)
        status = TOOL_FAILED;
    ask_fini(&a);
    return status;
}

const struct command tree_command = {
    "tree", "[JOB]", "the tree of slaves, and who answers",
    COMMAND_OPTIONS(options, defaults), run_tree
};
