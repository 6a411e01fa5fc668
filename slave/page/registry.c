/* registry.c - the socket where tasks ask for their page.
 *
 * Invariant: at most PENDING_MAX peers that have said nothing yet; when more
 * come the oldest has to go, and when there are no descriptors as well. The
 * memory is sealed against shrinking before a task gets it, so that reading
 * it cannot fault. The event waits for peers unless the timer is set. */
#include "slave/page/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/refused.h"
#include "proto/link/timer.h"
#include "slave/link/passfd.h"

enum { PENDING_MAX = 512, BACKLOG = 1024, HELLO_S = 20 };
/* Patience with who has said nothing while others come: a task says it in one
 * breath with its call. */
#define PATIENCE_NS (100 * CLOCK_NS_PER_MS)

struct pending {
    TAILQ_ENTRY(pending) place;
    struct registry *r;         /* borrowed */
    struct event *event;        /* owned */
    int fd;                     /* owned */
    uint64_t since_ns;
};

struct registry {
    registry_grant_f *grant;
    registry_lease_f *lease;
    void *arg;
    struct event_base *base;    /* borrowed */
    struct event *accept, *rest;        /* owned */
    int fd;                     /* owned */
    TAILQ_HEAD(, pending) pending;      /* owned; the oldest first */
    unsigned npending;
};

static void answer(int fd, int memfd, const struct err *err)
{
    struct page_grant grant = { .magic = PAGE_MAGIC };

    if (memfd < 0) {
        grant.status = (uint32_t)(err->code ? err->code : EIO);
        snprintf(grant.why, sizeof(grant.why), "%.*s",
                 (int)sizeof(grant.why) - 1, err->text);
    } else {
        grant.bytes = page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);
    }
    if (passfd_send(fd, &grant, sizeof(grant), memfd, 0) < 0)
        log_debug("registry", "a task went without its answer: %s",
                  strerror(errno));
}

static int check_version(uint32_t major, struct err *err)
{
    return major == PAGE_MAJOR ? 0
           : err_set(err, EPROTO, "the wrapper library's page is version "
                     "%u, this slave's is %u: use those of one release",
                     major, PAGE_MAJOR);
}

static int who_is(int fd, struct registry_peer *peer, struct err *err)
{
    struct ucred cred;
    socklen_t len = sizeof(cred);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
        return err_sys(err, "credentials of a task");
    *peer = (struct registry_peer){ .pid = cred.pid, .uid = cred.uid };
    return 0;
}

static int judge(struct registry *r, int fd, const struct page_hello *hello,
                 size_t n, struct err *err)
{
    struct registry_peer peer;

    if (n != sizeof(*hello) || hello->magic != PAGE_MAGIC)
        return err_set(err, EPROTO, "not a registration");
    if (check_version(hello->major, err) || who_is(fd, &peer, err))
        return -1;
    return r->grant(r->arg, hello, &peer, err);
}

/* 0: fd is somebody else's now. */
static int lease(struct registry *r, int fd, const struct page_lease_ask *ask,
                 struct err *err)
{
    struct registry_peer peer;

    if (!r->lease)
        return err_set(err, ENOTSUP, "no leases are given here");
    if (check_version(ask->major, err) || who_is(fd, &peer, err))
        return -1;
    return r->lease(r->arg, ask, &peer, fd, err);
}

void registry_lease_by(struct registry *r, registry_lease_f *by)
{
    r->lease = by;
}

void registry_lease(int fd, uint32_t status, int with, uint64_t bytes,
                    const char *why)
{
    struct page_lease m = { .magic = PAGE_LEASE, .status = status,
                            .bytes = bytes };

    snprintf(m.why, sizeof(m.why), "%.*s", (int)sizeof(m.why) - 1,
             why ? why : "");
    if (passfd_send(fd, &m, sizeof(m), with, 0) < 0)
        log_debug("registry", "a task went without its lease: %s",
                  strerror(errno));
    if (with >= 0)
        close(with);
    close(fd);
}

static void pending_free(struct pending *p)
{
    struct registry *r = p->r;

    TAILQ_REMOVE(&r->pending, p, place);
    if (p->event)
        event_free(p->event);
    if (p->fd >= 0)
        close(p->fd);
    free(p);
    r->npending--;
    event_add(r->accept, NULL);         /* there is room now */
}

/* Name the peer by what the kernel says of it. */
static void refuse(int fd, const struct err *why)
{
    struct ucred cred;
    socklen_t len = sizeof(cred);
    char name[32] = "a process";

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0)
        snprintf(name, sizeof(name), "uid %u pid %d", (unsigned)cred.uid,
                 (int)cred.pid);
    refused("registry", name, why);
}

static void take_hello(struct pending *p, const struct page_hello *hello,
                       size_t n)
{
    struct err err = { 0 };
    int memfd = judge(p->r, p->fd, hello, n, &err);

    if (memfd < 0)
        refuse(p->fd, &err);
    answer(p->fd, memfd, &err);
    if (memfd >= 0)
        close(memfd);
}

static void take_lease(struct pending *p, const struct page_lease_ask *ask)
{
    struct err err = { 0 };
    int fd = p->fd;

    event_free(p->event);
    p->event = NULL;
    p->fd = -1;
    if (lease(p->r, fd, ask, &err)) {
        refuse(fd, &err);
        registry_lease(fd, (uint32_t)(err.code > PAGE_LEASE_LEAVE ? err.code
                                                                  : EIO),
                       -1, 0, err.text);
    }
}

static void on_hello(evutil_socket_t fd, short what, void *arg)
{
    struct pending *p = arg;
    union {
        struct page_hello hello;
        struct page_lease_ask ask;
    } said;
    ssize_t n = -1;

    if (what & EV_READ)
        n = recv((int)fd, &said, sizeof(said), MSG_TRUNC);
    if (n == (ssize_t)sizeof(said.ask) && said.ask.magic == PAGE_LEASE)
        take_lease(p, &said.ask);
    else if (n > 0)
        take_hello(p, &said.hello, (size_t)n);
    pending_free(p);
}

/* The oldest goes, if its time is over; else all wait for that. */
static bool make_room(struct registry *r)
{
    uint64_t now_ns = clock_monotonic_ns(), due_ns = now_ns + PATIENCE_NS;
    struct pending *p = TAILQ_FIRST(&r->pending);

    if (p)
        due_ns = p->since_ns + PATIENCE_NS;
    if (due_ns > now_ns) {
        event_del(r->accept);
        timer_set(r->rest, due_ns - now_ns);
        return false;
    }
    refuse(p->fd, &(struct err){ EBUSY, "it says nothing, and others wait" });
    pending_free(p);
    return true;
}

static void on_rested(evutil_socket_t fd, short what, void *arg)
{
    struct registry *r = arg;

    (void)fd, (void)what;
    event_add(r->accept, NULL);
}

static bool is_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS ||
           error == ENOMEM;
}

static void on_accept(evutil_socket_t fd, short what, void *arg)
{
    struct registry *r = arg;
    struct pending *p;
    int s;

    (void)what;
    for (int i = 0; i < PENDING_MAX; i++) {
        if (r->npending == PENDING_MAX && !make_room(r))
            return;
        s = accept4((int)fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (s < 0 && is_shortage(errno)) {
            make_room(r);
            return;
        }
        if (s < 0)
            return;
        p = calloc(1, sizeof(*p));
        if (!p) {
            close(s);
            return;
        }
        p->r = r;
        p->fd = s;
        p->since_ns = clock_monotonic_ns();
        TAILQ_INSERT_TAIL(&r->pending, p, place);
        r->npending++;
        p->event = event_new(r->base, s, EV_READ, on_hello, p);
        if (!p->event ||
            event_add(p->event, &(struct timeval){ .tv_sec = HELLO_S }))
            pending_free(p);
    }
}

static int listen_at(const char *path, struct err *err)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    socklen_t bytes = sizeof(sa);
    bool file = *path != '@';
    int fd;

    if (strlen(path) >= sizeof(sa.sun_path))
        return err_set(err, ENAMETOOLONG, "%s: too long for a socket", path);
    strcpy(sa.sun_path, path);
    if (!file) {
        sa.sun_path[0] = '\0';
        bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                            strlen(path));
    }
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_sys(err, "socket");
    if (bind(fd, (struct sockaddr *)&sa, bytes) ||
        (file && chmod(path, geteuid() == 0 ? 0666 : 0600)) ||
        listen(fd, BACKLOG)) {
        err_sys(err, "%s", path);
        return close(fd), -1;
    }
    return fd;
}

struct registry *registry_open(struct event_base *base, const char *path,
                               registry_grant_f *grant, void *arg,
                               struct err *err)
{
    struct registry *r = calloc(1, sizeof(*r));

    if (!r)
        return err_memory(err), NULL;
    TAILQ_INIT(&r->pending);
    r->base = base;
    r->grant = grant;
    r->arg = arg;
    r->fd = listen_at(path, err);
    if (r->fd < 0)
        return free(r), NULL;
    r->accept = event_new(base, r->fd, EV_READ | EV_PERSIST, on_accept, r);
    r->rest = evtimer_new(base, on_rested, r);
    if (r->accept && r->rest && !event_add(r->accept, NULL))
        return r;
    registry_close(r);
    return err_memory(err), NULL;
}

void registry_close(struct registry *r)
{
    if (!r)
        return;
    while (r->npending)
        pending_free(TAILQ_FIRST(&r->pending));
    if (r->accept)
        event_free(r->accept);
    timer_free(r->rest);
    close(r->fd);
    free(r);
}

static size_t page_size(void)
{
    return page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);
}

int registry_make_page(char **mem, uint64_t job, uint32_t rank,
                       uint32_t ntasks, struct err *err)
{
    int fd = memfd_create("hector-page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct page_header *h;
    void *p;

    if (fd < 0)
        return err_sys(err, "cannot make shared memory");
    if (ftruncate(fd, (off_t)page_size()) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        if (errno == EFBIG)
            err_set(err, EFBIG, "it runs unwatched: a file may not be as large "
                    "as its page, %zu MiB (ulimit -Hf)",
                    (page_size() >> 20) + 1);
        else
            err_sys(err, "cannot size shared memory");
        return close(fd), -1;
    }
    p = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        err_sys(err, "cannot map shared memory");
        return close(fd), -1;
    }
    h = p;
    h->magic = PAGE_MAGIC;
    h->major = PAGE_MAJOR;
    h->minor = PAGE_MINOR;
    h->bytes = page_size();
    h->job = job;
    h->rank = rank;
    h->ntasks = ntasks;
    h->slots = PAGE_SLOTS;
    h->calls = PAGE_CALLS;
    h->ring_bytes = PAGE_RING_BYTES;
    h->what = PAGE_DO_ALL;
    h->slave_pid = (uint32_t)getpid();
    *mem = p;
    return fd;
}

void registry_drop_page(char *mem)
{
    if (!mem)
        return;
    atomic_store_explicit(&((struct page_header *)mem)->slave_gone, 1,
                          memory_order_release);
    munmap(mem, page_size());
}
