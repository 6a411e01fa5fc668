/* copy.c - see copy.h. */
#include "slave/keep/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/writeall.h"
#include "proto/conf/checkpointfile.h"
#include "slave/keep/keepdir.h"
#include "slave/keep/pack.h"

enum { PIECE = 1 << 20, NAME = 24 };    /* bytes; of "rank-4294967295.image", too */

/* What is under way. */
struct way {
    const struct copy *of;
    int from, to;               /* directories, open */
    uint64_t begun_ns, bytes;   /* monotonic; written since then */
};

/* Until so much may have been copied. */
static void keep_pace(const struct way *w)
{
    uint64_t due_ns, passed_ns = clock_monotonic_ns() - w->begun_ns, left_ns;
    struct timespec left;

    if (!w->of->rate)
        return;
    due_ns = (uint64_t)((double)w->bytes / (double)w->of->rate * CLOCK_NS_PER_S);
    if (due_ns <= passed_ns)
        return;
    left_ns = due_ns - passed_ns;
    left.tv_sec = (time_t)(left_ns / CLOCK_NS_PER_S);
    left.tv_nsec = (long)(left_ns % CLOCK_NS_PER_S);
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

static int pass_on(struct way *w, struct pack *pack, int to, const char *piece,
                   size_t bytes)
{
    if (pack)
        return pack_put(pack, to, piece, bytes, bytes == 0, &w->bytes);
    if (write_all(to, piece, bytes))
        return -1;
    w->bytes += bytes;
    return 0;
}

/* *reads: it is the original that fails. */
static int copy_bytes(struct way *w, int from, struct pack *pack, int to,
                      bool *reads)
{
    static char piece[PIECE];
    ssize_t n;

    do {
        n = read(from, piece, sizeof(piece));
        if (n < 0 && errno == EINTR)
            continue;
        *reads = n < 0;
        if (n < 0 || pass_on(w, pack, to, piece, (size_t)n))
            return -1;
        keep_pace(w);
    } while (n);
    return 0;
}

/* Packed where that pays. */
static int copy_file(struct way *w, int from, int to, bool *reads)
{
    struct pack *pack = NULL;
    struct stat st;
    int rc = 0;

    *reads = fstat(from, &st) != 0;
    if (!*reads && pack_pays(from, (uint64_t)st.st_size)) {
        pack = pack_open((uint64_t)st.st_size);
        rc = pack ? 0 : (errno = ENOMEM, -1);
    }
    if (!*reads && !rc)
        rc = copy_bytes(w, from, pack, to, reads);
    pack_close(pack);
    return *reads ? -1 : rc;
}

/* done: what to it; source: what cannot be read, or "". */
static int cannot(const struct way *w, const char *name, const char *done,
                  const char *source, struct err *err)
{
    char why[200];

    snprintf(why, sizeof(why), "cannot have %s %s to it: %s%s", name, done, source,
             strerror(errno));
    return checkpointfile_refuse(err, errno, w->of->dir, w->of->number, why);
}

static int copy_one(struct way *w, uint32_t rank, struct err *err)
{
    char name[NAME], part[NAME];
    bool reads = true;
    int from, to = -1, rc = -1;

    snprintf(name, sizeof(name), "rank-%" PRIu32 ".image", rank);
    snprintf(part, sizeof(part), "rank-%" PRIu32 ".part", rank);
    from = openat(w->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from >= 0) {
        reads = false;
        to = openat(w->to, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW |
                    O_CLOEXEC, 0600);
    }
    if (to >= 0)
        rc = copy_file(w, from, to, &reads);
    if (rc == 0)
        rc = renameat(w->to, part, w->to, name);
    if (rc)
        cannot(w, name, "copied", reads ? "the one on this node: " : "", err);
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) && rc == 0)
        rc = cannot(w, name, "copied", "", err);
    return rc;
}

int copy_input(const char *dir, uint32_t number, uint32_t rank, struct err *err)
{
    const struct copy of = { .dir = dir, .number = number };
    struct way w = { .of = &of, .to = keepdir_open(dir, number, err) };
    bool reads = false;
    char name[NAME];
    int to, rc;

    if (w.to < 0)
        return -1;
    snprintf(name, sizeof(name), "rank-%" PRIu32 ".image", rank);
    to = openat(w.to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0600);
    rc = to < 0 ? -1 : copy_bytes(&w, STDIN_FILENO, NULL, to, &reads);
    if (rc)
        cannot(&w, name, "written", reads ? "what comes of the task: " : "", err);
    if (to >= 0 && close(to) && rc == 0)
        rc = cannot(&w, name, "written", "", err);
    close(w.to);
    return rc;
}

int copy_images(const struct copy *c, struct err *err)
{
    struct way w = { .of = c, .begun_ns = clock_monotonic_ns() };
    int rc = -1;

    w.from = keepdir_open(c->local, c->number, err);
    if (w.from < 0)
        return -1;
    w.to = keepdir_open(c->dir, c->number, err);
    if (w.to >= 0)
        rc = 0;
    for (int64_t r = -1; rc == 0 && (r = taskset_next(c->ranks, r)) >= 0; )
        rc = copy_one(&w, (uint32_t)r, err);
    if (w.to >= 0)
        close(w.to);
    close(w.from);
    return rc;
}
