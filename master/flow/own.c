/* own.c - jobs whose tasks this master has started. A slave's times are on its
 * own clock; own_time() makes them ours. */
#include "master/flow/own.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "master/flow/again.h"
#include "master/flow/endmodel.h"
#include "master/flow/flow_step.h"
#include "master/flow/notice.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"

/* ------------------------------------------------------------------- exits */

/* On our clock, at the latest; now, if the two clocks were not compared yet.
 * So a failure never seems older than it is. */
static uint64_t own_time(const struct job_node *jn, uint64_t at_ns)
{
    const struct clock_offset *o =
        jn->node->link ? conn_clock(jn->node->link) : NULL;

    if (at_ns == 0 || !o || o->samples == 0)
        return clock_wall_ns();
    return at_ns - (uint64_t)o->offset_ns + o->error_ns;
}

/* Exits of 0 without MPI_Finalize: a failure as soon as somebody may wait for
 * those tasks in vain. */
static void own_check_left(struct job *j)
{
    struct task *left = NULL;
    bool waiting = false;
    char why[1024];

    for (uint32_t r = 0; r < j->ntasks; r++) {
        if (j->tasks[r].left && !left)
            left = &j->tasks[r];
        waiting |= task_state_in_mpi(j->tasks[r].state);
    }
    if (!left || !waiting)
        return;
    notice_of_end(j, left, false, why, sizeof(why));
    flow_fail(j, 1, clock_wall_ns(), why);
}

static void own_timer(struct job *j)
{
    if (j->state == JOB_STARTING || j->state == JOB_RUNNING)
        own_check_left(j);
}

static void own_task_left(struct job *j, struct task *t)
{
    t->left = true;
    flow_wait_for_others(j);
}

/* Is it this task of which is said that it has ended the job? */
static bool own_blamed(const struct job *j, const struct job_node *jn, uint32_t rank)
{
    struct str who = { 0 };
    bool blamed;

    str_addf(&who, "task %u on %s ", rank, jn->node->name);
    blamed = strncmp(job_why(j), str_text(&who), who.n) == 0;
    str_fini(&who);
    return blamed;
}

/* Killed by what it did itself. */
static bool own_crashed(const struct task *t)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS,
                                   SIGTRAP };

    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        if (t->signal == crashes[i])
            return true;
    return false;
}

static void own_task_ended(struct job *j, struct job_node *jn,
                           struct task *t, bool core, bool finalized)
{
    char why[1024];
    bool ours = j->state == JOB_ENDING &&
                (t->signal == SIGTERM || t->signal == SIGKILL ||
                 (job_killed(j) && t->signal == job_kill_signal(j)));

    if (t->exit_code != 0 && !ours) {
        notice_of_end(j, t, core, why, sizeof(why));
        /* MPI may have failed in another task as this one was gone. */
        if (job_aborted(j) && own_crashed(t) && !own_blamed(j, jn, job_rank(j, t)))
            job_abort_caused(j, own_time(jn, t->ended_ns));
        if (t->why)
            again_older_or_fail(j, t->exit_code, own_time(jn, t->ended_ns), why);
        else if (t->signal)
            again_or_fail(j, t->exit_code, own_time(jn, t->ended_ns), why);
        else                    /* the program's own word */
            flow_fail(j, t->exit_code, own_time(jn, t->ended_ns), why);
    } else if (t->exit_code == 0 && !finalized) {
        own_task_left(j, t);
    }
}

static void own_apart_advice(const char *library, struct str *to)
{
    if (strncmp(library, "Open MPI", 8) != 0)
        str_addf(to, "their library, %.*s, does not ask hector-run who they "
                 "are: use its own mpiexec, and hector-run --adopt -- mpiexec",
                 (int)strcspn(library, " \t\n"), library);
    else
        str_add(to, "Open MPI did not ask hector-run who they are: a setting "
                "(OMPI_MCA_..., mca-params.conf) or a variable of a batch "
                "system keeps it from that");
}

/* ------------------------------------------------------------ the last word */

/* If that is why the job has ended: where it was. */
static void own_abort_place(struct job *j, const struct job_node *jn,
                            const struct job_drained *d)
{
    struct str why = { 0 };

    if (*d->abort_place && job_aborted(j) && own_blamed(j, jn, d->abort_rank)) {
        str_addf(&why, "%s, %.500s", job_why(j), d->abort_place);
        job_set_why(j, str_text(&why));
    }
    str_fini(&why);
}

static int own_drained(struct job *j, struct job_node *jn,
                       const struct job_drained *d, struct err *err)
{
    if ((j->state == JOB_ENDING || j->state == JOB_RETURNING) && !jn->launched) {
        jn->launched = true;    /* Launch was lost with a link */
        j->nlaunched++;
        flow_lose_tasks(j, jn);
    }
    if (jn->nlive)
        return err_set(err, EPROTO, "Drained for job %llu with %u tasks that "
                       "have not ended", (unsigned long long)j->id, jn->nlive);
    own_abort_place(j, jn, d);
    endmodel_take(j, jn, d->model, d->model_bytes);
    jn->drained = true;
    j->ndrained++;
    flow_check_drained(j);
    return 0;
}

static bool own_is_over(const struct job *j)
{
    return j->state == JOB_ENDING || j->state == JOB_RETURNING ||
           (j->state >= JOB_STARTING && j->nended == j->ntasks);
}

/* ------------------------------------------------------------------- nodes */

static void own_node_lost(struct job *j, const char *why)
{
    again_or_fail(j, FLOW_FAILURE, clock_wall_ns(), why);
    flow_check_drained(j);
}

/* -------------------------------------------------------------- ended early */

static void own_abandoned(struct job *j, const char *why)
{
    flow_kill(j, why, 0, false);
}

static void own_stop(struct job *j, const char *why, int exit_code, bool again)
{
    if (again || j->state != JOB_ENDING)
        flow_kill(j, why, exit_code, again);
}

static bool own_ends_tasks(const struct job *j)
{
    (void)j;
    return true;
}

static int own_exit_code(const struct job *j, bool *known)
{
    *known = true;
    return job_code_of_tasks(j);
}

static struct task *own_restore_task(struct job *j, struct node *n,
                                     uint64_t rank)
{
    (void)n;                    /* its placement says where it is */
    return job_task_find(j, rank);
}

const struct job_ops own_ops = {
    .ours = true, .placed = true,
    .place = job_place, .timer = own_timer,
    .task_ended = own_task_ended, .task_left = own_task_left,
    .apart_advice = own_apart_advice, .drained = own_drained,
    .node_lost = own_node_lost, .abandoned = own_abandoned, .stop = own_stop,
    .ends_tasks = own_ends_tasks, .is_over = own_is_over,
    .exit_code = own_exit_code, .restore_task = own_restore_task,
};
