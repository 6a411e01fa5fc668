/* test_alive.c - who is provably dead, and who may be alive. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/store/alive.h"

static void test_alive(void **state)
{
    char self[256], other[300], host[256] = "";
    uint32_t us = (uint32_t)getpid();
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
    alive_self(self, sizeof(self));
    assert_true(strlen(self) > 36);
    assert_false(alive_is_dead(host, us, self));
    assert_true(alive_is_dead(host, us, NULL)); /* no hector-master's pid */

    /* Its parent has not taken note yet; then it is gone. */
    siginfo_t info;

    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    assert_true(alive_is_dead(host, (uint32_t)pid, NULL));
    waitpid(pid, NULL, 0);
    assert_true(alive_is_dead(host, (uint32_t)pid, self));
    assert_true(alive_is_dead(host, (uint32_t)pid, NULL));

    /* The same pid, started at another time; another boot. */
    snprintf(other, sizeof(other), "%s1", self);
    assert_true(alive_is_dead(host, us, other));
    snprintf(other, sizeof(other), "%s", self);
    other[0] = other[0] == 'a' ? 'b' : 'a';
    assert_true(alive_is_dead(host, us, other));

    /* Nothing can be known: other hosts, other containers, no host. */
    assert_false(alive_is_dead("elsewhere", (uint32_t)pid, NULL));
    assert_false(alive_is_dead(NULL, (uint32_t)pid, NULL));
    assert_false(alive_is_dead(host, 0, NULL));
    snprintf(other, sizeof(other), "%.36s pid:[1] 77", self);
    assert_false(alive_is_dead(host, (uint32_t)pid, other));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_alive) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
