/* behind_text.c - the graph of who waits for whom, in lines and for
 * programs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "master/hector/behind/behind_draw.h"

static void add_set(struct str *out, const char *before, uint64_t set)
{
    for (; set; set &= set - 1, before = ", ")
        str_addf(out, "%s%d", before, __builtin_ctzll(set) + 1);
}

void behind_draw_text(struct str *out, const struct behind *b)
{
    uint64_t waits = 0;

    for (size_t i = 0; i < b->n; i++) {
        const struct behind_node *n = &b->node[i];
        struct str line = { 0 };
        char seen[1600];

        behind_tasks(n, &line);
        str_add(&line, ": ");
        behind_where(n, &line);
        str_visible(seen, sizeof(seen), str_text(&line), line.n);
        str_addf(out, "%s%" PRIu32 ". %s", n->least ? "* " : "  ", n->place,
                 seen);
        add_set(out, ", waits for ", n->waits_for);
        add_set(out, ", undefined against ", n->unsure);
        str_addf(out, "%s%s\n", *n->decided_by ? ", others wait for it: " : "",
                 n->decided_by);
        str_fini(&line);
        waits |= n->waits_for;
    }
    str_add(out, waits ? "* has made the least progress\n"
                       : "no task is seen to be behind the others\n");
}

static json_t *set_json(uint64_t set)
{
    json_t *a = json_array();

    for (; set; set &= set - 1)
        json_array_append_new(a, json_integer(__builtin_ctzll(set) + 1));
    return a;
}

static json_t *text_json(const char *text)
{
    json_t *j = *text ? json_string(text) : json_null();

    return j ? j : json_string("?");    /* it is no UTF-8 */
}

void behind_draw_json(struct str *out, const struct behind *b)
{
    json_t *nodes = json_array(), *all;
    char *text;

    for (size_t i = 0; i < b->n; i++) {
        const struct behind_node *n = &b->node[i];

        json_array_append_new(nodes, json_pack(
            "{s:i, s:s, s:b, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
            "place", (int)n->place, "ranks", n->ranks, "least", n->least,
            "call", text_json(n->call), "inside", n->inside,
            "function", text_json(n->function), "file", text_json(n->file),
            "line", n->line ? json_integer(n->line) : json_null(),
            "waits_for", set_json(n->waits_for), "unsure", set_json(n->unsure),
            "decided_by", text_json(n->decided_by)));
    }
    all = json_pack("{s:I, s:o}", "at_ns", (json_int_t)b->at_ns, "nodes",
                    nodes);
    text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    if (text)
        str_addf(out, "%s\n", text);
    else
        out->failed = true;
    free(text);
    json_decref(all);
}
