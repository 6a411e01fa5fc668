/* judge_here.h - judge.h without a process: the policy is asked here and at once,
 * over what was written to the tape, so that sanitizers and coverage see it, and
 * an input takes no time. In place of judge.c: include it once. */
#ifndef HECTOR_TESTS_JUDGE_HERE_H
#define HECTOR_TESTS_JUDGE_HERE_H

#include <stdlib.h>
#include <string.h>

#include "master/judge/policy.h"
#include "master/watch/judge.h"
#include "master/watch/tape.h"
#include "master/watch/verdict.h"

struct judge {
    struct policy policy;
    const struct judge_ops *ops;
    void *arg;
    uint32_t nranks;
    bool begun, follows;
    struct tape_reader reader;
    struct str queue;
    struct found found, told;
    struct judge_done done;
};

struct judges *judges_create(struct event_base *base)
{
    (void)base;
    return calloc(1, 1);
}

void judges_destroy(struct judges *all)
{
    free(all);
}

struct judge *judge_create(struct judges *all, const char *spec,
                           const struct judge_conf *conf,
                           const struct judge_ops *ops, void *arg,
                           struct err *err)
{
    struct judge *j = calloc(1, sizeof(*j));

    (void)all, (void)conf;
    j->ops = ops;
    j->arg = arg;
    if (policy_open(&j->policy, spec, err)) {
        free(j);
        return NULL;
    }
    return j;
}

static void judge_forget(struct judge *j)
{
    looks_fini(&j->reader.looks);
    found_fini(&j->found);
    found_fini(&j->told);
    str_fini(&j->queue);
    j->reader = (struct tape_reader){ 0 };
    j->begun = j->follows = false;
}

void judge_destroy(struct judge *j)
{
    if (!j)
        return;
    judge_forget(j);
    policy_close(&j->policy);
    free(j);
}

const char *judge_name(const struct judge *j)
{
    return j->policy.name;
}

void judge_use_spec(struct judge *j)
{
    (void)j;
}

bool judge_off(const struct judge *j)
{
    return j->policy.off;
}

void judge_set_off(struct judge *j)
{
    j->policy.off = true;
}

uint64_t judge_missed(const struct judge *j)
{
    (void)j;
    return 0;
}

bool judge_missed_most(const struct judge *j)
{
    (void)j;
    return false;
}

int judge_begin(struct judge *j, uint32_t nranks, struct err *err)
{
    (void)err;
    judge_forget(j);
    j->nranks = nranks;
    j->policy.wake_ns = 0;
    assert(!found_init(&j->found, nranks) && !found_init(&j->told, nranks));
    return 0;
}

void judge_end(struct judge *j)
{
    str_reset(&j->queue);
    j->follows = false;
}

void judge_wake(struct judge *j)
{
    (void)j;
}

bool judge_busy(const struct judge *j)
{
    (void)j;
    return false;
}

bool judge_wants(const struct judge *j, uint64_t *wake_ns)
{
    *wake_ns = j->policy.wake_ns;
    return !j->policy.off;
}

uint32_t judge_hears(const struct judge *j)
{
    return policy_hears(&j->policy);
}

bool judge_wants_key(const struct judge *j, uint32_t asked)
{
    (void)asked;
    return !j->follows;
}

uint32_t judge_needs(const struct judge *j)
{
    return policy_needs(&j->policy);
}

/* No optimizer is given to a master here. */
bool judge_ask(struct judge *j, const void *system, size_t bytes)
{
    (void)j, (void)system, (void)bytes;
    return false;
}

void judge_show(struct judge *j, const struct tape_frame *f)
{
    if (!j->follows && *(const char *)f->p != 'K')
        return;
    j->follows = true;
    tape_copy(f, policy_may_need(&j->policy), &j->queue);
}

static void judge_tell(struct judge *j)
{
    struct found *f = &j->found;
    struct str text = { 0 };
    struct err err;

    for (uint32_t i = 0; i < f->out.nverdicts; i++) {
        str_reset(&text);
        verdict_text(&text, j->policy.name, f, i);
        f->text[i] = strdup(str_text(&text));
    }
    str_reset(&text);
    found_pack(f, &text);
    assert(!found_unpack(&j->told, j->nranks, str_text(&text), text.n, &err));
    str_fini(&text);
    j->ops->found(j->arg, j, &j->told);
}

/* What follows from a verdict may end it. */
static void judge_steps(struct judge *j, bool quiet)
{
    struct str queue = j->queue;
    struct hct_snapshot s;
    struct err err;

    j->queue = (struct str){ 0 };
    j->reader.p = (const uint8_t *)str_text(&queue);
    j->reader.end = j->reader.p + queue.n;
    while (j->nranks && tape_read(&j->reader, &s, &err) > 0) {
        if (!j->begun && policy_begin(&j->policy, s.job, &err))
            abort();
        j->begun = true;
        if (!policy_due(&j->policy, &s))
            continue;
        policy_step(&j->policy, &s, &j->found);
        j->done.need |= j->found.out.need;
        if (!quiet && (j->found.how != FOUND_FINE || j->found.out.nverdicts))
            judge_tell(j);
    }
    str_fini(&queue);
}

void judge_go(struct judge *j, uint64_t now_ns, bool stale)
{
    struct judge_done d;

    if (j->queue.n == 0)
        return;
    j->done = (struct judge_done){ .now_ns = now_ns, .stale = stale };
    judge_steps(j, false);
    d = j->done;
    j->ops->done(j->arg, j, &d);
}

void judge_learn(struct judge *j, const void *frames, size_t bytes)
{
    str_add_bytes(&j->queue, frames, bytes);
    judge_steps(j, true);
}

#endif
