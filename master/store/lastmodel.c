/* lastmodel.c - keeps models of jobs in the database. */
#include "master/store/lastmodel.h"

#include <stdlib.h>

#include "proto/base/log.h"
#include "proto/link/message.h"
#include "proto/tree/tasknotes.h"

enum { LASTMODEL_MAX = 16 << 20 };      /* bytes */

/* Messages of one type merge when one stands behind the other: the notes of
 * this one come behind those of the model. */
void lastmodel_note(struct str *model, const struct taskset *ranks,
                    const char *node, const char *why)
{
    Hct__TreeNote note = HCT__TREE_NOTE__INIT, *notes[1] = { &note };
    Hct__Model m = HCT__MODEL__INIT;
    char text[TASKNOTES_ABSENT_MAX];
    uint8_t *bytes;

    note.ranks = taskset_text(ranks);
    note.text = tasknotes_absent(text, node, why);
    m.n_notes = 1;
    m.notes = notes;
    bytes = note.ranks ? malloc(hct__model__get_packed_size(&m)) : NULL;
    if (bytes)
        str_add_bytes(model, bytes, hct__model__pack(&m, bytes));
    free(bytes);
    free(note.ranks);
}

static bool is_empty(const struct str *model)
{
    Hct__Model *m = hct__model__unpack(NULL, model->n,
                                       (const uint8_t *)model->s);
    bool empty = !m || m->n_phase == 0;

    if (m)
        hct__model__free_unpacked(m, NULL);
    return empty;
}

void lastmodel_keep(struct journal *jn, uint64_t job, const struct str *model)
{
    if (str_failed(model) || model->n > LASTMODEL_MAX)
        log_info("lastmodel", "a model of %zu bytes is not kept job=%llu",
                 model->n, (unsigned long long)job);
    else if (model->n && !is_empty(model))
        journal_model(jn, job, model->s, model->n);
}
