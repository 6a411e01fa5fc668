/* crowd.c - see crowd.h. */
#include "policies/slow/crowd.h"

#include <math.h>

#include "policies/pace/load.h"
#include "policies/pace/share.h"

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

static struct load since(const struct region *before,
                         const struct hct_snapshot *in)
{
    const struct hct_rank *k = hct_rank(in, before->rank);

    if (k->ran_ns < before->ran_ns || k->delayed_ns < before->delayed_ns)
        return (struct load){ 0 };
    return (struct load){ (double)(k->ran_ns - before->ran_ns),
                          (double)(k->delayed_ns - before->delayed_ns) };
}

struct load crowd_load(const struct slow_suspicion *x,
                       const struct region *before,
                       const struct hct_snapshot *in)
{
    const struct region *other = models_of(&x->models, x->witness);

    return other && other->rank != before->rank ? since(other, in)
                                                : (struct load){ 0 };
}

bool crowd_is_alone(const struct load *others, const struct region *before,
                    const struct hct_snapshot *in)
{
    struct load own = since(before, in);

    return load_leaves(&own, others) > share_log(own.had_ns, own.wanted_ns);
}
