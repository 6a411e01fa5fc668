/* course.c - see course.h. */
#include "policies/deadline/course.h"

#include <math.h>

enum { LEAST = 3, AGAIN_MAX = 8, SOON = 4 };

static uint64_t needed(const struct course *c)
{
    uint64_t took = c->took > LEAST ? c->took : LEAST;

    return took << c->again;
}

static void worsen(struct due *d, enum course_stage to, int64_t now_ns)
{
    struct course *c = &d->course;

    if (c->stage == COURSE_GOOD) {
        if (c->since_ns && c->since < SOON * needed(c))
            c->again += c->again < AGAIN_MAX;
        else
            c->again = 0;
        c->took = c->low;
    }
    c->stage = to;
    c->since_ns = now_ns;
    c->good = 0;
    c->missed = 0;
    c->tell_at = 1;
}

void course_missed(struct due *d, const struct outcome *o, uint64_t n,
                   int64_t now_ns)
{
    struct course *c = &d->course;

    if (c->stage != COURSE_MISSED)
        worsen(d, COURSE_MISSED, now_ns);
    c->good = 0;
    c->who = o->who;
    c->missed += n;
    if (c->missed < c->tell_at)
        return;
    while (c->tell_at <= c->missed && c->tell_at < UINT64_MAX / 10)
        c->tell_at *= 10;
    d->news = (struct news){ .what = NEWS_MISSED, .missed = c->missed,
                             .since_ns = c->since_ns, .o = *o };
}

void course_take_back(struct due *d)
{
    struct course *c = &d->course;

    if (c->stage != COURSE_MISSED || c->missed == 0)
        return;
    c->missed--;
    if (c->missed == 0 && d->news.what == NEWS_MISSED) {
        d->news.what = NEWS_NONE;       /* before anybody has heard of it */
        c->stage = COURSE_GOOD;
    }
}

static bool falls(const struct due *d, const struct deadline_knobs *k)
{
    return margin_is_known(&d->margin) && d->margin.falls &&
           d->margin.chance >= k->chance;
}

void course_point(struct due *d, const struct deadline_knobs *k, int64_t now_ns)
{
    struct course *c = &d->course;
    double x = margin_last(&d->margin, 0)->margin;
    bool trend = falls(d, k), weak = trend || x < fmax(d->is.margin, 0);

    c->since++;
    c->good = weak ? 0 : c->good + 1;
    c->low = weak ? c->low + 1 : 0;
    if (c->stage == COURSE_GOOD) {
        if (c->low < k->sustain)
            return;
        worsen(d, COURSE_DECLINING, now_ns);
        d->news = (struct news){ .what = NEWS_DECLINING, .trend = trend,
                                 .since_ns = now_ns, .margin = x };
        return;
    }
    if (c->good < needed(c))
        return;
    d->news = (struct news){ .what = NEWS_MET_AGAIN, .missed = c->missed,
                             .since_ns = c->since_ns, .margin = x };
    c->stage = COURSE_GOOD;
    c->since = 0;
    c->low = 0;
}
