/* checkpointfile.c - the file that makes a directory a checkpoint: see
 * checkpointfile.h.
 *
 * It is written under another name, and gets its own when all of it is on the
 * disk: whoever finds it finds it whole. */
#include "proto/conf/checkpointfile.h"

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

#include <sodium.h>

#include "proto/base/array.h"
#include "proto/base/writeall.h"

#define FIRST           "Hector checkpoint "    /* line, with the version */
#define LINE            FIRST "1\n"
enum { LINE_BYTES = sizeof(LINE) - 1, FIRST_BYTES = sizeof(FIRST) - 1,
       HASH = crypto_hash_sha256_BYTES, MOST = 1 << 30, SHOWN = 80 };

/* A path may be long; what is nearest to it says most. */
int checkpointfile_refuse(struct err *err, int code, const char *dir,
                          uint32_t number, const char *why)
{
    size_t n = strlen(dir);

    errno = code;
    dir = n > SHOWN ? dir + n - SHOWN : dir;
    if (!why)
        return err_sys(err, "checkpoint %" PRIu32 " in %s%s", number,
                       n > SHOWN ? "..." : "", dir);
    return err_set(err, code, "checkpoint %" PRIu32 " in %s%s %s", number,
                   n > SHOWN ? "..." : "", dir, why);
}

/* Open DIR/NUMBER/. */
static int open_directory(const char *dir, uint32_t number, int *above)
{
    char name[CHECKPOINTFILE_NUMBER];
    int fd = -1;

    *above = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(name, sizeof(name), "%" PRIu32, number);
    if (*above >= 0)
        fd = openat(*above, name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd;
}

static void close_both(int fd, int above)
{
    int kept = errno;

    if (fd >= 0)
        close(fd);
    if (above >= 0)
        close(above);
    errno = kept;
}

/* ----------------------------------------------------------------- writing it */

static int fill(int fd, const void *bytes, size_t n)
{
    crypto_hash_sha256_state s;
    uint8_t hash[HASH];

    crypto_hash_sha256_init(&s);
    crypto_hash_sha256_update(&s, (const uint8_t *)LINE, LINE_BYTES);
    crypto_hash_sha256_update(&s, bytes, n);
    crypto_hash_sha256_final(&s, hash);
    return write_all(fd, LINE, LINE_BYTES) || write_all(fd, bytes, n) ||
           write_all(fd, hash, HASH) || fsync(fd) ? -1 : 0;
}

/* By its path: one whose directory was taken aside meanwhile (keepdir.h) is none. */
static int give_name(int above, uint32_t number)
{
    char from[CHECKPOINTFILE_NUMBER + sizeof(CHECKPOINTFILE_NEW)];
    char to[CHECKPOINTFILE_NUMBER + sizeof(CHECKPOINTFILE)];

    snprintf(from, sizeof(from), "%" PRIu32 "/" CHECKPOINTFILE_NEW, number);
    snprintf(to, sizeof(to), "%" PRIu32 "/" CHECKPOINTFILE, number);
    return renameat(above, from, above, to);
}

static int publish(int directory, int above, uint32_t number, const void *bytes,
                   size_t n)
{
    int fd = openat(directory, CHECKPOINTFILE_NEW, O_WRONLY | O_CREAT |
                    O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good;

    if (fd < 0)
        return -1;
    good = fill(fd, bytes, n) == 0;
    close_both(fd, -1);
    if (good && fsync(above) == 0 && give_name(above, number) == 0)
        return fsync(directory);

    int kept = errno;

    unlinkat(directory, CHECKPOINTFILE_NEW, 0);
    errno = kept;
    return -1;
}

int checkpointfile_write(const char *dir, uint32_t number, const void *bytes,
                         size_t n, struct err *err)
{
    int above, directory = open_directory(dir, number, &above);
    int rc = directory < 0 ? -1 : publish(directory, above, number, bytes,
                                             n);

    close_both(directory, above);
    return rc ? checkpointfile_refuse(err, errno, dir, number, NULL) : 0;
}

/* ----------------------------------------------------------------- reading it */

/* All of an open file of *n bytes; NULL: see errno. It may be shorter now. */
static uint8_t *slurp(int fd, size_t *n)
{
    uint8_t *bytes = malloc(*n + 1);
    size_t have = 0;

    for (ssize_t got = 1; bytes && got && have < *n; ) {
        got = read(fd, bytes + have, *n - have);
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return NULL;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    *n = have;
    return bytes;
}

/* Why these bytes are no such file; NULL: they are one. */
static const char *fault(const uint8_t *bytes, size_t n, int *code)
{
    size_t begins = n < FIRST_BYTES ? n : FIRST_BYTES;
    uint8_t hash[HASH];

    *code = EBADMSG;
    if (memcmp(bytes, FIRST, begins) != 0)
        return "is none: its file \"checkpoint\" is of something else; choose "
               "another checkpoint";
    if (n >= LINE_BYTES && memcmp(bytes, LINE, LINE_BYTES) != 0) {
        *code = ENOTSUP;
        return "is of another version: use the Hector that made it";
    }
    if (n < LINE_BYTES + HASH)
        return "is cut off: choose another checkpoint";
    crypto_hash_sha256(hash, bytes, n - HASH);
    if (memcmp(hash, bytes + n - HASH, HASH) != 0)
        return "is damaged or cut off: its file \"checkpoint\" is not what was "
               "written; choose another checkpoint";
    return NULL;
}

/* Whose it is, and what: -1 and a sentence, or its bytes. */
static int look(int fd, const char *dir, uint32_t number, size_t *n,
                struct err *err)
{
    char why[80];
    struct stat st;

    if (fstat(fd, &st))
        return checkpointfile_refuse(err, errno, dir, number, NULL);
    if (!S_ISREG(st.st_mode) || st.st_size > MOST)
        return checkpointfile_refuse(err, EINVAL, dir, number, "is none: what "
                                     "is called \"checkpoint\" there is no "
                                     "such file");
    if (st.st_uid != geteuid() && geteuid() != 0) {
        snprintf(why, sizeof(why), "belongs to uid %u, not to you (uid %u)",
                 (unsigned)st.st_uid, (unsigned)geteuid());
        return checkpointfile_refuse(err, EPERM, dir, number, why);
    }
    *n = (size_t)st.st_size;
    return 0;
}

static int unpack(const uint8_t *bytes, size_t n, const char *dir,
                  uint32_t number, Hct__Checkpoint **out, struct err *err)
{
    int code;
    const char *why = fault(bytes, n, &code);
    Hct__Checkpoint *c;
    char other[80];

    if (why)
        return checkpointfile_refuse(err, code, dir, number, why);
    c = hct__checkpoint__unpack(NULL, n - LINE_BYTES - HASH,
                                bytes + LINE_BYTES);
    if (!c)
        return checkpointfile_refuse(err, ENOTSUP, dir, number, "makes no sense "
                                     "to this Hector: use the one that made it");
    if (c->number != number) {
        snprintf(other, sizeof(other), "says that it is checkpoint %" PRIu32
                 ": give its directory that name again", c->number);
        hct__checkpoint__free_unpacked(c, NULL);
        return checkpointfile_refuse(err, EINVAL, dir, number, other);
    }
    *out = c;
    return 0;
}

static int read_file(int directory, const char *dir, uint32_t number,
                     Hct__Checkpoint **out, struct err *err)
{
    int fd = openat(directory, CHECKPOINTFILE, O_RDONLY | O_NOFOLLOW |
                    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    uint8_t *bytes = NULL;
    size_t n = 0;
    int rc = -1;

    if (fd < 0 && errno == ENOENT)
        return checkpointfile_refuse(err, ENOENT, dir, number, "was never "
                                     "finished: it has no file \"checkpoint\"; "
                                     "choose another one");
    if (fd < 0)
        return checkpointfile_refuse(err, errno, dir, number, NULL);
    if (look(fd, dir, number, &n, err) == 0) {
        bytes = slurp(fd, &n);
        rc = bytes ? unpack(bytes, n, dir, number, out, err)
                   : checkpointfile_refuse(err, errno, dir, number, NULL);
    }
    free(bytes);
    close_both(fd, -1);
    return rc;
}

int checkpointfile_read(const char *dir, uint32_t number,
                        Hct__Checkpoint **out, struct err *err)
{
    int above, directory = open_directory(dir, number, &above);
    int rc;

    if (directory >= 0)
        rc = read_file(directory, dir, number, out, err);
    else
        rc = checkpointfile_refuse(err, errno, dir, number, errno == ENOENT ?
                                   "is not there: choose another one" : NULL);

    close_both(directory, above);
    return rc;
}

/* ------------------------------------------------------------------- all of it */

uint32_t checkpointfile_number(const char *name)
{
    uint64_t number = 0;

    if (*name == '0')
        return 0;
    for (; *name >= '0' && *name <= '9' && number <= UINT32_MAX; name++)
        number = number * 10 + (uint64_t)(*name - '0');
    return *name || number > UINT32_MAX ? 0 : (uint32_t)number;
}

static bool has_file(int dir, const char *name)
{
    char path[CHECKPOINTFILE_NUMBER + sizeof(CHECKPOINTFILE)];
    struct stat st;

    snprintf(path, sizeof(path), "%.10s/" CHECKPOINTFILE, name);
    return fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int newest_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

int checkpointfile_list(const char *dir, uint32_t **numbers, size_t *n,
                        struct err *err)
{
    DIR *d = opendir(dir);
    uint32_t *v = NULL;
    size_t have = 0, cap = 0;
    int rc = 0;

    if (!d)
        return err_sys(err, "cannot read the checkpoints in %s", dir);
    for (struct dirent *e; !rc && (errno = 0, e = readdir(d)); ) {
        uint32_t number = checkpointfile_number(e->d_name);

        if (!number || !has_file(dirfd(d), e->d_name))
            continue;
        rc = array_reserve(&v, &cap, have + 1);
        if (!rc)
            v[have++] = number;
    }
    if (errno)
        rc = err_sys(err, "cannot read the checkpoints in %s", dir);
    closedir(d);
    if (rc) {
        free(v);
        return -1;
    }
    if (have)
        qsort(v, have, sizeof(*v), newest_first);
    *numbers = v;
    *n = have;
    return 0;
}
