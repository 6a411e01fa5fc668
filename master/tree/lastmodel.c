/* lastmodel.c - keeps models of jobs in the database. */
#include "master/tree/lastmodel.h"

#include <stdlib.h>

#include "proto/base/log.h"
#include "proto/base/clock.h"
#include "proto/link/message.h"
#include "proto/tree/placekey.h"
#include "proto/model/tasknotes.h"

enum { LASTMODEL_MAX = 16 << 20,        /* bytes */
       LASTMODEL_FIRST = 2 };   /* number of the first state in the list */
#define LASTMODEL_STAY_NS CLOCK_NS_PER_S        /* shorter ones say nothing */

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

/* ------------------------------------------------------------------- stays */

/* 0: it has none. */
static uint64_t key_of(const Hct__Model *m, const Hct__Profile__Site *s)
{
    uint64_t key = placekey_begin(s->call);

    for (size_t i = 0; i < s->n_frames; i++) {
        uint32_t f = s->frames[i];
        uint32_t module = f < m->n_frame_module && f < m->n_frame_offset
                          ? m->frame_module[f] : 0;
        const Hct__Profile__Module *file = module && module <= m->n_modules
                                           ? m->modules[module - 1] : NULL;

        if (!file)
            return 0;
        key = placekey_frame(key, file->build_id.data, file->build_id.len,
                             m->frame_offset[f]);
    }
    return s->n_frames ? key : 0;
}

/* Of each state the longest time until the next call. */
static uint64_t *longest_of(const Hct__Model *m)
{
    uint64_t *v = calloc(m->n_states + 1, sizeof(*v));

    for (size_t i = 0; v && i < m->n_from && i < m->n_out_max; i++) {
        uint32_t s = m->from[i] - LASTMODEL_FIRST;

        if (m->from[i] >= LASTMODEL_FIRST && s < m->n_states &&
            m->out_max[i] > v[s])
            v[s] = m->out_max[i];
    }
    return v;
}

static void keep_stays(struct journal *jn, uint64_t job, const Hct__Model *m)
{
    uint64_t *longest = longest_of(m);

    for (size_t i = 0; longest && i < m->n_states; i++) {
        uint64_t key = longest[i] >= LASTMODEL_STAY_NS
                       ? key_of(m, m->states[i]) : 0;

        if (key)
            journal_stay(jn, job, key, longest[i]);
    }
    free(longest);
}

/* -------------------------------------------------------------------- keep */

void lastmodel_keep(struct journal *jn, uint64_t job, const struct str *model,
                    bool well)
{
    Hct__Model *m;

    if (str_failed(model) || model->n > LASTMODEL_MAX) {
        log_info("lastmodel", "a model of %zu bytes is not kept job=%llu",
                 model->n, (unsigned long long)job);
        return;
    }
    m = model->n ? hct__model__unpack(NULL, model->n,
                                      (const uint8_t *)model->s) : NULL;
    if (!m)
        return;
    if (m->n_phase)
        journal_model(jn, job, model->s, model->n);
    if (well)
        keep_stays(jn, job, m);
    hct__model__free_unpacked(m, NULL);
}
