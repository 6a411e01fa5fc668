/* phase_policy.c - a policy for tests: says how many phases of rank 0 it has
 * seen, and how many different ones they were, when there were `at`. Built by
 * the tests themselves. */
#include <hct_policy.h>
#include <stdio.h>

enum { MANY = 16 };

static const struct hct_param params[] = {
    { "at", "", "after how many phases", 12, 1, 1e6 },
    { .name = NULL },
};

struct state {
    double at;
    uint32_t number, phases, n, id[MANY];
};

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)job;
    (void)param;
    return sizeof(struct state);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    (void)job;
    (void)why;
    (void)why_bytes;
    ((struct state *)state)->at = param[0];
    return 0;
}

static void meet(struct state *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->id[i] == id)
            return;
    if (s->n < MANY)
        s->id[s->n++] = id;
}

static int step(void *state, const struct hct_snapshot *in,
                struct hct_out *out)
{
    const struct hct_rank *k = hct_rank(in, 0);
    struct state *s = state;
    struct hct_line *l;

    out->wake_ns = in->now_ns + 10000000;
    if (k->phase <= s->number || k->life != HCT_LIFE_RUNNING)
        return 0;
    s->number = k->phase;
    meet(s, k->phase_id);
    if (++s->phases != (uint32_t)s->at)
        return 0;
    out->verdicts[out->nverdicts++] = (struct hct_verdict){
        .kind = HCT_SLOWDOWN, .nlines = 1, .score = 0.5 };
    l = &out->lines[out->nlines++];
    l->rank = HCT_NONE;
    snprintf(l->text, sizeof(l->text), "%u phases, %u different ones%s",
             s->phases, s->n, s->n == 1 && !s->id[0] ? ", not known" : "");
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "phases",
    .help = "counts phases", .params = params,
    .state_bytes = state_bytes, .init = init, .step = step,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
