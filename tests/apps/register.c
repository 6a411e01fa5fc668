/* register.c - a process that registers with its slave as a task would, and
 * claims what it is told to.
 *
 *   register RANK NTASKS [FILE [MAJOR]]
 *
 * MAJOR is the version of the page that it wants. Says "granted" or "refused:
 * WHY", then waits until FILE exists. No MPI. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../mpi-wrappers/page.h"

int main(int argc, char **argv)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    struct page_hello hello = { .magic = PAGE_MAGIC, .major = PAGE_MAJOR,
                                .minor = PAGE_MINOR };
    const char *path = getenv("HECTOR_SLAVE"), *job = getenv("HECTOR_JOB");
    struct page_grant grant;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    socklen_t bytes;

    if (argc < 3 || !path || !job || strlen(path) >= sizeof(sa.sun_path))
        return 2;
    strcpy(sa.sun_path, path);
    bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (*path == '@')
        sa.sun_path[0] = '\0';
    hello.job = strtoull(job, NULL, 10);
    hello.rank = (uint32_t)strtoul(argv[1], NULL, 10);
    hello.ntasks = (uint32_t)strtoul(argv[2], NULL, 10);
    hello.pid = (uint32_t)getpid();
    if (argc > 4)
        hello.major = (uint32_t)strtoul(argv[4], NULL, 10);
    if (connect(fd, (struct sockaddr *)&sa, bytes) != 0 ||
        send(fd, &hello, sizeof(hello), 0) != (ssize_t)sizeof(hello) ||
        recv(fd, &grant, sizeof(grant), 0) != (ssize_t)sizeof(grant)) {
        printf("failed: %s\n", strerror(errno));
        return 1;
    }
    if (grant.status)
        printf("refused: %s\n", grant.why);
    else
        puts("granted");
    fflush(stdout);
    while (argc > 3 && access(argv[3], F_OK) != 0)
        usleep(20000);
    return grant.status != 0;
}
