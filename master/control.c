/* control.c - checks what is asked for, and has flow.c do it. */
#include "master/control.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "master/flow.h"

static struct job *control_job(struct jobs *jobs, const struct conn *own,
                               uint64_t id, struct err *err)
{
    struct job *j = jobs_find(jobs, id);

    if (j && (!own || j->redirector == own))
        return j;
    err_set(err, ESRCH, "job %llu is not running here",
            (unsigned long long)id);
    return NULL;
}

/* *all: no set is needed. */
static int control_ranks(const struct job *j, const char *text,
                         struct taskset *ranks, bool *all, struct err *err)
{
    if (taskset_parse(ranks, *text ? text : "all", j->ntasks, err))
        return err_prefix(err, "job %llu has %u tasks",
                          (unsigned long long)j->id, j->ntasks);
    *all = taskset_count(ranks) == j->ntasks;
    return 0;
}

int control_signal(struct jobs *jobs, const struct conn *own,
                   const Hct__Signal *m, struct err *err)
{
    struct job *j = control_job(jobs, own, m->job, err);
    struct taskset ranks = { 0 };
    bool all;
    int rc;

    if (!j)
        return -1;
    if (m->signal < 1 || m->signal > SIGRTMAX)
        return err_set(err, EINVAL, "there is no signal %d", m->signal);
    rc = control_ranks(j, m->ranks, &ranks, &all, err);
    if (rc == 0)
        rc = flow_signal(j, &ranks, m->signal, err);
    taskset_fini(&ranks);
    return rc;
}

int control_kill(struct jobs *jobs, const struct conn *own,
                 const Hct__Kill *m, struct err *err)
{
    struct job *j = control_job(jobs, own, m->job, err);
    struct taskset ranks = { 0 };
    bool all;
    int rc;

    if (!j)
        return -1;
    if (m->exit_code < 0 || m->exit_code > 255)
        return err_set(err, EINVAL, "%d is not an exit code", m->exit_code);
    if (m->signal < 0 || m->signal > SIGRTMAX)
        return err_set(err, EINVAL, "there is no signal %d", m->signal);
    rc = control_ranks(j, m->ranks, &ranks, &all, err);
    if (rc == 0 && all && !j->killed)
        j->kill_signal = m->signal;
    if (rc == 0 && all)
        flow_kill(j, *m->why ? m->why : "it was killed", m->exit_code,
                  m->at_once);
    else if (rc == 0)
        flow_terminate(j, &ranks, m->at_once);
    taskset_fini(&ranks);
    return rc;
}
