/* planshow.c - see planshow.h. */
#include "slave/emulate/plan/planshow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "slave/emulate/plan/contest.h"

enum { ENTRIES_MAX = 3 };

static void print_head(const struct fleet *f, double bound_s)
{
    printf("%u nodes of %u speed%s, %u jobs of %u tasks, seed %" PRIu64
           "; ratios to a "
           "lower bound of %.0f s\n\n",
           f->conf.nodes, f->conf.speeds, f->conf.speeds == 1 ? "" : "s",
           f->conf.jobs, f->ntasks, f->conf.seed, bound_s);
    printf("%-12s %8s %13s %7s %6s %7s %17s\n", "", "makespan", "mean slowdown",
           "moves", "plans", "refused", "a plan (max), ms");
    printf("%-12s %8.3f %13.3f\n", "bound", 1.0, 1.0);
}

static void print_entry(const char *name, const struct contest *c,
                        double bound_s)
{
    printf("%-12s %8.3f %13.3f %7" PRIu64 " %6" PRIu64 " %7" PRIu64
           " %8.2f (%.2f)\n",
           name, c->makespan_s / bound_s, c->slowdown, c->moves, c->plans,
           c->refused, (double)c->median_ns / 1e6, (double)c->max_ns / 1e6);
    if (*c->why)
        printf("%-12s %s\n", "", c->why);
    if (c->left)
        printf("%-12s %u jobs have not been done: the ratios are of the others\n",
               "", c->left);
    fflush(stdout);
}

static void print_json(const char *name, const struct contest *c,
                       double bound_s, bool first)
{
    printf("%s\n{\"optimizer\":\"%s\",\"makespan\":%.6f,\"slowdown\":%.6f,"
           "\"moves\":%" PRIu64 ",\"plans\":%" PRIu64 ",\"refused\":%" PRIu64
           ",\"left\":%u,\"plan_ns\":%" PRIu64 ",\"plan_max_ns\":%" PRIu64 "}",
           first ? "" : ",", name, c->makespan_s / bound_s, c->slowdown,
           c->moves, c->plans, c->refused, c->left, c->median_ns, c->max_ns);
}

static int run_all(struct optimizer *o, size_t n, const struct fleet *f,
                   bool json, struct err *err)
{
    double bound_s = fleet_bound(f);

    if (json)
        printf("{\"bound_s\":%.3f,\"optimizers\":[", bound_s);
    else
        print_head(f, bound_s);
    for (size_t i = 0; i < n; i++) {
        struct contest c;

        if (contest_run(&c, f, &o[i], err))
            return -1;
        if (json)
            print_json(o[i].name, &c, bound_s, i == 0);
        else
            print_entry(o[i].name, &c, bound_s);
    }
    if (json)
        printf("]}\n");
    return 0;
}

int planshow_run(const char *optimizer, const struct fleet_conf *conf,
                 bool json, bool *misused, struct err *err)
{
    const char *specs[ENTRIES_MAX] = { "stay", "balance", optimizer };
    struct optimizer o[ENTRIES_MAX] = { { .object = NULL } };
    struct fleet f = { .hosts = NULL };
    size_t n = 2 + (strcmp(optimizer, "stay") != 0 &&
                    strcmp(optimizer, "balance") != 0);
    int rc = 0;

    *misused = true;
    for (size_t i = n; i-- > 0 && rc == 0;)
        rc = optimizer_open(&o[i], specs[i], err);
    *misused = rc != 0;
    rc = rc || fleet_draw(&f, conf, err) || run_all(o, n, &f, json, err) ? -1
                                                                         : 0;
    fleet_fini(&f);
    for (size_t i = 0; i < n; i++)
        optimizer_close(&o[i]);
    return rc;
}
