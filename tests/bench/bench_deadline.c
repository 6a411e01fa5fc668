/* bench_deadline.c - what the policy deadline costs at 1,000 instances a
 * second, each in a step of its own: of one deadline of 20 ranks, of 20
 * deadlines, of stages with the same marker, when all are late, and beside the
 * looks at 100,000 ranks; as a part of a core, against 1 %.
 *
 * usage: bench_deadline [SECONDS] */
#include <dlfcn.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/hct_policy.h"

enum { A_SECOND = 1000, RANKS = 20, MANY = 100000 };
static const double limit = 0.01;
static const int64_t MS = 1000000;

static const struct hct_policy *policy;
static struct hct_rank *ranks;
static struct hct_instance rows[HCT_INSTANCES_MAX];

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The nth millisecond has one instance: of 20 ranks or of 20 deadlines each 20
 * ms. */
struct load {
    const char *what;
    enum hct_due kind;
    uint32_t ranks, deadlines;
    bool late;
};

static void look(struct load const *l, uint32_t n, struct hct_snapshot *in,
                 struct hct_event *e)
{
    uint32_t turn = n % RANKS, jitter = n * 2654435761u % 1000;

    in->now_ns = 2000000000u + (uint64_t)n * 1000000;
    e->rank = l->kind == HCT_DUE_SPAN ? n % 2 : l->deadlines > 1 ? 0 : turn;
    e->seq = n;
    e->marker = (int)(n / 2);
    e->exit_ns = (int64_t)in->now_ns - jitter * 100;
    e->enter_ns = e->exit_ns - (l->late ? 30 : 10) * MS - jitter * 1000;
    e->of = (uint64_t)1 << (l->deadlines > 1 ? turn : 0);
    if (l->kind == HCT_DUE_SPAN) {
        e->to = n % 2;
        e->of = !e->to;
    }
    in->seq = n + 1;
    in->unread = n % A_SECOND != 0;
    in->asked = in->unread ? HCT_ASKED_BY_EVENT : 0;
}

static int run(const struct load *l, uint32_t seconds)
{
    const struct hct_job job = {
        .size = sizeof(job), .nranks = l->ranks, .job = 1};
    struct hct_deadline due[RANKS] = { { 0 } };
    struct hct_event event = { .call = 1, .bound_ns = 10000 };
    static const struct hct_call call;
    struct hct_snapshot in = {
        .size = sizeof(in), .job = &job, .nranks = l->ranks, .ranks = ranks,
        .rank_size = sizeof(*ranks), .parts = HCT_NEED_EVENTS, .calls = &call,
        .ncalls = 1, .call_size = sizeof(call), .deadlines = due,
        .ndeadlines = l->deadlines, .deadline_size = sizeof(due[0]),
        .events = &event, .nevents = 1, .event_size = sizeof(event) };
    struct hct_verdict verdicts[16];
    struct hct_line lines[64];
    uint32_t blamed[64];
    double param[HCT_PARAMS_MAX] = { 0 }, spent, most = 0;
    uint64_t told = 0;
    char why[100];
    void *state;

    for (unsigned i = 0; policy->params[i].name; i++)
        param[i] = policy->params[i].def;
    for (uint32_t i = 0; i < l->deadlines; i++)
        due[i] = (struct hct_deadline){ .number = i + 1, .kind = l->kind,
                                        .limit_ns = 25000000, .margin = 0.1,
                                        .ranks = l->ranks, .text = "halo" };
    state = calloc(1, policy->state_bytes(&job, param));
    if (!state || policy->init(state, &job, param, why, sizeof(why)))
        return 1;
    spent = cpu_s();
    for (uint32_t n = 0; n < seconds * A_SECOND; n++) {
        struct hct_out out = {.size = sizeof(out),
                              .verdicts = verdicts,
                              .verdicts_max = 16,
                              .ranks = blamed,
                              .ranks_max = 64,
                              .lines = lines,
                              .lines_max = 64,
                              .instances = rows,
                              .instances_max = HCT_INSTANCES_MAX};
        double a = cpu_s();

        look(l, n, &in, &event);
        if (policy->step(state, &in, &out))
            return 1;
        a = cpu_s() - a;
        most = a > most ? a : most;
        told += out.ninstances;
    }
    spent = (cpu_s() - spent) / seconds;
    printf(
        "deadline, %s: %.3f %% of a core at %d events a second, ratio %.3f of "
        "the "
        "limit of %.0f %%; %.2f us each, the longest %.2f ms, %llu instances\n",
        l->what, 100 * spent, A_SECOND, spent / limit, 100 * limit,
        1e6 * spent / A_SECOND, 1e3 * most, (unsigned long long)told);
    free(state);
    return spent > limit || !told;
}

int main(int argc, char **argv)
{
    static const struct load loads[] = {
        { "20 ranks", HCT_DUE_PERIOD, RANKS, 1, false },
        { "20 deadlines", HCT_DUE_CALL, 1, RANKS, false },
        { "stages", HCT_DUE_SPAN, 2, 1, false },
        { "20 deadlines, all late", HCT_DUE_CALL, 1, RANKS, true },
        { "of 100,000 ranks", HCT_DUE_PERIOD, MANY, 1, false },
    };
    uint32_t seconds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20;
    char self[2048], object[4096];
    hct_policy_f *get;
    void *so;
    int rc = 0;

    snprintf(self, sizeof(self), "%s", argv[0]);
    snprintf(object, sizeof(object), "%s/../lib/policies/deadline.so",
             dirname(self));
    so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    ranks = calloc(MANY, sizeof(*ranks));
    if (!so || !ranks || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "bench_deadline: %s\n",
                so ? "out of memory" : dlerror());
        return 1;
    }
    for (uint32_t i = 0; i < MANY; i++)
        ranks[i] = (struct hct_rank){ .rank = i, .life = HCT_LIFE_RUNNING,
                                      .flags = HCT_OBSERVED | HCT_PAGE };
    policy = get();
    for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
        rc |= run(&loads[i], seconds ? seconds : 1);
    return rc;
}
