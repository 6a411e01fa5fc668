/* inquiry.c - see inquiry.h. */
#include "master/watch/inquiry.h"

#include <stdlib.h>

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

/* With ranks in place of positions. */
static struct scores *answer_of(const struct reduce_result *r, struct err *err)
{
    struct scores *s = malloc(sizeof(*s));
    struct str bytes = { 0 };

    if (!s) {
        err_memory(err);
    } else if (r->merge->finish(r->whole, r->rank_of, r->ntasks, &bytes, err) ||
               scores_read(s, (const uint8_t *)str_text(&bytes), bytes.n,
                           r->ntasks, err)) {
        free(s);
        s = NULL;
    }
    str_fini(&bytes);
    return s;
}

static void on_done(void *arg, const struct reduce_result *r)
{
    struct inquiry *q = arg;
    struct err err = { .text = "no slave has answered" };

    q->id = 0;
    log_missing(q, r);
    q->answer = r->whole ? answer_of(r, &err) : NULL;
    if (!q->answer)
        log_info("watcher", "a policy's question has no answer: %s job=%llu",
                 err.text, (unsigned long long)q->job->id);
}

static void forget(struct inquiry *q)
{
    free(q->answer);
    q->answer = NULL;
}

void inquiry_start(struct inquiry *q, const struct judge *asker,
                   const uint8_t *question, size_t bytes)
{
    const struct reduce_ask ask = { .kind = "scores", .argument = question,
                                    .nargument = bytes, .job = q->job };
    struct err err = { .text = "" };

    if (q->id || !q->reducer || !bytes)
        return;
    forget(q);
    q->asker = asker;
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
    return q->answer && q->asker == asker;
}

void inquiry_show(struct inquiry *q, struct looks *l)
{
    looks_take_scores(l, q->answer);
    forget(q);
}
