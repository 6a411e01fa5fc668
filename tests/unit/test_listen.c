/* test_listen.c - sockets of a master: bound, inherited, named, removed. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/peers/listen.h"
#include "proto/base/paths.h"
#include "proto/link/addr.h"

static char dir[PATHS_MAX];
static struct err err;

static int setup(void **state)
{
    (void)state;
    return paths_make_private_dir(dir, sizeof(dir), &err);
}

static int teardown(void **state)
{
    (void)state;
    return paths_remove_tree(dir, NULL);
}

static void close_all(struct listen_set *set)
{
    while (set->n)
        close(set->fds[--set->n]);
}

static void test_bind(void **state)
{
    struct listen_set set = { .n = 0 };
    char list[PATHS_MAX + 64], want[PATHS_MAX + 64];

    (void)state;
    snprintf(list, sizeof(list), "unix:%s/m.sock,tcp:127.0.0.1:0", dir);
    if (listen_bind(&set, list, &err))
        fail_msg("%s", err.text);
    assert_int_equal(set.n, 2);
    assert_true(set.tcp);
    snprintf(want, sizeof(want), "unix:%s/m.sock,tcp:127.0.0.1:", dir);
    assert_memory_equal(set.addresses, want, strlen(want));
    assert_true(atoi(set.addresses + strlen(want)) > 0);
    close_all(&set);
    assert_int_equal(listen_bind(&set, "tcp:127.0.0.1", &err), -1);
}

/* Who was forked by a master that was killed has its sockets for a moment. */
static void test_wait(void **state)
{
    struct listen_set set = { .n = 0 }, other = { .n = 0 };
    char list[PATHS_MAX + 64];
    pid_t heir;

    (void)state;
    snprintf(list, sizeof(list), "unix:%s/m.sock", dir);
    assert_int_equal(listen_bind(&set, list, &err), 0);
    assert_int_equal(listen_bind(&other, list, &err), -1);
    assert_non_null(strstr(err.text, "somebody listens on "));
    heir = fork();
    if (heir == 0) {
        usleep(300 * 1000);             /* that is what is waited for */
        _exit(0);
    }
    close_all(&set);
    if (listen_bind(&other, list, &err))
        fail_msg("%s", err.text);
    close_all(&other);
    assert_int_equal(waitpid(heir, NULL, 0), heir);
}

static void pretend(long pid, const char *fds)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", pid);
    setenv("LISTEN_PID", text, 1);
    setenv("LISTEN_FDS", fds, 1);
}

static void test_inherit(void **state)
{
    struct listen_set set = { .n = 0 };
    struct addr a = { .is_unix = true };
    char want[PATHS_MAX + 32];
    int fd, saved = fcntl(3, F_DUPFD, 10);

    (void)state;
    snprintf(a.host, sizeof(a.host), "%.100s/i.sock", dir);
    fd = addr_listen(&a, &err);
    assert_true(fd >= 0);
    if (fd != 3)
        assert_int_equal(dup2(fd, 3), 3);
    pretend((long)getpid() + 1, "1");
    assert_int_equal(listen_inherit(&set, &err), 0);
    assert_int_equal(set.n, 0);         /* meant for somebody else */
    pretend(getpid(), "1");
    assert_int_equal(listen_inherit(&set, &err), 0);
    assert_int_equal(set.n, 1);
    assert_int_equal(set.fds[0], 3);
    assert_false(set.tcp);
    snprintf(want, sizeof(want), "unix:%s/i.sock", dir);
    assert_string_equal(set.addresses, want);
    assert_null(getenv("LISTEN_FDS"));
    assert_true(fcntl(3, F_GETFD) & FD_CLOEXEC);
    close_all(&set);
    if (fd != 3)
        close(fd);
    pretend(getpid(), "x");
    assert_int_equal(listen_inherit(&set, &err), -1);
    pretend(getpid(), "99");
    assert_int_equal(listen_inherit(&set, &err), -1);
    if (saved >= 0) {
        dup2(saved, 3);
        close(saved);
    }
}

static void test_remove_run(void **state)
{
    struct listen_set set = { .n = 0 };
    struct stat sb;
    char other[PATHS_MAX + 16];

    (void)state;
    snprintf(other, sizeof(other), "%s/other", dir);
    assert_int_equal(mkdir(other, 0700), 0);
    snprintf(set.addresses, sizeof(set.addresses), "unix:%s/m.sock", other);
    listen_remove_run(&set);            /* not a run's directory */
    assert_int_equal(stat(other, &sb), 0);
    snprintf(set.addresses, sizeof(set.addresses),
             "unix:%s/m.sock,tcp:127.0.0.1:1", dir);
    listen_remove_run(&set);
    assert_int_equal(stat(dir, &sb), -1);
    strcpy(set.addresses, "tcp:127.0.0.1:1");
    listen_remove_run(&set);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_bind),
        T(test_wait),
        T(test_inherit),
        T(test_remove_run),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
