/* journal_note.c - rows of table action that wait to be written. Each is
 * written once; they leave in the order they came, after the commit. */
#include "master/journal_write.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"

struct journal_note {
    struct journal_note *next;
    const struct job *job;      /* borrowed, as in struct journal_step */
    bool result_only;
    struct store_action row;    /* texts owned */
};

static void note_free(struct journal_note *n)
{
    free((char *)n->row.action);
    free((char *)n->row.ranks);
    free((char *)n->row.by);
    free((char *)n->row.result);
    free((char *)n->row.why);
    free(n);
}

static const char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void note_add(struct journal *jn, const struct job *j,
                     const struct journal_action *a, bool result_only)
{
    struct journal_note *n = calloc(1, sizeof(*n));

    if (!n) {
        log_warn("journal", "an action is not recorded job=%llu: out of "
                 "memory", (unsigned long long)j->id);
        return;
    }
    n->job = j;
    n->result_only = result_only;
    n->row = (struct store_action){
        .at_ns = clock_wall_ns(), .action = copy_of(a->action),
        .ranks = copy_of(a->ranks), .by = copy_of(a->by),
        .result = copy_of(a->result), .why = copy_of(a->why) };
    if (jn->last_note)
        jn->last_note->next = n;
    else
        jn->notes = n;
    jn->last_note = n;
    journal_wake(jn, 0);
}

void journal_action(struct journal *jn, const struct job *j,
                    const struct journal_action *a)
{
    note_add(jn, j, a, false);
}

void journal_action_result(struct journal *jn, const struct job *j,
                           const char *action, const char *result)
{
    const struct journal_action a = { .action = action, .result = result };

    note_add(jn, j, &a, true);
}

int journal_notes_write(struct journal *jn, struct err *err)
{
    for (struct journal_note *n = jn->notes; n; n = n->next) {
        n->row.job = journal_job_id(n->job);
        if (n->result_only ? store_put_result(jn->store, &n->row, err)
                           : store_add_action(jn->store, &n->row, err))
            return -1;
    }
    return 0;
}

void journal_notes_drop(struct journal *jn)
{
    while (jn->notes) {
        struct journal_note *n = jn->notes;

        jn->notes = n->next;
        note_free(n);
    }
    jn->last_note = NULL;
}
