/* test_simulate.c - the hang policy on simulated jobs, much faster than real
 * time: false alarms in clean runs, delays and ranks to blame in those that
 * hang. Without arguments, a short test; with
 *
 *   test_simulate HOURS HANGS [SEED]
 *
 * so many simulated hours of clean runs, and so many runs that hang, of each
 * method, printed as a table. */
#include "tests/unit/sim.h"

#include <time.h>

#include "master/watch/callclass.h"
#include "proto/base/asan.h"

static const struct sim_program programs[] = {
    { .name = "tight", .compute_s = 0.001, .spread = 0.2 },
    { .name = "rounds of 50 ms", .compute_s = 0.05, .spread = 0.3 },
    { .name = "rounds of 1 s", .compute_s = 1, .spread = 0.3 },
    { .name = "rounds of 12 s", .compute_s = 12, .spread = 0.2 },
    { .name = "uneven", .compute_s = 0.1, .spread = 1.2 },
    { .name = "imbalance that grows", .compute_s = 0.2, .spread = 0.2,
      .imbalance = 30 },
    { .name = "output", .compute_s = 0.02, .spread = 0.3,
      .serial_every = 3000, .serial_s = 8 },
    { .name = "long input, output", .compute_s = 0.1, .spread = 0.3,
      .serial_every = 2000, .serial_s = 90, .input_s = 300 },
    { .name = "communication", .compute_s = 0.01, .spread = 0.3,
      .transfer_s = 0.8 },
    { .name = "stalls", .compute_s = 0.05, .spread = 0.3,
      .stall_every_s = 200, .stall_s = 5 },
};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static const struct method { const char *name, *params; } methods[] = {
    { "hector", NULL },
    { "S_crout", "mode=1" },
    { "S_out", "mode=2" },
    /* table 1 of the paper */
    { "5 times 0.4 s", "mode=3,times=5,interval=0.4" },
    { "10 times 0.4 s", "mode=3,times=10,interval=0.4" },
    { "5 times 0.8 s", "mode=3,times=5,interval=0.8" },
    { "10 times 0.8 s", "mode=3,times=10,interval=0.8" },
};
enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

static const char *object(const char *self)
{
    static char path[4096];
    const char *slash = strrchr(self, '/');

    snprintf(path, sizeof(path), "%.*s../lib/policies/hang.so",
             slash ? (int)(slash - self + 1) : 0, self);
    return path;
}

struct result {
    double hours, task_hours, sum, squares, longest;
    unsigned runs, alarms, hangs, found, blamed, exact;
};

static void clean_run(struct result *r, const char *so, const struct method *m,
                      const struct sim_program *p, uint32_t n, double hours,
                      uint64_t seed)
{
    struct sim s;

    if (!sim_open(&s, so, m->params, p, n, hours * 3600, seed))
        exit(1);
    while (sim_until(&s, HCT_HANG)) {
        r->alarms++;
        if (getenv("SHOW"))
            fprintf(stderr, "# %s: %s, %.1f s of %.0f: %s\n", m->name, p->name,
                    (double)s.now_ns / 1e9, hours * 3600, s.lines[0].text);
    }
    r->runs++;
    r->hours += hours;
    r->task_hours += hours * n;
    sim_close(&s);
}

static void hanging_run(struct result *r, const char *so,
                        const struct method *m, const struct sim_program *p,
                        uint32_t n, bool inside, uint64_t seed)
{
    struct sim s;
    uint64_t at, first;

    if (!sim_open(&s, so, m->params, p, n, 4 * 3600, seed))
        exit(1);
    s.hang_ns = (uint64_t)((p->input_s + 20 + 300 * sim_uniform(&s)) * 1e9);
    s.hang_rank = (uint32_t)(sim_uniform(&s) * n);
    s.hang_inside = inside;
    s.hang_pauses = seed % 2;
    while ((at = sim_until(&s, HCT_HANG)) && at < s.hang_ns)
        ;
    r->hangs++;
    first = s.begin_ns > s.hang_ns ? s.begin_ns : s.hang_ns;
    if (at) {
        double delay = (double)(at - first) / 1e9;
        bool right = false;

        for (uint32_t i = 0; i < s.out.nranks; i++)
            right |= s.blamed[i] == s.hang_rank;
        r->found++;
        r->sum += delay;
        r->squares += delay * delay;
        r->longest = delay > r->longest ? delay : r->longest;
        inside &= !s.hang_pauses;       /* else it is known who sleeps */
        r->blamed += inside ? s.out.nranks == 0 : right;
        r->exact += inside ? s.out.nranks == 0
                           : right && s.out.nranks == 1;
    } else if (getenv("SHOW")) {
        fprintf(stderr, "# %s: %s: hang of rank %u at %.1f s not found\n",
                m->name, p->name, s.hang_rank, (double)s.hang_ns / 1e9);
    }
    sim_close(&s);
}

static double mean(const struct result *r)
{
    return r->found ? r->sum / r->found : 0;
}

static double deviation(const struct result *r)
{
    return r->found > 1 ? sqrt(fmax(0, (r->squares - r->sum * mean(r)) /
                                       (r->found - 1))) : 0;
}

static void print_row(const char *name, const struct result *r)
{
    printf("%-22s %8.0f %9.0f %6u %7.3f | %5u %6.3f %6.1f %6.1f %6.1f %6.3f "
           "%6.3f\n", name, r->hours, r->task_hours, r->alarms,
           /* 95 %, one-sided; exact for none */
           r->hours > 0 ? (r->alarms ? r->alarms + 1.645 * sqrt(r->alarms) + 1
                                     : 3) / r->hours : 0,
           r->hangs, r->hangs ? (double)r->found / r->hangs : 0, mean(r),
           deviation(r), r->longest,
           r->found ? (double)r->blamed / r->found : 0,
           r->found ? (double)r->exact / r->found : 0);
}

static void add(struct result *to, const struct result *r)
{
    to->hours += r->hours;
    to->task_hours += r->task_hours;
    to->alarms += r->alarms;
    to->hangs += r->hangs;
    to->found += r->found;
    to->blamed += r->blamed;
    to->exact += r->exact;
    to->sum += r->sum;
    to->squares += r->squares;
    to->longest = fmax(to->longest, r->longest);
}

static int evaluate(const char *so, double hours, unsigned hangs, uint64_t seed)
{
    struct timespec a, b;
    double simulated = 0;
    bool good = true;

    clock_gettime(CLOCK_MONOTONIC, &a);
    for (unsigned m = 0; m < METHODS; m++) {
        struct result all = { 0 };

        printf("%s\n%-22s %8s %9s %6s %7s | %5s %6s %6s %6s %6s %6s %6s\n",
               methods[m].name, "program", "hours", "task h", "alarms",
               "<= a h", "hangs", "found", "mean s", "sd", "max", "blamed",
               "exact");
        for (unsigned i = 0; i < PROGRAMS; i++) {
            struct result r = { 0 };
            double left = hours / PROGRAMS;

            for (unsigned k = 0; left > 0.01; k++, left -= 5)
                clean_run(&r, so, &methods[m], &programs[i], 16,
                          left < 5 ? left : 5, seed + k * 1000 + i);
            if (m == 0 && i == 1)       /* a large one */
                clean_run(&r, so, &methods[m], &programs[i], 20000,
                          fmin(0.5, hours / 100), seed);
            for (unsigned k = 0; k < hangs / PROGRAMS; k++)
                hanging_run(&r, so, &methods[m], &programs[i], 16, k % 4 == 3,
                            seed + 77 * k + i);
            print_row(programs[i].name, &r);
            add(&all, &r);
        }
        print_row("all", &all);
        fflush(stdout);
        simulated += all.hours;
        if (m == 0)
            good = all.alarms == 0 && all.found == all.hangs;
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.0f simulated hours in %.0f s\n", simulated,
           (double)(b.tv_sec - a.tv_sec));
    return good ? 0 : 1;
}

static unsigned n_tests, n_failed;

static void test(bool good, const char *what)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++n_tests, what);
    n_failed += !good;
}

static int quick(const char *so)
{
    const double hours = ASAN ? 0.5 : 2;        /* of a clean run */

    for (unsigned m = 0; m < 2; m++) {
        struct result r = { 0 };
        unsigned alarms;

        for (unsigned i = 0; i < PROGRAMS; i++)
            clean_run(&r, so, &methods[m], &programs[i], 16, m ? 0.5 : hours,
                      100 + i);
        alarms = r.alarms;
        for (unsigned i = 0; i < PROGRAMS; i++)
            for (unsigned k = 0; k < (m ? 2 : 4); k++)
                hanging_run(&r, so, &methods[m], &programs[i], 16, k == 3,
                            500 + 10 * i + k);
        printf("# %s: %.0f hours, %u alarms, %u of %u hangs, %.1f s, %u "
               "blamed\n", methods[m].name, r.hours, alarms, r.found, r.hangs,
               mean(&r), r.blamed);
        if (m == 0) {
            test(alarms == 0, "no alarm in clean runs");
            test(r.found == r.hangs, "every hang is found");
            test(r.blamed == r.found && r.exact == r.found,
                 "the right rank is to blame, alone");
        } else {
            test(r.found * 10 >= r.hangs * 5, "ParaStack finds hangs, too");
        }
    }
    printf("1..%u\n", n_tests);
    return n_failed != 0;
}

int main(int argc, char **argv)
{
    const char *so = object(argv[0]);

    if (argc > 2)
        return evaluate(so, atof(argv[1]), (unsigned)atoi(argv[2]),
                        argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
    return quick(so);
}
