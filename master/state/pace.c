/* pace.c - see pace.h. */
#include "master/state/pace.h"

#include <math.h>

enum { LEAST = 3, AGAIN_MAX = 8, SOON = 4, KNOWN = 8, AHEAD = 10 };
/* A turn counts half in the mean; what is later than four times its limit no
 * more. */
static const double weight = 0.5, lowest = -4, spread_weight = 1 / 16.0,
    risky = 0.3, most_wanted = 0.95;

static uint64_t least(const struct pace *p)
{
    return LEAST * (uint64_t)(p->each ? p->each : 1);
}

uint64_t pace_need(const struct pace *p)
{
    uint64_t took = p->took > least(p) ? p->took : least(p);

    return took << p->again;
}

/* The chance of one, of which that is the chance of one of AHEAD. */
static double of_each(double all)
{
    return 1 - pow(1 - all, 1.0 / AHEAD);
}

void pace_anew(struct pace *p)
{
    p->turns = 0;
    p->mean = p->below = p->risk = p->kept = 0;
}

static void take_spread(struct pace *p, double x)
{
    double w = fmax(1.0 / ++p->turns, spread_weight);
    double apart = fmin(0, x - p->mean), one = 1;

    p->mean += w * (x - p->mean);
    p->below = (1 - w) * (p->below + w * apart * apart);
    if (p->turns < KNOWN)
        return;
    if (p->mean > 0)
        one = fmin(1, p->below / (p->mean * p->mean));
    p->risk = 1 - pow(1 - one, AHEAD);
}

double pace_wants(const struct pace *p)
{
    double wants = sqrt(p->below / of_each(risky));

    return fmax(p->want, p->turns < KNOWN ? p->kept : fmin(most_wanted, wants));
}

static bool worsen(struct pace *p, enum pace_stage to)
{
    bool news = p->stage < PACE_DECLINING;

    if (to <= p->stage)
        return false;
    if (p->stage == PACE_GOOD) {
        if (p->since_back && p->since_back <= SOON * pace_need(p))
            p->again += p->again < AGAIN_MAX;
        else if (p->since_back)
            p->again = 0;
        p->took = p->low;
        p->missed = 0;
    }
    if (to == PACE_MISSED) {    /* of before only what is wanted counts */
        double wants = pace_wants(p);

        pace_anew(p);
        p->kept = wants;
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
    p->last = p->worst;
    take_spread(p, p->worst);
    p->margin += p->known ? weight * (p->worst - p->margin) : p->worst;
    p->known = true;
}

/* What is late and not over has no margin left, and how much more it takes is
 * open. */
static void has_none(struct pace *p)
{
    p->last = fmin(p->last, 0);
    if (!p->known || p->margin > 0)
        p->margin = 0;
    p->known = true;
}

bool pace_instance(struct pace *p, double margin, bool late, double chance)
{
    bool low = late || p->risk >= risky || (!isnan(margin) && margin < p->want);

    p->instances++;
    p->since_back += p->since_back > 0;
    p->low = low ? p->low + 1 : 0;
    p->good = low ? 0 : p->good + 1;
    if (!isnan(chance))
        p->chance = chance;
    if (!isnan(margin))
        take_margin(p, margin);
    else if (late)
        has_none(p);
    if (late) {
        bool news = worsen(p, PACE_MISSED);

        p->missed++;
        return news;
    }
    if (p->risk >= risky)
        return worsen(p, PACE_WARY);
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
    pace_anew(p);
    p->good = 0;
    p->since_back = 1;
}
