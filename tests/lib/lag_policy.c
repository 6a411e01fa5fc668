/* lag_policy.c - a policy for tests and measurements: how long after the exit of a
 * tagged call a policy hears of it, said after each `every` of them. */
#include <hct_policy.h>
#include <stdio.h>

enum { BINS = 4096 };           /* of 0.1 ms; the last one is all above */

static const struct hct_param params[] = {
    { "every", "", "after how many calls", 1000, 1, 1e6 },
    { .name = NULL },
};

struct state { uint32_t every, n, bin[BINS]; };

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
    ((struct state *)state)->every = (uint32_t)param[0];
    return 0;
}

/* In ms: of so many in a hundred it is less. */
static double least(const struct state *s, double part)
{
    uint32_t n = 0, i = 0;

    while (i < BINS - 1 && (n += s->bin[i]) < part / 100 * s->n)
        i++;
    return (i + 1) / 10.0;
}

static void say(struct state *s, struct hct_out *out)
{
    struct hct_line *l = &out->lines[out->nlines];

    out->verdicts[out->nverdicts++] = (struct hct_verdict){
        .kind = HCT_SLOWDOWN, .lines = out->nlines++, .nlines = 1, .score = 0.5 };
    l->rank = HCT_NONE;
    snprintf(l->text, sizeof(l->text), "lag of %u calls: %.1f %.1f %.1f ms", s->n,
             least(s, 50), least(s, 99), least(s, 100));
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct state *s = state;

    out->wake_ns = HCT_WAKE_NEVER;
    for (uint32_t i = 0; i < in->nevents; i++) {
        const struct hct_event *e = hct_event(in, i);
        int64_t lag = (int64_t)in->now_ns - e->exit_ns;

        if (e->in)
            continue;
        s->bin[lag < 0 ? 0 : lag / 100000 < BINS ? lag / 100000 : BINS - 1]++;
        if (++s->n % s->every == 0)
            say(s, out);
    }
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "lag",
    .help = "says how late calls are told", .params = params,
    .state_bytes = state_bytes, .init = init, .step = step,
    .needs = HCT_NEED_EVENTS, .asked = HCT_ASKED_BY_EVENT,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
