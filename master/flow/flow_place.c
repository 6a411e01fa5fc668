/* flow_place.c - a job gets its nodes, or waits for hosts to join. */
#include "master/flow/flow_step.h"

#include <stdio.h>

#include "master/flow/launch.h"
#include "master/flow/notice.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"

static void flow_missing(struct job *j, const char *missing)
{
    uint64_t waited = clock_monotonic_ns() - j->clock.submitted_ns;
    const struct flow_conf *c = &j->flow->conf;
    char why[sizeof(((struct err *)0)->text) + 64];

    if (j->state == JOB_SUBMITTED)
        flow_step(j, JOB_EVENT_WAIT, 0);
    if (waited >= c->join_wait_ns && flow_may_be_stopped(j)) {
        flow_arm(j, FLOW_WATCH_MS * CLOCK_NS_PER_MS);
        return;
    }
    if (waited >= c->join_wait_ns) {
        snprintf(why, sizeof(why), "waited %llu s in vain for %.200s to join",
                 (unsigned long long)(c->join_wait_ns / CLOCK_NS_PER_S),
                 missing);
        flow_fail_now(j, why);
        return;
    }
    if (waited >= c->notice_ns && !j->missing_told) {
        j->missing_told = true;
        notice(j, false, "waiting for %s to join", missing);
    }
    flow_arm(j, j->missing_told || c->notice_ns > c->join_wait_ns
                    ? c->join_wait_ns - waited
                    : c->notice_ns > waited ? c->notice_ns - waited : 0);
}

static void flow_placed(struct job *j)
{
    struct str text = { 0 };
    struct err err;

    event_del(j->clock.timer);
    if ((!j->placement.bytes && launch_seal(j, j->flow->conf.instance, &err)) ||
        (j->serial && launch_seal_again(j, NULL, 0, &err))) {
        flow_fail_now(j, err.text);
        return;
    }
    launch_oversubscription(j, &text);
    if (text.n)
        notice(j, false, "%s", str_text(&text));
    str_fini(&text);
    for (uint32_t r = 0; r < j->ntasks; r++)
        journal_task(j->flow->journal, j, &j->tasks[r]);
    flow_step(j, JOB_EVENT_PLACE, JOB_EFFECT_PREPARE);
    optimize_news(j->flow->optimize);
}

/* For the plan of an optimizer: it is placed as soon as there is one. */
static bool flow_waits(struct job *j)
{
    uint64_t wait_ns;

    if (!optimize_holds(j->flow->optimize, j, &wait_ns))
        return false;
    if (j->state == JOB_SUBMITTED)
        flow_step(j, JOB_EVENT_WAIT, 0);
    flow_arm(j, wait_ns);
    return true;
}

void flow_place(struct job *j)
{
    struct str missing = { 0 };
    struct err err;

    if (flow_waits(j))
        return;
    switch (launch_place(j, j->flow->nodes, &missing, &err)) {
    case LAUNCH_PLACED:
        flow_placed(j);
        break;
    case LAUNCH_MISSING:
        flow_missing(j, str_text(&missing));
        break;
    case LAUNCH_IMPOSSIBLE:
        flow_fail_now(j, err.text);
        break;
    }
    str_fini(&missing);
}
