/* out.c - one place to write to, with its queue; see out.h.
 *
 * Small pieces are collected and written at the end of the turn of the event
 * loop; big ones go out at once, uncopied, if nothing waits before them.
 * Invariant: full <=> on_full was called and on_room was not yet. */
#include "redirector/out/out.h"

#include <errno.h>
#include <event2/buffer.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proto/base/parse.h"
#include "proto/link/timer.h"

enum out_way {
    OUT_FILE,           /* never blocks */
    OUT_OWN,            /* our own non-blocking description */
    OUT_SOCKET,         /* MSG_DONTWAIT */
    OUT_POLL,           /* poll before each write of at most PIPE_BUF */
};
enum { OUT_DIRECT = 16 << 10, OUT_CHUNK = 256 << 10, OUT_VECTORS = 16,
       OUT_TTY_CHUNK = 256 };

struct out {
    enum out_way way;
    int fd;                     /* written to; owned if way is OUT_OWN */
    size_t chunk;               /* at most so much in a write */
    bool full, failed, waiting; /* waiting: for the fd to take more */
    struct evbuffer *queue;     /* owned */
    struct event *ready;        /* owned; the fd can be written */
    struct event *later;        /* owned; end of this turn */
    struct err err;             /* if failed */
    const char *name;           /* borrowed */
    const struct out_ops *ops;  /* borrowed */
    void *arg;
};

/* ------------------------------------------------------------------ open */

static void out_on_ready(evutil_socket_t fd, short what, void *arg);
static void out_on_later(evutil_socket_t fd, short what, void *arg);

/* A description of our own of the pipe or terminal behind fd. */
static int out_reopen(int fd)
{
    char path[40];
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return -1;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void out_choose_way(struct out *o, int fd)
{
    struct stat st = { 0 };

    o->fd = fd;
    o->chunk = OUT_CHUNK;
    fstat(fd, &st);
    if (S_ISSOCK(st.st_mode)) {
        o->way = OUT_SOCKET;
    } else if (S_ISFIFO(st.st_mode) || isatty(fd)) {
        int own = out_reopen(fd);

        o->way = own < 0 ? OUT_POLL : OUT_OWN;
        if (own >= 0)
            o->fd = own;
        else
            o->chunk = S_ISFIFO(st.st_mode) ? PIPE_BUF : OUT_TTY_CHUNK;
    } else {
        o->way = OUT_FILE;
    }
}

struct out *out_open(struct event_base *base, int fd, const char *name,
                     const struct out_ops *ops, void *arg, struct err *err)
{
    struct out *o = calloc(1, sizeof(*o));

    if (!o)
        return err_memory(err), NULL;
    o->name = name;
    o->ops = ops;
    o->arg = arg;
    out_choose_way(o, fd);
    o->queue = evbuffer_new();
    o->later = evtimer_new(base, out_on_later, o);
    if (o->way != OUT_FILE)
        o->ready = event_new(base, o->fd, EV_WRITE, out_on_ready, o);
    if (!o->queue || !o->later || (o->way != OUT_FILE && !o->ready)) {
        err_memory(err);
        out_close(o);
        return NULL;
    }
    return o;
}

/* --------------------------------------------------------------- writing */

static ssize_t out_writev(struct out *o, struct iovec *v, int n)
{
    struct msghdr msg = { .msg_iov = v, .msg_iovlen = (size_t)n };
    struct pollfd p = { .fd = o->fd, .events = POLLOUT };

    switch (o->way) {
    case OUT_SOCKET:
        return sendmsg(o->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
    case OUT_POLL:
        if (poll(&p, 1, 0) == 0)
            return errno = EAGAIN, -1;
        break;
    case OUT_FILE:
    case OUT_OWN:
        break;
    }
    return writev(o->fd, v, n);
}

/* Write some of v. 0: it takes no more now; -1: failed, which is noted. */
static ssize_t out_some(struct out *o, struct iovec *v, int n)
{
    size_t room = o->chunk;
    int used = 0;

    for (; used < n && room > 0; used++) {
        if (v[used].iov_len > room)
            v[used].iov_len = room;
        room -= v[used].iov_len;
    }
    ssize_t wrote;

    do
        wrote = out_writev(o, v, used);
    while (wrote < 0 && errno == EINTR);
    if (wrote < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (wrote < 0) {
        err_sys(&o->err, "cannot write %s", o->name);
        o->failed = true;
        evbuffer_drain(o->queue, evbuffer_get_length(o->queue));
    }
    return wrote;
}

static void out_flush(struct out *o)
{
    struct evbuffer_iovec ev[OUT_VECTORS];
    struct iovec v[OUT_VECTORS];

    while (!o->failed && evbuffer_get_length(o->queue) > 0) {
        int n = evbuffer_peek(o->queue, OUT_CHUNK, NULL, ev, OUT_VECTORS);

        if (n > OUT_VECTORS)
            n = OUT_VECTORS;
        for (int i = 0; i < n; i++)
            v[i] = (struct iovec){ ev[i].iov_base, ev[i].iov_len };
        ssize_t wrote = out_some(o, v, n);

        if (wrote <= 0) {
            o->waiting = wrote == 0;
            break;
        }
        evbuffer_drain(o->queue, (size_t)wrote);
    }
    if (o->waiting)
        event_add(o->ready, NULL);
}

static void out_later(struct out *o)
{
    if (!event_pending(o->later, EV_TIMEOUT, NULL))
        timer_set(o->later, 0);
}

void out_write(struct out *o, const void *p, size_t n)
{
    const char *from = p;

    if (o->failed)
        return;
    while (n >= OUT_DIRECT && !o->waiting &&
           evbuffer_get_length(o->queue) == 0) {
        struct iovec v = { (void *)from, n };
        ssize_t wrote = out_some(o, &v, 1);

        if (wrote < 0)
            break;
        if (wrote == 0) {
            o->waiting = true;
            event_add(o->ready, NULL);
        }
        from += wrote;
        n -= (size_t)wrote;
    }
    if (n > 0 && !o->failed && evbuffer_add(o->queue, from, n) < 0) {
        err_set(&o->err, ENOMEM, "out of memory for %s", o->name);
        o->failed = true;
    }
    if (o->failed || !o->waiting || evbuffer_get_length(o->queue) > OUT_HIGH)
        out_later(o);
}

/* Tell the owner how it stands: the only place that does. */
static void out_report(struct out *o)
{
    size_t queued = evbuffer_get_length(o->queue);

    if (o->failed) {
        bool was_full = o->full;

        o->full = false;
        if (o->err.code) {
            struct err err = o->err;

            o->err.code = 0;
            o->ops->on_error(o->arg, o, &err);
        }
        if (was_full)
            o->ops->on_room(o->arg);
    } else if (!o->full && queued > OUT_HIGH) {
        o->full = true;
        o->ops->on_full(o->arg);
    } else if (o->full && queued <= OUT_LOW) {
        o->full = false;
        o->ops->on_room(o->arg);
    }
}

static void out_on_ready(evutil_socket_t fd, short what, void *arg)
{
    struct out *o = arg;

    (void)fd;
    (void)what;
    o->waiting = false;
    out_flush(o);
    out_report(o);
}

static void out_on_later(evutil_socket_t fd, short what, void *arg)
{
    struct out *o = arg;

    (void)fd;
    (void)what;
    if (!o->waiting)
        out_flush(o);
    out_report(o);
}

size_t out_queued(const struct out *o)
{
    return evbuffer_get_length(o->queue);
}

void out_close(struct out *o)
{
    if (!o)
        return;
    if (o->queue && !o->failed)
        out_flush(o);
    if (o->ready)
        event_free(o->ready);
    timer_free(o->later);
    if (o->queue)
        evbuffer_free(o->queue);
    if (o->way == OUT_OWN)
        close(o->fd);
    free(o);
}

int out_fd(const char *text)
{
    uint64_t fd;

    if (strncmp(text, "fd:", 3) != 0 ||
        parse_u64(&fd, text + 3, 0, 1 << 20, NULL) < 0)
        return -1;
    return (int)fd;
}
