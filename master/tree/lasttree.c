/* lasttree.c - keeps call trees of jobs in the database. */
#include "master/tree/lasttree.h"

#include <stdlib.h>

#include "proto/base/log.h"
#include "proto/link/message.h"
#include "proto/model/tasknotes.h"

enum { LASTTREE_MAX = 16 << 20 };       /* bytes */

/* Messages of one type merge when one stands behind the other: the notes of
 * this one come behind those of the tree. */
static void add_note(struct str *to, const struct reduce_member *x)
{
    Hct__TreeNote note = HCT__TREE_NOTE__INIT, *notes[1] = { &note };
    Hct__CallTree m = HCT__CALL_TREE__INIT;
    char text[TASKNOTES_ABSENT_MAX];
    uint8_t *bytes;

    note.ranks = taskset_text(&x->ranks);
    note.text = tasknotes_absent(text, x->node->name, reduce_why(x));
    m.n_notes = 1;
    m.notes = notes;
    bytes = note.ranks ? malloc(hct__call_tree__get_packed_size(&m)) : NULL;
    if (bytes)
        str_add_bytes(to, bytes, hct__call_tree__pack(&m, bytes));
    free(bytes);
    free(note.ranks);
}

/* A tree without any stack is not worth one that was kept before. */
static bool is_empty(const struct str *tree)
{
    Hct__CallTree *m = hct__call_tree__unpack(NULL, tree->n,
                                              (const uint8_t *)tree->s);
    bool empty = !m || m->copies + m->told == 0;

    if (m)
        hct__call_tree__free_unpacked(m, NULL);
    return empty;
}

void lasttree_keep(struct journal *jn, uint64_t job, uint64_t seq,
                   const struct reduce_result *r, const struct str *tree)
{
    struct str whole = { 0 };

    if (!tree->n || is_empty(tree))
        return;
    str_add_bytes(&whole, tree->s, tree->n);
    for (uint32_t i = 0; i < r->nmembers; i++)
        if (r->members[i].state != REDUCE_IN)
            add_note(&whole, &r->members[i]);
    if (str_failed(&whole) || whole.n > LASTTREE_MAX)
        log_info("lasttree", "a call tree of %zu bytes is not kept job=%llu",
                 tree->n, (unsigned long long)job);
    else
        journal_stack(jn, job, seq, whole.s, whole.n);
    str_fini(&whole);
}
