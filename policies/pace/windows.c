/* windows.c - see windows.h. */
#include "policies/pace/windows.h"

void windows_init(struct windows *w, uint64_t least_ns, double iterations)
{
    w->least_ns = least_ns;
    w->iterations = iterations;
    w->settles = true;          /* what all begin with is no iteration */
}

bool windows_can(struct windows *w, const struct hct_snapshot *in)
{
    while (w->ref < in->nranks && !(hct_rank(in, w->ref)->flags & HCT_PAGE))
        w->ref++;
    if (w->ref < in->nranks)
        return true;
    w->ref = 0;
    return false;
}

static void drop(struct windows *w, struct speed *s, uint32_t phase)
{
    speed_drop(s, phase);
    w->lasts_ns[phase] = w->loop_calls[phase] = w->most_ns = 0;
    w->torn[phase] = false;
}

static void note_calls(struct windows *w, const struct hct_snapshot *in)
{
    w->at_ns = in->now_ns;
    w->ref_calls = iterations_calls(hct_rank(in, w->ref));
}

static void begin(struct windows *w, struct speed *s,
                  const struct hct_snapshot *in)
{
    for (uint32_t p = 0; p < SPEED_PHASES; p++)
        if (w->lasts_ns[p])
            drop(w, s, p);
    speed_read(s, in, SPEED_PHASES);
    phasebook_turn(&w->phases, hct_rank(in, 0));
    w->was_at = w->phases.at;
    note_calls(w, in);
    w->began = true;
}

/* Goes to the phase that the job is in, or to MIXED if it has changed; what the
 * open windows have that must not be counted goes. */
static uint32_t turn(struct windows *w, struct speed *s,
                     const struct hct_snapshot *in)
{
    bool stays = phasebook_turn(&w->phases, hct_rank(in, 0)) == PHASEBOOK_STAYS;

    if (!stays && w->was_at != SPEED_MIXED && w->ended)
        drop(w, s, w->was_at);
    w->torn[w->was_at] |= !stays && w->lasts_ns[w->was_at];
    w->ended = stays && w->ended;
    if (stays && w->was_at == SPEED_MIXED && w->lasts_ns[SPEED_MIXED])
        drop(w, s, SPEED_MIXED);
    return w->was_at = stays ? w->phases.at : SPEED_MIXED;
}

static void add(struct windows *w, const struct hct_snapshot *in,
                uint32_t phase)
{
    uint64_t calls = iterations_calls(hct_rank(in, w->ref));

    w->lasts_ns[phase] += in->now_ns - w->at_ns;
    if (calls > w->ref_calls)
        w->loop_calls[phase] += calls - w->ref_calls;
    note_calls(w, in);
}

/* So many iterations has it that it does not matter where they are cut: by less
 * than anybody is told from the others. */
static bool is_long(const struct windows *w, uint32_t phase)
{
    return (double)w->loop_calls[phase] * 2 * speed_finest >=
           iterations_each(&w->loop);
}

static bool is_torn(const struct windows *w, uint32_t phase)
{
    return phase == SPEED_MIXED || w->torn[phase];
}

/* So many it has to have at least, if these are whole. Where phases change
 * there are few of each: a third is enough. */
static double least(const struct windows *w)
{
    return w->phases.turns > 1 ? w->iterations / 3 : w->iterations;
}

/* Does the window end here? Where it has few iterations, as soon as these are
 * whole; it waits for that for half as long again as it has lasted. */
static bool is_over(struct windows *w, const struct speed *s,
                    const struct hct_snapshot *in, uint32_t phase)
{
    double n = (double)w->loop_calls[phase] / iterations_each(&w->loop);

    if (w->lasts_ns[phase] < w->least_ns || n < least(w))
        return false;
    w->round = !is_long(w, phase) && !is_torn(w, phase) &&
               speed_is_round(s, in, phase);
    if (w->round)
        return true;
    if (n < w->iterations)
        return false;
    if (!w->most_ns)
        w->most_ns = w->lasts_ns[phase] * 3 / 2;
    return is_long(w, phase) || is_torn(w, phase) ||
           w->lasts_ns[phase] >= w->most_ns;
}

bool windows_look(struct windows *w, struct speed *s,
                  const struct hct_snapshot *in, uint32_t *phase,
                  double *unsure)
{
    bool over;

    iterations_look(&w->loop, hct_rank(in, w->ref));
    if (!w->began) {
        begin(w, s, in);
        return false;
    }
    *phase = turn(w, s, in);
    add(w, in, *phase);
    over = is_over(w, s, in, *phase);
    /* Only where phases change each look needs to read all tasks. */
    if (over || *phase == SPEED_MIXED || w->phases.turns > 1)
        speed_read(s, in, *phase);
    if (!over)
        return false;
    *unsure = w->round ? 0 : iterations_each(&w->loop) /
                             (2 * (double)w->loop_calls[*phase]);
    if (w->settles) {           /* a task may have been elsewhere in it */
        w->settles = false;
        drop(w, s, *phase);
        return false;
    }
    w->loop_calls[*phase] = w->lasts_ns[*phase] = w->most_ns = 0;
    w->torn[*phase] = false;
    w->ended = true;
    return true;
}

void windows_interrupt(struct windows *w)
{
    w->settles = true;
    w->began = false;
}
