/* test_leave.c - where tasks go that leave a node, as a table: hosts in, the host
 * of each task out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/move/leave.h"

static const struct row {
    const char *what;
    uint32_t ntasks;
    bool crowds;
    struct leave_host hosts[4];
    size_t nhosts;
    const char *tasks;          /* host of each; NULL: impossible */
} table[] = {
    { "one", 1, false, { { 4, 0 } }, 1, "0" },
    { "the freest first", 3, false, { { 4, 3 }, { 4, 1 }, { 4, 2 } }, 3, "111" },
    { "then the next one", 5, false, { { 4, 3 }, { 4, 1 }, { 4, 2 } }, 3,
      "11122" },
    { "all that is free", 6, false, { { 4, 3 }, { 4, 1 }, { 4, 2 } }, 3,
      "111220" },
    { "one more than that", 7, false, { { 4, 3 }, { 4, 1 }, { 4, 2 } }, 3,
      NULL },
    { "alike: as they come", 3, false, { { 2, 0 }, { 2, 0 } }, 2, "001" },
    { "too full is not less than full", 1, false, { { 2, 9 }, { 2, 1 } }, 2,
      "1" },
    { "all are full", 1, false, { { 2, 2 }, { 2, 3 } }, 2, NULL },
    { "all are full, who minds", 4, true, { { 2, 2 }, { 2, 2 } }, 2, "0011" },
    { "less on it", 2, true, { { 2, 6 }, { 2, 4 } }, 2, "11" },
    { "less on it, by processors", 2, true, { { 2, 4 }, { 8, 9 } }, 2, "11" },
    { "16 to two", 16, true, { { 2, 0 }, { 2, 0 } }, 2, "0000000011111111" },
    { "nobody", 1, true, { { 0, 0 } }, 0, NULL },
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct row *t = &table[i];
        uint32_t host_of[32];
        struct err err;
        int rc = leave_plan(t->hosts, t->nhosts, t->ntasks, t->crowds, host_of,
                            &err);

        if ((rc == 0) != (t->tasks != NULL))
            fail_msg("%s: %d, %s", t->what, rc, rc ? err.text : "");
        for (uint32_t k = 0; rc == 0 && k < t->ntasks; k++)
            if (host_of[k] != (uint32_t)(t->tasks[k] - '0'))
                fail_msg("%s: task %u to %u", t->what, k, host_of[k]);
    }
}

static void test_sentence(void **state)
{
    const struct leave_host hosts[] = { { 2, 1 }, { 4, 4 } };
    uint32_t host_of[4];
    struct err err;

    (void)state;
    assert_int_equal(leave_plan(hosts, 2, 3, false, host_of, &err), -1);
    assert_string_equal(err.text, "there is no room: 3 tasks are to leave, and 1 "
                        "processor is free on 2 other nodes");
    assert_int_equal(leave_plan(hosts, 1, 4, false, host_of, &err), -1);
    assert_string_equal(err.text, "there is no room: 4 tasks are to leave, and 1 "
                        "processor is free on 1 other node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_sentence),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
