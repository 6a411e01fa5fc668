/* imagein.c - see imagein.h.
 *
 * Invariant: granted and not come, and come and not read, are the window
 * together until the last piece is here; of an image that comes by a socket of
 * its own nothing is here, but for the record that is being opened. */
#include "slave/move/imagein.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/link/seal.h"
#include "slave/link/passfd.h"
#include "slave/link/imageheap.h"
#include "slave/move/splice.h"

struct imagein {
    struct event_base *base;    /* borrowed */
    imagein_grant *grant;
    void *arg;
    imagein_lost *lost;         /* of the socket, as is the next */
    void *lost_arg;
    int socket;                 /* owned; -1: it comes in pieces */
    struct seal *seal;          /* owned; NULL: none, or not sealed */
    struct splice *splice;      /* owned: until all has come there */
    int fd;                     /* owned: our end of the pair; -1: closed */
    uint64_t credit;            /* granted, and has not come */
    bool whole;                 /* all has come */
    struct evbuffer *queue;     /* owned: not read by the process yet */
    struct event *room;         /* owned */
};

/* Nothing is to be done any more: all has come, or will not. */
static void finish(struct imagein *i)
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

/* Who reads a socket of its own finds its end. */
void imagein_cut(struct imagein *i)
{
    if (i->socket >= 0 && !i->whole)
        shutdown(i->socket, SHUT_RDWR);
    finish(i);
}

static void go_on(struct imagein *i)
{
    if (evbuffer_get_length(i->queue))
        event_add(i->room, NULL);
    else if (i->whole)
        finish(i);
}

/* So many bytes were read, or lie in the socket, which are few. */
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
    int ends[2];

    if (!i)
        return err_memory(err), NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        free(i);
        return err_sys(err, "cannot make a socket"), NULL;
    }
    *i = (struct imagein){ .base = base, .socket = -1, .fd = ends[0],
                           .queue = evbuffer_new(),
                           .room = event_new(base, ends[0], EV_WRITE, on_room, i) };
    imageheap_keep();
    if (!i->queue || !i->room) {
        imagein_close(i);
        close(ends[1]);
        return err_memory(err), NULL;
    }
    fcntl(i->fd, F_SETFL, O_NONBLOCK);
    *from = ends[1];
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

static void on_over(void *arg, const struct err *why)
{
    struct imagein *i = arg;

    if (why && why->code == EPIPE) {
        finish(i);              /* the source hears of it when that one ends */
        return;
    }
    i->whole = !why;
    imagein_cut(i);
    if (why)
        i->lost(i->lost_arg, why);
}

/* Who reads no more has said why, and ends. */
int imagein_pass(struct imagein *i, int socket, struct seal *seal,
                 uint64_t dead_ns, imagein_lost *lost, void *arg,
                 struct err *err)
{
    static const struct splice_ops ops = { NULL, on_over };
    struct splice_conf conf = { .from = socket, .to = seal ? i->fd : -1,
                                .socket = socket, .seal = seal,
                                .dead_ns = dead_ns };

    i->socket = socket;
    i->seal = seal;
    i->lost = lost;
    i->lost_arg = arg;
    if (i->fd < 0)
        return err_set(err, EPIPE, "nobody reads it");
    i->splice = splice_open(i->base, &conf, &ops, i, err);
    if (!i->splice)
        return -1;
    if (seal)
        return 0;
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
    if (passfd_send(i->fd, "", 1, socket, 0) != 1) {
        imagein_cut(i);
        return 0;
    }
    event_del(i->room);
    close(i->fd);
    i->fd = -1;
    return 0;
}

void imagein_close(struct imagein *i)
{
    if (!i)
        return;
    imageheap_release();
    splice_close(i->splice);
    seal_free(i->seal);
    if (i->socket >= 0 && !i->whole)    /* the process has it, too */
        shutdown(i->socket, SHUT_RDWR);
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
