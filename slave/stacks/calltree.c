/* calltree.c - the message CallTree of what the stacker has found. */
#include "slave/stacks/calltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/str.h"
#include "proto/base/taskset.h"
#include "proto/tree/prefixtree.h"

static int copy_tree(Hct__CallTree *m, const struct stacker_result *r,
                     struct err *err)
{
    m->tree.data = malloc(r->bytes + 1);
    if (!m->tree.data)
        return err_memory(err);
    memcpy(m->tree.data, r->tree, r->bytes);
    m->tree.len = r->bytes;
    return 0;
}

static int make_tree(Hct__CallTree *m, const struct stacker_result *r,
                     const uint32_t *rank_of, uint32_t n, struct err *err)
{
    struct prefixtree tree, ranked = { 0 };
    struct str packed = { 0 };
    uint32_t limit = 0;
    int rc;

    if (!rank_of)
        return copy_tree(m, r, err);

    for (uint32_t i = 0; i < n; i++)
        if (rank_of[i] >= limit)
            limit = rank_of[i] + 1;
    if (prefixtree_parse(&tree, r->tree, r->bytes, err))
        return -1;
    rc = prefixtree_remap(&ranked, &tree, rank_of, limit, err);
    if (rc == 0 && (prefixtree_pack(&ranked, &packed) || str_failed(&packed)))
        rc = err_memory(err);
    prefixtree_fini(&tree);
    prefixtree_fini(&ranked);
    m->tree.len = packed.n;
    m->tree.data = (uint8_t *)str_take(&packed);
    return rc;
}

/* One for all tasks of which the same is to be said. */
static int add_note(Hct__CallTree *m, const struct stacker_result *r,
                    const uint32_t *rank_of, uint32_t n, uint32_t first)
{
    Hct__TreeNote *note = malloc(sizeof(*note));
    struct taskset set = { 0 };

    if (!note)
        return -1;
    hct__tree_note__init(note);
    m->notes[m->n_notes++] = note;
    for (uint32_t i = first; i < n; i++)
        if (strcmp(r->task_notes[i], r->task_notes[first]) == 0)
            taskset_add(&set, rank_of ? rank_of[i] : i,
                        rank_of ? rank_of[i] : i);
    note->ranks = taskset_text(&set);
    note->text = strdup(r->task_notes[first]);
    taskset_fini(&set);
    return note->ranks && note->text ? 0 : -1;
}

static bool is_first(const struct stacker_result *r, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (strcmp(r->task_notes[i], r->task_notes[at]) == 0)
            return false;
    return r->task_notes[at][0] != '\0';
}

static int make_notes(Hct__CallTree *m, const struct stacker_result *r,
                      const uint32_t *rank_of, uint32_t n)
{
    m->notes = calloc(n + 1, sizeof(*m->notes));
    for (uint32_t i = 0; m->notes && i < n; i++)
        if (is_first(r, i) && add_note(m, r, rank_of, n, i))
            return -1;
    return m->notes ? 0 : -1;
}

static int make_remarks(Hct__CallTree *m, const char *lines)
{
    size_t n = 1;

    for (const char *p = lines; *p; p++)
        n += *p == '\n';
    m->remarks = calloc(n, sizeof(*m->remarks));
    if (!m->remarks)
        return -1;
    for (const char *p = lines, *end; (end = strchr(p, '\n')); p = end + 1) {
        m->remarks[m->n_remarks] = strndup(p, (size_t)(end - p));
        if (!m->remarks[m->n_remarks])
            return -1;
        m->n_remarks++;
    }
    return 0;
}

int calltree_make(Hct__CallTree *m, const struct stacker_result *r,
                  const uint32_t *rank_of, uint32_t n, struct err *err)
{
    hct__call_tree__init(m);
    m->copies = r->copies;
    m->told = r->asked;
    m->held_p50_ns = r->held_p50_ns;
    m->held_p99_ns = r->held_p99_ns;
    m->total_p50_ns = r->total_p50_ns;
    m->total_p99_ns = r->total_p99_ns;
    if (make_notes(m, r, rank_of, n) || make_remarks(m, r->notes)) {
        calltree_fini(m);
        return err_memory(err);
    }
    if (make_tree(m, r, rank_of, n, err)) {
        calltree_fini(m);
        return -1;
    }
    return 0;
}

void calltree_fini(Hct__CallTree *m)
{
    for (size_t i = 0; i < m->n_notes; i++) {
        free(m->notes[i]->ranks);
        free(m->notes[i]->text);
        free(m->notes[i]);
    }
    for (size_t i = 0; i < m->n_remarks; i++)
        free(m->remarks[i]);
    free(m->notes);
    free(m->remarks);
    free(m->tree.data);
    hct__call_tree__init(m);
}
