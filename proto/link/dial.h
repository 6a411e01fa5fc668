/* dial.h - connect to one of several addresses, without blocking.
 *
 * Addresses are tried in order, each for a bounded time. The callback gets a
 * connected socket, or -1 when no address is left. It is always called from
 * the event loop, never from inside a function of this header. */
#ifndef HECTOR_DIAL_H
#define HECTOR_DIAL_H

#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"

struct dial;

/* fd is the callee's; -1: why says what the last address answered. The
 * callback may destroy the dial. */
typedef void dial_f(void *arg, int fd, const struct err *why);

/* Host names are looked up here, at once: a blocking call. Numeric addresses
 * and paths need no look-up. Nothing is tried before dial_next().
 *
 * An address that has not answered for again_ns is called once more, and the
 * first call goes on: where a network loses packets a kernel repeats its own only
 * after a second, and where it is slow the first answer is on its way. 0: each
 * is called once. */
struct dial *dial_create(struct event_base *base, const char *addr_list,
                         uint64_t timeout_ns, uint64_t again_ns, dial_f *done,
                         void *arg, struct err *err);
void dial_destroy(struct dial *d);              /* NULL is fine */

/* Try the next address: at the start, and when the peer behind the last one
 * turned out to be wrong; why (may be NULL) is then kept for the end. */
void dial_next(struct dial *d, const struct err *why);

/* The address being tried, for people: "tcp:node1:7000". */
const char *dial_peer(const struct dial *d);

#endif
