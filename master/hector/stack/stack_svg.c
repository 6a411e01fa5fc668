/* stack_svg.c - a call tree as a picture: the outermost function on top, each
 * box as wide as it has traces. */
#include "master/hector/stack/stack_draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, ROW = 20, TOP = 44, MARGIN = 10, LETTER = 7 };

static const char *const warm[] = { "#ffcc80", "#ffab91", "#ffe082",
                                    "#ffb74d", "#f6c28b" };

static void add_box(struct str *out, const struct callview *v, uint32_t node,
                    unsigned depth, double x, double width)
{
    const char *name = callview_function(v, node);
    double y = TOP + depth * ROW;
    struct str ranks = { 0 };
    size_t letters = (size_t)(width / LETTER), n = strlen(name);

    callview_ranks(v, node, &ranks);
    str_add(out, "<g><title>");
    callview_escape_xml(out, name);
    if (callview_line(v, node)) {
        str_add(out, " ");
        callview_escape_xml(out, callview_file(v, node));
        str_addf(out, ":%u", callview_line(v, node));
    }
    str_addf(out, "\n%u: %s, %" PRIu64 " traces</title>"
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
             "fill=\"%s\"/>", prefixtree_count(&v->tree, node),
             str_text(&ranks), prefixtree_traces(&v->tree, node), x, y,
             width > 1 ? width - 0.5 : width, ROW - 1,
             v->in_mpi[node] ? "#b0bec5" : warm[(n * 7 + depth) % 5]);
    if (letters > 2) {
        char *cut = strndup(name, letters - 1);

        str_addf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + 14);
        callview_escape_xml(out, cut ? cut : "");
        str_add(out, "</text>");
        free(cut);
    }
    str_add(out, "</g>\n");
    str_fini(&ranks);
}

void stack_draw_svg(struct str *out, const struct callview *v)
{
    uint64_t all = prefixtree_traces(&v->tree, 0);
    double *x = calloc(v->tree.nnodes, sizeof(*x));     /* next free place */
    unsigned deepest = 0;

    for (uint32_t i = 0; i < v->n; i++)
        if (v->depth[i] > deepest)
            deepest = v->depth[i];
    str_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
             "height=\"%u\" font-family=\"monospace\" font-size=\"12\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
             "<text x=\"%d\" y=\"26\" font-size=\"16\">", WIDTH,
             TOP + (deepest + 1) * ROW + MARGIN, MARGIN);
    callview_escape_xml(out, v->title);
    str_addf(out, ": %u %s, %u classes</text>\n", v->ntasks,
             v->processes ? "processes" : "tasks", v->classes.n);
    if (x)
        x[0] = MARGIN;
    for (uint32_t i = 0; x && all && i < v->n; i++) {
        uint32_t node = v->order[i], parent = v->tree.nodes[node].parent;
        double width = (double)prefixtree_traces(&v->tree, node) /
                       (double)all * (WIDTH - 2 * MARGIN);

        x[node] = x[parent];
        add_box(out, v, node, v->depth[i], x[node], width);
        x[parent] += width;
    }
    str_add(out, "</svg>\n");
    free(x);
}
