/* autoslice.c - see autoslice.h. One is made at a time for a job; of those that are
 * wanted meanwhile the last one is made then: it is what is known best. Invariant:
 * one without a job has a reduction under way, and is in the list of acts. */
#include "master/findings/autoslice.h"

#include <stdio.h>
#include <stdlib.h>

#include "hct.pb-c.h"
#include "master/state/job.h"
#include "master/tree/lastslice.h"
#include "master/tree/reduce.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

/* Longer than hector-slice(8) is given. */
static const uint64_t autoslice_wait_ns = 40 * CLOCK_NS_PER_S;

struct autoslice {
    LIST_ENTRY(autoslice) place;
    struct acts *acts;          /* borrowed, like the next */
    struct job *job;            /* NULL: it has gone */
    uint64_t of;                /* its number */
    uint64_t id;                /* of the reduction; 0: none is under way */
    uint32_t rank;              /* whose it is */
    uint32_t next;              /* + 1: of whom it is wanted then; 0: nobody */
    uint32_t had;               /* + 1: of whom it was asked for last */
    struct str slice;           /* owned: it is here, and who sends is asked */
};

static void begin(struct autoslice *s, uint32_t rank);

static void autoslice_free(struct autoslice *s)
{
    str_fini(&s->slice);
    free(s);
}

static int take(const struct reduce_result *r, struct str *bytes)
{
    struct err err;

    return r->whole && r->merge->finish(r->whole, r->rank_of, r->ntasks, bytes,
                                        &err) == 0 && !str_failed(bytes) ? 0 : -1;
}

static void keep(struct autoslice *s, const struct str *sent)
{
    uint32_t next = s->next;

    if (s->slice.n)
        lastslice_keep(s->acts->journal, s->of, s->rank, &s->slice, sent);
    str_fini(&s->slice);
    s->slice = (struct str){ 0 };
    s->next = 0;
    if (!s->job) {
        LIST_REMOVE(s, place);
        autoslice_free(s);
    } else if (next) {
        begin(s, next - 1);
    }
}

/* sends_to: rank + 1, as in Stack. */
static bool ask(struct autoslice *s, uint32_t rank, uint32_t sends_to,
                reduce_done_f *done)
{
    Hct__Stack m = HCT__STACK__INIT;
    char ranks[16];
    uint8_t argument[64];
    struct reduce_ask ask = { .kind = "stack", .argument = argument,
                              .job = s->job, .wait_ns = autoslice_wait_ns };
    struct err err;

    snprintf(ranks, sizeof(ranks), "%u", rank);
    m.samples = 1;
    m.slice = true;
    m.sends_to = sends_to;
    m.ranks = ranks;
    ask.nargument = hct__stack__pack(&m, argument);
    s->id = reducer_start(s->acts->by.reducer, &ask, done, s, &err);
    if (!s->id)
        log_info("autoslice", "%s job=%llu", err.text,
                 (unsigned long long)s->of);
    return s->id != 0;
}

static void on_sent(void *arg, const struct reduce_result *r)
{
    struct autoslice *s = arg;
    struct str sent = { 0 };

    s->id = 0;
    keep(s, take(r, &sent) == 0 ? &sent : NULL);
    str_fini(&sent);
}

/* Whoever is to send what it waits for is asked where it has sent last. */
static void on_slice(void *arg, const struct reduce_result *r)
{
    struct autoslice *s = arg;
    uint64_t awaits = 0;

    s->id = 0;
    if (take(r, &s->slice) == 0)
        awaits = lastslice_awaits(&s->slice, s->rank);
    else
        str_reset(&s->slice);
    if (!awaits || awaits > r->ntasks || !s->job ||
        job_state_final(s->job->state) ||
        !ask(s, (uint32_t)awaits - 1, s->rank + 1, on_sent))
        keep(s, NULL);
}

static void begin(struct autoslice *s, uint32_t rank)
{
    s->of = s->job->id;
    s->rank = rank;
    s->had = rank + 1;
    ask(s, rank, 0, on_slice);
}

/* Of who is slow, or unlike others, no line decides that. */
static bool is_about_staying(const struct hct_verdict *v)
{
    return v->nranks && (verdict_is_hang(v) || v->kind == HCT_PROGRESS);
}

void autoslice_want(struct autoslice *s, const struct found *f,
                    const struct hct_verdict *v)
{
    struct taskset ranks = { 0 };
    uint32_t rank;

    if (!s || !s->acts->by.reducer || !s->acts->conf.hang_slices || !is_about_staying(v))
        return;
    if (verdict_set(&ranks, f, v) || !ranks.n) {
        taskset_fini(&ranks);
        return;
    }
    rank = ranks.v[0].first;
    taskset_fini(&ranks);
    if (s->id)
        s->next = rank + 1 == s->had ? 0 : rank + 1;
    else if (rank + 1 != s->had)
        begin(s, rank);
}

bool autoslice_is_made(const struct autoslice *s)
{
    return s && s->id != 0;
}

void autoslice_forget(struct autoslice *s)
{
    if (s)
        s->had = s->next = 0;
}

/* -------------------------------------------------------------------- life */

struct autoslice *autoslice_create(struct acts *a, struct job *j)
{
    struct autoslice *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->acts = a;
    s->job = j;
    return s;
}

void autoslice_leave(struct autoslice *s)
{
    if (!s)
        return;
    s->job = NULL;
    if (s->id && s->acts->by.reducer)
        LIST_INSERT_HEAD(&s->acts->slices, s, place);
    else
        autoslice_free(s);
}

void autoslice_drop_all(struct acts *a)
{
    struct autoslice *s;

    while ((s = LIST_FIRST(&a->slices))) {
        LIST_REMOVE(s, place);
        if (a->by.reducer)
            reducer_cancel(a->by.reducer, s->id);
        autoslice_free(s);
    }
}
