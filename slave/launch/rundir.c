/* rundir.c - the directories of one slave and of its jobs.
 *
 * The lock file is locked before it gets its name, so whoever can lock a
 * slave.lock knows that its slave is dead, also one that has just begun. */
#include "slave/launch/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/log.h"

static const char lock_name[] = "slave.lock", dir_prefix[] = "hector-";
static const char shm_root[] = "/dev/shm";
enum { UNBORN_S = 600 };

__attribute__((format(printf, 3, 4)))
static int path_join(char out[PATHS_MAX], struct err *err, const char *fmt,
                     ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(out, PATHS_MAX, fmt, ap);
    va_end(ap);
    if (n >= 0 && n < PATHS_MAX)
        return 0;
    out[0] = '\0';
    return err_set(err, ENAMETOOLONG, "a path of %d bytes", n);
}

static int take_lock(const char *dir, struct err *err)
{
    char temporary[PATHS_MAX], final[PATHS_MAX];
    int fd;

    if (path_join(temporary, err, "%s/%s.new", dir, lock_name) ||
        path_join(final, err, "%s/%s", dir, lock_name))
        return -1;
    fd = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_sys(err, "%s", temporary);
    if (flock(fd, LOCK_EX | LOCK_NB) || rename(temporary, final)) {
        err_sys(err, "%s", final);
        return close(fd), -1;
    }
    return fd;
}

/* A slave that was killed between making a directory and locking it leaves it
 * empty. It would not be empty for so long if it were alive. */
static void remove_unborn(const char *dir, const struct stat *st)
{
    if (time(NULL) - st->st_mtime >= UNBORN_S && rmdir(dir) == 0)
        log_info("rundir", "removed an old directory that is empty: %s", dir);
}

/* Remove the directories in root whose slave is dead. */
static void sweep(const char *root)
{
    DIR *d = opendir(root);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        char path[PATHS_MAX], lock[PATHS_MAX];
        struct stat st;
        int fd;

        if (strncmp(e->d_name, dir_prefix, sizeof(dir_prefix) - 1) ||
            path_join(path, NULL, "%s/%s", root, e->d_name) ||
            path_join(lock, NULL, "%s/%s", path, lock_name) ||
            lstat(path, &st) || !S_ISDIR(st.st_mode) ||
            st.st_uid != geteuid())
            continue;
        fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) {
            remove_unborn(path, &st);
            continue;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            log_info("rundir", "removing what a dead slave left: %s", path);
            paths_remove_tree(path, NULL);
        }
        close(fd);
    }
    if (d)
        closedir(d);
}

void rundir_sweep(void)
{
    const char *const roots[] = { getenv("XDG_RUNTIME_DIR"),
                                  getenv("TMPDIR"), "/tmp", shm_root };

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        if (roots[i] && roots[i][0] == '/')
            sweep(roots[i]);
}

static void open_shm(struct rundir *s)
{
    struct err err;

    s->shm[0] = '\0';
    s->shm_lock = -1;
    if (access(shm_root, W_OK | X_OK))
        return;
    if (path_join(s->shm, &err, "%s/%sXXXXXX", shm_root, dir_prefix))
        return;
    if (!mkdtemp(s->shm)) {
        s->shm[0] = '\0';
        return;
    }
    s->shm_lock = take_lock(s->shm, &err);
    if (s->shm_lock < 0)
        log_warn("rundir", "%s", err.text);
}

int rundir_open(struct rundir *s, struct err *err)
{
    memset(s, 0, sizeof(*s));
    if (paths_make_private_dir(s->dir, sizeof(s->dir), err)) {
        s->dir[0] = '\0';
        return -1;
    }
    s->lock = take_lock(s->dir, err);
    if (s->lock < 0) {
        paths_remove_tree(s->dir, NULL);
        s->dir[0] = '\0';
        return -1;
    }
    rundir_sweep();
    open_shm(s);
    if (geteuid() == 0) {       /* tasks of other users pass through */
        if (chmod(s->dir, 0711) || (*s->shm && chmod(s->shm, 0711)))
            log_warn("rundir", "%s: %s", s->dir, strerror(errno));
    }
    return 0;
}

void rundir_close(struct rundir *s)
{
    struct err err;

    if (!*s->dir)
        return;
    if (paths_remove_tree(s->dir, &err))
        log_warn("rundir", "%s", err.text);
    if (*s->shm && paths_remove_tree(s->shm, &err))
        log_warn("rundir", "%s", err.text);
    close(s->lock);
    if (s->shm_lock >= 0)
        close(s->shm_lock);
    s->dir[0] = '\0';
}

int rundir_job_paths(const struct rundir *s, uint64_t job,
                     char dir[PATHS_MAX], char shm[PATHS_MAX],
                     struct err *err)
{
    shm[0] = '\0';
    if (path_join(dir, err, "%s/job.%llu", s->dir, (unsigned long long)job))
        return -1;
    if (!*s->shm)
        return 0;
    return path_join(shm, err, "%s/job.%llu", s->shm,
                     (unsigned long long)job);
}

static int make_dir(const char *path, const struct plan *plan,
                    struct err *err)
{
    if (mkdir(path, 0700) && !(errno == EEXIST && plan->serial))
        return err_sys(err, "cannot make the directory %s", path);
    if (plan->uid != geteuid() && chown(path, plan->uid, plan->gid))
        return err_sys(err, "cannot give %s to user %u", path, plan->uid);
    return 0;
}

int rundir_job_open(const struct rundir *s, const struct plan *plan,
                    struct err *err)
{
    const struct taskset *here = &plan_here(plan)->ranks;
    char dir[PATHS_MAX], shm[PATHS_MAX], own[PATHS_MAX];

    if (rundir_job_paths(s, plan->job, dir, shm, err) ||
        make_dir(dir, plan, err) || (*shm && make_dir(shm, plan, err)))
        return -1;
    for (int64_t r = -1; (r = taskset_next(here, r)) >= 0; )
        if (path_join(own, err, "%s/%u", dir, (unsigned)r) ||
            make_dir(own, plan, err))
            return -1;
    return 0;
}

void rundir_job_close(const struct rundir *s, uint64_t job)
{
    char dir[PATHS_MAX], shm[PATHS_MAX];
    struct err err;

    if (rundir_job_paths(s, job, dir, shm, &err) ||
        paths_remove_tree(dir, &err) ||
        (*shm && paths_remove_tree(shm, &err)))
        log_warn("rundir", "%s", err.text);
}
