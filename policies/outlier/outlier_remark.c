/* outlier_remark.c - what the policy outlier says of all tasks that it has
 * compared, for who looks at them. */
#include <stdio.h>

#include "policies/lib/words.h"
#include "policies/outlier/outlier.h"

static void remark_phase(const struct outlier *s, struct hct_out *out)
{
    const struct oddphase_one *one = oddphase_oddest(&s->phases);
    char text[sizeof(((struct hct_line *)0)->text)];

    if (!one)
        return;
    oddphase_say(one, text, sizeof(text));
    words_remark(out, "%s", text);
}

static void remark_longer(const struct outlier *s, const struct hct_snapshot *in,
                          struct hct_out *out)
{
    const struct earlier_longer *l = &s->longer;
    char where[OUTLIER_WHERE], is[WORDS_TIME], most[WORDS_TIME], all[WORDS_TIME];

    if (l->runs && l->cost_ns >= s->ask.cost_ns && l->share >= s->ask.share)
        words_remark(out, "its tasks take longer %s than those of %u good run%s: "
                     "%s each time, there %s at most; %s in all, %.1f %% of "
                     "their time",
                     outlier_where(where, &s->dictionary, in, l->step,
                                   l->in_call),
                     l->runs, l->runs == 1 ? "" : "s",
                     words_short(is, l->each_ns), words_short(most, l->most_ns),
                     words_time(all, (uint64_t)l->cost_ns), 100 * l->share);
}

static void remark_left_out(const struct outlier *s, struct hct_out *out)
{
    const struct dictionary *d = &s->dictionary;

    if (d->left_out)
        words_remark(out, "%u steps of the %u tasks that are the sample are left "
                     "out: they found no room among %d, or it is not known "
                     "where they are",
                     d->left_out, s->nsample, DICTIONARY_STEPS);
}

/* In how many groups, and how that is known. */
static void remark_groups(const struct outlier *s, struct hct_out *out)
{
    const struct hct_when *when = &s->item.when;
    bool phase = when->window == HCT_WINDOW_PHASE &&
                 when->phase != HCT_PHASES_OVER;
    struct oddphase_name is = oddphase_find(&s->phases, when->phase);
    char text[sizeof(((struct hct_line *)0)->text)];
    char of[ODDPHASE_NAME + 16] = "";

    if (phase)
        snprintf(of, sizeof(of), "phases %s%s%s", *is.name ? "'" : "like it",
                 is.name, *is.name ? "'" : "");
    learnt_say(&s->normal, s->question.ngroups, of, text, sizeof(text));
    words_remark(out, "%s", text);
}

/* What the step does not say. */
static void remark_insides(const struct outlier *s,
                           const struct hct_snapshot *in, struct hct_out *out)
{
    char function[OUTLIER_FUNCTION], all[WORDS_TIME];
    const struct inside_one *o;

    for (uint32_t k = 0; k < OUTLIER_FOUND &&
                         (o = inside_get(&s->inside, k, in->now_ns)); k++)
        words_remark(out, "task %u was in %s, %sinside of %s, at %u of %u "
                     "looks at stacks, others %s; they waited for about %s%s",
                     o->rank, outlier_function(function, o),
                     o->what == HCT_INSIDE_CALLED ? "called back "
                     : o->what == HCT_INSIDE_LIBRARY ? "MPI's own, " : "",
                     hct_call(in, o->call)->name, o->hits, s->inside.looks,
                     o->others ? "seldom" : "never",
                     words_time(all, inside_cost(&s->inside, o, in->now_ns)),
                     o->what == HCT_INSIDE_BEFORE
                         ? "" : " (a hint: more may be its part of the call)");
}

void outlier_remark(const struct outlier *s, const struct hct_snapshot *in,
                    struct hct_out *out)
{
    remark_insides(s, in, out);
    remark_phase(s, out);
    remark_longer(s, in, out);
    remark_left_out(s, out);
    remark_groups(s, out);
}
