/* runplace.c - see runplace.h. The lock file is locked before it gets its name, so
 * whoever can lock a run.lock knows that its hector-run is dead, also one that has
 * just begun. A directory may be on a file system of several hosts, whose locks and
 * sockets only that host knows of, so others leave it alone. */
#include "redirector/start/runplace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/link/addr.h"
#include "redirector/out/say.h"

static const char lock_name[] = "run.lock", dir_prefix[] = "hector-";
enum { RUNPLACE_MOST = 16,      /* that one run removes */
       RUNPLACE_HOST = 256 };

__attribute__((format(printf, 2, 3)))
static bool path_join(char out[PATHS_MAX], const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(out, PATHS_MAX, fmt, ap);
    va_end(ap);
    return n >= 0 && n < PATHS_MAX;
}

static size_t host_name(char name[RUNPLACE_HOST])
{
    name[0] = name[RUNPLACE_HOST - 1] = '\0';
    return gethostname(name, RUNPLACE_HOST - 1) ? 0 : strlen(name);
}

/* -1: nobody will remove it but we. */
static int take_lock(const char *dir)
{
    char temporary[PATHS_MAX], final[PATHS_MAX], host[RUNPLACE_HOST];
    size_t n = host_name(host);
    int fd;

    if (!path_join(temporary, "%s/%s.new", dir, lock_name) ||
        !path_join(final, "%s/%s", dir, lock_name) || n == 0)
        return -1;
    fd = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        write(fd, host, n) == (ssize_t)n && rename(temporary, final) == 0)
        return fd;
    say(SAY_VERBOSE, "%s cannot be locked: %s", dir, strerror(errno));
    unlink(temporary);
    return close(fd), -1;
}

/* ------------------------------------------------------------- what is left */

static bool is_of_this_host(int fd)
{
    char host[RUNPLACE_HOST], text[RUNPLACE_HOST];
    size_t n = host_name(host);

    return n && pread(fd, text, sizeof(text), 0) == (ssize_t)n &&
           memcmp(text, host, n) == 0;
}

static bool is_deserted(const char *path)
{
    struct addr a = { .is_unix = true };
    struct sockaddr_un sun;
    socklen_t size;
    int fd, number = 0;

    if (strlen(path) >= sizeof(sun.sun_path) || strlen(path) >= sizeof(a.host))
        return false;
    strcpy(a.host, path);
    size = addr_unix(&a, &sun);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    if (connect(fd, (const struct sockaddr *)&sun, size))
        number = errno;
    close(fd);
    return number == ECONNREFUSED;
}

/* Nobody listens at any socket in it. */
static bool is_quiet(const char *dir)
{
    DIR *d = opendir(dir);
    bool quiet = d != NULL;
    struct dirent *e;

    while (quiet && (e = readdir(d))) {
        char path[PATHS_MAX];
        struct stat st;

        quiet = path_join(path, "%s/%s", dir, e->d_name) &&
                lstat(path, &st) == 0 &&
                (!S_ISSOCK(st.st_mode) || is_deserted(path));
    }
    if (d)
        closedir(d);
    return quiet;
}

/* Is it what a run of ours has left? Then it is gone. */
static bool remove_left(const char *root, const char *name)
{
    char path[PATHS_MAX], lock[PATHS_MAX];
    struct stat st;
    bool left;
    int fd;

    if (strncmp(name, dir_prefix, sizeof(dir_prefix) - 1) != 0 ||
        !path_join(path, "%s/%s", root, name) ||
        !path_join(lock, "%s/%s", path, lock_name) || lstat(path, &st) ||
        !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return false;
    fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;           /* a slave's, or one that is being made */
    left = is_of_this_host(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
           is_quiet(path);
    if (left) {
        say(SAY_VERBOSE, "what a run left that was killed is removed: %s", path);
        paths_remove_tree(path, NULL);
    }
    close(fd);
    return left;
}

static void sweep(const char *root, int *most)
{
    DIR *d = opendir(root);
    struct dirent *e;

    while (d && *most > 0 && (e = readdir(d)))
        *most -= remove_left(root, e->d_name);
    if (d)
        closedir(d);
}

/* --------------------------------------------------------------------- ours */

int runplace_open(struct runplace *r, struct err *err)
{
    const char *const roots[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"),
                                  "/tmp" };
    int most = RUNPLACE_MOST;

    r->lock = -1;
    if (paths_make_private_dir(r->dir, sizeof(r->dir), err)) {
        r->dir[0] = '\0';
        return -1;
    }
    r->lock = take_lock(r->dir);
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        if (roots[i] && roots[i][0] == '/')
            sweep(roots[i], &most);
    return 0;
}

int runplace_close(struct runplace *r, struct err *err)
{
    int rc = r->dir[0] ? paths_remove_tree(r->dir, err) : 0;

    if (r->dir[0] && r->lock >= 0)
        close(r->lock);
    r->dir[0] = '\0';
    return rc;
}
