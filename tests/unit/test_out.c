/* test_out.c - writing to what we share with others: nothing blocks, nothing
 * is lost or out of order, their description stays as it was. */
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
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/out/out.h"
#include "redirector/out/outdir.h"

struct owner { int full, room, errors, code; };

static void on_full(void *arg)
{
    ((struct owner *)arg)->full++;
}

static void on_room(void *arg)
{
    ((struct owner *)arg)->room++;
}

static void on_error(void *arg, struct out *o, const struct err *err)
{
    struct owner *w = arg;

    (void)o;
    w->errors++;
    w->code = err->code;
}

static const struct out_ops ops = { on_full, on_room, on_error };

/* Let the loop run until nothing is to be done at the moment. */
static void turn(struct event_base *base)
{
    for (int i = 0; i < 50; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

static void take_all(int fd, struct str *got)
{
    static char buf[100000];
    ssize_t n;

    while ((n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0 ||
           (n < 0 && errno == ENOTSOCK && (n = read(fd, buf, sizeof(buf))) > 0))
        str_add_bytes(got, buf, (size_t)n);
}

/* Write numbered lines, 8 MB in all, to a reader that takes its time. */
static void slow_reader(int to, int from)
{
    struct event_base *base = event_base_new();
    struct owner w = { 0 };
    struct err err;
    struct str sent = { 0 }, got = { 0 };
    int flags = fcntl(to, F_GETFL);
    struct out *o = out_open(base, to, "it", &ops, &w, &err);
    char block[40000];
    unsigned n = 0;

    fcntl(from, F_SETFL, O_NONBLOCK);
    assert_non_null(o);
    for (int i = 0; sent.n < 8000000; i++) {
        size_t len = 0, want = i % 3 ? 100 : sizeof(block) - 20;

        while (len < want)
            len += (size_t)sprintf(block + len, "%u\n", n++);
        out_write(o, block, len);
        str_add_bytes(&sent, block, len);
        turn(base);
        while (w.full > w.room) {       /* the owner pauses */
            assert_true(out_queued(o) > OUT_LOW);
            take_all(from, &got);
            turn(base);
        }
    }
    while (out_queued(o) > 0) {
        take_all(from, &got);
        turn(base);
    }
    take_all(from, &got);
    assert_true(w.full > 0);
    assert_int_equal(w.full, w.room);
    assert_int_equal(w.errors, 0);
    assert_int_equal(fcntl(to, F_GETFL), flags);
    assert_int_equal(got.n, sent.n);
    assert_memory_equal(got.s, sent.s, got.n);
    out_close(o);
    str_fini(&sent);
    str_fini(&got);
    event_base_free(base);
}

static void test_pipe(void **state)
{
    int p[2];

    (void)state;
    assert_int_equal(pipe(p), 0);
    slow_reader(p[1], p[0]);
    close(p[0]);
    close(p[1]);
}

static void test_socket(void **state)
{
    int p[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, p), 0);
    slow_reader(p[1], p[0]);
    close(p[0]);
    close(p[1]);
}

static void test_terminal(void **state)
{
    struct termios raw = { 0 };
    int master, slave;

    (void)state;
    cfmakeraw(&raw);
    if (openpty(&master, &slave, NULL, &raw, NULL) < 0) {
        skip();
        return;
    }
    slow_reader(slave, master);
    close(master);
    close(slave);
}

static void test_file(void **state)
{
    char path[] = "/tmp/out-XXXXXX", buf[64] = "";
    struct event_base *base = event_base_new();
    struct owner w = { 0 };
    struct err err;
    int fd = mkstemp(path);
    struct out *o = out_open(base, fd, "it", &ops, &w, &err);

    (void)state;
    assert_int_equal(write(fd, "before ", 7), 7);
    out_write(o, "one ", 4);
    out_write(o, "two", 3);
    turn(base);
    assert_int_equal(pread(fd, buf, sizeof(buf), 0), 14);
    assert_string_equal(buf, "before one two");
    out_write(o, "!", 1);
    out_close(o);               /* writes what is left */
    assert_int_equal(pread(fd, buf, sizeof(buf), 0), 15);
    close(fd);
    unlink(path);
    event_base_free(base);
}

static void test_errors(void **state)
{
    static const char big[100000] = { 0 };
    struct event_base *base = event_base_new();
    struct owner w = { 0 }, v = { 0 }, u = { 0 };
    struct err err;
    int p[2], full = open("/dev/full", O_WRONLY);
    int closed = open("/dev/null", O_RDONLY);

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(p), 0);
    struct out *o = out_open(base, p[1], "it", &ops, &w, &err);
    struct out *f = out_open(base, full, "it", &ops, &v, &err);
    struct out *c = out_open(base, closed, "it", &ops, &u, &err);

    close(p[0]);
    for (int i = 0; i < 3; i++) {
        out_write(o, big, sizeof(big));
        out_write(o, "x", 1);
        out_write(f, "x", 1);
        out_write(c, "x", 1);
        turn(base);
    }
    assert_int_equal(w.errors, 1);
    assert_int_equal(w.code, EPIPE);
    assert_int_equal(v.errors, 1);
    assert_int_equal(v.code, ENOSPC);
    assert_int_equal(u.errors, 1);
    assert_int_equal(u.code, EBADF);
    assert_int_equal(out_queued(o), 0);
    assert_int_equal(w.full, w.room);
    out_close(o);
    out_close(f);
    out_close(c);
    close(p[1]);
    close(full);
    close(closed);
    event_base_free(base);
}

/* ------------------------------------------------------------- directory */

static void expect_file(const char *dir, const char *name, const char *text)
{
    char path[200], buf[20000] = "";
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(buf, 1, sizeof(buf) - 1, f) < sizeof(buf) - 1);
    assert_string_equal(buf, text);
    fclose(f);
}

static void test_directory(void **state)
{
    enum { RANKS = 300 };       /* more than are held open at a time */
    char top[] = "/tmp/outdir-XXXXXX", dir[100], name[160], text[40];
    struct err err;

    (void)state;
    assert_non_null(mkdtemp(top));
    snprintf(dir, sizeof(dir), "%s/d", top);
    for (int run = 0; run < 2; run++) { /* the second overwrites */
        struct outdir *d = outdir_open(dir, RANKS + 1, false, &err);

        assert_non_null(d);
        for (int i = 0; i < 3; i++)
            for (uint32_t r = 0; r < RANKS; r++) {
                snprintf(text, sizeof(text), "%u.%d ", (unsigned)r, i);
                assert_int_equal(outdir_write(d, r, r % 2, text, strlen(text),
                                              &err), 0);
            }
        assert_int_equal(outdir_finish(d, &err), 0);
        outdir_close(d);
    }
    expect_file(dir, "rank.0/stdout", "0.0 0.1 0.2 ");
    expect_file(dir, "rank.0/stderr", "");
    expect_file(dir, "rank.299/stderr", "299.0 299.1 299.2 ");
    expect_file(dir, "rank.300/stdout", "");
    for (int r = 0; r <= RANKS; r++) {
        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof(name), "%s/rank.%d/%s", dir, r,
                     i ? "stderr" : "stdout");
            assert_int_equal(unlink(name), 0);
        }
        snprintf(name, sizeof(name), "%s/rank.%d", dir, r);
        assert_int_equal(rmdir(name), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    assert_null(outdir_open("/proc/nonexistent/d", 1, false, &err));
    assert_int_equal(err.code, ENOENT);
    assert_int_equal(rmdir(top), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_socket),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_directory),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
