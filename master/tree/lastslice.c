/* lastslice.c - keeps slices of tasks in the database. */
#include "master/tree/lastslice.h"

#include "proto/base/clock.h"
#include "proto/link/message.h"
#include "proto/tree/slicerows.h"

/* A CallTree, unpacked. */
struct tree { Hct__CallTree *m; struct prefixtree t; };

static bool tree_open(struct tree *t, const struct str *bytes)
{
    t->m = hct__call_tree__unpack(NULL, bytes->n,
                                  (const uint8_t *)str_text(bytes));
    if (t->m && t->m->tree.len &&
        prefixtree_parse(&t->t, t->m->tree.data, t->m->tree.len, NULL) == 0)
        return true;
    if (t->m)
        hct__call_tree__free_unpacked(t->m, NULL);
    return false;
}

static void tree_close(struct tree *t)
{
    prefixtree_fini(&t->t);
    hct__call_tree__free_unpacked(t->m, NULL);
}

/* ---------------------------------------------------------------- the first line */

struct first { size_t n; bool is_head; uint64_t awaits; };

static void on_first(void *arg, const struct slicerow *row)
{
    struct first *f = arg;

    if (f->n++)
        return;
    f->is_head = slicerows_is_head(row);
    f->awaits = f->is_head ? row->awaits : 0;
}

/* A slave that does not know the question has answered with a stack. */
static bool is_slice(const struct prefixtree *t, uint32_t rank)
{
    struct first f = { 0, false, 0 };

    slicerows_each(t, rank, on_first, &f);
    return f.is_head;
}

uint64_t lastslice_awaits(const struct str *tree, uint32_t rank)
{
    struct first f = { 0, false, 0 };
    struct tree t;

    if (!tree_open(&t, tree))
        return 0;
    slicerows_each(&t.t, rank, on_first, &f);
    tree_close(&t);
    return f.awaits;
}

/* ------------------------------------------------------------------- keeping */

struct keeping {
    struct journal *jn;
    struct store_slice row;
    const struct prefixtree *more;      /* NULL: none, as after the first line */
    uint32_t more_rank;
};

static void on_row(void *arg, const struct slicerow *row)
{
    struct keeping *k = arg;
    const struct prefixtree *more = k->more;

    k->row.place++;
    k->row.function = row->function;
    k->row.file = row->file;
    k->row.line = row->line;
    k->row.reason = row->reason;
    journal_slice(k->jn, &k->row);
    k->more = NULL;
    if (more)
        slicerows_each(more, k->more_rank, on_row, k);
}

/* What could not be seen. */
static void keep_remarks(struct keeping *k, const Hct__CallTree *m)
{
    struct str text = { 0 };

    for (size_t i = 0; i < m->n_remarks; i++)
        str_addf(&text, "%s%s", i ? "\n" : "", m->remarks[i]);
    k->row = (struct store_slice){ .job = k->row.job, .at_ns = k->row.at_ns,
                                   .rank = k->row.rank };
    k->row.reason = str_text(&text);
    journal_slice(k->jn, &k->row);
    str_fini(&text);
}

void lastslice_keep(struct journal *jn, uint64_t job, uint32_t rank,
                    const struct str *tree, const struct str *sent)
{
    struct keeping k = { jn, { .job = job, .at_ns = clock_wall_ns(),
                               .rank = rank }, NULL, 0 };
    struct tree t, more;
    bool also = sent && tree_open(&more, sent);

    if (tree_open(&t, tree)) {
        struct first f = { 0, false, 0 };

        slicerows_each(&t.t, rank, on_first, &f);
        if (also && f.awaits && !is_slice(&more.t, (uint32_t)f.awaits - 1)) {
            k.more = &more.t;
            k.more_rank = (uint32_t)f.awaits - 1;
        }
        if (f.is_head) {
            slicerows_each(&t.t, rank, on_row, &k);
            keep_remarks(&k, t.m);
        }
        tree_close(&t);
    }
    if (also)
        tree_close(&more);
}
