/* test_halt.c - stopping one thread: how much of its stack is copied, and that
 * signals of other children are not lost while stops are waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "slave/halt.h"

enum { ROUNDS = 50 };

static struct halt_copy copy;
static volatile sig_atomic_t told;

static void on_child(int sig)
{
    (void)sig;
    told++;
}

/* It counts when this returns. */
static pid_t start(void)
{
    int fds[2];
    pid_t pid;
    char c;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        volatile unsigned n = 0;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(fds[0]);
        close(fds[1]);
        for (;;)
            n++;
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &c, 1), 0);
    close(fds[0]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static struct halt take(pid_t pid, uint64_t stack_end)
{
    struct halt h;

    assert_int_equal(halt_begin(&h, pid, pid, NULL), 0);
    h.stack_end = stack_end;
    while (halt_wait(&h, &copy, CLOCK_NS_PER_S) == HALT_WAIT)
        ;
    assert_int_equal(h.state, HALT_COPIED);
    return h;
}

static void test_bytes(void **state)
{
    pid_t pid = start();
    struct halt h;
    sigset_t before;
    uint64_t sp;

    (void)state;
    halt_hush(&before);
    h = take(pid, 0);           /* the end is not known */
    assert_true(copy.bytes > 1000 && halt_is_cut(&h, &copy));
    sp = copy.sp;
    h = take(pid, sp + 1000);
    assert_int_equal(copy.sp + copy.bytes, sp + 1000);
    assert_false(halt_is_cut(&h, &copy));
    h = take(pid, sp + HALT_STACK + 8);         /* further than is copied */
    assert_true(halt_is_cut(&h, &copy));
    h = take(pid, sp - 1000);   /* this is another stack */
    assert_true(copy.bytes > 1000 && halt_is_cut(&h, &copy));
    halt_unhush(&before);
    end(pid);
}

/* One signal stands for all that came while it was not taken. */
static void test_signals(void **state)
{
    pid_t pid = start();
    unsigned before_ends = 0;
    sigset_t before;

    (void)state;
    signal(SIGCHLD, on_child);
    told = 0;
    for (int i = 0; i < ROUNDS; i++) {
        halt_hush(&before);
        take(pid, 0);
        halt_unhush(&before);
    }
    before_ends = (unsigned)told;
    assert_true(before_ends < ROUNDS / 2);      /* who would look for nothing? */
    for (int i = 0; i < ROUNDS; i++) {
        siginfo_t info;
        pid_t one;

        halt_hush(&before);
        told = 0;
        one = fork();
        if (one == 0)
            _exit(0);
        if (i % 2)              /* its end is the first signal, or the last */
            assert_int_equal(waitid(P_PID, (id_t)one, &info,
                                    WEXITED | WNOWAIT), 0);
        take(pid, 0);
        assert_int_equal(waitid(P_PID, (id_t)one, &info, WEXITED | WNOWAIT),
                         0);
        halt_unhush(&before);
        assert_true(told > 0);
        waitpid(one, NULL, 0);
    }
    signal(SIGCHLD, SIG_DFL);
    end(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_signals),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
