/* admission.c - see admission.h. Invariant: what the library reads from the pipe
 * under its own descriptor are sockets that are open, said their first words,
 * and belong to nobody else any more. */
#include "slave/pmix/admission.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/refused.h"
#include "proto/link/timer.h"

/* Who is one too many is sent away after a moment: hundreds of tasks may begin, or
 * come from another node, at once. */
enum { ADMISSION_WAITING = 256, ADMISSION_MOST = 4096, ADMISSION_TURN = 64,
       ADMISSION_GONE = -2 };
#define DOOR_WORDS_NS (20 * CLOCK_NS_PER_S)     /* to say the first one */
#define DOOR_REST_NS (1 * CLOCK_NS_PER_S)       /* and then the rest */
#define DOOR_MOMENT_NS (250 * CLOCK_NS_PER_MS)

struct guest {
    TAILQ_ENTRY(guest) place;
    struct admission *admission;
    struct event *words;        /* owned */
    int fd;                     /* owned */
    uint64_t came_ns;           /* monotonic */
    struct sockaddr_in at;
};

struct admission {
    int diag;                   /* owned: netlink, or -1 */
    struct event *come;         /* owned */
    struct event_base *base;
    admission_may_f *may;
    void *arg;
    TAILQ_HEAD(, guest) guests; /* owned, as they came */
    size_t nguests;
};

enum admission_stage { ADMISSION_NONE, ADMISSION_EXPECTED, ADMISSION_TAKEN };

/* What was taken in listen(): the library's descriptor, behind which a pipe is
 * now, the socket that was there, and the pipe's other end. */
static struct {
    _Atomic enum admission_stage stage;
    atomic_int inside;
    int socket, pipe;
} admission_own = { .inside = -1, .socket = -1, .pipe = -1 };

/* From here on the library hears of nobody whom we have not let in. False: it
 * keeps its socket. */
static bool admission_take(int theirs)
{
    int ends[2];

    admission_own.socket = fcntl(theirs, F_DUPFD_CLOEXEC, 0);
    if (admission_own.socket < 0)
        return false;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
        close(admission_own.socket);
        return false;
    }
    admission_own.pipe = ends[1];
    atomic_store(&admission_own.inside, theirs);
    dup3(ends[0], theirs, O_CLOEXEC);
    close(ends[0]);
    return true;
}

static void admission_give_back(void)
{
    dup3(admission_own.socket, atomic_exchange(&admission_own.inside, -1),
         O_CLOEXEC);
    close(admission_own.socket);
    close(admission_own.pipe);
    atomic_store(&admission_own.stage, ADMISSION_NONE);
}

void admission_expect(void)
{
    atomic_store(&admission_own.stage, ADMISSION_EXPECTED);
}

/* The library's listen(), for the one that is expected. */
int listen(int fd, int backlog)
{
    enum admission_stage expected = ADMISSION_EXPECTED;
    struct sockaddr_storage sa = { 0 };
    socklen_t n = sizeof(sa);
    int rc = (int)syscall(SYS_listen, fd, backlog);

    if (rc == 0 && !getsockname(fd, (struct sockaddr *)&sa, &n) &&
        sa.ss_family == AF_INET &&
        atomic_compare_exchange_strong(&admission_own.stage, &expected,
                                       ADMISSION_TAKEN) &&
        !admission_take(fd))
        atomic_store(&admission_own.stage, ADMISSION_NONE);
    return rc;
}

/* The library's accept(), for one of its descriptors. */
int accept(int fd, __SOCKADDR_ARG addr, socklen_t *restrict n)
{
    int guest;

    if (fd < 0 || fd != atomic_load(&admission_own.inside))
        return accept4(fd, addr, n, 0);
    if (read(fd, &guest, sizeof(guest)) != sizeof(guest))
        return -1;              /* EAGAIN, as of a socket */
    getpeername(guest, addr, n);
    return guest;
}

/* ------------------------------------------------------------ who is there */

/* The owner of the socket on the other end, which is on this machine. -1: the
 * kernel does not say. ADMISSION_GONE: who came has left, of which older
 * kernels take root for the owner. */
static int64_t admission_owner(const struct admission *d, const struct guest *g)
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
    ask.req.id.idiag_cookie[0] = ask.req.id.idiag_cookie[1] =
        INET_DIAG_NOCOOKIE;
    if (send(d->diag, &ask, sizeof(ask), 0) != sizeof(ask))
        return -1;
    got = recv(d->diag, &answer, sizeof(answer), 0);
    if (got < (ssize_t)NLMSG_LENGTH(sizeof(*m)) ||
        answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return -1;
    return m->idiag_state == TCP_ESTABLISHED ? (int64_t)m->idiag_uid
                                             : ADMISSION_GONE;
}

static void admission_part(struct guest *g)
{
    TAILQ_REMOVE(&g->admission->guests, g, place);
    g->admission->nguests--;
    event_free(g->words);
    free(g);
}

static void admission_refuse(struct guest *g, int code, const char *why)
{
    struct err err;
    char peer[64];
    const uint8_t *ip = (const uint8_t *)&g->at.sin_addr.s_addr;

    snprintf(peer, sizeof(peer), "tcp:%u.%u.%u.%u:%u", ip[0], ip[1], ip[2],
             ip[3], ntohs(g->at.sin_port));
    err_set(&err, code, "%s", why);
    refused("pmix", peer, &err);
    close(g->fd);
    admission_part(g);
}

/* Gone by itself, as a task does that is killed while it connects: nothing
 * that a person has to know. */
static void admission_let_go(struct guest *g)
{
    log_debug("admission", "who came has left where tasks meet PMIx");
    close(g->fd);
    admission_part(g);
}

static void on_words(evutil_socket_t fd, short what, void *arg)
{
    const struct timeval rest = clock_timeval(DOOR_REST_NS);
    struct guest *g = arg;
    struct admission *d = g->admission;
    int64_t uid;
    char c;

    if (what & EV_TIMEOUT) {
        admission_refuse(g, ETIMEDOUT, "said nothing where tasks meet PMIx");
        return;
    }
    if (recv(g->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) {
        admission_let_go(g);
        return;
    }
    uid = admission_owner(d, g);
    if (uid == ADMISSION_GONE) {
        admission_let_go(g);
        return;
    }
    if (uid >= 0 && !d->may(d->arg, (uid_t)uid)) {
        admission_refuse(g, EACCES, "a user without a task here");
        return;
    }
    setsockopt(g->fd, SOL_SOCKET, SO_RCVTIMEO, &rest, sizeof(rest));
    if (write(admission_own.pipe, &g->fd, sizeof(g->fd)) != sizeof(g->fd))
        close(g->fd);           /* thousands wait in there: come again */
    admission_part(g);
    (void)fd;
}

/* The first of those who wait is one too many, and was not just now. */
static bool admission_is_crowded(const struct admission *d)
{
    return d->nguests > ADMISSION_WAITING &&
           (d->nguests > ADMISSION_MOST ||
            clock_monotonic_ns() - TAILQ_FIRST(&d->guests)->came_ns >=
                DOOR_MOMENT_NS);
}

static void admission_let_wait(struct admission *d, int fd,
                               const struct sockaddr_in *at)
{
    struct guest *g = calloc(1, sizeof(*g));

    if (g)
        g->words = event_new(d->base, fd, EV_READ, on_words, g);
    if (!g || !g->words || timer_set(g->words, DOOR_WORDS_NS)) {
        if (g && g->words)
            event_free(g->words);
        free(g);
        close(fd);
        return;
    }
    g->admission = d;
    g->fd = fd;
    g->at = *at;
    g->came_ns = clock_monotonic_ns();
    TAILQ_INSERT_TAIL(&d->guests, g, place);
    d->nguests++;
    while (admission_is_crowded(d))
        admission_refuse(TAILQ_FIRST(&d->guests), ETIMEDOUT,
                         "said nothing where tasks meet PMIx");
}

static void on_come(evutil_socket_t fd, short what, void *arg)
{
    struct sockaddr_in at = { 0 };
    socklen_t n = sizeof(at);
    int guest;

    (void)what;
    for (int i = 0; i < ADMISSION_TURN; i++, n = sizeof(at)) {
        guest = accept4((int)fd, (struct sockaddr *)&at, &n, SOCK_CLOEXEC);
        if (guest < 0)
            return;
        admission_let_wait(arg, guest, &at);
    }
}

/* -------------------------------------------------------------- open, close */

struct admission *admission_open(struct event_base *base, admission_may_f *may,
                                 void *arg, struct err *err)
{
    enum admission_stage was = atomic_exchange(&admission_own.stage,
                                               ADMISSION_NONE);
    struct admission *d;

    if (was != ADMISSION_TAKEN)
        return err_set(err, ENOENT, "PMIx does not listen on TCP"), NULL;
    d = calloc(1, sizeof(*d));
    if (d) {
        fcntl(admission_own.socket, F_SETFL, O_NONBLOCK);
        d->come = event_new(base, admission_own.socket, EV_READ | EV_PERSIST,
                            on_come, d);
    }
    if (!d || !d->come || event_add(d->come, NULL)) {
        if (d && d->come)
            event_free(d->come);
        free(d);
        admission_give_back();
        return err_memory(err), NULL;
    }
    d->base = base;
    d->may = may;
    d->arg = arg;
    TAILQ_INIT(&d->guests);
    d->diag = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    return d;
}

void admission_close(struct admission *d)
{
    if (!d)
        return;
    for (struct guest *g; (g = TAILQ_FIRST(&d->guests)); admission_part(g))
        close(g->fd);
    event_free(d->come);
    close(admission_own.socket);
    if (d->diag >= 0)
        close(d->diag);
    /* The pipe stays open: an end of file would wake the library. */
    free(d);
}
