/* autoslice.c - see autoslice.h. One is made at a time; of those that are wanted
 * meanwhile the last one is made then: it is what is known best. */
#include "master/act/autoslice.h"

#include <stdio.h>

#include "hct.pb-c.h"
#include "master/state/job.h"
#include "master/tree/lastslice.h"
#include "master/tree/reduce.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

/* Longer than hector-slice(8) is given. */
static const uint64_t autoslice_wait_ns = 40 * CLOCK_NS_PER_S;

static void begin(struct autoslice *s, uint32_t rank);

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
        lastslice_keep(s->acts->journal, s->job->id, s->rank, &s->slice, sent);
    str_fini(&s->slice);
    s->slice = (struct str){ 0 };
    s->next = 0;
    if (next)
        begin(s, next - 1);
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
    s->id = reducer_start(s->acts->reducer, &ask, done, s, &err);
    if (!s->id)
        log_info("autoslice", "%s job=%llu", err.text,
                 (unsigned long long)s->job->id);
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
    if (!awaits || awaits > r->ntasks || job_state_final(s->job->state) ||
        !ask(s, (uint32_t)awaits - 1, s->rank + 1, on_sent))
        keep(s, NULL);
}

static void begin(struct autoslice *s, uint32_t rank)
{
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

    if (!s->acts->reducer || !s->acts->conf.hang_slices || !is_about_staying(v))
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

void autoslice_forget(struct autoslice *s)
{
    s->had = s->next = 0;
}

void autoslice_fini(struct autoslice *s)
{
    if (s->id && s->acts->reducer)
        reducer_cancel(s->acts->reducer, s->id);
    s->id = 0;
    str_fini(&s->slice);
}
