/* dial.c - trying addresses in order; see dial.h.
 *
 * Between dial_next() and the callback the timer is pending: for the deferred
 * start of an attempt, the next socket of it, or its end. All sockets are of one
 * attempt, the same address; the first that is connected counts, the first that
 * fails ends it. Unix sockets answer EAGAIN while the listener's queue is full;
 * then the attempt starts again a little later. */
#include "proto/link/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/link/addr.h"
#include "proto/link/timer.h"

enum { DIAL_MAX = 64,                   /* addresses of one list, resolved */
       DIAL_SOCKETS = 8 };              /* at once, to one address */
#define DIAL_RETRY_NS (20 * CLOCK_NS_PER_MS)

struct dial_target {
    struct sockaddr_storage sa;
    socklen_t len;
    char text[ADDR_TEXT_MAX];
};

struct dial {
    struct event_base *base;            /* borrowed */
    struct event *timer;                /* owned; see above */
    struct event *socket[DIAL_SOCKETS]; /* owned, like their descriptors */
    int nsockets;
    uint64_t timeout_ns, again_ns, deadline_ns;
    dial_f *done;
    void *arg;
    struct err last;                    /* why the last address was no good */
    int n, at;                          /* at: -1 before the first */
    struct dial_target target[];
};

/* ---------------------------------------------------------------- targets */

static int dial_add_unix(struct dial_target *t, const struct addr *a)
{
    struct sockaddr_un *sun = (struct sockaddr_un *)&t->sa;

    t->len = addr_unix(a, sun);
    addr_format(a, t->text, sizeof(t->text));
    return 1;
}

/* First without the resolver. If that fails it is a name, and getaddrinfo()
 * may block for seconds: libevent's own resolver would not see nsswitch, and
 * names occur only where a person typed one, before the work begins. */
static int dial_add_tcp(struct dial_target *t, int max, const struct addr *a,
                        struct err *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                              .ai_flags = AI_NUMERICHOST }, *list;
    char port[8];
    int n = 0;

    snprintf(port, sizeof(port), "%u", a->port);
    int gai = getaddrinfo(a->host, port, &hints, &list);

    if (gai != 0) {
        hints.ai_flags = AI_ADDRCONFIG;
        gai = getaddrinfo(a->host, port, &hints, &list);
    }
    if (gai != 0)
        return err_set(err, EADDRNOTAVAIL, "host %s: %s", a->host,
                       gai_strerror(gai));
    for (struct addrinfo *i = list; i && n < max; i = i->ai_next, n++) {
        memcpy(&t[n].sa, i->ai_addr, i->ai_addrlen);
        t[n].len = i->ai_addrlen;
        addr_format(a, t[n].text, sizeof(t[n].text));
    }
    freeaddrinfo(list);
    return n;
}

/* One name that means nothing does not spoil the others. */
static int dial_add_all(struct dial *d, const char *addr_list, struct err *err)
{
    struct addr *v = calloc(DIAL_MAX, sizeof(*v));

    if (!v)
        return err_memory(err);
    int n = addr_parse_list(v, DIAL_MAX, addr_list, err);

    for (int i = 0; i < n && d->n < DIAL_MAX; i++) {
        struct dial_target *t = &d->target[d->n];
        int got = v[i].is_unix ? dial_add_unix(t, &v[i])
                : dial_add_tcp(t, DIAL_MAX - d->n, &v[i], &d->last);

        if (got > 0)
            d->n += got;
    }
    free(v);
    if (n < 0)
        return -1;
    if (d->n == 0)
        return err_set(err, d->last.code, "%s", d->last.text);
    return 0;
}

/* --------------------------------------------------------------- attempts */

/* All sockets but this one. */
static void dial_drop(struct dial *d, int spare)
{
    while (d->nsockets > 0) {
        struct event *e = d->socket[--d->nsockets];
        int fd = event_get_fd(e);

        event_free(e);
        if (fd != spare)
            close(fd);
    }
}

static void dial_fail(struct dial *d)
{
    err_sys(&d->last, "cannot connect to %s", dial_peer(d));
    dial_drop(d, -1);
    dial_next(d, NULL);
}

static void dial_succeed(struct dial *d, int fd)
{
    dial_drop(d, fd);
    event_del(d->timer);
    d->done(d->arg, fd, NULL);          /* may destroy d: nothing after */
}

static void dial_ready(evutil_socket_t fd, short what, void *arg)
{
    struct dial *d = arg;
    int code;
    socklen_t len = sizeof(code);

    (void)what;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0)
        code = errno;
    if (code == 0) {
        dial_succeed(d, fd);
        return;
    }
    errno = code;
    dial_fail(d);
}

/* Until the next socket, or the end. */
static void dial_await(struct dial *d, uint64_t now_ns)
{
    uint64_t ns = d->deadline_ns > now_ns ? d->deadline_ns - now_ns : 0;

    if (d->again_ns && d->again_ns < ns)
        ns = d->again_ns;
    timer_set(d->timer, ns);
}

/* One more socket; true: it is on its way. */
static bool dial_open(struct dial *d, int fd)
{
    struct event *e = event_new(d->base, fd, EV_WRITE, dial_ready, d);

    if (e && event_add(e, NULL) == 0) {
        d->socket[d->nsockets++] = e;
        return true;
    }
    if (e)
        event_free(e);
    errno = ENOMEM;
    return false;
}

static void dial_on_timer(evutil_socket_t none, short what, void *arg)
{
    struct dial *d = arg;
    uint64_t now_ns = clock_monotonic_ns();
    int fd;

    (void)none;
    (void)what;
    if (d->at >= d->n) {
        d->done(d->arg, -1, &d->last);  /* may destroy d: nothing after */
        return;
    }
    if (d->nsockets && now_ns >= d->deadline_ns) {
        errno = ETIMEDOUT;
        dial_fail(d);
        return;
    }
    if (d->nsockets == (d->again_ns ? DIAL_SOCKETS : 1)) {
        dial_await(d, now_ns);          /* it was early */
        return;
    }
    const struct dial_target *t = &d->target[d->at];

    fd = socket(t->sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                0);
    if (fd < 0) {
        dial_fail(d);
    } else if (connect(fd, (const struct sockaddr *)&t->sa, t->len) == 0) {
        dial_succeed(d, fd);
    } else if (errno == EINPROGRESS && dial_open(d, fd)) {
        dial_await(d, now_ns);
    } else if (errno == EAGAIN && now_ns < d->deadline_ns) {
        close(fd);
        timer_set(d->timer, DIAL_RETRY_NS);
    } else {
        int code = errno;

        close(fd);
        errno = code;
        dial_fail(d);
    }
}

void dial_next(struct dial *d, const struct err *why)
{
    if (why)
        d->last = *why;
    if (d->at < d->n)
        d->at++;
    d->deadline_ns = clock_monotonic_ns() + d->timeout_ns;
    timer_set(d->timer, 0);
}

const char *dial_peer(const struct dial *d)
{
    int at = d->at < 0 ? 0 : d->at < d->n ? d->at : d->n - 1;

    return d->target[at].text;
}

struct dial *dial_create(struct event_base *base, const char *addr_list,
                         uint64_t timeout_ns, uint64_t again_ns, dial_f *done,
                         void *arg, struct err *err)
{
    struct dial *d = calloc(1, sizeof(*d) + DIAL_MAX * sizeof(d->target[0]));

    if (!d)
        return err_memory(err), NULL;
    *d = (struct dial){ .base = base, .timeout_ns = timeout_ns,
                        .again_ns = again_ns, .done = done, .arg = arg,
                        .at = -1 };
    if (dial_add_all(d, addr_list, err) < 0) {
        dial_destroy(d);
        return NULL;
    }
    d->timer = evtimer_new(base, dial_on_timer, d);
    if (!d->timer) {
        err_memory(err);
        dial_destroy(d);
        return NULL;
    }
    return d;
}

void dial_destroy(struct dial *d)
{
    if (!d)
        return;
    timer_free(d->timer);
    dial_drop(d, -1);
    free(d);
}
