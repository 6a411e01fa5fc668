/* flow.c - the life of a job: how it begins, the effects of its steps, how it
 * ends.
 *
 * Invariants. Steps are taken in flow_step.c; what they are to effect is
 * carried out here, by a table, after the commit. An effect may be carried out
 * twice without harm, and looks at the state as it is then. A job is freed by
 * JOB_EFFECT_END, as the last thing. What tasks do is in flow_task.c, what
 * links do in flow_come.c, what takes too long in flow_late.c: they call
 * steps, and nothing of this file. */
#include "master/flow/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "master/act/allotment.h"
#include "master/act/hands.h"
#include "master/findings/autoslice.h"
#include "master/findings/findings.h"
#include "master/flow/again.h"
#include "master/flow/apart.h"
#include "master/flow/endmodel.h"
#include "master/flow/flow_step.h"
#include "master/flow/launch.h"
#include "master/flow/notice.h"
#include "master/ladder/ladder.h"
#include "master/move/checkpoint.h"
#include "master/optimize/course.h"
#include "master/store/events.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

static const uint64_t flow_settle_ns = 50 * CLOCK_NS_PER_MS;
static const uint64_t flow_settled_ns = 30 * CLOCK_NS_PER_S;

static unsigned long long flow_id(const struct job *j)
{
    return j->id;
}

/* To a slave of the job, if it is there. */
static void say_to_slave(const struct job_node *n, enum message_type type,
                         const void *msg)
{
    if (!n->lost && n->node->link)
        conn_send(n->node->link, type, msg);
}

static void flow_timer(evutil_socket_t fd, short what, void *arg)
{
    struct job *j = arg;

    (void)fd;
    (void)what;
    if (j->clock.settled_ns)
        flow_act(j, JOB_EFFECT_END);
    else if (j->state == JOB_WAITING)
        flow_place(j);
    else if (j->state == JOB_ENDING)
        flow_check_drained(j);
    else
        j->ops->timer(j);
}

/* ----------------------------------------------------------------- effects */

/* A job enters the table, new or taken up again. -1: no memory. */
static int flow_enter(struct flow *f, struct job *j)
{
    j->flow = f;
    j->clock.timer = evtimer_new(f->base, flow_timer, j);
    jobs_add(f->jobs, j);
    return j->clock.timer ? 0 : -1;
}

void flow_free_job(struct job *j)
{
    int saved = errno;

    if (!j)
        return;
    timer_free(j->clock.timer);
    mover_free_of(j);
    checkpoint_free(j);
    course_free(j);
    watcher_destroy(j->watcher);
    findings_destroy(j->findings);
    launch_free(j);
    endmodel_fini(j);
    if (j->ops->free)
        j->ops->free(j);
    apart_fini(j);
    job_destroy(j);
    errno = saved;
}

static void effect_accept(struct job *j)
{
    int rc = flow_enter(j->flow, j);

    notice_accepted(j);
    if (rc)
        flow_fail_now(j, "out of memory");
    else if (j->ops->accepted)
        j->ops->accepted(j);
    else if (!j->redirector)
        flow_kill(j, "hector-run is gone", 0, false);
    else
        flow_place(j);
}

static void effect_attach(struct job *j)
{
    notice_accepted(j);
}

static void effect_state(struct job *j)
{
    notice_state(j);
}

static void effect_prepare(struct job *j)
{
    struct err err;

    if (j->state == JOB_PREPARING && launch_prepare(j, NULL, &err))
        flow_fail_now(j, err.text);
}

static void effect_launch(struct job *j)
{
    Hct__Launch m = HCT__LAUNCH__INIT;

    m.job = j->id;
    for (size_t i = 0; i < j->nnodes; i++)
        if (!j->nodes[i].launched && !j->nodes[i].drained)
            say_to_slave(&j->nodes[i], MESSAGE_LAUNCH, &m);
}

static void effect_hold(struct job *j)
{
    hands_send(j, NULL);
}

static void effect_move(struct job *j)
{
    mover_act(j);
}

static void effect_terminate(struct job *j)
{
    for (size_t i = 0; i < j->nnodes; i++)
        flow_order_end(j, &j->nodes[i]);
}

/* A job whose record is in memory only, because others have locked the
 * database, is told to have ended when it is in there: for a while. */
static bool effect_end_waits(struct job *j, const struct err *why)
{
    uint64_t now = clock_monotonic_ns();

    if (why->code != EBUSY || !j->clock.timer)
        return false;
    if (!j->clock.settled_ns)
        j->clock.settled_ns = now + flow_settled_ns;
    if (now >= j->clock.settled_ns)
        return false;
    flow_arm(j, flow_settle_ns);
    return true;
}

/* What is not in the database may be looked for there. */
static void say_lost(const struct job *j)
{
    struct events_lost lost = { 0 };
    struct str text = { 0 };

    for (uint32_t i = 0; j->tasks && i < j->ntasks; i++)
        events_lost_add(&lost, i, j->tasks[i].ring_lost);
    events_lost_text(&lost, &text);
    if (text.n)
        notice(j, true, "%s", str_text(&text));
    str_fini(&text);
    events_lost_fini(&lost);
}

/* Everything of it is committed: tell, forget, free. */
static void effect_end(struct job *j)
{
    struct flow *f = j->flow;
    Hct__Forget m = HCT__FORGET__INIT;
    struct err err;

    jobs_remove(f->jobs, j);            /* not to be noted any more */
    if (journal_settle(f->journal, &err)) {
        if (effect_end_waits(j, &err)) {
            jobs_add(f->jobs, j);
            return;
        }
        if (err.code != ENODEV)
            notice(j, true, "the record of job %llu is not in the database "
                   "yet, and lost if hector-master ends: %s", flow_id(j),
                   err.text);
    }
    m.job = j->id;
    say_lost(j);
    notice_ended(j);
    for (size_t i = 0; i < j->nnodes; i++) {
        say_to_slave(&j->nodes[i], MESSAGE_FORGET, &m);
        j->nodes[i].node->ntasks -= j->nodes[i].ntasks;
        j->nodes[i].node->njobs--;
    }
    relay_job_ended(f->relay, j);
    optimize_job_gone(f->optimize, j);
    flow_free_job(j);
}

/* In this order, of one commit. */
static const struct { unsigned effect; void (*carry_out)(struct job *j); }
effects[] = {
    { JOB_EFFECT_ACCEPT, effect_accept },
    { JOB_EFFECT_ATTACH, effect_attach },
    { JOB_EFFECT_STATE, effect_state },
    { JOB_EFFECT_PREPARE, effect_prepare },
    { JOB_EFFECT_LAUNCH, effect_launch },
    { JOB_EFFECT_HOLD, effect_hold },
    { JOB_EFFECT_MOVE, effect_move },
    { JOB_EFFECT_CHECK, flow_check_drained },
    { JOB_EFFECT_TERMINATE, effect_terminate },
    { JOB_EFFECT_END, effect_end },
};

void flow_committed(struct flow *f)
{
    struct job *acting = f->acting;

    f->acting = NULL;
    while (acting) {
        struct job *j = acting;
        unsigned wanted = j->effects;

        acting = j->next_acting;
        j->next_acting = NULL;
        j->effects = 0;
        for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
            if (wanted & effects[i].effect)
                effects[i].carry_out(j);
    }
    drain_committed(f->drains);
    ladder_committed(f->ladder);
    optimize_committed(f->optimize);
}

/* ---------------------------------------------------------- begin and end */

static void flow_ordered(struct job *j, const struct act_order *o)
{
    ladder_ordered(j->flow->ladder, j, o);
    optimize_ordered(j, o);
}

static const struct act_ops act_ops = {
    .effect = flow_act, .end = flow_kill, .again = again_if_can,
    .ordered = flow_ordered,
    .finding = notice_finding, .notice = notice,
};

static void move_act(struct job *j)
{
    flow_act(j, JOB_EFFECT_MOVE);
}

/* Tasks that came apart, and cannot come together again. */
static void move_failed(struct job *j, const char *why)
{
    again_or_fail(j, FLOW_FAILURE, clock_wall_ns(), why);
}

static const struct mover_ops mover_ops = {
    .act = move_act, .fail = move_failed, .store = again_store,
    .notice = notice,
    .prepare = launch_further, .seal = launch_seal_again,
};

struct movers *flow_movers(struct flow *f)
{
    return &f->movers;
}

uint64_t flow_restart_wait_ns(const struct flow *f)
{
    return f->conf.restart_wait_ns;
}

struct drains *flow_drains(struct flow *f)
{
    return f->drains;
}

struct ladder *flow_ladder(struct flow *f)
{
    return f->ladder;
}

struct optimize *flow_optimize(struct flow *f)
{
    return f->optimize;
}

struct acts *flow_acts(struct flow *f)
{
    return &f->acts;
}

int flow_watch(struct flow *f, struct job *j, const Hct__Submit *s,
               struct err *err)
{
    j->findings = findings_create(&f->acts, j, s->on_hang, err);
    if (j->findings)
        j->watcher = watcher_create(f->base, f->judges, j, f->journal,
                                    &f->conf.watch, &findings_ops, s, err);
    return j->watcher ? 0 : -1;
}

int flow_restore(struct flow *f, struct job *j, struct err *err)
{
    uint64_t until_ns = clock_monotonic_ns() + f->conf.restart_wait_ns;

    j->inherited = true;
    j->clock.alone_ns = until_ns;
    j->clock.ending_ns = j->clock.submitted_ns = j->clock.preparing_ns =
        clock_monotonic_ns();
    for (size_t i = 0; i < j->nnodes; i++) {
        struct node *n = j->nodes[i].node;

        j->nodes[i].away = true;
        n->state = NODE_AWAY;
        n->away.until_ns = until_ns;
        node_set_text(&n->away.why, "it did not come back after "
                      "hector-master had been started again");
        journal_node(f->journal, n);
    }
    if (flow_enter(f, j))
        return err_memory(err);
    if (j->state == JOB_ENDING && j->nnodes == 0)
        flow_arm(j, 0);
    journal_job(f->journal, j);
    journal_action_result(f->journal, j, "checkpoint", "not done: hector-master "
                          "ended meanwhile");
    if (j->state == JOB_RUNNING) {
        watcher_resume(j->watcher);
        checkpoint_take_up(&f->movers, j);
    }
    log_info("flow", "taken up again, %s job=%llu", job_state_name(j->state),
             (unsigned long long)j->id);
    return 0;
}

int flow_allotment(struct job *j, const Hct__Allotment *m, struct err *err)
{
    if (allotment_take(&j->flow->acts, j, m, err))
        return -1;
    if (j->batch.told && j->state == JOB_ENDING)
        flow_check_drained(j);
    return 0;
}

void flow_stop(struct flow *f, int exit_code)
{
    bool again = f->stopping;

    f->stopping = true;
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        if (j->ops->stop)
            j->ops->stop(j, "hector-master was told to stop", exit_code,
                         again);
}

bool flow_stopping(const struct flow *f)
{
    return f->stopping;
}

bool flow_idle(const struct flow *f)
{
    return f->jobs->n == 0 && !f->acting;
}

void flow_note_all(struct flow *f)
{
    for (struct job *j = f->acting; j; j = j->next_acting)
        journal_job(f->journal, j);
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); ) {
        if (j->effects & JOB_EFFECT_END)
            continue;           /* all of it is there, and it is freed soon */
        j->submit.stored = j->placement.stored = false;
        journal_job(f->journal, j);
        for (uint32_t r = 0; j->nodes && r < j->ntasks; r++)
            if (j->tasks[r].node < j->nnodes)
                journal_task(f->journal, j, &j->tasks[r]);
    }
}

static const struct due *flow_due(const struct job *j, uint32_t number)
{
    return watcher_due(j->watcher, number);
}

static int flow_unstore(struct job *j, struct err *err)
{
    return again_resume(j, NULL, 0, err);
}

/* Both may have waited for it. */
static void move_ended(void *arg, struct job *j, bool ok, bool passing,
                       const char *text)
{
    struct flow *f = arg;

    drain_move_ended(f->drains, j, ok, passing, text);
    optimize_move_ended(f->optimize, j, ok, text);
}

static int create_optimize(struct flow *f)
{
    const struct optimize_parts parts = {
        .base = f->base, .judges = f->judges, .judge = f->conf.watch.judge,
        .conf = f->conf.optimize, .acts = &f->acts, .movers = &f->movers,
        .instance = f->conf.instance, .open = launch_is_open,
        .place = flow_place,
        .by = { .nodes = f->nodes, .jobs = f->jobs, .movers = &f->movers,
                .may = launch_may, .per_node = launch_per_node } };

    f->optimize = f->acts.optimize = optimize_create(&parts);
    return f->optimize ? 0 : -1;
}

struct flow *flow_create(struct event_base *base, const struct flow_conf *conf,
                         struct nodes *nodes, struct jobs *jobs,
                         struct relay *relay)
{
    struct flow *f = calloc(1, sizeof(*f));

    if (!f || !(f->judges = judges_create(base)) ||
        !(f->watch = event_new(base, -1, EV_PERSIST, flow_on_watch, f)) ||
        timer_set(f->watch, FLOW_WATCH_MS * CLOCK_NS_PER_MS)) {
        if (f)
            judges_destroy(f->judges);
        free(f);
        return NULL;
    }
    f->base = base;
    f->watched_ns = clock_monotonic_ns();
    f->conf = *conf;
    f->acts.conf = conf->act;
    f->acts.by.samples = conf->act.hang_samples;
    f->acts.ops = &act_ops;
    f->movers = (struct movers){ .base = base, .ops = &mover_ops,
                                 .seen = mover_unseen, .ended = move_ended,
                                 .ended_arg = f };
    f->nodes = nodes;
    f->acts.movers = &f->movers;
    f->acts.nodes = nodes;
    f->jobs = jobs;
    f->relay = relay;
    f->drains = drain_create(&(struct drain_parts){
        .base = base, .nodes = nodes, .jobs = jobs, .movers = &f->movers,
        .acts = &f->acts });
    f->ladder = ladder_create(&(struct ladder_parts){
        .base = base, .nodes = nodes, .jobs = jobs, .movers = &f->movers,
        .acts = &f->acts, .instance = conf->instance, .due = flow_due,
        .unstore = flow_unstore });
    f->acts.ladder = f->ladder;
    if (!f->drains || !f->ladder || create_optimize(f))
        return flow_destroy(f), NULL;
    return f;
}

void flow_set_journal(struct flow *f, struct journal *jn)
{
    f->journal = f->acts.journal = f->acts.by.journal = f->movers.journal = jn;
}

void flow_set_reducer(struct flow *f, struct reducer *rd)
{
    f->reducer = f->acts.by.reducer = f->conf.watch.reducer = rd;
}

void flow_destroy(struct flow *f)
{
    struct job *j;

    if (!f)
        return;
    while ((j = f->acting)) {
        f->acting = j->next_acting;
        if (j->effects & JOB_EFFECT_ACCEPT)
            flow_free_job(j);           /* not in the table yet */
    }
    while ((j = jobs_next(f->jobs, NULL))) {
        jobs_remove(f->jobs, j);
        flow_free_job(j);
    }
    autoslice_drop_all(&f->acts);
    event_free(f->watch);
    drain_destroy(f->drains);
    ladder_destroy(f->ladder);
    optimize_destroy(f->optimize);
    judges_destroy(f->judges);
    free(f);
}
