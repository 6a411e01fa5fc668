/* merge_stack.c - call trees with what is to be said about some tasks and
 * files: CallTree of hct.proto. The trees are merged as merge_tree.c does. */
#include "proto/tree/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hct.pb-c.h"
#include "proto/model/tasknotes.h"

enum { REMARKS_MAX = 64, TEXT_MAX = 400 };

struct whole {
    void *tree;                 /* of merge_tree; owned */
    struct tasknotes notes;
    char *remarks[REMARKS_MAX]; /* owned */
    size_t nremarks;
    Hct__CallTree sums;         /* its numbers */
};

static void stack_destroy(void *whole)
{
    struct whole *w = whole;

    if (!w)
        return;
    merge_tree.destroy(w->tree);
    tasknotes_fini(&w->notes);
    for (size_t i = 0; i < w->nremarks; i++)
        free(w->remarks[i]);
    free(w);
}

static void *stack_create(uint32_t width, struct err *err)
{
    struct whole *w = calloc(1, sizeof(*w));

    if (!w)
        return err_memory(err), NULL;
    hct__call_tree__init(&w->sums);
    w->tree = merge_tree.create(width, err);
    if (!w->tree) {
        free(w);
        return NULL;
    }
    return w;
}

/* ----------------------------------------------------------------- adding */

static void add_remarks(struct whole *w, const Hct__CallTree *m)
{
    for (size_t i = 0; i < m->n_remarks; i++) {
        bool known = w->nremarks == REMARKS_MAX;

        for (size_t k = 0; k < w->nremarks && !known; k++)
            known = strcmp(w->remarks[k], m->remarks[i]) == 0;
        if (!known && (w->remarks[w->nremarks] =
                           strndup(m->remarks[i], TEXT_MAX)))
            w->nremarks++;
    }
}

static void raise_to(uint64_t *v, uint64_t other)
{
    if (other > *v)
        *v = other;
}

static int stack_add(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
                     uint32_t width, struct err *err)
{
    struct whole *w = whole;
    Hct__CallTree *m = hct__call_tree__unpack(NULL, n, bytes);
    int rc;

    if (!m)
        return err_set(err, EBADMSG, "this is no call tree");
    rc = merge_tree.add(w->tree, m->tree.data, m->tree.len, at, width, err);
    if (rc == 0) {
        tasknotes_add(&w->notes, m->notes, m->n_notes, at, width);
        add_remarks(w, m);
        w->sums.copies += m->copies;
        w->sums.told += m->told;
        raise_to(&w->sums.held_p50_ns, m->held_p50_ns);
        raise_to(&w->sums.held_p99_ns, m->held_p99_ns);
        raise_to(&w->sums.total_p50_ns, m->total_p50_ns);
        raise_to(&w->sums.total_p99_ns, m->total_p99_ns);
    }
    hct__call_tree__free_unpacked(m, NULL);
    return rc;
}

/* ---------------------------------------------------------------- packing */

/* rank_of NULL: positions stay what they are. */
static int write_out(const struct whole *w, const uint32_t *rank_of,
                     struct str *tree, struct str *out, struct err *err)
{
    Hct__CallTree m = w->sums;
    Hct__TreeNote notes[TASKNOTES_MAX], *pointers[TASKNOTES_MAX];
    bool whole = !str_failed(tree);
    size_t bytes;
    uint8_t *packed;

    m.tree.data = (uint8_t *)tree->s;
    m.tree.len = tree->n;
    m.remarks = (char **)w->remarks;
    m.n_remarks = w->nremarks;
    m.notes = pointers;
    m.n_notes = w->notes.n;
    whole = tasknotes_fill(&w->notes, rank_of, notes, pointers) == 0 && whole;
    bytes = whole ? hct__call_tree__get_packed_size(&m) : 0;
    packed = whole ? malloc(bytes + 1) : NULL;
    if (packed) {
        hct__call_tree__pack(&m, packed);
        str_add_bytes(out, packed, bytes);
    }
    free(packed);
    for (size_t i = 0; i < m.n_notes; i++)
        free(notes[i].ranks);
    str_fini(tree);
    return packed && !str_failed(out) ? 0
           : err_memory(err);
}

static int stack_pack(const void *whole, struct str *out, struct err *err)
{
    const struct whole *w = whole;
    struct str tree = { 0 };

    if (merge_tree.pack(w->tree, &tree, err)) {
        str_fini(&tree);
        return -1;
    }
    return write_out(w, NULL, &tree, out, err);
}

static int stack_finish(const void *whole, const uint32_t *rank_of,
                        uint32_t ntasks, struct str *out, struct err *err)
{
    const struct whole *w = whole;
    struct str tree = { 0 };

    if (merge_tree.finish(w->tree, rank_of, ntasks, &tree, err)) {
        str_fini(&tree);
        return -1;
    }
    return write_out(w, rank_of, &tree, out, err);
}

const struct merge_kind merge_stack = {
    "stack", stack_create, stack_destroy, stack_add, stack_pack, stack_finish,
};
