/* outlier.c - the policy outlier: which task is unlike the others, and in which
 * step of the program. When it is time (agenda.h) it has the models of a sample
 * read, and has all tasks compared with them, where they are. Between, it looks
 * for those that stand in a call, or compute in one (inside.h). */
#include "policies/outlier/outlier.h"

#include <string.h>

#include "policies/lib/lot.h"
#include "policies/outlier/alone.h"

enum { EVERY, SCORE, SHARE, LEAST, GROUPS, MERGE, PARAMS };

static const struct hct_param params[] = {
    [EVERY] = { "every", "s", "how often the models are compared, at first", 5,
               0.1, 3600 },
    [SCORE] = { "score", "deviations", "so far from its like a task is odd",
               HCT_ODD, 2, 1000 },
    [SHARE] = { "share", "%",
               "of a task's time that its step costs it, at least", 1, 0, 100 },
    [LEAST] = { "least", "s", "what that is at least", 0.2, 0, 3600 },
    [GROUPS] = { "groups", "", "so many groups of tasks that are alike, at most",
                4, 1, MEDOIDS_MAX },
    [MERGE] = { "merge", "", "1: steps that follow each other without a choice are "
               "compared as one; 0: each by itself", 1, 0, 1 },
    [PARAMS] = { .name = NULL },
};

static const uint64_t poll_ns = 20000000, patience_ns = 30000000000;
static const uint64_t look_ns = 500000000, soon_ns = 250000000;
/* Of their time: then stacks are worth a look. */
static const float waited_least = 0.1f;

/* What a question is made in. */
struct room {
    struct groups groups;
    struct habits habits;
};

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)param;
    return sizeof(struct outlier) + job->nranks * sizeof(struct works_rank);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct outlier *s = state;

    (void)why;
    (void)why_bytes;
    s->agenda.every_ns = (uint64_t)(param[EVERY] * 1e9);
    s->agenda.least_ns = (uint64_t)(param[LEAST] * 1e9);
    s->inside.every_ns = s->agenda.every_ns;
    s->ask = (struct ask){ .top = OUTLIER_TOP, .score = param[SCORE],
                           .share = param[SHARE] / 100,
                           .cost_ns = param[LEAST] * 1e9 };
    s->groups_max = s->learnt.most = (uint32_t)param[GROUPS];
    s->unmerged = param[MERGE] < 1;
    s->nsample = lot_sample(job->seed, job->nranks, s->sample);
    return 0;
}

static double cost_of(const struct outlier_find *f)
{
    return f->inside ? (double)f->inside_ns
           : f->stand ? (double)f->stand->cost_ns : f->score->cost_ns;
}

/* The most costly come first. */
static void put(struct outlier_list *l, struct outlier_find f)
{
    size_t at = l->n;

    while (at > 0 && cost_of(&l->v[at - 1]) < cost_of(&f))
        at--;
    if (at == OUTLIER_FOUND)
        return;
    l->n += l->n < OUTLIER_FOUND;
    memmove(&l->v[at + 1], &l->v[at], (l->n - 1 - at) * sizeof(f));
    l->v[at] = f;
}

/* Of the time that is asked about. */
static uint64_t paused(const struct outlier *s, const struct hct_snapshot *in)
{
    uint64_t ago_ns = s->item.when.window == HCT_WINDOW_ALL
                          ? in->now_ns : in->stretch.most_ns;

    return pauses_since(&s->pauses, ago_ns < in->now_ns ? in->now_ns - ago_ns : 0,
                        in->now_ns);
}

/* Who has few that are like it is compared with nobody; who has more work is
 * not slow, nor who was in that step when all stood. Where several threads call
 * MPI, one that is out of it may wait for another one of the same task. */
static bool is_slow(const struct outlier *s, const struct hct_snapshot *in,
                    const struct hct_score *o)
{
    return o->method == HCT_METHOD_POLISH && !o->once && o->rank < in->nranks &&
           o->step < s->dictionary.nsteps && o->kind < MEDOIDS_MAX &&
           o->score >= s->ask.score && o->share >= s->ask.share &&
           o->cost_ns >= s->ask.cost_ns &&
           o->cost_ns > (double)paused(s, in) &&
           outlier_like(in, o) + 1 >= HABITS_LEAST && !habits_more_work(o) &&
           hct_rank(in, o->rank)->threads <= 1;
}

/* Of all time: those that have stood for long. */
static void put_stands(const struct outlier *s, const struct hct_snapshot *in,
                       struct outlier_list *odd)
{
    uint64_t ran_ns = in->now_ns - s->agenda.began_ns;
    double share_ns = s->ask.share * (double)ran_ns;
    const struct stand *w;

    for (uint32_t k = 0; (w = stands_get(&s->stands, k)); k++)
        if ((double)w->cost_ns >= s->ask.cost_ns &&
            (double)w->cost_ns >= share_ns && w->rank < in->nranks &&
            (s->item.person || !stands_now(w, in)))
            put(odd, (struct outlier_find){ .stand = w });
}

/* Of all time: those that were in a function of their own for long, and are
 * not in there still: such may be hung, which is for others to say. */
static void put_insides(const struct outlier *s, const struct hct_snapshot *in,
                        struct outlier_list *odd)
{
    double share_ns = s->ask.share * (double)(in->now_ns - s->agenda.began_ns);
    const struct inside_one *o;

    for (uint32_t k = 0; (o = inside_get(&s->inside, k, in->now_ns)); k++) {
        struct outlier_find f = { .inside = o, .inside_ns = inside_cost(
                                      &s->inside, o, in->now_ns) };

        if (inside_sure(o, in->nranks) && o->rank < in->nranks &&
            !stands_has(&s->stands, o->rank, o->call) &&
            cost_of(&f) >= s->ask.cost_ns && cost_of(&f) >= share_ns &&
            (s->item.person || !stands_now(&o->stays, in)))
            put(odd, f);
    }
}

/* No task of good runs has taken as long. */
static bool is_longer(const struct outlier *s, const struct hct_score *o)
{
    const struct hct_earlier *e = outlier_earlier(s, o);

    return !e || outlier_each(o) > earlier_most(e, o->in_call);
}

/* A phase that is over: does it differ from earlier ones? Who asks is shown tasks that
 * are odd by no measure. */
static bool keep_phase(struct outlier *s, const struct hct_snapshot *in,
                       const struct outlier_list *odd)
{
    const struct hct_when *when = &s->item.when;
    struct oddphase_task slow[OUTLIER_FOUND];
    uint32_t n = 0;

    if (when->window != HCT_WINDOW_PHASE || when->phase == HCT_PHASES_OVER ||
        s->item.person)
        return false;
    for (size_t i = 0; i < odd->n; i++)
        if (odd->v[i].score && is_longer(s, odd->v[i].score))
            slow[n++] = (struct oddphase_task){ odd->v[i].score->rank,
                                              (float)odd->v[i].score->times };
    return oddphase_add(&s->phases, in, when->phase, slow, n);
}

/* Nobody was odd: so it is normal. */
static void learn(struct outlier *s, struct hct_out *out)
{
    if (s->learns && !s->item.person &&
        learnt_add(&s->learnt, &s->about, s->free_groups))
        learnt_tell(&s->learnt, &s->about, out);
}

static void judge(struct outlier *s, const struct hct_snapshot *in,
                  struct hct_out *out)
{
    struct outlier_list odd = { .n = 0 }, kept = { .n = 0 };
    bool all = s->item.when.window == HCT_WINDOW_ALL;
    uint64_t wall_ns = all ? in->now_ns - s->agenda.began_ns
                           : in->stretch.most_ns;

    for (uint32_t i = 0; i < in->nscores; i++) {
        const struct hct_score *o = hct_score(in, i);

        if (is_slow(s, in, o))
            put(habits_explain(o, habits_usual_share(in, o), wall_ns) ? &kept
                                                                      : &odd,
                (struct outlier_find){ .score = o });
    }
    if (all) {
        put_stands(s, in, &odd);
        put_insides(s, in, &odd);
        s->unexplained = !odd.n;
    }
    if (!keep_phase(s, in, &odd) && !odd.n && !kept.n)
        learn(s, out);
    outlier_say(s, in, &odd, out);
    outlier_say_kept(s, in, &kept, out);
    if (out->nverdicts || s->item.person) {
        outlier_add_odds(s, in, out);
        outlier_remark(s, in, out);
    }
}

/* --------------------------------------------------------------- questions */

/* The models of the sample that have that time, of what is there: by rank. */
static void find_sample(const struct outlier *s, const struct hct_snapshot *in,
                        struct groups *g)
{
    for (uint32_t i = 0, k = 0; i < in->nmodels && k < s->nsample; i++) {
        while (k < s->nsample && s->sample[k] < hct_model(in, i)->rank)
            k++;
        if (k < s->nsample && s->sample[k] == hct_model(in, i)->rank &&
            dictionary_edges(in, hct_model(in, i), &s->item.when))
            g->sample[g->nsample++] = i;
    }
}

/* All time, or phases of a kind that is known. */
static void say_about(struct outlier *s, const struct hct_snapshot *in)
{
    const struct hct_when *when = &s->item.when;
    bool phase = when->window == HCT_WINDOW_PHASE &&
                 when->phase != HCT_PHASES_OVER;

    s->about = (struct learnt_about){ .program = learnt_program(in),
                                      .unmerged = s->unmerged };
    if (phase)
        s->about.phase_id = oddphase_find(&s->phases, when->phase).id;
    s->learns = phase ? s->about.phase_id != 0 : when->window == HCT_WINDOW_ALL;
}

/* In no more groups than are normal, so that who leaves them is far from all of
 * them (SC11, section 2). */
static void make_groups(struct outlier *s, struct groups *g,
                        const struct hct_snapshot *in)
{
    say_about(s, in);
    s->normal = s->learns ? learnt_find(&s->learnt, &s->about)
                          : (struct learnt_groups){ .groups = 0 };
    groups_make(g, &s->table, &s->dictionary, in,
                &(struct groups_most){ s->groups_max, s->groups_max,
                                       s->normal.groups });
    s->free_groups = g->free;
}

/* False: there is nothing to be compared. */
static bool ask(struct outlier *s, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct ask wanted = s->item.person ? (struct ask){ .top = OUTLIER_TOP }
                                       : s->ask;
    struct room *room = out->room;
    struct groups *g = &room->groups;

    wanted.when = s->item.when;
    g->unmerged = s->unmerged;
    find_sample(s, in, g);
    if (g->nsample < HABITS_LEAST)
        return false;
    dictionary_make_when(&s->dictionary, in, g->sample, g->nsample,
                         &s->item.when);
    if (!s->dictionary.nsteps)
        return false;
    if (!s->has_table)          /* it takes 25 ms */
        lknorm_fill(&s->table);
    s->has_table = true;
    make_groups(s, g, in);
    s->waited = (float)habits_waited(g, &s->dictionary, in);
    s->longer = earlier_compare(&s->earlier, &room->habits, g, &s->dictionary,
                                in);
    out->nquestion = ask_write(&wanted, &room->habits, g, &s->dictionary, in,
                               out->question, out->question_max);
    if (!out->nquestion)
        return false;
    memcpy(&s->question, out->question, sizeof(s->question));
    out->need |= HCT_NEED_SCORES;
    return true;
}

/* -------------------------------------------------------------------- when */

/* Where they stand is in their own models. */
static void want_stands(const struct stands *s, const struct hct_snapshot *in,
                        struct hct_out *out)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i].site && !s->v[i].place && s->v[i].rank < in->nranks &&
            out->nranks < out->ranks_max)
            out->ranks[out->nranks++] = s->v[i].rank;
}

static void want_models(struct outlier *s, const struct hct_snapshot *in,
                        struct hct_out *out)
{
    out->need |= HCT_NEED_MODEL;
    if (!s->earlier.known)
        out->need |= HCT_NEED_EARLIER;
    if (s->item.when.window == HCT_WINDOW_LAST)
        out->last_ns = s->item.when.ago_ns;
    out->sample = out->nranks;
    for (uint32_t i = 0; i < s->nsample && out->nranks < out->ranks_max; i++)
        out->ranks[out->nranks++] = s->sample[i];
    want_stands(&s->stands, in, out);
    want_stands(&s->works.found, in, out);
    out->nsample = out->nranks - out->sample;
}

static void take(struct outlier *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    const struct agenda_item *item = &s->item;
    uint64_t now_ns = in->now_ns;

    if (in->parts & HCT_NEED_MODEL) {
        stands_place(&s->stands, in);
        stands_place(&s->works.found, in);
    }
    if (s->wants == OUTLIER_MODELS && (in->parts & HCT_NEED_MODEL)) {
        s->wants = ask(s, in, out) ? OUTLIER_SCORES : OUTLIER_NOTHING;
        if (!s->wants)
            agenda_failed(&s->agenda, now_ns, item);
    } else if (s->wants == OUTLIER_SCORES && (in->parts & HCT_NEED_SCORES) &&
               in->question == s->question.number) {
        judge(s, in, out);
        s->wants = OUTLIER_NOTHING;
        agenda_done(&s->agenda, now_ns, item);
        if (item->when.window == HCT_WINDOW_ALL && !s->agenda.finalized &&
            s->unexplained && s->waited >= waited_least)
            inside_draw(&s->inside, in);
    } else if (s->wants && now_ns >= s->asked_ns + patience_ns) {
        s->wants = OUTLIER_NOTHING;     /* another was asked, or a slave died */
        if (item->person)
            agenda_failed(&s->agenda, now_ns, item);
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t wake(const struct outlier *s, uint64_t now_ns, bool soon)
{
    uint64_t look = now_ns + (soon ? soon_ns : look_ns);

    look = least(look, inside_wake(&s->inside, now_ns));
    if (s->wants > OUTLIER_STACKS)
        return least(look, now_ns + poll_ns);
    return least(look, agenda_wake(&s->agenda, now_ns));
}

/* Whoever asks waits for a second, where many wait: then stacks say most. */
static void begin(struct outlier *s, const struct hct_snapshot *in)
{
    s->wants = OUTLIER_MODELS;
    s->asked_ns = in->now_ns;
    if (!s->item.person || s->item.when.window != HCT_WINDOW_ALL ||
        !inside_many_wait(in))
        return;
    inside_draw(&s->inside, in);
    if (inside_busy(&s->inside))
        s->wants = OUTLIER_STACKS;
}

/* Between comparisons: what looks at stacks have said. */
static void judge_insides(struct outlier *s, const struct hct_snapshot *in,
                          struct hct_out *out)
{
    struct outlier_list odd = { .n = 0 };

    s->item = (struct agenda_item){ .person = false };
    put_insides(s, in, &odd);
    outlier_say(s, in, &odd, out);
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct outlier *s = state;
    bool soon = stands_look(&s->stands, in);
    bool stacks = inside_look(&s->inside, in);

    works_look(&s->works, s->rank, in);
    pauses_look(&s->pauses, in);
    oddphase_look(&s->phases, in);
    if (in->parts & HCT_NEED_EARLIER) {
        earlier_take(&s->earlier, in);
        learnt_take(&s->learnt, in);
    }
    alone_look(&s->works.found, in);
    agenda_look(&s->agenda, in);
    take(s, in, out);
    if (s->wants == OUTLIER_NOTHING &&
        agenda_next(&s->agenda, in->now_ns, &s->item))
        begin(s, in);
    else if (s->wants == OUTLIER_NOTHING && !inside_busy(&s->inside))
        judge_insides(s, in, out);
    if (s->wants == OUTLIER_STACKS && !inside_busy(&s->inside))
        s->wants = OUTLIER_MODELS;
    if (stacks)
        out->need |= HCT_NEED_STACKS;
    if (s->wants == OUTLIER_MODELS)
        want_models(s, in, out);
    out->wake_ns = wake(s, in->now_ns, soon);
    pauses_asked(&s->pauses, out->wake_ns);
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR,
    .minor = HCT_POLICY_MINOR,
    .name = "outlier",
    .help = "finds tasks that are slower than their like, and the step they "
            "are slow in",
    .params = params,
    .state_bytes = state_bytes,
    .init = init,
    .step = step,
    .may_need = HCT_NEED_MODEL | HCT_NEED_SCORES | HCT_NEED_EARLIER |
                HCT_NEED_STACKS,
    .asked = HCT_ASKED_BY_PERSON,
    .room_bytes = sizeof(struct room),
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
