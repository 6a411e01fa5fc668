/* flow_watch.c - what takes too long: nodes and redirectors that do not come
 * back, slaves that do not end their part of a job. Looked for four times a
 * second; nothing here waits. */
#include "master/flow.h"

#include <stdio.h>

#include "master/adopt.h"
#include "master/flow_step.h"
#include "proto/base/clock.h"

/* A slave says so once a second; an old word does not count. */
static const uint64_t watch_word_ns = 5 * CLOCK_NS_PER_S;

/* Is what keeps the node from being done that hector-run does not read? */
static bool watch_waits_for_reader(const struct job *j,
                                   const struct job_node *jn)
{
    const struct node *n = jn->node;

    if (!j->redirector || clock_wall_ns() - n->seen_ns > watch_word_ns)
        return false;
    for (size_t i = 0; i < n->noutput_waits; i++)
        if (n->output_waits[i] == j->id)
            return true;
    return false;
}

static bool watch_is_over(const struct job *j)
{
    if (j->adopt)
        return adopt_is_over(j);
    return j->state == JOB_ENDING ||
           (j->state >= JOB_STARTING && j->nended == j->ntasks);
}

static void watch_node(struct job *j, struct job_node *jn, uint64_t now_ns)
{
    uint64_t wait_ns = j->flow->conf.end_wait_ns;
    uint64_t since_ns = j->ending_mono_ns;
    char why[200];

    if (jn->drained || jn->lost || jn->away)
        return;
    if (jn->nlive)
        wait_ns += j->at_once ? 0 : j->grace_ns;
    else
        since_ns = jn->gone_mono_ns = jn->gone_mono_ns ? jn->gone_mono_ns
                                                       : now_ns;
    if (now_ns < since_ns + wait_ns)
        return;
    if (!jn->nlive && watch_waits_for_reader(j, jn))
        return;
    snprintf(why, sizeof(why), jn->nlive
             ? "its tasks have not ended within %.0f s"
             : "its slave has not cleared up within %.0f s",
             (double)wait_ns / 1e9);
    flow_notice(j, true, "node %s: %s, the job ends without it",
                jn->node->name, why);
    flow_job_node_lost(j, jn, why);
}

static void watch_job(struct job *j, uint64_t now_ns)
{
    if (job_state_final(j->state))
        return;
    if (j->alone_mono_ns && now_ns >= j->alone_mono_ns) {
        j->alone_mono_ns = 0;
        flow_abandon(j);
    }
    for (size_t i = 0; watch_is_over(j) && i < j->nnodes; i++)
        if (!job_state_final(j->state))
            watch_node(j, &j->nodes[i], now_ns);
}

void flow_on_watch(evutil_socket_t fd, short what, void *arg)
{
    struct flow *f = arg;
    uint64_t now_ns = clock_monotonic_ns();

    (void)fd;
    (void)what;
    for (size_t i = 0; i < f->nodes->n; i++) {
        struct node *n = f->nodes->v[i];

        if (n->state == NODE_AWAY && now_ns >= n->away_mono_ns)
            flow_node_lost(f, n, n->away_why ? n->away_why : "?");
    }
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        watch_job(j, now_ns);
}
