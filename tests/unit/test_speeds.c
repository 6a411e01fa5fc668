/* test_speeds.c - speeds of nodes from what the same calls take on them: by
 * tasks that are alike, by one that has moved, and what must not be taken for
 * a slow node. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "master/optimize/speeds.h"

static struct speeds_seen seen[4096];
static size_t n;
static double speed[64];

static void begin(void)
{
    n = 0;
    for (int i = 0; i < 64; i++)
        speed[i] = 1;
}

static void see(uint64_t job, uint64_t site, uint32_t rank, uint32_t node,
                double s)
{
    seen[n++] = (struct speeds_seen){ .job = job, .site = site, .rank = rank,
                                      .node = node, .s = s };
}

static void saw(uint64_t job, uint64_t site, uint32_t rank, uint32_t node,
                double s)
{
    see(job, site, rank, node, s);
    seen[n - 1].gone = 1;
}

static double ratio(uint32_t nodes, uint32_t slow, uint32_t fast)
{
    assert_int_equal(speeds_of(speed, nodes, seen, n), 0);
    return speed[slow] / speed[fast];
}

/* Nobody has run anywhere: what the loops said. */
static void test_nothing(void **state)
{
    (void)state;
    begin();
    speed[1] = 0.5;
    assert_true(ratio(2, 1, 0) == 0.5);
}

/* Two tasks on each of two nodes, one of which takes three times as long: more
 * than half of the way to a third in the logarithm from one job alone, and
 * further with each job that says the same. */
static void test_alike(void **state)
{
    double one, three;

    (void)state;
    begin();
    for (uint32_t r = 0; r < 4; r++)
        see(1, 77, r, r / 2, r < 2 ? 0.03 + 0.0001 * r : 0.01 + 0.0001 * r);
    one = ratio(2, 0, 1);
    if (!(one > 0.40 && one < 0.62))
        fail_msg("of one job %g", one);
    begin();
    for (uint64_t job = 1; job <= 8; job++)
        for (uint32_t r = 0; r < 4; r++)
            see(job, 77, r, r / 2, (r < 2 ? 0.03 : 0.01) + 0.0001 * r);
    three = ratio(2, 0, 1);
    if (!(three > 0.32 && three < one - 0.05))
        fail_msg("of eight jobs %g, of one %g", three, one);
}

/* More sites of the same tasks know no better. */
static void test_sites(void **state)
{
    double one, four;

    (void)state;
    begin();
    for (uint32_t r = 0; r < 4; r++)
        see(1, 77, r, r / 2, r < 2 ? 0.03 : 0.01);
    one = ratio(2, 0, 1);
    begin();
    for (uint64_t site = 1; site <= 4; site++)
        for (uint32_t r = 0; r < 4; r++)
            see(1, site, r, r / 2, r < 2 ? 0.03 : 0.01);
    four = ratio(2, 0, 1);
    if (!(four <= one && four > one - 0.12))
        fail_msg("of one site %g, of four %g", one, four);
}

/* One task alone on each node, of which one does three times as much: that is
 * the program, for all that is known. */
static void test_uneven(void **state)
{
    double r;

    (void)state;
    begin();
    see(1, 77, 0, 0, 0.03);
    see(1, 77, 1, 1, 0.01);
    see(1, 77, 2, 2, 0.01);
    r = ratio(3, 0, 1);
    if (!(r > 0.85 && r < 1))
        fail_msg("of tasks that are alone %g", r);
    /* So it is where tasks on the same node differ by as much. */
    begin();
    for (uint32_t k = 0; k < 8; k++)
        see(1, 77, k, k / 4, k % 2 ? 0.03 : 0.01);
    see(1, 77, 8, 0, 0.03);
    r = ratio(2, 0, 1);
    if (!(r > 0.85 && r <= 1))
        fail_msg("of uneven tasks %g", r);
}

/* The same task here and there is the best that there is. */
static void test_moved(void **state)
{
    double r;

    (void)state;
    begin();
    see(1, 77, 0, 1, 0.010);
    saw(1, 77, 0, 0, 0.025);
    r = ratio(2, 0, 1);
    if (!(r > 0.38 && r < 0.50))
        fail_msg("of one that has moved %g", r);
    /* It takes with it what it does more than others: its new node is not
     * slow. */
    begin();
    see(1, 77, 0, 1, 0.030);
    saw(1, 77, 0, 0, 0.030);
    see(1, 77, 1, 0, 0.010);
    see(1, 77, 2, 0, 0.010);
    r = ratio(2, 1, 0);
    if (!(r > 0.8))
        fail_msg("of one that does more %g", r);
}

/* A hundred jobs of eight tasks each, by lot on sixteen nodes of four speeds;
 * what tasks do differs by a fifth, and each measurement by 5 %: all within 20
 * %. */
static double lot(uint32_t *x)
{
    *x = *x * 1664525 + 1013904223;
    return (double)(*x >> 8) / (1 << 24) - 0.5;
}

static void test_many(void **state)
{
    uint32_t x = 7;
    double worst = 0;

    (void)state;
    begin();
    for (uint64_t job = 1; job <= 100; job++)
        for (uint32_t r = 0; r < 8; r++) {
            uint32_t node = (uint32_t)((lot(&x) + 0.5) * 16) % 16;
            double does = 0.01 * (double)job * (1 + 0.4 * lot(&x));

            see(job, 5, r, node, does / (0.25 * (1 + node % 4)) *
                                 (1 + 0.1 * lot(&x)));
        }
    assert_int_equal(speeds_of(speed, 16, seen, n), 0);
    for (uint32_t i = 0; i < 16; i++) {
        double is = speed[i] / speed[3], wanted = 0.25 * (1 + i % 4);

        worst = fmax(worst, fabs(log(is / wanted)));
    }
    if (worst > log(1.2))
        fail_msg("one of the nodes is off by %g", exp(worst));
}

static void test_settled(void **state)
{
    (void)state;
    assert_true(speeds_settled(1, 1.1) == 1);
    assert_true(speeds_settled(1, 0.9) == 1);
    assert_true(fabs(speeds_settled(1, 1.19) - exp2(0.25)) < 1e-9);
    assert_true(fabs(speeds_settled(1, 0.48) - 0.5) < 1e-9);
    assert_true(speeds_settled(0.5, 0.54) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_alike),
        cmocka_unit_test(test_sites), cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_moved), cmocka_unit_test(test_many),
        cmocka_unit_test(test_settled),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
