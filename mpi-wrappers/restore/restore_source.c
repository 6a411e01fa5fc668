/* restore_source.c - see restore_source.h.
 *
 * hector-keep is a child of what is going to be the task, until all is read: it
 * ends without a signal, and is waited for. */
#include "mpi-wrappers/restore/restore_source.h"

#include <linux/wait.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"

enum { PATH = 4096, KILL = 9, NOT_STARTED = 126 };
#define UNPACKER "hector-keep"
#define NO_UNPACKER "is packed, and hector-keep cannot be started to unpack it: "

/* The first bytes of a frame: RFC 8878, 3.1.1. */
static bool is_packed(int fd)
{
    static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
    unsigned char is[sizeof(magic)];

    return sys(SYS_pread64, fd, is, sizeof(is), 0) == sizeof(is) &&
           memcmp(is, magic, sizeof(is)) == 0;
}

/* Beside this program, however that was called. */
static bool find_unpacker(char path[PATH])
{
    long n = sys(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path,
                 PATH);

    if (n <= 0)
        return false;
    while (n > 0 && path[n - 1] != '/')
        n--;
    if (n + sizeof(UNPACKER) > PATH)
        return false;
    memcpy(path + n, UNPACKER, sizeof(UNPACKER));
    return true;
}

/* What it says to people we say: in whose name, and to whom, it does not know. */
static void unpack(const char *path, int from, int to)
{
    const char *volatile argv[3], *volatile no_env[1];
    int nowhere = sys_open("/dev/null", O_WRONLY);

    argv[0] = UNPACKER;         /* one by one: a table of them is relocated */
    argv[1] = "unpack";
    argv[2] = no_env[0] = NULL;
    if (sys(SYS_prctl, PR_SET_PDEATHSIG, KILL) == 0 && nowhere >= 0 &&
        sys(SYS_dup3, from, 0, 0) == 0 && sys(SYS_dup3, to, 1, 0) == 1 &&
        sys(SYS_dup3, nowhere, 2, 0) == 2)
        sys(SYS_execve, path, argv, no_env);
    for (;;)
        sys(SYS_exit_group, NOT_STARTED);
}

void restore_source_unpack(struct restore *r)
{
    char path[PATH], buf[32];
    int ends[2];
    long rc;

    if (!is_packed(r->fd))
        return;
    if (!find_unpacker(path))
        restore_refuse(r, NO_UNPACKER "its path is not known", NULL);
    rc = sys(SYS_faccessat, AT_FDCWD, path, X_OK);
    if (rc == 0)
        rc = sys(SYS_pipe2, ends, O_CLOEXEC);
    if (rc == 0)
        rc = sys(SYS_clone, 0, 0, 0, 0, 0);     /* fork(), but for SIGCHLD */
    if (rc < 0)
        restore_refuse(r, NO_UNPACKER, restore_error(rc, buf, sizeof(buf)),
                       NULL);
    if (rc == 0)
        unpack(path, r->fd, ends[1]);
    sys_close(ends[1]);
    sys_close(r->fd);
    r->fd = ends[0];
    r->plain = false;
    r->unpacker = (int)rc;
}

void restore_source_end(struct restore *r)
{
    int status = 0;
    char more;
    long rc;

    if (!r->unpacker)
        return;
    rc = sys_read_all(r->fd, &more, 1);
    if (rc == 0)
        rc = sys(SYS_wait4, r->unpacker, &status, __WALL, 0);
    if (rc != r->unpacker || status)
        restore_refuse(r, "is damaged: it goes on behind its end; take another "
                       "image", NULL);
    r->unpacker = 0;
}

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

void restore_source_link(struct restore *r)
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
