/* callview.c - a call tree as it is shown. */
#include "master/hector/stack/callview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/taskset.h"
#include "proto/tree/mpiname.h"

/* -------------------------------------------------------------- the frames */

static const struct prefixtree_frame *frame_of(const struct prefixtree *t,
                                               uint32_t node)
{
    return &t->frames[t->nodes[node].frame];
}

static bool node_in_mpi(const struct prefixtree *t, uint32_t node)
{
    const struct prefixtree_frame *f = frame_of(t, node);

    return node && mpiname_is(prefixtree_text(t, f->function),
                              prefixtree_text(t, f->module));
}

const char *callview_function(const struct callview *v, uint32_t node)
{
    return prefixtree_text(&v->tree, frame_of(&v->tree, node)->function);
}

const char *callview_module(const struct callview *v, uint32_t node)
{
    return prefixtree_text(&v->tree, frame_of(&v->tree, node)->module);
}

const char *callview_file(const struct callview *v, uint32_t node)
{
    return prefixtree_text(&v->tree, frame_of(&v->tree, node)->file);
}

uint32_t callview_line(const struct callview *v, uint32_t node)
{
    return frame_of(&v->tree, node)->line;
}

/* --------------------------------------------------------------- the tasks */

static void add_set(struct taskset *set, struct str *out)
{
    int n = taskset_format(set, NULL, 0);
    char *text = malloc((size_t)n + 1);

    if (text) {
        taskset_format(set, text, (size_t)n + 1);
        str_addf(out, "[%s]", text);
    }
    free(text);
    taskset_fini(set);
}

void callview_ranks(const struct callview *v, uint32_t node, struct str *out)
{
    struct taskset set = { 0 };

    prefixtree_tasks(&v->tree, node, &set);
    add_set(&set, out);
}

void callview_class_ranks(const struct callview *v, uint32_t i,
                          struct str *out)
{
    struct taskset set = { 0 };

    prefixtree_class_tasks(&v->classes, &v->tree, i, &set);
    add_set(&set, out);
}

uint64_t callview_self(const struct callview *v, uint32_t node)
{
    const struct prefixtree *t = &v->tree;
    uint64_t n = prefixtree_traces(t, node), below = 0;

    for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].sibling)
        below += prefixtree_traces(t, c);
    return n > below ? n - below : 0;   /* who counts wrongly has none */
}

unsigned callview_path(const struct callview *v, uint32_t node,
                       uint32_t *path, unsigned max)
{
    const struct prefixtree_node *nodes = v->tree.nodes;
    unsigned n = 0, i;

    for (uint32_t at = node; at; at = nodes[at].parent)
        n++;
    for (i = n; node; node = nodes[node].parent)
        if (--i < max)
            path[i] = node;
    return n < max ? n : max;
}

/* ----------------------------------------------------------------- cutting */

/* The nodes that stay, as a tree that borrows all but its nodes from t. */
static int keep_nodes(struct prefixtree *part, const struct prefixtree *t)
{
    uint32_t *to = calloc(t->nnodes, sizeof(*to)), n = 1;

    *part = *t;
    part->nodes = calloc(t->nnodes, sizeof(*part->nodes));
    part->counts = calloc(t->nnodes * t->nsamples, sizeof(*part->counts));
    if (!to || !part->nodes || !part->counts) {
        free(to);
        return -1;
    }
    part->nodes[0] = t->nodes[0];
    memcpy(part->counts, t->counts, t->nsamples * sizeof(*t->counts));
    for (uint32_t i = 1; i < t->nnodes; i++) {
        uint32_t parent = t->nodes[i].parent;

        if ((parent && !to[parent]) || node_in_mpi(t, parent))
            continue;
        part->nodes[n] = t->nodes[i];
        part->nodes[n].parent = to[parent];
        memcpy(&part->counts[(size_t)n * t->nsamples],
               &t->counts[(size_t)i * t->nsamples],
               t->nsamples * sizeof(*t->counts));
        to[i] = n++;
    }
    part->nnodes = n;
    free(to);
    return 0;
}

static int cut_tree(struct prefixtree *out, const struct prefixtree *t,
                    struct err *err)
{
    struct prefixtree part;
    int rc = keep_nodes(&part, t) ? err_memory(err) : 0;

    rc = rc || prefixtree_init(out, t->width, t->nsamples, err);
    if (!rc && prefixtree_merge(out, &part, 0, err)) {
        prefixtree_fini(out);
        rc = -1;
    }
    free(part.nodes);
    free(part.counts);
    return rc ? -1 : 0;
}

/* ---------------------------------------------------------------- the order */

static const struct callview *sorted;   /* what by_rareness() compares in */

static int by_rareness(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t n = prefixtree_count(&sorted->tree, x);
    uint32_t m = prefixtree_count(&sorted->tree, y);
    int by_name;

    if (n != m)
        return n < m ? -1 : 1;
    by_name = strcmp(callview_function(sorted, x),
                     callview_function(sorted, y));
    if (by_name)
        return by_name;
    n = callview_line(sorted, x);
    m = callview_line(sorted, y);
    return n != m ? (n < m ? -1 : 1) : x < y ? -1 : x > y;
}

/* Children of node, and all below them. stack has room for all nodes. */
static void walk(struct callview *v, uint32_t *stack, uint32_t *levels)
{
    const struct prefixtree_node *nodes = v->tree.nodes;
    uint32_t n = 1;

    stack[0] = levels[0] = 0;
    while (n > 0) {
        uint32_t node = stack[--n], level = levels[n], first = n;

        if (node) {
            v->order[v->n] = node;
            v->depth[v->n++] = level - 1;
        }
        for (uint32_t c = nodes[node].child; c; c = nodes[c].sibling) {
            stack[n] = c;
            levels[n++] = level + 1;
        }
        /* What is to come first has to lie on top. */
        qsort(stack + first, n - first, sizeof(*stack), by_rareness);
        for (uint32_t i = 0; i < (n - first) / 2; i++) {
            uint32_t c = stack[first + i];

            stack[first + i] = stack[n - 1 - i];
            stack[n - 1 - i] = c;
        }
    }
}

static int make_order(struct callview *v)
{
    size_t n = v->tree.nnodes;
    uint32_t *stack = calloc(n, sizeof(*stack));
    uint32_t *levels = calloc(n, sizeof(*levels));

    v->order = calloc(n, sizeof(*v->order));
    v->depth = calloc(n, sizeof(*v->depth));
    v->in_mpi = calloc(n, sizeof(*v->in_mpi));
    if (stack && levels && v->order && v->depth && v->in_mpi) {
        sorted = v;
        walk(v, stack, levels);
        for (uint32_t i = 0; i < n; i++)
            v->in_mpi[i] = node_in_mpi(&v->tree, i);
    }
    free(stack);
    free(levels);
    return v->n + 1 == n ? 0 : -1;
}

int callview_init(struct callview *v, const Hct__CallTree *m, bool cut,
                  struct err *err)
{
    struct prefixtree whole;

    memset(v, 0, sizeof(*v));
    if (prefixtree_parse(&whole, m->tree.data, m->tree.len, err))
        return -1;
    v->m = m;
    v->title = "";
    if (!cut) {
        v->tree = whole;
    } else if (cut_tree(&v->tree, &whole, err)) {
        prefixtree_fini(&whole);
        return -1;
    } else {
        prefixtree_fini(&whole);
    }
    v->ntasks = prefixtree_count(&v->tree, 0);
    if (make_order(v) || prefixtree_classify(&v->classes, &v->tree)) {
        callview_fini(v);
        return err_memory(err);
    }
    return 0;
}

void callview_fini(struct callview *v)
{
    prefixtree_fini(&v->tree);
    prefixtree_classes_fini(&v->classes);
    free(v->order);
    free(v->depth);
    free(v->in_mpi);
    memset(v, 0, sizeof(*v));
}

/* ----------------------------------------------------------------- escaping */

void callview_escape_xml(struct str *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': str_add(out, "&amp;"); break;
        case '<': str_add(out, "&lt;"); break;
        case '>': str_add(out, "&gt;"); break;
        case '"': str_add(out, "&quot;"); break;
        default:
            if ((unsigned char)*text >= ' ')
                str_add_bytes(out, text, 1);
        }
}

void callview_escape_dot(struct str *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            str_add(out, "\\");
        if ((unsigned char)*text >= ' ')
            str_add_bytes(out, text, 1);
    }
}
