/* prefixtree_class.c - a tree at its end: ranks in place of positions, and
 * classes of tasks. */
#include "proto/tree/prefixtree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/model/bits.h"

/* ------------------------------------------------------------------- ranks */

/* Positions that follow each other and whose ranks do, too. */
struct run { uint32_t position, rank, n; };

static size_t find_runs(struct run *v, const uint32_t *rank_of, uint32_t n)
{
    size_t k = 0;

    for (uint32_t p = 0; p < n; p++) {
        if (k && rank_of[p] == v[k - 1].rank + v[k - 1].n) {
            v[k - 1].n++;
            continue;
        }
        v[k++] = (struct run){ p, rank_of[p], 1 };
    }
    return k;
}

static void move_runs(uint64_t *to, const struct prefixtree *t,
                      const struct prefixtree_node *n, const struct run *v,
                      size_t nruns)
{
    size_t first = (size_t)n->first * 64, end = first + (size_t)n->nwords * 64;

    for (size_t i = 0; i < nruns; i++) {
        size_t from = v[i].position, last = from + v[i].n, rank = v[i].rank;

        if (last <= first || from >= end)
            continue;
        if (from < first) {
            rank += first - from;
            from = first;
        }
        if (last > end)
            last = end;
        bits_or_range(to, rank, t->words + n->at, from - first, last - from);
    }
}

static void move_bits(uint64_t *to, const struct prefixtree *t,
                      const struct prefixtree_node *n,
                      const uint32_t *rank_of)
{
    for (uint32_t i = 0; i < n->nwords; i++)
        for (uint64_t w = t->words[n->at + i]; w; w &= w - 1)
            bits_set(to, rank_of[(n->first + i) * 64 +
                                 (uint32_t)__builtin_ctzll(w)]);
}

/* The arrays of t but for the labels and the tables, which only who adds and
 * merges needs. */
static int copy_shape(struct prefixtree *out, const struct prefixtree *t)
{
#define COPY(v, count)                                                  \
    ((out->v = malloc((count) * sizeof(*out->v) + 1)) != NULL &&        \
     memcpy(out->v, t->v, (count) * sizeof(*out->v)) != NULL)
    *out = (struct prefixtree){
        .width = t->width, .nsamples = t->nsamples, .nnodes = t->nnodes,
        .nframes = t->nframes, .nnames = t->nnames, .ntext = t->ntext,
        .cap_nodes = t->nnodes, .cap_frames = t->nframes,
        .cap_names = t->nnames + 1, .cap_text = t->ntext,
        .cap_counts = t->nnodes * t->nsamples };
    return COPY(nodes, t->nnodes) && COPY(frames, t->nframes) &&
           COPY(counts, t->nnodes * t->nsamples) &&
           COPY(name_at, t->nnames + 1) && COPY(text, t->ntext) ? 0 : -1;
#undef COPY
}

static int copy_tables(struct prefixtree *t)
{
    for (uint32_t i = 0; i < t->nnames; i++) {
        uint64_t h = idtable_hash(t->text + t->name_at[i],
                                  t->name_at[i + 1] - t->name_at[i] - 1);

        if (idtable_add(&t->by_name, h, i))
            return -1;
    }
    for (uint32_t i = 0; i < t->nframes; i++)
        if (idtable_add(&t->by_frame, prefixtree_frame_hash(&t->frames[i]), i))
            return -1;
    for (uint32_t i = 1; i < t->nnodes; i++)
        if (idtable_add(&t->edges, idtable_mix(t->nodes[i].parent,
                                               t->nodes[i].frame), i))
            return -1;
    return 0;
}

/* What a label becomes: into scratch, then the words between its ends. */
static int remap_label(struct prefixtree *out, uint32_t node, uint64_t *scratch,
                       uint32_t nwords)
{
    struct prefixtree_node *n = &out->nodes[node];
    uint32_t lo = 0, hi = nwords;

    while (lo < hi && scratch[lo] == 0)
        lo++;
    while (lo < hi && scratch[hi - 1] == 0)
        hi--;
    n->first = lo;
    n->nwords = n->cap = hi - lo;
    n->at = out->nwords;
    if (lo == hi)
        return 0;
    if (out->nwords + n->nwords > PREFIXTREE_WORDS_MAX ||
        array_reserve(&out->words, &out->cap_words, out->nwords + n->nwords))
        return -1;
    memcpy(out->words + n->at, scratch + lo, n->nwords * sizeof(*scratch));
    memset(scratch + lo, 0, n->nwords * sizeof(*scratch));
    out->nwords += n->nwords;
    return 0;
}

int prefixtree_remap(struct prefixtree *out, const struct prefixtree *t,
                     const uint32_t *rank_of, uint32_t ntasks,
                     struct err *err)
{
    uint32_t nwords = ntasks / 64 + 1;
    struct run *runs = malloc((t->width + 1) * sizeof(*runs));
    uint64_t *scratch = calloc(nwords, sizeof(*scratch));
    size_t nruns;
    int rc = -1;

    memset(out, 0, sizeof(*out));
    if (!runs || !scratch || copy_shape(out, t) || copy_tables(out))
        goto end;
    out->width = ntasks;
    nruns = find_runs(runs, rank_of, t->width);
    for (uint32_t i = 0; i < t->nnodes; i++) {
        const struct prefixtree_node *n = &t->nodes[i];

        if (nruns * 16 > t->width)
            move_bits(scratch, t, n, rank_of);
        else
            move_runs(scratch, t, n, runs, nruns);
        if (remap_label(out, i, scratch, nwords))
            goto end;
    }
    rc = 0;
end:
    free(runs);
    free(scratch);
    if (rc) {
        prefixtree_fini(out);
        err_set(err, ENOMEM, "call tree: out of memory");
    }
    return rc;
}

/* ----------------------------------------------------------------- classes */

/* Classes are split at each node: who is in it goes to a class of its own,
 * which for all that come from the same class is the same one. */
struct part { uint32_t size, seen, to; };   /* members; these go, at the node
                                               seen, to that class */
struct splitter {
    struct part *v;             /* owned: of each class */
    uint32_t n;
    size_t cap;
};

static int split(struct splitter *s, const struct prefixtree *t, uint32_t node,
                 uint32_t *class_of)
{
    const struct prefixtree_node *n = &t->nodes[node];

    for (uint32_t i = 0; i < n->nwords; i++)
        for (uint64_t w = t->words[n->at + i]; w; w &= w - 1) {
            uint32_t p = (n->first + i) * 64 + (uint32_t)__builtin_ctzll(w);
            uint32_t from = class_of[p], to;

            if (s->v[from].seen != node) {
                if (array_reserve(&s->v, &s->cap, s->n + 1))
                    return -1;
                s->v[from].seen = node;
                s->v[from].to = s->n;
                s->v[s->n++] = (struct part){ .seen = PREFIXTREE_NONE };
            }
            to = s->v[from].to;
            s->v[from].size--;
            s->v[to].size++;
            class_of[p] = to;
        }
    return 0;
}

/* Leave out the classes that nobody is left in. */
static void squeeze(struct splitter *s, uint32_t *class_of, uint32_t width)
{
    uint32_t n = 1;

    for (uint32_t c = 1; c < s->n; c++) {
        s->v[c].to = n;
        if (s->v[c].size) {
            s->v[n].size = s->v[c].size;
            n++;
        }
    }
    for (uint32_t p = 0; p < width; p++)
        if (class_of[p])
            class_of[p] = s->v[class_of[p]].to;
    for (uint32_t c = 0; c < n; c++)
        s->v[c].seen = PREFIXTREE_NONE;
    s->n = n;
}

static int by_size(const void *a, const void *b)
{
    const struct prefixtree_class *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->representative < y->representative ? -1 : 1;
}

/* Every pair of a class and a node its representative is in, nodes in their
 * order: counted in where[class], or stored in all[where[class]++]. */
static void each_pair(const struct prefixtree_classes *c,
                      const struct prefixtree *t, const uint64_t *chosen,
                      size_t *where, uint32_t *all)
{
    for (uint32_t i = 0; i < t->nnodes; i++) {
        const struct prefixtree_node *n = &t->nodes[i];

        for (uint32_t k = 0; k < n->nwords; k++) {
            uint64_t w = t->words[n->at + k] & chosen[n->first + k];

            for (; w; w &= w - 1) {
                uint32_t p = (n->first + k) * 64 +
                             (uint32_t)__builtin_ctzll(w);
                size_t *at = &where[c->class_of[p]];

                if (all)
                    all[*at] = i;
                ++*at;
            }
        }
    }
}

/* A path ends at a node if the task is in no child of it. */
static void keep_leaves(struct prefixtree_classes *c,
                        const struct prefixtree *t, const size_t *end,
                        uint32_t *inner)
{
    size_t n = 0, from = 0;

    for (size_t i = 0; i < t->nnodes; i++)
        inner[i] = PREFIXTREE_NONE;
    for (uint32_t i = 0; i < c->n; from = end[i++]) {
        c->v[i].leaf = (uint32_t)n;
        for (size_t k = from; k < end[i]; k++)
            if (c->leaves[k])
                inner[t->nodes[c->leaves[k]].parent] = i;
        for (size_t k = from; k < end[i]; k++)
            if (inner[c->leaves[k]] != i)
                c->leaves[n++] = c->leaves[k];
        c->v[i].nleaves = (uint32_t)n - c->v[i].leaf;
    }
}

static int add_leaves(struct prefixtree_classes *c, const struct prefixtree *t)
{
    uint64_t *chosen = calloc(t->width / 64 + 1, sizeof(*chosen));
    size_t *where = calloc(c->n + 1, sizeof(*where)), sum = 0;
    uint32_t *inner = malloc(t->nnodes * sizeof(*inner));
    int rc = -1;

    if (!chosen || !where || !inner)
        goto end;
    for (uint32_t i = 0; i < c->n; i++)
        bits_set(chosen, c->v[i].representative);
    each_pair(c, t, chosen, where, NULL);
    for (uint32_t i = 0; i < c->n; i++) {
        size_t n = where[i];

        where[i] = sum;
        sum += n;
    }
    c->leaves = malloc((sum + 1) * sizeof(*c->leaves));
    if (!c->leaves)
        goto end;
    each_pair(c, t, chosen, where, c->leaves);
    keep_leaves(c, t, where, inner);
    rc = 0;
end:
    free(chosen);
    free(where);
    free(inner);
    return rc;
}

/* From the splitter's classes to those of the caller, sorted. */
static int collect(struct prefixtree_classes *c, const struct prefixtree *t,
                   struct splitter *s)
{
    c->n = s->n - 1;                    /* 0: who is nowhere */
    c->v = calloc(c->n + 1, sizeof(*c->v));
    if (!c->v)
        return -1;
    for (uint32_t i = 0; i < c->n; i++)
        c->v[i] = (struct prefixtree_class){ s->v[i + 1].size, PREFIXTREE_NONE,
                                             0, 0 };
    for (uint32_t p = t->width; p-- > 0; )
        if (c->class_of[p])
            c->v[c->class_of[p] - 1].representative = p;
    qsort(c->v, c->n, sizeof(*c->v), by_size);
    for (uint32_t i = 0; i < c->n; i++)
        s->v[c->class_of[c->v[i].representative]].to = i;
    s->v[0].to = PREFIXTREE_NONE;
    for (uint32_t p = 0; p < t->width; p++)
        c->class_of[p] = s->v[c->class_of[p]].to;
    return add_leaves(c, t);
}

int prefixtree_classify(struct prefixtree_classes *c,
                        const struct prefixtree *t)
{
    struct splitter s = { 0 };
    int rc = -1;

    *c = (struct prefixtree_classes){ 0 };
    c->class_of = calloc((size_t)t->width + 1, sizeof(*c->class_of));
    if (c->class_of && array_reserve(&s.v, &s.cap, 1) == 0) {
        s.v[s.n++] = (struct part){ .size = t->width, .seen = PREFIXTREE_NONE };
        rc = 0;
        for (uint32_t i = 0, live = 1; rc == 0 && i < t->nnodes; i++) {
            rc = split(&s, t, i, c->class_of);
            if (rc == 0 && s.n > live * 2 + 64) {
                squeeze(&s, c->class_of, t->width);
                live = s.n;
            }
        }
        if (rc == 0) {
            squeeze(&s, c->class_of, t->width);
            rc = collect(c, t, &s);
        }
    }
    free(s.v);
    if (rc) {
        prefixtree_classes_fini(c);
        errno = ENOMEM;
    }
    return rc;
}

void prefixtree_classes_fini(struct prefixtree_classes *c)
{
    free(c->v);
    free(c->class_of);
    free(c->leaves);
    *c = (struct prefixtree_classes){ 0 };
}

int prefixtree_class_tasks(const struct prefixtree_classes *c,
                           const struct prefixtree *t, uint32_t i,
                           struct taskset *out)
{
    out->n = 0;
    for (uint32_t p = 0; p < t->width; p++)
        if (c->class_of[p] == i && taskset_add(out, p, p))
            return -1;
    return 0;
}
