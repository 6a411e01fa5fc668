/* null.c - the policy that never finds anything: what a policy has to have,
 * and what looking costs when nobody thinks about it. */
#include "policies/hct_policy.h"

static const struct hct_param params[] = {
    { "every", "s", "how often to look", 1, 0.01, 3600 },
    { .name = NULL },
};

struct state {
    uint64_t every_ns;
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
    struct state *s = state;

    (void)job;
    (void)why;
    (void)why_bytes;
    s->every_ns = (uint64_t)(param[0] * 1e9);
    return 0;
}

static int step(void *state, const struct hct_snapshot *in,
                struct hct_out *out)
{
    const struct state *s = state;

    out->wake_ns = in->now_ns + s->every_ns;
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR,
    .name = "null", .help = "looks, and finds nothing",
    .params = params, .state_bytes = state_bytes, .init = init, .step = step,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
