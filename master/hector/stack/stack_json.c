/* stack_json.c - a call tree for programs: one JSON object; and as folded
 * stacks, what tools that draw flame graphs read. */
#include "master/hector/stack/stack_draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/json.h"

enum { DEPTH = PREFIXTREE_DEPTH_MAX };

static json_t *ranks_json(struct str *ranks)
{
    json_t *j = NULL;

    if (ranks->n >= 2)          /* without the brackets */
        j = json_stringn(ranks->s + 1, ranks->n - 2);
    str_fini(ranks);
    return j ? j : json_string("");
}

static json_t *node_json(const struct callview *v, uint32_t node)
{
    const struct prefixtree *t = &v->tree;
    const struct prefixtree_frame *f = &t->frames[t->nodes[node].frame];
    json_t *j = json_object(), *traces = json_array();
    struct str ranks = { 0 };

    callview_ranks(v, node, &ranks);
    json_object_set_new(j, "id", json_integer(node));
    json_object_set_new(j, "parent", json_integer(t->nodes[node].parent));
    json_object_set_new(j, "function", json_name(callview_function(v, node)));
    json_object_set_new(j, "module", json_name(callview_module(v, node)));
    if (*callview_file(v, node)) {
        json_object_set_new(j, "file", json_name(callview_file(v, node)));
        json_object_set_new(j, "line", json_integer(f->line));
    }
    if (f->offset)
        json_object_set_new(j, "offset", json_integer((json_int_t)f->offset));
    json_object_set_new(j, "in_mpi", json_boolean(v->in_mpi[node]));
    json_object_set_new(j, "count", json_integer(prefixtree_count(t, node)));
    json_object_set_new(j, "ranks", ranks_json(&ranks));
    for (uint32_t s = 0; s < t->nsamples; s++)
        json_array_append_new(traces, json_integer(
            t->counts[(size_t)node * t->nsamples + s]));
    json_object_set_new(j, "traces", traces);
    return j;
}

static json_t *class_json(const struct callview *v, uint32_t i)
{
    const struct prefixtree_class *c = &v->classes.v[i];
    json_t *j = json_object(), *leaves = json_array();
    struct str ranks = { 0 };

    callview_class_ranks(v, i, &ranks);
    json_object_set_new(j, "count", json_integer(c->count));
    json_object_set_new(j, "representative", json_integer(c->representative));
    json_object_set_new(j, "ranks", ranks_json(&ranks));
    for (uint32_t l = 0; l < c->nleaves; l++)
        json_array_append_new(leaves,
                              json_integer(v->classes.leaves[c->leaf + l]));
    json_object_set_new(j, "leaves", leaves);
    return j;
}

static json_t *tree_json(const struct callview *v)
{
    json_t *j = json_object(), *nodes = json_array(), *classes = json_array();
    json_t *notes = json_array(), *remarks = json_array();
    const Hct__CallTree *m = v->m;

    for (uint32_t i = 0; i < v->n; i++)
        json_array_append_new(nodes, node_json(v, v->order[i]));
    for (uint32_t i = 0; i < v->classes.n; i++)
        json_array_append_new(classes, class_json(v, i));
    for (size_t i = 0; i < m->n_notes; i++)
        json_array_append_new(notes, json_pack("{s:s, s:o}", "ranks",
            m->notes[i]->ranks, "text", json_name(m->notes[i]->text)));
    for (size_t i = 0; i < m->n_remarks; i++)
        json_array_append_new(remarks, json_name(m->remarks[i]));
    json_object_set_new(j, "title", json_name(v->title));
    json_object_set_new(j, "of", json_string(v->processes ? "processes"
                                                          : "ranks"));
    json_object_set_new(j, "tasks", json_integer(v->ntasks));
    json_object_set_new(j, "samples", json_integer(v->tree.nsamples));
    json_object_set_new(j, "classes", classes);
    json_object_set_new(j, "nodes", nodes);
    json_object_set_new(j, "notes", notes);
    json_object_set_new(j, "remarks", remarks);
    json_object_set_new(j, "stops", json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I}", "ptrace", (json_int_t)m->copies,
        "told", (json_int_t)m->told,
        "held_p50_ns", (json_int_t)m->held_p50_ns,
        "held_p99_ns", (json_int_t)m->held_p99_ns,
        "total_p50_ns", (json_int_t)m->total_p50_ns,
        "total_p99_ns", (json_int_t)m->total_p99_ns));
    return j;
}

void stack_draw_json(struct str *out, const struct callview *v)
{
    json_t *j = tree_json(v);
    char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;

    if (text)
        str_addf(out, "%s\n", text);
    else
        out->failed = true;
    free(text);
    json_decref(j);
}

static void add_folded_name(struct str *out, const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name >= ' ')
            str_add_bytes(out, *name == ';' ? ":" : name, 1);
}

void stack_draw_folded(struct str *out, const struct callview *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        uint64_t self = callview_self(v, v->order[i]);
        uint32_t path[DEPTH];
        unsigned n = callview_path(v, v->order[i], path, DEPTH);

        if (self == 0)
            continue;
        for (unsigned j = 0; j < n; j++) {
            if (j)
                str_add(out, ";");
            add_folded_name(out, callview_function(v, path[j]));
            if (callview_line(v, path[j]))
                str_addf(out, ":%u", callview_line(v, path[j]));
        }
        str_addf(out, " %" PRIu64 "\n", self);
    }
}
