/* attach.c - registration with the slave, see the end of page.h.
 *
 * Runs inside the application's MPI_Init, so it is careful with everything
 * that is not ours: no output, no signal, no descriptor left open or
 * inherited, no longer than was allowed, and errno comes back as it was. */
#include "mpi-wrappers/record/attach.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/record/ring.h"
#include "mpi-wrappers/table/calls.h"

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* The first of these variables that holds a number; none if there is none. */
static uint64_t env_number(const char *const *names, uint64_t none)
{
    for (; *names; names++) {
        const char *s = getenv(*names);
        char *end;
        unsigned long long v;

        if (!s || *s < '0' || *s > '9')
            continue;
        errno = 0;
        v = strtoull(s, &end, 10);
        if (*end == '\0' && errno == 0)
            return v;
    }
    return none;
}

static void fill_hello(struct page_hello *hello, const char *mpi)
{
    static const char *const job[] = { "HECTOR_JOB", NULL };
    static const char *const rank[] = { "HECTOR_RANK", "OMPI_COMM_WORLD_RANK",
        "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL };
    static const char *const ntasks[] = { "HECTOR_NTASKS",
        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL };

    memset(hello, 0, sizeof(*hello));
    hello->magic = PAGE_MAGIC;
    hello->major = PAGE_MAJOR;
    hello->minor = PAGE_MINOR;
    hello->job = env_number(job, 0);
    hello->rank = (uint32_t)env_number(rank, UINT32_MAX);
    hello->ntasks = (uint32_t)env_number(ntasks, 0);
    hello->pid = (uint32_t)getpid();
    if (mpi) {                  /* "Open MPI v4.1.4, package: ..." */
        size_t n = strcspn(mpi, ",\n");

        memcpy(hello->mpi, mpi, n < sizeof(hello->mpi) ? n
                                                       : sizeof(hello->mpi) - 1);
    }
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
        n = poll(&p, 1, (int)left);
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

static bool peer_trusted(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

static int send_hello(int fd, const char *mpi, int64_t until_ms)
{
    struct page_hello hello;

    fill_hello(&hello, mpi);
    while (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) < 0) {
        int code = errno == EAGAIN ? wait_for(fd, POLLOUT, until_ms) : errno;

        if (code && code != EINTR)
            return code;
    }
    return 0;
}

/* The slave's answer; *memfd is -1 or ours, whatever is returned. */
static int get_grant(int fd, struct page_grant *grant, int *memfd,
                     int64_t until_ms)
{
    union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec iov = { .iov_base = grant, .iov_len = sizeof(*grant) };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof(control) };
    struct cmsghdr *c;
    ssize_t n;

    *memfd = -1;
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
        memcpy(memfd, CMSG_DATA(c), sizeof(int));
    if (n != sizeof(*grant) || grant->magic != PAGE_MAGIC)
        return EPROTO;
    if (grant->status)
        return (int)grant->status;
    return *memfd < 0 ? EPROTO : 0;
}

int attach_check(struct attach *a, struct page_header *page, size_t bytes)
{
    uint32_t ring = page->ring_bytes;

    if (page->magic != PAGE_MAGIC || page->major != PAGE_MAJOR ||
        page->bytes > bytes || page->slots < 1 ||
        page->slots > PAGE_SLOTS || page->calls < CALL_END ||
        page->calls > PAGE_CALLS || ring < RING_BYTES_MIN ||
        (ring & (ring - 1)) != 0 ||
        page_bytes(page->slots, page->calls, ring) > page->bytes)
        return EPROTO;
    *a = (struct attach){ .page = page, .bytes = bytes, .slots = page->slots,
                          .calls = page->calls, .ring_bytes = ring,
                          .what = page->what };
    return 0;
}

static int map_page(struct attach *a, int memfd, uint64_t bytes)
{
    struct stat st;
    void *p;
    int code;

    if (bytes < page_bytes(1, CALL_END, RING_BYTES_MIN) || bytes > SIZE_MAX / 2)
        return EPROTO;
    if (fstat(memfd, &st) != 0)
        return errno;
    if ((uint64_t)st.st_size < bytes)   /* or reading past it would kill us */
        return EPROTO;
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    if (p == MAP_FAILED)
        return errno;
    code = attach_check(a, p, bytes);
    if (code)
        munmap(p, bytes);
    return code;
}

bool attach_wanted(void)
{
    const char *path = getenv("HECTOR_SLAVE");

    return path && *path;
}

int attach_open(struct attach *a, const char *mpi, int limit_ms)
{
    const char *path = getenv("HECTOR_SLAVE");
    int64_t until_ms = now_ms() + limit_ms;
    int saved = errno;
    struct page_grant grant;
    int fd, memfd = -1, code;

    if (!attach_wanted())
        return ENOENT;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    code = fd < 0 ? errno : connect_to(fd, path, until_ms);
    if (!code && !peer_trusted(fd))
        code = EPERM;
    if (!code)
        code = send_hello(fd, mpi, until_ms);
    if (!code)
        code = get_grant(fd, &grant, &memfd, until_ms);
    if (!code)
        code = map_page(a, memfd, grant.bytes);
    if (memfd >= 0)
        close(memfd);
    if (fd >= 0)
        close(fd);
    errno = saved;
    return code;
}
