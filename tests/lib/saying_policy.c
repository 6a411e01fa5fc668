/* saying_policy.c - a policy for tests: gives at each of its looks a verdict of
 * the kind that it is told to, and proposes what it is told to. Built by the
 * tests themselves.
 *
 *   kind      enum hct_kind; 9: a hang, and from the third look on a deadlock
 *   propose   enum hct_action, 0: nothing
 *   change    0: says the same at each look, but for a number; 1: of another
 *             task each time */
#include <hct_policy.h>
#include <stdbool.h>
#include <stdio.h>

enum { KIND, PROPOSE, CHANGE, SCORE, AGE, EVERY };

static const struct hct_param params[] = {
    [KIND] = { "kind", "", "of the verdict", 1, 1, 9 },
    [PROPOSE] = { "propose", "", "what to do", 0, 0, 3 },
    [CHANGE] = { "change", "", "1: another task each time", 0, 0, 1 },
    [SCORE] = { "score", "", "of the verdict", 0.999, 0, 1 },
    [AGE] = { "age", "s", "of the verdict", 1.5, 0, 1e6 },
    [EVERY] = { "every", "s", "how often to look", 0.02, 0.01, 10 },
    { .name = NULL },
};

struct state { double param[EVERY + 1]; uint32_t n; };

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)job;
    (void)param;
    return sizeof(struct state);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;

    (void)job;
    (void)why;
    (void)why_bytes;
    for (int i = 0; i <= EVERY; i++)
        s->param[i] = param[i];
    return 0;
}

static uint32_t kind_of(const struct state *s)
{
    if (s->param[KIND] < 9)
        return (uint32_t)s->param[KIND];
    return s->n < 3 ? HCT_HANG : HCT_DEADLOCK;
}

static bool all_run(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        if (hct_rank(in, i)->life < HCT_LIFE_STARTED)
            return false;
    return true;
}

static int step(void *state, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct state *s = state;
    uint32_t rank = s->param[CHANGE] > 0 ? s->n % in->nranks : 1;
    struct hct_line *l;

    out->wake_ns = in->now_ns + (uint64_t)(s->param[EVERY] * 1e9);
    if (!all_run(in))
        return 0;
    s->n++;
    out->verdicts[out->nverdicts++] = (struct hct_verdict){
        .kind = kind_of(s), .nranks = 1, .nlines = 2,
        .score = s->param[SCORE], .age_ns = (uint64_t)(s->param[AGE] * 1e9) };
    out->ranks[out->nranks++] = rank;
    l = &out->lines[out->nlines++];
    l->rank = HCT_NONE;
    snprintf(l->text, sizeof(l->text), "it is so by %.1f per cent",
             1.5 * s->n);
    l = &out->lines[out->nlines++];
    l->rank = (int32_t)rank;
    snprintf(l->text, sizeof(l->text), "it is this one");
    if (s->param[PROPOSE] > 0)
        out->proposals[out->nproposals++] = (struct hct_proposal){
            .action = (uint32_t)s->param[PROPOSE] };
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "saying",
    .help = "says what it is told to", .params = params,
    .state_bytes = state_bytes, .init = init, .step = step,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
