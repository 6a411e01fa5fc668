/* test_sout.c - ParaStack's model: the worked examples of its paper. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/lib/runs.h"
#include "policies/lib/sout.h"

#define S 1000000000ull

/* Section 3.1: 16 samples of 10 tasks. */
static const uint16_t paper[16] = { 2, 1, 1, 2, 1, 1, 0, 0,
                                    8, 9, 10, 8, 9, 1, 9, 9 };

static void worked_example(void **state)
{
    struct runs r = runs_count(paper, 16);
    unsigned low, high;

    (void)state;
    assert_true(fabs(r.boundary / 10 - 0.44375) < 1e-12);
    assert_int_equal(r.n1, 7);
    assert_int_equal(r.n0, 9);
    assert_int_equal(r.r, 4);
    assert_true(runs_range(7, 9, &low, &high));
    assert_int_equal(low, 4);
    assert_int_equal(high, 14);
    assert_false(runs_random(paper, 16));
}

/* Entries of the table of Swed and Eisenhart; 0: there is none. */
static void table(void **state)
{
    static const unsigned v[][4] = {
        { 2, 12, 2, 0 }, { 2, 20, 2, 0 }, { 3, 6, 2, 0 }, { 4, 4, 0, 0 },
        { 4, 5, 2, 9 }, { 5, 5, 2, 10 }, { 5, 6, 3, 10 }, { 6, 6, 3, 11 },
        { 7, 7, 3, 13 }, { 8, 8, 4, 14 }, { 9, 9, 5, 15 }, { 10, 10, 6, 16 },
        { 10, 15, 7, 18 }, { 12, 12, 7, 19 }, { 15, 15, 10, 22 },
        { 20, 20, 14, 28 }, { 2, 11, 0, 0 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        unsigned low, high;

        for (int swap = 0; swap < 2; swap++) {
            assert_true(runs_range(v[i][swap], v[i][!swap], &low, &high));
            if (low != v[i][2] || high != (v[i][3] ? v[i][3] : UINT_MAX))
                fail_msg("%u, %u: %u to %u", v[i][0], v[i][1], low, high);
        }
    }
    assert_false(runs_range(1, 15, &(unsigned){ 0 }, &(unsigned){ 0 }));
    assert_false(runs_range(0, 16, &(unsigned){ 0 }, &(unsigned){ 0 }));
    assert_false(runs_range(21, 16, &(unsigned){ 0 }, &(unsigned){ 0 }));
}

/* Section 3.2: (0.47, 11) (0.27, 19) (0.12, 42) (0.06, 86). */
static void path(void **state)
{
    static const struct { double e, p; unsigned n; } v[] = {
        { 0.3, 0.47, 11 }, { 0.2, 0.27, 19 }, { 0.1, 0.12, 42 },
        { 0.05, 0.06, 86 },
    };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        unsigned n;
        double p = sout_best(v[i].e, &n);

        assert_true(fabs(round(p * 100) / 100 - v[i].p) < 1e-9);
        assert_int_equal(n, v[i].n);
    }
    assert_int_equal(sout_times(0.77, 0.001), 27);      /* section 3.3 */
    assert_int_equal(sout_times(0.1, 0.001), 3);
    assert_int_equal(sout_times(1e-9, 0.001), 1);
}

static void doubles(void **state)
{
    struct sout m;

    (void)state;
    sout_init(&m, 10, 400, 3000);
    for (unsigned i = 0; i < 15; i++)
        sout_add(&m, paper[i]);
    assert_int_equal(m.interval_ns, 400);
    assert_int_equal(m.n, 15);
    sout_add(&m, paper[15]);
    assert_int_equal(m.interval_ns, 800);
    assert_int_equal(m.n, 8);
    assert_false(m.is_random);
    /* every other one is left */
    assert_int_equal(m.count[1], 3);
    assert_int_equal(m.count[0], 1);
    assert_int_equal(m.count[2], 1);
    for (unsigned i = 0; i < 400; i++)          /* never random */
        sout_add(&m, 0);
    assert_int_equal(m.interval_ns, 3000);
    assert_true(m.nseries <= SOUT_SERIES);
}

static uint32_t lcg(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*x >> 33);
}

/* More samples allow a rarer suspicion, and ask for fewer of them. */
static void learns(void **state)
{
    struct sout m;
    struct sout_limit l;
    uint64_t x = 1;
    double e = 1;
    unsigned k = 100, steps = 0;

    (void)state;
    sout_init(&m, 10, 400, 400 << 10);
    for (unsigned i = 0; i < 2000; i++) {
        sout_add(&m, lcg(&x) % 11);
        if (!sout_limit(&m, 0.001, 0, &l))
            continue;
        assert_true(m.n >= 11);
        assert_true(fabs(l.q - l.p - l.e) < 1e-12);
        assert_int_equal(l.k, sout_times(l.q, 0.001));
        if (l.e < e) {
            e = l.e;
            k = l.k;
            steps++;
        }
    }
    assert_true(m.is_random);
    assert_true(steps >= 3);
    assert_true(e <= 0.051);
    assert_true(k <= 5);
    assert_int_equal(l.level, 0);
    /* the estimate is not below the truth, 1/11 */
    assert_true(l.q > 1.0 / 11);
}

/* Where a low value is normal, nothing can be said. */
static void says_nothing(void **state)
{
    struct sout m;
    struct sout_limit l;

    (void)state;
    sout_init(&m, 10, 400, 400);
    assert_false(sout_limit(&m, 0.001, 0, &l));
    for (unsigned i = 0; i < 500; i++)
        sout_add(&m, 0);
    assert_false(sout_limit(&m, 0.001, 0, &l));
    sout_init(&m, 10, 400, 400);
    for (unsigned i = 0; i < 10; i++)
        sout_add(&m, i);
    assert_false(sout_limit(&m, 0.001, 0, &l));
}

static void levels(void **state)
{
    struct sout m;

    (void)state;
    sout_init(&m, 10, 400, 400);
    for (uint32_t i = 0; i <= 10; i++)
        assert_int_equal(sout_level(&m, i, 10), i);
    sout_init(&m, 100000, 400, 400);
    assert_int_equal(m.of, SOUT_LEVELS);
    assert_int_equal(sout_level(&m, 0, 100000), 0);
    assert_int_equal(sout_level(&m, 1, 100000), 1);
    assert_true(sout_level(&m, 99999, 100000) < m.of);
    assert_int_equal(sout_level(&m, 100000, 100000), m.of);
    assert_int_equal(sout_level(&m, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(table),
        cmocka_unit_test(path),
        cmocka_unit_test(doubles),
        cmocka_unit_test(learns),
        cmocka_unit_test(says_nothing),
        cmocka_unit_test(levels),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
