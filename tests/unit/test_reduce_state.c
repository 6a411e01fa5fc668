/* test_reduce_state.c - a reduction in a slave, edge by edge. */
#include "slave/tree/reduce_state.h"
#include "tests/unit/machine_sound.h"

static const char letters[] = "gGsSo";
static const char *const table[REDUCE_STATE_COUNT] = {
    /* complete parent_lost end */
    [REDUCE_GATHERING] = "sGo",
    [REDUCE_GATHERING_ALONE] = "S.o",
    [REDUCE_SENT] = ".So",
    [REDUCE_SENT_ALONE] = "..o",
    [REDUCE_OVER] = "...",
};

static void test_edges(void **state)
{
    (void)state;
    for (int s = 0; s < REDUCE_STATE_COUNT; s++)
        for (int e = 0; e < REDUCE_EVENT_COUNT; e++) {
            enum reduce_state next = REDUCE_STATE_COUNT;
            struct err err;
            int rc = reduce_state_next((enum reduce_state)s,
                                       (enum reduce_event)e, &next, &err);

            assert_int_equal(rc, table[s][e] == '.' ? -1 : 0);
            if (rc == 0)
                assert_int_equal(letters[next], table[s][e]);
            else
                assert_int_equal(next, REDUCE_STATE_COUNT);
        }
    assert_sound(&reduce_state_machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_edges) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
