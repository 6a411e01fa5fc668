/* reader.c - the reader of descriptor 0; see reader.h.
 *
 * Exactly one of these holds: no credit, nothing is armed; `event` waits for
 * the descriptor; `timer` looks again (a file: at once; a terminal that is
 * not ours: in a while); it is over. */
#include "redirector/in/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/link/timer.h"

enum { READER_CHUNK = 128 << 10 };
#define READER_BACKGROUND_NS (100 * CLOCK_NS_PER_MS)

struct reader {
    int fd;                     /* borrowed */
    bool waits;                 /* the descriptor can be waited for */
    bool terminal, over;
    struct event *event;        /* owned; NULL if it cannot be waited for */
    struct event *timer;        /* owned */
    const struct reader_ops *ops;        /* borrowed */
    void *arg;
    char *buf;                  /* owned */
};

/* Would reading stop us, as the terminal belongs to somebody else? */
static bool reader_is_background(const struct reader *r)
{
    pid_t front = r->terminal ? tcgetpgrp(r->fd) : -1;

    return front >= 0 && front != getpgrp();
}

static void reader_arm(struct reader *r)
{
    if (r->over || r->ops->credit(r->arg) == 0) {
        if (r->event)
            event_del(r->event);
        event_del(r->timer);
    } else if (reader_is_background(r)) {
        event_del(r->event);
        timer_set(r->timer, READER_BACKGROUND_NS);
    } else if (r->waits) {
        event_add(r->event, NULL);
    } else {
        timer_set(r->timer, 0);
    }
}

static void reader_finish(struct reader *r, int code)
{
    struct err err;

    r->over = true;
    errno = code;
    if (code) {
        err_sys(&err, "cannot read standard input");
        r->ops->error(r->arg, &err);
    } else {
        r->ops->end(r->arg);
    }
}

static void reader_read(struct reader *r)
{
    size_t room = r->ops->credit(r->arg);
    struct pollfd p = { .fd = r->fd, .events = POLLIN };

    if (r->over || room == 0 || reader_is_background(r))
        return;
    /* Somebody else who reads here may have been faster. */
    if (r->waits && poll(&p, 1, 0) == 0)
        return;
    ssize_t n = read(r->fd, r->buf,
                     room < READER_CHUNK ? room : READER_CHUNK);

    if (n > 0)
        r->ops->take(r->arg, r->buf, (size_t)n);
    else if (n == 0)
        reader_finish(r, 0);
    else if (errno == EIO && r->terminal)
        reader_finish(r, 0);            /* hung up */
    else if (errno != EAGAIN && errno != EINTR)
        reader_finish(r, errno);
}

static void reader_on_event(evutil_socket_t fd, short what, void *arg)
{
    struct reader *r = arg;

    (void)fd;
    (void)what;
    reader_read(r);
    reader_arm(r);
}

static void reader_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct reader *r = arg;

    (void)fd;
    (void)what;
    if (!r->waits)
        reader_read(r);
    reader_arm(r);
}

/* epoll refuses regular files, /dev/null and the like. */
static bool reader_can_wait(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
        S_ISBLK(st.st_mode))
        return false;
    return !S_ISCHR(st.st_mode) || isatty(fd);
}

struct reader *reader_open(struct event_base *base, int fd,
                         const struct reader_ops *ops, void *arg,
                         struct err *err)
{
    struct reader *r = calloc(1, sizeof(*r));

    if (!r)
        return err_memory(err), NULL;
    r->fd = fd;
    r->ops = ops;
    r->arg = arg;
    r->waits = reader_can_wait(fd);
    r->terminal = isatty(fd);
    r->buf = malloc(READER_CHUNK);
    r->timer = evtimer_new(base, reader_on_timer, r);
    if (r->waits)
        r->event = event_new(base, fd, EV_READ, reader_on_event, r);
    if (!r->buf || !r->timer || (r->waits && !r->event)) {
        err_memory(err);
        reader_close(r);
        return NULL;
    }
    return r;
}

void reader_wake(struct reader *r)
{
    if (!r->over)
        reader_arm(r);
}

void reader_drop(struct reader *r)
{
    if (r->event)
        event_del(r->event);
    event_del(r->timer);
    r->over = true;
    if (r->terminal)
        return;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (null < 0)
        return;
    dup2(null, r->fd);
    close(null);
}

void reader_close(struct reader *r)
{
    if (!r)
        return;
    if (r->event)
        event_free(r->event);
    timer_free(r->timer);
    free(r->buf);
    free(r);
}
