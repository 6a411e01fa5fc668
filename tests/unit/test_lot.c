/* test_lot.c - a sample by lot: so many numbers, each as likely as any other, the
 * same ones for everybody who has the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policies/lib/lot.h"

static void test_how_many(void **state)
{
    static const uint32_t cases[][2] = {
        { 0, 0 }, { 1, 1 }, { LOT_SAMPLE, LOT_SAMPLE }, { 1000, LOT_SAMPLE },
        { 50000, LOT_SAMPLE }, { 50001, 20 }, { 1000000, 20 } };
    uint32_t v[LOT_SAMPLE];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t n = lot_sample(7, cases[i][0], v);

        assert_int_equal(n, cases[i][1]);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(v[k] < cases[i][0]);
            assert_true(k == 0 || v[k] > v[k - 1]);
        }
    }
}

static void test_same(void **state)
{
    uint32_t a[LOT_SAMPLE], b[LOT_SAMPLE], c[LOT_SAMPLE];

    (void)state;
    assert_int_equal(lot_sample(7, 5000, a), LOT_SAMPLE);
    lot_sample(7, 5000, b);
    lot_sample(8, 5000, c);
    assert_memory_equal(a, b, sizeof(a));
    assert_true(memcmp(a, c, sizeof(a)) != 0);
}

/* Of 120, half are taken each time. */
static void test_uniform(void **state)
{
    enum { N = 2 * LOT_SAMPLE, ROUNDS = 4000 };
    uint32_t v[LOT_SAMPLE], taken[N] = { 0 };

    (void)state;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        uint32_t n = lot_sample(seed, N, v);

        for (uint32_t k = 0; k < n; k++)
            taken[v[k]]++;
    }
    for (uint32_t i = 0; i < N; i++)    /* 6 deviations of 32 */
        assert_in_range(taken[i], ROUNDS / 2 - 190, ROUNDS / 2 + 190);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_many), cmocka_unit_test(test_same),
        cmocka_unit_test(test_uniform),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
