/* said.c - what was told of the findings of a policy, see said.h. */
#include "master/findings/said.h"

#include <ctype.h>

#include "master/watch/verdict.h"
#include "proto/base/idtable.h"

static uint64_t what_is_said(const struct found *f,
                             const struct hct_verdict *v)
{
    uint64_t h = 0;

    h = idtable_mix(h, v->where);
    h = idtable_mix(h, v->phase);
    for (uint32_t i = 0; i < v->nranks; i++)
        h = idtable_mix(h, f->ranks[v->ranks + i] + 256ull);
    for (const char *p = verdict_sentence(f, v); *p; p++)
        if (!isdigit((unsigned char)*p) && *p != '.')
            h = idtable_mix(h, (unsigned char)*p);
    return h;
}

static bool was_said(const struct said *s, uint32_t kind, uint64_t what)
{
    for (size_t i = 0; i < s->nbefore; i++)
        if (s->before[i].kind == kind && s->before[i].what == what)
            return true;
    return false;
}

static void note(struct said *s, uint32_t kind, uint64_t what)
{
    if (s->nnow < SAID_MANY)
        s->now[s->nnow++] = (struct said_of){ kind, what };
}

/* A bucket of SAID_BURST sentences that fills by one each SAID_SELDOM_NS. */
static bool may_say(struct said *s, size_t bucket, uint64_t now_ns)
{
    uint64_t *free_ns = &s->free_ns[bucket];

    if (*free_ns < now_ns)
        *free_ns = now_ns;
    if (*free_ns - now_ns > (SAID_BURST - 1) * SAID_SELDOM_NS)
        return false;
    *free_ns += SAID_SELDOM_NS;
    return true;
}

enum said_how said_verdict(struct said *s, const struct found *f,
                           const struct hct_verdict *v, uint64_t now_ns)
{
    uint64_t what = what_is_said(f, v);
    size_t bucket = verdict_is_hang(v) || v->kind == HCT_PROGRESS;

    note(s, v->kind, what);
    if (was_said(s, v->kind, what))
        return SAID_ALREADY;
    if (may_say(s, bucket, now_ns)) {
        s->cut[bucket] = false;
        return SAID_SAY;
    }
    if (s->cut[bucket])
        return SAID_SILENT;
    s->cut[bucket] = true;
    return SAID_SAY_CUT;
}

static bool is_of_now(const struct said *s, uint32_t kind)
{
    for (size_t i = 0; i < s->nnow; i++)
        if (s->now[i].kind == kind)
            return true;
    return false;
}

void said_look_ends(struct said *s)
{
    size_t n = s->nnow;

    if (!n)
        return;
    for (size_t i = 0; i < s->nbefore; i++)
        if (!is_of_now(s, s->before[i].kind) && n < SAID_MANY)
            s->now[n++] = s->before[i];
    for (size_t i = 0; i < n; i++)
        s->before[i] = s->now[i];
    s->nbefore = n;
    s->nnow = 0;
}

static size_t without(struct said_of *v, size_t n, uint32_t kind)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (v[i].kind != kind)
            v[kept++] = v[i];
    return kept;
}

void said_forget(struct said *s, uint32_t kind)
{
    s->nbefore = without(s->before, s->nbefore, kind);
    s->nnow = without(s->now, s->nnow, kind);
}
