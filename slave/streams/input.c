/* input.c - stdin of the tasks of one job on this node.
 *
 * Invariants: buf holds the bytes base .. base + n of the stream; every
 * reader's position lies in between; granted never exceeds base +
 * INPUT_WINDOW, so the buffer never grows past the window. A reader's event
 * waits for EV_WRITE while it has something to get, else for EV_READ, which
 * on the writing end of a pipe means only that its reader is gone. For a
 * terminal the end of file is something to get, too. */
#include "slave/streams/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slave/launch/pty.h"

struct reader {
    struct reader *next;
    struct input *in;           /* borrowed */
    struct event *event;        /* owned */
    int fd;                     /* owned */
    uint64_t at;                /* next byte of the stream to write */
    bool writing;               /* what event waits for */
    bool terminal;              /* then it waits for EV_WRITE or not at all */
    char last;                  /* byte written to a terminal */
};

struct input {
    struct event_base *base_loop;       /* borrowed */
    const struct input_ops *ops;
    void *arg;
    struct reader *readers;     /* owned */
    char *buf;                  /* owned, INPUT_WINDOW bytes */
    uint64_t base, granted;
    size_t n;
    bool started, ended, unwanted;
};

struct input *input_create(struct event_base *base,
                           const struct input_ops *ops, void *arg)
{
    struct input *in = calloc(1, sizeof(*in));

    if (!in)
        return NULL;
    in->buf = malloc(INPUT_WINDOW);
    if (!in->buf)
        return free(in), NULL;
    in->base_loop = base;
    in->ops = ops;
    in->arg = arg;
    return in;
}

static void reader_free(struct reader *r)
{
    if (r->event)
        event_free(r->event);
    close(r->fd);
    free(r);
}

void input_destroy(struct input *in)
{
    struct reader *next;

    if (!in)
        return;
    for (struct reader *r = in->readers; r; r = next) {
        next = r->next;
        reader_free(r);
    }
    free(in->buf);
    free(in);
}

static void drop(struct reader *r)
{
    struct input *in = r->in;

    for (struct reader **at = &in->readers; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    reader_free(r);
}

/* Forget what all have, grant what has become free, notice that nobody is
 * left. */
static void settle(struct input *in)
{
    uint64_t end = in->base + in->n, low = end, more;

    for (struct reader *r = in->readers; r; r = r->next)
        low = r->at < low ? r->at : low;
    if (low > in->base) {
        in->n = (size_t)(end - low);
        memmove(in->buf, in->buf + (low - in->base), in->n);
        in->base = low;
    }
    if (!in->started || in->unwanted)
        return;
    if (!in->readers) {
        in->unwanted = true;
        if (!in->ended)
            in->ops->unwanted(in->arg);
        return;
    }
    more = in->base + INPUT_WINDOW - in->granted;
    if (!in->ended && (more >= INPUT_STEP || (more && in->n == 0))) {
        in->granted += more;
        in->ops->grant(in->arg, more);
    }
}

static void wait_for(struct reader *r, bool writing);

/* Type the end of file. False if there is no room for it yet. */
static bool type_end(struct reader *r)
{
    const char *keys = pty_end_of_file(r->fd, r->last);
    ssize_t n = write(r->fd, keys, strlen(keys));

    if (n < (ssize_t)strlen(keys) && (n >= 0 || errno == EAGAIN)) {
        r->last = n > 0 ? '\n' : r->last;
        return false;
    }
    return true;
}

/* Write what fits. False if the reader is gone (and freed). */
static bool push(struct reader *r)
{
    struct input *in = r->in;
    uint64_t end = in->base + in->n;

    while (r->at < end) {
        ssize_t n = write(r->fd, in->buf + (r->at - in->base),
                          (size_t)(end - r->at));

        if (n > 0) {
            r->at += (uint64_t)n;
            r->last = in->buf[r->at - in->base - 1];
        } else if (n < 0 && errno == EAGAIN) {
            break;
        } else if (!(n < 0 && errno == EINTR)) {
            drop(r);
            return false;
        }
    }
    if (r->at == end && in->ended && (!r->terminal || type_end(r))) {
        drop(r);                /* closes it: end of file */
        return false;
    }
    wait_for(r, r->at < end || in->ended);
    return true;
}

static void on_ready(evutil_socket_t fd, short what, void *arg)
{
    struct reader *r = arg;
    struct input *in = r->in;

    (void)fd;
    if (what & EV_READ && !r->writing)
        drop(r);                /* nobody holds the reading end */
    else
        push(r);
    settle(in);
}

static void wait_for(struct reader *r, bool writing)
{
    if (r->writing == writing)
        return;
    event_del(r->event);
    r->writing = writing;
    if (r->terminal && !writing)
        return;
    event_assign(r->event, r->in->base_loop, r->fd,
                 (short)((writing ? EV_WRITE : EV_READ) | EV_PERSIST),
                 on_ready, r);
    event_add(r->event, NULL);
}

static int add(struct input *in, int fd, bool terminal, struct err *err)
{
    struct reader *r = calloc(1, sizeof(*r));

    if (!r)
        return close(fd), err_memory(err);
    r->in = in;
    r->fd = fd;
    r->at = in->base;
    r->terminal = terminal;
    r->last = '\n';
    r->event = event_new(in->base_loop, fd, EV_READ | EV_PERSIST, on_ready,
                         r);
    if (!r->event || (!terminal && event_add(r->event, NULL)))
        return reader_free(r), err_memory(err);
    r->next = in->readers;
    in->readers = r;
    return 0;
}

int input_add(struct input *in, int fd, struct err *err)
{
    return add(in, fd, false, err);
}

int input_add_terminal(struct input *in, int fd, struct err *err)
{
    return add(in, fd, true, err);
}

void input_lost(struct input *in, int fd)
{
    for (struct reader *r = in->readers; r; r = r->next)
        if (r->fd == fd) {
            drop(r);
            settle(in);
            return;
        }
}

void input_start(struct input *in)
{
    in->started = true;
    settle(in);
}

int input_data(struct input *in, const void *data, size_t n, struct err *err)
{
    struct reader *next;

    if (in->base + in->n + n > in->granted || in->ended)
        return err_set(err, EPROTO, "%zu bytes of input that were not asked "
                       "for", n);
    if (!in->readers || n == 0)
        return 0;               /* it was told that nobody reads */
    memcpy(in->buf + in->n, data, n);
    in->n += n;
    for (struct reader *r = in->readers; r; r = next) {
        next = r->next;
        if (!r->writing)
            push(r);
    }
    settle(in);
    return 0;
}

void input_end(struct input *in)
{
    struct reader *next;

    in->ended = true;
    for (struct reader *r = in->readers; r; r = next) {
        next = r->next;
        if (!r->writing)
            push(r);
    }
    settle(in);
}

bool input_is_over(const struct input *in)
{
    return in->unwanted || (in->ended && in->n == 0);
}
