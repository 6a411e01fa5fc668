/* pace.c - see pace.h. */
#include "master/ladder/pace.h"

#include <math.h>

enum { LEAST = 3, AGAIN_MAX = 8, SOON = 4 };
/* A turn counts half in the mean; what is later than four times its limit no
 * more. */
static const double weight = 0.5, lowest = -4;

static uint64_t least(const struct pace *p)
{
    return LEAST * (uint64_t)(p->each ? p->each : 1);
}

uint64_t pace_need(const struct pace *p)
{
    uint64_t took = p->took > least(p) ? p->took : least(p);

    return took << p->again;
}

static bool worsen(struct pace *p, enum pace_stage to)
{
    bool news = p->stage == PACE_GOOD;

    if (to <= p->stage)
        return false;
    if (news) {
        if (p->since_back && p->since_back <= SOON * pace_need(p))
            p->again += p->again < AGAIN_MAX;
        else if (p->since_back)
            p->again = 0;
        p->took = p->low;
        p->missed = 0;
    }
    p->stage = to;
    p->good = 0;
    return news;
}

static void take_margin(struct pace *p, double margin)
{
    double x = fmax(margin, lowest);

    p->worst = p->turn ? fmin(p->worst, x) : x;
    if (++p->turn < p->each)
        return;
    p->turn = 0;
    p->margin += p->known ? weight * (p->worst - p->margin) : p->worst;
    p->known = true;
}

bool pace_instance(struct pace *p, double margin, bool late, double chance)
{
    bool low = late || (!isnan(margin) && margin < p->want);

    p->instances++;
    p->since_back += p->since_back > 0;
    p->low = low ? p->low + 1 : 0;
    p->good = low ? 0 : p->good + 1;
    if (!isnan(chance))
        p->chance = chance;
    if (!isnan(margin))
        take_margin(p, margin);
    else if (late && (!p->known || p->margin > 0)) {
        p->margin = 0; /* it has none left, and how much more is open */
        p->known = true;
    }
    if (late) {
        bool news = worsen(p, PACE_MISSED);

        p->missed++;
        return news;
    }
    if (p->stage != PACE_GOOD && p->good >= pace_need(p))
        p->stage = PACE_GOOD;
    return false;
}

bool pace_declines(struct pace *p)
{
    return worsen(p, PACE_DECLINING);
}

void pace_met_again(struct pace *p)
{
    if (p->good >= least(p))
        p->stage = PACE_GOOD;
}

bool pace_may_undo(const struct pace *p)
{
    return p->stage == PACE_GOOD && p->good >= pace_need(p);
}

void pace_gave_back(struct pace *p)
{
    p->good = 0;
    p->since_back = 1;
}
