/* flow_late.c - what takes too long: nodes and redirectors that do not come
 * back, slaves that do not prepare their part of a job, or do not end it.
 * Looked for four times a second; nothing here waits. */
#include "master/flow/flow.h"

#include <stdio.h>

#include "master/act/allotment.h"
#include "master/flow/apart.h"
#include "master/flow/flow_step.h"
#include "master/flow/notice.h"
#include "proto/base/clock.h"

/* A slave says so once a second; an old word does not count. */
static const uint64_t late_word_ns = 5 * CLOCK_NS_PER_S;

/* hector-run pings once a second: now somebody has stopped it. */
static const uint64_t late_quiet_ns = 5 * CLOCK_NS_PER_S / 2;

/* Is what keeps the node from being done that hector-run does not read? */
static bool late_waits_for_reader(const struct job *j,
                                  const struct job_node *jn)
{
    const struct node *n = jn->node;

    if (!j->redirector || clock_wall_ns() - n->seen_ns > late_word_ns)
        return false;
    for (size_t i = 0; i < n->noutput_waits; i++)
        if (n->output_waits[i] == j->id)
            return true;
    return false;
}

static void late_node(struct job *j, struct job_node *jn, uint64_t now_ns)
{
    uint64_t wait_ns = j->flow->conf.end_wait_ns;
    uint64_t since_ns = j->clock.ending_ns;
    char why[200];

    if (jn->drained || jn->lost || jn->away)
        return;
    if (jn->nlive)
        wait_ns += job_grace_ns(j);
    else
        since_ns = jn->gone_mono_ns = jn->gone_mono_ns ? jn->gone_mono_ns
                                                       : now_ns;
    if (!jn->nlive && late_waits_for_reader(j, jn)) {
        jn->gone_mono_ns = now_ns;      /* it clears up when that has read */
        return;
    }
    if (since_ns < jn->node->events_ns)
        since_ns = jn->node->events_ns;         /* it is at it */
    if (now_ns < since_ns + wait_ns)
        return;
    snprintf(why, sizeof(why), jn->nlive
             ? "its tasks have not ended within %.0f s"
             : "its slave has not cleared up within %.0f s",
             (double)wait_ns / 1e9);
    notice(j, true, "node %s: %s, the job ends without it",
           jn->node->name, why);
    flow_job_node_lost(j, jn, why);
}

/* Time in which a person has stopped hector-run does not count against anybody
 * that it, or its output, waits for. */
static void late_stopped(struct job *j, uint64_t now_ns)
{
    if (flow_silence_ns(j) < late_quiet_ns)
        return;
    if (j->state == JOB_PREPARING)
        j->clock.preparing_ns = now_ns;
    else
        j->clock.submitted_ns = now_ns;
}

static void late_preparing(struct job *j, uint64_t now_ns)
{
    const struct job_node *late = NULL;
    uint64_t wait_ns = j->flow->conf.prepare_wait_ns;
    size_t nlate = 0;
    char more[40] = "", why[400];

    if (now_ns < j->clock.preparing_ns + wait_ns || flow_may_be_stopped(j))
        return;
    for (size_t i = 0; i < j->nnodes; i++)
        if (!j->nodes[i].prepared) {
            late = late ? late : &j->nodes[i];
            nlate++;
        }
    if (nlate > 1)
        snprintf(more, sizeof(more), " and %zu other%s", nlate - 1,
                 nlate == 2 ? "" : "s");
    snprintf(why, sizeof(why), "node %.200s%s did not prepare the job within "
             "%.0f s: can hector-run be reached from there?",
             late ? late->node->name : "?", more, (double)wait_ns / 1e9);
    flow_fail_now(j, why);
}

static void late_job(struct job *j, uint64_t now_ns, uint64_t late_ns)
{
    if (job_state_final(j->state))
        return;
    j->clock.ending_ns += late_ns;
    for (size_t i = 0; late_ns && i < j->nnodes; i++)
        if (j->nodes[i].gone_mono_ns)
            j->nodes[i].gone_mono_ns += late_ns;
    if (j->clock.alone_ns && now_ns >= j->clock.alone_ns) {
        j->clock.alone_ns = 0;
        flow_abandon(j);
    }
    apart_look(j, now_ns);
    allotment_look(&j->flow->acts, j);
    if (j->state <= JOB_PREPARING)
        late_stopped(j, now_ns);
    if (j->state == JOB_PREPARING)
        late_preparing(j, now_ns);
    for (size_t i = 0; j->ops->is_over(j) && i < j->nnodes; i++)
        if (!job_state_final(j->state))
            late_node(j, &j->nodes[i], now_ns);
}

/* Time in which we ourselves were stopped or busy: who came back, or has cleared
 * up, may wait since then for us to hear it. */
static uint64_t late_late(struct flow *f, uint64_t now_ns)
{
    const uint64_t tick_ns = FLOW_WATCH_MS * CLOCK_NS_PER_MS;
    uint64_t passed = now_ns - f->watched_ns;

    f->watched_ns = now_ns;
    return passed > 2 * tick_ns ? passed - tick_ns : 0;
}

void flow_on_watch(evutil_socket_t fd, short what, void *arg)
{
    struct flow *f = arg;
    uint64_t now_ns = clock_monotonic_ns(), late_ns = late_late(f, now_ns);

    (void)fd;
    (void)what;
    for (size_t i = 0; i < f->nodes->n; i++) {
        struct node *n = f->nodes->v[i];

        n->away.until_ns += late_ns;
        if (n->state == NODE_AWAY && now_ns >= n->away.until_ns)
            flow_node_overdue(f, n);
    }
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        late_job(j, now_ns, late_ns);
}
