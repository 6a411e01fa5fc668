/* fuzz_registry.c - strangers say anything where tasks ask for their page:
 * only a whole hello of our version comes to be judged, and every answer is
 * a whole grant.
 *
 * The bytes are packets: a length, then that much. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/link/refused.h"
#include "slave/page/registry.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[64];
static struct event_base *base;
static struct registry *registry;
static unsigned judged;

static int on_grant(void *arg, const struct page_hello *hello,
                    const struct registry_peer *peer, struct err *err)
{
    char *mem;
    int fd;

    (void)arg;
    judged++;
    assert(hello->magic == PAGE_MAGIC && hello->major == PAGE_MAJOR);
    assert(peer->pid == getpid() && peer->uid == getuid());
    if (hello->rank >= 4)
        return err_set(err, ESRCH, "there is no task %u", hello->rank);
    fd = registry_make_page(&mem, hello->job, hello->rank, 4, err);
    assert(fd >= 0);
    registry_drop_page(mem);
    return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct err err;

    (void)argc, (void)argv;
    snprintf(name, sizeof(name), "@fuzz-registry.%d", (int)getpid());
    base = event_base_new();
    registry = registry_open(base, name, on_grant, NULL, &err);
    assert(registry);
    return 0;
}

static int dial(void)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(sa.sun_path + 1, name + 1);
    if (connect(fd, (struct sockaddr *)&sa,
                (socklen_t)(sizeof(sa.sun_family) + strlen(name))))
        abort();
    return fd;
}

static void hear(int fd)
{
    union { struct cmsghdr align; char room[CMSG_SPACE(4 * sizeof(int))]; } c;
    struct page_grant g;
    struct iovec iov = { &g, sizeof(g) };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
                          .msg_control = c.room,
                          .msg_controllen = sizeof(c.room) };
    ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT);
    struct cmsghdr *m = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

    if (n <= 0)
        return;
    assert(n == sizeof(g) && g.magic == PAGE_MAGIC);
    assert((g.status == 0) == (m != NULL));
    assert(memchr(g.why, 0, sizeof(g.why)));
    if (m)
        close(*(int *)(void *)CMSG_DATA(m));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    refused_reset();
    for (int i = 0; i < 16 && size > 1; i++) {
        size_t n = data[0] < size - 1 ? data[0] : size - 1;
        unsigned before = judged;
        int fd = dial();
        ssize_t said = n ? send(fd, data + 1, n, MSG_NOSIGNAL) : 0;

        if (said > 0 && n == 1)
            shutdown(fd, SHUT_WR);
        event_base_loop(base, EVLOOP_NONBLOCK);
        event_base_loop(base, EVLOOP_NONBLOCK);
        assert(judged == before || n == sizeof(struct page_hello));
        hear(fd);
        close(fd);
        data += 1 + n;
        size -= 1 + n;
    }
    event_base_loop(base, EVLOOP_NONBLOCK);
    return 0;
}
