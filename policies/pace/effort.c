/* effort.c - see effort.h. */
#include "policies/pace/effort.h"

#include <math.h>
#include <stddef.h>

/* What falls behind counts for that much of the windows before it. */
static const double fades = 0.95;
/* Those who wait tell what waiting costs if they do it for so much longer, as
 * a part of the time. Else what waits may be, but for so much of it, is too
 * much. */
static const double waits_longer = 0.05, waits_little = 0.2;
/* Of the whole factor that much has one cause; smaller ones have none. */
static const double most = 0.6, least = 1.1;

static void add_sum(struct effort_sum *to, const struct effort_sum *s)
{
    to->calls += s->calls;
    to->in_ns += s->in_ns;
    to->out_ns += s->out_ns;
    to->instructions += s->instructions;
    to->cycles += s->cycles;
}

static void fade(struct effort_sum *s)
{
    s->calls *= (float)fades;
    s->in_ns *= (float)fades;
    s->out_ns *= (float)fades;
    s->instructions *= (float)fades;
    s->cycles *= (float)fades;
}

/* What is recent is how it was before, from now on. */
static void flush(struct effort *e)
{
    for (uint32_t i = 0; i < e->ntasks; i++) {
        struct effort_task *t = &e->task[i];

        if (!(t->now.calls > 0))
            continue;
        fade(&t->before[e->phase]);
        add_sum(&t->before[e->phase], &t->now);
        t->now = (struct effort_sum){ 0 };
    }
    e->windows = 0;
}

/* Where what is done in that phase goes. */
static struct effort_sum *place(struct effort *e, uint32_t task, uint32_t phase)
{
    if (phase == e->phase)
        return &e->task[task].now;
    if (e->suspected)
        return &e->task[task].before[phase];
    flush(e);
    e->phase = phase;
    return &e->task[task].now;
}

void effort_add(struct effort *e, uint32_t task, uint32_t phase,
                const struct effort_sum *made, uint64_t instructions,
                uint64_t cycles)
{
    struct effort_task *t = task < e->ntasks ? &e->task[task] : NULL;
    struct effort_sum sum = *made;

    if (!t || (!cycles && !t->cycles))
        return;
    if (phase < EFFORT_PHASES && t->cycles && t->instructions &&
        cycles >= t->cycles && instructions >= t->instructions) {
        sum.instructions = (float)(instructions - t->instructions);
        sum.cycles = (float)(cycles - t->cycles);
        add_sum(place(e, task, phase), &sum);
    }
    t->instructions = instructions;
    t->cycles = cycles;
}

void effort_close(struct effort *e, uint32_t phase)
{
    if (phase != e->phase || e->suspected)
        return;
    if (++e->windows >= EFFORT_RECENT)
        flush(e);
}

void effort_suspect(struct effort *e, uint32_t phase)
{
    for (uint32_t i = 0; i < e->ntasks; i++)
        e->task[i].now = (struct effort_sum){ 0 };
    e->phase = phase;
    e->suspected = true;
}

void effort_dismiss(struct effort *e, bool other)
{
    for (uint32_t i = 0; i < e->ntasks && other; i++)
        e->task[i].before[e->phase] = (struct effort_sum){ 0 };
    flush(e);
    e->suspected = false;
}

/* --------------------------------------------------------------------- why */

/* For a call. */
static struct effort_sum each(const struct effort_sum *s)
{
    return (struct effort_sum){
        .calls = s->calls, .in_ns = s->in_ns / s->calls,
        .out_ns = s->out_ns / s->calls,
        .instructions = s->instructions / s->calls,
        .cycles = s->cycles / s->calls };
}

static bool is_known(const struct effort *e, uint32_t task)
{
    const struct effort_task *t = &e->task[task];
    const struct effort_sum *b = &t->before[e->phase];

    return b->calls > 0 && t->now.calls > 0 && b->instructions > 0 &&
           b->cycles > 0;
}

struct waiting { double instructions, cycles; };        /* of a ns; NaN: unknown */

static struct waiting cost_of_waiting(const struct effort *e,
                                      bool (*alike)(const void *, uint32_t),
                                      const void *arg)
{
    double longer = 0, all = 0, instructions = 0, cycles = 0;

    for (uint32_t i = 0; i < e->ntasks; i++) {
        struct effort_sum was, is;

        if (!is_known(e, i) || !alike(arg, i))
            continue;
        was = each(&e->task[i].before[e->phase]);
        is = each(&e->task[i].now);
        longer += (double)is.in_ns - (double)was.in_ns;
        all += (double)is.in_ns + (double)is.out_ns;
        instructions += (double)is.instructions - (double)was.instructions;
        cycles += (double)is.cycles - (double)was.cycles;
    }
    if (!(longer > waits_longer * all))
        return (struct waiting){ (double)NAN, (double)NAN };
    return (struct waiting){ fmax(instructions / longer, 0),
                             fmax(cycles / longer, 0) };
}

/* Of one that waits for little, what that costs does not matter. */
static bool less_waiting(struct effort_sum *s, const struct waiting *w)
{
    double instructions = w->instructions, cycles = w->cycles;

    if (isnan(instructions)) {
        if ((double)s->in_ns > waits_little * (double)(s->in_ns + s->out_ns))
            return false;
        instructions = cycles = 0;
    }
    s->instructions -= (float)((double)s->in_ns * instructions);
    s->cycles -= (float)((double)s->in_ns * cycles);
    return s->instructions > 0 && s->cycles > 0 && s->out_ns > 0;
}

static uint32_t cause_of(const struct effort_change *c)
{
    double all = log(c->time);

    if (c->time < least)
        return EFFORT_UNKNOWN;
    return log(c->instructions) > most * all ? EFFORT_WORK
           : log(c->each) > most * all ? EFFORT_MEMORY
           : -log(c->clock) > most * all ? EFFORT_CLOCK : EFFORT_UNKNOWN;
}

bool effort_explain(const struct effort *e, uint32_t task,
                    bool (*alike)(const void *arg, uint32_t i), const void *arg,
                    struct effort_change *c)
{
    struct effort_sum was, is;
    struct waiting w;

    *c = (struct effort_change){ 0 };
    if (task >= e->ntasks || !e->suspected || !is_known(e, task))
        return false;
    was = each(&e->task[task].before[e->phase]);
    is = each(&e->task[task].now);
    w = cost_of_waiting(e, alike, arg);
    if (!less_waiting(&was, &w) || !less_waiting(&is, &w))
        return false;
    c->time = (double)is.out_ns / (double)was.out_ns;
    c->instructions = (double)is.instructions / (double)was.instructions;
    c->each = (double)is.cycles / (double)was.cycles / c->instructions;
    c->clock = (double)is.cycles / (double)was.cycles / c->time;
    c->cause = cause_of(c);
    return true;
}
