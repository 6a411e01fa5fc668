/* passfd.c - messages that carry a descriptor (SCM_RIGHTS). */
#include "slave/link/passfd.h"

#include <string.h>
#include <sys/socket.h>

union passfd_room { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; };

ssize_t passfd_send(int to, const void *data, size_t bytes, int fd, int flags)
{
    union passfd_room room = { 0 };
    struct iovec iov = { (void *)data, bytes };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    struct cmsghdr *c;

    if (fd >= 0) {
        msg.msg_control = room.bytes;
        msg.msg_controllen = sizeof(room.bytes);
        c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    }
    return sendmsg(to, &msg, MSG_NOSIGNAL | flags);
}

ssize_t passfd_receive(int from, void *data, size_t bytes, int *fd, int flags)
{
    union passfd_room room;
    struct iovec iov = { data, bytes };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
                          .msg_control = room.bytes,
                          .msg_controllen = sizeof(room.bytes) };
    ssize_t got = recvmsg(from, &msg, MSG_CMSG_CLOEXEC | flags);
    struct cmsghdr *c = got >= 0 ? CMSG_FIRSTHDR(&msg) : NULL;

    *fd = -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof(*fd));
    return got;
}
