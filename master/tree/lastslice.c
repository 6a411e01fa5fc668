/* lastslice.c - keeps slices of tasks in the database. */
#include "master/tree/lastslice.h"

#include "proto/base/clock.h"
#include "proto/link/message.h"
#include "proto/tree/slicerows.h"

struct keeping { struct journal *jn; struct store_slice row; };

static void on_row(void *arg, const struct slicerow *row)
{
    struct keeping *k = arg;

    k->row.place++;
    k->row.function = row->function;
    k->row.file = row->file;
    k->row.line = row->line;
    k->row.reason = row->reason;
    journal_slice(k->jn, &k->row);
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

static void keep_tree(struct journal *jn, uint64_t job, const Hct__CallTree *m)
{
    struct prefixtree tree;

    if (prefixtree_parse(&tree, m->tree.data, m->tree.len, NULL))
        return;
    for (uint32_t rank = 0; rank < tree.width; rank++) {
        struct keeping k = { jn, { .job = job, .at_ns = clock_wall_ns(),
                                   .rank = rank } };

        if (!slicerows_each(&tree, rank, on_row, &k))
            continue;
        keep_remarks(&k, m);
    }
    prefixtree_fini(&tree);
}

void lastslice_keep(struct journal *jn, uint64_t job, const struct str *tree)
{
    Hct__CallTree *m = hct__call_tree__unpack(NULL, tree->n,
                                              (const uint8_t *)str_text(tree));

    if (m && m->tree.len)
        keep_tree(jn, job, m);
    if (m)
        hct__call_tree__free_unpacked(m, NULL);
}
