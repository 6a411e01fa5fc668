/* test_agenda.c - when tasks are compared, and in what time: all of it ever more
 * seldom, each phase when all have left it, what a person asks for at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/outlier/agenda.h"

enum { TASKS = 4 };
#define S 1000000000ull

static struct hct_rank rank[TASKS];
static struct hct_snapshot in;
static struct agenda a;
static struct agenda_item item;

static int begin(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i] = (struct hct_rank){ .rank = i, .life = HCT_LIFE_RUNNING,
                                     .flags = HCT_OBSERVED | HCT_PAGE };
    in = (struct hct_snapshot){ .size = sizeof(in), .ranks = rank,
                                .nranks = TASKS, .rank_size = sizeof(rank[0]) };
    a = (struct agenda){ .every_ns = 5 * S, .least_ns = S / 5 };
    return 0;
}

/* A look at that time: is there something to be compared? */
static bool look(uint64_t now_ns)
{
    in.now_ns = now_ns;
    agenda_look(&a, &in);
    return agenda_next(&a, now_ns, &item);
}

static void done(void)
{
    agenda_done(&a, in.now_ns, &item);
}

static void all_in(uint32_t phase)
{
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i].phase = phase;
}

static void is_phase(uint32_t phase)
{
    assert_int_equal(item.when.window, HCT_WINDOW_PHASE);
    assert_int_equal(item.when.phase, phase);
    assert_false(item.person);
}

static void test_seldom(void **state)
{
    unsigned n = 0;

    (void)state;
    for (uint64_t t = 1; t < 1000; t++)
        if (look(t * S)) {
            assert_int_equal(item.when.window, HCT_WINDOW_ALL);
            done();
            n++;
        }
    assert_in_range(n, 35, 60);         /* 10 in the first 50 s, then by 10 % */
    assert_true(agenda_wake(&a, 2000 * S) <= 2000 * S);
}

/* It is over when the last task has left it. */
static void test_phases(void **state)
{
    (void)state;
    assert_false(look(1 * S));
    for (uint32_t i = 0; i < TASKS; i++) {
        assert_false(look((2 + i) * S / 2));
        rank[i].phase = 1;
    }
    assert_true(look(4 * S));
    is_phase(0);
    done();
    assert_false(look(4 * S + 1));      /* once */
    assert_true(agenda_wake(&a, 4 * S) <= 4 * S + S / 5);
    rank[0].flags = 0;                  /* has not been seen, and no page */
    rank[0].phase = 0;
    all_in(2);
    rank[0].phase = 0;
    a.every_ns = S;
    assert_true(look(5 * S + S / 2));
    is_phase(1);
    done();
}

/* Too short to have anything that costs enough; too soon after the one before. */
static void test_not_compared(void **state)
{
    (void)state;
    a.next_ns = UINT64_MAX;
    look(1 * S);
    a.next_ns = UINT64_MAX;
    all_in(1);
    assert_false(look(S + S / 10));
    all_in(2);
    assert_true(look(2 * S));
    is_phase(1);
    done();
    all_in(3);
    assert_false(look(4 * S));          /* within every */
    all_in(4);
    assert_true(look(7 * S));
    is_phase(3);
    done();
}

/* Several begin and end between two looks: of the last one tasks keep what they did in
 * it. It was no longer than it is since the look before. */
static void test_between(void **state)
{
    (void)state;
    a.every_ns = S;
    look(1 * S);
    a.next_ns = UINT64_MAX;
    all_in(3);
    rank[1].phase = 4;
    assert_true(look(2 * S));
    is_phase(2);
    done();
    assert_false(look(2 * S + 1));      /* once */
    assert_false(look(4 * S - S / 10));
    all_in(9);
    assert_false(look(4 * S));          /* there was no time for more */
    all_in(11);
    assert_true(look(5 * S));
    is_phase(10);
    done();
    all_in(13);                         /* and so is the last one */
    rank[2].life = HCT_LIFE_FINALIZE;
    assert_true(look(7 * S));
    assert_int_equal(item.when.window, HCT_WINDOW_ALL);
    done();
    assert_true(look(7 * S + 1));
    is_phase(13);
}

/* All time first, and then the last phase, if the program has phases. */
static void test_finalize(void **state)
{
    (void)state;
    look(1 * S);
    rank[2].life = HCT_LIFE_FINALIZE;
    assert_true(look(2 * S));
    assert_int_equal(item.when.window, HCT_WINDOW_ALL);
    done();
    assert_false(look(2 * S + 1));      /* there was one only */

    begin(NULL);
    a.every_ns = 100 * S;
    look(1 * S);
    all_in(1);
    assert_true(look(3 * S));
    is_phase(0);
    done();
    rank[2].life = HCT_LIFE_FINALIZE;
    assert_true(look(5 * S));
    assert_int_equal(item.when.window, HCT_WINDOW_ALL);
    done();
    assert_true(look(5 * S + 1));
    is_phase(1);
    done();
    rank[1].life = HCT_LIFE_FINALIZE;
    assert_false(look(6 * S));
}

/* Before all else, and of the time that is wanted; a little later again where it
 * cannot be, but not for ever. */
static void test_person(void **state)
{
    unsigned n = 0;

    (void)state;
    look(1 * S);
    in.asked = HCT_ASKED_BY_PERSON;
    in.person = (struct hct_when){ HCT_WINDOW_LAST, 0, 7 * S };
    assert_true(look(20 * S));
    assert_true(item.person);
    assert_int_equal(item.when.window, HCT_WINDOW_LAST);
    assert_int_equal(item.when.ago_ns, 7 * S);
    done();
    in.asked = 0;
    assert_true(look(20 * S + 1));      /* what was due before */
    assert_int_equal(item.when.window, HCT_WINDOW_ALL);
    assert_false(item.person);
    done();

    a.every_ns = 10 * S;
    a.next_ns = UINT64_MAX;
    in.asked = HCT_ASKED_BY_PERSON;
    in.person = (struct hct_when){ HCT_WINDOW_PHASE, 3, 0 };
    for (uint64_t t = 0; t < 100; t++) {
        if (look((30 + t) * S)) {
            assert_true(item.person);
            assert_int_equal(item.when.phase, 3);
            agenda_failed(&a, in.now_ns, &item);
            n++;
        }
        in.asked = 0;
    }
    assert_in_range(n, 10, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_seldom, begin),
        cmocka_unit_test_setup(test_phases, begin),
        cmocka_unit_test_setup(test_not_compared, begin),
        cmocka_unit_test_setup(test_between, begin),
        cmocka_unit_test_setup(test_finalize, begin),
        cmocka_unit_test_setup(test_person, begin),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
