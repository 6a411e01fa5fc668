/* outlier.c - the policy outlier: which task is unlike the others, and in which
 * step of the program. It has the models of all tasks read now and then, ever
 * more seldom as the job runs, and when the first tasks are in MPI_Finalize. */
#include <stdbool.h>
#include <stdio.h>

#include "policies/hct_policy.h"
#include "policies/lib/words.h"
#include "policies/outlier/odd.h"

enum { EVERY, SCORE, SHARE, LEAST, GROUPS, PARAMS };

static const struct hct_param params[] = {
    [EVERY] = { "every", "s", "how often the models are compared, at first", 5,
               0.1, 3600 },
    [SCORE] = { "score", "deviations", "so far from its like a task is odd", 6,
               2, 1000 },
    [SHARE] = { "share", "%",
               "of a task's time that its step costs it, at least", 1, 0, 100 },
    [LEAST] = { "least", "s", "what that is at least", 0.2, 0, 3600 },
    [GROUPS] = { "groups", "", "so many groups of tasks that are alike, at most",
                4, 1, MEDOIDS_MAX },
    [PARAMS] = { .name = NULL },
};

enum {
    TASKS_MAX = 4096,           /* whose models are compared at once */
    FOUND_MAX = 5, WHAT = 160
};

struct state {
    uint64_t every_ns, next_ns, began_ns;
    struct odd_limit limit;
    uint32_t groups_max, nranks;
    bool finalized, refused;
    struct said {               /* last: a step of a task, and what it cost */
        uint32_t rank;
        uint64_t from, to;      /* places */
        double cost_ns;
    } said, said_kept;
    struct lknorm table;
    struct dictionary dictionary;
    struct groups groups;
    double normal[DICTIONARY_STEPS], spread[DICTIONARY_STEPS];
    uint32_t site[DICTIONARY_STEPS];
    struct smm_edge edge[DICTIONARY_STEPS];
    /* and behind it struct groups_task and the arrays of odd_room, of tasks */
};

static uint32_t compared(uint32_t nranks)
{
    return nranks <= TASKS_MAX ? nranks : 0;
}

static size_t words_of(size_t n)
{
    return n > DICTIONARY_STEPS ? n : DICTIONARY_STEPS;
}

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    size_t n = compared(job->nranks);

    (void)param;
    return sizeof(struct state) +
           (2 * n * DICTIONARY_STEPS + 2 * n + words_of(n)) * sizeof(double) +
           n * (sizeof(struct groups_task) + sizeof(uint32_t));
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;

    (void)why;
    (void)why_bytes;
    s->every_ns = (uint64_t)(param[EVERY] * 1e9);
    s->limit = (struct odd_limit){ .score = param[SCORE],
                                   .share = param[SHARE] / 100,
                                   .cost_ns = param[LEAST] * 1e9 };
    s->groups_max = (uint32_t)param[GROUPS];
    s->nranks = compared(job->nranks);
    lknorm_fill(&s->table);
    return 0;
}

static struct groups_task *tasks_of(struct state *s)
{
    return (struct groups_task *)(void *)(s + 1);
}

static struct odd_room room_of(struct state *s)
{
    size_t n = s->nranks;
    double *left = (double *)(void *)(tasks_of(s) + n);
    double *slow = left + 2 * n * DICTIONARY_STEPS;

    return (struct odd_room){
        .left = { left, left + n * DICTIONARY_STEPS }, .slow = slow,
        .total = slow + n, .words = slow + 2 * n, .normal = s->normal,
        .spread = s->spread, .edge = s->edge,
        .member = (uint32_t *)(void *)(slow + 2 * n + words_of(n)) };
}

/* ---------------------------------------------------------------- in words */

static const char *name_of(const struct dictionary *d,
                           const struct hct_snapshot *in, uint32_t state)
{
    return d->call[state] ? hct_call(in, d->call[state])->name
                          : "the beginning";
}

static const char *what_of(char buf[WHAT], const struct dictionary *d,
                           const struct hct_snapshot *in, const struct odd *o)
{
    const struct smm_step *step = &d->step[o->step];

    if (o->in_call)
        snprintf(buf, WHAT, "in %s", name_of(d, in, step->from));
    else
        snprintf(buf, WHAT, "between %s and %s", name_of(d, in, step->from),
                 name_of(d, in, step->to));
    return buf;
}

/* How many tasks are further from their like in that way? */
static uint32_t place_of(const struct groups_task *t,
                         const struct hct_snapshot *in, uint32_t model,
                         bool by_group)
{
    double is = by_group ? t[model].far : t[model].near;
    uint32_t before = 1;

    for (uint32_t i = 0; i < in->nmodels; i++)
        before += (by_group ? t[i].far : t[i].near) > is;
    return before;
}

/* The place is that of the call which the step begins with, in that task. */
static void say_one(struct state *s, const struct hct_snapshot *in,
                    const struct odd *o, struct hct_out *out)
{
    const struct hct_model *m = hct_model(in, o->model);
    const struct dictionary *d = &s->dictionary;
    char what[WHAT], longer[WORDS_TIME];

    dictionary_model(d, in, m, s->edge, s->site);
    words_line(out, (int32_t)m->rank,
               "%s longer %s, %.1f times as long as %u others, "
               "%.0f deviations; %u. by its group, %u. by its neighbours",
               words_time(longer, (uint64_t)o->cost_ns),
               what_of(what, d, in, o), o->times, o->like, o->score,
               place_of(tasks_of(s), in, o->model, true),
               place_of(tasks_of(s), in, o->model, false));
    words_places(out, s->site[o->step], 0);
}

/* The same is news again when it costs twice as much. */
static bool is_news(const struct state *s, struct said *said, uint32_t rank,
                    const struct odd *o)
{
    const struct smm_step *step = &s->dictionary.step[o->step];
    struct said now = { rank, s->dictionary.place[step->from],
                       s->dictionary.place[step->to], o->cost_ns };

    if (said->cost_ns > 0 && said->rank == rank && said->from == now.from &&
        said->to == now.to && now.cost_ns < 2 * said->cost_ns)
        return false;
    *said = now;
    return true;
}

static void say(struct state *s, const struct hct_snapshot *in,
                const struct odd_list *odd, struct hct_out *out)
{
    const struct odd *v = odd->v;
    uint32_t first = odd->n ? hct_model(in, v[0].model)->rank : 0;
    struct hct_verdict *w = odd->n && is_news(s, &s->said, first, &v[0])
                                ? words_verdict(out, HCT_OUTLIER)
                                : NULL;
    char what[WHAT], longer[WORDS_TIME];

    if (!w)
        return;
    w->where = v[0].in_call ? HCT_WHERE_COMMUNICATION : HCT_WHERE_COMPUTATION;
    w->score = words_score(1 - 1 / (v[0].score * v[0].score)); /* Chebyshev's */
    words_line(out, HCT_NONE,
               "task %u is slower than %u others like it %s: by %s, "
               "%.1f %% of its time",
               first, v[0].like, what_of(what, &s->dictionary, in, &v[0]),
               words_time(longer, (uint64_t)v[0].cost_ns), 100 * v[0].share);
    words_blame(out, first);
    for (size_t i = 0; i < odd->n; i++)
        say_one(s, in, &v[i], out);
}

static bool is_first_of_task(const struct odd_list *l, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (l->v[k].model == l->v[i].model)
            return false;
    return true;
}

/* Nobody is odd then: a node is to blame, which the host names with the task. */
static void say_kept(struct state *s, const struct hct_snapshot *in,
                     const struct odd_list *kept, struct hct_out *out)
{
    const struct odd *v = kept->v;
    uint32_t first = kept->n ? hct_model(in, v[0].model)->rank : 0;
    struct hct_verdict *w = kept->n && is_news(s, &s->said_kept, first, &v[0])
                                ? words_verdict(out, HCT_IMBALANCE)
                                : NULL;
    char what[WHAT];

    if (!w)
        return;
    words_line(out, HCT_NONE,
               "task %u is slower than %u others like it %s as its node has too "
               "much to do: it has a processor for %.3g %% of the time that it "
               "wants one, they for %.3g %%",
               first, v[0].like, what_of(what, &s->dictionary, in, &v[0]),
               100 * v[0].had, 100 * v[0].usual);
    for (size_t i = 0; i < kept->n; i++) {
        uint32_t rank = hct_model(in, v[i].model)->rank;
        const struct hct_rank *k = hct_rank(in, rank);
        char ran[WORDS_TIME], kept_for[WORDS_TIME];

        if (!is_first_of_task(kept, i))
            continue;
        words_blame(out, rank);
        words_line(out, (int32_t)rank,
                   "had a processor for %s, and was kept from one for %s",
                   words_time(ran, k->ran_ns),
                   words_time(kept_for, k->delayed_ns));
    }
}

static void compare(struct state *s, const struct hct_snapshot *in,
                    struct hct_out *out)
{
    struct odd_room room = room_of(s);
    struct odd v[2][FOUND_MAX];
    struct odd_list odd = { v[0], 0, FOUND_MAX }, kept = { v[1], 0, FOUND_MAX };

    if (in->nmodels < ODD_GROUP || in->nmodels > s->nranks)
        return;
    dictionary_make(&s->dictionary, in);
    if (!s->dictionary.nsteps)
        return;
    groups_make(&s->groups, tasks_of(s), &s->table, &s->dictionary, in,
                s->groups_max);
    odd_find(&room, &s->dictionary, in, &s->groups, tasks_of(s), &s->limit, &odd,
             &kept);
    say(s, in, &odd, out);
    say_kept(s, in, &kept, out);
}

/* -------------------------------------------------------------------- when */

static bool finalizes(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        if (hct_rank(in, i)->life == HCT_LIFE_FINALIZE)
            return true;
    return false;
}

/* A tenth of the time that it has run, and no less than every. */
static void wait(struct state *s, uint64_t now_ns)
{
    uint64_t tenth = (now_ns - s->began_ns) / 10;

    s->next_ns = now_ns + (tenth > s->every_ns ? tenth : s->every_ns);
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct state *s = state;

    if (!s->nranks) {
        if (!s->refused && words_verdict(out, HCT_NOTICE))
            words_line(out, HCT_NONE,
                       "tasks are not compared with each other, there "
                       "are more than %d of them",
                       TASKS_MAX);
        s->refused = true;
        out->wake_ns = UINT64_MAX;
        return 0;
    }
    if (!s->began_ns) {
        s->began_ns = in->now_ns;
        wait(s, in->now_ns);
    }
    if (!s->finalized && finalizes(in)) {
        s->finalized = true;
        s->next_ns = in->now_ns;
    }
    if (in->parts & HCT_NEED_MODEL) {
        compare(s, in, out);
        wait(s, in->now_ns);
    }
    if (in->now_ns >= s->next_ns)
        out->need = HCT_NEED_MODEL;
    out->wake_ns = s->next_ns < in->now_ns + s->every_ns / 5
                       ? s->next_ns
                       : in->now_ns + s->every_ns / 5;
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
    .may_need = HCT_NEED_MODEL,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
