/* test_signals.c - signal names and numbers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/signals.h"

static void test_number(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(signals_number("TERM", &err), SIGTERM);
    assert_int_equal(signals_number("SIGTERM", &err), SIGTERM);
    assert_int_equal(signals_number("sigterm", &err), SIGTERM);
    assert_int_equal(signals_number("term", &err), SIGTERM);
    assert_int_equal(signals_number("15", &err), 15);
    assert_int_equal(signals_number("RTMIN", &err), SIGRTMIN);
    assert_int_equal(signals_number("SIGRTMIN+2", &err), SIGRTMIN + 2);
    assert_int_equal(signals_number("RTMAX-1", &err), SIGRTMAX - 1);

    static const char *const bad[] = { "", "SIG", "TERMINATE", "0", "-1",
                                       "65", "1x", "RTMIN-1", "RTMIN+99",
                                       "RTMAX+1", "SIG15" };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        err.code = 0;
        if (signals_number(bad[i], &err) != -1)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_int_not_equal(err.code, 0);
    }
}

/* Every signal's name means its number. */
static void test_name(void **state)
{
    (void)state;
    for (int s = 1; s <= SIGRTMAX; s++) {
        const char *name = signals_name(s);

        if (strncmp(name, "SIG", 3) == 0)
            assert_int_equal(signals_number(name, NULL), s);
        else
            assert_true(s == 32 || s == 33);
    }
    assert_string_equal(signals_name(SIGSEGV), "SIGSEGV");
    assert_string_equal(signals_name(SIGRTMIN + 3), "SIGRTMIN+3");
    assert_string_equal(signals_name(99), "signal 99");
    assert_string_equal(signals_name(-1), "signal -1");
}

static void test_may_end(void **state)
{
    (void)state;
    assert_true(signals_may_end(0));
    assert_true(signals_may_end(SIGKILL));
    assert_true(signals_may_end(SIGRTMAX));
    assert_false(signals_may_end(SIGRTMAX + 1));
    assert_false(signals_may_end(-1));
}

static void test_describe(void **state)
{
    (void)state;
    assert_string_equal(signals_describe(SIGSEGV), "Segmentation fault");
    assert_string_equal(signals_describe(SIGRTMIN + 1), "Real-time signal");
    assert_string_equal(signals_describe(99), "Unknown signal");
}

static void test_passed(void **state)
{
    static const int others[] = { 0, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL,
                                  SIGSTOP, SIGTSTP, SIGCONT, SIGCHLD, SIGSEGV,
                                  SIGPIPE, -1, 1000 };

    (void)state;
    for (int i = 0; i < SIGNALS_PASSED; i++)
        assert_true(signals_is_passed(signals_passed[i]));
    assert_true(signals_is_passed(SIGUSR1) && signals_is_passed(SIGXCPU));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(signals_is_passed(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_name),
        cmocka_unit_test(test_may_end),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_passed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
