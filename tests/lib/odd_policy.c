/* odd_policy.c - a policy for tests: does at its looks what `mode` says. Built
 * by the tests themselves, with -DMAJOR=n for one of another version. Looks are
 * counted from when all tasks have passed a tag, or with tagged=0 at once.
 *
 *   0 nothing   1 a hang of task 1 at look `at`, over at look 2 x `at`
 *   2 a verdict of no kind   3 a rank that there is not   4 slow
 *   5 never comes back   6 a wild pointer   7 gives up   8 too many lines
 *   9 a hang of task 1 at look `at` that is never over
 *   10 ends the process   11 starts one   12 fills its memory   13 sleeps
 *   14 writes all over what it can reach
 *   15 a wild pointer at the look of number `at`; a hang at its look `at` + 2
 *   16 thinks for 1 s at look `at`, then a hang   17 thinks for 5 s each time */
#include <hct_policy.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef MAJOR
#define MAJOR HCT_POLICY_MAJOR
#endif

static const struct hct_param params[] = {
    { "mode", "", "what to do", 0, 0, 17 },
    { "at", "", "when: number of the look", 10, 1, 1e6 },
    { "every", "s", "how often to look", 0.02, 0.01, 10 },
    { "tagged", "", "1: wait until all tasks have passed a tag", 1, 0, 1 },
    { .name = NULL },
};

struct state {
    double mode, at, every, tagged;
    uint64_t n;
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
    s->mode = param[0];
    s->at = param[1];
    s->every = param[2];
    s->tagged = param[3];
    return 0;
}

static void say(struct hct_out *out, int32_t rank, const char *text)
{
    struct hct_line *l = &out->lines[out->nlines++];

    l->rank = rank;
    snprintf(l->text, sizeof(l->text), "%s", text);
}

static void find(const struct hct_snapshot *in, struct hct_out *out,
                 uint32_t kind)
{
    struct hct_verdict *v = &out->verdicts[out->nverdicts++];
    char text[200];

    *v = (struct hct_verdict){ .kind = kind, .ranks = out->nranks,
        .where = HCT_WHERE_COMPUTATION, .nranks = kind != HCT_PROGRESS, .lines = out->nlines,
        .nlines = 1 + in->nranks, .score = 0.999, .age_ns = 1500000000 };
    if (v->nranks)
        out->ranks[out->nranks++] = 1;
    say(out, HCT_NONE, kind == HCT_HANG ? "nobody moves" : "they go on");
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *r = hct_rank(in, i);

        snprintf(text, sizeof(text), "%s %s flags=%x mark=%d",
                 r->flags & HCT_IN_MPI ? "in" : "after",
                 hct_call(in, r->call)->name, r->flags, r->mark);
        say(out, (int32_t)i, text);
    }
    if (kind == HCT_HANG)
        out->proposals[out->nproposals++] = (struct hct_proposal){
            HCT_KILL, out->nverdicts - 1 };
}

static void burn(double s)
{
    clock_t from = clock();

    while ((double)(clock() - from) < s * CLOCKS_PER_SEC)
        ;
}

static bool all_tagged(const struct hct_snapshot *in)
{
    uint32_t n = 0;

    while (n < in->nranks && hct_rank(in, n)->mark)
        n++;
    return n == in->nranks;
}

static void fill(void)
{
    for (;;)
        memset(malloc(1 << 20), 1, 1 << 20);
}

static void scribble(void)
{
    static char here[1 << 16];

    for (size_t i = 0;; i += sizeof(here))
        memset(here + i, 0x5a, sizeof(here));
}

static int step(void *state, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct state *s = state;

    out->wake_ns = in->now_ns + (uint64_t)(s->every * 1e9);
    if (s->tagged > 0 && !s->n && !all_tagged(in))
        return 0;
    s->n++;
    if (s->n == (uint64_t)s->at || s->n == 2 * (uint64_t)s->at) {
        if (s->mode == 1)
            find(in, out, s->n == (uint64_t)s->at ? HCT_HANG : HCT_PROGRESS);
        out->need = s->mode == 1 ? HCT_NEED_DETAIL : 0;
    }
    if (s->mode == 9 && s->n == (uint64_t)s->at)
        find(in, out, HCT_HANG);
    if (s->mode == 15 && s->n == (uint64_t)s->at + 2)
        find(in, out, HCT_HANG);
    if (s->n < s->at && in->seq < (uint64_t)s->at)
        return 0;
    switch ((int)s->mode) {
    case 2:
        find(in, out, 99);
        break;
    case 3:
        find(in, out, HCT_HANG);
        out->ranks[0] = in->nranks;
        break;
    case 4:
        burn(0.2);
        break;
    case 5:
        burn(1e9);
        break;
    case 6:
        *(volatile int *)(uintptr_t)(s->n - (uint64_t)s->at) = 1;
        break;
    case 7:
        return 1;
    case 10:
        exit(7);
    case 11:
        if (fork() == 0)
            for (;;)
                pause();
        break;
    case 12:
        fill();
        break;
    case 13:
        sleep(100);
        break;
    case 14:
        scribble();
        break;
    case 15:
        if (in->seq == (uint64_t)s->at)
            *(volatile int *)(uintptr_t)(in->seq - (uint64_t)s->at) = 1;
        break;
    case 16:
        if (s->n == (uint64_t)s->at) {
            burn(1);
            find(in, out, HCT_HANG);
        }
        break;
    case 17:
        burn(5);
        break;
    case 8:
        out->nlines = out->lines_max + 1;
        break;
    }
    return 0;
}

static const struct hct_policy policy = {
    .major = MAJOR, .minor = HCT_POLICY_MINOR, .name = "odd",
    .help = "does what tests want", .params = params,
    .state_bytes = state_bytes, .init = init, .step = step,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
