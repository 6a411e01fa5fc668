/* still_limit.c - how long tasks may stay where they are, see still.h. */
#include <math.h>
#include <string.h>

#include "policies/hang/still.h"

enum {
    PAUSES = 4,                 /* times longer than any before */
    BYTE_NS = 100,              /* that one may take: 10 MB/s; */
    NEEDED_NS = BYTE_NS / 10,   /* of it of a processor, of each task; and */
    STARVED_NS = 20 * BYTE_NS,  /* at most, of who gets none */
};

/* How many times longer than the longest of n visits a stay has to be: see
 * still.h. */
static double factor_of(uint32_t n, double alpha)
{
    return fmax(4, sqrt(1 / (alpha * (n + 1.0))));
}

bool still_pauses_in(const struct still_rank *w, const struct hct_rank *k)
{
    return still_alive(k) && w->in && (k->flags & HCT_PAUSES) &&
           ((k->flags & HCT_IN_MPI) || k->life == HCT_LIFE_INIT);
}

/* Has it worked for longer than ever at this place, whatever has kept it from
 * working meanwhile? */
static bool overworked(const struct still *s, const struct still_rank *w,
                       double factor, uint64_t longest_ns)
{
    uint64_t worked = w->own_ns > w->own_still_ns ? w->own_ns - w->own_still_ns
                                                  : 0;
    double limit = fmax((double)s->options.work_ns,
                        fmax(factor * (double)longest_ns,
                             2 * (double)s->quiet_ns));

    return w->own_still_ns && (double)worked >= limit &&
           (double)(s->moved_ns - s->begun_ns) >= 4 * limit;
}

uint64_t still_longest(const struct still *s, const struct still_rank *w)
{
    uint64_t longest = w->longest_ns;

    for (unsigned i = 0; i < STILL_POOLED; i++)
        if (s->place[i].site == w->site && s->place[i].call == w->call)
            longest = still_max(longest, s->place[i].longest_ns);
    for (unsigned i = 0; i < STILL_PLACES; i++)
        if (w->place[i].visits && w->place[i].site == w->site)
            longest = still_max(longest, w->place[i].longest_ns);
    return longest;
}

bool still_judged_outside(const struct still_rank *w,
                          const struct hct_rank *k)
{
    return !w->works && k->been == HCT_BEEN_HERE &&
           !(k->flags & HCT_SLEEPS) &&
           (k->waits == HCT_WAITS_UNKNOWN || k->waits == HCT_WAITS_SIGNAL ||
            k->waits == HCT_WAITS_THREAD);
}

/* How often it has been there before. */
static uint32_t visits_of(const struct still_rank *w, const struct hct_rank *k,
                          const struct hct_snapshot *in)
{
    uint32_t visits = w->visits;

    for (unsigned i = 0; i < STILL_PLACES; i++)
        if (w->place[i].site == w->site)
            visits += w->place[i].visits;
    if (k->site_calls > visits && k->site_calls < UINT32_MAX)
        visits = (uint32_t)k->site_calls;
    /* Who asks for the time in a loop has moved on, to who knows where. */
    return k->age_ns < (in->now_ns - w->moved_ns) / 10 * 9 ? 0 : visits;
}

/* For ever where it has not been before in this run. */
static uint64_t allowed_now(const struct still *s, const struct still_rank *w,
                            const struct hct_rank *k,
                            const struct hct_snapshot *in, uint32_t *seen)
{
    uint32_t visits = visits_of(w, k, in);
    uint64_t longest = still_longest(s, w);
    bool known = (k->flags & HCT_PAGE) && visits >= 2 &&
                 !(k->flags & HCT_SLEEPS);
    double limit, factor = factor_of(visits, s->options.alpha);

    *seen = visits;
    if (k->flags & HCT_PAUSES)
        return still_max(known ? s->options.sure_ns : s->options.least_ns,
                     PAUSES * s->pause_ns);
    if (!known)
        return UINT64_MAX;
    limit = (double)(visits >= STILL_ENOUGH &&
                     overworked(s, w, factor, longest)
                         ? s->options.sure_ns : s->options.least_ns);
    limit = fmax(limit, factor * (double)longest);
    return limit < 1e18 ? (uint64_t)limit : (uint64_t)1e18;
}

uint64_t still_allowed_outside(const struct still *s,
                               const struct still_rank *w,
                               const struct hct_rank *k,
                               const struct hct_snapshot *in, uint32_t *seen)
{
    return still_max(allowed_now(s, w, k, in, seen),
                     STILL_EARLIER * k->earlier_ns);
}

/* Has somebody had less of a processor than it takes to move so much? */
static bool starves(const struct still_rank *ranks,
                    const struct hct_snapshot *in, uint64_t bytes)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (still_alive(k) && (k->flags & HCT_IN_MPI) &&
            still_processor_known(&ranks[i], k) &&
            (double)still_used_ns(&ranks[i], k) < (double)bytes * NEEDED_NS)
            return true;
    }
    return false;
}

/* How long all of them may wait in MPI. */
uint64_t still_allowed_inside(const struct still *s,
                               const struct still_rank *ranks,
                               const struct hct_snapshot *in)
{
    uint64_t bytes = 0;
    bool slow = false;
    double limit = (double)s->options.least_ns;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        const struct hct_call *c = hct_call(in, k->call);

        if (!still_alive(k))
            continue;
        if (still_pauses_in(&ranks[i], k))
            return still_max(k->life == HCT_LIFE_INIT ? s->options.least_ns
                                                  : s->options.sure_ns,
                         PAUSES * s->pause_ns);
        if ((k->flags & HCT_PAGE) && k->bytes > bytes)
            bytes = k->bytes;
        slow |= (k->flags & HCT_SLEEPS) || c->class_ == HCT_CLASS_IO ||
                strncmp(c->name, "MPI_File_", 9) == 0 ||
                ((c->flags & HCT_CALL_PART) && (k->flags & HCT_IN_MPI));
    }
    if (slow)
        limit = (double)s->options.patience_ns;
    limit += (double)bytes * (starves(ranks, in, bytes) ? STARVED_NS : BYTE_NS);
    limit = fmax(limit, factor_of(s->all_ins, s->options.alpha) *
                        (double)s->all_in_ns);
    return limit < 1e18 ? (uint64_t)limit : (uint64_t)1e18;
}
