/* test_walltime.c - lengths of time of PBS and Grid Engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "redirector/batch/walltime.h"

static void test_texts(void **state)
{
    static const struct { const char *text; uint64_t s; } texts[] = {
        { "90", 90 }, { "0", 0 }, { "01:30", 90 }, { "1:30:00", 5400 },
        { "100:00:01", 360001 }, { "2:01:00:05", 176405 },
        { "3600,h_vmem=1G", 3600 }, { "0:1:0 ", 60 }, { "60\n", 60 },
        { "INFINITY", 0 }, { "", 0 }, { "1:", 0 }, { ":1", 0 }, { "1:x", 0 },
        { "90s", 0 }, { "-1", 0 }, { "1:1:1:1:1", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(walltime_seconds(texts[i].text), texts[i].s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_texts) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
