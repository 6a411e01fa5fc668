/* door.c - see door.h. Invariant: what the library reads from the pipe under
 * its own descriptor are sockets that are open, said their first words, and
 * belong to nobody else any more. */
#include "slave/door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/refused.h"

enum { DOOR_WAITING = 256, DOOR_TURN = 64, DOOR_NOBODY = -1 };
#define DOOR_WORDS_NS (5 * CLOCK_NS_PER_S)      /* to say the first one */
#define DOOR_REST_NS (1 * CLOCK_NS_PER_S)       /* and then the rest */

struct guest {
    struct guest *next, *prev;
    struct door *door;
    struct event *words;        /* owned */
    int fd;                     /* owned */
    struct sockaddr_in at;
};

struct door {
    int listening;              /* owned: the library's socket */
    int pipe;                   /* owned: where we write */
    int diag;                   /* owned: netlink, or -1 */
    struct event *come;         /* owned */
    struct event_base *base;
    door_may_f *may;
    void *arg;
    struct guest guests;        /* a ring, the one that came first is next */
    size_t nguests;
};

/* The library's descriptor, behind which the pipe is; and whether its thread
 * waits there. */
static atomic_int door_inside = -1;
static atomic_bool door_awaited;

/* The library's accept(), for one of its descriptors. */
int accept(int fd, __SOCKADDR_ARG addr, socklen_t *restrict n)
{
    int guest = DOOR_NOBODY;
    ssize_t got;

    if (fd < 0 || fd != atomic_load(&door_inside))
        return accept4(fd, addr, n, 0);
    atomic_store(&door_awaited, true);
    do
        got = read(fd, &guest, sizeof(guest));
    while (got < 0 && errno == EINTR);
    atomic_store(&door_awaited, false);
    if (got != sizeof(guest) || guest == DOOR_NOBODY)
        return errno = ECONNABORTED, -1;
    getpeername(guest, addr, n);
    return guest;
}

static bool door_listens(int fd)
{
    struct sockaddr_storage sa = { 0 };
    socklen_t n = sizeof(sa), m = sizeof(int);
    int yes = 0;

    return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &m) && yes &&
           !getsockname(fd, (struct sockaddr *)&sa, &n) &&
           sa.ss_family == AF_INET;
}

void door_look(struct door_before *b)
{
    for (int fd = 0; fd < DOOR_FDS; fd++)
        b->listens[fd] = door_listens(fd);
}

/* ------------------------------------------------------------ who is there */

/* The owner of the socket on the other end, which is on this machine. -1: the
 * kernel does not say. */
static int64_t door_owner(const struct door *d, const struct guest *g)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 req;
    } ask = { .head = { .nlmsg_len = sizeof(ask),
                        .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                        .nlmsg_flags = NLM_F_REQUEST },
              .req = { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP,
                       .idiag_states = ~0u } };
    union { struct nlmsghdr head; char room[4096]; } answer;
    const struct inet_diag_msg *m = NLMSG_DATA(&answer.head);
    struct sockaddr_in own;
    socklen_t n = sizeof(own);
    ssize_t got;

    if (d->diag < 0 || getsockname(g->fd, (struct sockaddr *)&own, &n))
        return -1;
    ask.req.id.idiag_sport = g->at.sin_port;
    ask.req.id.idiag_dport = own.sin_port;
    ask.req.id.idiag_src[0] = g->at.sin_addr.s_addr;
    ask.req.id.idiag_dst[0] = own.sin_addr.s_addr;
    ask.req.id.idiag_cookie[0] = ask.req.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (send(d->diag, &ask, sizeof(ask), 0) != sizeof(ask))
        return -1;
    got = recv(d->diag, &answer, sizeof(answer), 0);
    if (got < (ssize_t)NLMSG_LENGTH(sizeof(*m)) ||
        answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return -1;
    return m->idiag_uid;
}

static void door_part(struct guest *g)
{
    g->prev->next = g->next;
    g->next->prev = g->prev;
    g->door->nguests--;
    event_free(g->words);
    free(g);
}

static void door_refuse(struct guest *g, int code, const char *why)
{
    struct err err;
    char peer[64];
    const uint8_t *ip = (const uint8_t *)&g->at.sin_addr.s_addr;

    snprintf(peer, sizeof(peer), "tcp:%u.%u.%u.%u:%u", ip[0], ip[1], ip[2],
             ip[3], ntohs(g->at.sin_port));
    err_set(&err, code, "%s", why);
    refused("pmix", peer, &err);
    close(g->fd);
    door_part(g);
}

static void on_words(evutil_socket_t fd, short what, void *arg)
{
    const struct timeval rest = clock_timeval(DOOR_REST_NS);
    struct guest *g = arg;
    struct door *d = g->door;
    int64_t uid;
    char c;

    if (what & EV_TIMEOUT) {
        door_refuse(g, ETIMEDOUT, "said nothing where tasks meet PMIx");
        return;
    }
    if (recv(g->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) {
        door_refuse(g, EPIPE, "said nothing where tasks meet PMIx");
        return;
    }
    uid = door_owner(d, g);
    if (uid >= 0 && !d->may(d->arg, (uid_t)uid)) {
        door_refuse(g, EACCES, "a user without a task here");
        return;
    }
    setsockopt(g->fd, SOL_SOCKET, SO_RCVTIMEO, &rest, sizeof(rest));
    if (write(d->pipe, &g->fd, sizeof(g->fd)) != sizeof(g->fd))
        close(g->fd);           /* thousands wait in there: come again */
    door_part(g);
    (void)fd;
}

static void door_let_wait(struct door *d, int fd, const struct sockaddr_in *at)
{
    struct timeval tv = clock_timeval(DOOR_WORDS_NS);
    struct guest *g = calloc(1, sizeof(*g));

    if (g)
        g->words = event_new(d->base, fd, EV_READ, on_words, g);
    if (!g || !g->words || event_add(g->words, &tv)) {
        if (g && g->words)
            event_free(g->words);
        free(g);
        close(fd);
        return;
    }
    g->door = d;
    g->fd = fd;
    g->at = *at;
    g->next = &d->guests;
    g->prev = d->guests.prev;
    g->prev->next = g;
    g->next->prev = g;
    if (++d->nguests > DOOR_WAITING)
        door_refuse(d->guests.next, ETIMEDOUT,
                    "said nothing where tasks meet PMIx");
}

static void on_come(evutil_socket_t fd, short what, void *arg)
{
    struct sockaddr_in at = { 0 };
    socklen_t n = sizeof(at);
    int guest;

    (void)what;
    for (int i = 0; i < DOOR_TURN; i++, n = sizeof(at)) {
        guest = accept4((int)fd, (struct sockaddr *)&at, &n, SOCK_CLOEXEC);
        if (guest < 0)
            return;
        door_let_wait(arg, guest, &at);
    }
}

/* -------------------------------------------------------------- open, close */

static int door_find(const struct door_before *b)
{
    for (int fd = 0; fd < DOOR_FDS; fd++)
        if (!b->listens[fd] && door_listens(fd))
            return fd;
    return -1;
}

/* From here on the library hears of nobody whom we have not let in. */
static int door_take(struct door *d, int theirs, struct err *err)
{
    int ends[2];

    d->listening = fcntl(theirs, F_DUPFD_CLOEXEC, 0);
    if (d->listening < 0 || pipe2(ends, O_CLOEXEC))
        return err_sys(err, "cannot take over a socket");
    d->pipe = ends[1];
    fcntl(d->pipe, F_SETFL, O_NONBLOCK);
    fcntl(d->listening, F_SETFL, O_NONBLOCK);
    d->come = event_new(d->base, d->listening, EV_READ | EV_PERSIST, on_come,
                        d);
    if (!d->come || event_add(d->come, NULL)) {
        close(ends[0]);
        return err_set(err, ENOMEM, "out of memory");
    }
    atomic_store(&door_inside, theirs);
    dup3(ends[0], theirs, O_CLOEXEC);
    close(ends[0]);
    return 0;
}

struct door *door_open(struct event_base *base, const struct door_before *b,
                       door_may_f *may, void *arg, struct err *err)
{
    struct door *d;
    int theirs = door_find(b);

    if (theirs < 0)
        return err_set(err, ENOENT, "PMIx does not listen on TCP"), NULL;
    d = calloc(1, sizeof(*d));
    if (!d)
        return err_set(err, ENOMEM, "out of memory"), NULL;
    d->base = base;
    d->may = may;
    d->arg = arg;
    d->pipe = d->listening = -1;
    d->guests.next = d->guests.prev = &d->guests;
    d->diag = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (door_take(d, theirs, err))
        return door_close(d), NULL;
    return d;
}

void door_close(struct door *d)
{
    const int nobody = DOOR_NOBODY;

    if (!d)
        return;
    while (d->nguests) {
        close(d->guests.next->fd);
        door_part(d->guests.next);
    }
    /* The thread may have come to wait when the socket was still its own. */
    if (d->pipe >= 0 && atomic_load(&door_awaited) &&
        write(d->pipe, &nobody, sizeof(nobody)) < 0)
        close(d->pipe), d->pipe = -1;
    if (d->come)
        event_free(d->come);
    if (d->listening >= 0)
        close(d->listening);
    if (d->diag >= 0)
        close(d->diag);
    /* The other end stays open: an end of file would wake the library. */
    free(d);
}
