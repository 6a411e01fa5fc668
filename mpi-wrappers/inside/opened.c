/* opened.c - see opened.h. Those that have come in between, by what they refer to:
 * a number that the program has got for something else meanwhile is left alone. */
#include "mpi-wrappers/inside/opened.h"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPENED = 256, OPENED_BEFORE = 4096 };

static struct {
    unsigned char before[OPENED_BEFORE / 8];    /* a bit each */
    struct { int fd; dev_t dev; ino_t ino; } v[OPENED];
    int n;
} opened;

static void opened_before(int fd)
{
    if (fd < OPENED_BEFORE)
        opened.before[fd / 8] |= (unsigned char)(1 << fd % 8);
}

/* Of others many refer to the same. */
static bool opened_known(int fd, struct stat *st)
{
    return fstat(fd, st) == 0 && (S_ISREG(st->st_mode) || S_ISSOCK(st->st_mode) ||
                                  S_ISFIFO(st->st_mode));
}

/* PMIx's word that a task is done would wait 40 ms for the kernel of the other end
 * to confirm what was sent before. */
static void opened_hurry(int fd)
{
    const int yes = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

static void opened_note(int fd)
{
    struct stat st;

    if (fd >= OPENED_BEFORE || (opened.before[fd / 8] & 1 << fd % 8) ||
        opened.n == OPENED || !opened_known(fd, &st))
        return;
    if (S_ISSOCK(st.st_mode))
        opened_hurry(fd);
    opened.v[opened.n].fd = fd;
    opened.v[opened.n].dev = st.st_dev;
    opened.v[opened.n++].ino = st.st_ino;
}

static void opened_each(void (*one)(int fd))
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (e->d_name[0] >= '0' && e->d_name[0] <= '9' &&
            atoi(e->d_name) != dirfd(d))
            one(atoi(e->d_name));
    if (d)
        closedir(d);
}

void opened_begin(void)
{
    memset(opened.before, 0, sizeof(opened.before));
    opened.n = 0;
    opened_each(opened_before);
}

void opened_end(void)
{
    opened_each(opened_note);
}

void opened_close(void)
{
    struct stat st;

    for (int i = 0; i < opened.n; i++)
        if (opened_known(opened.v[i].fd, &st) && st.st_dev == opened.v[i].dev &&
            st.st_ino == opened.v[i].ino)
            close(opened.v[i].fd);
    opened.n = 0;
}
