/* bench_unwind.c - what the reader of stacks costs: processor time for the
 * first copy of a process, which opens its binaries, and for each further one,
 * through what the unwinder runs in its own process.
 *
 *   bench_unwind [COPIES [PID...]]      of these, else of a child of its own */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "slave/proc/procmaps.h"
#include "slave/stacks/halt.h"
#include "slave/stacks/unwinder_work.h"

enum { PIDS = 64, MAPS = 4 << 20, DEPTH = 12 };

static struct halt_copy copies[PIDS];
static char *maps[PIDS];
static pid_t pids[PIDS], child;
static uint32_t npids;

static void die(const char *why)
{
    fprintf(stderr, "bench_unwind: %s\n", why);
    if (child > 0)
        kill(child, SIGKILL);
    exit(1);
}

/* --------------------------------------------------------- what is looked at */

static int by_waiting(const void *a, const void *b);

/* Through qsort() of the C library, DEPTH times. */
__attribute__((noinline)) static int deeper(int depth)
{
    int v[2] = { depth, depth };

    qsort(v, 2, sizeof(v[0]), by_waiting);
    return v[0] + 1;
}

static int by_waiting(const void *a, const void *b)
{
    int depth = *(const int *)a;

    for (; depth >= DEPTH;)
        usleep(100000);
    return deeper(depth + 1) - *(const int *)b;
}

static void take(uint32_t i)
{
    struct halt h;
    struct err err;

    maps[i] = malloc(MAPS);
    if (!maps[i] || procmaps_read(pids[i], maps[i], MAPS) <= 0)
        die("there is no such process");
    if (halt_begin(&h, pids[i], pids[i], &err))
        die(err.text);
    while (halt_poll(&h, &copies[i]) == HALT_WAIT)
        usleep(100);
    if (h.state != HALT_COPIED)
        die("no copy");
}

/* ------------------------------------------------------------ the slave's end */

static void put(int fd, const void *data, size_t n)
{
    if (n && write(fd, data, n) != (ssize_t)n)
        _exit(1);
}

static void piece(int fd, struct unwinder_head h, const void *data)
{
    put(fd, &h, sizeof(h));
    put(fd, data, h.bytes);
}

static void feed(int fd, uint32_t n)
{
    char answer[4096];

    piece(fd, (struct unwinder_head){ UNWINDER_BEGIN, npids, n, 1, 0 }, "");
    for (uint32_t i = 0; i < npids; i++)
        piece(fd, (struct unwinder_head){ UNWINDER_MAPS, i, 0, (uint32_t)pids[i],
                                        strlen(maps[i]) }, maps[i]);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t i = 0; i < npids; i++)
            piece(fd, (struct unwinder_head){ UNWINDER_COPY, i, s, 0,
                  offsetof(struct halt_copy, stack) + copies[i].bytes },
                  &copies[i]);
    piece(fd, (struct unwinder_head){ UNWINDER_END, 0, 0, 0, 0 }, "");
    while (read(fd, answer, sizeof(answer)) > 0)
        ;
    _exit(0);
}

static double cpu_ms(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

/* Processor time of a tree of n copies of each. */
static double tree_ms(uint32_t n)
{
    int fds[2];
    pid_t feeder;
    double before;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
        die("no sockets");
    feeder = fork();
    if (feeder == 0) {
        close(fds[0]);
        feed(fds[1], n);
    }
    close(fds[1]);
    before = cpu_ms();
    if (unwinder_work(fds[0]))
        die("no tree");
    before = cpu_ms() - before;
    close(fds[0]);
    waitpid(feeder, NULL, 0);
    return before;
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    double first, all;

    for (int i = 2; i < argc && npids < PIDS; i++)
        pids[npids++] = (pid_t)atol(argv[i]);
    if (npids == 0) {
        child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            deeper(0);
        }
        usleep(200000);
        pids[npids++] = child;
    }
    for (uint32_t i = 0; i < npids; i++)
        take(i);
    first = tree_ms(1);
    all = n > 1 ? tree_ms(n) : first;
    printf("unwind: the first copy of each of %u processes %.1f ms of "
           "processor time, each further copy %.1f us\n", npids, first,
           n > 1 ? (all - first) * 1e3 / ((n - 1) * npids) : 0.0);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return 0;
}
