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
    static const int passed[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
                                  SIGXCPU, SIGURG, SIGIO, SIGPWR };
    static const int private[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGABRT };
    static const int others[] = { 0, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL,
                                  SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS, SIGFPE,
                                  SIGILL, SIGSYS, SIGTRAP, SIGPIPE, 32, 33, -1,
                                  1000 };
    sigset_t all, some;

    (void)state;
    sigemptyset(&all);
    sigemptyset(&some);
    signals_add_passed(&all, true);
    signals_add_passed(&some, false);
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        assert_true(signals_is_passed(passed[i], false));
        assert_true(signals_is_passed(passed[i], true));
        assert_int_equal(sigismember(&some, passed[i]), 1);
    }
    for (size_t i = 0; i < sizeof(private) / sizeof(private[0]); i++) {
        assert_false(signals_is_passed(private[i], false));
        assert_true(signals_is_passed(private[i], true));
        assert_int_equal(sigismember(&some, private[i]), 0);
        assert_int_equal(sigismember(&all, private[i]), 1);
    }
    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
        assert_true(signals_is_passed(sig, false));
        assert_int_equal(sigismember(&some, sig), 1);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(signals_is_passed(others[i], true));
    assert_false(signals_is_passed(SIGRTMAX + 1, true));
}

static void test_stop(void **state)
{
    (void)state;
    assert_true(signals_is_stop(SIGTSTP) && signals_is_stop(SIGTTIN) &&
                signals_is_stop(SIGTTOU));
    assert_false(signals_is_stop(SIGSTOP) || signals_is_stop(SIGCONT) ||
                 signals_is_stop(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_name),
        cmocka_unit_test(test_may_end),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_passed),
        cmocka_unit_test(test_stop),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
