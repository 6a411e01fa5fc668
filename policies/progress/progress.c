/* progress.c - the policy progress: which tasks have made the least progress,
 * and who waits for them. It looks when another policy has found a hang, or
 * somebody asks: at the first look that has detail and models after that. Of
 * many tasks no models are asked; the numbers of collective calls and the
 * messages decide then. */
#include "policies/hct_policy.h"
#include "policies/progress/decide.h"
#include "policies/progress/say.h"

enum {
    TASKS_MAX = 4096,           /* whose models are asked for */
    PATIENCE = 20,              /* looks, until all tasks are seen */
};
#define EVERY_NS 1000000000u
#define AGAIN_NS 200000000u

static const struct hct_param params[] = { { .name = NULL } };

struct state {
    uint32_t nranks;
    uint32_t asked;             /* enum hct_asked, not answered yet */
    uint32_t blind;             /* looks since in which not all were seen */
    struct nodes nodes;
    struct bymodel model;
    /* and behind it for each rank a struct nodes_task and, of few tasks, a
       struct deadlock_rank */
};

static uint32_t few(uint32_t nranks)
{
    return nranks <= TASKS_MAX ? nranks : 0;
}

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)param;
    return sizeof(struct state) + job->nranks * sizeof(struct nodes_task) +
           few(job->nranks) * sizeof(struct deadlock_rank);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;

    (void)param;
    (void)why;
    (void)why_bytes;
    s->nranks = job->nranks;
    return 0;
}

static struct nodes_task *tasks_of(struct state *s)
{
    return (struct nodes_task *)(void *)(s + 1);
}

/* Nobody hears of a hang's progress that nothing says anything of. False: not
 * all tasks were seen, but they may be soon. */
static bool find(struct state *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    struct nodes_task *t = tasks_of(s);
    bool models = in->parts & HCT_NEED_MODEL;
    struct say say = { .g = &s->nodes, .t = t, .in = in,
                       .model = models ? &s->model : NULL };

    for (uint32_t r = 0; r < s->nranks; r++)
        t[r] = (struct nodes_task){ .state = NODES_NOWHERE };
    if (models)
        bymodel_make(&s->model, t, in);
    nodes_make(&s->nodes, t, in);
    if (s->nodes.unseen && s->blind++ < PATIENCE)
        return false;
    decide_collectives(&s->nodes, t, in);
    decide_messages(&s->nodes, t, in);
    if (few(s->nranks))
        decide_waits(&s->nodes, t, in,
                     (struct deadlock_rank *)(void *)(t + s->nranks));
    if (models)
        bymodel_decide(&s->model, &s->nodes, t, in);
    say_find(&say);
    if (s->nodes.n && (say.behind || (s->asked & HCT_ASKED_BY_PERSON)))
        say_verdict(&say, out);
    return true;
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct state *s = state;
    uint32_t wants = HCT_NEED_DETAIL;

    if (in->nranks != s->nranks)
        return -1;
    if (few(s->nranks))
        wants |= HCT_NEED_MODEL;
    s->asked |= in->asked;
    out->wake_ns = in->now_ns + EVERY_NS;
    if (!s->asked)
        return 0;
    if (wants & ~in->parts) {
        out->need = wants;
        out->wake_ns = in->now_ns;
        return 0;
    }
    if (!find(s, in, out)) {
        out->need = wants;
        out->wake_ns = in->now_ns + AGAIN_NS;
        return 0;
    }
    out->answers = s->asked;
    s->asked = s->blind = 0;
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR,
    .minor = HCT_POLICY_MINOR,
    .name = "progress",
    .help = "says which tasks have made the least progress, when a job hangs "
            "or somebody asks",
    .params = params,
    .state_bytes = state_bytes,
    .init = init,
    .step = step,
    .may_need = HCT_NEED_DETAIL | HCT_NEED_MODEL,
    .asked = HCT_ASKED_BY_PERSON | HCT_ASKED_BY_HANG,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
