/* test_progress.c - the graphs of policy progress: figure 4 and tables 1 and 2
 * of PDI; classes of paths against probabilities; the least progressed;
 * loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/progress/hitting.h"
#include "policies/progress/least.h"
#include "policies/progress/loops.h"
#include "policies/progress/rows.h"
#include "tests/unit/draw.h"

enum { MOST = 12, EDGES = 40, GRAPHS = 20000 };

static struct reach_graph g;
static uint32_t words[REACH_WORDS(64, 256)];

static enum reach class_of(uint32_t from, uint32_t to)
{
    uint64_t can[1], always[1];
    uint32_t queue[64];
    struct reach_to r = { can, always };

    reach_to(&g, to, &r, queue);
    return reach_of(&r, from);
}

static enum dependence between(uint32_t i, uint32_t j)
{
    return dependence_of(class_of(i, j), class_of(j, i));
}

/* ---------------------------------------------------------------- the paper */

/* Row by row: P(i, j), P(j, i), and what follows. */
static void test_table_1(void **state)
{
    static const struct { enum reach ij, ji; enum dependence is; } rows[] = {
        { REACH_NEVER, REACH_NEVER, DEPENDENCE_NONE },
        { REACH_ALWAYS, REACH_NEVER, DEPENDENCE_BACKWARD },
        { REACH_ALWAYS, REACH_PERHAPS, DEPENDENCE_BACKWARD },
        { REACH_NEVER, REACH_ALWAYS, DEPENDENCE_FORWARD },
        { REACH_PERHAPS, REACH_ALWAYS, DEPENDENCE_FORWARD },
        { REACH_NEVER, REACH_PERHAPS, DEPENDENCE_FORWARD },
        { REACH_PERHAPS, REACH_NEVER, DEPENDENCE_BACKWARD },
        { REACH_ALWAYS, REACH_ALWAYS, DEPENDENCE_UNDEFINED },
        { REACH_PERHAPS, REACH_PERHAPS, DEPENDENCE_UNDEFINED },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(dependence_of(rows[i].ij, rows[i].ji), rows[i].is);
        assert_int_equal(dependence_of(rows[i].ji, rows[i].ij),
                         dependence_turned(rows[i].is));
    }
}

static void test_table_2(void **state)
{
    static const struct { enum dependence x, y, both; } rows[] = {
        { DEPENDENCE_FORWARD, DEPENDENCE_NONE, DEPENDENCE_FORWARD },
        { DEPENDENCE_FORWARD, DEPENDENCE_FORWARD, DEPENDENCE_FORWARD },
        { DEPENDENCE_BACKWARD, DEPENDENCE_BACKWARD, DEPENDENCE_BACKWARD },
        { DEPENDENCE_FORWARD, DEPENDENCE_BACKWARD, DEPENDENCE_UNDEFINED },
        { DEPENDENCE_NONE, DEPENDENCE_NONE, DEPENDENCE_NONE },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(rows[i].x | rows[i].y, rows[i].both);
}

/* States 1 to 10, of which 0 is none here: a in 1, b in 3, c in 5, d in 8, e in
 * 10. From 5 it goes round with 0.9, by 6 and 8. */
static const struct reach_edge figure_4[] = {
    { 1, 2 }, { 2, 3 }, { 2, 9 }, { 3, 4 }, { 4, 5 }, { 5, 6 }, { 5, 7 },
    { 6, 8 }, { 8, 5 }, { 9, 10 },
};
enum { A = 1, B = 3, C = 5, D = 8, E = 10,
       FIGURE = sizeof(figure_4) / sizeof(figure_4[0]) };

static void test_figure_4(void **state)
{

    (void)state;
    reach_make(&g, 11, figure_4, FIGURE, words);
    assert_int_equal(class_of(B, C), REACH_ALWAYS);
    assert_int_equal(class_of(C, B), REACH_NEVER);
    assert_int_equal(class_of(D, C), REACH_ALWAYS);
    assert_int_equal(class_of(C, D), REACH_PERHAPS);
    assert_int_equal(between(C, B), DEPENDENCE_FORWARD);        /* c -> b */
    assert_int_equal(between(C, D), DEPENDENCE_FORWARD);        /* c -> d */
    assert_int_equal(between(D, B), DEPENDENCE_FORWARD);
    assert_int_equal(between(B, E), DEPENDENCE_NONE);
    assert_int_equal(between(E, C), DEPENDENCE_NONE);
    assert_int_equal(between(E, D), DEPENDENCE_NONE);
    for (uint32_t i = 2; i <= 10; i++)
        assert_int_equal(between(i, A), DEPENDENCE_FORWARD);
}

static void test_figure_4_numbers(void **state)
{
    uint64_t can[1], always[1];
    uint32_t queue[64];
    struct reach_to r = { can, always };
    double weight[FIGURE], least[11], most[11];

    (void)state;
    reach_make(&g, 11, figure_4, FIGURE, words);
    for (uint32_t i = 0; i < g.n; i++)
        for (uint32_t e = g.first[i]; e < g.first[i + 1]; e++)
            weight[e] = i == C ? (g.next[e] == 6 ? 9 : 1) : 1;
    reach_to(&g, D, &r, queue);
    hitting(&g, weight, &r, least, most);
    assert_true(fabs(least[C] - 0.9) < 1e-9 && fabs(most[C] - 0.9) < 1e-9);
    assert_true(least[E] == 0 && most[E] == 0);
    assert_true(fabs(least[A] - 0.45) < 1e-9);
}

/* The same by the models of five tasks, which each know the whole; and the
 * least of them is a, and without a both b and e. */
static void test_figure_4_rows(void **state)
{
    static struct rows rows;
    const uint32_t at[] = { rows_state(A, true), rows_state(B, true),
                            rows_state(C, true), rows_state(D, true),
                            rows_state(E, true) };
    struct least_graph l = { .n = 5 };

    (void)state;
    rows_begin(&rows, 11, at, 5);
    for (uint32_t i = 0; i < 5; i++)
        rows_task(&rows, figure_4, FIGURE, i);
    assert_int_equal(rows.nkept, 1);
    assert_int_equal(rows.is[2][1], DEPENDENCE_FORWARD);
    assert_int_equal(rows.is[1][2], DEPENDENCE_BACKWARD);
    assert_int_equal(rows.is[2][3], DEPENDENCE_FORWARD);
    assert_int_equal(rows.is[1][4], DEPENDENCE_NONE);
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t j = 0; j < 5; j++)
            if (rows.is[i][j] == DEPENDENCE_FORWARD)
                l.collective[i] |= (uint64_t)1 << j;
    assert_int_equal(least_progressed(&l), 1 << 0);
    assert_int_equal(least_behind(&l, 1 << 0), 0x1e);
    for (uint32_t i = 0; i < 5; i++)
        l.collective[i] &= ~(uint64_t)1;
    assert_int_equal(least_progressed(&l), 1 << 0 | 1 << 1 | 1 << 4);
}

/* Two tasks that have seen the two branches of a loop contradict each other. */
static void test_rows_contradict(void **state)
{
    static struct rows rows;
    static const struct reach_edge one[] = { { 0, 1 }, { 1, 2 } };
    static const struct reach_edge other[] = { { 0, 2 }, { 2, 1 } };
    const uint32_t at[] = { rows_state(1, true), rows_state(2, true) };

    (void)state;
    rows_begin(&rows, 3, at, 2);
    rows_task(&rows, one, 2, 0);
    assert_int_equal(rows.is[0][1], DEPENDENCE_BACKWARD);
    assert_int_equal(rows.is[1][0], DEPENDENCE_FORWARD);
    rows_task(&rows, other, 2, 1);
    assert_int_equal(rows.is[0][1], DEPENDENCE_UNDEFINED);
    assert_int_equal(rows.is[1][0], DEPENDENCE_UNDEFINED);
    assert_int_equal(rows.nkept, 2);
}

/* ------------------------------------------------------------ random graphs */

/* Hitting probabilities of state to, by Gauss with pivots: the least solution,
 * as those that cannot come there are 0. */
static void solve(const double *weight, uint32_t to, double *h)
{
    double m[MOST][MOST + 1] = { { 0 } };
    bool can[MOST] = { false };
    uint32_t n = g.n;

    can[to] = true;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t e = g.first[i]; e < g.first[i + 1]; e++)
                can[i] = can[i] || can[g.next[e]];
    for (uint32_t i = 0; i < n; i++) {
        double all = 0;

        m[i][i] = 1;
        if (i == to || !can[i]) {
            m[i][n] = i == to;
            continue;
        }
        for (uint32_t e = g.first[i]; e < g.first[i + 1]; e++)
            all += weight[e];
        for (uint32_t e = g.first[i]; e < g.first[i + 1]; e++)
            m[i][g.next[e]] -= weight[e] / all;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;

        for (uint32_t i = k; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[best][k]))
                best = i;
        for (uint32_t c = 0; c <= n; c++) {
            double x = m[k][c];

            m[k][c] = m[best][c];
            m[best][c] = x;
        }
        for (uint32_t i = 0; i < n; i++) {
            double f = i == k ? 0 : m[i][k] / m[k][k];

            for (uint32_t c = k; f != 0 && c <= n; c++)
                m[i][c] -= f * m[k][c];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        h[i] = m[i][n] / m[i][i];
}

static void a_graph(double *weight)
{
    struct reach_edge edge[EDGES];
    uint32_t n = 2 + (uint32_t)(draw() % (MOST - 1)), nedges;

    nedges = (uint32_t)(draw() % (2 * n + 1));
    for (uint32_t i = 0; i < nedges; i++)
        edge[i] = (struct reach_edge){ (uint32_t)(draw() % n),
                                       (uint32_t)(draw() % n) };
    reach_make(&g, n, edge, nedges, words);
    for (uint32_t i = 0; i < nedges; i++)
        weight[i] = 1 + (double)(draw() % 4);
}

/* The class says what the number is; both bounds of hitting() hold it. */
static void test_random(void **state)
{
    uint32_t seen[3] = { 0 }, queue[MOST], wide = 0;
    double weight[EDGES], h[MOST], least[MOST], most[MOST];
    uint64_t can[1], always[1];
    struct reach_to r = { can, always };

    (void)state;
    for (unsigned graph = 0; graph < GRAPHS; graph++) {
        a_graph(weight);
        for (uint32_t to = 0; to < g.n; to++) {
            solve(weight, to, h);
            reach_to(&g, to, &r, queue);
            hitting(&g, weight, &r, least, most);
            for (uint32_t i = 0; i < g.n; i++) {
                enum reach c = reach_of(&r, i);

                seen[c]++;
                assert_int_equal(c, h[i] < 1e-9 ? REACH_NEVER
                                    : h[i] > 1 - 1e-9 ? REACH_ALWAYS
                                                      : REACH_PERHAPS);
                assert_true(least[i] <= h[i] + 1e-9 && h[i] <= most[i] + 1e-9);
                wide += most[i] - least[i] > 1e-6;
            }
        }
    }
    for (unsigned c = 0; c < 3; c++)
        assert_true(seen[c] > GRAPHS);
    assert_true(wide < GRAPHS / 1000);  /* what is left rarely is slow */
}

/* ---------------------------------------------------------------- the least */

static uint64_t bit(uint32_t i)
{
    return (uint64_t)1 << i;
}

static void test_least(void **state)
{
    struct least_graph l = { .n = 4 };

    (void)state;
    assert_int_equal(least_progressed(&l), 15);         /* nothing is known */
    l.collective[1] = l.collective[2] = bit(0);
    assert_int_equal(least_progressed(&l), bit(0) | bit(3));
    l.message[3] = bit(1);      /* 3 waits for one that is not among the least */
    assert_int_equal(least_progressed(&l), bit(0));
    assert_int_equal(least_behind(&l, bit(0)), bit(1) | bit(2) | bit(3));
    l.message[3] = bit(0);      /* for one that is */
    assert_int_equal(least_progressed(&l), bit(0));
}

/* A circle counts as one; where every one would be discarded, those that only
 * wait for each other are least. */
static void test_circles(void **state)
{
    struct least_graph l = { .n = 4 };

    (void)state;
    l.collective[0] = bit(1);
    l.collective[1] = bit(0);
    l.collective[2] = l.collective[3] = bit(0);
    assert_int_equal(least_progressed(&l), bit(0) | bit(1));
    l = (struct least_graph){ .n = 4 };
    for (uint32_t i = 0; i < 4; i++)
        l.message[i] = bit((i + 1) % 4);
    assert_int_equal(least_progressed(&l), 15);
    l.message[3] = 0;
    assert_int_equal(least_progressed(&l), bit(3));
    l = (struct least_graph){ .n = 3 };
    l.collective[2] = bit(0) | bit(1);
    l.message[0] = l.message[1] = bit(2);
    assert_int_equal(least_progressed(&l), 7);
    l = (struct least_graph){ .n = LEAST_NODES };
    for (uint32_t i = 1; i < LEAST_NODES; i++)
        l.collective[i] = bit(i - 1);
    assert_int_equal(least_progressed(&l), 1);
    assert_int_equal(least_behind(&l, 1), ~bit(0));
}

/* The case of section 5.1: 0 and 1 are left by collectives, 1 waits for a
 * message of 2, which is not among them, and 0 for one of 1. */
static void test_case_study(void **state)
{
    struct least_graph l = { .n = 4 };

    (void)state;
    l.collective[2] = l.collective[3] = bit(0) | bit(1);
    l.message[1] = bit(2);
    l.message[0] = bit(1);
    assert_int_equal(least_progressed(&l), bit(0));
}

/* -------------------------------------------------------------------- loops */

static uint64_t been[3][16];

static uint64_t entered(void *arg, uint32_t task, uint32_t at)
{
    (void)arg;
    return been[task][at];
}

/* 0 -> 1 -> 2 -> 3 -> 4 -> 1, and 2 <-> 3 inside; 4 -> 5 out. */
static void test_loops(void **state)
{
    static const struct reach_edge edge[] = { { 0, 1 }, { 1, 2 }, { 2, 3 },
        { 3, 2 }, { 3, 4 }, { 4, 1 }, { 4, 5 } };
    static struct loops l;

    (void)state;
    memset(been, 0, sizeof(been));
    reach_make(&l.g, 6, edge, sizeof(edge) / sizeof(edge[0]), words);
#define ORDER(i, j) loops_order(&l, (struct loops_task){ 0, i },             \
                                (struct loops_task){ 1, j }, entered, NULL)
    been[0][1] = 7;
    been[1][1] = 8;
    assert_int_equal(ORDER(4, 2), LOOPS_BEHIND);        /* an iteration less */
    assert_int_equal(ORDER(2, 4), LOOPS_BEHIND);
    been[0][1] = 8;
    assert_int_equal(ORDER(1, 4), LOOPS_BEHIND);        /* the same one */
    assert_int_equal(ORDER(4, 1), LOOPS_AHEAD);
    been[0][2] = 20;
    been[1][2] = 19;
    assert_int_equal(ORDER(2, 3), LOOPS_AHEAD);         /* of the inner loop */
    been[1][2] = 20;
    assert_int_equal(ORDER(2, 3), LOOPS_BEHIND);
    assert_int_equal(ORDER(2, 2), LOOPS_UNKNOWN);
    assert_int_equal(ORDER(0, 2), LOOPS_UNKNOWN);       /* in no loop both */
    assert_int_equal(ORDER(5, 2), LOOPS_UNKNOWN);
    been[1][1] = 0;
    assert_int_equal(ORDER(2, 4), LOOPS_UNKNOWN);       /* not by its head */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_table_2),
        cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_figure_4_numbers),
        cmocka_unit_test(test_figure_4_rows),
        cmocka_unit_test(test_rows_contradict),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_case_study),
        cmocka_unit_test(test_loops),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
