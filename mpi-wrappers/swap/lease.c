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

/* What has become of the task's image; born: this process was made of it. */
struct lease_image { bool whole, stuck, born; uint64_t bytes, unread; };

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

/* Closes fd, which the process that was made of the image has not. -1: this is
 * that one, and it cannot go on. */
static int lease_write(int fd, int patience_ms, struct lease_image *is, char *why,
                       size_t size)
{
    struct leaf leaf;
    bool found = leaf_find(&leaf);
    uint64_t unread = 0, written = 0;
    struct image_range page = { leaf.start, leaf.end };
    struct image_ask ask = { .copy = &page, .ncopies = found,
                             .told = lease_told,
                             .told_size = sizeof(lease_told),
                             .unread = &unread, .written = &written,
                             .patience_ms = patience_ms };
    int rc = image_write(fd, &ask, why, size);

    *is = (struct lease_image){ .whole = rc == 0, .stuck = rc == -ETIME,
                                .born = rc > 0, .bytes = written,
                                .unread = unread };
    if (rc == -EPIPE)
        snprintf(why, size, "hector-keep, or who else took its image, has ended");
    if (!is->born) {
        close(fd);
        return 0;
    }
    lease_obey();
    rc = found ? leaf_renew(&leaf) : 0;
    if (stand_many)
        threads_born();
    return rc ? lease_fail(why, size, "no page from the slave", rc) : 0;
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

static int lease_ask(uint32_t generation, const struct lease_image *is,
                     struct page_lease *lease, int *fd)
{
    struct attach_who who;
    struct page_lease_ask ask = { .magic = PAGE_LEASE, .major = PAGE_MAJOR,
        .minor = PAGE_MINOR, .generation = generation,
        .whole = is->whole ? PAGE_IMAGE_WHOLE
               : is->stuck ? PAGE_IMAGE_STUCK : PAGE_IMAGE_NONE,
        .pid = (uint32_t)getpid(), .image_bytes = is->bytes,
        .unread = is->unread };
    int code = 0;

    attach_who(&who);
    ask.job = who.job;
    ask.rank = who.rank;
    do {
        const char *slave = getenv(lease_slave);

        if (code)
            lease_nap();
        code = slave ? dial(slave, &ask, sizeof(ask), lease, sizeof(*lease), fd,
                            DIAL_FOR_EVER) : ENODEV;
    } while (lease_again(code));
    return code;
}

int lease_take(uint32_t generation, char ***variables, char *why, size_t size)
{
    struct page_lease lease;
    struct lease_image is = { 0 };

    for (;;) {
        int fd = -1, code = lease_ask(generation, &is, &lease, &fd);
        int rc = 1;             /* nothing was written */

        if (!code && is.whole && fd < 0 && lease.magic == PAGE_LEASE &&
            lease.status == PAGE_LEASE_LEAVE)
            _exit(0);           /* it is somewhere else by now */
        if (!code && (lease.magic != PAGE_LEASE || fd < 0))
            code = lease.status > PAGE_LEASE_LEAVE ? (int)lease.status : EPROTO;
        if (!code && lease.status == PAGE_LEASE_LEAVE)
            rc = lease_write(fd, 0, &is, why, size);
        else if (!code && lease.status == PAGE_LEASE_SAVE)
            rc = lease_write(fd, PAGE_SAVE_MS, &is, why, size);
        if (rc < 0)
            return -1;
        if (rc == 0)
            continue;
        if (!code && lease.status != PAGE_LEASE_STAY)
            code = (int)lease.status;
        if (!code)
            code = lease_read(fd, lease.bytes, variables);
        if (fd >= 0)
            close(fd);
        return code ? lease_fail(why, size, "no place in the job from the slave",
                                 code) : 0;
    }
}
