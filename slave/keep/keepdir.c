/* keepdir.c - the directory with all checkpoints of a job: see keepdir.h.
 *
 * Files are removed by names that only Hector gives, and directories if nothing
 * is left in them: a person may have put something there. The file "checkpoint"
 * goes first, and for good, so that what is half removed is none.
 *
 * A try is dropped while another host may be about to make it a checkpoint: its
 * directory gets another name first, and that file its own by its path, so one of
 * the two finds nothing. */
#include "slave/keep/keepdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/paths.h"
#include "proto/conf/checkpointfile.h"

#define ASIDE ".dropped"

static int cannot_read(const char *dir, struct err *err)
{
    return err_sys(err, "cannot read the checkpoints in %s", dir);
}

/* ------------------------------------------------------------- making */

static int usable(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st))
        return err_sys(err, "cannot keep checkpoints in %s", path);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ENOTDIR, "cannot keep checkpoints in %s, which is "
                       "no directory: name another one", path);
    if (faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS))
        return err_sys(err, "cannot keep checkpoints in %s: name another "
                       "directory", path);
    return 0;
}

/* Where a file system is gone there is a directory yet to put it on, or none:
 * what is written there is on another disk, and nowhere when it is back. That it
 * is made is how one knows: a kernel may remember that it was not there. */
static int is_there(const char *dir, struct err *err)
{
    if (mkdir(dir, 0700) == 0) {
        rmdir(dir);
        errno = ENOENT;
    } else if (errno == EEXIST) {
        return 0;
    }
    if (errno == ENOENT)
        return err_set(err, ENOENT, "cannot keep checkpoints in %s, which is "
                       "not there: it was, or is on another node; is what it "
                       "is on mounted?", dir);
    return err_sys(err, "cannot keep checkpoints in %s", dir);
}

static int make_number(const char *dir, uint32_t number, struct err *err)
{
    char path[PATHS_MAX];

    if (snprintf(path, sizeof(path), "%s/%" PRIu32, dir, number) >=
        (int)sizeof(path))
        return err_set(err, ENAMETOOLONG, "the path of the checkpoints is too "
                       "long: %.80s...", dir);
    if (usable(dir, err))
        return -1;
    if (mkdir(path, 0700) && errno != EEXIST)
        return err_sys(err, "cannot make the directory %s", path);
    return usable(path, err);
}

int keepdir_make(const char *dir, uint32_t number, struct err *err)
{
    return is_there(dir, err) ? -1 : make_number(dir, number, err);
}

static int open_at(int above, uint32_t number)
{
    char name[CHECKPOINTFILE_NUMBER];

    snprintf(name, sizeof(name), "%" PRIu32, number);
    return openat(above, name,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int keepdir_open(const char *dir, uint32_t number, struct err *err)
{
    int above = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = above < 0 ? -1 : open_at(above, number);

    if (fd < 0)
        checkpointfile_refuse(err, errno, dir, number, NULL);
    if (above >= 0)
        close(above);
    return fd;
}

/* ----------------------------------------------------------- removing */

/* rank-7.image, rank-7.part, checkpoint.new */
static bool is_ours(const char *name)
{
    size_t digits;

    if (strcmp(name, CHECKPOINTFILE_NEW) == 0)
        return true;
    if (strncmp(name, "rank-", 5) != 0)
        return false;
    name += 5;
    digits = strspn(name, "0123456789");
    return digits && (strcmp(name + digits, ".image") == 0 ||
                      strcmp(name + digits, ".part") == 0);
}

/* The files of ours in an open directory, which is taken. */
static int empty(int fd)
{
    DIR *d = fdopendir(fd);
    int rc = 0;

    if (!d) {
        close(fd);
        return -1;
    }
    for (struct dirent *e; !rc && (errno = 0, e = readdir(d)); )
        if (is_ours(e->d_name) && unlinkat(fd, e->d_name, 0) &&
            errno != ENOENT && errno != EISDIR)
            rc = -1;
    if (errno)
        rc = -1;

    int kept = errno;

    closedir(d);
    errno = kept;
    return rc;
}

/* Does it lack the file that would make it a checkpoint? */
static bool is_unfinished(int fd)
{
    struct stat st;

    return fstatat(fd, CHECKPOINTFILE, &st, AT_SYMLINK_NOFOLLOW) &&
           errno == ENOENT;
}

static bool is_not_there(void)
{
    return errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
}

/* What is ours of an open directory, which is taken, and the directory. */
static int clear(int above, const char *name, int fd)
{
    if (empty(fd))
        return -1;
    return unlinkat(above, name, AT_REMOVEDIR) && errno != ENOTEMPTY &&
           errno != EEXIST && errno != ENOENT ? -1 : 0;
}

/* whole: even if it is a checkpoint. */
static int drop(int above, uint32_t number, bool whole)
{
    char name[CHECKPOINTFILE_NUMBER];
    int fd = open_at(above, number);

    if (fd < 0)
        return is_not_there() ? 0 : -1;
    if (!is_unfinished(fd) &&
        (!whole || unlinkat(fd, CHECKPOINTFILE, 0) || fsync(fd))) {
        close(fd);
        return whole ? -1 : 0;
    }
    snprintf(name, sizeof(name), "%" PRIu32, number);
    return clear(above, name, fd);
}

/* ----------------------------------------------------------------- taken aside */

/* "7.dropped": the number; 0: it is no such name. */
static uint32_t aside_number(const char *name)
{
    char number[CHECKPOINTFILE_NUMBER];
    size_t n = strcspn(name, ".");

    if (n >= sizeof(number) || strcmp(name + n, ASIDE) != 0)
        return 0;
    memcpy(number, name, n);
    number[n] = '\0';
    return checkpointfile_number(number);
}

/* Another host may have been faster, or it may be a checkpoint by now. */
static int drop_aside(int above, uint32_t number)
{
    char name[CHECKPOINTFILE_NUMBER], aside[sizeof(name) + sizeof(ASIDE)];
    int fd = open_at(above, number);

    if (fd < 0)
        return is_not_there() ? 0 : -1;
    snprintf(name, sizeof(name), "%" PRIu32, number);
    snprintf(aside, sizeof(aside), "%s" ASIDE, name);
    if (!is_unfinished(fd))
        return close(fd), 0;
    if (renameat(above, name, above, aside)) {
        int kept = errno;

        close(fd);
        errno = kept;
        return errno == ENOENT ? 0 : -1;
    }
    if (!is_unfinished(fd))
        close(fd);
    else if (clear(above, aside, fd))
        return -1;
    /* What is not ours keeps it. */
    return renameat(above, aside, above, name) && errno != ENOENT ? -1 : 0;
}

/* Who took them aside did not come to remove them. */
static int drop_left_aside(const char *dir, struct err *err)
{
    DIR *d = opendir(dir);
    int rc = 0;

    if (!d)
        return cannot_read(dir, err);
    for (struct dirent *e; !rc && (errno = 0, e = readdir(d)); ) {
        int fd = aside_number(e->d_name)
                 ? openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY |
                          O_NOFOLLOW | O_CLOEXEC) : -1;

        if (fd >= 0 && clear(dirfd(d), e->d_name, fd))
            rc = cannot_read(dir, err);
    }
    closedir(d);
    return rc;
}

int keepdir_drop(const char *dir, uint32_t number, struct err *err)
{
    int above = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (above < 0)
        return errno == ENOENT ? 0 : cannot_read(dir, err);
    rc = drop_aside(above, number) ? checkpointfile_refuse(err, errno, dir, number, NULL)
                                   : 0;
    close(above);
    return rc;
}

int keepdir_drop_local(const char *local, uint32_t number, struct err *err)
{
    if (keepdir_drop(local, number, err))
        return -1;
    if (rmdir(local) && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        return err_sys(err, "cannot remove %s", local);
    return 0;
}

/* ------------------------------------------------------- lower numbers */

/* The numbers below that one that directories have; they are the caller's. */
static int lower(const char *dir, uint32_t number, uint32_t **v, size_t *n,
                 struct err *err)
{
    DIR *d = opendir(dir);
    size_t cap = 0;
    int rc = 0;

    *v = NULL;
    *n = 0;
    if (!d)
        return cannot_read(dir, err);
    for (struct dirent *e; !rc && (errno = 0, e = readdir(d)); ) {
        uint32_t x = checkpointfile_number(e->d_name);

        if (!x || x >= number)
            continue;
        rc = array_reserve(v, &cap, *n + 1);
        if (!rc)
            (*v)[(*n)++] = x;
    }
    if (errno)
        rc = cannot_read(dir, err);
    closedir(d);
    return rc;
}

/* Drops each of them; the first failure is reported. */
static int drop_all(const char *dir, const uint32_t *v, size_t n, bool whole,
                    struct err *err)
{
    int above = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

    if (above < 0)
        return cannot_read(dir, err);
    for (size_t i = 0; i < n; i++)
        if (drop(above, v[i], whole) && !rc)
            rc = checkpointfile_refuse(err, errno, dir, v[i], NULL);
    close(above);
    return rc;
}

static int drop_unfinished(const char *dir, uint32_t number, struct err *err)
{
    uint32_t *v;
    size_t n;
    int rc = lower(dir, number, &v, &n, err);

    if (!rc)
        rc = drop_all(dir, v, n, false, err);
    free(v);
    return rc;
}

int keepdir_make_local(const char *local, uint32_t number, struct err *err)
{
    char below[PATHS_MAX];

    snprintf(below, sizeof(below), "%s/", local);
    if (paths_make_parents(below, err) || make_number(local, number, err))
        return -1;
    return drop_unfinished(local, number, err) || drop_left_aside(local, err)
           ? -1 : 0;
}

int keepdir_sweep(const char *dir, uint32_t number, struct err *err)
{
    int fd;

    if (drop_unfinished(dir, number, err) || drop_left_aside(dir, err))
        return -1;
    fd = keepdir_open(dir, number, err);
    if (fd < 0)
        return -1;
    if (!is_unfinished(fd) && unlinkat(fd, CHECKPOINTFILE, 0)) {
        close(fd);
        return checkpointfile_refuse(err, errno, dir, number, NULL);
    }
    return empty(fd) ? checkpointfile_refuse(err, errno, dir, number, NULL)
                     : 0;
}

/* What to do with a checkpoint, the newer ones of which are known. */
static bool is_needless(const char *dir, uint32_t number, bool *have)
{
    Hct__Checkpoint *c;
    struct err err;

    if (checkpointfile_read(dir, number, &c, &err))
        return err.code == EBADMSG;
    hct__checkpoint__free_unpacked(c, NULL);
    if (*have)
        return true;
    *have = true;
    return false;
}

int keepdir_retire(const char *dir, uint32_t number, uint32_t older,
                   struct err *err)
{
    struct err another;
    bool have = older != 0;     /* then no other one is wanted */
    uint32_t *v;
    size_t n, needless = 0;
    int rc;

    if (checkpointfile_list(dir, &v, &n, err))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (v[i] < number && v[i] != older && is_needless(dir, v[i], &have))
            v[needless++] = v[i];
    rc = drop_all(dir, v, needless, true, err);
    free(v);
    return drop_unfinished(dir, number, rc ? &another : err) || rc ? -1 : 0;
}
