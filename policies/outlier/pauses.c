/* pauses.c - see pauses.h. */
#include "policies/outlier/pauses.h"

#include <stdbool.h>

static const uint64_t late_ns = 700000000;

/* What of it was after that. */
static uint64_t part(const struct pause *k, uint64_t begin_ns)
{
    uint64_t from_ns = k->from_ns < begin_ns ? begin_ns : k->from_ns;

    return k->to_ns <= begin_ns ? 0 : (k->to_ns - from_ns) * (1 + k->stopped);
}

static void keep(struct pauses *p, uint64_t to_ns)
{
    struct pause *k = &p->v[p->n++ % PAUSES_KEPT];

    p->older_ns += part(k, 0);
    *k = (struct pause){ p->since_ns, to_ns, p->stopped };
    p->stopped = 0;
}

static uint64_t calls_of(const struct hct_snapshot *in)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < in->nranks; i++)
        sum += hct_rank(in, i)->calls;
    return sum;
}

/* As much was called since the last look as is usual in half of that time: then it
 * is who looks that was late. */
static bool went_on(const struct pauses *p, double took_ns, double made)
{
    return made >= 1 && 2 * made >= p->rate * took_ns;
}

/* Is there one that somebody has stopped? */
static bool is_stopped(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        if (hct_rank(in, i)->flags & HCT_STOPPED)
            return true;
    return false;
}

void pauses_look(struct pauses *p, const struct hct_snapshot *in)
{
    uint64_t calls = calls_of(in);
    double took_ns = (double)(in->now_ns - p->last_ns);
    double made = calls > p->calls ? (double)(calls - p->calls) : 0;
    bool stopped = is_stopped(in);

    if (stopped || (p->wake_ns && in->now_ns > p->wake_ns + late_ns &&
                    !went_on(p, took_ns, made))) {
        if (!p->since_ns)
            p->since_ns = p->last_ns;
        p->stopped |= stopped;
    } else if (p->since_ns) {   /* it went on at some moment since the last look */
        keep(p, in->now_ns);
        p->since_ns = 0;
    } else if (took_ns > 0) {
        p->rate += (made / took_ns - p->rate) / (p->rate > 0 ? 4 : 1);
    }
    p->last_ns = in->now_ns;
    p->calls = calls;
}

uint64_t pauses_since(const struct pauses *p, uint64_t from_ns, uint64_t now_ns)
{
    struct pause open = { p->since_ns, now_ns, p->stopped };
    uint64_t sum = from_ns ? 0 : p->older_ns;

    for (int i = 0; i < PAUSES_KEPT; i++)
        sum += part(&p->v[i], from_ns);
    return sum + (p->since_ns ? part(&open, from_ns) : 0);
}
