/* freezer.c - holds tasks by control groups, see freezer.h.
 *
 * A task's control group is called hector-PID-JOB.RANK, PID being ours, and lies
 * below the one that we are in. It is frozen before anybody moves in, and who is
 * in it makes no new processes: so when two readings of /proc find as many, they
 * are all in. */
#include "slave/groups/freezer.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "slave/proc/cgroup.h"

enum { FREEZER_PASSES = 8 };

static void name_of(const struct freezer *f, uint64_t job, uint32_t rank,
                    char *dir, size_t size)
{
    snprintf(dir, size, "%s/hector-%d-%" PRIu64 ".%u", f->dir, (int)getpid(),
             job, rank);
}

/* ---------------------------------------------------------------- may we? */

static int try_it(const char *dir, struct err *err)
{
    char one[CGROUP_PATH];
    int rc;

    if (snprintf(one, sizeof(one), "%s/hector-%d", dir, (int)getpid()) >=
        (int)sizeof(one))
        return err_set(err, ENAMETOOLONG, "%.100s is too long", dir);
    if (mkdir(one, 0755) && errno != EEXIST)
        return err_sys(err, "no control group can be made");
    rc = cgroup_put(one, "cgroup.freeze", "0");
    if (rc)
        err_sys(err, "the kernel does not freeze control groups");
    rmdir(one);
    return rc;
}

int freezer_open(struct freezer *f, struct err *err)
{
    char dir[CGROUP_PATH];

    if (f->known && !f->dir)
        return err_set(err, ENOTSUP, "there are no control groups to use");
    if (f->known)
        return 0;
    f->known = true;
    if (!cgroup_own(NULL, dir, sizeof(dir)))
        return err_set(err, ENOTSUP, "there are no control groups of version "
                       "2 here");
    if (try_it(dir, err))
        return -1;
    f->dir = strdup(dir);
    return f->dir ? 0 : err_memory(err);
}

void freezer_fini(struct freezer *f)
{
    freezer_tidy(f);
    free(f->dir);
    memset(f, 0, sizeof(*f));
}

/* ------------------------------------------------------------------- tasks */

struct moving {
    struct freezer *f;
    const struct freezer_job *j;
    size_t n;                   /* that were found in this pass */
    int error;
};

static void move_one(void *arg, pid_t pid, size_t task)
{
    struct moving *m = arg;
    char dir[CGROUP_PATH];

    if (task >= m->j->who->ngroups || !m->j->frozen[task])
        return;
    m->n++;
    name_of(m->f, m->j->job, m->j->who->ranks[task], dir, sizeof(dir));
    if (cgroup_move(dir, pid) && errno != ESRCH) {
        m->error = errno;
        m->j->frozen[task] = false;
    }
}

int freezer_hold(struct freezer *f, const struct freezer_job *j,
                 struct err *err)
{
    struct moving m = { .f = f, .j = j };
    size_t before = 0;
    char dir[CGROUP_PATH];

    for (size_t i = 0; i < j->who->ngroups; i++) {
        if (!j->frozen[i])
            continue;
        name_of(f, j->job, j->who->ranks[i], dir, sizeof(dir));
        if (cgroup_make(dir) || cgroup_put(dir, "cgroup.freeze", "1")) {
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

void freezer_release(struct freezer *f, uint64_t job, uint32_t rank)
{
    char dir[CGROUP_PATH];

    if (!f->dir)
        return;
    name_of(f, job, rank, dir, sizeof(dir));
    f->left |= !cgroup_remove(f->dir, dir);
}

/* Whoever is held keeps its own. */
static bool tidy_one(const char *parent, const char *name)
{
    char dir[CGROUP_PATH];
    uint64_t job;
    unsigned rank;
    int pid;

    return sscanf(name, "hector-%d-%" SCNu64 ".%u", &pid, &job, &rank) != 3 ||
           pid != (int)getpid() ||
           snprintf(dir, sizeof(dir), "%s/%s", parent, name) >= (int)sizeof(dir) ||
           rmdir(dir) == 0;
}

void freezer_tidy(struct freezer *f)
{
    DIR *d = f->left ? opendir(f->dir) : NULL;
    struct dirent *e;

    if (!d)
        return;
    f->left = false;
    while ((e = readdir(d)))
        f->left |= !tidy_one(f->dir, e->d_name);
    closedir(d);
}

void freezer_sweep(void)
{
    char own[CGROUP_PATH];

    if (cgroup_own(NULL, own, sizeof(own)))
        cgroup_sweep(own);
}
