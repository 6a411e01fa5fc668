/* splice.c - see splice.h.
 *
 * Invariant: until it is over one of readable, writable, later is pending:
 * there is nothing to be had, no room for it, or no way to tell which. With a
 * copy, that is what was read and is not written yet. Where another process
 * reads, closed is. */
#include "slave/move/splice.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/link/conn.h"
#include "proto/link/timer.h"
#include "slave/link/sealpass.h"

enum {
    AT_ONCE = 1 << 20,          /* by one call: what a pipe holds */
    CALLS = 4,                  /* then others have their turn */
    PROBES = 3,                 /* in a row that nobody has answered */
    IDLE_S = 2,                 /* then the peer's kernel is asked */
};
#define LATER_NS (2 * CLOCK_NS_PER_MS)
#define TIMES 3                 /* dead_ns */
#define LOOKS 8                 /* at the peer, in the time that it has */

struct splice {
    struct splice_conf conf;
    uint64_t silent_ns;
    const struct splice_ops *ops;
    void *arg;
    struct event *readable, *writable, *later;  /* owned, as all that follows */
    struct event *answer;       /* to is the socket: it can be read */
    struct event *closed;       /* to is none: the peer sends no more */
    struct event *look;         /* is the peer there? */
    struct sealpass *copy;      /* splice(2) does not do it here; or NULL */
};

/* ----------------------------------------------------------------- the peer */

static bool tcp_info(const struct splice *s, struct tcp_info *info)
{
    socklen_t len = sizeof(*info);

    return getsockopt(s->conf.socket, IPPROTO_TCP, TCP_INFO, info, &len) == 0;
}

/* Its kernel answers what we send, and when there is nothing to be sent, or no
 * room for it, it is asked whether it is there. So the time in which nothing
 * came is counted only where an answer is due: one that takes nothing for now
 * is asked ever less often. */
static bool has_vanished(const struct splice *s, uint64_t *silent_ns)
{
    struct tcp_info t;
    uint32_t ms;

    if (!tcp_info(s, &t))
        return false;
    ms = t.tcpi_last_ack_recv < t.tcpi_last_data_recv ? t.tcpi_last_ack_recv
                                                      : t.tcpi_last_data_recv;
    *silent_ns = ms * CLOCK_NS_PER_MS;
    return *silent_ns > s->silent_ns &&
           (t.tcpi_unacked || t.tcpi_probes >= PROBES);
}

/* The kernel's own limit is for data that wait, also where the peer takes none. */
static void ask_often(int socket)
{
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &(unsigned){ 0 },
               sizeof(unsigned));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &(int){ IDLE_S }, sizeof(int));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &(int){ 1 }, sizeof(int));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &(int){ 127 }, sizeof(int));
}

void splice_reset(int socket)
{
    struct linger at_once = { .l_onoff = 1 };

    if (socket < 0)
        return;
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(socket);
}

/* ---------------------------------------------------------------- the bytes */

static void end(struct splice *s, const struct err *why)
{
    event_del(s->readable);
    event_del(s->writable);
    event_del(s->later);
    event_del(s->answer);
    event_del(s->closed);
    event_del(s->look);
    s->ops->over(s->arg, why);          /* s may be gone */
}

static void fail(struct splice *s, int code)
{
    struct err why;

    err_set(&why, code, "%s", strerror(code));
    end(s, &why);
}

static bool is_ready(int fd, short what)
{
    struct pollfd p = { .fd = fd, .events = what };

    return poll(&p, 1, 0) > 0;
}

static bool has_copy(const struct splice *s)
{
    return s->copy && sealpass_holds(s->copy);
}

/* Neither end says which of the two it is that has to wait. */
static void wait_on(struct splice *s)
{
    if (!has_copy(s) && !is_ready(s->conf.from, POLLIN))
        event_add(s->readable, NULL);
    else if (!is_ready(s->conf.to, POLLOUT))
        event_add(s->writable, NULL);
    else
        timer_set(s->later, LATER_NS);
}

/* By the kernel, or, where it does not, by a copy in this process. */
static ssize_t pass(struct splice *s, size_t *moved, struct err *err)
{
    ssize_t n;

    if (!s->copy) {
        n = splice(s->conf.from, NULL, s->conf.to, NULL, AT_ONCE,
                   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        *moved = n > 0 ? (size_t)n : 0;
        if (n >= 0 || (errno != EINVAL && errno != ENOSYS))
            return n;
        s->copy = sealpass_new(NULL, false);
    }
    if (!s->copy)
        return errno = ENOMEM, -1;
    return sealpass_step(s->copy, s->conf.from, s->conf.to, moved, err);
}

static void on_ready(evutil_socket_t fd, short what, void *arg)
{
    struct splice *s = arg;
    struct err err = { 0 };
    size_t moved;

    (void)fd, (void)what;
    for (int i = 0; i < CALLS; i++) {
        ssize_t n = pass(s, &moved, &err);

        if (n == 0) {
            end(s, NULL);
            return;
        }
        if (n < 0 && err.code) {
            end(s, &err);
            return;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            fail(s, errno);
            return;
        }
        if (n < 0)
            break;
        if (moved && s->ops->moved)
            s->ops->moved(s->arg, moved);
    }
    wait_on(s);
}

/* --------------------------------------------------------- the peer's words */

static void on_answer(evutil_socket_t fd, short what, void *arg)
{
    struct err why;
    ssize_t n;
    char byte;

    (void)what;
    n = recv((int)fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        fail(arg, errno);
        return;
    }
    err_set(&why, n ? EPROTO : ECONNRESET,
            n ? "it answers in the middle of an image"
              : "it has closed the connection");
    end(arg, &why);
}

/* There is always room to write, so that says nothing but that something has
 * changed. */
static void on_closed(evutil_socket_t fd, short what, void *arg)
{
    if ((what & EV_CLOSED) || is_ready((int)fd, POLLRDHUP))
        end(arg, NULL);
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
    struct splice *s = arg;
    struct err why;
    uint64_t ns;

    (void)fd, (void)what;
    if (!has_vanished(s, &ns))
        return;
    err_set(&why, ETIMEDOUT, "it has been silent for %.1f s", (double)ns / 1e9);
    end(s, &why);
}

/* --------------------------------------------------------------------- life */

/* Of a Unix socket the kernel tells at once. */
static void watch(struct splice *s)
{
    uint64_t dead_ns = s->conf.dead_ns ? s->conf.dead_ns : CONN_DEAD_NS;
    struct tcp_info info;

    if (dead_ns == CONN_NEVER || !tcp_info(s, &info))
        return;
    ask_often(s->conf.socket);
    s->silent_ns = TIMES * dead_ns;
    timer_set(s->look, s->silent_ns / LOOKS);
}

static bool make_events(struct splice *s, struct event_base *base)
{
    const struct splice_conf *c = &s->conf;

    s->readable = event_new(base, c->from, EV_READ, on_ready, s);
    s->writable = event_new(base, c->to, EV_WRITE, on_ready, s);
    s->later = evtimer_new(base, on_ready, s);
    s->answer = event_new(base, c->socket, EV_READ | EV_PERSIST, on_answer, s);
    s->closed = event_new(base, c->socket, EV_WRITE | EV_CLOSED | EV_ET |
                          EV_PERSIST, on_closed, s);
    s->look = event_new(base, -1, EV_PERSIST, on_look, s);
    return s->readable && s->writable && s->later && s->answer && s->closed &&
           s->look;
}

struct splice *splice_open(struct event_base *base,
                           const struct splice_conf *conf,
                           const struct splice_ops *ops, void *arg,
                           struct err *err)
{
    struct splice *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err), NULL;
    *s = (struct splice){ .conf = *conf, .ops = ops, .arg = arg };
    if (conf->seal)
        s->copy = sealpass_new(conf->seal, conf->to == conf->socket);
    if ((conf->seal && !s->copy) || !make_events(s, base)) {
        splice_close(s);
        return err_memory(err), NULL;
    }
    if (conf->socket == conf->to)
        event_add(s->answer, NULL);
    watch(s);
    if (conf->to < 0)
        event_add(s->closed, NULL);
    else
        timer_set(s->later, 0);
    return s;
}

static void drop(struct event *e)
{
    if (e)
        event_free(e);
}

void splice_close(struct splice *s)
{
    if (!s)
        return;
    drop(s->readable);
    drop(s->writable);
    drop(s->later);
    drop(s->answer);
    drop(s->closed);
    drop(s->look);
    sealpass_free(s->copy);
    free(s);
}
