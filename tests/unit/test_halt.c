/* test_halt.c - stopping one thread: how much of its stack is copied, and that
 * signals of other children are not lost while stops are waited for; and who was
 * stopped by a signal is not taken to go on where it is let go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "slave/proc/procstate.h"
#include "slave/stacks/halt.h"
#include "tests/unit/may_trace.h"
#include "tests/unit/process.h"

enum { ROUNDS = 50 };

static struct halt_copy copy;
static struct halt_quiet quiet;
static volatile sig_atomic_t told;

static void on_child(int sig)
{
    (void)sig;
    told++;
}

static void count(void)
{
    volatile unsigned n = 0;

    for (;;)
        n++;
}

/* It waits for a child that it shares its memory with. */
static void be_deaf(void)
{
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
}

/* It counts, or is about to wait, when this returns. */
static pid_t start(void (*what)(void))
{
    int fds[2];
    pid_t pid;
    char c;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(fds[0]);
        close(fds[1]);
        what();
        _exit(0);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &c, 1), 0);
    close(fds[0]);
    return pid;
}

static struct halt take(pid_t pid, uint64_t stack_end)
{
    struct halt h;

    assert_int_equal(halt_begin(&h, pid, pid, NULL), 0);
    h.stack_end = stack_end;
    while (halt_wait(&quiet, &h, &copy, CLOCK_NS_PER_S) == HALT_WAIT)
        ;
    assert_int_equal(h.state, HALT_COPIED);
    return h;
}

static void test_bytes(void **state)
{
    pid_t pid = start(count);
    struct halt h;
    uint64_t sp;

    (void)state;
    halt_hush(&quiet);
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
    halt_unhush(&quiet);
    end(pid);
}

/* It stays to be reaped. The clock of a wait interrupts this one, too. */
static void wait_end(pid_t pid)
{
    siginfo_t info;
    int rc;

    do
        rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    while (rc && errno == EINTR);
    assert_int_equal(rc, 0);
}

/* One signal stands for all that came while it was not taken. */
static void test_signals(void **state)
{
    pid_t pid = start(count);
    unsigned before_ends = 0;

    (void)state;
    signal(SIGCHLD, on_child);
    told = 0;
    for (int i = 0; i < ROUNDS; i++) {
        halt_hush(&quiet);
        take(pid, 0);
        halt_unhush(&quiet);
    }
    before_ends = (unsigned)told;
    assert_true(before_ends < ROUNDS / 2);      /* who would look for nothing? */
    for (int i = 0; i < ROUNDS; i++) {
        pid_t one;

        halt_hush(&quiet);
        told = 0;
        one = fork();
        if (one == 0)
            _exit(0);
        if (i % 2)              /* its end is the first signal, or the last */
            wait_end(one);
        take(pid, 0);
        wait_end(one);
        halt_unhush(&quiet);
        assert_true(told > 0);
        waitpid(one, NULL, 0);
    }
    signal(SIGCHLD, SIG_DFL);
    end(pid);
}

static void test_patience(void **state)
{
    pid_t pid = start(be_deaf);
    struct itimerval clock;
    struct halt h;

    sigset_t set;

    (void)state;
    sigemptyset(&set);          /* as whoever started us may have left it */
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    while (state_of(pid) != 'D')
        ;
    for (int i = 0; i < 3; i++) {
        halt_hush(&quiet);
        if (i == 0)
            assert_int_equal(halt_begin(&h, pid, pid, NULL), 0);
        assert_int_equal(halt_wait(&quiet, &h, &copy,
                                   (uint64_t)i * CLOCK_NS_PER_MS), HALT_WAIT);
        halt_unhush(&quiet);
        assert_int_equal(getitimer(ITIMER_REAL, &clock), 0);
        assert_true(clock.it_value.tv_sec == 0 && clock.it_value.tv_usec == 0);
    }
    quiet.clock = false;        /* without one nobody sleeps */
    assert_int_equal(halt_wait(&quiet, &h, &copy, CLOCK_NS_PER_S), HALT_WAIT);
    halt_leave(&h);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    end(pid);
    assert_int_equal(halt_poll(&h, &copy), HALT_GONE);
}

/* Whom a tracer lets go wakes before it stops again. */
static void test_stopped(void **state)
{
    pid_t pid = start(count);
    uint64_t cpu_ns = 0;
    int stands;

    (void)state;
    while ((stands = procstate_stands(pid, &cpu_ns)) < 0)
        ;                       /* it has just begun */
    assert_int_equal(stands, 0);
    kill(pid, SIGSTOP);
    while (procstate_stands(pid, &cpu_ns) != 1)
        ;
    for (int i = 0; i < 10 * ROUNDS; i++) {
        halt_hush(&quiet);
        assert_int_not_equal(procstate_stands(pid, &cpu_ns), 0);
        take(pid, 0);
        assert_int_not_equal(procstate_stands(pid, &cpu_ns), 0);
        halt_unhush(&quiet);
        while (procstate_stands(pid, &cpu_ns) != 1)
            ;
    }
    kill(pid, SIGCONT);
    while (procstate_stands(pid, &cpu_ns) != 0)
        ;
    end(pid);
    assert_int_equal(procstate_stands(pid, &cpu_ns), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_stopped),
    };

    if (!may_trace())
        return 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
