/* inquiry.c - see inquiry.h. */
#include "master/watch/inquiry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"

static void log_missing(const struct inquiry *q, const struct reduce_result *r)
{
    for (uint32_t i = 0; i < r->nmembers; i++)
        if (r->members[i].state != REDUCE_IN)
            log_info("watcher", "models are compared without those on %s: %s "
                     "job=%llu", r->members[i].node->name,
                     reduce_why(&r->members[i]),
                     (unsigned long long)q->job->id);
}

/* False, and err says why: it makes no sense. */
static bool take(struct inquiry *q, const uint8_t *bytes, size_t n,
                 uint32_t ntasks, struct err *err)
{
    if (q->need == HCT_NEED_PROGRESS)
        return (q->are = whereabouts_read(bytes, n, ntasks, err));
    if (!(q->scores = malloc(sizeof(*q->scores))))
        return err_memory(err), false;
    return scores_read(q->scores, bytes, n, ntasks, err) == 0;
}

static void forget(struct inquiry *q)
{
    free(q->scores);
    free(q->are);
    q->scores = NULL;
    q->are = NULL;
}

/* With ranks in place of positions. */
static bool take_answer(struct inquiry *q, const struct reduce_result *r,
                        struct err *err)
{
    struct str bytes = { 0 };
    bool taken = r->merge->finish(r->whole, r->rank_of, r->ntasks, &bytes,
                                  err) == 0 &&
                 take(q, (const uint8_t *)str_text(&bytes), bytes.n, r->ntasks,
                      err);

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
    return q->scores || q->are;
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
    const struct reduce_ask ask = {
        .kind = need & HCT_NEED_SCORES ? "scores" : "progress",
        .argument = question, .nargument = bytes, .job = q->job };
    struct err err = { .text = "" };
    uint64_t number;

    if (q->id || !q->reducer || !bytes)
        return;
    need &= need & HCT_NEED_SCORES ? HCT_NEED_SCORES : HCT_NEED_PROGRESS;
    number = number_of(question, bytes);
    if (inquiry_has(q, asker) && q->need == need && q->number == number)
        return;
    forget(q);
    q->asker = asker;
    q->need = need;
    q->number = number;
    q->id = reducer_start(q->reducer, &ask, on_done, q, &err);
    if (!q->id)
        log_info("watcher", "a policy's question cannot be asked: %s job=%llu",
                 err.text, (unsigned long long)q->job->id);
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

void inquiry_show(struct inquiry *q, struct looks *l)
{
    if (q->scores)
        looks_take_scores(l, q->scores);
    if (q->are)
        looks_take_whereabouts(l, q->are, q->number);
    forget(q);
}
