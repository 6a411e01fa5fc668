/* told.c - see told.h. */
#include "policies/slow/told.h"

#include <math.h>
#include <string.h>

#include "policies/slow/nodes.h"
#include "policies/slow/suspects.h"
#include "policies/slow/suspicion.h"

static bool is_told(const struct slow_suspicion *x, uint32_t rank)
{
    for (uint32_t i = 0; i < x->found.nodd && i < SLOW_ODD; i++)
        if (x->odd[i].rank == rank)
            return true;
    return false;
}

/* Are others slow, too, by now? They are told without their step. */
static void look_for_more(struct slow *s, const struct hct_snapshot *in,
                          const struct odd_found *f,
                          const struct odd_task odd[SLOW_ODD],
                          struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    bool more = false;

    if (!x->found.nodd || x->found.nodd >= SLOW_ODD || f->moved)
        return;
    for (uint32_t i = 0; i < f->nodd && i < SLOW_ODD; i++)
        more |= !is_told(x, odd[i].rank);
    x->agreed = more ? x->agreed + 1 : 0;
    if (x->agreed < SLOW_ODD_WINDOWS)
        return;
    x->agreed = 0;
    x->found = *f;
    memcpy(x->odd, odd, sizeof(x->odd));
    x->node = nodes_slow(&s->speed, in, &odd[0]);
    x->shown = 0;
    suspects_explain(s);
    slow_say(x, NULL, &s->speed, in, out);
}

/* Those who were slow are half of that, or less, by the logarithm. The time of
 * an iteration does not tell: that has other reasons, too. */
static bool is_over(const struct slow *s, const struct odd_found *f)
{
    const struct slow_suspicion *x = &s->x;
    bool over = true;

    if (!x->found.nodd)
        return f->alike < sqrt(x->found.alike);
    for (uint32_t i = 0; i < x->found.nodd && i < SLOW_ODD; i++)
        over &= s->speed.shift[x->odd[i].rank] < log(x->odd[i].times) / 2;
    return over;
}

void told_window(struct slow *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    struct odd_task odd[SLOW_ODD] = { 0 };
    struct odd_found f;
    uint32_t n;
    uint64_t from = speed_since(&s->speed, x->phase, SLOW_ODD_WINDOWS, &n);

    if (++x->windows < SLOW_ODD_WINDOWS ||
        !odd_judge(&s->speed, x->phase, x->since, from, &s->limit, &f, odd,
                     SLOW_ODD))
        return;
    if (!is_over(s, &f)) {
        look_for_more(s, in, &f, odd, out);
        /* All were, and somebody is slower than the others by now. */
        if (!x->found.nodd &&
            suspects_alone(s, x->phase) == SUSPECTS_SOME)
            suspicion_raise_alone(s, x->phase, in->now_ns);
        return;
    }
    slow_say_over(x, out);
    pace_restart(&s->pace[x->phase], SLOW_ODD_WINDOWS);
    suspicion_went_by(s, in->now_ns);
}
