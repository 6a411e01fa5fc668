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
    w->lasts_ns[phase] = w->loop_calls[phase] = 0;
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

static bool is_over(const struct windows *w, uint32_t phase)
{
    return w->lasts_ns[phase] >= w->least_ns &&
           (double)w->loop_calls[phase] >=
               w->iterations * iterations_each(&w->loop);
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
    over = is_over(w, *phase);
    /* Only where phases change each look needs to read all tasks. */
    if (over || *phase == SPEED_MIXED || w->phases.turns > 1)
        speed_read(s, in, *phase);
    if (!over)
        return false;
    *unsure = iterations_each(&w->loop) / (2 * (double)w->loop_calls[*phase]);
    if (w->settles) {           /* a task may have been elsewhere in it */
        w->settles = false;
        drop(w, s, *phase);
        return false;
    }
    w->loop_calls[*phase] = w->lasts_ns[*phase] = 0;
    w->ended = true;
    return true;
}

void windows_interrupt(struct windows *w)
{
    w->settles = true;
    w->began = false;
}
