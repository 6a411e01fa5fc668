/* bench_link.c - what a link carries, from one process to another on this host:
 * over TCP, where each message is sealed, over a Unix socket, where none is, and
 * the physical limit, the same bytes by write() and read() on a plain TCP
 * socket; and how long it takes to open one, with the proof of the key.
 *
 *   link, messages of 65536 bytes: sealed 1032 MB/s, Unix 1356 MB/s (ratio
 *       0.76), plain TCP 4805 MB/s (0.21)
 *
 * Medians of several rounds, which alternate. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/link/conn.h"

enum { ROUNDS = 5, OPENED = 1000, MOST = 1 << 20 };

static struct event_base *base;
static struct key key = { { 1, 2, 3 } };
static const struct conn_conf conf = { .key = &key };
static size_t message, wanted;          /* bytes of one, of all */
static size_t got;
static unsigned opened, closed;
static uint64_t began_ns;
static struct conn *far;
static uint8_t data[MOST];

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof(*v), by_value);
    return v[ROUNDS / 2];
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_link: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* -------------------------------------------------------- who receives */

static int on_input(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const Hct__Input *m = msg;

    (void)arg, (void)c, (void)err;
    if (got == 0)
        began_ns = clock_monotonic_ns();
    got += m->data.len;
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_INPUT, CONN_ANY, on_input },
};

static void on_open(void *arg, struct conn *c)
{
    (void)arg;
    opened++;
    far = c;
    conn_set_role(c, HCT__ROLE__ROLE_SLAVE);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    (void)arg, (void)c, (void)why;
    closed++;
    far = NULL;
}

static const struct conn_ops receiver = { .routes = routes, .nroutes = 1,
                                          .on_open = on_open,
                                          .on_close = on_close };

/* ----------------------------------------------------------- who sends */

static void send_more(void *arg, struct conn *c)
{
    Hct__Input m = HCT__INPUT__INIT;

    (void)arg;
    m.data.data = data;
    m.data.len = message;
    while (got < wanted && !conn_congested(c)) {
        conn_send(c, MESSAGE_INPUT, &m);
        got += message;
    }
    if (got >= wanted)
        conn_close_flushed(c);
}

static void on_end(void *arg, struct conn *c, const struct err *why)
{
    (void)arg, (void)c, (void)why;
    _exit(1);
}

static const struct conn_ops sender = { .on_open = send_more,
                                        .on_drain = send_more,
                                        .on_close = on_end };

static _Noreturn void send_all(struct conn_listener *l, const char *at)
{
    struct err err;

    event_reinit(base);
    conn_listener_close(l);     /* or we might accept ourselves */
    if (!conn_open_to(base, at, &conf, &sender, NULL, &err))
        _exit(1);
    event_base_dispatch(base);
    _exit(0);
}

static struct conn_listener *listen_on(const char *where, char *at)
{
    struct conn_listener *l;
    struct addr a;
    struct err err;
    int fd;

    if (addr_parse(&a, where, &err) || (fd = addr_listen(&a, &err)) < 0 ||
        !(l = conn_listen_fd(base, fd, &conf, &receiver, NULL, &err)))
        fail(err.text);
    addr_format(&a, at, ADDR_TEXT_MAX);
    return l;
}

/* MB/s over the socket that is listened on at this address. */
static double through(const char *where)
{
    char at[ADDR_TEXT_MAX];
    struct conn_listener *l = listen_on(where, at);
    uint64_t ns;
    pid_t pid;

    got = opened = closed = 0;
    fflush(stdout);
    pid = fork();
    if (pid == 0)
        send_all(l, at);
    while (got < wanted && !closed)
        event_base_loop(base, EVLOOP_ONCE);
    ns = clock_monotonic_ns() - began_ns;
    if (got < wanted)
        fail("the other process has ended");
    conn_close(far);
    conn_listener_close(l);
    event_base_loop(base, EVLOOP_NONBLOCK);     /* it is closed only there */
    waitpid(pid, NULL, 0);
    return (double)got * 1e3 / (double)ns;
}

static double plain(void)
{
    struct sockaddr_in sin = { .sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(sin);
    int l = socket(AF_INET, SOCK_STREAM, 0), fd;
    uint64_t began;
    pid_t pid;

    if (bind(l, (struct sockaddr *)&sin, sizeof(sin)) || listen(l, 1) ||
        getsockname(l, (struct sockaddr *)&sin, &len))
        fail("socket");
    pid = fork();
    if (pid == 0) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&sin, sizeof(sin)))
            _exit(1);
        for (size_t n = 0; n < wanted; n += message)
            if (write(fd, data, message) != (ssize_t)message)
                _exit(1);
        _exit(0);
    }
    fd = accept(l, NULL, NULL);
    began = clock_monotonic_ns();
    for (ssize_t n = 1; n > 0;)
        n = read(fd, data, message < 65536 ? 65536 : message);
    began = clock_monotonic_ns() - began;
    close(fd);
    close(l);
    waitpid(pid, NULL, 0);
    return (double)wanted * 1e3 / (double)began;
}

static void compare(size_t bytes, size_t all)
{
    double sealed[ROUNDS], local[ROUNDS], limit[ROUNDS], s, u, p;
    char path[100];

    snprintf(path, sizeof(path), "unix:/tmp/bench_link.%d", (int)getpid());
    message = bytes;
    wanted = all;
    for (int i = 0; i < ROUNDS; i++) {
        sealed[i] = through("tcp:127.0.0.1:0");
        local[i] = through(path);
        limit[i] = plain();
    }
    unlink(path + 5);
    s = median(sealed);
    u = median(local);
    p = median(limit);
    printf("link, messages of %zu bytes: sealed %.0f MB/s, Unix %.0f MB/s (ratio "
           "%.2f), plain TCP %.0f MB/s (%.2f)\n", bytes, s, u, s / u, p, s / p);
}

/* --------------------------------------------------------- to open one */

static void on_ours(void *arg, struct conn *c)
{
    (void)arg, (void)c;
    closed++;
}

static const struct conn_ops opener = { .on_open = on_ours,
                                        .on_close = on_end };

static uint64_t worked_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Microseconds of this process, which is both ends. */
static double one_open(const char *where)
{
    char at[ADDR_TEXT_MAX];
    struct conn_listener *l = listen_on(where, at);
    struct err err;
    uint64_t ns;

    ns = worked_ns();
    for (unsigned i = 0; i < OPENED; i++) {
        struct conn *c = conn_open_to(base, at, &conf, &opener, NULL, &err);

        if (!c)
            fail(err.text);
        opened = closed = 0;
        while (!opened || !closed)
            event_base_loop(base, EVLOOP_ONCE);
        conn_close(far);
        conn_close(c);
    }
    ns = worked_ns() - ns;
    conn_listener_close(l);
    return (double)ns / OPENED / 1e3;
}

static void compare_open(void)
{
    double proved[ROUNDS], local[ROUNDS], p, u;
    char path[100];

    snprintf(path, sizeof(path), "unix:/tmp/bench_link.%d", (int)getpid());
    for (int i = 0; i < ROUNDS; i++) {
        proved[i] = one_open("tcp:127.0.0.1:0");
        local[i] = one_open(path);
    }
    unlink(path + 5);
    p = median(proved);
    u = median(local);
    printf("link, to open one: TCP with proof and keys %.0f us of both ends' processor "
           "time, Unix %.0f us (ratio %.2f)\n", p, u, p / u);
}

int main(void)
{
    log_init("bench_link", LOG_LEVEL_WARN);
    signal(SIGPIPE, SIG_IGN);
    base = event_base_new();
    if (!base)
        fail("event_base_new");
    compare(100, 20 << 20);
    compare(4096, 200 << 20);
    compare(65536, 1 << 30);
    compare(MOST, 1 << 30);
    compare_open();
    event_base_free(base);
    return 0;
}
