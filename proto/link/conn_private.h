/* conn_private.h - what conn.c, conn_open.c and conn_listener.c share; for
 * nobody else.
 *
 * States, and who moves on:
 *
 *   DIALING --conn_on_dial--> ANSWER --conn_on_answer--> OPEN   we connect
 *   CALL --conn_on_call--> PROOF --conn_on_proof--> OPEN        they did
 *   (Unix: DIALING --> CALL --conn_on_wake--> OPEN after the uid check)
 *   OPEN --conn_close_then--> FLUSHING --> DEAD                 any --> DEAD
 *   OPEN --conn_detach--> PARTING --conn_part--> DEAD, the socket is taken
 *
 * Invariants: bev is NULL exactly while DIALING. Every callback from libevent
 * runs between conn_enter() and conn_leave(); a conn that becomes DEAD inside
 * is freed by the outermost conn_leave(), so handlers may close any conn. The
 * owner is called only in OPEN, and once more, by conn_fail() or conn_part(),
 * at the end. */
#ifndef HECTOR_CONN_PRIVATE_H
#define HECTOR_CONN_PRIVATE_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>

#include "proto/link/conn.h"
#include "proto/link/dial.h"
#include "proto/link/seal.h"

enum conn_state { CONN_DIALING, CONN_CALL, CONN_ANSWER, CONN_PROOF, CONN_OPEN,
                  CONN_FLUSHING, CONN_PARTING, CONN_DEAD };

/* Called once, when an accepted connection is no stranger any more: it has
 * got a role, or the owner has closed it (why NULL), or it has failed. */
typedef void conn_settled_f(void *arg, struct conn *c, const struct err *why);

enum { CONN_MAGIC = 0x434f4e4e };

struct conn {
    unsigned magic;
    enum conn_state state;
    unsigned depth;             /* of callbacks on the stack */
    bool paused, congested, opened;
    bool hushed;                /* no Ping, no Pong */
    bool is_unix;
    bool ended;                 /* the peer sends no more; why in end */
    bool write_failed;
    unsigned role;
    unsigned last;              /* message that the peer knows; 0: all */
    uint32_t next_in, next_out; /* sequence numbers */
    struct event_base *base;    /* borrowed */
    struct bufferevent *bev;    /* owned */
    struct evbuffer *early;     /* owned; sent before we were open, or NULL */
    struct event *wake;         /* owned; pump once more, next turn */
    struct event *timer;        /* owned; time-out of the proof, then pings */
    struct dial *dial;          /* owned; connecting side until open */
    uint64_t dead_ns;           /* as conf, with the default of the family */
    const struct conn_ops *ops; /* borrowed */
    void *arg;
    struct conn_conf conf;      /* defaults filled in */
    struct key_exchange exchange;
    struct seal *seal;          /* owned; NULL: Unix, or not proved yet */
    struct clock_offset clock;
    uint64_t heard_ns, tick_ns; /* monotonic */
    uint64_t born_ns;
    struct err end;
    conn_settled_f *settled;    /* NULL: no stranger */
    void *settled_arg;
    void (*done)(void *arg);    /* of conn_close_then */
    void *done_arg;
    conn_taken_f *taken;        /* of conn_detach */
    char peer[ADDR_TEXT_MAX];
};

struct conn *conn_enter(void *arg);
void conn_leave(struct conn *c);

/* The end that is not the owner's wish. Only between enter and leave. */
void conn_fail(struct conn *c, const struct err *why);

void conn_free(struct conn *c);
void conn_wake_later(struct conn *c);
void conn_set_timer(struct conn *c, uint64_t ns);
void conn_spare_reader(const struct conn *c);
/* Has the peer's kernel confirmed all that we sent, or something of it since
 * then? Never on a Unix socket, which has nothing to confirm. */
bool conn_is_confirmed(const struct conn *c, uint64_t since_ns);
void conn_ping(struct conn *c);

/* Callbacks from libevent, for who makes the bufferevent and the events. */
void conn_on_read(struct bufferevent *bev, void *arg);
void conn_on_write(struct bufferevent *bev, void *arg);
void conn_on_event(struct bufferevent *bev, short what, void *arg);
void conn_on_wake(evutil_socket_t fd, short what, void *arg);
void conn_on_timer(evutil_socket_t fd, short what, void *arg);

/* conn_open.c: one step of the proof, if all its bytes are there: 1, 0, -1. */
int conn_shake(struct conn *c, struct evbuffer *in, struct err *err);

/* conn_open.c: all is proved. */
void conn_open(struct conn *c);

/* conn.c: room for a frame of so many bytes at the end of out; NULL: no memory.
 * Then the frame there is written, and is sealed where the link is. */
uint8_t *conn_frame_begin(const struct conn *c, struct evbuffer *out,
                          size_t bytes, struct evbuffer_iovec *v);
void conn_frame_end(struct conn *c, struct evbuffer *out,
                    struct evbuffer_iovec *v);

/* conn_open.c: this peer is not the one; perhaps there is another address. */
void conn_refuse(struct conn *c, const struct err *why);

/* How long a stranger may take to say who it is. */
#define CONN_HELLO_NS (10 * CLOCK_NS_PER_S)

/* As conn_adopt_fd(), but on_close is not called before on_open was, and who
 * has no role after CONN_HELLO_NS is sent away. */
struct conn *conn_accept_fd(struct event_base *base, int fd,
                            const struct conn_conf *conf,
                            const struct conn_ops *ops, void *arg,
                            conn_settled_f *settled, void *settled_arg,
                            struct err *err);

#endif
