/* verdict.c - what a policy has found, in words. */
#include "master/watch/verdict.h"

#include <inttypes.h>
#include <stdlib.h>

#include "proto/base/taskset.h"

int verdict_set(struct taskset *to, const struct found *f,
                const struct hct_verdict *v)
{
    int rc = 0;

    for (uint32_t i = 0; i < v->nranks && rc == 0; i++)
        rc = taskset_add(to, f->ranks[v->ranks + i], f->ranks[v->ranks + i]);
    return rc;
}

void verdict_ranks(struct str *to, const struct found *f,
                   const struct hct_verdict *v)
{
    struct taskset set = { 0 };
    char *text;

    verdict_set(&set, f, v);
    text = taskset_text(&set);
    str_add(to, text ? text : "");
    free(text);
    taskset_fini(&set);
}

const char *verdict_sentence(const struct found *f,
                             const struct hct_verdict *v)
{
    return v->nlines ? f->lines[v->lines].text : "";
}

bool verdict_is_hang(const struct hct_verdict *v)
{
    return v->kind == HCT_HANG || v->kind == HCT_DEADLOCK;
}

void verdict_text(struct str *to, const char *policy,
                  const struct found *f, uint32_t verdict)
{
    static const char *const actions[] = { "", "report", "suspend", "kill" };
    const struct hct_verdict *v = &f->verdicts[verdict];
    const char *where = found_where_name(v->where);

    str_addf(to, "look %" PRIu64 " +%.6f s: %s, %s, %s%sphase %u, score %.6f, "
             "for %.6f s, ranks ", f->seq, (double)f->now_ns / 1e9, policy,
             found_kind_name(v->kind), where, *where ? ", " : "", v->phase,
             v->score, (double)v->age_ns / 1e9);
    verdict_ranks(to, f, v);
    str_add(to, v->nranks ? "\n" : "none\n");
    for (uint32_t i = 0; i < v->nlines; i++) {
        const struct hct_line *l = &f->lines[v->lines + i];

        if (l->rank == HCT_NONE)
            str_addf(to, "  %s\n", l->text);
        else
            str_addf(to, "  rank %d: %s\n", l->rank, l->text);
    }
    for (uint32_t i = 0; i < f->out.nproposals; i++)
        if (f->proposals[i].verdict == verdict)
            str_addf(to, "  proposes to %s\n",
                     actions[f->proposals[i].action]);
}
