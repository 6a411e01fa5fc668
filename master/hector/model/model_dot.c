/* model_dot.c - models in Graphviz' language. The wider an edge, the more time
 * it takes. */
#include <inttypes.h>

#include "master/hector/core/human.h"
#include "master/hector/model/model_draw.h"
#include "master/hector/stack/callview.h"

enum { WIDEST = 6 };

static void add_escaped(struct str *out, struct str *text)
{
    callview_escape_dot(out, str_text(text));
    str_reset(text);
}

static void add_state(struct str *out, const struct modelview *v,
                      uint32_t state)
{
    struct str text = { 0 };

    str_addf(out, "    %u [label=\"", v->number[state]);
    modelview_call(v, state, &text);
    add_escaped(out, &text);
    if (state >= JOBMODEL_FIRST) {
        str_add(out, "\\n");
        modelview_place(v, state, 0, &text);
        add_escaped(out, &text);
        modelview_place(v, state, JOBMODEL_DEPTH * JOBMODEL_INLINED, &text);
        str_add(out, "\", tooltip=\"");
        add_escaped(out, &text);
    }
    str_add(out, "\"];\n");
    str_fini(&text);
}

static void add_step(struct str *out, const struct modelview *v,
                     const struct jobmodel_edge *e)
{
    double share = v->total_ns > 0 ? modelview_time_ns(e) / v->total_ns : 0;
    char in[HUMAN_MAX], between[HUMAN_MAX];
    struct str ranks = { 0 };

    modelview_ranks(&e->tasks, &ranks);
    str_addf(out, "    %u -> %u [label=\"%" PRIu64 " x %s + %s\", penwidth="
             "%.2f, tooltip=\"%.1f %% of the time; ranks ",
             v->number[e->from], v->number[e->to], e->n,
             human_duration(in, (int64_t)e->in.mean),
             human_duration(between, (int64_t)e->out.mean),
             1 + (WIDEST - 1) * share, 100 * share);
    add_escaped(out, &ranks);
    str_add(out, "\"];\n");
    str_fini(&ranks);
}

void model_draw_dot(struct str *out, const struct modelview *v)
{
    str_add(out, "digraph model {\n    label=\"");
    callview_escape_dot(out, v->title);
    str_add(out, ": steps from call to call, how often x the time in the first"
            " + that between\";\n"
            "    node [shape=box, style=\"rounded\", height=0.2, "
            "fontname=\"Helvetica\"];\n"
            "    edge [fontname=\"Helvetica\"];\n");
    for (uint32_t i = 0; i < v->nstates; i++)
        add_state(out, v, v->state[i]);
    for (size_t i = 0; i < v->norder; i++)
        add_step(out, v, &v->steps.edge[v->order[i]]);
    str_add(out, "}\n");
}
