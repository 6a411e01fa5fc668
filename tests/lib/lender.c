/* lender.c - a slave that lends places in a job: for each generation that tasks
 * ask for it starts mpirun, and what is started so, and would be a task, hands
 * its environment on to the one that asks.
 *
 * usage: lender NAME TASKS     listens at @NAME until its standard input ends */

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpi-wrappers/page.h"

extern char **environ;
enum { LENDER_TASKS = 64, LENDER_MAGIC = 0x1e4d };
static const char *name, *self;
static int ntasks;

static struct place {
    int ask, stub, next_stub, memfd;    /* -1: none */
    uint32_t generation, bytes;
} places[LENDER_TASKS];

static int socket_at(struct sockaddr_un *at, socklen_t *n)
{
    *at = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(at->sun_path + 1, sizeof(at->sun_path) - 1, "%s", name);
    *n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

static int send_fd(int to, const void *what, size_t bytes, int fd)
{
    union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec iov = { (void *)(uintptr_t)what, bytes };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof(control) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof(int));
    return (int)sendmsg(to, &m, MSG_NOSIGNAL);
}

/* What mpirun has started. */
static int stub(uint32_t generation)
{
    uint32_t said[4] = { LENDER_MAGIC, generation, 0, 0 };
    int memfd = memfd_create("environment", MFD_CLOEXEC), fd;
    struct sockaddr_un at;
    socklen_t n;
    char end;

    for (char **e = environ; *e; e++)
        if (strncmp(*e, "PMIX_", 5) == 0 || strncmp(*e, "OMPI_", 5) == 0 ||
            strncmp(*e, "ORTE_", 5) == 0)
            said[3] += (uint32_t)write(memfd, *e, strlen(*e) + 1);
    said[2] = (uint32_t)atoi(getenv("PMIX_RANK"));
    fd = socket_at(&at, &n);
    if (connect(fd, (struct sockaddr *)&at, n) != 0 ||
        send_fd(fd, said, sizeof(said), memfd) < 0)
        return 1;
    return read(fd, &end, 1) != 0;
}

static void launch(uint32_t generation)
{
    static uint32_t launched;
    char tasks[16], number[16];

    if (generation <= launched)
        return;
    launched = generation;
    snprintf(tasks, sizeof(tasks), "%d", ntasks);
    snprintf(number, sizeof(number), "%u", generation);
    if (fork() == 0) {
        unsetenv("LD_PRELOAD");
        execlp("mpirun", "mpirun", "--oversubscribe", "-np", tasks, self, "-s", name,
               number, (char *)NULL);
        _exit(127);
    }
}

static void give(struct place *p)
{
    struct page_lease lease = { .magic = PAGE_LEASE, .bytes = p->bytes };

    if (p->ask < 0 || p->memfd < 0)
        return;
    send_fd(p->ask, &lease, sizeof(lease), p->memfd);
    close(p->ask);
    close(p->memfd);
    if (p->stub >= 0)
        close(p->stub);
    p->stub = p->next_stub;
    p->ask = p->memfd = p->next_stub = -1;
}

static void meet(int listener)
{
    union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } control;
    union { struct page_lease_ask ask; uint32_t said[4]; char room[512]; } u;
    struct iovec iov = { &u, sizeof(u) };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof(control) };
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);

    if (n == sizeof(u.ask) && u.ask.magic == PAGE_LEASE && u.ask.rank < LENDER_TASKS) {
        struct place *p = &places[u.ask.rank];

        p->ask = fd;
        launch(u.ask.generation);
        give(p);
    } else if (n == sizeof(u.said) && u.said[0] == LENDER_MAGIC) {
        struct place *p = &places[u.said[2]];

        memcpy(&p->memfd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
        p->bytes = u.said[3];
        p->next_stub = fd;
        give(p);
    } else {
        close(fd);
    }
}

int main(int argc, char **argv)
{
    struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
    struct sockaddr_un at;
    socklen_t n;
    char end;

    if (argc == 4) {
        name = argv[2];
        return stub((uint32_t)atoi(argv[3]));
    }
    self = argv[0];
    name = argv[1];
    ntasks = atoi(argv[2]);
    for (int i = 0; i < LENDER_TASKS; i++)
        places[i] = (struct place){ -1, -1, -1, -1, 0, 0 };
    signal(SIGCHLD, SIG_IGN);
    p[1].fd = socket_at(&at, &n);
    if (bind(p[1].fd, (struct sockaddr *)&at, n) != 0 || listen(p[1].fd, 128) != 0)
        return 1;
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        poll(p, 2, -1);
        if (p[1].revents)
            meet(p[1].fd);
        if (p[0].revents && read(0, &end, 1) <= 0)
            return 0;
    }
}
