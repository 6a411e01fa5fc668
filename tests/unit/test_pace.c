/* test_pace.c - how a deadline is met, for who acts on it: when it is worse,
 * for how long it has to be good again, and how a job fares by what its slave
 * says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "master/ladder/fare.h"
#include "master/state/pace.h"

static bool late(struct pace *p)
{
    return pace_instance(p, -0.5, true, NAN);
}

static void good(struct pace *p, unsigned n)
{
    while (n--)
        assert_false(pace_instance(p, 0.6, false, NAN));
}

static void test_missed(void **state)
{
    struct pace p = { .each = 1, .want = 0.2 };

    (void)state;
    good(&p, 5);
    assert_true(pace_may_undo(&p));
    assert_true(late(&p));              /* news, once */
    assert_false(late(&p));
    assert_int_equal(p.stage, PACE_MISSED);
    assert_int_equal(p.missed, 2);
    good(&p, 2);
    assert_int_equal(p.stage, PACE_MISSED);
    assert_false(pace_may_undo(&p));
    good(&p, 1);                        /* three are enough, as it took one */
    assert_int_equal(p.stage, PACE_GOOD);
    assert_true(pace_may_undo(&p));
}

static void test_declines(void **state)
{
    struct pace p = { .each = 1, .want = 0.2 };

    (void)state;
    for (int i = 0; i < 7; i++)
        assert_false(pace_instance(&p, 0.1, false, 0.3));
    assert_int_equal(p.stage, PACE_GOOD);       /* the policy says it */
    assert_true(pace_declines(&p));
    assert_false(pace_declines(&p));
    assert_int_equal(p.stage, PACE_DECLINING);
    assert_true(fabs(p.margin - 0.1) < 1e-9 && p.chance == 0.3);
    assert_int_equal(pace_need(&p), 7);         /* as many as it took */
    good(&p, 6);
    assert_false(pace_may_undo(&p));
    good(&p, 1);
    assert_true(pace_may_undo(&p));
}

/* Of four ranks twelve instances are three turns, and the worst counts. */
static void test_each(void **state)
{
    struct pace p = { .each = 4, .want = 0.2 };

    (void)state;
    assert_false(pace_instance(&p, 0.9, false, NAN));
    assert_true(pace_instance(&p, -0.1, true, NAN));
    good(&p, 2);
    assert_true(fabs(p.margin + 0.1) < 1e-9);
    good(&p, 9);
    assert_false(pace_may_undo(&p));
    good(&p, 1);
    assert_true(pace_may_undo(&p));
}

/* What is not over has no margin left, however much more it takes. */
static void test_open(void **state)
{
    struct pace p = { .each = 1, .want = 0.2 };

    (void)state;
    good(&p, 3);
    assert_true(pace_instance(&p, NAN, true, NAN));
    assert_true(p.known && p.margin == 0);
}

/* Each time that it declines soon after something was given back it has to be
 * good for twice as long before the next try. */
static void test_again(void **state)
{
    struct pace p = { .each = 1, .want = 0.2 };

    (void)state;
    late(&p);
    good(&p, 3);
    for (unsigned i = 1; i <= 10; i++) {
        assert_true(pace_may_undo(&p));
        pace_gave_back(&p);
        assert_false(pace_may_undo(&p));
        assert_true(late(&p));
        assert_int_equal(pace_need(&p), 3u << (i < 8 ? i : 8));
        good(&p, (unsigned)pace_need(&p));
    }
    pace_gave_back(&p);
    good(&p, 4 * 3 * 256 + 1);          /* for long */
    late(&p);
    assert_int_equal(pace_need(&p), 3);
}

/* Margins become uneven: that is risky before one is low, wherever they are; what
 * rises is not, nor one that is low once. */
static void test_wary(void **state)
{
    struct pace p = { .each = 1, .want = 0.2 };
    double x[] = { 0.8, 0.75 };
    unsigned n = 0;

    (void)state;
    for (unsigned i = 0; i < 40; i++)
        assert_false(pace_instance(&p, x[i % 2], false, NAN));
    assert_true(p.risk < 0.05 && pace_wants(&p) == p.want);
    assert_false(pace_instance(&p, 0.4, false, NAN));
    assert_int_equal(p.stage, PACE_GOOD);
    while (!pace_instance(&p, n % 2 ? 0.3 : 0.8, false, NAN))
        assert_true(++n < 20);
    assert_int_equal(p.stage, PACE_WARY);
    assert_true(p.risk >= 0.3 && pace_wants(&p) > p.mean);
    assert_false(pace_may_undo(&p));
    pace_anew(&p);                      /* something was done about it */
    for (unsigned i = 0; i < pace_need(&p) - 1; i++)
        assert_false(pace_instance(&p, x[i % 2], false, NAN));
    assert_false(pace_may_undo(&p));
    good(&p, 1);
    assert_true(pace_may_undo(&p));
    pace_gave_back(&p);
    assert_true(late(&p));              /* from good at once */
    assert_int_equal(p.stage, PACE_MISSED);
    p = (struct pace){ .each = 1, .want = 0.2 };
    for (unsigned i = 0; i < 30; i++)   /* it becomes better */
        assert_false(pace_instance(&p, 0.25 + i * 0.02, false, NAN));
    assert_int_equal(p.stage, PACE_GOOD);
}

/* From wary it is news that it declines, and that it is missed. */
static void test_wary_worse(void **state)
{
    struct pace p = { .each = 1, .want = 0.2 };

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        pace_instance(&p, i % 2 ? 0.25 : 0.9, false, NAN);
    assert_int_equal(p.stage, PACE_WARY);
    assert_true(pace_declines(&p));
    assert_false(pace_declines(&p));
    assert_false(late(&p));
    assert_int_equal(p.stage, PACE_MISSED);
    assert_true(p.risk == 0 && pace_wants(&p) > 0.5);   /* as before that */
    pace_anew(&p);
    assert_true(pace_wants(&p) == p.want);
}

static void hear(struct fare *f, unsigned tasks, unsigned ran_ms, unsigned kept_ms,
                 bool held, unsigned at_ms)
{
    Hct__Yielded m = HCT__YIELDED__INIT;

    m.tasks = tasks;
    m.ran_ns = ran_ms * 1000000ull;
    m.kept_ns = kept_ms * 1000000ull;
    m.cpus = (char *)(uintptr_t)"1,65";
    m.all = (char *)(uintptr_t)"0-70";
    assert_int_equal(fare_take(f, &m, held, at_ms * 1000000ull, NULL), 0);
}

static void test_fare(void **state)
{
    struct fare f = { 0 };
    Hct__Yielded bad = HCT__YIELDED__INIT;

    (void)state;
    hear(&f, 2, 1000, 100, false, 5000);
    assert_false(fare_is_fresh(&f, 5000 * 1000000ull)); /* one answer is none */
    hear(&f, 2, 1050, 150, false, 5010);        /* too soon */
    assert_false(fare_is_fresh(&f, 5010 * 1000000ull));
    hear(&f, 2, 1100, 200, false, 5200);
    assert_true(fare_is_fresh(&f, 5200 * 1000000ull));
    assert_true(fabs(f.ran - 0.5) < 1e-9 && fabs(f.wanted - 1) < 1e-9);
    assert_true(f.cpus.w[0] == 2 && f.cpus.w[1] == 2 && f.all.w[1] == 0x7f);
    hear(&f, 2, 1100, 200, true, 5400); /* suspended: as before */
    assert_true(fabs(f.wanted - 1) < 1e-9);
    assert_false(fare_is_fresh(&f, 9000 * 1000000ull));
    hear(&f, 2, 1120, 1400, false, 5600);       /* they have waited for long */
    assert_true(fabs(f.wanted - 2) < 1e-9);
    hear(&f, 3, 1200, 1400, false, 5800);       /* others */
    assert_false(fare_is_fresh(&f, 5800 * 1000000ull));
    bad.cpus = (char *)(uintptr_t)"1-";
    assert_int_equal(fare_take(&f, &bad, false, 1, NULL), -1);
    bad.cpus = (char *)(uintptr_t)"99999";
    assert_int_equal(fare_take(&f, &bad, false, 1, NULL), -1);
    assert_int_equal(f.tasks, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missed), cmocka_unit_test(test_declines),
        cmocka_unit_test(test_each), cmocka_unit_test(test_open),
        cmocka_unit_test(test_again), cmocka_unit_test(test_wary),
        cmocka_unit_test(test_wary_worse), cmocka_unit_test(test_fare),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
