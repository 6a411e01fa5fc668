/* test_stdtim.c - the stdtim line, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "slave/streams/stdtim.h"

static void test_lines(void **state)
{
    static const struct {
        uint32_t rank;
        bool exit;
        const char *text;
        int32_t marker;
        uint64_t wall_ns;
        const char *line;
    } table[] = {
        { 0, false, "Sending assignment...", 0, 913757003257503000ull,
          "Task 0 Enter:Sending assignment...\t0\t913757003.257503\n" },
        { 0, true, "Sending assignment...", 0, 913757003258122999ull,
          "Task 0 Exit :Sending assignment...\t0\t913757003.258122\n" },
        { 4000000000u, true, "", -2147483647 - 1, 1000ull,
          "Task 4000000000 Exit :\t-2147483648\t0.000001\n" },
        { 1, false, "a\nb\tc\\d", 7, 5000000007000000ull,
          "Task 1 Enter:a\\nb\\tc\\\\d\t7\t5000000.007000\n" },
        { 1, false, "\n", 7, 1999999999ull, "Task 1 Enter:\\n\t7\t1.999999\n" },
        { 2, false, "\xc3\xa4", 1, 0, "Task 2 Enter:\xc3\xa4\t1\t0.000000\n" },
    };
    struct str s = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        str_reset(&s);
        stdtim_add(&s, table[i].rank, table[i].exit, table[i].text,
                   strlen(table[i].text), table[i].marker, table[i].wall_ns);
        assert_string_equal(str_text(&s), table[i].line);
    }
    str_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
