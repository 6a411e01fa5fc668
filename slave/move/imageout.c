/* imageout.c - see imageout.h.
 *
 * Invariant: nothing is read while there is no credit, or by somebody else. A
 * read of no bytes says the same as the end of the pipe. */
#include "slave/move/imageout.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/pipes.h"
#include "proto/link/timer.h"
#include "slave/link/imageheap.h"

enum { PIECE = 256 << 10, PIPE = 1 << 20 };
#define LATER_NS (2 * CLOCK_NS_PER_MS)

struct imageout {
    const struct imageout_ops *ops;
    void *arg;
    int fd;                     /* owned: our end of the pipe */
    uint64_t credit;
    bool begun, passed;         /* somebody reads it, and that is not us */
    struct event *readable;     /* owned, as is the next; pending only with credit */
    struct event *later;        /* it was congested */
};

static void listen_on(struct imageout *o)
{
    if (o->credit && !o->passed && !event_pending(o->later, EV_TIMEOUT, NULL))
        event_add(o->readable, NULL);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    static char piece[PIECE];
    struct imageout *o = arg;
    ssize_t n;

    (void)what;
    if (o->ops->congested(o->arg)) {    /* the event would come at once */
        timer_set(o->later, LATER_NS);
        return;
    }
    o->passed = !o->begun && o->ops->pass(o->arg, (int)fd);
    o->begun = true;
    if (o->passed)
        return;
    n = read((int)fd, piece, o->credit < PIECE ? (size_t)o->credit : PIECE);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        o->ops->over(o->arg);
        return;
    }
    if (n > 0) {
        o->credit -= (uint64_t)n;
        o->ops->piece(o->arg, piece, (size_t)n);
    }
    listen_on(o);
}

static void on_later(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    listen_on(arg);
}

struct imageout *imageout_open(struct event_base *base, const struct imageout_ops *ops,
                               void *arg, int *to, struct err *err)
{
    struct imageout *o = calloc(1, sizeof(*o));
    int ours, theirs;

    if (!o)
        return err_memory(err), NULL;
    if (pipes_open(&ours, &theirs, true)) {
        free(o);
        return err_sys(err, "cannot make a pipe"), NULL;
    }
    *o = (struct imageout){ .ops = ops, .arg = arg, .fd = ours,
                            .readable = event_new(base, ours, EV_READ, on_readable, o),
                            .later = evtimer_new(base, on_later, o) };
    imageheap_keep();
    if (!o->readable || !o->later) {
        imageout_close(o);
        close(theirs);
        return err_memory(err), NULL;
    }
    fcntl(theirs, F_SETPIPE_SZ, PIPE);
    *to = theirs;
    return o;
}

void imageout_credit(struct imageout *o, uint64_t bytes)
{
    o->credit += bytes;
    listen_on(o);
}

void imageout_close(struct imageout *o)
{
    if (!o)
        return;
    imageheap_release();
    if (o->readable)
        event_free(o->readable);
    timer_free(o->later);
    close(o->fd);
    free(o);
}
