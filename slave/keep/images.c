/* images.c - the images of a checkpoint's tasks: see images.h. */
#include "slave/keep/images.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/paths.h"
#include "proto/conf/checkpointfile.h"
#include "slave/keep/keepdir.h"
#include "slave/keep/pack.h"

enum { NAME = 24, MANY = 64 };  /* bytes of "rank-4294967295.image"; a call's */

/* The images that one hector-restore looks at, by their names. */
struct batch {
    const char *dir;
    uint32_t number;
    int directory;              /* it is open */
    char program[PATHS_MAX];
    char names[MANY][NAME];
    size_t n;
};

static int lacks(const char *dir, uint32_t number, const char *name,
                 const char *what, struct err *err)
{
    char why[160];

    snprintf(why, sizeof(why), "has no %s as it was written: %s; the tasks have "
             "to write another one", name, what);
    return checkpointfile_refuse(err, EBADMSG, dir, number, why);
}

/* A plain file of at least so many bytes, packed or not, open. */
static int open_image(const char *dir, uint32_t number, int directory,
                      const char *name, uint64_t bytes, struct err *err)
{
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
                    O_NOCTTY | O_CLOEXEC);
    struct stat st;
    int rc = 0;

    if (fd < 0)
        return lacks(dir, number, name, strerror(errno), err);
    if (fstat(fd, &st))
        rc = lacks(dir, number, name, strerror(errno), err);
    else if (!S_ISREG(st.st_mode))
        rc = lacks(dir, number, name, "it is no plain file", err);
    else if ((uint64_t)st.st_size < bytes && pack_original(fd) < bytes)
        rc = lacks(dir, number, name, "it is shorter", err);
    if (rc) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ------------------------------------------------------------- hector-restore */

/* It dies with us, as we do with the slave. */
static void become(struct batch *b, pid_t parent, int says)
{
    char *argv[MANY + 3];
    size_t n = 0;

    argv[n++] = b->program;
    argv[n++] = (char []){ "--check" };
    for (size_t i = 0; i < b->n; i++)
        argv[n++] = b->names[i];
    argv[n] = NULL;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
        fchdir(b->directory) == 0 && dup2(says, STDERR_FILENO) >= 0)
        execv(b->program, argv);
    _exit(1);
}

/* Until it has ended; its sentence, without what stands in front of it. */
static int listen_to(pid_t child, int fd, char *text, size_t size)
{
    static const char prefix[] = "hector-restore: ";
    size_t n = 0;
    ssize_t got;
    int status;

    while (n + 1 < size && (got = read(fd, text + n, size - 1 - n)) != 0)
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            break;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (strncmp(text, prefix, sizeof(prefix) - 1) == 0)
        memmove(text, text + sizeof(prefix) - 1,
                strlen(text) - sizeof(prefix) + 2);
    close(fd);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* "rank-1.image: is damaged" of a checkpoint. */
static int say(const struct batch *b, char *text, struct err *err)
{
    char *colon = strstr(text, ": ");
    char why[200];

    if (!colon)
        return checkpointfile_refuse(err, ECHILD, b->dir, b->number,
                                     "could not be looked at: hector-restore "
                                     "ended without a word");
    *colon = '\0';
    snprintf(why, sizeof(why), "has %s, which %s", text, colon + 2);
    return checkpointfile_refuse(err, EBADMSG, b->dir, b->number, why);
}

static int look(struct batch *b, struct err *err)
{
    pid_t parent = getpid(), child;
    char text[300];
    int ends[2], status;

    if (!b->n)
        return 0;
    if (pipe2(ends, O_CLOEXEC))
        return err_sys(err, "cannot start hector-restore");
    child = fork();
    if (child == 0)
        become(b, parent, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return err_sys(err, "cannot start hector-restore");
    }
    b->n = 0;
    status = listen_to(child, ends[0], text, sizeof(text));
    return status == 0 ? 0 : say(b, text, err);
}

/* ---------------------------------------------------------------- all of them */

/* What a task has written may still be in memory only. */
static int settle(struct batch *b, uint32_t rank, struct err *err)
{
    char *name = b->names[b->n];
    int fd, rc;

    snprintf(name, NAME, "rank-%" PRIu32 ".image", rank);
    fd = open_image(b->dir, b->number, b->directory, name, 0, err);
    if (fd < 0)
        return -1;
    rc = fsync(fd) ? lacks(b->dir, b->number, name, strerror(errno), err) : 0;
    close(fd);
    if (!rc && ++b->n == MANY)
        rc = look(b, err);
    return rc;
}

static int check_all(struct batch *b, const struct taskset *ranks,
                     struct err *err)
{
    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; )
        if (settle(b, (uint32_t)r, err))
            return -1;
    if (fsync(b->directory))
        return checkpointfile_refuse(err, errno, b->dir, b->number, NULL);
    return look(b, err);
}

int images_check(const char *dir, uint32_t number, const struct taskset *ranks,
                 struct err *err)
{
    struct batch b = { .dir = dir, .number = number };
    int rc;

    if (paths_sibling("hector-restore", b.program, sizeof(b.program), err))
        return -1;
    b.directory = keepdir_open(dir, number, err);
    if (b.directory < 0)
        return -1;
    rc = check_all(&b, ranks, err);
    close(b.directory);
    return rc;
}

int images_there(const char *dir, uint32_t number, const Hct__Checkpoint *c,
                 struct err *err)
{
    int directory = keepdir_open(dir, number, err), rc = 0;
    char name[NAME];

    if (directory < 0)
        return -1;
    for (size_t i = 0; i < c->n_tasks && !rc; i++) {
        int fd;

        snprintf(name, sizeof(name), "rank-%" PRIu32 ".image",
                 c->tasks[i]->rank);
        fd = open_image(dir, number, directory, name, c->tasks[i]->image_bytes,
                        err);
        if (fd < 0)
            rc = -1;
        else
            close(fd);
    }
    close(directory);
    return rc;
}
