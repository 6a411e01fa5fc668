/* slow.c - the policy slow: has the job become slower, since when, and who or
 * what is it that computes longer for the same work? It looks always; the
 * models of tasks it asks for only when it suspects something. */
#include "policies/slow/slow.h"

#include <stddef.h>

#include "policies/slow/attendance.h"
#include "policies/slow/suspicion.h"
#include "policies/slow/told.h"
#include "policies/slow/watch.h"

enum { FACTOR, SHARE, WINDOW, LOOK, ITERATIONS, PARAMS };

static const struct hct_param params[] = {
    [FACTOR] = { "factor", "", "so many times as long as before is slow", 1.15,
                 1.01, 1000 },
    [SHARE] = { "share", "%", "of the job's time, that this costs at least", 2,
                0, 100 },
    [WINDOW] = { "window", "s", "how long what is compared lasts at least", 1,
                 0.05, 3600 },
    [LOOK] = { "look", "s", "time between looks", 0.2, 0.01, 60 },
    [ITERATIONS] = { "iterations", "", "... and how many of them it is at least",
                     3, 1, 100000 },
    [PARAMS] = { .name = NULL },
};

enum { ELSEWHERE = 60 };        /* windows of other phases: it will not come again */

static size_t speed_bytes(uint32_t ntasks)
{
    return sizeof(struct slow) +
           ntasks * (sizeof(struct speed_task) + sizeof(struct speed_parts) +
                     2 * sizeof(double));
}

/* Of the largest jobs the processor's counters are too much. */
static size_t effort_bytes(uint32_t ntasks)
{
    size_t bytes = ntasks * sizeof(struct effort_task);

    return speed_bytes(ntasks) + bytes <= HCT_STATE_MAX ? bytes : 0;
}

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)param;
    return speed_bytes(job->nranks) + effort_bytes(job->nranks);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct slow *s = state;

    (void)why;
    (void)why_bytes;
    windows_init(&s->windows, (uint64_t)(param[WINDOW] * 1e9),
                 param[ITERATIONS]);
    s->look_ns = (uint64_t)(param[LOOK] * 1e9);
    s->limit = (struct odd_limit){ .windows = SLOW_ODD_WINDOWS,
                                     .factor = param[FACTOR],
                                     .share = param[SHARE] / 100 };
    s->speed.ntasks = job->nranks;
    s->effort.ntasks = effort_bytes(job->nranks) ? job->nranks : 0;
    return 0;
}

/* A state has no pointers but while it is asked. */
static void attach(struct slow *s)
{
    s->speed.shift = (double *)(void *)(s + 1);
    s->speed.words = s->speed.shift + s->speed.ntasks;
    s->speed.task = (struct speed_task *)(void *)(s->speed.words +
                                                  s->speed.ntasks);
    s->speed.parts = (struct speed_parts *)(void *)(s->speed.task +
                                                    s->speed.ntasks);
    s->effort.task = (struct effort_task *)(void *)(s->speed.parts +
                                                    s->speed.ntasks);
    s->speed.effort = &s->effort;
}

static void detach(struct slow *s)
{
    s->speed.shift = s->speed.words = NULL;
    s->speed.task = NULL;
    s->speed.parts = NULL;
    s->effort.task = NULL;
    s->speed.effort = NULL;
}

/* Time counts, or work, from now on, where nothing is certain. */
static void turn(struct slow *s)
{
    if (s->x.stage == SLOW_TOLD || (s->x.stage == SLOW_SUSPECT && s->x.agreed))
        return;
    if (s->x.stage == SLOW_SUSPECT)
        suspicion_dismiss(s, false);
    speed_turn(&s->speed);
    for (uint32_t p = 0; p < SPEED_PHASES; p++)
        pace_restart(&s->pace[p], 0);
    for (uint64_t w = speed_first(&s->speed); w < s->speed.windows; w++)
        pace_add(&s->pace[s->speed.ring[w % SPEED_RING].phase],
                 speed_took(&s->speed, w), iterations_bytes(&s->windows.loop));
}

static void end_window(struct slow *s, const struct hct_snapshot *in,
                       uint32_t phase, struct hct_out *out)
{
    uint32_t stage;

    if (share_turns(&s->speed.share))
        turn(s);
    stage = s->x.stage;
    s->x.elsewhere = phase == s->x.phase ? 0 : s->x.elsewhere + 1;
    speed_close(&s->speed, phase, in->now_ns,
                stage == SLOW_WATCH ? SPEED_PHASES : s->x.phase);
    effort_close(&s->effort, phase);
    pace_add(&s->pace[phase], speed_took(&s->speed, s->speed.windows - 1),
             iterations_bytes(&s->windows.loop));
    if (stage == SLOW_WATCH)
        watch_window(s, phase, in->now_ns);
    else if (phase != s->x.phase && s->x.elsewhere > ELSEWHERE)
        suspicion_dismiss(s, false);    /* that one may never come again */
    else if (phase == s->x.phase && stage == SLOW_SUSPECT)
        suspicion_window(s, in, out);
    else if (phase == s->x.phase)
        told_window(s, in, out);
}

static void look(struct slow *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    uint32_t phase;

    if (!attendance_whole(in) || !windows_can(&s->windows, in)) {
        if (s->x.stage == SLOW_SUSPECT)
            suspicion_dismiss(s, false);
        windows_interrupt(&s->windows);
        return;
    }
    if (windows_look(&s->windows, &s->speed, in, &phase, &s->limit.unsure))
        end_window(s, in, phase, out);
    if (in->parts & HCT_NEED_MODEL)
        suspicion_models(s, in, out);
    models_ask(&s->x.models, out);
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct slow *s = state;

    if (in->nranks != s->speed.ntasks)
        return -1;
    attach(s);
    out->wake_ns = in->now_ns + s->look_ns;
    look(s, in, out);
    detach(s);
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR,
    .minor = HCT_POLICY_MINOR,
    .name = "slow",
    .help = "finds tasks and nodes that become slower while the job runs",
    .params = params,
    .state_bytes = state_bytes,
    .init = init,
    .step = step,
    .may_need = HCT_NEED_MODEL,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
