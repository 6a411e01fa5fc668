/* stack_dot.c - a call tree in Graphviz' language.
 *
 * Node and edge attributes are those of STAT's files, so that its viewer
 * opens them; labels say the same for plain dot. Nodes with the same tasks
 * have the same colour. */
#include "master/hector/stack/stack_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/paths.h"

enum { LABEL_RANKS = 40 };

static const char unknown[] = "(null)";         /* to STAT */

static const char *const colours[] = {
    "#bbdefb", "#c8e6c9", "#ffe0b2", "#e1bee7", "#b2ebf2", "#f0f4c3",
    "#ffcdd2", "#d7ccc8", "#c5cae9", "#dcedc8", "#ffecb3", "#f8bbd0",
};

static const char *colour_of(const char *ranks)
{
    uint32_t h = 2166136261u;

    for (; *ranks; ranks++)
        h = (h ^ (unsigned char)*ranks) * 16777619u;
    return colours[h % (sizeof(colours) / sizeof(colours[0]))];
}

static void add_attribute(struct str *out, const char *name, const char *text)
{
    str_addf(out, ", %s=\"", name);
    callview_escape_dot(out, text);
    str_add(out, "\"");
}

static void add_label(struct str *out, const struct callview *v, uint32_t node)
{
    str_add(out, "label=\"");
    callview_escape_dot(out, callview_function(v, node));
    if (callview_line(v, node)) {
        str_add(out, "@");
        callview_escape_dot(out, paths_base(callview_file(v, node)));
        str_addf(out, ":%u", callview_line(v, node));
    }
    str_add(out, "\"");
}

/* STAT's viewer shows FUNCTION@SOURCE:LINE, else MODULE and OFFSET put together
 * in place of the function, else the function: what is not to be shown is
 * "(null)". */
static void add_place(struct str *out, const struct callview *v, uint32_t node)
{
    const struct prefixtree *t = &v->tree;
    const struct prefixtree_frame *f = &t->frames[t->nodes[node].frame];
    const char *module = callview_module(v, node);
    bool source = *callview_file(v, node) && f->line;
    bool unnamed = *module && f->offset;
    char number[32];

    snprintf(number, sizeof(number), "%u", f->line);
    add_attribute(out, "source", source ? callview_file(v, node) : unknown);
    add_attribute(out, "line", source ? number : unknown);
    snprintf(number, sizeof(number), "+0x%" PRIx64, f->offset);
    add_attribute(out, "module", unnamed ? module : unknown);
    add_attribute(out, "offset", unnamed ? number : unknown);
    if (*module)
        add_attribute(out, "tooltip", module);
}

static void add_node(struct str *out, const struct callview *v, uint32_t node)
{
    struct str ranks = { 0 };

    callview_ranks(v, node, &ranks);
    str_addf(out, "    %u [", node);
    add_label(out, v, node);
    add_attribute(out, "fillcolor", colour_of(str_text(&ranks)));
    add_attribute(out, "fontcolor", "#000000");
    add_attribute(out, "function", callview_function(v, node));
    add_place(out, v, node);
    str_add(out, "];\n");
    str_fini(&ranks);
}

static void add_edge(struct str *out, const struct callview *v, uint32_t node)
{
    const struct prefixtree *t = &v->tree;
    struct str ranks = { 0 };
    uint32_t count = prefixtree_count(t, node), rep = 0;

    callview_ranks(v, node, &ranks);
    sscanf(str_text(&ranks), "[%u", &rep);
    str_addf(out, "    %u -> %u [label=\"%u:", t->nodes[node].parent, node,
             count);
    if (ranks.n > LABEL_RANKS)
        str_addf(out, "%.*s...]", LABEL_RANKS, str_text(&ranks));
    else
        str_add(out, str_text(&ranks));
    str_addf(out, "\", bv=\"%s\", count=\"%u\", rep=\"%u\", tcount=\"%" PRIu64
             "\"];\n", str_text(&ranks), count, rep,
             prefixtree_traces(t, node));
    str_fini(&ranks);
}

void stack_draw_dot(struct str *out, const struct callview *v)
{
    str_add(out, "digraph G {\n    label=\"");
    callview_escape_dot(out, v->title);
    str_add(out, "\";\n    node [shape=box, style=\"filled,rounded\", "
            "height=0.2, fontname=\"Helvetica\"];\n"
            "    edge [fontname=\"Helvetica\"];\n"
            "    0 [label=\"/\", fillcolor=\"#ffffff\", "
            "fontcolor=\"#000000\", function=\"/\"];\n");
    for (uint32_t i = 0; i < v->n; i++)
        add_node(out, v, v->order[i]);
    for (uint32_t i = 0; i < v->n; i++)
        add_edge(out, v, v->order[i]);
    str_add(out, "}\n");
}
