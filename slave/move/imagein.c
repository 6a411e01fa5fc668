/* imagein.c - see imagein.h.
 *
 * Invariant: granted and not come, and come and not read, are the window
 * together until the last piece is here; of an image out of a socket nothing is
 * here. */
#include "slave/move/imagein.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/pipes.h"
#include "slave/move/imageheap.h"
#include "slave/move/splice.h"

enum { PIPE = 1 << 20 };

struct imagein {
    struct event_base *base;    /* borrowed */
    imagein_grant *grant;
    void *arg;
    imagein_lost *lost;         /* of the socket, as is the next */
    void *lost_arg;
    int socket;                 /* owned; -1: it comes in pieces */
    struct splice *splice;      /* owned: until all has come out of the socket */
    int fd;                     /* owned: our end of the pipe; -1: closed */
    uint64_t credit;            /* granted, and has not come */
    bool whole;                 /* all has come */
    struct evbuffer *queue;     /* owned: not read by the process yet */
    struct event *room;         /* owned */
};

void imagein_cut(struct imagein *i)
{
    evbuffer_drain(i->queue, evbuffer_get_length(i->queue));
    splice_close(i->splice);
    i->splice = NULL;
    if (i->fd < 0)
        return;
    event_del(i->room);
    close(i->fd);
    i->fd = -1;
}

static void go_on(struct imagein *i)
{
    if (evbuffer_get_length(i->queue))
        event_add(i->room, NULL);
    else if (i->whole)
        imagein_cut(i);
}

/* So many bytes were read, or lie in the pipe, which are few. */
static void note_written(struct imagein *i, size_t bytes)
{
    if (!bytes || i->whole)
        return;
    i->credit += bytes;
    i->grant(i->arg, bytes);
}

static void on_room(evutil_socket_t fd, short what, void *arg)
{
    struct imagein *i = arg;
    int n = evbuffer_write(i->queue, (int)fd);

    (void)what;
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        imagein_cut(i);         /* it has said why, and ends */
        return;
    }
    note_written(i, n > 0 ? (size_t)n : 0);
    go_on(i);
}

struct imagein *imagein_open(struct event_base *base, int *from, struct err *err)
{
    struct imagein *i = calloc(1, sizeof(*i));
    int theirs, ours;

    if (!i)
        return err_memory(err), NULL;
    if (pipes_open(&theirs, &ours, false)) {
        free(i);
        return err_sys(err, "cannot make a pipe"), NULL;
    }
    *i = (struct imagein){ .base = base, .socket = -1, .fd = ours,
                           .queue = evbuffer_new(),
                           .room = event_new(base, ours, EV_WRITE, on_room, i) };
    imageheap_keep();
    if (!i->queue || !i->room) {
        imagein_close(i);
        close(theirs);
        return err_memory(err), NULL;
    }
    fcntl(ours, F_SETPIPE_SZ, PIPE);
    *from = theirs;
    return i;
}

void imagein_begin(struct imagein *i, uint64_t window, imagein_grant *grant,
                   void *arg)
{
    i->grant = grant;
    i->arg = arg;
    i->credit = window;
    i->grant(i->arg, window);
}

/* What need not wait is not copied. An error is found by on_room(), too. */
static size_t write_now(const struct imagein *i, const void *data, size_t bytes)
{
    ssize_t n = 0;

    if (evbuffer_get_length(i->queue) == 0)
        n = write(i->fd, data, bytes);
    return n > 0 ? (size_t)n : 0;
}

void imagein_take(struct imagein *i, const void *data, size_t bytes, bool last)
{
    size_t done;

    if (i->fd < 0 || i->whole)
        return;
    if (bytes > i->credit) {
        imagein_cut(i);
        return;
    }
    i->credit -= bytes;
    i->whole = last;
    done = write_now(i, data, bytes);
    if (done < bytes && evbuffer_add(i->queue, (const char *)data + done,
                                     bytes - done)) {
        imagein_cut(i);
        return;
    }
    note_written(i, done);
    go_on(i);
}

/* Whoever reads the pipe no more has said why, and ends. */
static void on_over(void *arg, const struct err *why)
{
    struct imagein *i = arg;

    i->whole = !why;
    imagein_cut(i);
    if (why && why->code != EPIPE)
        i->lost(i->lost_arg, why);
}

int imagein_splice(struct imagein *i, int socket, uint64_t dead_ns,
                   imagein_lost *lost, void *arg, struct err *err)
{
    static const struct splice_ops ops = { NULL, on_over };
    struct splice_conf conf = { .from = socket, .to = i->fd, .socket = socket,
                                .dead_ns = dead_ns };

    i->socket = socket;
    i->lost = lost;
    i->lost_arg = arg;
    if (i->fd < 0)
        return err_set(err, EPIPE, "nobody reads it");
    i->splice = splice_open(i->base, &conf, &ops, i, err);
    return i->splice ? 0 : -1;
}

void imagein_close(struct imagein *i)
{
    if (!i)
        return;
    imageheap_release();
    splice_close(i->splice);
    if (i->whole && i->socket >= 0)
        close(i->socket);
    else
        splice_reset(i->socket);
    if (i->room)
        event_free(i->room);
    if (i->queue)
        evbuffer_free(i->queue);
    if (i->fd >= 0)
        close(i->fd);
    free(i);
}
