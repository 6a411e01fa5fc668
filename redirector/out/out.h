/* out.h - write to a descriptor we share with others, without ever blocking.
 *
 * The descriptor of a terminal, pipe or socket belongs to the people who
 * started us: its open file description is shared with them, so it is never
 * set to O_NONBLOCK. A pipe or terminal is opened once more through /proc (a
 * description of our own), a socket is written with MSG_DONTWAIT, and where
 * neither works we poll before each small write. Files never block.
 *
 * What cannot be written yet is queued. The owner must stop giving when
 * on_full is called, and may go on after on_room. */
#ifndef HECTOR_OUT_H
#define HECTOR_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <event2/event.h>

#include "proto/base/err.h"

enum { OUT_HIGH = 1 << 20, OUT_LOW = 256 << 10 };

struct out;
struct out_ops {
    void (*on_full)(void *arg);
    void (*on_room)(void *arg);
    /* Once; err->code is EPIPE if the reader has gone. What is queued is
     * dropped, and whatever comes later. */
    void (*on_error)(void *arg, struct out *o, const struct err *err);
};

/* fd stays the caller's. name is for messages, borrowed. */
struct out *out_open(struct event_base *base, int fd, const char *name,
                     const struct out_ops *ops, void *arg, struct err *err);

/* Writes or queues; callbacks never come from inside this. */
void out_write(struct out *o, const void *p, size_t n);

size_t out_queued(const struct out *o);

/* What is queued is written as far as it goes at once; NULL is fine. */
void out_close(struct out *o);

/* The descriptor N of "fd:N", -1 if text does not have that form. */
int out_fd(const char *text);

#endif
