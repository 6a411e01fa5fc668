/* conn_ends.h - both ends of connections, in one event loop, for the tests of
 * conn.c: what happened to each is written down. */
#ifndef CONN_ENDS_H
#define CONN_ENDS_H

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/log.h"
#include "proto/link/addr.h"
#include "proto/link/conn.h"
#include "proto/link/frame.h"

#define MS CLOCK_NS_PER_MS

static struct event_base *base;
static char dir[64];
static struct key key, other_key;

/* One end of a connection and what happened to it. */
struct end {
    struct conn *c;
    int opened, closed, drained, hellos, inputs;
    size_t input_bytes;
    struct err why;
    bool refuse_input, close_on_input, pause_on_input, flush_on_input;
    struct end *close_other;            /* on input */
};

static inline int on_hello(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    const Hct__Hello *hello = msg;
    struct end *e = arg;

    (void)err;
    assert_ptr_equal(e->c, c);
    e->hellos++;
    conn_set_role(c, hello->role);
    return 0;
}

static inline int on_input(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    const Hct__Input *input = msg;
    struct end *e = arg;

    e->inputs++;
    e->input_bytes += input->data.len;
    if (e->refuse_input)
        return err_set(err, EINVAL, "no input wanted");
    if (e->pause_on_input)
        conn_pause(c);
    if (e->close_other) {
        conn_close(e->close_other->c);
        e->close_other->c = NULL;
    }
    if (e->flush_on_input) {
        Hct__Refuse refuse = HCT__REFUSE__INIT;

        refuse.why = (char *)"enough";
        assert_int_equal(conn_send(c, MESSAGE_REFUSE, &refuse), 0);
        conn_close_flushed(c);
        e->c = NULL;
        return -1;
    }
    if (e->close_on_input) {
        conn_close(c);
        e->c = NULL;
        /* Still ours until we return. */
        assert_non_null(conn_peer(c));
    }
    return 0;
}

static inline int on_refuse(void *arg, struct conn *c, const void *msg,
                            struct err *err)
{
    const Hct__Refuse *refuse = msg;

    (void)arg;
    (void)c;
    return err_set(err, EACCES, "refused: %s", refuse->why);
}

static const struct conn_route routes[] = {
    { MESSAGE_HELLO, CONN_ANY, on_hello },
    { MESSAGE_REFUSE, CONN_ANY, on_refuse },
    { MESSAGE_INPUT, CONN_ROLE(HCT__ROLE__ROLE_SLAVE), on_input },
};

static inline void on_open(void *arg, struct conn *c)
{
    struct end *e = arg;

    e->c = c;
    e->opened++;
}

static inline void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct end *e = arg;

    assert_true(!e->c || e->c == c);
    assert_int_not_equal(why->code, 0);
    assert_true(*why->text);
    assert_non_null(conn_peer(c));
    e->c = NULL;
    e->closed++;
    e->why = *why;
}

static inline void on_drain(void *arg, struct conn *c)
{
    struct end *e = arg;

    (void)c;
    e->drained++;
}

static const struct conn_ops ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close, .on_drain = on_drain,
};

/* ------------------------------------------------------------------ helpers */

/* Turn the loop until the condition holds; it has to within 60 s. */
#define WAIT_FOR(condition) do {                                        \
        uint64_t end_ns = clock_monotonic_ns() + 60000 * MS;            \
        while (!(condition)) {                                          \
            if (clock_monotonic_ns() > end_ns)                          \
                fail_msg("waited in vain for %s", #condition);          \
            turn();                                                     \
        }                                                               \
    } while (0)

static inline void nothing(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
}

static inline void turn(void)
{
    struct timeval tv = clock_timeval(5 * MS);

    event_base_once(base, -1, EV_TIMEOUT, nothing, NULL, &tv);
    event_base_loop(base, EVLOOP_ONCE);
}

static inline void turn_for(uint64_t ns)
{
    uint64_t end = clock_monotonic_ns() + ns;

    while (clock_monotonic_ns() < end)
        turn();
}

static const struct conn_conf tcp_conf = { .key = &key };
static const struct conn_conf unix_conf = { .key = NULL };

static inline struct conn_listener *listen_on(const char *what, char *text,
                                              const struct conn_conf *conf,
                                              struct end *e)
{
    struct err err = { 0 };
    struct addr a;

    if (addr_parse(&a, what, &err) < 0)
        fail_msg("%s", err.text);
    int fd = addr_listen(&a, &err);

    if (fd < 0)
        fail_msg("%s", err.text);
    struct conn_listener *l = conn_listen_fd(base, fd, conf, &ops, e, &err);

    if (!l)
        fail_msg("%s", err.text);
    addr_format(&a, text, ADDR_TEXT_MAX);
    return l;
}

static inline void open_to(struct end *e, const char *addr,
                           const struct conn_conf *conf)
{
    struct err err = { 0 };

    e->c = conn_open_to(base, addr, conf, &ops, e, &err);
    if (!e->c)
        fail_msg("%s", err.text);
    assert_int_equal(e->opened, 0);
}

/* A socket to such an address, which does not block. */
static inline int connect_raw(const char *text)
{
    struct sockaddr_in sin = { .sin_family = AF_INET };
    struct addr a;

    assert_int_equal(addr_parse(&a, text, NULL), 0);
    inet_pton(AF_INET, a.host, &sin.sin_addr);
    sin.sin_port = htons(a.port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* Two ends over a socket pair, open, b knows a as a slave. */
static inline void open_pair(struct end *a, struct end *b,
                             const struct conn_conf *conf)
{
    struct err err = { 0 };
    int fd[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    a->c = conn_adopt_fd(base, fd[0], conf, &ops, a, &err);
    b->c = conn_adopt_fd(base, fd[1], conf, &ops, b, &err);
    assert_non_null(a->c);
    assert_non_null(b->c);
    WAIT_FOR(a->opened && b->opened);
    conn_set_role(b->c, HCT__ROLE__ROLE_SLAVE);
}

/* A raw socket as the peer of an open conn. */
static inline int open_raw(struct end *e, const struct conn_conf *conf)
{
    struct err err = { 0 };
    int fd[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd),
                     0);
    e->c = conn_adopt_fd(base, fd[0], conf, &ops, e, &err);
    assert_non_null(e->c);
    WAIT_FOR(e->opened);
    conn_set_role(e->c, HCT__ROLE__ROLE_SLAVE);
    return fd[1];
}

static inline int send_input(struct conn *c, size_t bytes)
{
    Hct__Input input = HCT__INPUT__INIT;
    uint8_t *data = calloc(1, bytes ? bytes : 1);

    assert_non_null(data);
    input.data.data = data;
    input.data.len = bytes;
    int rc = conn_send(c, MESSAGE_INPUT, &input);

    free(data);
    return rc;
}

static inline void close_ends(struct end *a, struct end *b)
{
    conn_close(a->c);
    conn_close(b->c);
    a->c = b->c = NULL;
}

static inline size_t put_frame(uint8_t *out, unsigned type, uint32_t sequence,
                               const void *body, size_t n)
{
    frame_header(out, (uint16_t)type, sequence, (uint32_t)n);
    if (n)
        memcpy(out + FRAME_HEADER, body, n);
    return FRAME_HEADER + n;
}

static inline int set_up(void **state)
{
    static char name[] = "/tmp/test_conn.XXXXXX";
    struct err err;

    (void)state;
    log_init("test_conn", LOG_LEVEL_WARN);
    base = event_base_new();
    if (!base || !mkdtemp(name))
        return -1;
    snprintf(dir, sizeof(dir), "%s", name);
    key_from_hex(&key, "00112233445566778899aabbccddeeff"
                 "00112233445566778899aabbccddeeff", &err);
    memset(&other_key, 7, sizeof(other_key));
    return 0;
}

static inline int tear_down(void **state)
{
    char cmd[128];

    (void)state;
    event_base_free(base);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    return system(cmd);
}

#endif
