/* inquiry.c - see inquiry.h. */
#include "master/watch/inquiry.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hct.pb-c.h"
#include "proto/base/log.h"

struct inquiry_kind {
    const char *reduction;
    /* -1, and err says why: it makes no sense. */
    int (*take)(struct inquiry *q, const uint8_t *bytes, size_t n, uint32_t ntasks,
                struct err *err);
};

static int take_scores(struct inquiry *q, const uint8_t *bytes, size_t n,
                       uint32_t ntasks, struct err *err)
{
    if (!(q->scores = malloc(sizeof(*q->scores))))
        return err_memory(err);
    return scores_read(q->scores, bytes, n, ntasks, err);
}

static int take_whereabouts(struct inquiry *q, const uint8_t *bytes, size_t n,
                            uint32_t ntasks, struct err *err)
{
    q->are = whereabouts_read(bytes, n, ntasks, err);
    return q->are ? 0 : -1;
}

static int take_tree(struct inquiry *q, const uint8_t *bytes, size_t n,
                     uint32_t ntasks, struct err *err)
{
    Hct__CallTree *m = hct__call_tree__unpack(NULL, n, bytes);
    struct prefixtree tree;
    int rc = m ? prefixtree_parse(&tree, m->tree.data, m->tree.len, err)
               : err_memory(err);

    if (rc == 0) {
        q->seen = malloc(sizeof(*q->seen));
        rc = !q->seen ? err_memory(err)
           : tree.width > ntasks ? err_set(err, EPROTO, "it is of other tasks")
                                 : incall_of(q->seen, &tree, err);
        prefixtree_fini(&tree);
    }
    if (m)
        hct__call_tree__free_unpacked(m, NULL);
    return rc;
}

static const struct inquiry_kind scores_kind = { "scores", take_scores },
                                 progress_kind = { "progress", take_whereabouts },
                                 stacks_kind = { "stack", take_tree };

static void log_missing(const struct inquiry *q, const struct reduce_result *r)
{
    for (uint32_t i = 0; i < r->nmembers; i++)
        if (r->members[i].state != REDUCE_IN)
            log_info("watcher", "tasks on %s are not in what a policy has asked for: "
                     "%s job=%llu", r->members[i].node->name,
                     reduce_why(&r->members[i]),
                     (unsigned long long)q->job->id);
}

static void forget(struct inquiry *q)
{
    free(q->scores);
    free(q->are);
    free(q->seen);
    q->scores = NULL;
    q->are = NULL;
    q->seen = NULL;
}

/* With ranks in place of positions. */
static bool take_answer(struct inquiry *q, const struct reduce_result *r,
                        struct err *err)
{
    struct str bytes = { 0 };
    bool taken = r->merge->finish(r->whole, r->rank_of, r->ntasks, &bytes,
                                  err) == 0 &&
                 q->kind->take(q, (const uint8_t *)str_text(&bytes), bytes.n,
                               r->ntasks, err) == 0;

    if (!taken)
        forget(q);
    str_fini(&bytes);
    return taken;
}

static void on_done(void *arg, const struct reduce_result *r)
{
    struct inquiry *q = arg;
    struct err err = { .text = "no slave has answered" };

    q->id = 0;
    log_missing(q, r);
    if (!r->whole || !take_answer(q, r, &err))
        log_info("watcher", "a policy's question has no answer: %s job=%llu",
                 err.text, (unsigned long long)q->job->id);
}

static bool is_answered(const struct inquiry *q)
{
    return q->scores || q->are || q->seen;
}

/* An answer that nobody has been shown yet is one, too. */
static void ask(struct inquiry *q, const struct judge *asker,
                const struct inquiry_kind *kind, uint64_t number,
                const uint8_t *question, size_t bytes)
{
    const struct reduce_ask ask = { .kind = kind->reduction, .argument = question,
                                    .nargument = bytes, .job = q->job };
    struct err err = { .text = "" };

    if (q->id || !q->reducer ||
        (inquiry_has(q, asker) && q->kind == kind && q->number == number))
        return;
    forget(q);
    q->asker = asker;
    q->kind = kind;
    q->number = number;
    q->id = reducer_start(q->reducer, &ask, on_done, q, &err);
    if (!q->id)
        log_info("watcher", "a policy's question cannot be asked: %s job=%llu",
                 err.text, (unsigned long long)q->job->id);
}

/* Both kinds begin alike. */
static uint64_t number_of(const uint8_t *question, size_t bytes)
{
    struct hct_progress_question q = { 0 };

    memcpy(&q, question, bytes < sizeof(q) ? bytes : sizeof(q));
    return q.number;
}
_Static_assert(offsetof(struct hct_question, number) ==
               offsetof(struct hct_progress_question, number), "one is read");

void inquiry_start(struct inquiry *q, const struct judge *asker, uint32_t need,
                   const uint8_t *question, size_t bytes)
{
    if (bytes)
        ask(q, asker, need & HCT_NEED_SCORES ? &scores_kind : &progress_kind,
            number_of(question, bytes), question, bytes);
}

void inquiry_start_stacks(struct inquiry *q, const struct judge *asker)
{
    Hct__Stack how = HCT__STACK__INIT;
    uint8_t question[64];

    how.samples = 1;
    how.lines = true;
    how.unasked = true;
    ask(q, asker, &stacks_kind, 0, question, hct__stack__pack(&how, question));
}

void inquiry_fini(struct inquiry *q)
{
    if (q->id)
        reducer_cancel(q->reducer, q->id);
    q->id = 0;
    forget(q);
}

bool inquiry_has(const struct inquiry *q, const struct judge *asker)
{
    return is_answered(q) && q->asker == asker;
}

static void show_stacks(struct looks *l, const struct incall *seen)
{
    struct hct_inside *row;

    l->stacks = seen->stacks;
    l->waiting = seen->waiting;
    for (uint32_t i = 0; i < seen->n; i++)
        if ((row = looks_add_inside(l)))
            *row = seen->v[i];
    l->parts |= HCT_NEED_STACKS;
}

void inquiry_show(struct inquiry *q, struct looks *l)
{
    if (q->scores)
        looks_take_scores(l, q->scores);
    if (q->are)
        looks_take_whereabouts(l, q->are, q->number);
    if (q->seen)
        show_stacks(l, q->seen);
    forget(q);
}
