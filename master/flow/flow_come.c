/* flow_come.c - slaves and redirectors that come, go and come back.
 *
 * Invariants. While a node is away, and until its slave has told all it knows
 * (flow_node_told), job_node->away is set in each of its jobs, and nothing is
 * concluded from what has not been heard of it. Orders that were lost with a
 * link are not kept: they follow from the job's state and are given anew. A
 * node that is lost for a job stays lost for it; a slave that turns up with
 * such a job is told to end it. */
#include "master/flow/flow.h"

#include <stdio.h>

#include "master/act/allotment.h"
#include "master/act/hands.h"
#include "master/flow/flow_step.h"
#include "master/flow/launch.h"
#include "master/flow/notice.h"
#include "master/ladder/ladder.h"
#include "master/move/checkpoint.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"

/* Longer than a guard tries to be heard: lastwords.c. */
static const uint64_t flow_words_ns = 60 * CLOCK_NS_PER_S;

/* ------------------------------------------------------------------- lost */

/* They were moved away, or are to come. */
static bool has_no_tasks(const struct job *j, const struct job_node *jn)
{
    return j->ops->ours && j->state == JOB_RUNNING && j->ntasks && !jn->ntasks;
}

void flow_job_node_lost(struct job *j, struct job_node *jn, const char *why)
{
    char text[512];

    jn->lost = true;
    jn->away = false;
    j->nprepared += !jn->prepared;
    j->nlaunched += !jn->launched;
    j->ndrained += !jn->drained;
    jn->prepared = jn->launched = jn->drained = true;
    relay_node_gone(j->flow->relay, j, jn, true);
    if (job_state_final(j->state))
        return;
    snprintf(text, sizeof(text), "node %s was lost: %.400s", jn->node->name,
             why);
    log_info("flow", "%s job=%llu", text, (unsigned long long)j->id);
    if (has_no_tasks(j, jn)) {
        mover_node_lost(j, jn);
        return;
    }
    flow_lose_tasks(j, jn);
    j->ops->node_lost(j, text);
}

static bool has_ended(const struct job *j)
{
    return j->state == JOB_ENDING || job_state_final(j->state);
}

/* silent: neither its slave nor who looks after that has said a word. */
static void lose_node(struct flow *f, struct node *n, const char *why,
                      bool silent)
{
    n->state = n->njobs ? NODE_LOST : NODE_LEFT;
    journal_node(f->journal, n);
    optimize_news(f->optimize);
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); ) {
        struct job_node *jn = job_node_find(j, n);
        bool ended = has_ended(j);

        if (!jn || jn->lost)
            continue;
        flow_job_node_lost(j, jn, why);
        if (silent && !ended && has_ended(j) && job_failed(j))
            allotment_node_failed(&f->acts, j);
    }
}

void flow_node_lost(struct flow *f, struct node *n, const char *why)
{
    lose_node(f, n, why, false);
}

static bool has_tagged(const struct job *j, const struct job_node *jn)
{
    for (int64_t r = -1; (r = taskset_next(&jn->ranks, r)) >= 0; )
        if (j->tasks[r].records)
            return true;
    return false;
}

/* Nobody has come for its slave, so nobody knows what was tagged since. */
void flow_node_overdue(struct flow *f, struct node *n)
{
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); ) {
        struct job_node *jn = job_node_find(j, n);

        if (jn && !jn->lost && !job_state_final(j->state) && has_tagged(j, jn))
            notice(j, true, "what was tagged on %s at last may be missing in "
                   "the database", n->name);
    }
    lose_node(f, n, n->away.why ? n->away.why : "?", true);
}

void flow_node_away(struct flow *f, struct node *n, const char *why)
{
    if (n->njobs == 0) {
        flow_node_lost(f, n, why);
        return;
    }
    n->state = NODE_AWAY;
    n->away.until_ns = clock_monotonic_ns() + f->conf.lost_wait_ns;
    node_set_text(&n->away.why, why);
    journal_node(f->journal, n);
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); ) {
        struct job_node *jn = job_node_find(j, n);

        if (!jn || jn->lost)
            continue;
        jn->away = true;
        mover_node_away(j, jn);
        checkpoint_node_away(j, jn);
    }
}

void flow_node_speaks(struct node *n)
{
    if (n->state == NODE_AWAY)
        n->away.until_ns = clock_monotonic_ns() + flow_words_ns;
}

/* ------------------------------------------------------------------- back */

void flow_node_joined(struct flow *f)
{
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        if (j->state == JOB_WAITING)
            flow_place(j);
    optimize_news(f->optimize);
}

/* What this node may not have heard. Slaves pass over what they know. */
static void flow_order_again(struct job *j, struct job_node *jn)
{
    Hct__Launch m = HCT__LAUNCH__INIT;
    struct err err;

    m.job = j->id;
    if (j->state == JOB_PREPARING && !jn->prepared &&
        launch_prepare(j, jn, &err))
        flow_fail_now(j, err.text);
    else if (j->state == JOB_STARTING && !jn->launched)
        conn_send(jn->node->link, MESSAGE_LAUNCH, &m);
    flow_order_end(j, jn);
    if (j->ops->order_again)
        j->ops->order_again(j, jn);
}

/* All have told what they know, and of a move that was ordered nobody does: that
 * was of a master before. */
static void flow_check_moves(struct job *j)
{
    if (!j->inherited)
        return;
    for (size_t i = 0; i < j->nnodes; i++)
        if (j->nodes[i].away && !j->nodes[i].lost)
            return;
    if (j->mover)
        return;
    mover_not_taken_up(j);
    journal_action_result(j->flow->journal, j, "migrate", "not done: "
                          "hector-master ended meanwhile");
}

static void flow_settle(struct job *j, struct job_node *jn, bool is_there)
{
    jn->away = false;
    if (is_there || j->state == JOB_PREPARING) {
        flow_order_again(j, jn);
        hands_send(j, jn);
        ladder_node_back(j->flow->ladder, j, jn);
        mover_node_back(j, jn);
        watcher_node_back(j->watcher, jn);
        relay_node_back(j->flow->relay, j, jn);
        if (jn->nlive == 0)
            relay_node_gone(j->flow->relay, j, jn, false);
    } else if (!jn->drained) {
        flow_job_node_lost(j, jn, "its slave was started anew, without the "
                           "tasks");
    }
    flow_check_moves(j);
}

static bool flow_is_among(uint64_t id, const uint64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == id)
            return true;
    return false;
}

/* A slave has tasks of a job that has ended without it: have them ended. What it has
 * of one of ours it says to be drained, then; jn may be NULL. */
static void disown(const struct node *n, const struct job *j, struct job_node *jn,
                   uint64_t job)
{
    Hct__Terminate m = HCT__TERMINATE__INIT;

    log_info("flow", "%s has tasks of a job that goes on without it job=%llu",
             n->name, (unsigned long long)job);
    m.job = job;
    m.ranks = (char *)"all";
    m.disown = true;
    if (n->link)
        conn_send(n->link, MESSAGE_TERMINATE, &m);
    if (jn && j->ops->ours)
        jn->disowned = true;
}

void flow_left(struct job *j, struct job_node *jn)
{
    if (!jn->disowned)
        return;
    jn->disowned = false;
    mover_drained(j);           /* it may be asked again */
}

/* A master before was about to have tasks moved there, and did not come to note
 * it: what the slave says of it is passed over. */
static void flow_never_used(struct job *j, struct node *n)
{
    struct job_node *jn = NULL;

    if (j->inherited && j->ops->ours && j->state == JOB_RUNNING && !j->attempt)
        jn = job_add_node(j, n);
    if (jn)
        flow_job_node_lost(j, jn, "hector-master ended as it was to get tasks");
}

void flow_node_told(struct flow *f, struct node *n, const uint64_t *jobs,
                    size_t njobs)
{
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); ) {
        struct job_node *jn = job_node_find(j, n);

        if (jn && !flow_is_among(j->id, jobs, njobs))
            flow_left(j, jn);
        if (jn && jn->away && !job_state_final(j->state))
            flow_settle(j, jn, flow_is_among(j->id, jobs, njobs));
    }
    for (size_t i = 0; i < njobs; i++) {
        struct job *j = jobs_find(f->jobs, jobs[i]);
        struct job_node *jn = j ? job_node_find(j, n) : NULL;

        if (j && !jn)
            flow_never_used(j, n);
        jn = j ? job_node_find(j, n) : NULL;
        if (!jn || jn->lost)
            disown(n, j, jn, jobs[i]);
    }
}

/* ------------------------------------------------------------ redirectors */

void flow_abandon(struct job *j)
{
    const bool left = allotment_left(&j->flow->acts, j);

    if (!job_state_final(j->state) && j->ops->abandoned)
        j->ops->abandoned(j, "hector-run is gone");
    if (left)
        flow_check_drained(j);
}

static void flow_alone(struct job *j, uint64_t wait_ns)
{
    j->redirector = NULL;
    if (wait_ns)
        j->clock.alone_ns = clock_monotonic_ns() + wait_ns;
    else
        flow_abandon(j);
}

void flow_redirector_gone(struct flow *f, const struct conn *link,
                          uint64_t wait_ns)
{
    for (struct job *j = f->acting; j; j = j->next_acting)
        if (j->redirector == link && (j->effects & JOB_EFFECT_ACCEPT))
            j->redirector = NULL;
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        if (j->redirector == link)
            flow_alone(j, wait_ns);
}

void flow_attach(struct job *j, struct conn *redirector)
{
    log_info("flow", "hector-run is back job=%llu", (unsigned long long)j->id);
    j->redirector = redirector;
    j->clock.alone_ns = 0;
    flow_act(j, JOB_EFFECT_ATTACH | JOB_EFFECT_STATE);
    if (j->state == JOB_SUBMITTED)
        flow_place(j);
}
