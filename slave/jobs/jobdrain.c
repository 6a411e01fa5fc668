/* jobdrain.c - the end of a job on this node.
 *
 * In this order, each step looked at every few milliseconds: who is at work on
 * files of the job has a while to come to an end; every process that the tasks
 * left behind is killed; what is in rings and pipes is read; pipes that somebody
 * outside the job still holds are cut after a while; the stream link has taken
 * all; the master has all records, and has been told what the calls have cost. */
#include "slave/jobs/jobdrain.h"

#include <signal.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "slave/jobs/jobhook.h"
#include "slave/jobs/jobpages.h"
#include "slave/launch/taskenv.h"
#include "slave/proc/sweep.h"

#define SOON_NS  (1 * CLOCK_NS_PER_MS)   /* between looks: most jobs are gone */
#define LATER_NS (10 * CLOCK_NS_PER_MS)  /* at once, some wait for a reader */
#define SWEEP_NS (5 * CLOCK_NS_PER_S)   /* then a process cannot be killed */
#define CUT_NS   (500 * CLOCK_NS_PER_MS)
#define WORK_NS  (10 * CLOCK_NS_PER_S)  /* then a file system does not answer */

struct jobdrain {
    struct event *kill;         /* owned: some grace is over */
    struct event *look;         /* owned: whether all is gone */
    uint64_t since_ns, swept_ns, cut_ns;        /* it began; processes are to
                                                   be gone; pipes are cut */
    bool swept, ended_stdtim;
};

/* At work on files of the job; 0: nobody is. */
static pid_t worker(const struct job *j)
{
    const struct jobhook *hook = j->part.node->hook;

    return hook ? hook->works(j) : 0;
}

/* Send sig to all processes of the job; how many there are. Where no other
 * job is here, also those that have shaken off group and environment. */
static size_t sweep(struct job *j, int sig)
{
    char job_mark[64], slave_mark[PATHS_MAX + 32];
    struct taskenv env = { .plan = j->plan,
                           .tasks_socket = site_socket(j->part.node->site) };
    struct sweep_job s = { .marks = { job_mark, slave_mark },
                           .all = j->part.node->njobs == 1,
                           .spares = { stacker_child(j->part.node->stacker),
                                       stacker_slices(j->part.node->stacker),
                                       worker(j) } };
    pid_t *groups = calloc(j->ntasks ? j->ntasks : 1, sizeof(*groups));
    size_t n = 0;

    if (s.all)
        stacker_rest(j->part.node->stacker);
    taskenv_marks(&env, job_mark, sizeof(job_mark), slave_mark,
                  sizeof(slave_mark));
    for (size_t i = 0; groups && i < j->ntasks; i++)
        if (j->tasks[i]->pid > 0)
            groups[s.ngroups++] = j->tasks[i]->pid;
    s.groups = groups;
    if (s.ngroups)
        n = sweep_signal(&s, sig);
    free(groups);
    return n;
}

void jobdrain_kill(struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns(), next_ns = 0;
    bool killed = false;

    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (!t->kill_ns || t->over)
            continue;
        if (t->kill_ns <= now_ns)
            killed = task_signal(t, SIGKILL) || killed;
        else if (!next_ns || t->kill_ns < next_ns)
            next_ns = t->kill_ns;
    }
    if (killed && j->state == JOB_TERMINATING && !next_ns)
        sweep(j, SIGKILL);
    if (next_ns)
        timer_set(j->drain->kill, next_ns - now_ns);
}

static void on_kill(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    jobdrain_kill(arg);
}

struct jobdrain *jobdrain_create(struct job *j, event_callback_fn on_look)
{
    struct jobdrain *d = calloc(1, sizeof(*d));

    if (!d)
        return NULL;
    d->kill = evtimer_new(j->part.node->base, on_kill, j);
    d->look = evtimer_new(j->part.node->base, on_look, j);
    if (d->kill && d->look)
        return d;
    jobdrain_destroy(d);
    return NULL;
}

void jobdrain_destroy(struct jobdrain *d)
{
    if (!d)
        return;
    timer_free(d->kill);
    timer_free(d->look);
    free(d);
}

static bool work_done(const struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (!j->drain->swept_ns && worker(j) && now_ns - j->drain->since_ns < WORK_NS)
        return false;
    if (!j->drain->swept_ns)
        j->drain->swept_ns = now_ns + SWEEP_NS;
    return true;
}

static bool processes_gone(struct job *j)
{
    size_t left;

    if (j->drain->swept)
        return true;
    left = sweep(j, SIGKILL);
    if (left && clock_monotonic_ns() < j->drain->swept_ns)
        return false;
    if (left)
        log_warn("job", "%zu processes do not die job=%llu", left,
                 (unsigned long long)j->part.id);
    j->drain->swept = true;
    return true;
}

static bool rings_empty(struct job *j)
{
    jobpages_read(j);
    for (size_t i = 0; i < j->ntasks; i++)
        if (tally_pending(&j->tasks[i]->tally))
            return false;
    if (!j->drain->ended_stdtim && j->plan->want_stdtim)
        for (size_t i = 0; i < j->ntasks; i++)
            streams_end(j->streams, j->tasks[i]->rank,
                        HCT__STREAM__STREAM_STDTIM);
    j->drain->ended_stdtim = true;
    return true;
}

/* All processes are gone, so the pipes end as soon as they are read; unless
 * a stranger was given one. */
static bool pipes_ended(struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (!streams_open_pipes(j->streams))
        return true;
    if (!j->drain->cut_ns || streams_congested(j->streams))
        j->drain->cut_ns = now_ns + CUT_NS;
    if (now_ns < j->drain->cut_ns)
        return false;
    streams_cut(j->streams);
    return true;
}

static bool records_acknowledged(const struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (!records_empty(&j->tasks[i]->tally.records))
            return false;
    return true;
}

bool jobdrain_is_over(struct job *j)
{
    bool told;

    if (!j->launched && !j->tasks)
        return true;
    if (!work_done(j) || !processes_gone(j))
        return false;
    /* Takes its time. */
    told = j->part.node->orphaned || jobpages_account_close(j);
    return rings_empty(j) && pipes_ended(j) &&
           (!j->streams || streams_flushed(j->streams)) &&
           (j->part.node->orphaned || records_acknowledged(j)) && told;
}

void jobdrain_look(struct job *j)
{
    event_active(j->drain->look, EV_TIMEOUT, 0);
}

void jobdrain_look_again(struct job *j)
{
    uint64_t since_ns = clock_monotonic_ns() - j->drain->since_ns;

    timer_set(j->drain->look, since_ns < 50 * CLOCK_NS_PER_MS ? SOON_NS
                                                              : LATER_NS);
}

void jobdrain_look_no_more(struct job *j)
{
    event_del(j->drain->look);
}

void jobdrain_begin(struct job *j)
{
    event_del(j->drain->kill);
    if (!j->drain->since_ns)
        j->drain->since_ns = clock_monotonic_ns();
    jobdrain_look(j);
}
