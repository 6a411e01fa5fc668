/* behind_dot.c - the graph of who waits for whom in Graphviz' language: edges
 * go to who is waited for, dashed where nothing says which way. */
#include <inttypes.h>

#include "master/hector/behind/behind_draw.h"
#include "master/hector/stack/callview.h"

static void add_node(struct str *out, const struct behind_node *n)
{
    struct str text = { 0 };

    str_addf(out, "    %" PRIu32 " [label=\"", n->place);
    behind_tasks(n, &text);
    callview_escape_dot(out, str_text(&text));
    str_reset(&text);
    str_add(out, "\\n");
    behind_where(n, &text);
    callview_escape_dot(out, str_text(&text));
    str_addf(out, "\"%s", n->least ? ", fillcolor=\"#ffcdd2\"" : "");
    if (*n->decided_by)
        str_addf(out, ", tooltip=\"%s\"", n->decided_by);
    str_add(out, "];\n");
    str_fini(&text);
}

void behind_draw_dot(struct str *out, const struct behind *b, const char *title)
{
    str_add(out, "digraph progress {\n    label=\"");
    callview_escape_dot(out, title);
    str_add(out, ": who waits for whom\";\n"
            "    node [shape=box, style=\"filled,rounded\", "
            "fillcolor=\"#ffffff\", fontname=\"Helvetica\"];\n");
    for (size_t i = 0; i < b->n; i++)
        add_node(out, &b->node[i]);
    for (size_t i = 0; i < b->n; i++) {
        const struct behind_node *n = &b->node[i];

        for (uint64_t set = n->waits_for; set; set &= set - 1)
            str_addf(out, "    %" PRIu32 " -> %d;\n", n->place,
                     __builtin_ctzll(set) + 1);
        for (uint64_t set = n->unsure; set; set &= set - 1)
            if ((uint32_t)__builtin_ctzll(set) + 1 > n->place)
                str_addf(out, "    %" PRIu32 " -> %d [dir=none, style=dashed];\n",
                         n->place, __builtin_ctzll(set) + 1);
    }
    str_add(out, "}\n");
}
