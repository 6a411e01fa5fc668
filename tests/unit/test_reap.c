/* test_reap.c - how somebody else's child has ended: while it has not been waited
 * for, as old kernels tell, and afterwards, as new ones do. */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "slave/proc/reap.h"

static void *other_thread(void *arg)
{
    pthread_join(*(pthread_t *)arg, NULL);
    _exit(9);
}

/* Its first thread is gone before it ends by another one. */
static void end_by_thread(void)
{
    static pthread_t first;
    pthread_t other;

    first = pthread_self();
    pthread_create(&other, NULL, other_thread, &first);
    pthread_exit(NULL);
}

static void end(int code, int sig)
{
    if (code < 0)
        end_by_thread();
    signal(sig, SIG_DFL);       /* cmocka has it otherwise */
    if (sig)
        raise(sig);
    _exit(code);
}

static bool kernel_remembers(void)
{
    struct utsname u;
    int major = 0, minor = 0;

    assert_int_equal(uname(&u), 0);
    assert_int_equal(sscanf(u.release, "%d.%d", &major, &minor), 2);
    return major > 6 || (major == 6 && minor >= 15);
}

static void check(int code, int sig, int wanted)
{
    pid_t pid = fork();
    struct pollfd p = { .events = POLLIN };
    int status;

    if (pid == 0)
        end(code, sig);
    assert_true(pid > 0);
    p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(p.fd >= 0);
    assert_int_equal(poll(&p, 1, -1), 1);
    assert_int_equal(reap_other(p.fd, pid) & ~0x80, wanted);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status & ~0x80, wanted);
    status = reap_other(p.fd, pid);
    assert_int_equal(status < 0 ? status : status & ~0x80,
                     kernel_remembers() ? wanted : -1);
    close(p.fd);
}

static void others_end(void **state)
{
    (void)state;
    check(0, 0, 0);
    check(7, 0, 7 << 8);
    check(0, SIGKILL, SIGKILL);
    check(0, SIGSEGV, SIGSEGV);
    check(-1, 0, 9 << 8);
}

/* A number of a process that is not the one of the descriptor any more. */
static void number_taken(void **state)
{
    pid_t pid = fork();
    int status, fd;

    (void)state;
    if (pid == 0)
        end(3, 0);
    fd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(reap_other(fd, getpid()),
                     kernel_remembers() ? 3 << 8 : -1);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_end), cmocka_unit_test(number_taken),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
