/* freezer.c - holds tasks by control groups, see freezer.h.
 *
 * A task's control group is called hector-PID-JOB.RANK, PID being ours, and lies
 * below the one that we are in. It is frozen before anybody moves in, and who is
 * in it makes no new processes: so when two readings of /proc find as many, they
 * are all in. */
#include "slave/proc/freezer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "slave/proc/smallfile.h"

enum { FREEZER_PATH = 4096, FREEZER_TEXT = 64 * 1024, FREEZER_PASSES = 8 };

/* ------------------------------------------------------------- where it is */

/* The path of version 2, behind "0::". */
static bool own_path(const char *cgroup, char *path, size_t size)
{
    const char *p = strncmp(cgroup, "0::", 3) == 0 ? cgroup
                                                   : strstr(cgroup, "\n0::");
    size_t n;

    if (!p)
        return false;
    p = strchr(p, '/');
    n = p ? strcspn(p, "\n") : 0;
    if (n == 0 || n >= size || strncmp(p, "/..", 3) == 0)
        return false;
    memcpy(path, p, n);
    path[n == 1 ? 0 : n] = '\0';        /* "/" is no name */
    return true;
}

/* Below the mount; what it shows may begin further down. */
static bool below(const char *root, const char *mount, const char *path,
                  char *dir, size_t size)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
        return false;
    return snprintf(dir, size, "%s%s", mount, path + n) < (int)size;
}

bool freezer_find(const char *cgroup, const char *mountinfo, char *dir,
                  size_t size)
{
    char path[FREEZER_PATH], root[1024], mount[1024];

    if (!own_path(cgroup, path, sizeof(path)))
        return false;
    for (const char *p = mountinfo; p && *p; p = strchr(p, '\n')) {
        const char *type;

        p += *p == '\n';
        type = strstr(p, " - ");
        if (!type || strncmp(type, " - cgroup2 ", 11) != 0 ||
            sscanf(p, "%*d %*d %*s %1023s %1023s", root, mount) != 2)
            continue;
        if (below(root, mount, path, dir, size))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ files */

static int put(const char *dir, const char *name, const char *text)
{
    char path[FREEZER_PATH];
    int fd, rc;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    rc = write(fd, text, strlen(text)) < 0 ? -1 : 0;
    close(fd);
    return rc;
}

static int move(const char *dir, pid_t pid)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", (int)pid);
    return put(dir, "cgroup.procs", text);
}

static void name_of(const struct freezer *f, uint64_t job, uint32_t rank,
                    char *dir, size_t size)
{
    snprintf(dir, size, "%s/hector-%d-%" PRIu64 ".%u", f->dir, (int)getpid(),
             job, rank);
}

/* All of them back to where we are, until nobody is left. */
static void empty(const char *parent, const char *dir)
{
    char path[FREEZER_PATH], line[32];
    bool any = true;

    put(dir, "cgroup.freeze", "0");
    snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
    for (int i = 0; any && i < FREEZER_PASSES; i++) {
        FILE *in = fopen(path, "re");

        any = false;
        while (in && fgets(line, sizeof(line), in))
            any = (atoi(line) > 0 && move(parent, atoi(line)) == 0) || any;
        if (in)
            fclose(in);
    }
    rmdir(dir);
}

/* ---------------------------------------------------------------- may we? */

static int try_it(const char *dir, struct err *err)
{
    char one[FREEZER_PATH];
    int rc;

    if (snprintf(one, sizeof(one), "%s/hector-%d", dir, (int)getpid()) >=
        (int)sizeof(one))
        return err_set(err, ENAMETOOLONG, "%.100s is too long", dir);
    if (mkdir(one, 0755) && errno != EEXIST)
        return err_sys(err, "no control group can be made");
    rc = put(one, "cgroup.freeze", "0");
    if (rc)
        err_sys(err, "the kernel does not freeze control groups");
    rmdir(one);
    return rc;
}

static bool find_own(char *dir, size_t size)
{
    static char mounts[FREEZER_TEXT];
    char cgroup[FREEZER_PATH];

    return smallfile_read("/proc/self/cgroup", cgroup, sizeof(cgroup)) &&
           smallfile_read("/proc/self/mountinfo", mounts, sizeof(mounts)) &&
           freezer_find(cgroup, mounts, dir, size);
}

int freezer_open(struct freezer *f, struct err *err)
{
    char dir[FREEZER_PATH];

    if (f->known && !f->dir)
        return err_set(err, ENOTSUP, "there are no control groups to use");
    if (f->known)
        return 0;
    f->known = true;
    if (!find_own(dir, sizeof(dir)))
        return err_set(err, ENOTSUP, "there are no control groups of version "
                       "2 here");
    if (try_it(dir, err))
        return -1;
    f->dir = strdup(dir);
    return f->dir ? 0 : err_memory(err);
}

void freezer_fini(struct freezer *f)
{
    free(f->dir);
    memset(f, 0, sizeof(*f));
}

/* ------------------------------------------------------------------- tasks */

struct moving {
    const struct freezer *f;
    const struct freezer_job *j;
    size_t n;                   /* that were found in this pass */
    int error;
};

static void move_one(void *arg, pid_t pid, size_t task)
{
    struct moving *m = arg;
    char dir[FREEZER_PATH];

    if (task >= m->j->who->ngroups || !m->j->frozen[task])
        return;
    m->n++;
    name_of(m->f, m->j->job, m->j->who->ranks[task], dir, sizeof(dir));
    if (move(dir, pid) && errno != ESRCH) {
        m->error = errno;
        m->j->frozen[task] = false;
    }
}

int freezer_hold(const struct freezer *f, const struct freezer_job *j,
                 struct err *err)
{
    struct moving m = { .f = f, .j = j };
    size_t before = 0;
    char dir[FREEZER_PATH];

    for (size_t i = 0; i < j->who->ngroups; i++) {
        if (!j->frozen[i])
            continue;
        name_of(f, j->job, j->who->ranks[i], dir, sizeof(dir));
        if ((mkdir(dir, 0755) && errno != EEXIST) ||
            put(dir, "cgroup.freeze", "1")) {
            m.error = errno;
            j->frozen[i] = false;
        }
    }
    for (int i = 0; i < FREEZER_PASSES; i++, before = m.n) {
        m.n = 0;
        sweep_each(j->who, move_one, &m);
        if (m.n == before)
            break;
    }
    for (size_t i = 0; m.error && i < j->who->ngroups; i++)
        if (!j->frozen[i])
            freezer_release(f, j->job, j->who->ranks[i]);
    if (!m.error)
        return 0;
    errno = m.error;
    return err_sys(err, "a task cannot be moved to a control group");
}

void freezer_release(const struct freezer *f, uint64_t job, uint32_t rank)
{
    char dir[FREEZER_PATH];

    if (!f->dir)
        return;
    name_of(f, job, rank, dir, sizeof(dir));
    empty(f->dir, dir);
}

void freezer_sweep(void)
{
    char own[FREEZER_PATH], dir[FREEZER_PATH];
    struct dirent *e;
    DIR *d;
    int pid;

    if (!find_own(own, sizeof(own)))
        return;
    d = opendir(own);
    while (d && (e = readdir(d)))
        if (sscanf(e->d_name, "hector-%d", &pid) == 1 &&
            kill(pid, 0) && errno == ESRCH &&
            snprintf(dir, sizeof(dir), "%s/%s", own, e->d_name) <
                (int)sizeof(dir))
            empty(own, dir);
    if (d)
        closedir(d);
}
