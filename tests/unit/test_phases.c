/* test_phases.c - what --phase accepts, and the one sentence for what not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "redirector/options/phases.h"

static void good(void **state)
{
    static const char *const v[] = { "tag", "tag:", "tag:a b:c", "pcontrol",
        "MPI_Barrier", "MPI_Allreduce:500", "MPI_Send@solver+0x1f0",
        "MPI_Send@a+b/lib x.so+77:3" };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_int_equal(phases_check(v[i], &err), 0);
}

static void bad(void **state)
{
    static const struct { const char *text, *says; } v[] = {
        { "", "is not tag, tag:TEXT, pcontrol or a function" },
        { "tags", "\"tags\" is not tag, tag:TEXT, pcontrol" },
        { "barrier", "\"barrier\" is not tag" },
        { "MPI_Alreduce", "no function MPI_Alreduce" },
        { "MPI_", "no function MPI_" },
        { "MPI_Barrier:", "\"\" is not how many calls" },
        { "MPI_Barrier:0", "\"0\" is not how many calls" },
        { "MPI_Barrier:-1", "\"-1\" is not how many calls" },
        { "MPI_Barrier:5x", "\"5x\" is not how many calls" },
        { "MPI_Barrier@", "\"\" is not a call site" },
        { "MPI_Barrier@solver", "\"solver\" is not a call site" },
        { "MPI_Barrier@+5", "\"+5\" is not a call site" },
        { "MPI_Barrier@solver+", "\"solver+\" is not a call site" },
        { "MPI_Barrier@solver+0xg", "\"0xg\" is not an offset" },
        { "MPI_Foo@solver+5", "no function MPI_Foo" },
    };
    char longest[5000];
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        assert_int_equal(phases_check(v[i].text, &err), -1);
        assert_non_null(strstr(err.text, v[i].says));
        assert_ptr_equal(strstr(err.text, "--phase: "), err.text);
    }
    memset(longest, 'x', sizeof(longest));
    memcpy(longest, "tag:", 4);
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(phases_check(longest, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good), cmocka_unit_test(bad),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
