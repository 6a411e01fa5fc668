/* listen.c - finds or makes listening sockets, and says how they are called. */
#include "master/peers/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/parse.h"
#include "proto/base/paths.h"
#include "proto/link/addr.h"

enum { LISTEN_FIRST_FD = 3 };   /* SD_LISTEN_FDS_START */
#define LISTEN_WAIT_NS (2 * CLOCK_NS_PER_S)
#define LISTEN_TURN_NS (20 * CLOCK_NS_PER_MS)

static int listen_note(struct listen_set *set, const char *text,
                       struct err *err)
{
    size_t used = strlen(set->addresses);

    if (used + strlen(text) + 2 > sizeof(set->addresses))
        return err_set(err, ENAMETOOLONG, "too many addresses to listen on");
    if (used)
        set->addresses[used++] = ',';
    strcpy(set->addresses + used, text);
    return 0;
}

union listen_sockaddr {
    struct sockaddr any;
    struct sockaddr_un un;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
};

/* One bound to every address of this host is named by all of them. */
static int listen_describe_tcp(const union listen_sockaddr *sa, char *text,
                               size_t size, struct err *err)
{
    bool six = sa->any.sa_family == AF_INET6;
    const void *ip = six ? (const void *)&sa->in6.sin6_addr
                         : (const void *)&sa->in.sin_addr;
    struct addr a = { .port = ntohs(six ? sa->in6.sin6_port
                                        : sa->in.sin_port) };

    if (six ? IN6_IS_ADDR_UNSPECIFIED(&sa->in6.sin6_addr)
            : sa->in.sin_addr.s_addr == htonl(INADDR_ANY))
        return addr_list_local(a.port, text, size, err) < 0 ? -1 : 0;
    if (!inet_ntop(sa->any.sa_family, ip, a.host, sizeof(a.host)) ||
        addr_format(&a, text, size) < 0)
        return err_set(err, EINVAL, "a socket with an address that cannot be "
                       "written down");
    return 0;
}

/* Note under which address fd listens. */
static int listen_describe(struct listen_set *set, int fd, struct err *err)
{
    union listen_sockaddr sa = { 0 };
    socklen_t len = sizeof(sa);
    char text[ADDR_LIST_MAX];
    struct addr a = { .is_unix = true };

    if (getsockname(fd, &sa.any, &len))
        return err_sys(err, "inherited descriptor %d", fd);
    if (sa.any.sa_family == AF_UNIX) {
        strncpy(a.host, sa.un.sun_path, sizeof(a.host) - 1);
        if (addr_format(&a, text, sizeof(text)) < 0)
            return err_set(err, ENAMETOOLONG, "the path of the socket is too "
                           "long");
    } else {
        set->tcp = true;
        if (listen_describe_tcp(&sa, text, sizeof(text), err))
            return -1;
    }
    return listen_note(set, text, err);
}

static int listen_add(struct listen_set *set, int fd, struct err *err)
{
    if (set->n == LISTEN_MAX) {
        close(fd);
        return err_set(err, EMFILE, "more than %d sockets to listen on",
                       LISTEN_MAX);
    }
    set->fds[set->n++] = fd;
    return listen_describe(set, fd, err);
}

int listen_inherit(struct listen_set *set, struct err *err)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    uint64_t owner = 0, n = 0;
    int rc = 0;

    if (!pid || !fds)
        return 0;
    if (parse_u64(&owner, pid, 0, INT32_MAX, err) ||
        parse_u64(&n, fds, 0, LISTEN_MAX, err))
        return err_prefix(err, "LISTEN_PID or LISTEN_FDS");
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (owner != (uint64_t)getpid())
        return 0;                       /* meant for another process */
    for (int i = 0; rc == 0 && i < (int)n; i++) {
        int fd = LISTEN_FIRST_FD + i;

        if (fcntl(fd, F_SETFD, FD_CLOEXEC) ||
            fcntl(fd, F_SETFL, O_NONBLOCK | fcntl(fd, F_GETFL)))
            rc = err_sys(err, "inherited descriptor %d", fd);
        else
            rc = listen_add(set, fd, err);
    }
    return rc;
}

/* A master that was killed may have been about to start a judge: until that has
 * become its program, it holds the sockets. */
static int listen_patiently(struct addr *a, struct err *err)
{
    const struct timespec turn = { .tv_nsec = LISTEN_TURN_NS };
    uint64_t until_ns = clock_monotonic_ns() + LISTEN_WAIT_NS;
    int fd;

    while ((fd = addr_listen(a, err)) < 0 && err->code == EADDRINUSE &&
           clock_monotonic_ns() < until_ns)
        nanosleep(&turn, NULL);
    return fd;
}

int listen_bind(struct listen_set *set, const char *list, struct err *err)
{
    struct addr v[LISTEN_MAX];
    int n = addr_parse_list(v, LISTEN_MAX, list, err), fd;

    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        fd = listen_patiently(&v[i], err);
        if (fd < 0 || listen_add(set, fd, err))
            return -1;
    }
    return 0;
}

void listen_remove_run(const struct listen_set *set)
{
    char path[ADDR_TEXT_MAX];
    char *slash, *base;
    struct addr a;

    snprintf(path, sizeof(path), "%.*s", (int)strcspn(set->addresses, ","),
             set->addresses);
    if (addr_parse(&a, path, NULL) || !a.is_unix)
        return;
    slash = strrchr(a.host, '/');
    if (!slash || slash == a.host)
        return;
    *slash = 0;
    base = strrchr(a.host, '/');
    if (base && strncmp(base, "/hector-", 8) == 0)
        paths_remove_tree(a.host, NULL);
}
