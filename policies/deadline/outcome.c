/* outcome.c - see outcome.h. */
#include "policies/deadline/outcome.h"

#include <math.h>

#include "policies/deadline/course.h"
#include "policies/deadline/evidence.h"
#include "policies/deadline/when.h"

static void put_row(const struct due *d, const struct outcome *o, bool late,
                    struct hct_out *out)
{
    bool known = margin_is_known(&d->margin);

    if (out->ninstances >= out->instances_max) {
        out->lost++;
        return;
    }
    out->instances[out->ninstances++] = (struct hct_instance){
        .deadline = d->is.number, .rank = o->rank, .instance = o->number,
        .release_ns = o->release_ns, .due_ns = o->due_ns,
        .done_ns = o->open ? 0 : o->done_ns, .open = o->open, .late = late,
        .bound_ns = o->bound_ns, .slope = known ? d->margin.slope : NAN,
        .chance = known ? d->margin.chance : NAN };
}

static void count(struct due *d, const struct outcome *o, bool late, bool unsure)
{
    if (o->told && o->was_late == late)
        return;
    if (o->told) {
        d->met -= o->was_late ? 0 : d->met > 0;
        d->missed -= o->was_late ? d->missed > 0 : 0;
    }
    d->met += !late;
    d->missed += late;
    d->unsure += unsure;
}

/* What was held is late by what held it, and says nothing of the next ones. */
static void learn(struct deadline *s, struct due *d, const struct outcome *o,
                  bool late, const struct hct_snapshot *in)
{
    double x = hct_margin(o->due_ns, o->done_ns, d->is.limit_ns);

    if (!late)
        evidence_usual(d, o);
    if (o->had_margin) {
        margin_replace(&d->margin, o->was_margin, x);
        return;
    }
    margin_add(&d->margin, x);
    if (!margin_collect(&d->margin, x, o->who, d->ranks))
        return;
    margin_fit(&d->margin, s->knob.horizon, in->now_ns);
    course_point(d, &s->knob, when_now(in->now_ns));
}

bool outcome_tell(struct deadline *s, struct due *d, const struct outcome *o,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    int64_t now_ns = when_now(in->now_ns);
    int64_t by = when_since(o->open ? now_ns : o->done_ns, o->due_ns);
    bool late = by > 0 && (uint64_t)by > o->bound_ns;

    count(d, o, late, by > 0 && !late);
    if (late && !(o->told && o->was_late))
        course_missed(d, o, 1, now_ns);
    else if (!late && o->told && o->was_late)
        course_take_back(d);
    if (!o->open && !(o->held && late))
        learn(s, d, o, late, in);
    put_row(d, o, late, out);
    return late;
}

void outcome_skip(struct due *d, const struct outcome *o, uint64_t n,
                  int64_t now_ns)
{
    d->missed += n;
    course_missed(d, o, n, now_ns);
}
