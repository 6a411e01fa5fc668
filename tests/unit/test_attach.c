/* test_attach.c - registration: a slave that behaves, and all the others. */
#include "tests/unit/pages.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

/* How the slave of one case misbehaves. */
struct grants {
    const char *name;
    int wanted;                 /* what attach_open() is to return */
    uint32_t status;
    bool no_magic, no_fd, no_answer, hang_up, half;
    bool page_magic, page_major, page_slots, page_calls, page_ring, page_size;
    size_t short_by;            /* the memfd is smaller than granted */
};

static const struct grants cases[] = {
    { .name = "a good page" },
    { .name = "refused", .wanted = EEXIST, .status = EEXIST },
    { .name = "not our protocol", .wanted = EPROTO, .no_magic = true },
    { .name = "no memory sent", .wanted = EPROTO, .no_fd = true },
    { .name = "half an answer", .wanted = EPROTO, .half = true },
    { .name = "silence", .wanted = ETIMEDOUT, .no_answer = true },
    { .name = "hung up", .wanted = EPROTO, .hang_up = true },
    { .name = "short memory", .wanted = EPROTO, .short_by = 4096 },
    { .name = "page without magic", .wanted = EPROTO, .page_magic = true },
    { .name = "page of another version", .wanted = EPROTO, .page_major = true },
    { .name = "too many slots", .wanted = EPROTO, .page_slots = true },
    { .name = "no room for all calls", .wanted = EPROTO, .page_calls = true },
    { .name = "odd ring", .wanted = EPROTO, .page_ring = true },
    { .name = "page larger than it is", .wanted = EPROTO, .page_size = true },
};

static int listener;
static char path[64];
static struct page_hello hello;         /* what the last one said */

static void spoil(struct page_header *h, const struct grants *g)
{
    if (g->page_magic)
        h->magic++;
    if (g->page_major)
        h->major++;
    if (g->page_slots)
        h->slots = PAGE_SLOTS + 1;
    if (g->page_calls)
        h->calls = CALL_END - 1;
    if (g->page_ring)
        h->ring_bytes += 8;
    if (g->page_size)
        h->bytes *= 2;
}

static void send_grant(int fd, const struct grants *g)
{
    size_t bytes = page_bytes(4, PAGE_CALLS, RING_BYTES_MIN);
    struct page_grant grant = { .magic = PAGE_MAGIC + g->no_magic,
                                .status = g->status, .bytes = bytes };
    union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec iov = { &grant, g->half ? sizeof(grant) / 2 : sizeof(grant) };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    int memfd = memfd_create("page", MFD_CLOEXEC);
    struct page_header *h;

    CHECK(memfd >= 0 && ftruncate(memfd, (off_t)bytes) == 0);
    h = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    CHECK(h != MAP_FAILED);
    page_fill(h, 4, RING_BYTES_MIN);
    spoil(h, g);
    munmap(h, 4096);
    CHECK(ftruncate(memfd, (off_t)(bytes - g->short_by)) == 0);
    if (!g->no_fd) {
        memset(&control, 0, sizeof(control));
        control.h.cmsg_level = SOL_SOCKET;
        control.h.cmsg_type = SCM_RIGHTS;
        control.h.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.h), &memfd, sizeof(int));
        msg.msg_control = &control;
        msg.msg_controllen = sizeof(control);
    }
    CHECK(sendmsg(fd, &msg, MSG_NOSIGNAL) > 0);
    close(memfd);
}

static void *slave(void *arg)
{
    const struct grants *g = arg;
    int fd = accept(listener, NULL, NULL);
    char more;

    CHECK(fd >= 0);
    CHECK(recv(fd, &hello, sizeof(hello), 0) == sizeof(hello));
    if (!g->no_answer && !g->hang_up)
        send_grant(fd, g);
    if (g->no_answer)           /* until the task gives up */
        CHECK(recv(fd, &more, 1, 0) == 0);
    close(fd);
    return NULL;
}

static unsigned open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void answers(void **state)
{
    (void)state;
    setenv("HECTOR_SLAVE", path, 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct attach a = { 0 };
        unsigned files = open_files();
        pthread_t thread;
        int got;

        pthread_create(&thread, NULL, slave, (void *)(uintptr_t)&cases[i]);
        errno = 4711;
        got = attach_open(&a, "MPICH Version 4", 300);
        assert_int_equal(errno, 4711);
        pthread_join(thread, NULL);
        if (got != cases[i].wanted)
            fail_msg("%s: got %d, wanted %d", cases[i].name, got,
                     cases[i].wanted);
        assert_int_equal(open_files(), files);
        if (got == 0) {
            assert_int_equal(a.slots, 4);
            assert_int_equal(a.ring_bytes, RING_BYTES_MIN);
            munmap(a.page, a.bytes);
        } else {
            assert_null(a.page);
        }
    }
}

static void nobody_there(void **state)
{
    char too_long[200] = "";
    const char *const names[] = { "", "/nowhere/at/all", "/dev/null",
                                  too_long };
    struct attach a;

    (void)state;
    memset(too_long, '/', sizeof(too_long) - 1);
    unsetenv("HECTOR_SLAVE");
    assert_int_equal(attach_open(&a, NULL, 300), ENOENT);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        setenv("HECTOR_SLAVE", names[i], 1);
        assert_int_not_equal(attach_open(&a, NULL, 300), 0);
    }
}

/* A slave that accepts nobody: its backlog fills up. */
static void backlog_full(void **state)
{
    struct attach a;

    (void)state;
    setenv("HECTOR_SLAVE", path, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(attach_open(&a, NULL, 50), ETIMEDOUT);
}

static const struct { const char *vars[8]; struct page_hello want; } ids[] = {
    { { NULL }, { .rank = UINT32_MAX } },
    { { "HECTOR_JOB=12", "HECTOR_RANK=3", "HECTOR_NTASKS=4",
        "PMIX_RANK=9" }, { .job = 12, .rank = 3, .ntasks = 4 } },
    { { "OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=6" },
      { .rank = 5, .ntasks = 6 } },
    { { "PMI_RANK=0", "PMI_SIZE=2" }, { .rank = 0, .ntasks = 2 } },
    { { "HECTOR_RANK=-1", "PMI_RANK=3x", "SLURM_PROCID=8" }, { .rank = 8 } },
    { { "HECTOR_JOB=99999999999999999999" }, { .rank = UINT32_MAX } },
};

static void says_who_it_is(void **state)
{
    static const struct grants refuse = { .status = EPERM };

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        struct attach a;
        pthread_t thread;

        clearenv();
        setenv("HECTOR_SLAVE", path, 1);
        for (int k = 0; ids[i].vars[k]; k++)
            putenv((char *)(uintptr_t)ids[i].vars[k]);
        pthread_create(&thread, NULL, slave, (void *)(uintptr_t)&refuse);
        assert_int_equal(attach_open(&a, "Open MPI v4.1.4, package: x", 5000),
                         EPERM);
        pthread_join(thread, NULL);
        assert_int_equal(hello.magic, PAGE_MAGIC);
        assert_int_equal(hello.pid, getpid());
        assert_int_equal(hello.job, ids[i].want.job);
        assert_int_equal(hello.rank, ids[i].want.rank);
        assert_int_equal(hello.ntasks, ids[i].want.ntasks);
        assert_string_equal(hello.mpi, "Open MPI v4.1.4");
    }
}

static int start_listening(void **state)
{
    struct sockaddr_un sun = { .sun_family = AF_UNIX };

    (void)state;
    snprintf(path, sizeof(path), "/tmp/hct-attach-%d", (int)getpid());
    strcpy(sun.sun_path, path);
    unlink(path);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return listener < 0 || bind(listener, (void *)&sun, sizeof(sun)) ||
           listen(listener, 1);
}

static int stop_listening(void **state)
{
    (void)state;
    close(listener);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(says_who_it_is),
        cmocka_unit_test(backlog_full),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, start_listening, stop_listening);
}
