/* fuzz_prefixtree.c - any bytes as a call tree: what is taken goes back to
 * bytes that mean the same, merges, is remapped, classified and put in
 * order. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/tree/prefixtree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const struct prefixtree *a, const struct prefixtree *b)
{
    assert(a->width == b->width && a->nnodes == b->nnodes);
    for (uint32_t i = 0; i < a->nnodes; i++) {
        assert(a->nodes[i].parent == b->nodes[i].parent);
        assert(prefixtree_count(a, i) == prefixtree_count(b, i));
        assert(prefixtree_traces(a, i) == prefixtree_traces(b, i));
        assert(i == 0 || prefixtree_count(a, a->nodes[i].parent) >=
                         prefixtree_count(a, i));
    }
}

static void check_merge(const struct prefixtree *t)
{
    struct prefixtree whole;
    struct err err;
    uint32_t at = t->width / 3;

    if (prefixtree_init(&whole, t->width + at, t->nsamples, &err))
        return;                         /* too wide */
    if (prefixtree_merge(&whole, t, at, &err) == 0) {
        check_same(t, &(struct prefixtree){
            .width = t->width, .nnodes = whole.nnodes, .nodes = whole.nodes,
            .nsamples = t->nsamples, .counts = whole.counts,
            .words = whole.words });
        assert(prefixtree_merge(&whole, t, 0, &err) == 0);
    }
    prefixtree_fini(&whole);
}

static void check_end(const struct prefixtree *t)
{
    struct prefixtree_classes c;
    struct prefixtree out;
    struct err err;
    uint32_t *rank_of = malloc((t->width + 1) * sizeof(*rank_of));

    assert(rank_of);
    for (uint32_t i = 0; i < t->width; i++)
        rank_of[i] = t->width - 1 - i;
    assert(prefixtree_remap(&out, t, rank_of, t->width, &err) == 0);
    check_same(t, &out);
    prefixtree_fini(&out);
    assert(prefixtree_classify(&c, t) == 0);
    for (uint32_t i = 0, sum = 0; i < c.n; i++) {
        sum += c.v[i].count;
        assert(c.v[i].count && c.v[i].nleaves);
        assert(i + 1 < c.n || sum == prefixtree_count(t, 0));
    }
    prefixtree_classes_fini(&c);
    free(rank_of);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct prefixtree t, back;
    struct str s = { 0 };
    struct err err = { 0 };

    if (prefixtree_parse(&t, data, size, &err)) {
        assert(*err.text);
        return 0;
    }
    if (t.width > 1 << 16 || t.nwords > 1 << 16)
        return prefixtree_fini(&t), 0;  /* right, but slow */
    assert(prefixtree_pack(&t, &s) == 0);
    assert(prefixtree_parse(&back, (uint8_t *)s.s, s.n, &err) == 0);
    check_same(&t, &back);
    str_fini(&s);
    check_merge(&t);
    check_end(&back);
    prefixtree_fini(&t);
    prefixtree_fini(&back);
    return 0;
}
