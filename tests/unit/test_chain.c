/* test_chain.c - the chain of call sites visits all equally often, takes the
 * times it is told to, and is the same again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "slave/emulate/chain.h"

enum { SITES = 5, STEPS = 100000 };

static bool near(double is, double wanted, double by)
{
    return is > wanted * (1 - by) && is < wanted * (1 + by);
}

static void test_steps(void **state)
{
    double took[SITES] = { 0 }, out = 0, slow = 0, all = 0, last = 0;
    unsigned visits[SITES] = { 0 }, next = 0, far = 0;
    bool even = true, right = true, less = true;
    struct chain c;

    (void)state;
    chain_init(&c, SITES, 1000000, 7);
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t site = c.site;
        double ns = (double)(c.until_ns - c.since_ns);

        visits[site]++;
        took[site] += ns;
        all += ns;
        out += (double)chain_out_ns(&c, 3, false);
        if (site == SITES - 1) {
            last += (double)chain_out_ns(&c, 3, false);
            slow += (double)chain_out_ns(&c, 3, true);
            less = less && chain_out_ns(&c, 3, true) < ns;
        } else {
            less = less && chain_out_ns(&c, 3, true) ==
                           chain_out_ns(&c, 3, false);
        }
        chain_next(&c, c.until_ns);
        next += c.site == (site + 1) % SITES;
        far += c.site == (site + 3) % SITES;
    }
    assert_int_equal(next + far, STEPS);
    assert_true(near(far, STEPS / 8.0, 0.05));
    for (unsigned i = 0; i < SITES; i++) {
        even = even && near(visits[i], STEPS / (double)SITES, 0.03);
        right = right && near(took[i] / visits[i], 2e6 * (i + 1) / (SITES + 1),
                              0.02);
    }
    assert_true(even);
    assert_true(right);
    assert_true(near(all / STEPS, 1e6, 0.02));
    assert_true(near(out / all, 0.4, 0.01));
    assert_true(near(slow / last, 2, 0.0001));
    assert_true(less);
}

static void test_again(void **state)
{
    struct chain a, b, other;
    bool same = true, differ = false, tasks = false;

    (void)state;
    chain_init(&a, SITES, 1000, 1);
    chain_init(&b, SITES, 1000, 1);
    chain_init(&other, SITES, 1000, 2);
    for (int i = 0; i < 100; i++) {
        chain_next(&a, a.until_ns);
        chain_next(&b, b.until_ns);
        chain_next(&other, other.until_ns);
        same = same && memcmp(&a, &b, sizeof(a)) == 0;
        differ = differ || a.until_ns - a.since_ns !=
                           other.until_ns - other.since_ns;
        tasks = tasks || chain_out_ns(&a, 0, false) !=
                         chain_out_ns(&a, 1, false);
    }
    assert_true(same);
    assert_true(differ);
    assert_true(tasks);
}

/* A day in steps of 1 us would take minutes. */
static void test_catch_up(void **state)
{
    uint64_t age_ns = 86400 * CLOCK_NS_PER_S, calls = 0, n = 0;
    struct chain c;

    (void)state;
    chain_init(&c, 1, 1000, 1);
    for (; c.until_ns <= age_ns; n++) {
        calls += c.calls;
        chain_next(&c, age_ns);
    }
    assert_true(n < 100000);
    assert_true(near((double)calls, 86400e6, 0.05));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps), cmocka_unit_test(test_again),
        cmocka_unit_test(test_catch_up),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
