/* bench_slow.c - what it costs that the policy slow looks always: processor time for
 * a look at 100,000 tasks, five a second, in a job without phases, in one in which
 * phases change all the time, and while it suspects somebody, also where others use
 * the machine; against 5 % of a core.
 *
 * usage: bench_slow [TASKS] */
#include <dlfcn.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/hct_policy.h"

enum { LOOKS = 300, A_SECOND = 5 };
static const double limit = 0.05;

static struct hct_rank *ranks;
static const struct hct_policy *policy;

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Iterations of 20 ms, of four calls; slow: for the first one it is 40. */
static void move(uint32_t n, uint32_t look, uint32_t slow_from, bool phases,
                 uint32_t theirs)
{
    uint64_t round_ns = look >= slow_from ? 40000000 : 20000000;
    uint64_t rounds = 1000000000 / A_SECOND / round_ns;

    for (uint32_t i = 0; i < n; i++) {
        struct hct_rank *k = &ranks[i];
        uint64_t out_ns = i && look >= slow_from ? round_ns / 2 - 2000000
                                                 : round_ns - 2000000;

        out_ns += (i * 2654435761u + look * 40503u) % 500000;
        k->calls += 4 * rounds;
        k->site_calls += rounds;
        k->out_ns += rounds * out_ns;
        k->in_ns += rounds * (round_ns - out_ns);
        /* A tenth varies, of what others have had, or hardly anything. */
        k->wanted_ns += rounds * round_ns / 100 * theirs *
                        (90 + (i * 40503u + look * 2654435761u) % 20) / 100;
        k->had_ns += rounds * round_ns / 100 * (100 - theirs);
        k->age_ns = 1000 + i;
        k->phase = phases ? look / 2 : 0;
        k->phase_id = phases ? 1 + look / 2 % 3 : 0;
    }
}

/* theirs: per cent of the processors. */
static int run(const char *what, uint32_t n, uint32_t slow_from, bool phases,
               uint32_t theirs)
{
    const struct hct_job job = { .size = sizeof(job), .nranks = n, .job = 1 };
    struct hct_snapshot in = { .size = sizeof(in), .job = &job, .nranks = n,
                               .ranks = ranks, .rank_size = sizeof(*ranks) };
    double param[HCT_PARAMS_MAX] = { 0 }, spent = 0, most = 0;
    struct hct_out out;
    struct hct_verdict verdicts[8];
    struct hct_line lines[64];
    uint32_t *blamed = calloc(n, sizeof(*blamed));
    char why[100];
    void *state;

    for (unsigned i = 0; policy->params[i].name; i++)
        param[i] = policy->params[i].def;
    state = calloc(1, policy->state_bytes(&job, param));
    if (!state || !blamed || policy->init(state, &job, param, why, sizeof(why)))
        return 1;
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = (struct hct_rank){
            .rank = i, .life = HCT_LIFE_RUNNING, .threads = 1, .site = 3,
            .flags = HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI, .calls = 1,
            .comm = HCT_COMM_WORLD, .node = 1 + i / 128 };
    for (uint32_t i = 0; i < LOOKS; i++) {
        double a;

        move(n, i, slow_from, phases, theirs);
        in.seq = i + 1;
        in.now_ns += 1000000000 / A_SECOND;
        out = (struct hct_out){ .size = sizeof(out), .verdicts = verdicts,
                                .verdicts_max = 8, .ranks = blamed,
                                .ranks_max = n, .lines = lines,
                                .lines_max = 64 };
        a = cpu_s();
        if (policy->step(state, &in, &out))
            return 1;
        a = cpu_s() - a;
        spent += a;
        most = a > most ? a : most;
    }
    spent *= (double)A_SECOND / LOOKS;
    printf("slow n=%u, %s: %.1f %% of a core at %d looks a second, ratio %.2f of "
           "the limit of %.0f %%; the longest look %.1f ms, %zu bytes a task\n",
           n, what, 100 * spent, A_SECOND, spent / limit, 100 * limit,
           1e3 * most, policy->state_bytes(&job, param) / n);
    free(state);
    free(blamed);
    return spent > limit;
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    char self[2048], object[4096];
    hct_policy_f *get;
    void *so;
    int rc = 0;

    snprintf(self, sizeof(self), "%s", argv[0]);
    snprintf(object, sizeof(object), "%s/../lib/policies/slow.so", dirname(self));
    so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    ranks = calloc(n, sizeof(*ranks));
    if (!so || !ranks || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "bench_slow: %s\n", so ? "out of memory" : dlerror());
        return 1;
    }
    policy = get();
    rc |= run("healthy", n, LOOKS + 1, false, 1);
    rc |= run("in phases of 0.4 s", n, LOOKS + 1, true, 1);
    rc |= run("a task slow in the middle", n, LOOKS / 2, false, 1);
    rc |= run("... on a machine that others use", n, LOOKS / 2, false, 50);
    return rc;
}
