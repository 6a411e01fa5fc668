/* conn_open.c - how a connection comes to be open: a socket by dialling or
 * accepting, then the proof of who the peer is; see conn_private.h. */
#include "proto/link/conn_private.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/link/frame.h"
#include "proto/link/refused.h"

enum {
    CONN_EARLY_MAX = 4096,      /* read from a peer that has proved nothing */
    CONN_CHUNK = 256 << 10,     /* per write() */
    CONN_TCP_MS = 30000,        /* unconfirmed: the peer is dead */
    CONN_TCP_PROBES = 8,        /* in a row, likewise */
    CONN_TCP_RTO_MAX_MS = 44,   /* <linux/tcp.h> of 6.15 */
};

/* -------------------------------------------------------------- the proof */

/* What was sent before we were open: frame by frame, as it would be now. */
static int conn_send_early(struct conn *c, struct evbuffer *early)
{
    struct evbuffer *out = bufferevent_get_output(c->bev);
    struct evbuffer_iovec v;
    struct frame f;
    size_t need;
    long bytes;

    if (!c->seal)
        return evbuffer_add_buffer(out, early);
    for (size_t n; (n = evbuffer_get_length(early));) {
        need = FRAME_HEADER;
        while ((bytes = frame_decode(evbuffer_pullup(early, (ev_ssize_t)need),
                                     need, &f, &need, NULL)) == 0)
            ;
        uint8_t *to = conn_frame_begin(c, out, (size_t)bytes, &v);

        if (!to)
            return -1;
        evbuffer_remove(early, to, (size_t)bytes);
        conn_frame_end(c, out, &v);
    }
    return 0;
}

void conn_open(struct conn *c)
{
    struct evbuffer *early = c->early;

    c->state = CONN_OPEN;
    c->opened = true;
    c->heard_ns = clock_monotonic_ns();
    dial_destroy(c->dial);
    c->dial = NULL;
    bufferevent_setwatermark(c->bev, EV_READ, 0,
                             FRAME_HEADER + FRAME_BODY_MAX + SEAL_OVER);
    bufferevent_setwatermark(c->bev, EV_WRITE, c->conf.low_bytes, 0);
    bufferevent_enable(c->bev, EV_WRITE | (c->paused ? 0 : EV_READ));
    if (c->paused)
        bufferevent_disable(c->bev, EV_READ);
    if (conn_send_early(c, early) < 0) {
        err_set(&c->end, ENOMEM, "out of memory for a message to %s", c->peer);
        c->ended = true;
        conn_wake_later(c);
    }
    evbuffer_free(early);
    c->early = NULL;
    conn_set_timer(c, c->conf.ping_ns);
    if (c->ops->on_open)
        c->ops->on_open(c->arg, c);
    if (c->state == CONN_OPEN)
        conn_ping(c);
}

void conn_refuse(struct conn *c, const struct err *why)
{
    if (!c->dial) {
        conn_fail(c, why);
        return;
    }
    event_del(c->timer);
    event_del(c->wake);
    bufferevent_free(c->bev);
    c->bev = NULL;
    c->state = CONN_DIALING;
    c->ended = c->write_failed = false;
    dial_next(c->dial, why);
}

static int conn_on_call(struct conn *c, const uint8_t *in, struct err *err)
{
    uint8_t out[KEY_ANSWER];

    if (key_answer(&c->exchange, c->conf.key, in, out, err) < 0)
        return -1;
    c->state = CONN_PROOF;
    return bufferevent_write(c->bev, out, sizeof(out));
}

/* Both know the key: from here on all is sealed. */
static int conn_open_sealed(struct conn *c, bool listening, struct err *err)
{
    struct key_session keys;

    if (key_session(&c->exchange, c->conf.key, listening, &keys, err) < 0 ||
        !(c->seal = seal_new(&keys, err)))
        return -1;
    conn_open(c);
    return 0;
}

static int conn_on_answer(struct conn *c, const uint8_t *in, struct err *err)
{
    uint8_t out[KEY_PROOF];

    if (key_prove(&c->exchange, c->conf.key, in, out, err) < 0)
        return -1;
    if (bufferevent_write(c->bev, out, sizeof(out)) < 0)
        return err_memory(err);
    return conn_open_sealed(c, false, err);
}

static int conn_on_proof(struct conn *c, const uint8_t *in, struct err *err)
{
    if (!key_check(&c->exchange, c->conf.key, in))
        return err_set(err, EACCES, "the peer does not know the cluster key");
    return conn_open_sealed(c, true, err);
}

int conn_shake(struct conn *c, struct evbuffer *in, struct err *err)
{
    static const struct {
        size_t bytes;
        int (*step)(struct conn *c, const uint8_t *in, struct err *err);
    } steps[] = {
        [CONN_CALL] = { KEY_CALL, conn_on_call },
        [CONN_ANSWER] = { KEY_ANSWER, conn_on_answer },
        [CONN_PROOF] = { KEY_PROOF, conn_on_proof },
    };
    size_t want = steps[c->state].bytes, n = evbuffer_get_length(in);
    uint8_t bytes[KEY_ANSWER];

    if (c->state == CONN_CALL && n < want) {
        evbuffer_copyout(in, bytes, n);
        if (!key_begins_call(bytes, n))
            return err_set(err, EPROTO, "not a peer of Hector's");
    }
    if (n < want)
        return 0;
    evbuffer_remove(in, bytes, want);
    return steps[c->state].step(c, bytes, err) < 0 ? -1 : 1;
}

/* ------------------------------------------------------------------ sockets */

static int conn_identify_unix(struct conn *c, int fd, struct err *err)
{
    struct ucred cred;
    socklen_t len = sizeof(cred);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
        return err_sys(err, "who is the peer");
    snprintf(c->peer, sizeof(c->peer), "uid %u pid %d", (unsigned)cred.uid,
             (int)cred.pid);
    if (cred.uid != geteuid() && cred.uid != 0)
        return err_set(err, EACCES, "uid %u is not uid %u",
                       (unsigned)cred.uid, (unsigned)geteuid());
    return 0;
}

static int conn_identify_tcp(struct conn *c, int fd, struct err *err)
{
    struct sockaddr_storage ss;
    socklen_t len = sizeof(ss);
    struct addr a = { 0 };
    char port[8];
    int one = 1;

    if (!c->conf.key)
        return err_set(err, EACCES, "TCP is refused without a cluster key");
    if (getpeername(fd, (struct sockaddr *)&ss, &len) < 0)
        return err_sys(err, "who is the peer");
    if (getnameinfo((struct sockaddr *)&ss, len, a.host, sizeof(a.host), port,
                    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        a.port = (uint16_t)strtoul(port, NULL, 10);
        addr_format(&a, c->peer, sizeof(c->peer));
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    /* The kernels find a machine that has vanished, also where a silent
     * process is tolerated. */
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){ 5 }, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){ 2 }, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &(int){ 13 }, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &(unsigned){ CONN_TCP_MS },
               sizeof(unsigned));
    /* Soon back when the network is; kernels before 6.15 do not know it. */
    setsockopt(fd, IPPROTO_TCP, CONN_TCP_RTO_MAX_MS, &(int){ 1000 },
               sizeof(int));
    return 0;
}

static bool conn_tcp_info(const struct conn *c, struct tcp_info *info)
{
    socklen_t len = sizeof(*info);

    return !c->is_unix && getsockopt(bufferevent_getfd(c->bev), IPPROTO_TCP,
                                     TCP_INFO, info, &len) == 0;
}

bool conn_is_confirmed(const struct conn *c, uint64_t since_ns)
{
    struct tcp_info info;

    return conn_tcp_info(c, &info) &&
           ((!info.tcpi_unacked && !info.tcpi_probes) ||
            info.tcpi_last_ack_recv * CLOCK_NS_PER_MS < since_ns);
}

/* The time-out above is for data that nobody confirms. The kernel also ends a
 * link by it whose peer confirms all it got and does not take more, as a
 * person has stopped it, or a pager has enough for now: not so here. */
void conn_spare_reader(const struct conn *c)
{
    struct tcp_info info;
    unsigned ms;

    if (!conn_tcp_info(c, &info))
        return;
    ms = info.tcpi_unacked || info.tcpi_probes > CONN_TCP_PROBES ? CONN_TCP_MS
                                                                 : 0;
    setsockopt(bufferevent_getfd(c->bev), IPPROTO_TCP, TCP_USER_TIMEOUT, &ms,
               sizeof(ms));
}

/* Make fd the conn's socket and begin the proof. The fd is taken. */
static int conn_attach(struct conn *c, int fd, struct err *err)
{
    struct sockaddr_storage ss;
    socklen_t len = sizeof(ss);
    int rc;

    if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0) {
        err_sys(err, "socket");
        close(fd);
        return -1;
    }
    c->is_unix = ss.ss_family == AF_UNIX;
    if (c->is_unix)
        rc = conn_identify_unix(c, fd, err);
    else
        rc = conn_identify_tcp(c, fd, err);
    if (rc == 0 && (evutil_make_socket_nonblocking(fd) < 0 ||
                    evutil_make_socket_closeonexec(fd) < 0 ||
                    !(c->bev = bufferevent_socket_new(
                          c->base, fd, BEV_OPT_CLOSE_ON_FREE))))
        rc = err_sys(err, "socket");
    if (rc < 0) {
        close(fd);
        return -1;
    }
    c->dead_ns = c->conf.dead_ns;
    if (c->dead_ns == 0)
        c->dead_ns = c->is_unix ? CONN_NEVER : CONN_DEAD_NS;
    if (c->conf.ping_ns == 0)
        c->conf.ping_ns = c->is_unix ? CLOCK_NS_PER_S : CLOCK_NS_PER_S / 2;
    bufferevent_set_max_single_read(c->bev, CONN_CHUNK);
    bufferevent_set_max_single_write(c->bev, CONN_CHUNK);
    bufferevent_setwatermark(c->bev, EV_READ, 0, CONN_EARLY_MAX);
    bufferevent_setcb(c->bev, conn_on_read, conn_on_write, conn_on_event, c);
    c->state = CONN_CALL;
    if (c->is_unix) {                   /* conn_open() begins to read */
        conn_wake_later(c);
        return 0;
    }
    bufferevent_enable(c->bev, EV_READ | EV_WRITE);
    conn_set_timer(c, c->conf.shake_ns);
    if (c->dial) {
        uint8_t out[KEY_CALL];

        key_call(&c->exchange, out);
        c->state = CONN_ANSWER;
        bufferevent_write(c->bev, out, sizeof(out));
    }
    return 0;
}

static void conn_on_dial(void *arg, int fd, const struct err *why)
{
    struct conn *c = conn_enter(arg);
    struct err err = { 0 };

    if (fd < 0)
        conn_fail(c, why);
    else if (conn_attach(c, fd, &err) < 0)
        dial_next(c->dial, &err);
    conn_leave(c);
}

static struct conn *conn_create(struct event_base *base,
                                const struct conn_conf *conf,
                                const struct conn_ops *ops, void *arg,
                                struct err *err)
{
    struct conn *c = calloc(1, sizeof(*c));

    if (!c)
        return err_memory(err), NULL;
    signal(SIGPIPE, SIG_IGN);
    c->magic = CONN_MAGIC;
    c->state = CONN_DIALING;
    c->born_ns = clock_monotonic_ns();
    c->base = base;
    c->ops = ops;
    c->arg = arg;
    c->conf = *conf;
    if (!c->conf.high_bytes)
        c->conf.high_bytes = 4u << 20;
    if (!c->conf.low_bytes)
        c->conf.low_bytes = c->conf.high_bytes / 4;
    if (!c->conf.shake_ns)
        c->conf.shake_ns = 5 * CLOCK_NS_PER_S;
    c->wake = evtimer_new(base, conn_on_wake, c);
    c->timer = evtimer_new(base, conn_on_timer, c);
    c->early = evbuffer_new();
    if (!c->wake || !c->timer || !c->early) {
        err_memory(err);
        conn_free(c);
        return NULL;
    }
    return c;
}

struct conn *conn_open_to(struct event_base *base, const char *addr_list,
                          const struct conn_conf *conf,
                          const struct conn_ops *ops, void *arg,
                          struct err *err)
{
    struct conn *c = conn_create(base, conf, ops, arg, err);

    if (!c)
        return NULL;
    c->dial = dial_create(base, addr_list, c->conf.shake_ns, c->conf.again_ns,
                          conn_on_dial, c, err);
    if (!c->dial) {
        conn_free(c);
        return NULL;
    }
    dial_next(c->dial, NULL);
    return c;
}

struct conn *conn_accept_fd(struct event_base *base, int fd,
                            const struct conn_conf *conf,
                            const struct conn_ops *ops, void *arg,
                            conn_settled_f *settled, void *settled_arg,
                            struct err *err)
{
    struct conn *c = conn_create(base, conf, ops, arg, err);

    if (!c) {
        close(fd);
        return NULL;
    }
    c->settled = settled;
    c->settled_arg = settled_arg;
    if (conn_attach(c, fd, err) < 0) {
        if (settled)
            refused("listen", conn_peer(c), err);
        conn_free(c);
        return NULL;
    }
    return c;
}

struct conn *conn_adopt_fd(struct event_base *base, int fd,
                           const struct conn_conf *conf,
                           const struct conn_ops *ops, void *arg,
                           struct err *err)
{
    return conn_accept_fd(base, fd, conf, ops, arg, NULL, NULL, err);
}
