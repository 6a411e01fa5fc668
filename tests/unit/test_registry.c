/* test_registry.c - tasks ask for their page: who gets one, who gets a
 * sentence, who is dropped; and what the page is. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "slave/page/registry.h"
#include "tests/unit/skip_time.h"

struct rig {
    struct event_base *base;
    struct registry *registry;
    char dir[64], path[80];
    char *mem;
    struct page_hello seen;
    struct registry_peer peer;
};

static int grant(void *arg, const struct page_hello *hello,
                 const struct registry_peer *peer, struct err *err)
{
    struct rig *r = arg;

    r->seen = *hello;
    r->peer = *peer;
    if (hello->rank == 99)
        return err_set(err, ESRCH, "there is no task 99");
    registry_drop_page(r->mem);
    return registry_make_page(&r->mem, 5, hello->rank, 8, err);
}

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct err err;

    strcpy(r->dir, "/tmp/test_registry.XXXXXX");
    if (!mkdtemp(r->dir))
        return -1;
    snprintf(r->path, sizeof(r->path), "%s/sock", r->dir);
    r->base = event_base_new();
    r->registry = registry_open(r->base, r->path, grant, r, &err);
    *state = r;
    return r->registry ? 0 : -1;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    registry_drop_page(r->mem);
    registry_close(r->registry);
    event_base_free(r->base);
    unlink(r->path);
    rmdir(r->dir);
    free(r);
    return 0;
}

static int call(const struct rig *r)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(sa.sun_path, r->path);
    assert_int_equal(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
    return fd;
}

/* Send, let the registry work, receive: the grant and its memfd, or -1. */
static ssize_t ask(struct rig *r, const void *hello, size_t n,
                   struct page_grant *g, int *memfd)
{
    char room[CMSG_SPACE(sizeof(int))];
    struct iovec iov = { g, sizeof(*g) };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
                          .msg_control = room,
                          .msg_controllen = sizeof(room) };
    int fd = call(r);
    ssize_t got;

    *memfd = -1;
    assert_int_equal(send(fd, hello, n, 0), (ssize_t)n);
    for (int i = 0; i < 4; i++)
        event_base_loop(r->base, EVLOOP_NONBLOCK);
    got = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0 && CMSG_FIRSTHDR(&msg))
        memcpy(memfd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
    close(fd);
    return got;
}

static const struct page_hello good = {
    .magic = PAGE_MAGIC, .major = PAGE_MAJOR, .minor = PAGE_MINOR, .job = 5,
    .rank = 3, .ntasks = 8, .mpi = "test" };

static void test_granted(void **state)
{
    struct rig *r = *state;
    struct page_grant g;
    struct page_header *h;
    char *mem;
    int fd;

    assert_int_equal(ask(r, &good, sizeof(good), &g, &fd), sizeof(g));
    assert_int_equal(g.magic, PAGE_MAGIC);
    assert_int_equal(g.status, 0);
    assert_int_equal(g.bytes, page_bytes(PAGE_SLOTS, PAGE_CALLS,
                                         PAGE_RING_BYTES));
    assert_int_equal(r->peer.pid, getpid());
    assert_int_equal(r->peer.uid, geteuid());
    assert_int_equal(r->seen.rank, 3);
    assert_true(fd >= 0);
    mem = mmap(NULL, g.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(mem != MAP_FAILED);
    h = (struct page_header *)mem;
    assert_int_equal(h->magic, PAGE_MAGIC);
    assert_int_equal(h->rank, 3);
    assert_int_equal(h->ring_bytes, PAGE_RING_BYTES);
    /* One memory, which the task cannot pull away from under the slave. */
    atomic_store(&h->pid, 77u);
    assert_int_equal(((struct page_header *)r->mem)->pid, 77);
    assert_int_equal(ftruncate(fd, 0), -1);
    registry_drop_page(r->mem);
    r->mem = NULL;
    assert_int_equal(h->slave_gone, 1);
    munmap(mem, g.bytes);
    close(fd);
}

static void test_refused(void **state)
{
    struct rig *r = *state;
    struct page_hello h = good;
    struct page_grant g;
    int fd;

    h.rank = 99;
    assert_int_equal(ask(r, &h, sizeof(h), &g, &fd), sizeof(g));
    assert_int_equal(g.status, ESRCH);
    assert_string_equal(g.why, "there is no task 99");
    assert_int_equal(fd, -1);

    h = good;
    h.major++;
    assert_int_equal(ask(r, &h, sizeof(h), &g, &fd), sizeof(g));
    assert_int_equal(g.status, EPROTO);
    assert_non_null(strstr(g.why, "version"));

    h = good;
    h.magic++;
    assert_int_equal(ask(r, &h, sizeof(h), &g, &fd), sizeof(g));
    assert_int_equal(g.status, EPROTO);
    assert_int_equal(ask(r, &good, sizeof(good) - 1, &g, &fd), sizeof(g));
    assert_int_equal(g.status, EPROTO);
    char large[4096] = "";

    memcpy(large, &good, sizeof(good));
    assert_int_equal(ask(r, large, sizeof(large), &g, &fd), sizeof(g));
    assert_int_equal(g.status, EPROTO);
}

/* Many who say nothing do not keep out the one who does, once they go. */
static void test_silent(void **state)
{
    enum { MANY = 300 };
    struct rig *r = *state;
    struct page_grant g;
    int fds[MANY], fd;

    for (int i = 0; i < MANY; i++)
        fds[i] = call(r);
    for (int i = 0; i < 4; i++)
        event_base_loop(r->base, EVLOOP_NONBLOCK);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    for (int i = 0; i < 8; i++)
        event_base_loop(r->base, EVLOOP_NONBLOCK);
    assert_int_equal(ask(r, &good, sizeof(good), &g, &fd), sizeof(g));
    assert_int_equal(g.status, 0);
    close(fd);
}

/* Neither do those who stay, for longer than a moment. */
static void test_stubborn(void **state)
{
    enum { MANY = 300 };
    struct rig *r = *state;
    struct page_grant g;
    int fds[MANY], fd;
    ssize_t n = -1;

    for (int i = 0; i < MANY; i++)
        fds[i] = call(r);
    fd = call(r);
    assert_int_equal(send(fd, &good, sizeof(good), 0), sizeof(good));
    for (int i = 0; n < 0 && i < 60000; i++) {
        event_base_loop(r->base, EVLOOP_NONBLOCK);
        n = recv(fd, &g, sizeof(g), MSG_DONTWAIT);
        usleep(1000);
    }
    assert_int_equal(n, sizeof(g));
    assert_int_equal(g.status, 0);
    close(fd);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
}

/* Tasks that begin at once on a node whose processors are busy with others: each has
 * called, and does not come to say a word for a while. */
static void test_starved(void **state)
{
    enum { MANY = 300 };
    struct rig *r = *state;
    struct page_grant g;
    int fds[MANY], granted = 0;

    for (int i = 0; i < MANY; i++)
        fds[i] = call(r);
    skip_time(r->base, 19 * CLOCK_NS_PER_S);
    for (int i = 0; i < MANY; i++) {
        send(fds[i], &good, sizeof(good), MSG_NOSIGNAL);
        for (int k = 0; k < 2; k++)
            event_base_loop(r->base, EVLOOP_NONBLOCK);
        granted += recv(fds[i], &g, sizeof(g), MSG_DONTWAIT) == sizeof(g) && !g.status;
        close(fds[i]);
    }
    assert_int_equal(granted, MANY);
}

/* Who says nothing for longer than that has gone. */
static void test_mute(void **state)
{
    struct rig *r = *state;
    struct page_grant g;
    int fd = call(r);

    skip_time(r->base, 21 * CLOCK_NS_PER_S);
    assert_int_equal(recv(fd, &g, sizeof(g), MSG_DONTWAIT), 0);
    close(fd);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_granted), TEST(test_refused), TEST(test_silent),
        TEST(test_stubborn), TEST(test_starved), TEST(test_mute),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
