/* test_admission.c - who gets through, with a listener like the library's:
 * a thread that waits in select() for a socket, and accepts. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "proto/base/clock.h"
#include "slave/pmix/admission.h"
#include "tests/unit/skip_time.h"

enum { LONG = 20,               /* seconds: nothing here takes so long */
       MANY = 300 };            /* more than may wait for long */

static struct event_base *base;
static bool open_to_all;

/* The library. */
static struct {
    pthread_t thread;
    atomic_int tid;             /* once it runs */
    int fd, guest, error;
    uint64_t took_ns;
    atomic_bool done;
    struct sockaddr_in at;
} own;

static void *own_main(void *arg)
{
    uint64_t start_ns = clock_monotonic_ns();
    struct timeval tv = { .tv_sec = LONG };
    socklen_t n = sizeof(own.at);
    fd_set set;

    FD_ZERO(&set);
    FD_SET(own.fd, &set);
    atomic_store(&own.tid, gettid());
    select(own.fd + 1, &set, NULL, NULL, &tv);
    own.took_ns = clock_monotonic_ns() - start_ns;
    own.guest = accept(own.fd, (struct sockaddr *)&own.at, &n);
    own.error = errno;
    atomic_store(&own.done, true);
    return arg;
}

static void own_listen(struct sockaddr_in *sa)
{
    socklen_t n = sizeof(*sa);

    *sa = (struct sockaddr_in){ .sin_family = AF_INET };
    sa->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    own.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(own.fd, (struct sockaddr *)sa, n), 0);
    assert_int_equal(getsockname(own.fd, (struct sockaddr *)sa, &n), 0);
    assert_int_equal(listen(own.fd, 64), 0);
}

static bool sleeps(int tid)
{
    char path[64], state = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
    f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (f)
        fclose(f);
    return state == 'S';
}

/* Its thread, which waits already when this returns. */
static void own_start(void)
{
    atomic_store(&own.tid, 0);
    atomic_store(&own.done, false);
    assert_int_equal(pthread_create(&own.thread, NULL, own_main, NULL), 0);
    while (!atomic_load(&own.tid) || !sleeps(atomic_load(&own.tid)))
        sched_yield();
}

static int come(const struct sockaddr_in *sa, const char *word)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, (const struct sockaddr *)sa, sizeof(*sa)), 0);
    assert_int_equal(write(fd, word, 1), 1);
    return fd;
}

static bool may(void *arg, uid_t uid)
{
    (void)arg;
    return open_to_all && uid == geteuid();
}

/* It hears at once, although it waited for its own socket before. */
static void test_through(void **state)
{
    struct sockaddr_in sa;
    struct err err;
    struct admission *d;
    int client;
    char c = 0;

    (void)state;
    open_to_all = true;
    admission_expect();
    own_listen(&sa);
    own_start();
    d = admission_open(base, may, NULL, &err);
    assert_non_null(d);
    client = come(&sa, "x");
    while (!atomic_load(&own.done))
        event_base_loop(base, EVLOOP_NONBLOCK);
    pthread_join(own.thread, NULL);
    assert_true(own.took_ns < LONG / 2 * CLOCK_NS_PER_S);
    assert_true(own.guest >= 0);
    assert_int_equal(read(own.guest, &c, 1), 1);
    assert_int_equal(c, 'x');
    assert_int_equal(ntohl(own.at.sin_addr.s_addr), INADDR_LOOPBACK);
    assert_int_equal(accept(own.fd, NULL, NULL), -1);
    assert_int_equal(errno, EAGAIN);
    close(own.guest);
    close(client);
    admission_close(d);
    close(own.fd);
}

/* Of two that come the library hears of none: one says nothing, and the other
 * may not. */
static void test_refused(void **state)
{
    struct sockaddr_in sa;
    struct err err;
    struct admission *d;
    int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), other;
    char c;

    (void)state;
    open_to_all = false;
    admission_expect();
    own_listen(&sa);
    d = admission_open(base, may, NULL, &err);
    assert_non_null(d);
    assert_int_equal(connect(silent, (struct sockaddr *)&sa, sizeof(sa)), 0);
    other = come(&sa, "x");
    while (recv(other, &c, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN)
        event_base_loop(base, EVLOOP_NONBLOCK);
    assert_int_equal(accept(own.fd, NULL, NULL), -1);
    assert_int_equal(recv(silent, &c, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);    /* still has some seconds */
    admission_close(d);
    assert_int_equal(recv(silent, &c, 1, 0), 0);
    close(silent);
    close(other);
    close(own.fd);
}

/* Those who come, as many at a time, and say nothing before all are there, and for so
 * long; how many get through. */
static int come_together(const struct sockaddr_in *sa, uint64_t silent_ns)
{
    int fd[MANY], guests = 0;

    for (int i = 0; i < MANY; i++) {
        fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(fd[i], (const struct sockaddr *)sa, sizeof(*sa)), 0);
        event_base_loop(base, EVLOOP_NONBLOCK);
    }
    skip_time(base, silent_ns);
    for (int i = 0; i < MANY; i++)
        send(fd[i], "x", 1, MSG_NOSIGNAL);
    for (int i = 0; i < MANY; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    for (int guest; (guest = accept(own.fd, NULL, NULL)) >= 0; guests++)
        close(guest);
    for (int i = 0; i < MANY; i++)
        close(fd[i]);
    return guests;
}

/* Where that takes longer than a moment it says nothing, and is tried again. */
static void many_come(uint64_t silent_ns)
{
    struct sockaddr_in sa;
    struct err err;
    struct admission *d;
    bool in_time = false;
    int guests = 0;

    open_to_all = true;
    admission_expect();
    own_listen(&sa);
    fcntl(own.fd, F_SETFL, O_NONBLOCK);
    d = admission_open(base, may, NULL, &err);
    assert_non_null(d);
    for (int i = 0; i < 20 && guests < MANY && !in_time; i++) {
        uint64_t start_ns = clock_monotonic_ns();

        guests = come_together(&sa, silent_ns);
        in_time = clock_monotonic_ns() - start_ns < silent_ns + CLOCK_NS_PER_S / 5;
    }
    admission_close(d);
    close(own.fd);
    if (guests < MANY && !in_time)
        skip();
    assert_int_equal(guests, MANY);
}

/* Tasks of a job that begins, or of a node that was emptied. */
static void test_many(void **state)
{
    (void)state;
    many_come(0);
}

/* ... where the processors are busy with others between a task's call and its word. */
static void test_starved(void **state)
{
    (void)state;
    many_come(19 * CLOCK_NS_PER_S);
}

/* Where it does not listen on TCP there is nothing to be taken; another
 * socket is left alone. */
static void test_nothing(void **state)
{
    struct sockaddr_in sa;
    struct err err;
    int client, guest;

    (void)state;
    assert_null(admission_open(base, may, NULL, &err));
    admission_expect();
    assert_null(admission_open(base, may, NULL, &err));
    assert_int_equal(err.code, ENOENT);
    own_listen(&sa);
    client = come(&sa, "x");
    guest = accept(own.fd, NULL, NULL);
    assert_true(guest >= 0);
    close(guest);
    close(client);
    close(own.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_through),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_many),
        cmocka_unit_test(test_starved),
    };
    int rc;

    base = event_base_new();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    event_base_free(base);
    return rc;
}
