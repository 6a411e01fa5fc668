/* test_reader.c - standard input: never more than the credit, whatever the
 * descriptor is, and no terminal that is not ours. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/in/reader.h"

struct owner {
    size_t credit;
    struct str got;
    int ended, errors, code;
};

static size_t on_credit(void *arg)
{
    return ((struct owner *)arg)->credit;
}

static void on_take(void *arg, const void *p, size_t n)
{
    struct owner *w = arg;

    assert_true(n <= w->credit);
    w->credit -= n;
    str_add_bytes(&w->got, p, n);
}

static void on_end(void *arg)
{
    ((struct owner *)arg)->ended++;
}

static void on_error(void *arg, const struct err *err)
{
    struct owner *w = arg;

    w->errors++;
    w->code = err->code;
}

static const struct reader_ops ops = { on_credit, on_take, on_end, on_error };

static void turn(struct event_base *base)
{
    for (int i = 0; i < 50; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

static void test_pipe(void **state)
{
    struct event_base *base = event_base_new();
    struct owner w = { 0 };
    struct err err;
    int p[2], left;

    (void)state;
    assert_int_equal(pipe(p), 0);
    assert_int_equal(write(p[1], "0123456789", 10), 10);
    struct reader *r = reader_open(base, p[0], &ops, &w, &err);

    assert_non_null(r);
    reader_wake(r);
    turn(base);
    assert_int_equal(w.got.n, 0);       /* no credit, no byte */
    w.credit = 4;
    reader_wake(r);
    turn(base);
    assert_string_equal(str_text(&w.got), "0123");
    assert_int_equal(ioctl(p[0], FIONREAD, &left), 0);
    assert_int_equal(left, 6);          /* the rest stays for others */
    w.credit = 100;
    reader_wake(r);
    turn(base);
    assert_string_equal(str_text(&w.got), "0123456789");
    assert_int_equal(w.ended, 0);
    close(p[1]);
    turn(base);
    assert_int_equal(w.ended, 1);
    w.credit = 100;
    reader_wake(r);
    turn(base);
    assert_int_equal(w.ended, 1);
    assert_int_equal(fcntl(p[0], F_GETFL) & O_NONBLOCK, 0);
    reader_close(r);
    close(p[0]);
    str_fini(&w.got);
    event_base_free(base);
}

/* What epoll refuses is read all the same, in steps of the credit. */
static void test_file(void **state)
{
    char path[] = "/tmp/reader-XXXXXX";
    struct event_base *base = event_base_new();
    struct owner w = { 0 };
    struct err err;
    int fd = mkstemp(path);
    char *text = malloc(500000);

    (void)state;
    for (int i = 0; i < 500000; i++)
        text[i] = (char)(i * 7 + i / 251);
    assert_int_equal(write(fd, text, 500000), 500000);
    lseek(fd, 0, SEEK_SET);
    struct reader *r = reader_open(base, fd, &ops, &w, &err);

    for (int i = 0; i < 1000 && !w.ended; i++) {
        w.credit += 10000;
        reader_wake(r);
        turn(base);
        assert_int_equal(lseek(fd, 0, SEEK_CUR), w.got.n);
    }
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.got.n, 500000);
    assert_memory_equal(w.got.s, text, 500000);
    reader_close(r);
    close(fd);
    unlink(path);
    free(text);
    str_fini(&w.got);
    event_base_free(base);
}

static void test_odd_ones(void **state)
{
    static const struct { const char *path; int flags, ended, code; }
    table[] = {
        { "/dev/null", O_RDONLY, 1, 0 },
        { "/", O_RDONLY, 0, EISDIR },
        { "/dev/null", O_WRONLY, 0, EBADF },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct event_base *base = event_base_new();
        struct owner w = { .credit = 100 };
        struct err err;
        int fd = open(table[i].path, table[i].flags);
        struct reader *r = reader_open(base, fd, &ops, &w, &err);

        assert_non_null(r);
        reader_wake(r);
        turn(base);
        assert_int_equal(w.ended, table[i].ended);
        assert_int_equal(w.errors, table[i].code != 0);
        assert_int_equal(w.code, table[i].code);
        reader_close(r);
        close(fd);
        event_base_free(base);
    }
}

/* Somebody else has made the description non-blocking. */
static void test_nonblocking(void **state)
{
    struct event_base *base = event_base_new();
    struct owner w = { .credit = 100 };
    struct err err;
    int p[2];

    (void)state;
    assert_int_equal(pipe2(p, O_NONBLOCK), 0);
    struct reader *r = reader_open(base, p[0], &ops, &w, &err);

    reader_wake(r);
    turn(base);
    assert_int_equal(w.errors + w.ended, 0);
    assert_int_equal(write(p[1], "x", 1), 1);
    turn(base);
    assert_string_equal(str_text(&w.got), "x");
    reader_close(r);
    close(p[0]);
    close(p[1]);
    str_fini(&w.got);
    event_base_free(base);
}

static void test_drop(void **state)
{
    struct event_base *base = event_base_new();
    struct owner w = { .credit = 100 };
    struct err err;
    int p[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(p), 0);
    struct reader *r = reader_open(base, p[0], &ops, &w, &err);

    reader_wake(r);
    reader_drop(r);
    turn(base);
    assert_int_equal(write(p[1], "x", 1), -1);  /* the writer gets to know */
    assert_int_equal(errno, EPIPE);
    assert_int_equal(w.got.n + (size_t)w.ended, 0);
    reader_close(r);
    close(p[0]);
    close(p[1]);
    event_base_free(base);
}

/* In a session of its own on a terminal: in the background nothing is read
 * and nobody is stopped; in the foreground it is. Returns what went wrong. */
static int on_terminal(int slave)
{
    struct event_base *base = event_base_new();
    struct owner w = { .credit = 100 };
    struct err err;
    pid_t other = fork();

    if (other == 0) {           /* the foreground, at first */
        setpgid(0, 0);
        pause();
        _exit(0);
    }
    setpgid(other, other);
    signal(SIGTTOU, SIG_IGN);   /* as a shell has it, to hand over */
    if (tcsetpgrp(slave, other) < 0)
        return 1;
    struct reader *r = reader_open(base, slave, &ops, &w, &err);

    if (!r)
        return 2;
    reader_wake(r);
    for (int i = 0; i < 15; i++) {
        turn(base);
        usleep(10000);
    }
    if (w.got.n != 0 || w.errors || w.ended)
        return 3;
    if (tcsetpgrp(slave, getpgrp()) < 0)
        return 4;
    for (int i = 0; i < 6000 && w.got.n == 0; i++) {
        turn(base);
        usleep(10000);
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    if (strcmp(str_text(&w.got), "typed\n") != 0)
        return 5;
    reader_close(r);
    str_fini(&w.got);
    event_base_free(base);
    return 0;
}

static void test_background(void **state)
{
    int master, status;
    pid_t pid = forkpty(&master, NULL, NULL, NULL);

    (void)state;
    if (pid < 0) {
        skip();
        return;
    }
    if (pid == 0)
        _exit(on_terminal(STDIN_FILENO));
    assert_int_equal(write(master, "typed\n", 6), 6);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(master);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_odd_ones),
        cmocka_unit_test(test_nonblocking),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_background),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
