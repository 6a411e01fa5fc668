/* still_again.c - does a job move again, of which it was said that some of its
 * tasks do not?
 *
 * Only what these have done themselves counts. Counts alone are no evidence:
 * what a task has asked is counted a little later than what it has called, so
 * that its progress is corrected now and then, mostly downwards: from the most
 * that was seen, and not from the least. Who stood in a
 * call, or outside of MPI, has gone on when it is elsewhere, or in another call
 * that began after that. Who asks in a loop is in another call each time: it has
 * gone on when it has made two calls more that are no questions, or is seen
 * behind another one, and that in two looks in a row. Who has ended may have been
 * ended: that alone is nothing. */
#include "policies/hang/still.h"

enum { AGAIN_ASKED = 2, AGAIN_LOOKS = 2 };

void still_about(struct still_rank *w, const struct hct_rank *k, bool asks)
{
    w->stuck = asks ? STILL_ASKS : w->in ? STILL_INSIDE : STILL_OUTSIDE;
    w->stuck_progress = asks ? w->top : still_progress(k);
    w->went = 0;
}

static bool behind_another(const struct hct_snapshot *in,
                           const struct hct_rank *k)
{
    return !(hct_call(in, k->call)->flags & HCT_CALL_POLL);
}

static bool asker_goes_on(struct still_rank *w, const struct hct_rank *k,
                          const struct hct_snapshot *in)
{
    bool seen = w->progress >= w->stuck_progress + AGAIN_ASKED ||
                behind_another(in, k);

    w->went = seen ? w->went + 1 : 0;
    return w->went >= AGAIN_LOOKS;
}

static bool goes_on(const struct still *s, struct still_rank *w,
                    const struct hct_rank *k, const struct hct_snapshot *in)
{
    uint64_t progress = still_progress(k);
    bool later = k->age_ns <= in->now_ns - s->reported_ns;

    if (!(k->flags & HCT_OBSERVED) || !(k->flags & HCT_PAGE))
        return false;
    if (k->life == HCT_LIFE_ENDED)
        return progress >= w->stuck_progress + AGAIN_ASKED;
    if (w->stuck == STILL_ASKS)
        return asker_goes_on(w, k, in);
    if (k->flags & HCT_TORN)
        return false;
    if (w->in != (w->stuck == STILL_INSIDE) ||
        (later && progress > w->stuck_progress))
        return true;
    w->stuck_progress = still_min(w->stuck_progress, progress);
    return false;
}

bool still_goes_on(const struct still *s, struct still_rank *ranks,
                   const struct hct_snapshot *in)
{
    bool any = false;

    if (!s->alone)
        return s->moved;
    for (uint32_t i = 0; i < in->nranks; i++)
        any |= ranks[i].stuck && goes_on(s, &ranks[i], hct_rank(in, i), in);
    for (uint32_t i = 0; any && i < in->nranks; i++)
        ranks[i].stuck = 0;
    return any;
}
