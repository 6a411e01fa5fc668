/* model_policy.c - a policy for tests: when a fault has been injected and all tasks
 * are in the same collective call, so that nothing moves any more, it says, once,
 * what the model of each task has: a line of sums, which others can tell too, and
 * a number made of all of its bytes. Built by the tests themselves, with
 * -DMAY_NEED=HCT_NEED_MODEL for one that does not need it each time.
 *
 *   ask       0: it needs models at each look; 1: asks for them when all stand
 *   every     s, how often to look */
#include <hct_policy.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef NEEDS
#define NEEDS HCT_NEED_MODEL
#endif

static const struct hct_param params[] = {
    { "ask", "", "1: asks for models when all stand still", 0, 0, 1 },
    { "every", "s", "how often to look", 0.1, 0.01, 10 },
    { .name = NULL },
};

struct state {
    double ask, every;
    uint32_t empty, said;
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
    s->ask = param[0];
    s->every = param[1];
    return 0;
}

static uint64_t mix(uint64_t sum, const void *p, size_t n)
{
    const unsigned char *byte = p;

    while (n--)
        sum = (sum ^ *byte++) * 0x100000001b3u;
    return sum;
}

/* A place by the numbers that all tasks have in common: in no order. */
static void say(const struct hct_snapshot *in, const struct hct_model *m,
                struct hct_out *out)
{
    struct hct_line *l = &out->lines[out->nlines++];
    uint64_t visits = 0, steps = 0, places = 0, bytes = 0xcbf29ce484222325u;
    double in_ns = 0;

    for (uint32_t i = 0; i < m->nstates; i++) {
        const struct hct_state *k = hct_state(in, m, i);

        visits += k->visits;
        places += k->place;
        bytes = mix(bytes, k, sizeof(*k));
    }
    for (uint32_t i = 0; i < m->nedges; i++) {
        const struct hct_edge *e = hct_edge(in, m, i);

        steps += e->n;
        in_ns += (double)e->n * e->in_mean;
        bytes = mix(bytes, e, sizeof(*e));
    }
    l->rank = (int32_t)m->rank;
    snprintf(l->text, sizeof(l->text), "model %u: %u states, %u edges, %llu "
             "visits, %llu steps, %.0f us, places %016llx, at %s of %llu, bytes "
             "%016llx", m->rank, m->nstates, m->nedges,
             (unsigned long long)visits, (unsigned long long)steps, in_ns / 1e3,
             (unsigned long long)places,
             m->at < m->nstates ?
             hct_call(in, hct_state(in, m, m->at)->call)->name : "nowhere",
             (unsigned long long)hct_rank(in, m->rank)->calls,
             (unsigned long long)bytes);
}

static bool stands(const struct hct_snapshot *in)
{
    bool injected = false;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *r = hct_rank(in, i);

        if (r->life != HCT_LIFE_RUNNING || !(r->flags & HCT_IN_MPI) ||
            !r->collective || r->collective != hct_rank(in, 0)->collective)
            return false;
        injected |= strncmp(r->tag_text, "injected", 8) == 0;
    }
    return injected;
}

static int step(void *state, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct state *s = state;
    struct hct_line *l;

    out->wake_ns = in->now_ns + (uint64_t)(s->every * 1e9);
    if (in->has_detail)
        return -1;              /* it has not asked for that */
    s->empty += !(in->parts & HCT_NEED_MODEL);
    if (!stands(in) || s->said)
        return 0;
    if (!(in->parts & HCT_NEED_MODEL)) {
        out->need = s->ask > 0 ? HCT_NEED_MODEL : 0;
        return 0;
    }
    s->said = 1;
    out->verdicts[out->nverdicts++] = (struct hct_verdict){
        .kind = HCT_IMBALANCE, .nlines = 1 + in->nmodels, .score = 0.5 };
    l = &out->lines[out->nlines++];
    l->rank = HCT_NONE;
    snprintf(l->text, sizeof(l->text), "%u models, %s", in->nmodels,
             s->empty ? "some looks were without" : "all looks had them");
    for (uint32_t i = 0; i < in->nmodels; i++)
        say(in, hct_model(in, i), out);
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "models",
    .help = "says what models have", .params = params,
    .state_bytes = state_bytes, .init = init, .step = step,
#ifdef MAY_NEED
    .may_need = MAY_NEED,
#else
    .needs = NEEDS,
#endif
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
