/* control.c - checks what is asked for, and has flow.c do it. */
#include "master/peers/control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "master/flow/flow.h"
#include "master/flow/notice.h"
#include "proto/base/clock.h"
#include "proto/base/signals.h"

/* So far apart what one sender means by one signal arrives, at most. */
static const uint64_t control_once_ns = CLOCK_NS_PER_S;

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

static struct flow_order control_order(const struct conn *own,
                                       const struct taskset *ranks,
                                       const char *why)
{
    return (struct flow_order){ .ranks = ranks, .why = why,
                                .by = own ? "hector-run" : "operator" };
}

/* STOP and CONT are not sent, but ordered: they last. A task that has been
 * stopped by somebody else is continued all the same. */
static int control_stop(struct job *j, const struct conn *own,
                        const struct taskset *ranks, int number,
                        struct err *err)
{
    struct flow_order o = control_order(own, ranks, own ? "Ctrl-Z"
                                        : "hector kill --signal");

    if (flow_hold(j, &o, number == SIGCONT, err) < 0)
        return -1;
    return number == SIGCONT && j->state >= JOB_STARTING
           ? flow_signal(j, ranks, number, err) : 0;
}

static void control_passes(struct job *j, int number)
{
    j->passed_signal = number;
    j->passed_mono_ns = clock_monotonic_ns();
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
        control_passes(j, m->signal);
    if (rc == 0)
        rc = m->signal == SIGSTOP || m->signal == SIGCONT
             ? control_stop(j, own, &ranks, m->signal, err)
             : flow_signal(j, &ranks, m->signal, err);
    taskset_fini(&ranks);
    return rc;
}

int control_passed_signal(struct job *j, const struct job_node *jn,
                          const Hct__Signal *m, struct err *err)
{
    struct taskset all = { 0 };
    struct err none;
    char why[200];

    if (m->signal == SIGTERM || m->signal == SIGINT || m->signal == SIGHUP) {
        snprintf(why, sizeof(why), "%s to the slave on %.100s",
                 signals_name(m->signal), jn->node->name);
        if (!j->killed && j->state != JOB_ENDING)
            flow_kill(j, why, 128 + m->signal, false);
        return 0;
    }
    if (m->signal != SIGUSR1 && m->signal != SIGUSR2)
        return err_set(err, EPROTO, "a slave passes on signal %d", m->signal);
    if (j->passed_signal == m->signal &&
        clock_monotonic_ns() < j->passed_mono_ns + control_once_ns)
        return 0;
    control_passes(j, m->signal);
    if (j->ntasks && taskset_add(&all, 0, j->ntasks - 1) == 0)
        flow_signal(j, &all, m->signal, &none);
    taskset_fini(&all);
    return 0;
}

int control_hold(struct jobs *jobs, const struct conn *own,
                 const Hct__Hold *m, char *text, size_t size,
                 struct err *err)
{
    struct job *j = control_job(jobs, own, m->job, err);
    struct taskset ranks = { 0 };
    struct flow_order o = control_order(own, &ranks, m->why);
    const char *done = m->release ? "resumed" : "suspended";
    long n = -1;
    bool all;

    if (!j)
        return -1;
    if (control_ranks(j, m->ranks, &ranks, &all, err) == 0)
        n = flow_hold(j, &o, m->release, err);
    taskset_fini(&ranks);
    if (n < 0)
        return -1;
    if (n == 0 && m->release)
        snprintf(text, size, "nothing is suspended");
    else if (n == 0)
        snprintf(text, size, "suspended already");
    else
        snprintf(text, size, "%ld task%s %s being %s", n, n == 1 ? "" : "s",
                 n == 1 ? "is" : "are", done);
    if (n > 0 && !own)
        notice(j, false, "%ld of %u tasks of job %llu %s %s: %s", n,
               j->ntasks, (unsigned long long)j->id,
               n == 1 ? "is" : "are", done, m->why);
    return 0;
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
    struct flow_order o = control_order(own, &ranks, *m->why ? m->why
                                        : "it was killed");

    if (rc == 0 && all && !j->killed)
        j->kill_signal = m->signal;
    if (rc == 0 && all && (!j->killed || m->at_once))
        flow_record(j, &o, "kill");
    if (rc == 0 && all)
        flow_kill(j, o.why, m->exit_code, m->at_once);
    else if (rc == 0)
        rc = flow_terminate(j, &o, m->at_once, err);
    taskset_fini(&ranks);
    return rc;
}
