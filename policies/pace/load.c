/* load.c - see load.h. */
#include "policies/pace/load.h"

#include <math.h>
#include <stdbool.h>

#include "policies/pace/share.h"

/* So many times less is much, and the more, the less all have: turns are few then.
 * Of four tasks that computed with 45 others on each of two processors, for which
 * a twelfth was left, the logarithm of a second was 0.42 from that of the others,
 * and of one second in twenty it was 1.0 below. */
static const double much = 1.3, by_load = 1;
/* They wanted a processor for so much of the time that it did. */
static const double awake = 0.5;

static bool tell(const struct load *others, const struct load *own)
{
    return others->had_ns > 0 &&
           others->had_ns + others->wanted_ns >=
               awake * (own->had_ns + own->wanted_ns);
}

double load_leaves(const struct load *own, const struct load *others)
{
    double part = share_log(own->had_ns, own->wanted_ns);
    double theirs = share_log(others->had_ns, others->wanted_ns);

    return tell(others, own) &&
                   part < theirs - log(much) - by_load * (1 - exp(theirs))
               ? theirs : part;
}
