/* test_hold.c - the machine of suspending, resuming and ending, edge by edge,
 * and what orders and words that cross come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "master/state/hold.h"
#include "tests/unit/machine_sound.h"

static const char letters[] = "gsSrek";
static const char *const table[HOLD_COUNT] = {
    /* suspend resume stopped went end end_now */
    [HOLD_GOING] = "sgSgek",
    [HOLD_SUSPENDING] = "srSsek",
    [HOLD_SUSPENDED] = "SrSgek",
    [HOLD_RESUMING] = "srrgek",
    [HOLD_ENDING] = "..eeek",
    [HOLD_KILLING] = "..kkkk",
};

static void test_edges(void **state)
{
    (void)state;
    for (int s = 0; s < HOLD_COUNT; s++)
        for (int e = 0; e < HOLD_EVENT_COUNT; e++) {
            enum hold next = HOLD_COUNT;
            struct err err;
            int rc = hold_next(s, e, &next, &err);

            if (table[s][e] == '.') {
                assert_int_equal(rc, -1);
                assert_int_equal(next, HOLD_COUNT);
                assert_non_null(strstr(err.text,
                                       machine_event(&hold_machine, e)));
                assert_non_null(strstr(err.text, hold_name(s)));
            } else {
                assert_int_equal(rc, 0);
                assert_int_equal(letters[next], table[s][e]);
            }
        }
    assert_sound(&hold_machine);
}

/* The slave does orders in the order they come, and says what is so after
 * each. Whatever the delay of its words, in the end the master is right. */
static void test_crossing(void **state)
{
    (void)state;
    for (unsigned orders = 0; orders < 64; orders++)
        for (unsigned delay = 0; delay < 6; delay++) {
            enum hold s = HOLD_GOING;
            enum hold_event words[6];
            unsigned said = 0, heard = 0;

            for (unsigned i = 0; i < 6; i++) {
                bool stop = orders >> i & 1;

                assert_int_equal(hold_next(s, stop ? HOLD_EVENT_SUSPEND
                                           : HOLD_EVENT_RESUME, &s, NULL), 0);
                words[said++] = stop ? HOLD_EVENT_STOPPED : HOLD_EVENT_WENT;
                if (said - heard > delay)
                    assert_int_equal(hold_next(s, words[heard++], &s, NULL),
                                     0);
            }
            while (heard < said)
                assert_int_equal(hold_next(s, words[heard++], &s, NULL), 0);
            assert_int_equal(s, orders >> 5 ? HOLD_SUSPENDED : HOLD_GOING);
        }
}

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(machine_find(&hold_machine, "asleep"), HOLD_COUNT);
    assert_string_equal(hold_name(HOLD_COUNT), "?");
    assert_false(hold_ordered(HOLD_GOING));
    assert_false(hold_ordered(HOLD_SUSPENDED));
    assert_true(hold_ordered(HOLD_ENDING));
}

/* The numbers of states are those of the wire, and what they are called there. */
static void test_orders(void **state)
{
    (void)state;
    for (int s = 0; s < HOLD_COUNT; s++)
        assert_int_equal(hold_order(s) >= 0, hold_action(s) != NULL);
    assert_int_equal(hold_order(HOLD_SUSPENDING),
                     HCT__HOLD_ORDER__HOLD_SUSPEND);
    assert_string_equal(hold_action(HOLD_SUSPENDING), "suspend");
    assert_int_equal(hold_order(HOLD_RESUMING), HCT__HOLD_ORDER__HOLD_RESUME);
    assert_string_equal(hold_action(HOLD_RESUMING), "resume");
    assert_int_equal(hold_order(HOLD_KILLING), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_orders),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
