/* bench_optimizer.c - what a plan of balance takes for 1,000 nodes and 20,000
 * tasks: a system by a seed, of which a seventh of the jobs waits, and the same
 * when the plan has been carried out. As a ratio to 50 ms.
 *
 * bench_optimizer N makes N first plans and prints nothing: for tools that count
 * instructions (instructions.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "proto/plan/optimizer.h"
#include "tests/unit/plan_draw.h"

enum { NODES = 1000, TASKS = 20000, EACH = 64, ROUNDS = 21 };
static const double allowed_ms = 50;

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of the processor: others may use this machine, too. */
static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double plan(struct optimizer *o, const struct hct_system *in)
{
    double start = now_ms();
    struct err err;

    if (optimizer_plan(o, in, &err) || o->off) {
        fprintf(stderr, "bench_optimizer: %s\n", o->off ? o->why : err.text);
        exit(1);
    }
    return now_ms() - start;
}

static void measure(struct optimizer *o, const struct hct_system *in,
                    const char *what)
{
    double ms[ROUNDS];
    uint32_t places = 0;

    for (int i = 0; i < ROUNDS; i++)
        ms[i] = plan(o, in);
    for (uint32_t i = 0; i < o->plan.nsteps; i++)
        places += o->plan.steps[i].kind == HCT_PLAN_PLACE;
    qsort(ms, ROUNDS, sizeof(ms[0]), in_order);
    printf("%-8s %-24s %5u placed %5u moved %8.2f ms (least %.2f, most %.2f), "
           "ratio to %.0f ms: %.3f\n", o->name, what, places,
           o->plan.nsteps - places, ms[ROUNDS / 2], ms[0], ms[ROUNDS - 1],
           allowed_ms, ms[ROUNDS / 2] / allowed_ms);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    const char *const names[] = { "balance", "stay" };

    for (int i = 0; i < (argc > 1 ? 1 : 2); i++) {
        struct optimizer o;
        struct drawn d;
        struct err err;

        if (optimizer_open(&o, names[i], &err)) {
            fprintf(stderr, "bench_optimizer: %s\n", err.text);
            return 1;
        }
        drawn_open(&d, 1, NODES, TASKS, EACH);
        for (int k = 0; k < n; k++)
            plan(&o, &d.in);
        if (argc == 1) {
            printf("%u nodes, %u jobs, %u tasks, %u pairs\n", d.in.nhosts,
                   d.in.nworks, d.in.nseats, d.in.ntraffic);
            measure(&o, &d.in, "first");
            drawn_apply(&d, o.plan.steps, o.plan.nsteps);
            measure(&o, &d.in, "of its own result");
        }
        drawn_close(&d);
        optimizer_close(&o);
    }
    return 0;
}
