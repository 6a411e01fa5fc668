/* lease.c - see lease.h. */
#include "mpi-wrappers/swap/lease.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/image/image.h"
#include "mpi-wrappers/swap/leaf.h"
#include "mpi-wrappers/stop/stand.h"
#include "mpi-wrappers/record/attach.h"
#include "mpi-wrappers/dial.h"

enum { LEASE_NAP_MS = 100 };
static const char lease_slave[] = "HECTOR_SLAVE", lease_job[] = "HECTOR_JOB";

/* The socket of the slave that hector-restore was started by, and the job. */
static char lease_told[108 + 24];

/* The place that is asked for. */
struct lease_taking {
    uint32_t generation;
    /* What has become of its image; born: this process was made of it. */
    bool whole, stuck, born;
    uint64_t bytes, unread;
    int image;                  /* where it is written to; -1: it was */
    /* What the slave said, if code is 0; fd came with it, ours, or -1. */
    struct page_lease lease;
    int code, fd;
    bool answered;
};

static int lease_fail(char *why, size_t size, const char *what, int code)
{
    snprintf(why, size, "%s: %s", what, strerror(code));
    return -1;
}

/* ----------------------------------------------------------- environment */

static char **lease_room(const char *from, size_t bytes)
{
    size_t n = 1;

    for (size_t i = 0; i < bytes; i++)
        n += from[i] == '\0';
    for (char **e = environ; e && *e; e++)
        n++;
    return calloc(n, sizeof(char *));
}

static bool lease_has(char **v, size_t n, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;

    for (size_t i = 0; i < n; i++)
        if (strncmp(v[i], variable, name) == 0)
            return true;
    return false;
}

/* Those of the lease, and the program's own besides. */
static char **lease_merge(const char *from, size_t bytes)
{
    char **v = lease_room(from, bytes);
    size_t n = 0, given;
    bool good = v != NULL;

    for (size_t i = 0; good && i < bytes; i += strlen(from + i) + 1)
        if (from[i])
            good = (v[n] = strdup(from + i)) != NULL && ++n;
    given = n;
    for (char **e = environ; good && e && *e; e++)
        if (strncmp(*e, "PMIX_", 5) != 0 && !lease_has(v, given, *e))
            good = (v[n] = strdup(*e)) != NULL && ++n;
    if (good)
        return v;
    lease_end(v);
    return NULL;
}

void lease_end(char **variables)
{
    for (char **v = variables; v && *v; v++)
        free(*v);
    free(variables);
}

static int lease_read(int fd, uint64_t bytes, char ***variables)
{
    struct stat st;
    char *text;
    int code = 0;

    if (fstat(fd, &st) != 0 || bytes == 0 || (uint64_t)st.st_size < bytes)
        return EPROTO;
    text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return errno;
    if (text[bytes - 1] != '\0')
        code = EPROTO;
    else if (!(*variables = lease_merge(text, bytes)))
        code = ENOMEM;
    munmap(text, bytes);
    return code;
}

/* ---------------------------------------------------------------- asking */

static void lease_nap(void)
{
    const struct timespec step = { 0, LEASE_NAP_MS * 1000000L };

    syscall(SYS_nanosleep, &step, NULL);
}

/* A slave that is not there comes again. */
static bool lease_again(int code)
{
    return code == ECONNREFUSED || code == ENOENT || code == ECONNRESET ||
           code == EPIPE || code == EPROTO;
}

static void lease_ask(struct lease_taking *t)
{
    struct attach_who who;
    struct page_lease_ask ask = { .magic = PAGE_LEASE, .major = PAGE_MAJOR,
        .minor = PAGE_MINOR, .generation = t->generation,
        .whole = t->whole ? PAGE_IMAGE_WHOLE
               : t->stuck ? PAGE_IMAGE_STUCK : PAGE_IMAGE_NONE,
        .pid = (uint32_t)getpid(), .image_bytes = t->bytes,
        .unread = t->unread };

    attach_who(&who);
    ask.job = who.job;
    ask.rank = who.rank;
    t->code = 0;
    t->fd = -1;
    do {
        const char *slave = getenv(lease_slave);

        if (t->code)
            lease_nap();
        t->code = slave ? dial(slave, &ask, sizeof(ask), &t->lease,
                               sizeof(t->lease), &t->fd, DIAL_FOR_EVER)
                        : ENODEV;
    } while (lease_again(t->code));
    if (!t->code && t->whole && t->fd < 0 && t->lease.magic == PAGE_LEASE &&
        t->lease.status == PAGE_LEASE_LEAVE)
        _exit(0);               /* it is somewhere else by now */
    t->answered = true;
}

/* --------------------------------------------------------------- an image */

/* This process was made of an image: who it is now. */
static void lease_obey(void)
{
    char *job = strrchr(lease_told, ' ');

    if (job) {
        *job++ = '\0';
        setenv(lease_job, job, 1);
    }
    if (*lease_told)
        setenv(lease_slave, lease_told, 1);
}

/* All threads stand still until the slave has said what comes of this image: what
 * is under way are pages of theirs, and they are not to do anything twice. */
static void lease_wait(void *arg)
{
    struct lease_taking *t = arg;

    close(t->image);
    t->image = -1;
    t->whole = true;
    lease_ask(t);
}

/* Closes fd, which the process that was made of the image has not; then it waits,
 * or does not. -1: this is that one, and it cannot go on. */
static int lease_write(struct lease_taking *t, int fd, int patience_ms,
                       void (*standing)(void *arg), char *why, size_t size)
{
    struct leaf leaf;
    bool found = leaf_find(&leaf);
    struct image_range page = { leaf.start, leaf.end };
    struct image_ask ask = { .copy = &page, .ncopies = found,
                             .told = lease_told,
                             .told_size = sizeof(lease_told),
                             .unread = &t->unread, .written = &t->bytes,
                             .patience_ms = patience_ms,
                             .standing = standing, .arg = t };
    int rc;

    t->image = fd;
    t->whole = t->stuck = t->born = false;
    t->bytes = t->unread = 0;
    rc = image_write(fd, &ask, why, size);
    if (rc == -EPIPE)
        snprintf(why, size, "hector-keep, or who else took its image, has ended");
    if (rc <= 0) {
        t->whole = rc == 0;
        t->stuck = rc == -ETIME;
        if (t->image >= 0)
            close(fd);
        return 0;
    }
    t->born = true;
    lease_obey();
    rc = found ? leaf_renew(&leaf) : 0;
    if (stand_many)
        threads_born();
    return rc ? lease_fail(why, size, "no page from the slave", rc) : 0;
}

/* What the slave has said: 1, nothing more is to be written, else as lease_write(). */
static int lease_follow(struct lease_taking *t, char *why, size_t size)
{
    int fd = t->fd;

    if (!t->code && (t->lease.magic != PAGE_LEASE || fd < 0))
        t->code = t->lease.status > PAGE_LEASE_LEAVE ? (int)t->lease.status
                                                     : EPROTO;
    if (!t->code && t->lease.status == PAGE_LEASE_LEAVE)
        return lease_write(t, fd, 0, lease_wait, why, size);
    if (!t->code && t->lease.status == PAGE_LEASE_SAVE)
        return lease_write(t, fd, PAGE_SAVE_MS, NULL, why, size);
    return 1;
}

int lease_take(uint32_t generation, char ***variables, char *why, size_t size)
{
    struct lease_taking t = { .generation = generation, .image = -1, .fd = -1 };
    int rc;

    do {
        if (!t.answered)
            lease_ask(&t);
        t.answered = false;
        rc = lease_follow(&t, why, size);
    } while (rc == 0);
    if (rc < 0)
        return -1;
    if (!t.code && t.lease.status != PAGE_LEASE_STAY)
        t.code = (int)t.lease.status;
    if (!t.code)
        t.code = lease_read(t.fd, t.lease.bytes, variables);
    if (t.fd >= 0)
        close(t.fd);
    return t.code ? lease_fail(why, size, "no place in the job from the slave",
                               t.code) : 0;
}
