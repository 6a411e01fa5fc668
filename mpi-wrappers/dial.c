/* dial.c - see dial.h. As careful as attach.c says, which it was made for. */
#include "mpi-wrappers/dial.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { DIAL_POLL_MS = 60000 };

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait until fd is ready; 0, or an errno value when time is up. */
static int wait_for(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = events };

    for (;;) {
        int64_t left = until_ms - now_ms();
        int n;

        if (left <= 0)
            return ETIMEDOUT;
        n = poll(&p, 1, left < DIAL_POLL_MS ? (int)left : DIAL_POLL_MS);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return errno;
    }
}

/* A full backlog is EAGAIN on Unix sockets, and nothing to poll for. "@NAME" is
 * a name without a file. */
static int connect_to(int fd, const char *path, int64_t until_ms)
{
    const struct timespec step = { 0, 2000000 };
    struct sockaddr_un sun = { .sun_family = AF_UNIX };
    socklen_t bytes = sizeof(sun);

    if (strlen(path) >= sizeof(sun.sun_path))
        return ENAMETOOLONG;
    strcpy(sun.sun_path, path);
    if (*path == '@') {
        sun.sun_path[0] = '\0';
        bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                            strlen(path));
    }
    while (connect(fd, (struct sockaddr *)&sun, bytes) != 0) {
        if (errno != EAGAIN && errno != EINTR)
            return errno;
        if (now_ms() >= until_ms)
            return ETIMEDOUT;
        syscall(SYS_nanosleep, &step, NULL);
    }
    return 0;
}

static bool trusted(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

static int dial_ask(int fd, const void *question, size_t bytes, int64_t until_ms)
{
    while (send(fd, question, bytes, MSG_NOSIGNAL) < 0) {
        int code = errno == EAGAIN ? wait_for(fd, POLLOUT, until_ms) : errno;

        if (code && code != EINTR)
            return code;
    }
    return 0;
}

static int dial_answer(int fd, void *answer, size_t bytes, int *got,
                       int64_t until_ms)
{
    union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec iov = { .iov_base = answer, .iov_len = bytes };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof(control) };
    struct cmsghdr *c;
    ssize_t n;

    do {
        int code = wait_for(fd, POLLIN, until_ms);

        if (code)
            return code;
        n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0)
        return errno;
    c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(got, CMSG_DATA(c), sizeof(int));
    return (size_t)n == bytes ? 0 : EPROTO;
}

int dial(const char *path, const void *question, size_t bytes, void *answer,
         size_t answer_bytes, int *got, int limit_ms)
{
    int64_t until_ms = limit_ms == DIAL_FOR_EVER ? INT64_MAX
                                                 : now_ms() + limit_ms;
    int fd, code;

    *got = -1;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    code = fd < 0 ? errno : connect_to(fd, path, until_ms);
    if (!code && !trusted(fd))
        code = EPERM;
    if (!code)
        code = dial_ask(fd, question, bytes, until_ms);
    if (!code)
        code = dial_answer(fd, answer, answer_bytes, got, until_ms);
    if (code && *got >= 0) {
        close(*got);
        *got = -1;
    }
    if (fd >= 0)
        close(fd);
    return code;
}
