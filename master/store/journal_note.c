/* journal_note.c - rows that wait to be written, each once: of tables action,
 * verdict, look, stack, model and stay. They leave in the order they came, after the
 * commit. */
#include "master/store/journal_write.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"

enum note_kind { NOTE_ACTION, NOTE_RESULT, NOTE_VERDICT, NOTE_LOOK,
                 NOTE_TRIM, NOTE_REPORT, NOTE_STACK, NOTE_MODEL,
                 NOTE_STAY };
enum { NOTE_TEXTS = 8 };

struct journal_note {
    struct journal_note *next;
    const struct job *job;      /* borrowed, as in struct journal_step, */
    uint64_t id;                /* or NULL and its number */
    enum note_kind kind;
    uint64_t at_ns;
    char *text[NOTE_TEXTS];     /* owned; of the row, in order */
    double score;
    uint64_t seq, age_ns;
    size_t bytes;               /* of text[0], where it is no text */
};

static void note_free(struct journal_note *n)
{
    for (size_t i = 0; i < NOTE_TEXTS; i++)
        free(n->text[i]);
    free(n);
}

static struct journal_note *note_add(struct journal *jn, const struct job *j,
                                     enum note_kind kind,
                                     const char *const *texts, size_t ntexts)
{
    struct journal_note *n = calloc(1, sizeof(*n));

    if (!n) {
        log_warn("journal", "an action or verdict is not recorded job=%llu: "
                 "out of memory", j ? (unsigned long long)j->id : 0);
        return NULL;
    }
    n->job = j;
    n->kind = kind;
    n->at_ns = clock_wall_ns();
    for (size_t i = 0; i < ntexts; i++)
        n->text[i] = texts[i] ? strdup(texts[i]) : NULL;
    if (jn->last_note)
        jn->last_note->next = n;
    else
        jn->notes = n;
    jn->last_note = n;
    return n;
}

void journal_action(struct journal *jn, const struct job *j,
                    const struct journal_action *a)
{
    const char *const texts[] = { a->action, a->ranks, a->by, a->result,
                                  a->why };

    note_add(jn, j, NOTE_ACTION, texts, 5);
    journal_wake(jn, 0);
}

void journal_action_result(struct journal *jn, const struct job *j,
                           const char *action, const char *result)
{
    const char *const texts[] = { action, NULL, NULL, result };

    note_add(jn, j, NOTE_RESULT, texts, 4);
    journal_wake(jn, 0);
}

void journal_verdict(struct journal *jn, const struct job *j,
                     const struct journal_verdict *v)
{
    const char *const texts[] = { v->policy, v->kind, v->phase, v->ranks,
                                  v->why, v->detail, v->report };
    struct journal_note *n = note_add(jn, j, NOTE_VERDICT, texts, 7);

    if (n) {
        n->score = v->score;
        n->seq = v->seq;
        n->age_ns = v->age_ns;
    }
    journal_wake(jn, 0);
}

void journal_report(struct journal *jn, const struct job *j, uint64_t seq,
                    const char *policy, const char *report)
{
    const char *const texts[] = { policy, NULL, NULL, NULL, NULL, NULL,
                                  report };
    struct journal_note *n = note_add(jn, j, NOTE_REPORT, texts, 7);

    if (n)
        n->seq = seq;
    journal_wake(jn, 0);
}

static void note_bytes(struct journal_note *n, uint64_t seq, const void *data,
                       size_t bytes)
{
    n->seq = seq;
    n->text[0] = malloc(bytes + 1);
    n->bytes = n->text[0] ? bytes : 0;
    if (n->text[0])
        memcpy(n->text[0], data, bytes);
}

void journal_look(struct journal *jn, const struct job *j,
                  const struct journal_look *l)
{
    struct journal_note *n = note_add(jn, j, NOTE_LOOK, NULL, 0);

    if (n) {
        n->at_ns = l->at_ns;
        note_bytes(n, l->seq, l->data, l->bytes);
    }
    journal_wake(jn, journal_later_ns);
}

static void note_result(struct journal *jn, enum note_kind kind, uint64_t job,
                        uint64_t seq, const void *data, size_t bytes)
{
    struct journal_note *n = note_add(jn, NULL, kind, NULL, 0);

    if (n) {
        n->id = job;
        note_bytes(n, seq, data, bytes);
    }
    journal_wake(jn, 0);
}

void journal_stack(struct journal *jn, uint64_t job, uint64_t seq,
                   const void *tree, size_t bytes)
{
    note_result(jn, NOTE_STACK, job, seq, tree, bytes);
}

void journal_model(struct journal *jn, uint64_t job, const void *model,
                   size_t bytes)
{
    note_result(jn, NOTE_MODEL, job, 0, model, bytes);
}

void journal_stay(struct journal *jn, uint64_t job, uint64_t place,
                  uint64_t longest_ns)
{
    struct journal_note *n = note_add(jn, NULL, NOTE_STAY, NULL, 0);

    if (n) {
        n->id = job;
        n->seq = place;
        n->age_ns = longest_ns;
    }
    journal_wake(jn, 0);
}

void journal_trim_looks(struct journal *jn, const struct job *j, uint64_t seq)
{
    struct journal_note *n = note_add(jn, j, NOTE_TRIM, NULL, 0);

    if (n)
        n->seq = seq;
}

static int note_write(struct journal *jn, const struct journal_note *n,
                      struct err *err)
{
    uint64_t job = n->job ? journal_job_id(n->job) : n->id;
    char *const *t = n->text;
    struct store_action action = { job, n->at_ns, t[0], t[1], t[2], t[3],
                                   t[4] };
    struct store_verdict verdict = {
        .job = job, .at_ns = n->at_ns, .policy = t[0], .kind = t[1],
        .phase = t[2], .ranks = t[3], .why = t[4], .detail = t[5],
        .report = t[6], .score = n->score, .seq = n->seq,
        .age_ns = n->age_ns };
    struct store_look look = { job, n->seq, n->at_ns, t[0], n->bytes };
    struct store_stack stack = { job, n->seq, n->at_ns, t[0], n->bytes };
    struct store_stay stay = { job, n->at_ns, n->seq, n->age_ns };
    struct store_model model = { job, n->at_ns, t[0], n->bytes };

    switch (n->kind) {
    case NOTE_ACTION:
        return store_add_action(jn->store, &action, err);
    case NOTE_RESULT:
        return store_put_result(jn->store, &action, err);
    case NOTE_VERDICT:
        return store_add_verdict(jn->store, &verdict, err);
    case NOTE_REPORT:
        return store_put_report(jn->store, &verdict, err);
    case NOTE_LOOK:
        return store_add_look(jn->store, &look, err);
    case NOTE_TRIM:
        return store_trim_looks(jn->store, job, n->seq, err);
    case NOTE_STACK:
        return store_put_stack(jn->store, &stack, err);
    case NOTE_STAY:
        return store_put_stay(jn->store, &stay, err);
    case NOTE_MODEL:
        return store_put_model(jn->store, &model, err);
    }
    return 0;
}

int journal_notes_write(struct journal *jn, struct err *err)
{
    for (struct journal_note *n = jn->notes; n; n = n->next)
        if (note_write(jn, n, err))
            return -1;
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
