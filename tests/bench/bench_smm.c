/* bench_smm.c - how long it takes to compare two models: a step by the table of the
 * Lk-norm, and by its closed form. AutomaDeD takes 10 ms for two models of 1,000 edges
 * with its table, and 0.45 s without (SC11, section 4.4). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "policies/smm/smm.h"
#include "tests/unit/draw.h"

enum { EDGES = 1000, RUNS = 2000, TRIES = 5 };
#define PAPER_US 10000.0        /* with its table */

static struct lknorm table;
static struct smm_edge a[EDGES], b[EDGES];

static void fill(struct smm_edge *v)
{
    for (int i = 0; i < EDGES; i++)
        v[i] = (struct smm_edge){
            .n = 100, .probability = draw_part(),
            .in = { 1e4 * (1 + 0.1 * draw_part()), 1e3 * draw_part() },
            .out = { 1e5 * (1 + 0.1 * draw_part()), 1e4 * draw_part() } };
}

static double by_table(int edges)
{
    const struct smm x = { a, (size_t)edges }, y = { b, (size_t)edges };

    return smm_distance(&table, &x, &y);
}

static double by_form(int edges)
{
    double sum = 0;

    for (int i = 0; i < edges; i++)
        sum += lknorm_exact(a[i].in, b[i].in) + lknorm_exact(a[i].out, b[i].out);
    return sum;
}

static double us_of(double (*compare)(int edges), int edges)
{
    static volatile double keep;
    struct timespec t0, t1;
    double best = 1e30;

    for (int k = 0; k < TRIES; k++) {
        double us;

        clock_gettime(CLOCK_MONOTONIC, &t0);
        for (int i = 0; i < RUNS; i++)
            keep = compare(edges);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        us = ((double)(t1.tv_sec - t0.tv_sec) * 1e9 +
              (double)(t1.tv_nsec - t0.tv_nsec)) / 1e3 / RUNS;
        best = us < best ? us : best;
    }
    (void)keep;
    return best;
}

int main(void)
{
    lknorm_fill(&table);
    fill(a);
    fill(b);
    for (int edges = 200; edges <= EDGES; edges += EDGES - 200) {
        double table_us = us_of(by_table, edges), form_us = us_of(by_form, edges);

        printf("smm: two models of %d edges in %.1f us by the table", edges, table_us);
        if (edges == EDGES)
            printf(", %.4f of the paper's", table_us / PAPER_US);
        printf("; the norms alone in %.1f us by the closed form\n", form_us);
    }
    return 0;
}
