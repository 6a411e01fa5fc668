/* progress.c - the policy progress: which tasks have made the least progress,
 * and who waits for them. It looks when another policy has found a hang, or
 * somebody asks: at the first look that has detail and models after that, and of
 * a hang at some more, while nothing says who is behind, or which of several.
 *
 * Of many tasks the models stay where they are (PDI, section 3.2): all are
 * asked where they are, then what their models say of the places that tasks
 * are at, and of one task of each node the model is read, for the iterations
 * of loops. */
#include "policies/hct_policy.h"
#include "policies/progress/decide.h"
#include "policies/progress/question.h"
#include "policies/progress/say.h"

enum { MODELS, PARAMS };

static const struct hct_param params[] = {
    [MODELS] = { "models", "tasks",
                 "of more tasks than these not all models are read", 4096, 0,
                 4096 },
    [PARAMS] = { .name = NULL },
};

enum {
    PATIENCE = 20,              /* looks, until all tasks are seen, */
    UNSURE = 8,                 /* ... of a hang something says who is behind, and
                                   why: one that sleeps may have been awake just
                                   then, */
    WAITS_MAX = 4096,           /* of more the wait-for graph is not drawn */
};
#define SEEN_NS 6000000000u     /* ... and no longer than this */
#define AGAIN_NS 200000000u
#define POLL_NS 50000000u
#define ANSWER_NS 20000000000u  /* for so long an answer is waited for */

enum stage {
    STAGE_IDLE,
    STAGE_WHERE,                /* all are asked where they are, */
    STAGE_ORDER,                /* what they say of who is where, */
    STAGE_LOOK,                 /* and are looked at */
};

struct state {
    uint32_t nranks, models_max;
    uint32_t asked;             /* enum hct_asked, not answered yet */
    uint32_t blind;             /* looks since that were not enough, */
    uint32_t stage;             /* enum stage */
    uint32_t told;              /* 1: the question has its answer */
    uint32_t nsample, sample[NODES_MAX];        /* ranks, of each node one */
    uint64_t blind_ns;          /* ... and when the first was */
    uint64_t since_ns;          /* of the stage */
    struct question question;
    struct nodes nodes;
    struct bymodel model;
    /* and behind it for each rank a struct nodes_task and, of few tasks, a
       struct deadlock_rank */
};

static bool is_few(const struct state *s)
{
    return s->nranks <= s->models_max;
}

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)param;
    return sizeof(struct state) + job->nranks * sizeof(struct nodes_task) +
           (job->nranks <= WAITS_MAX ? job->nranks : 0) *
               sizeof(struct deadlock_rank);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;

    (void)why;
    (void)why_bytes;
    s->nranks = job->nranks;
    s->models_max = (uint32_t)param[MODELS];
    return 0;
}

static struct nodes_task *tasks_of(struct state *s)
{
    return (struct nodes_task *)(void *)(s + 1);
}

static void place_tasks(struct state *s, const struct hct_snapshot *in)
{
    struct nodes_task *t = tasks_of(s);

    for (uint32_t r = 0; r < s->nranks; r++) {
        t[r].state = NODES_NOWHERE;
        t[r].entered = 0;
    }
    if (!(in->parts & HCT_NEED_MODEL))
        return;
    if (s->told)
        bymodel_told(&s->model, t, &s->question, in);
    else
        bymodel_make(&s->model, t, in);
}

/* Those of which it is not known where they are, of all that were asked. */
static uint32_t unplaced(const struct nodes_task *t, uint32_t n)
{
    uint32_t k = 0;

    for (uint32_t r = 0; r < n; r++)
        k += t[r].node != NODES_NONE && t[r].state == NODES_NOWHERE;
    return k;
}

/* After so many looks nobody waits for a better one. */
static bool may_be_seen(struct state *s, uint64_t now_ns, uint32_t most)
{
    if (!s->blind++)
        s->blind_ns = now_ns;
    return s->blind <= most && now_ns - s->blind_ns < SEEN_NS;
}

/* Of those that are named, do several wait in MPI at the same point, and
 * nothing says for whom? Then one of them may be at fault, for whom the others
 * wait. */
static bool is_unsure(const struct nodes *g, uint64_t least)
{
    for (uint32_t a = 0; a < g->n; a++) {
        uint64_t to = 0;

        for (unsigned why = 0; why <= HCT_DECIDED_MODEL; why++)
            to |= g->edge[why][a];
        if ((least >> a & 1) && g->node[a].waits && g->node[a].ntasks > 1 &&
            !to)
            return true;
    }
    return false;
}

/* Nobody hears of a hang's progress that nothing says anything of. False: not
 * all tasks were seen, as the slave of some may stand, or nothing is said of a
 * hang, or not all; but the next look may be better. */
static bool find(struct state *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    struct nodes_task *t = tasks_of(s);
    bool models = (in->parts & HCT_NEED_MODEL) && (s->told || is_few(s));
    struct say say = { .g = &s->nodes, .t = t, .in = in,
                       .model = models ? &s->model : NULL };

    place_tasks(s, in);
    nodes_make(&s->nodes, t, in);
    if (s->nodes.unseen && may_be_seen(s, in->now_ns, PATIENCE))
        return false;
    decide_collectives(&s->nodes, t, in);
    decide_messages(&s->nodes, t, in);
    if (s->nranks <= WAITS_MAX)
        decide_waits(&s->nodes, t, in,
                     (struct deadlock_rank *)(void *)(t + s->nranks));
    if (models)
        bymodel_decide(&s->model, &s->nodes, t, in);
    if (s->told)
        say.unplaced = unplaced(t, s->nranks);
    say_find(&say);
    if ((!say.behind || is_unsure(&s->nodes, say.least)) &&
        (s->asked & HCT_ASKED_BY_HANG) &&
        may_be_seen(s, in->now_ns, UNSURE))
        return false;
    if (s->nodes.n && (say.behind || (s->asked & HCT_ASKED_BY_PERSON)))
        say_verdict(&say, out);
    return true;
}

/* ---------------------------------------------------------- many tasks asked */

static void go_on(struct state *s, enum stage stage, uint64_t now_ns)
{
    s->stage = stage;
    s->since_ns = now_ns;
}

/* Where tasks are, by the numbers of the answer, and one of each node. */
static void find_nodes(struct state *s, const struct hct_snapshot *in)
{
    struct nodes_task *t = tasks_of(s);

    for (uint32_t r = 0; r < s->nranks; r++) {
        const struct hct_rank *k = hct_rank(in, r);

        t[r].state = t[r].place ? t[r].place - 1u : NODES_NOWHERE;
        t[r].entered = k->site_calls + ((k->flags & HCT_IN_MPI) != 0);
    }
    nodes_make(&s->nodes, t, in);
    s->nsample = 0;
    for (uint32_t a = 0; a < s->nodes.n; a++)
        if (s->nodes.node[a].state != NODES_NOWHERE)
            s->sample[s->nsample++] = s->nodes.node[a].first;
}

static void take_answer(struct state *s, const struct hct_snapshot *in)
{
    question_take(&s->question, tasks_of(s), in);
    find_nodes(s, in);
    if (s->stage == STAGE_WHERE && s->nsample) {
        question_make(&s->question, &s->nodes);
        go_on(s, STAGE_ORDER, in->now_ns);
    } else {
        s->told = s->nsample > 0;
        go_on(s, STAGE_LOOK, in->now_ns);
    }
}

static void want_sample(const struct state *s, struct hct_out *out)
{
    out->sample = out->nranks;
    for (uint32_t i = 0; i < s->nsample && out->nranks < out->ranks_max; i++)
        out->ranks[out->nranks++] = s->sample[i];
    out->nsample = out->nranks - out->sample;
}

/* True: this is the look that all is known in. */
static bool ask_many(struct state *s, const struct hct_snapshot *in,
                     struct hct_out *out)
{
    bool waits = s->stage == STAGE_WHERE || s->stage == STAGE_ORDER;
    uint32_t wants;

    if (s->stage == STAGE_IDLE) {
        s->told = s->nsample = 0;
        question_make(&s->question, NULL);
        go_on(s, STAGE_WHERE, in->now_ns);
    } else if (waits && question_is_answered(&s->question, in)) {
        take_answer(s, in);
    } else if (waits && in->now_ns - s->since_ns > ANSWER_NS) {
        s->nsample = 0;
        go_on(s, STAGE_LOOK, in->now_ns);
    }
    if (s->stage != STAGE_LOOK) {
        question_ask(&s->question, out);
        out->wake_ns = in->now_ns + POLL_NS;
        return false;
    }
    wants = HCT_NEED_DETAIL | (s->told ? HCT_NEED_MODEL : 0);
    if (!(wants & ~in->parts))
        return true;
    out->need = wants;
    want_sample(s, out);
    out->wake_ns = in->now_ns;
    return false;
}

static bool ask_few(const struct hct_snapshot *in, struct hct_out *out)
{
    const uint32_t wants = HCT_NEED_DETAIL | HCT_NEED_MODEL;

    if (!(wants & ~in->parts))
        return true;
    out->need = wants;
    out->wake_ns = in->now_ns;
    return false;
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct state *s = state;

    if (in->nranks != s->nranks)
        return -1;
    s->asked |= in->asked;
    out->wake_ns = HCT_WAKE_NEVER;
    if (!s->asked ||
        !(is_few(s) ? ask_few(in, out) : ask_many(s, in, out)))
        return 0;
    if (!find(s, in, out)) {
        out->need = HCT_NEED_DETAIL |
                    (is_few(s) || s->told ? HCT_NEED_MODEL : 0);
        want_sample(s, out);
        out->wake_ns = in->now_ns + AGAIN_NS;
        return 0;
    }
    out->answers = s->asked;
    s->asked = s->blind = 0;
    s->stage = STAGE_IDLE;
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
    .may_need = HCT_NEED_DETAIL | HCT_NEED_MODEL | HCT_NEED_PROGRESS,
    .asked = HCT_ASKED_BY_PERSON | HCT_ASKED_BY_HANG,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
