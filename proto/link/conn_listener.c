/* conn_listener.c - a listening socket and the connections that come from it;
 * see conn.h.
 *
 * Invariant: the event waits for connections unless `resting`, when the timer
 * is set. pending[] holds the connections that came and are strangers yet;
 * each leaves it by conn_listener_settled(), at the latest when its time is
 * over. While others wait and there is no room, the one that is furthest
 * beyond the patience with it is sent away, so ten thousand that say nothing
 * are gone in seconds, and who proves the key at once always comes through. */
#include "proto/link/conn_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/link/refused.h"
#include "proto/link/timer.h"

enum {
    LISTENER_PENDING = 256,     /* strangers at a time */
    LISTENER_BUDGET = 16,       /* accepted per turn of the loop */
};
#define LISTENER_REST_NS (200 * CLOCK_NS_PER_MS)
/* Patience while others wait: with who has said nothing, and with who has
 * said the right thing. */
#define LISTENER_MUTE_NS (250 * CLOCK_NS_PER_MS)
#define LISTENER_SLOW_NS (400 * CLOCK_NS_PER_MS)

struct conn_listener {
    int fd;                             /* owned */
    bool resting;                       /* no room: timer is set */
    struct event_base *base;            /* borrowed */
    struct event *event, *timer;        /* owned */
    const struct conn_ops *ops;         /* borrowed */
    void *arg;
    struct conn_conf conf;
    unsigned npending;
    struct conn *pending[LISTENER_PENDING];     /* owned until they open */
};

static void conn_listener_arm(struct conn_listener *l)
{
    if (l->resting)
        event_del(l->event);
    else
        event_add(l->event, NULL);
}

static void conn_listener_rest(struct conn_listener *l, uint64_t ns)
{
    l->resting = true;
    timer_set(l->timer, ns);
}

/* As a peer does of ours that was answered on another socket first (dial.h):
 * nothing has been refused. */
static bool conn_listener_hung_up(const struct conn *c, const struct err *why)
{
    return c->state == CONN_CALL && why->code == ECONNRESET && c->bev &&
           evbuffer_get_length(bufferevent_get_input(c->bev)) == 0;
}

static void conn_listener_settled(void *arg, struct conn *c,
                                  const struct err *why)
{
    struct conn_listener *l = arg;

    for (unsigned i = 0; i < l->npending; i++)
        if (l->pending[i] == c) {
            l->pending[i] = l->pending[--l->npending];
            break;
        }
    if (why && !conn_listener_hung_up(c, why))
        refused("listen", conn_peer(c), why);
    l->resting = false;                 /* there is room now */
    event_del(l->timer);
    conn_listener_arm(l);
}

/* What it said waits for us to read it: then it is not the slow one. */
static bool conn_listener_is_heard(const struct conn *c)
{
    int bytes = 0;

    return ioctl(bufferevent_getfd(c->bev), FIONREAD, &bytes) < 0 ||
           bytes == 0;
}

/* Send away the stranger with whom patience is over; false, and a rest until
 * it will be, if there is none. */
static bool conn_listener_make_room(struct conn_listener *l)
{
    uint64_t now = clock_monotonic_ns(), due, first = now + LISTENER_REST_NS;
    struct err why = { 0 };
    struct conn *worst = NULL;

    for (unsigned i = 0; i < l->npending; i++) {
        struct conn *c = l->pending[i];

        due = c->born_ns + (c->state == CONN_CALL ? LISTENER_MUTE_NS
                                                  : LISTENER_SLOW_NS);
        if (due < first && conn_listener_is_heard(c)) {
            first = due;
            worst = c;
        }
    }
    if (!worst || first > now) {
        conn_listener_rest(l, first - now);
        return false;
    }
    conn_enter(worst);
    err_set(&why, EBUSY, "it was slow, and others are waiting");
    conn_fail(worst, &why);
    conn_leave(worst);
    return true;
}

/* One connection more; false when there is none, or no room for it. */
static bool conn_listener_accept(struct conn_listener *l)
{
    struct err err = { 0 };
    struct conn *c;
    int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
                   errno == ENOMEM)) {
        err_sys(&err, "cannot accept it");
        refused("listen", "a connection", &err);
        return conn_listener_make_room(l);
    }
    if (fd < 0)         /* nobody left, or gone before we looked */
        return errno == ECONNABORTED || errno == EINTR;
    c = conn_accept_fd(l->base, fd, &l->conf, l->ops, l->arg,
                       conn_listener_settled, l, &err);
    if (c)
        l->pending[l->npending++] = c;
    return true;        /* one that was refused is in the log */
}

static void conn_listener_ready(evutil_socket_t fd, short what, void *arg)
{
    struct conn_listener *l = arg;

    (void)fd;
    (void)what;
    for (int i = 0; i < LISTENER_BUDGET; i++)
        if ((l->npending == LISTENER_PENDING &&
             !conn_listener_make_room(l)) || !conn_listener_accept(l))
            break;
    conn_listener_arm(l);
}

static void conn_listener_rested(evutil_socket_t fd, short what, void *arg)
{
    struct conn_listener *l = arg;

    (void)fd;
    (void)what;
    l->resting = false;
    conn_listener_arm(l);
}

static int conn_listener_check(int fd, const struct conn_conf *conf,
                               struct err *err)
{
    struct sockaddr_storage ss;
    socklen_t len = sizeof(ss);
    int listening = 0;
    socklen_t size = sizeof(listening);

    if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0)
        return err_sys(err, "file descriptor %d", fd);
    if (!listening)
        return err_set(err, EINVAL, "file descriptor %d is not a listening "
                       "socket", fd);
    if (ss.ss_family != AF_UNIX && !conf->key)
        return err_set(err, EINVAL, "listening on TCP needs the cluster key");
    if (evutil_make_socket_nonblocking(fd) < 0 ||
        evutil_make_socket_closeonexec(fd) < 0)
        return err_sys(err, "file descriptor %d", fd);
    return 0;
}

struct conn_listener *conn_listen_fd(struct event_base *base, int fd,
                                     const struct conn_conf *conf,
                                     const struct conn_ops *ops, void *arg,
                                     struct err *err)
{
    struct conn_listener *l = calloc(1, sizeof(*l));

    if (!l) {
        close(fd);
        return err_memory(err), NULL;
    }
    *l = (struct conn_listener){ .fd = fd, .base = base, .conf = *conf,
                                 .ops = ops, .arg = arg };
    if (conn_listener_check(fd, conf, err) < 0) {
        conn_listener_close(l);
        return NULL;
    }
    l->event = event_new(base, fd, EV_READ | EV_PERSIST, conn_listener_ready,
                         l);
    l->timer = evtimer_new(base, conn_listener_rested, l);
    if (!l->event || !l->timer || event_add(l->event, NULL) < 0) {
        err_memory(err);
        conn_listener_close(l);
        return NULL;
    }
    return l;
}

void conn_listener_close(struct conn_listener *l)
{
    if (!l)
        return;
    while (l->npending) {
        struct conn *c = l->pending[--l->npending];

        c->settled = NULL;
        if (!c->opened)
            conn_close(c);
    }
    if (l->event)
        event_free(l->event);
    timer_free(l->timer);
    close(l->fd);
    free(l);
}
