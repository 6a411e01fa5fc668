/* test_dial.c - addresses that do not answer at once are called again, beside;
 * the first socket that is connected counts. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "proto/link/dial.h"

static struct event_base *base;
static int got = -1, calls, queued[64], nqueued;
static struct err why;

static void done(void *arg, int fd, const struct err *err)
{
    (void)arg;
    got = fd;
    calls++;
    if (fd < 0)
        why = *err;
}

static void nothing(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what, (void)arg;
}

static void turn(void)
{
    struct timeval tv = clock_timeval(5 * CLOCK_NS_PER_MS);

    event_base_once(base, -1, EV_TIMEOUT, nothing, NULL, &tv);
    event_base_loop(base, EVLOOP_ONCE);
}

static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* A listener that does not answer, as its queue is full. */
static int deaf_listener(char *addr, size_t size)
{
    struct sockaddr_in sin = { .sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(sin);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&sin, len), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
    snprintf(addr, size, "tcp:127.0.0.1:%d", ntohs(sin.sin_port));
    for (nqueued = 0; nqueued < 4; nqueued++) {
        int one = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

        (void)!connect(one, (struct sockaddr *)&sin, len);
        queued[nqueued] = one;
    }
    return fd;
}

static struct dial *begin(const char *addr, uint64_t timeout_ns,
                          uint64_t again_ns)
{
    struct err err = { 0 };
    struct dial *d = dial_create(base, addr, timeout_ns, again_ns, done, NULL,
                                 &err);

    assert_non_null(d);
    got = -1;
    calls = 0;
    dial_next(d, NULL);
    return d;
}

static void test_again(void **state)
{
    char addr[64];
    int l = deaf_listener(addr, sizeof(addr)), before = open_files(), fd;
    struct dial *d = begin(addr, 60 * CLOCK_NS_PER_S, 50 * CLOCK_NS_PER_MS);

    (void)state;
    while (open_files() < before + 4)   /* it calls again and again */
        turn();
    assert_int_equal(calls, 0);
    for (int i = 0; i < nqueued; i++)
        close(queued[i]);
    while (calls == 0) {
        while ((fd = accept(l, NULL, NULL)) >= 0)
            close(fd);
        turn();
    }
    assert_true(got >= 0);
    close(got);
    assert_int_equal(open_files(), before - nqueued);   /* no other is left */
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(calls, 1);
    dial_destroy(d);
    close(l);
}

/* Not for longer than it may take, and not without end; 0: once. */
static void test_given_up(void **state)
{
    static const uint64_t again_ns[] = { 0, CLOCK_NS_PER_MS };
    char addr[64];
    int l = deaf_listener(addr, sizeof(addr));

    (void)state;
    for (int i = 0; i < 2; i++) {
        int before = open_files(), most = 0;
        struct dial *d = begin(addr, 300 * CLOCK_NS_PER_MS, again_ns[i]);

        while (calls == 0) {
            int n = open_files() - before;

            most = n > most ? n : most;
            turn();
        }
        assert_int_equal(got, -1);
        assert_int_equal(why.code, ETIMEDOUT);
        assert_int_equal(most, i ? 8 : 1);
        assert_int_equal(open_files(), before);
        dial_destroy(d);
    }
    for (int i = 0; i < nqueued; i++)
        close(queued[i]);
    close(l);
}

/* Nobody there: at once, whoever else is still being called. */
static void test_refused(void **state)
{
    char addr[64];
    int l = deaf_listener(addr, sizeof(addr));
    struct dial *d;

    (void)state;
    for (int i = 0; i < nqueued; i++)
        close(queued[i]);
    close(l);
    d = begin(addr, 60 * CLOCK_NS_PER_S, 50 * CLOCK_NS_PER_MS);
    while (calls == 0)
        turn();
    assert_int_equal(got, -1);
    assert_int_equal(why.code, ECONNREFUSED);
    dial_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_refused),
    };
    int rc;

    base = event_base_new();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    event_base_free(base);
    return rc;
}
