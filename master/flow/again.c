/* again.c - see again.h. */
#include "master/flow/again.h"

#include <errno.h>
#include <stdlib.h>

#include "master/act/act.h"
#include "master/flow/endmodel.h"
#include "master/flow/flow_step.h"
#include "master/flow/launch.h"
#include "master/flow/notice.h"
#include "master/flow/relay.h"
#include "master/move/checkpoint.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"

static void go_back(struct job *j, const char *why)
{
    struct str to = { 0 };

    checkpoint_return(j);
    checkpoint_text(j, &to);
    notice(j, true, "%s: all tasks go back to %s", why, str_text(&to));
    str_fini(&to);
    flow_step(j, JOB_EVENT_RETURN, JOB_EFFECT_TERMINATE);
}

/* Nobody has wished so. */
static void go_back_by_itself(struct job *j, const char *why)
{
    struct act_order act = { .act = ACT_ROLLBACK, .who = ACT_POLICY,
                             .by = "hector", .why = why, .whole = true };

    acts_record(&j->flow->acts, j, &act, "ordered");
    go_back(j, why);
}

static bool could(const struct job *j)
{
    return j->state == JOB_STARTING || j->state == JOB_RUNNING;
}

void again_or_fail(struct job *j, int exit_code, uint64_t at_ns,
                   const char *why)
{
    if (could(j) && checkpoint_may_return(j))
        go_back_by_itself(j, why);
    else
        flow_fail(j, exit_code, at_ns, why);
}

bool again_if_can(struct job *j, const char *why)
{
    bool can = could(j) && checkpoint_may_return(j);

    if (can)
        go_back(j, why);
    return can;
}

void again_older_or_fail(struct job *j, int exit_code, uint64_t at_ns,
                         const char *why)
{
    if (could(j) && checkpoint_restores(j) && checkpoint_spoiled(j))
        go_back_by_itself(j, why);
    else
        flow_fail(j, exit_code, at_ns, why);
}

/* As it was before it was started; what it did counts on. */
static void reset_task(struct job *j, struct task *t, uint64_t now_ns)
{
    uint64_t since_ns = t->since_ns ? t->since_ns : t->started_ns;

    if (since_ns)
        journal_posting(j->flow->journal, j, t, since_ns,
                        t->ended_ns ? t->ended_ns : now_ns);
    flow_task_step(j, t, TASK_EVENT_AGAIN);
    t->ended = t->left = t->frozen = t->starved = false;
    t->exit_code = t->signal = 0;
    t->started_ns = t->ended_ns = t->since_ns = 0;
    t->hold = HOLD_GOING;
    t->held_since_ns = 0;
    t->pid = 0;
    free(t->why);
    t->why = NULL;
}

static void forget_nodes(struct job *j)
{
    Hct__Forget m = HCT__FORGET__INIT;

    m.job = j->id;
    for (size_t i = 0; i < j->nnodes; i++)
        if (!j->nodes[i].lost && j->nodes[i].node->link)
            conn_send(j->nodes[i].node->link, MESSAGE_FORGET, &m);
    relay_job_ended(j->flow->relay, j);
    endmodel_fini(j);
}

static void get_nodes(struct job *j)
{
    j->missing_told = false;
    j->clock.submitted_ns = clock_monotonic_ns();
    if (flow_step(j, JOB_EVENT_AGAIN, 0))
        flow_place(j);
}

void again_begin(struct job *j)
{
    uint64_t now_ns = clock_wall_ns();
    struct str to = { 0 };

    for (uint32_t r = 0; r < j->ntasks; r++)
        reset_task(j, &j->tasks[r], now_ns);
    forget_nodes(j);
    job_unplace(j);
    j->attempt++;
    j->serial++;                /* of a namespace that there was not */
    if (checkpoint_stores(j)) {
        flow_step(j, JOB_EVENT_STORE, 0);
        checkpoint_stored(j);
        return;
    }
    checkpoint_text(j, &to);
    journal_action_result(j->flow->journal, j, "rollback", str_text(&to));
    str_fini(&to);
    get_nodes(j);
}

void again_store(struct job *j)
{
    notice(j, false, "job %llu is stored: hector resume %llu lets it go on",
           (unsigned long long)j->id, (unsigned long long)j->id);
    flow_step(j, JOB_EVENT_RETURN, JOB_EFFECT_TERMINATE);
}

int again_resume(struct job *j, char *const *nodes, size_t n, struct err *err)
{
    if (j->state != JOB_STORED)
        return err_set(err, ESRCH, "job %llu is %s: only one that is stored gets "
                       "other nodes", (unsigned long long)j->id,
                       job_state_name(j->state));
    if (n && launch_rewish(j, nodes, n, err))
        return -1;
    checkpoint_resume(j);
    get_nodes(j);
    return 0;
}
