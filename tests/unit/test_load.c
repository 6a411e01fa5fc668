/* test_load.c - texts of control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slave/proc/load.h"

static void test_starved(void **state)
{
    static const struct { const char *text; uint64_t n; } v[] = {
        { "oom_kill_disable 0\nunder_oom 1\noom_kill 3\n", 3 },
        { "low 0\nhigh 0\nmax 42\noom 2\noom_kill 1\noom_group_kill 7\n", 1 },
        { "oom_kill 5\n", 5 },
        { "oom_kill_disable 1\nunder_oom 0\n", 0 }, { "", 0 },
        { "max 1\noom 9\n", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_int_equal(load_parse_starved(v[i].text), v[i].n);
}

static void test_quota(void **state)
{
    (void)state;
    assert_true(load_parse_cpu_max("150000 100000") == 1.5);
    assert_true(load_parse_cpu_max("max 100000") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starved), cmocka_unit_test(test_quota),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
