/* weight.c - weights of control groups, see weight.h.
 *
 * The group of a job is called hector-PID-JOB.w. In version 2 a group has weights only
 * if the one above it has passed the controller on, which makes that one a
 * threaded domain when it has processes of its own, as it has: us
 * (Documentation/admin-guide/cgroup-v2.rst, threads). */
#include "slave/groups/weight.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slave/proc/cgroup.h"
#include "slave/proc/smallfile.h"

#define STEP 1.25               /* of nice: kernel/sched/core.c */
enum { PASSES = 8 };

static const struct {
    const char *file;
    double usual;
    unsigned least, most;
} kinds[] = { [1] = { "cpu.shares", 1024, 2, 262144 },
              [2] = { "cpu.weight", 100, 1, 10000 } };

unsigned weight_of(int version, unsigned tasks, int steps)
{
    double w = kinds[version].usual * tasks * pow(STEP, steps);

    return w < kinds[version].least ? kinds[version].least
           : w > kinds[version].most ? kinds[version].most
           : (unsigned)(w + 0.5);
}

static void name_of(const struct weight *w, uint64_t job, char *dir,
                    size_t size)
{
    snprintf(dir, size, "%s/hector-%d-%" PRIu64 ".w", w->dir, (int)getpid(),
             job);
}

static int put_weight(const struct weight *w, const char *dir, unsigned weight)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", weight);
    return cgroup_put(dir, kinds[w->version].file, text);
}

/* ---------------------------------------------------------------- may we? */

static bool lists(const char *dir, const char *name, const char *word)
{
    char path[CGROUP_PATH], text[1024], *save;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    if (!smallfile_read(path, text, sizeof(text)))
        return false;
    for (char *p = strtok_r(text, " \n", &save); p;
         p = strtok_r(NULL, " \n", &save))
        if (strcmp(p, word) == 0)
            return true;
    return false;
}

static int pass_on(struct weight *w, struct err *err)
{
    if (!lists(w->dir, "cgroup.controllers", "cpu"))
        return err_set(err, ENOTSUP, "the controller cpu is not there in %s",
                       w->dir);
    if (lists(w->dir, "cgroup.subtree_control", "cpu"))
        return 0;
    if (cgroup_put(w->dir, "cgroup.subtree_control", "+cpu"))
        return err_sys(err, "%s cannot pass the controller cpu on", w->dir);
    w->enabled = true;
    return 0;
}

static int try_it(struct weight *w, struct err *err)
{
    char one[CGROUP_PATH];
    int rc;

    if (w->version == 2 && pass_on(w, err))
        return -1;
    name_of(w, 0, one, sizeof(one));
    if (cgroup_make(one))
        return err_sys(err, "no control group can be made in %s", w->dir);
    rc = put_weight(w, one, weight_of(w->version, 1, 0));
    if (rc)
        err_sys(err, "control groups in %s have no %s", w->dir,
                kinds[w->version].file);
    rmdir(one);
    return rc;
}

int weight_open_in(struct weight *w, const char *dir, int version,
                   struct err *err)
{
    struct weight made = { .dir = strdup(dir), .version = version,
                           .known = true };

    if (!made.dir)
        return err_memory(err);
    if (strlen(dir) > CGROUP_PATH - 64) {
        free(made.dir);
        return err_set(err, ENAMETOOLONG, "%.100s is too long", dir);
    }
    if (try_it(&made, err)) {
        weight_fini(&made);
        return -1;
    }
    *w = made;
    return 0;
}

int weight_open(struct weight *w, struct err *err)
{
    char dir[CGROUP_PATH];

    if (w->known && !w->dir)
        return err_set(err, ENOTSUP, "there are no control groups to use");
    if (w->known)
        return 0;
    w->known = true;
    if (cgroup_own("cpu", dir, sizeof(dir)))
        return weight_open_in(w, dir, 1, err);
    if (cgroup_own(NULL, dir, sizeof(dir)))
        return weight_open_in(w, dir, 2, err);
    return err_set(err, ENOTSUP, "there are no control groups here");
}

void weight_fini(struct weight *w)
{
    if (w->enabled)
        cgroup_put(w->dir, "cgroup.subtree_control", "-cpu");
    free(w->dir);
    *w = (struct weight){ 0 };
}

/* -------------------------------------------------------------------- jobs */

struct moving { const char *dir; size_t n; int error; };

static void move_one(void *arg, pid_t pid, size_t task)
{
    struct moving *m = arg;

    (void)task;
    m->n++;
    if (cgroup_move(m->dir, pid) && errno != ESRCH)
        m->error = errno;
}

/* Until two readings find as many: who is new is where its parent was. */
int weight_give(const struct weight *w, uint64_t job, const struct sweep_job *who,
                unsigned weight, struct err *err)
{
    char dir[CGROUP_PATH];
    struct moving m = { .dir = dir };
    size_t before = 0;

    name_of(w, job, dir, sizeof(dir));
    if (cgroup_make(dir) || put_weight(w, dir, weight))
        m.error = errno;
    for (int i = 0; !m.error && i < PASSES; i++, before = m.n) {
        m.n = 0;
        sweep_each(who, move_one, &m);
        if (i > 0 && m.n == before)
            break;
    }
    if (!m.error)
        return 0;
    weight_take_back(w, job);
    errno = m.error;
    return err_sys(err, "a job cannot be moved to a control group");
}

void weight_take_back(const struct weight *w, uint64_t job)
{
    char dir[CGROUP_PATH];

    if (!w->dir)
        return;
    name_of(w, job, dir, sizeof(dir));
    cgroup_remove(w->dir, dir);
}

void weight_sweep(void)
{
    char own[CGROUP_PATH];

    if (cgroup_own("cpu", own, sizeof(own)))
        cgroup_sweep(own);
}
