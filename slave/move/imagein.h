/* imagein.h - the image of a task that comes, on its way in: out of a socket that
 * the process gets which is to become the task; or in pieces, which wait until it
 * has read them, and only so much is asked for as may wait.
 *
 * That process reads a Unix socket. Either the image is what comes there, in
 * pieces or opened by us where the other socket is sealed; or a byte and with
 * it the other socket, which it reads from then on. */
#ifndef HECTOR_IMAGEIN_H
#define HECTOR_IMAGEIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct event_base;
struct imagein;
struct seal;

/* There is room for so many bytes more. */
typedef void imagein_grant(void *arg, uint64_t bytes);
/* The socket is worth nothing any more. */
typedef void imagein_lost(void *arg, const struct err *why);

/* *from: where the process is to read, the caller's. NULL with err. */
struct imagein *imagein_open(struct event_base *base, int *from, struct err *err);
/* Pieces may come. window: bytes that may wait. */
void imagein_begin(struct imagein *i, uint64_t window, imagein_grant *grant,
                   void *arg);
/* last: that is all. The socket is closed when it was read; at once, so that the
 * process finds its image cut, if it is more than was granted or there is no
 * memory. */
void imagein_take(struct imagein *i, const void *data, size_t bytes, bool last);
/* It comes out of a socket, which is taken like its seal (NULL: none), up to
 * the end of that; whether it is whole finds the process. dead_ns: as conn_conf
 * has it. Before that end the image is cut, and lost(arg) called. -1: it is cut
 * already, or there is no memory. */
int imagein_pass(struct imagein *i, int socket, struct seal *seal,
                 uint64_t dead_ns, imagein_lost *lost, void *arg,
                 struct err *err);
/* There will be no more: the process finds its image cut. */
void imagein_cut(struct imagein *i);
/* NULL is fine. */
void imagein_close(struct imagein *i);

#endif
