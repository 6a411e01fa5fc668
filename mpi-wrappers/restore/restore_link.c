/* restore_link.c - see restore_link.h. */
#include "mpi-wrappers/restore/restore_link.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "mpi-wrappers/image/sys.h"

/* A byte that is one of the image's stays where it is. */
static long look(int fd, struct msghdr *m)
{
    long n;

    do {
        n = sys(SYS_recvmsg, fd, m, MSG_PEEK | MSG_CMSG_CLOEXEC);
        if (n == -EAGAIN)
            sys_wait_for(fd, POLLIN, -1);
    } while (n == -EINTR || n == -EAGAIN);
    return n;
}

void restore_link_take(struct restore *r)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } room;
    char byte;
    struct iovec part = { &byte, 1 };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1,
                        .msg_control = room.bytes,
                        .msg_controllen = sizeof(room.bytes) };
    const struct cmsghdr *c;

    if (r->plain || look(r->fd, &m) != 1)       /* reading it says what it is */
        return;
    c = CMSG_FIRSTHDR(&m);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return;
    sys_close(r->fd);
    memcpy(&r->fd, CMSG_DATA(c), sizeof(r->fd));
}
