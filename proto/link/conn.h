/* conn.h - one connection between two of Hector's processes.
 *
 * Life cycle: conn_open_to() or conn_adopt_fd() -> (TCP: proof of the key, and
 * all is sealed from then on; Unix: uid of the peer) -> on_open -> messages ->
 * on_close, once, after which the conn is gone. conn_close() may be called at
 * any time, also from a handler; on_close is then not called.
 *
 * A conn never blocks and never calls back from inside a function of this
 * header. Ping and Pong are its own affair: they keep the link alive, find a
 * dead peer and measure its clock. Everything else goes through the owner's
 * table: a message that is unknown, not for the peer's role, or malformed
 * closes the connection with a sentence, and nothing else. What the peer sent
 * before it closed is delivered before on_close.
 *
 * SIGPIPE is ignored in a process that has a conn; who forks and execs sets it
 * back to the default. */
#ifndef HECTOR_CONN_H
#define HECTOR_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/clock.h"
#include "proto/base/err.h"
#include "proto/link/addr.h"
#include "proto/link/key.h"
#include "proto/link/message.h"

struct conn;
struct seal;

/* Returns 0, or -1 with err filled to close the connection. msg is unpacked
 * and freed by conn after the call: copy what is to stay. */
typedef int conn_handler_f(void *arg, struct conn *c, const void *msg,
                           struct err *err);

/* What one kind of peer may say. roles is a mask of CONN_ROLE(r). */
#define CONN_ROLE(r) (1u << (r))
#define CONN_ANY 0xffffffffu
#define CONN_STRANGER CONN_ROLE(0)      /* as long as it has no role */
struct conn_route { enum message_type type; unsigned roles;
                    conn_handler_f *handle; };

/* For the lists of message.h: the handler of SubmitAgain is on_submit_again. */
#define CONN_ROUTE(NAME, name, roles) { MESSAGE_##NAME, roles, on_##name },

/* Of several routes of one type the first one counts. */
struct conn_ops {
    const struct conn_route *routes;
    size_t nroutes;
    void (*on_open)(void *arg, struct conn *c);
    void (*on_close)(void *arg, struct conn *c, const struct err *why);
    void (*on_drain)(void *arg, struct conn *c);        /* may be NULL */
};

struct conn_conf {
    const struct key *key;      /* borrowed; NULL: TCP is refused */
    uint64_t ping_ns;           /* between pings; 0: 1 s, on TCP 0.5 */
    uint64_t dead_ns;           /* silence after which a peer is dead; twice
                                 * that if its machine was heard of since, by
                                 * what it confirms or repeats; 0: 3 s on TCP,
                                 * CONN_NEVER on a Unix socket, where the
                                 * kernel tells and silence means that somebody
                                 * has stopped the process */
    size_t high_bytes;          /* write queue: congested above; 0: 4 MiB */
    size_t low_bytes;           /* on_drain below; 0: a quarter of it */
    uint64_t shake_ns;          /* for an address to answer, and for the proof of
                                 * the key; 0: 5 s */
    uint64_t again_ns;          /* an address is called again, as dial.h says */
};
#define CONN_NEVER UINT64_MAX
#define CONN_DEAD_NS (3 * CLOCK_NS_PER_S)       /* dead_ns of 0, on TCP */

/* Connect to the first address of the list that answers and proves the key.
 * Returns a conn whose on_open or on_close will be called later. Host names
 * (not numeric addresses) are looked up before it returns, which may block. */
struct conn *conn_open_to(struct event_base *base, const char *addr_list,
                          const struct conn_conf *conf,
                          const struct conn_ops *ops, void *arg,
                          struct err *err);

/* Take an accepted (or inherited, already connected) socket: the listening
 * side. The fd is taken even on failure. */
struct conn *conn_adopt_fd(struct event_base *base, int fd,
                           const struct conn_conf *conf,
                           const struct conn_ops *ops, void *arg,
                           struct err *err);

void conn_close(struct conn *c);        /* NULL is fine */

/* Close after the queue has been written and the peer, having read it all,
 * has closed too, or is dead. From now on c is no longer the owner's, and
 * neither ops nor arg nor conf is used; conn_close_then() calls done(arg) at
 * the end, for a program that wants to leave only then. */
void conn_close_flushed(struct conn *c);
void conn_close_then(struct conn *c, void (*done)(void *arg), void *arg);

/* The socket is to be taken out of a conn that is open. Between two peers:
 *
 *   asks      conn_send(), conn_hush(): nothing is sent after it
 *   answers   in the handler: conn_send(), conn_detach(): nothing is sent after
 *             it, and nothing more may come
 *   asks      in the handler of the answer: conn_detach()
 *
 * conn_hush(): from now on nothing goes out that the owner does not send, no
 * Ping and no Pong either. What comes is taken as ever, also the peer's
 * silence.
 *
 * conn_detach(): besides, nothing more is read. Once all is written taken(arg,
 * fd, seal) is called, as on_close would be: then the conn is gone, and the fd,
 * which does not block, is the owner's, like the seal that what goes there next
 * is to have; NULL on a Unix socket. Where the peer has sent more than the message
 * that is being handled, or the link breaks before, it is on_close. */
void conn_hush(struct conn *c);
typedef void conn_taken_f(void *arg, int fd, struct seal *seal);
void conn_detach(struct conn *c, conn_taken_f *taken);

/* Queue a message. -1 only if it can never be sent (larger than a frame).
 * Before on_open it waits until then; on a conn that is closing it is
 * dropped. */
int conn_send(struct conn *c, enum message_type type, const void *msg);

bool conn_congested(const struct conn *c);
size_t conn_queued_bytes(const struct conn *c);
void conn_pause(struct conn *c);        /* stop reading: flow control */
void conn_resume(struct conn *c);

/* Role of the peer: 0 until the owner's Hello handler has set it; before
 * that only routes for CONN_ANY and CONN_STRANGER are open. */
void conn_set_role(struct conn *c, unsigned role);
unsigned conn_role(const struct conn *c);
/* The last message that the peer knows: later ones are not sent to it, since they
 * would end the connection. Before that, and with 0, all are. */
void conn_set_last(struct conn *c, unsigned type);
/* How long the peer has been silent, although it should have sent a Ping. */
uint64_t conn_silence_ns(const struct conn *c);

/* This peer may be stopped by a person (Ctrl-Z): its silence is no sign of
 * death. As dead_ns of CONN_NEVER. */
void conn_tolerate_silence(struct conn *c);
void conn_set_arg(struct conn *c, void *arg);
/* The peer, for people: "tcp:10.0.0.2:4711", "uid 1000 pid 12". */
const char *conn_peer(const struct conn *c);
const struct clock_offset *conn_clock(const struct conn *c);

/* A listening socket. The connections it accepts get ops and arg; one that
 * opens is announced by on_open, where the owner gives it an arg of its own
 * by conn_set_arg(). One that does not (stranger, wrong key, time-out) is
 * logged and gone: no callback. Until a connection has a role it is a
 * stranger: it has ten seconds to get one, and when there are 256 of them (or
 * no descriptors) the one that is slowest makes room for the next. The fd is
 * taken even on failure. Closing the listener leaves open connections
 * alone. */
struct conn_listener;
struct conn_listener *conn_listen_fd(struct event_base *base, int fd,
                                     const struct conn_conf *conf,
                                     const struct conn_ops *ops, void *arg,
                                     struct err *err);
void conn_listener_close(struct conn_listener *l);

#endif
