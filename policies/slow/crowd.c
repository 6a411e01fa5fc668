/* crowd.c - see crowd.h. */
#include "policies/slow/crowd.h"

#include <math.h>

/* So much of what the one was kept for others have to be, too. */
static const double also = 0.25;

uint32_t crowd_witness(const struct speed *s, uint32_t rank)
{
    uint32_t node = s->task[rank].node, best = rank;

    for (uint32_t i = 0; i < s->ntasks && node; i++)
        if (s->task[i].node == node && !s->task[i].odd &&
            !isnan(s->shift[i]) &&
            (best == rank || s->shift[i] < s->shift[best]))
            best = i;
    return best;
}

/* The part of the time for which it wanted a processor, and had none; NaN: not
 * known. */
static double kept(const struct region *before, const struct hct_snapshot *in)
{
    const struct hct_rank *k = hct_rank(in, before->rank);

    if (!before->delayed_ns || k->delayed_ns < before->delayed_ns ||
        in->now_ns <= before->at_ns)
        return (double)NAN;
    return (double)(k->delayed_ns - before->delayed_ns) /
           (double)(in->now_ns - before->at_ns);
}

bool crowd_is_there(const struct slow_suspicion *x, const struct region *before,
                    const struct hct_snapshot *in)
{
    const struct region *other = models_of(&x->models, x->witness);

    return x->witness != before->rank && other &&
           kept(other, in) > also * kept(before, in);
}
