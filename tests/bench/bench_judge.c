/* bench_judge.c - what it takes that a policy has a process of its own: from a
 * look that is recorded to the answer of the policy null, which only looks, here
 * in this process and in hector-judge; and the processor time of who asks, which
 * is the master. For jobs of several sizes, a hundredth of whose tasks move
 * between two looks, and of the first look, which is all of them.
 *
 * usage: bench_judge [TASKS...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "master/judge/policy.h"
#include "master/watch/judge.h"
#include "master/watch/tape.h"
#include "proto/base/clock.h"

enum { LOOKS = 41, PART = 100 };

static struct event_base *base;
static struct judges *judges;
static bool done, lost;
static struct hct_rank *ranks;
static uint64_t ours[LOOKS], theirs[LOOKS], cpu[LOOKS];

static void on_found(void *arg, struct judge *j, const struct found *f)
{
    (void)arg, (void)j, (void)f;
}

static void on_done(void *arg, struct judge *j, const struct judge_done *d)
{
    (void)arg, (void)j, (void)d;
    done = true;
    event_base_loopbreak(base);
}

static void on_lost(void *arg, struct judge *j, const char *why, bool off)
{
    (void)arg, (void)j, (void)off;
    fprintf(stderr, "bench_judge: %s\n", why);
    done = lost = true;
    event_base_loopbreak(base);
}

static void on_back(void *arg, struct judge *j)
{
    (void)arg, (void)j;
}

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* In microseconds; without the first. */
static double median_us(uint64_t *v)
{
    qsort(v + 1, LOOKS - 1, sizeof(*v), by_size);
    return (double)v[1 + (LOOKS - 1) / 2] / 1e3;
}

static void move(uint32_t n, uint32_t look)
{
    for (uint32_t i = 0; i < n && look; i++)
        ranks[i].age_ns += CLOCK_NS_PER_S;      /* as is expected */
    for (uint32_t i = look % PART; i < n; i += PART) {
        ranks[i].calls += 100;
        ranks[i].in_ns += 5000000;
        ranks[i].age_ns = 1000 + i;
    }
}

static int wait_done(void)
{
    while (!done)
        event_base_loop(base, EVLOOP_ONCE);
    done = false;
    return lost ? -1 : 0;
}

static int one_look(struct judge *j, struct policy *p, struct found *f,
                    struct tape *t, const struct hct_snapshot *in, uint32_t i)
{
    struct str frame = { 0 };
    struct tape_frame show = { .look_bytes = tape_write(t, in, &frame) };
    uint64_t a, b;

    a = clock_monotonic_ns();
    policy_step(p, in, f);
    ours[i] = clock_monotonic_ns() - a;
    a = clock_monotonic_ns();
    b = cpu_ns();
    show.p = str_text(&frame);
    show.bytes = frame.n;
    judge_show(j, &show);
    judge_go(j, in->now_ns, false);
    if (wait_done())
        return -1;
    cpu[i] = cpu_ns() - b;
    theirs[i] = clock_monotonic_ns() - a;
    if (i == 0)
        printf("judge n=%u: the first look, %.1f MB, is answered after %.1f ms, "
               "with the start of the process, of which the master works %.1f\n",
               in->nranks, (double)frame.n / 1e6, (double)theirs[0] / 1e6,
               (double)cpu[0] / 1e6);
    str_fini(&frame);
    return 0;
}

static int looks(struct judge *j, struct policy *p, uint32_t n)
{
    struct hct_job job = { .size = sizeof(job), .nranks = n, .job = 1 };
    struct hct_snapshot in = { .size = sizeof(in), .job = &job, .nranks = n,
                               .ranks = ranks, .rank_size = sizeof(*ranks) };
    struct tape tape;
    struct found *f = calloc(1, sizeof(*f));
    struct err err;
    int rc = !f || found_init(f, n) || tape_init(&tape, n) ||
             policy_begin(p, &job, &err) || judge_begin(j, n, &err) ? -1 : 0;

    judge_wake(j);
    for (uint32_t i = 0; i < LOOKS && rc == 0; i++) {
        in.seq = i + 1;
        in.now_ns += CLOCK_NS_PER_S;
        move(n, i);
        rc = one_look(j, p, f, &tape, &in, i);
    }
    tape_fini(&tape);
    found_fini(f);
    free(f);
    return rc;
}

static int measure(uint32_t n)
{
    const struct judge_conf conf = { .uid = (uint32_t)geteuid() };
    static const struct judge_ops ops = { .found = on_found, .done = on_done, .lost = on_lost,
                                          .back = on_back };
    struct policy p = { 0 };
    struct judge *j;
    struct err err;
    int rc = -1;

    ranks = calloc(n, sizeof(*ranks));
    for (uint32_t i = 0; ranks && i < n; i++)
        ranks[i] = (struct hct_rank){ .rank = i, .life = HCT_LIFE_RUNNING,
            .flags = HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI, .calls = 5u * i,
            .in_ns = 1000u * i, .out_ns = 999u * i, .comm = HCT_COMM_WORLD };
    j = judge_create(judges, "null:every=0.01", &conf, &ops, NULL, &err);
    if (ranks && j && policy_open(&p, "null:every=0.01", &err) == 0)
        rc = looks(j, &p, n);
    judge_destroy(j);
    policy_close(&p);
    free(ranks);
    if (rc == 0)
        printf("judge n=%u: a look is answered in %.0f us here, in %.0f by a "
               "process of its own, of which the master works %.0f (median of "
               "%d)\n", n, median_us(ours), median_us(theirs), median_us(cpu),
               LOOKS - 1);
    return rc;
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = { 16, 4096, 1048576 };
    int rc = 0;

    base = event_base_new();
    judges = judges_create(base);
    for (int i = 1; i < argc && rc == 0; i++)
        rc = measure((uint32_t)strtoul(argv[i], NULL, 10));
    for (int i = 0; argc == 1 && i < 3 && rc == 0; i++)
        rc = measure(usual[i]);
    judges_destroy(judges);
    event_base_free(base);
    return rc ? 1 : 0;
}
