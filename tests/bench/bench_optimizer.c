/* bench_optimizer.c - what a plan of balance takes for 1,000 nodes and 20,000
 * tasks: a system by a seed, of which a seventh of the jobs waits, and the same
 * when the plan has been carried out; and where each task of a job that runs has
 * eight partners, as many as a master knows. As a ratio to 50 ms. And of 10,000
 * small systems how many have more to move when their plan has been carried out.
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

/* Each sends the four behind it as much as its number says. */
static void send_much(struct drawn *d)
{
    struct hct_traffic *v = calloc(4 * (size_t)d->in.nseats + 1, sizeof(*v));
    uint32_t n = 0;

    if (!v)
        abort();
    for (uint32_t i = 0; i < d->in.nworks; i++) {
        const struct hct_work *w = &d->works[i];
        uint32_t end = w->first + w->ntasks;

        for (uint32_t a = w->first; a < end; a++)
            for (uint32_t b = a + 1;
                 b < end && b < a + 5 && !(w->flags & HCT_WORK_WAITING); b++)
                v[n++] = (struct hct_traffic){ a, b, 1e4 * (1 + a % 1000) };
    }
    free(d->traffic);
    d->traffic = v;
    d->in.traffic = v;
    d->in.ntraffic = n;
}

static void count_again(struct optimizer *o)
{
    enum { SYSTEMS = 10000 };
    unsigned again = 0, refused = 0;

    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct drawn d;

        drawn_open(&d, seed, 2 + (uint32_t)(seed % 37),
                   10 + (uint32_t)(seed % 251), 1 + (uint32_t)(seed % 23));
        plan(o, &d.in);
        refused += o->plan.nrefused > 0;
        drawn_apply(&d, o->plan.steps, o->plan.nsteps);
        plan(o, &d.in);
        again += o->plan.nsteps > 0;
        drawn_close(&d);
    }
    printf("%-8s %d systems: own result not empty in %u, steps refused in %u\n",
           o->name, SYSTEMS, again, refused);
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
            drawn_close(&d);
            drawn_open(&d, 1, NODES, TASKS, EACH);
            send_much(&d);
            printf("%u pairs\n", d.in.ntraffic);
            measure(&o, &d.in, "first");
            drawn_apply(&d, o.plan.steps, o.plan.nsteps);
            measure(&o, &d.in, "of its own result");
            count_again(&o);
        }
        drawn_close(&d);
        optimizer_close(&o);
    }
    return 0;
}
