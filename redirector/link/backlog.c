/* backlog.c - bytes first .. first + n of a stream in one piece of memory. When it
 * is full the last `keep` of them go to its beginning: as there is room for as many
 * again, each byte is copied twice at most.
 *
 * Invariant: fd >= 0 <=> file has all bytes before first, number 0 at origin. */
#include "redirector/link/backlog.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/paths.h"

enum { PIECE = 64 << 10 };

struct backlog {
    char *v;                    /* owned */
    size_t n, cap, keep;
    uint64_t first;
    int fd;                     /* owned */
    off_t origin;
    bool plain;                 /* the file is what is read */
    bool ahead;
    char *dir;                  /* owned; NULL: nothing is written */
    char piece[PIECE];          /* of the file */
};

/* A plain file, as whoever has started us has it. */
static void take_file(struct backlog *b, int fd)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        return;
    b->origin = lseek(fd, 0, SEEK_CUR);
    if (b->origin >= 0)
        b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    b->plain = b->fd >= 0;
}

struct backlog *backlog_create(const struct backlog_conf *conf, struct err *err)
{
    struct backlog *b = calloc(1, sizeof(*b));

    if (!b)
        return err_memory(err), NULL;
    b->fd = -1;
    b->keep = conf->keep;
    b->ahead = conf->ahead;
    b->cap = 2 * conf->keep + BACKLOG_ADD_MAX;
    b->v = malloc(b->cap);
    take_file(b, conf->fd);
    if (conf->dir && !b->plain)
        b->dir = strdup(conf->dir);
    if (b->v && (b->dir || !conf->dir || b->plain))
        return b;
    backlog_destroy(b);
    return err_memory(err), NULL;
}

void backlog_destroy(struct backlog *b)
{
    if (!b)
        return;
    if (b->fd >= 0)
        close(b->fd);
    free(b->v);
    free(b->dir);
    free(b);
}

/* That nobody else finds. */
static int open_unnamed(const char *dir)
{
    char path[PATHS_MAX];
    int fd;

    if (snprintf(path, sizeof(path), "%s/.hector-XXXXXX", dir) >=
        (int)sizeof(path))
        return errno = ENAMETOOLONG, -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* Behind what is there. */
static int write_down(struct backlog *b, const char *p, size_t n)
{
    uint64_t at = backlog_end(b);

    if (b->fd < 0 && (b->fd = open_unnamed(b->dir)) < 0)
        return -1;
    while (n) {
        ssize_t done = pwrite(b->fd, p, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        n -= (size_t)done;
        at += (uint64_t)done;
    }
    return 0;
}

static int keep_no_more(struct backlog *b, struct err *err)
{
    err_sys(err, "standard input cannot be kept in %.120s, and tasks cannot go "
            "back to where they were in it", b->dir);
    if (b->fd >= 0)
        close(b->fd);
    b->fd = -1;
    free(b->dir);
    b->dir = NULL;
    return -1;
}

int backlog_add(struct backlog *b, const void *p, size_t n, struct err *err)
{
    int rc = 0;

    assert(n <= BACKLOG_ADD_MAX);
    if (b->dir && write_down(b, p, n))
        rc = keep_no_more(b, err);
    if (n > b->cap - b->n) {
        size_t old = b->n - b->keep;

        memmove(b->v, b->v + old, b->keep);
        b->first += old;
        b->n = b->keep;
    }
    memcpy(b->v + b->n, p, n);
    b->n += n;
    return rc;
}

uint64_t backlog_end(const struct backlog *b)
{
    return b->first + b->n;
}

static bool skip_to(struct backlog *b, uint64_t at)
{
    struct stat st;

    if (!b->plain || fstat(b->fd, &st) || st.st_size < b->origin ||
        at > (uint64_t)(st.st_size - b->origin) ||
        lseek(b->fd, b->origin + (off_t)at, SEEK_SET) < 0)
        return false;
    b->first = at;
    b->n = 0;
    return true;
}

int backlog_reach(struct backlog *b, uint64_t at, struct err *err)
{
    if (at <= backlog_end(b) ? at >= b->first || b->fd >= 0
                             : skip_to(b, at) || (b->ahead && !b->plain))
        return 0;
    return err_set(err, EPROTO, "tasks want standard input from byte %llu on, "
                   "and hector-run has %llu to %llu", (unsigned long long)at,
                   (unsigned long long)b->first,
                   (unsigned long long)backlog_end(b));
}

const void *backlog_from(struct backlog *b, uint64_t at, size_t *n,
                         struct err *err)
{
    size_t most;
    ssize_t got;

    assert(at <= backlog_end(b));
    if (at >= b->first) {
        *n = b->n - (size_t)(at - b->first);
        return b->v + (at - b->first);
    }
    most = b->first - at < PIECE ? (size_t)(b->first - at) : PIECE;
    do
        got = b->fd < 0 ? 0 : pread(b->fd, b->piece, most,
                                    b->origin + (off_t)at);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        *n = (size_t)got;
        return b->piece;
    }
    if (got < 0)
        err_sys(err, "standard input cannot be read again from byte %llu on",
                (unsigned long long)at);
    else
        err_set(err, EIO, "standard input ends at byte %llu now, which was read "
                "before", (unsigned long long)at);
    return NULL;
}
