/* works.c - see works.h. */
#include "policies/outlier/works.h"

#include <stdbool.h>

static const uint64_t apart_ns = 600000000;

enum { TIMES = 10, PART = 20, OTHERS = 3 };     /* so much more than others; of
                                                   the time; at least so many */

static struct works_rank now(const struct hct_snapshot *in,
                             const struct hct_rank *k)
{
    bool known = stands_waits(in, k) && k->own_cpu_ns;

    return (struct works_rank){
        (uint32_t)k->calls, known ? (uint32_t)(k->own_cpu_ns / 1000000) + 1 : 0 };
}

/* What it has had of a processor since; -1: it was not in the same call all the
 * time. */
static int64_t had(const struct works_rank *was, const struct hct_snapshot *in,
                   uint32_t i)
{
    struct works_rank is = now(in, hct_rank(in, i));

    return is.cpu_ms && was[i].cpu_ms && is.calls == was[i].calls
               ? (int64_t)is.cpu_ms - (int64_t)was[i].cpu_ms
               : -1;
}

/* Others of its node wait, and have had far less. */
static bool exceeds(const struct works_rank *was, const struct hct_snapshot *in,
                    uint32_t who, int64_t ms, uint32_t *others)
{
    uint32_t node = hct_rank(in, who)->node, there = 0;
    int64_t sum = 0, n = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        int64_t other = i != who && hct_rank(in, i)->node == node
                            ? had(was, in, i) : -1;

        there += i != who && hct_rank(in, i)->node == node;
        if (other < 0)
            continue;
        sum += other;
        n++;
    }
    *others = (uint32_t)n;
    return node && n >= OTHERS && 2 * (uint32_t)n >= there &&
           ms * n >= TIMES * (sum > n ? sum : n);
}

static void compare(struct works *w, const struct works_rank *was,
                    const struct hct_snapshot *in)
{
    int64_t most = 0;
    uint32_t who = 0, waiting = 0, others;

    for (uint32_t i = 0; i < in->nranks; i++) {
        int64_t ms = had(was, in, i);

        waiting += ms >= 0;
        if (ms > most) {
            most = ms;
            who = i;
        }
    }
    if (2 * waiting >= in->nranks &&
        (uint64_t)most * 1000000 * PART >= in->now_ns - w->since_ns &&
        exceeds(was, in, who, most, &others))
        stands_add(&w->found, in, hct_rank(in, who), others);
}

void works_look(struct works *w, struct works_rank *was,
                const struct hct_snapshot *in)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < in->nranks && w->since_ns; i++)
        known += was[i].cpu_ms > 0;
    if (2 * known >= in->nranks && in->now_ns - w->since_ns < apart_ns)
        return;
    if (2 * known >= in->nranks)
        compare(w, was, in);
    w->since_ns = in->now_ns;
    for (uint32_t i = 0; i < in->nranks; i++)
        was[i] = now(in, hct_rank(in, i));
}
