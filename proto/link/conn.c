/* conn.c - an open connection: messages both ways, the keep-alive between,
 * and the end; see conn.h, and conn_private.h for the states. */
#include "proto/link/conn_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "proto/link/frame.h"
#include "proto/link/timer.h"

enum {
    CONN_BUDGET = 64,           /* messages per turn of the loop */
    CONN_FIRST_PINGS = 4,       /* in a row, to know the clock soon */
    CONN_PING_QUEUE = 64 << 10, /* bytes that wait speak for themselves */
    CONN_BUSY_TIMES = 2,        /* dead_ns, for who is busy */
    CONN_TURN_PINGS = 2,        /* by then it would have sent another word */
    CONN_READ = 4096,           /* libevent takes no more at once */
};

/* ------------------------------------------------------------ life and end */

void conn_free(struct conn *c)
{
    if (c->bev)
        bufferevent_free(c->bev);       /* closes the socket */
    if (c->early)
        evbuffer_free(c->early);
    if (c->wake)
        event_free(c->wake);
    if (c->timer)
        event_free(c->timer);
    dial_destroy(c->dial);
    seal_free(c->seal);
    key_forget(&c->exchange);
    c->magic = 0;
    free(c);
}

struct conn *conn_enter(void *arg)
{
    struct conn *c = arg;

    assert(c->magic == CONN_MAGIC);
    c->depth++;
    return c;
}

void conn_leave(struct conn *c)
{
    if (--c->depth == 0 && c->state == CONN_DEAD)
        conn_free(c);
}

static void conn_settle(struct conn *c, const struct err *why)
{
    conn_settled_f *settled = c->settled;

    c->settled = NULL;
    if (settled)
        settled(c->settled_arg, c, why);
}

/* Nothing more comes from libevent after this. */
static void conn_kill(struct conn *c)
{
    conn_settle(c, NULL);
    c->state = CONN_DEAD;
    if (c->bev) {
        bufferevent_setcb(c->bev, NULL, NULL, NULL, NULL);
        bufferevent_disable(c->bev, EV_READ | EV_WRITE);
    }
    if (c->wake)
        event_del(c->wake);
    if (c->timer)
        event_del(c->timer);
}

void conn_fail(struct conn *c, const struct err *why)
{
    bool flushing = c->state == CONN_FLUSHING;
    bool announced = c->opened || !c->settled;

    if (c->state == CONN_DEAD)
        return;
    conn_settle(c, flushing ? NULL : why);
    conn_kill(c);
    if (flushing) {
        if (c->done)
            c->done(c->done_arg);
    } else if (announced && c->ops->on_close) {
        c->ops->on_close(c->arg, c, why);
    }
}

void conn_close(struct conn *c)
{
    if (!c || c->state == CONN_DEAD)
        return;
    conn_kill(c);
    if (c->depth == 0)
        conn_free(c);
}

void conn_wake_later(struct conn *c)
{
    /* A time-out of zero lets the loop look at the other sockets first;
     * event_active() would not. */
    timer_set(c->wake, 0);
}

void conn_close_flushed(struct conn *c)
{
    conn_close_then(c, NULL, NULL);
}

void conn_close_then(struct conn *c, void (*done)(void *arg), void *arg)
{
    c->done = done;
    c->done_arg = arg;
    if (c->state == CONN_DEAD || c->state == CONN_FLUSHING)
        return;
    if (c->state != CONN_OPEN) {        /* nothing of ours is on its way */
        err_set(&c->end, ECANCELED, "closed before it was open");
        c->ended = true;
        dial_destroy(c->dial);
        c->dial = NULL;
    }
    c->state = CONN_FLUSHING;
    c->paused = false;
    if (c->bev) {
        bufferevent_setwatermark(c->bev, EV_WRITE, 0, 0);
        bufferevent_enable(c->bev, EV_READ);
    }
    conn_wake_later(c);
}

void conn_hush(struct conn *c)
{
    c->hushed = true;
}

void conn_detach(struct conn *c, conn_taken_f *taken)
{
    if (c->state != CONN_OPEN)
        return;
    c->state = CONN_PARTING;
    c->hushed = true;
    c->taken = taken;
    bufferevent_disable(c->bev, EV_READ);
    conn_wake_later(c);
}

/* What has come already would be lost. */
static void conn_part(struct conn *c)
{
    struct seal *seal = c->seal;
    struct err why = { 0 };
    int fd = bufferevent_getfd(c->bev);

    if (evbuffer_get_length(bufferevent_get_input(c->bev))) {
        err_set(&why, EPROTO, "%s has sent more than was to come", c->peer);
        conn_fail(c, &why);
        return;
    }
    if (c->write_failed || evbuffer_get_length(bufferevent_get_output(c->bev)))
        return;
    conn_kill(c);
    bufferevent_setfd(c->bev, -1);
    c->seal = NULL;
    c->taken(c->arg, fd, seal);
}

void conn_pause(struct conn *c)
{
    c->paused = true;
    if (c->state == CONN_OPEN)
        bufferevent_disable(c->bev, EV_READ);
}

void conn_resume(struct conn *c)
{
    if (!c->paused)
        return;
    c->paused = false;
    if (c->state != CONN_OPEN)
        return;
    c->heard_ns = clock_monotonic_ns();
    if (!c->ended)
        bufferevent_enable(c->bev, EV_READ);
    conn_wake_later(c);         /* for what has been read already */
}

void conn_set_role(struct conn *c, unsigned role)
{
    c->role = role;
    if (role)
        conn_settle(c, NULL);
}

void conn_set_last(struct conn *c, unsigned type)
{
    c->last = type;
}

unsigned conn_role(const struct conn *c)
{
    return c->role;
}

/* Time in which we ourselves were stopped or busy, as a late tick shows, is
 * nobody's silence. */
static uint64_t conn_silence_at(const struct conn *c, uint64_t now)
{
    uint64_t ns = now - c->heard_ns, late = now - c->tick_ns;

    if (late <= 2 * c->conf.ping_ns)
        return ns;
    late -= c->conf.ping_ns;
    return late < ns ? ns - late : 0;
}

uint64_t conn_silence_ns(const struct conn *c)
{
    uint64_t now = clock_monotonic_ns();

    return c->paused ? 0 : conn_silence_at(c, now);
}

void conn_tolerate_silence(struct conn *c)
{
    c->dead_ns = CONN_NEVER;
}

void conn_set_arg(struct conn *c, void *arg)
{
    c->arg = arg;
}

const char *conn_peer(const struct conn *c)
{
    return *c->peer ? c->peer : c->dial ? dial_peer(c->dial) : "?";
}

const struct clock_offset *conn_clock(const struct conn *c)
{
    return &c->clock;
}

/* ----------------------------------------------------------------- sending */

static struct evbuffer *conn_output(const struct conn *c)
{
    return c->opened ? bufferevent_get_output(c->bev) : c->early;
}

size_t conn_queued_bytes(const struct conn *c)
{
    return evbuffer_get_length(conn_output(c));
}

bool conn_congested(const struct conn *c)
{
    return c->congested;
}

/* A frame that is sealed has its room around it. */
uint8_t *conn_frame_begin(const struct conn *c, struct evbuffer *out,
                          size_t bytes, struct evbuffer_iovec *v)
{
    size_t over = c->seal ? SEAL_OVER : 0;

    if (evbuffer_reserve_space(out, (ev_ssize_t)(bytes + over), v, 1) != 1)
        return NULL;
    v->iov_len = bytes + over;
    return (uint8_t *)v->iov_base + (c->seal ? SEAL_HEAD : 0);
}

void conn_frame_end(struct conn *c, struct evbuffer *out,
                    struct evbuffer_iovec *v)
{
    if (c->seal)
        seal_close(c->seal, v->iov_base, v->iov_len - SEAL_OVER, false);
    evbuffer_commit_space(out, v, 1);
}

int conn_send(struct conn *c, enum message_type type, const void *msg)
{
    const ProtobufCMessage *m = msg;
    struct evbuffer *out = conn_output(c);
    struct evbuffer_iovec v;
    uint8_t *to;

    assert(m->descriptor == message_descriptor(type));
    if (c->state == CONN_DEAD || c->state == CONN_FLUSHING ||
        c->state == CONN_PARTING)
        return 0;
    if (c->last && type > c->last)
        return 0;               /* it is older, and does without */
    size_t size = protobuf_c_message_get_packed_size(m);

    if (size > FRAME_BODY_MAX)
        return errno = EMSGSIZE, -1;
    to = conn_frame_begin(c, out, FRAME_HEADER + size, &v);
    if (!to) {
        /* A message is missing now: the connection is worth nothing. */
        err_set(&c->end, ENOMEM, "out of memory for a message to %s",
                c->peer);
        c->ended = true;
        conn_wake_later(c);
        return 0;
    }
    frame_header(to, (uint16_t)type, c->next_out++, (uint32_t)size);
    protobuf_c_message_pack(m, to + FRAME_HEADER);
    conn_frame_end(c, out, &v);
    if (evbuffer_get_length(out) > c->conf.high_bytes)
        c->congested = true;
    return 0;
}

/* --------------------------------------------------------------- heartbeat */

/* Much that waits in the queue says itself that we live, and a peer that does
 * not read is not to find hours of pings. */
void conn_ping(struct conn *c)
{
    Hct__Ping ping = HCT__PING__INIT;

    if (c->hushed || c->write_failed ||
        conn_queued_bytes(c) > CONN_PING_QUEUE)
        return;
    ping.sent_ns = clock_wall_ns();
    conn_send(c, MESSAGE_PING, &ping);
}

static void conn_on_ping(struct conn *c, const Hct__Ping *ping)
{
    Hct__Pong pong = HCT__PONG__INIT;

    if (c->hushed || conn_queued_bytes(c) > CONN_PING_QUEUE)
        return;
    pong.sent_ns = ping->sent_ns;
    pong.received_ns = clock_wall_ns();
    pong.answered_ns = pong.received_ns;
    conn_send(c, MESSAGE_PONG, &pong);
}

static void conn_on_pong(struct conn *c, const Hct__Pong *pong)
{
    const struct clock_sample s = {
        .sent = pong->sent_ns,
        .peer_received = pong->received_ns,
        .peer_sent = pong->answered_ns,
        .received = clock_wall_ns(),
    };
    unsigned had = c->clock.samples;

    clock_offset_add(&c->clock, &s);
    if (c->clock.samples > had && c->clock.samples < CONN_FIRST_PINGS)
        conn_ping(c);
}

void conn_set_timer(struct conn *c, uint64_t ns)
{
    c->tick_ns = clock_monotonic_ns();
    timer_set(c->timer, ns);
}

/* While we do not read, the peer's silence means nothing. One whose machine was
 * heard of since its last word has not vanished: it may be busy, or the network
 * loses much, and what it says comes later. It has more time. */
static bool conn_is_silent(struct conn *c, uint64_t now)
{
    uint64_t ns = c->paused ? 0 : conn_silence_at(c, now);
    uint64_t turn_ns = CONN_TURN_PINGS * c->conf.ping_ns;

    c->heard_ns = now - ns;
    if (c->dead_ns == CONN_NEVER || ns <= c->dead_ns)
        return false;
    return ns > CONN_BUSY_TIMES * c->dead_ns ||
           !conn_is_confirmed(c, ns > turn_ns ? ns - turn_ns : 0);
}

/* No later than the peer would be dead: a vanished host is missed in time. */
static uint64_t conn_next_tick(const struct conn *c, uint64_t now)
{
    uint64_t ns = c->conf.ping_ns, silent = now - c->heard_ns;

    if (c->dead_ns != CONN_NEVER && silent < c->dead_ns &&
        c->dead_ns - silent + CLOCK_NS_PER_MS < ns)
        ns = c->dead_ns - silent + CLOCK_NS_PER_MS;
    return ns;
}

static void conn_tick(struct conn *c)
{
    uint64_t now = clock_monotonic_ns();
    struct err why = { 0 };

    if (conn_is_silent(c, now)) {
        err_set(&why, ETIMEDOUT, "%s has been silent for %.1f s", c->peer,
                (double)(now - c->heard_ns) / 1e9);
        conn_fail(c, &why);
        return;
    }
    if (c->settled && now - c->born_ns > CONN_HELLO_NS) {
        err_set(&why, ETIMEDOUT, "it did not say who it is");
        conn_fail(c, &why);
        return;
    }
    if (c->write_failed && !c->paused) {
        /* Nothing more came for a whole tick: it is not coming. */
        conn_fail(c, &c->end);
        return;
    }
    if (c->state == CONN_OPEN)
        conn_ping(c);
    conn_spare_reader(c);
    conn_set_timer(c, conn_next_tick(c, now));
}

/* ---------------------------------------------------------------- receiving */

/* A message may blow up when unpacked (a field of one byte becomes a struct);
 * within this room all that Hector sends fits. */
struct conn_room { size_t left; };

static void *conn_room_alloc(void *data, size_t size)
{
    struct conn_room *room = data;

    if (size > room->left)
        return NULL;
    room->left -= size;
    return malloc(size);
}

static void conn_room_free(void *data, void *p)
{
    (void)data;
    free(p);
}

static const struct conn_route *conn_find_route(const struct conn *c,
                                                unsigned type)
{
    for (size_t i = 0; i < c->ops->nroutes; i++)
        if ((unsigned)c->ops->routes[i].type == type)
            return &c->ops->routes[i];
    return NULL;
}

static int conn_check_route(const struct conn *c, const struct conn_route *r,
                            unsigned type, struct err *err)
{
    if (type == MESSAGE_PING || type == MESSAGE_PONG)
        return 0;
    if (!message_descriptor(type))
        return err_set(err, EPROTO, "unknown message %u", type);
    if (!r)
        return err_set(err, EPROTO, "message %s is not for us",
                       message_name(type));
    if (!(r->roles & CONN_ROLE(c->role)))
        return err_set(err, EPROTO, "message %s is not for a peer %s",
                       message_name(type),
                       !c->role ? "that said no Hello"
                       : r->roles == CONN_STRANGER ? "that is known already"
                       : "of this role");
    return 0;
}

static int conn_dispatch(struct conn *c, const struct frame *f,
                         struct err *err)
{
    const struct conn_route *route = conn_find_route(c, f->type);

    if (f->sequence != c->next_in)
        return err_set(err, EPROTO, "message %u came where %u was due",
                       f->sequence, c->next_in);
    c->next_in++;
    if (conn_check_route(c, route, f->type, err) < 0)
        return -1;
    struct conn_room room = { (1u << 20) + 16 * f->length };
    ProtobufCAllocator allocator = { conn_room_alloc, conn_room_free, &room };
    ProtobufCMessage *m = protobuf_c_message_unpack(
        message_descriptor(f->type), &allocator, f->length, f->body);
    int rc = 0;

    if (!m)
        return err_set(err, EBADMSG, "malformed message %s",
                       message_name(f->type));
    if (f->type == MESSAGE_PING)
        conn_on_ping(c, (const Hct__Ping *)m);
    else if (f->type == MESSAGE_PONG)
        conn_on_pong(c, (const Hct__Pong *)m);
    else if (route)             /* it is there: checked above */
        rc = route->handle(c->arg, c, m, err);
    if (rc < 0 && err->code == 0)
        err_set(err, EPROTO, "message %s was refused", message_name(f->type));
    protobuf_c_message_free_unpacked(m, &allocator);
    return rc < 0 ? -1 : 0;
}

/* The rest of a large message, as far as it is here: in one piece, and by few
 * calls. That nothing more comes libevent finds out. */
static bool conn_take_rest(const struct conn *c, struct evbuffer *in,
                           size_t bytes)
{
    struct evbuffer_iovec v;
    ssize_t n = -1;

    if (bytes <= CONN_READ || c->ended)
        return false;
    evbuffer_unfreeze(in, 0);
    if (evbuffer_reserve_space(in, (ev_ssize_t)bytes, &v, 1) == 1) {
        n = recv(bufferevent_getfd(c->bev), v.iov_base, bytes, MSG_DONTWAIT);
        v.iov_len = n > 0 ? (size_t)n : 0;
        evbuffer_commit_space(in, &v, 1);
    }
    evbuffer_freeze(in, 0);
    return n > 0;
}

/* As frame_decode(), of what begins at in; a record of a sealed link holds one
 * frame. */
static long conn_decode(const struct conn *c, uint8_t *in, size_t n,
                        struct frame *f, size_t *need, struct err *err)
{
    struct seal_opened o;
    long used;

    if (!c->seal)
        return frame_decode(in, n, f, need, err);
    used = seal_open(c->seal, in, n, FRAME_HEADER + FRAME_BODY_MAX, &o, need, err);
    if (used <= 0)
        return used;
    if (frame_decode(o.bytes, o.n, f, need, err) == (long)o.n && o.n > 0)
        return used;
    return err->code ? -1 : err_set(err, EPROTO, "a sealed record that is not one "
                                    "frame");
}

/* Take one message off the input: 1, 0 if it is not complete, -1. */
static int conn_step(struct conn *c, struct evbuffer *in, struct err *err)
{
    size_t n, need = c->seal ? SEAL_HEAD : FRAME_HEADER;
    struct frame f;
    long used = 0;

    while (used == 0) {
        while ((n = evbuffer_get_length(in)) < need)
            if (!conn_take_rest(c, in, need - n))
                return 0;
        used = conn_decode(c, evbuffer_pullup(in, (ev_ssize_t)need), need, &f,
                           &need, err);
    }
    if (used < 0 || conn_dispatch(c, &f, err) < 0)
        return -1;
    evbuffer_drain(in, (size_t)used);
    return 1;
}

/* Work off what has come, within the budget. */
static void conn_pump(struct conn *c)
{
    for (int i = 0; i < CONN_BUDGET; i++) {
        struct err err = { 0 };
        int rc;

        if (c->state == CONN_DEAD || c->state == CONN_DIALING ||
            (c->state == CONN_OPEN && c->paused))
            return;
        if (c->state == CONN_PARTING && !c->ended) {
            conn_part(c);
            return;
        }
        struct evbuffer *in = bufferevent_get_input(c->bev);

        if (c->state == CONN_FLUSHING) {
            evbuffer_drain(in, evbuffer_get_length(in));
            rc = 0;
        } else if (c->state == CONN_PARTING) {
            rc = 0;             /* the link is broken */
        } else if (c->state == CONN_OPEN) {
            rc = conn_step(c, in, &err);
        } else {
            rc = conn_shake(c, in, &err);
        }
        if (c->state == CONN_DEAD)
            return;
        if (rc > 0 || (rc < 0 && c->state == CONN_FLUSHING))
            continue;
        if (rc == 0 && !c->ended)
            return;
        if (rc == 0)
            err = c->end;
        if (c->opened)
            conn_fail(c, &err);
        else
            conn_refuse(c, &err);
        return;
    }
    conn_wake_later(c);
}

/* When all is written say so to the peer, who closes then. */
static void conn_end_flush(struct conn *c)
{
    if (c->bev && c->opened && !c->write_failed &&
        evbuffer_get_length(bufferevent_get_output(c->bev)) == 0)
        shutdown(bufferevent_getfd(c->bev), SHUT_WR);
}

/* -------------------------------------------------- callbacks from libevent */

void conn_on_read(struct bufferevent *bev, void *arg)
{
    struct conn *c = conn_enter(arg);

    (void)bev;
    c->heard_ns = clock_monotonic_ns();
    conn_pump(c);
    conn_leave(c);
}

void conn_on_write(struct bufferevent *bev, void *arg)
{
    struct conn *c = conn_enter(arg);

    if (c->state == CONN_FLUSHING)
        conn_end_flush(c);
    else if (c->state == CONN_PARTING)
        conn_pump(c);
    if (c->congested && c->state == CONN_OPEN &&
        evbuffer_get_length(bufferevent_get_output(bev)) <=
            c->conf.low_bytes) {
        c->congested = false;
        if (c->ops->on_drain)
            c->ops->on_drain(c->arg, c);
    }
    conn_leave(c);
}

/* End of file, or an error. A write that failed is not the end: the reason
 * may be on its way to us, so we read on. */
void conn_on_event(struct bufferevent *bev, short what, void *arg)
{
    struct conn *c = conn_enter(arg);
    int code = EVUTIL_SOCKET_ERROR();

    (void)bev;
    if (!c->ended) {
        if (what & BEV_EVENT_EOF)
            err_set(&c->end, ECONNRESET, "%s has closed the connection",
                    c->peer);
        else
            errno = code, err_sys(&c->end, "%s", c->peer);
    }
    if (what & BEV_EVENT_WRITING) {
        c->write_failed = true;
    } else {
        c->ended = true;
        conn_pump(c);
    }
    conn_leave(c);
}

void conn_on_wake(evutil_socket_t fd, short what, void *arg)
{
    struct conn *c = conn_enter(arg);

    (void)fd;
    (void)what;
    if (c->state == CONN_FLUSHING && !c->bev)
        conn_fail(c, &c->end);
    else if (!c->opened && c->is_unix && c->state == CONN_CALL)
        conn_open(c);
    if (c->state == CONN_FLUSHING)
        conn_end_flush(c);
    if (c->state != CONN_DEAD)
        conn_pump(c);
    conn_leave(c);
}

void conn_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct conn *c = conn_enter(arg);
    struct err why = { 0 };

    (void)fd;
    (void)what;
    if (c->opened) {
        conn_tick(c);
    } else {
        err_set(&why, ETIMEDOUT, "%s did not prove the key in time",
                c->dial ? c->peer : "it");
        conn_refuse(c, &why);
    }
    conn_leave(c);
}
