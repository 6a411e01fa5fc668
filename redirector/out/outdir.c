/* outdir.c - a file per rank and stream.
 *
 * Invariant: of the slots of the cache at most OUTDIR_OPEN hold a descriptor;
 * a file that was written before is reopened to append, so that what is
 * there is never lost when its turn in the cache is over. */
#include "redirector/out/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTDIR_OPEN = 128 };

struct outdir_slot { uint64_t file; uint64_t used; int fd; };

struct outdir {
    char *path;                 /* owned */
    int dir;                    /* owned */
    uint32_t ntasks;
    bool merged;
    uint8_t *made;              /* owned; one a rank: are its files there? */
    uint64_t clock;             /* counts uses */
    struct outdir_slot slots[OUTDIR_OPEN];
};

struct outdir *outdir_open(const char *path, uint32_t ntasks, bool merged,
                           struct err *err)
{
    struct outdir *d = calloc(1, sizeof(*d));

    if (!d)
        return err_memory(err), NULL;
    d->dir = -1;
    d->ntasks = ntasks;
    d->merged = merged;
    for (int i = 0; i < OUTDIR_OPEN; i++)
        d->slots[i].fd = -1;
    d->path = strdup(path);
    d->made = calloc(ntasks, 1);
    if (!d->path || !d->made) {
        err_memory(err);
        goto fail;
    }
    if (mkdir(path, 0777) < 0 && errno != EEXIST) {
        err_sys(err, "cannot make the directory %s", path);
        goto fail;
    }
    d->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->dir < 0) {
        err_sys(err, "cannot use the directory %s", path);
        goto fail;
    }
    return d;
fail:
    outdir_close(d);
    return NULL;
}

static int outdir_open_file(struct outdir *d, uint32_t rank, bool is_stderr,
                            int flags, struct err *err)
{
    char name[40];

    snprintf(name, sizeof(name), "rank.%u/%s", (unsigned)rank,
             is_stderr ? "stderr" : "stdout");
    int fd = openat(d->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | flags,
                    0666);

    if (fd < 0)
        return err_sys(err, "cannot open %s/%s", d->path, name);
    return fd;
}

/* The directory of a rank, with its empty files. */
static int outdir_make(struct outdir *d, uint32_t rank, struct err *err)
{
    char name[24];

    snprintf(name, sizeof(name), "rank.%u", (unsigned)rank);
    if (mkdirat(d->dir, name, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "cannot make the directory %s/%s", d->path, name);
    for (int i = 0; i < (d->merged ? 1 : 2); i++) {
        int fd = outdir_open_file(d, rank, i == 1, O_TRUNC, err);

        if (fd < 0)
            return -1;
        close(fd);
    }
    d->made[rank] = 1;
    return 0;
}

/* The descriptor of a file, from the cache or opened into it. */
static int outdir_take(struct outdir *d, uint32_t rank, bool is_stderr,
                       struct err *err)
{
    uint64_t file = (uint64_t)rank * 2 + is_stderr;
    struct outdir_slot *oldest = &d->slots[0];

    for (struct outdir_slot *s = d->slots; s < d->slots + OUTDIR_OPEN; s++) {
        if (s->fd >= 0 && s->file == file) {
            s->used = ++d->clock;
            return s->fd;
        }
        if (s->used < oldest->used)
            oldest = s;
    }
    if (!d->made[rank] && outdir_make(d, rank, err) < 0)
        return -1;
    if (oldest->fd >= 0)
        close(oldest->fd);
    oldest->fd = outdir_open_file(d, rank, is_stderr, O_APPEND, err);
    oldest->file = file;
    oldest->used = oldest->fd < 0 ? 0 : ++d->clock;
    return oldest->fd;
}

int outdir_write(struct outdir *d, uint32_t rank, bool is_stderr,
                 const void *p, size_t n, struct err *err)
{
    int fd = outdir_take(d, rank, is_stderr && !d->merged, err);
    const char *from = p;

    if (fd < 0)
        return -1;
    while (n > 0) {
        ssize_t wrote = write(fd, from, n);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return err_sys(err, "cannot write %s/rank.%u", d->path,
                           (unsigned)rank);
        from += wrote;
        n -= (size_t)wrote;
    }
    return 0;
}

int outdir_finish(struct outdir *d, struct err *err)
{
    for (uint32_t rank = 0; d && rank < d->ntasks; rank++)
        if (!d->made[rank] && outdir_make(d, rank, err) < 0)
            return -1;
    return 0;
}

void outdir_close(struct outdir *d)
{
    if (!d)
        return;
    for (int i = 0; i < OUTDIR_OPEN; i++)
        if (d->slots[i].fd >= 0)
            close(d->slots[i].fd);
    if (d->dir >= 0)
        close(d->dir);
    free(d->made);
    free(d->path);
    free(d);
}
