/* job.c - the part of a job of ours, and its operations.
 *
 * Invariants: state changes only in apply(); what the master has been told
 * is told in order (Prepared, Launched, then facts of tasks, Drained) and
 * only by job_tell(). A job frees itself nowhere: its timers and streams may
 * be the ones calling. */
#include "slave/jobs/job.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "slave/jobs/jobdrain.h"
#include "slave/jobs/jobfreeze.h"
#include "slave/jobs/jobhook.h"
#include "slave/jobs/jobpages.h"
#include "slave/jobs/modelpart.h"
#include "slave/launch/taskenv.h"

enum { MODEL_MAX = 4 << 20 };   /* bytes; a larger one is not told */

static const struct jobhook *hook(const struct job *j)
{
    return j->part.node->hook;
}

static int apply(struct job *j, enum job_event e, struct err *err)
{
    enum job_state next;

    if (jobstate_next(j->state, e, &next, err)) {
        err_prefix(err, "job %llu", (unsigned long long)j->part.id);
        return -1;
    }
    if (next != j->state)
        log_debug("job", "%s job=%llu", jobstate_name(next),
                  (unsigned long long)j->part.id);
    j->state = next;
    return 0;
}

/* --------------------------------------------------------------- telling */

static void tell_launched(struct job *j)
{
    Hct__Launched m = HCT__LAUNCHED__INIT;
    uint32_t *pids = calloc(j->ntasks ? j->ntasks : 1, sizeof(*pids));

    for (size_t i = 0; pids && i < j->ntasks; i++)
        pids[i] = j->tasks[i]->why ? 0 : (uint32_t)j->tasks[i]->pid;
    m.job = j->part.id;
    m.pids = pids;
    m.n_pids = pids ? j->ntasks : 0;
    m.at_ns = j->launched_ns;
    uplink_send(j->part.node->uplink, MESSAGE_LAUNCHED, &m);
    free(pids);
    j->told_launched = true;
}

/* Where the job was aborted: the rank, and what is appended. */
static uint32_t abort_place(const struct job *j, struct str *to)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (j->tasks[i]->abort_site) {
            account_place(&j->account, j->tasks[i]->abort_site, to);
            return j->tasks[i]->rank;
        }
    return 0;
}

/* With the model of its tasks; without it if there is no memory for that. */
static void tell_drained(struct job *j)
{
    Hct__Drained m = HCT__DRAINED__INIT;
    struct str place = { 0 };
    struct task **tasks = calloc(j->ntasks + 1, sizeof(*tasks));
    const struct taskset all = { 0 };
    struct modelpart part = {
        .tasks = tasks, .ranks = &all, .account = &j->account,
        .ticks = &j->part.node->ticks, .histograms = true };
    struct str model = { 0 };

    for (; tasks && part.n < j->ntasks; part.n++)
        tasks[part.n] = j->tasks[part.n];
    m.job = j->part.id;
    if (jobpages_any(j) && part.n &&
        modelpart_make(&part, &model, NULL) == 0 && model.n <= MODEL_MAX) {
        m.model.data = (uint8_t *)model.s;
        m.model.len = model.n;
    }
    m.abort_rank = abort_place(j, &place);
    if (place.s)
        m.abort_place = place.s;
    uplink_send(j->part.node->uplink, MESSAGE_DRAINED, &m);
    j->told_drained = true;
    str_fini(&place);
    str_fini(&model);
    free(tasks);
}

void job_tell(struct job *j, bool again)
{
    if (again) {
        j->told_prepared = j->told_launched = j->told_drained = false;
        for (size_t i = 0; i < j->ntasks; i++)
            j->tasks[i]->told = 0;
        for (size_t i = 0; i < j->ntasks; i++)
            j->tasks[i]->held_news = j->tasks[i]->held_ns != 0;
        for (size_t i = 0; i < j->ntasks; i++)
            j->tasks[i]->share_news = j->tasks[i]->share.applied;
    }
    if (!j->told_prepared && (j->refusal || j->state > JOB_PREPARING)) {
        part_tell_prepared(&j->part, j->refusal);
        j->told_prepared = true;
    }
    if (j->launched && !j->told_launched)
        tell_launched(j);
    for (size_t i = 0; j->told_launched && i < j->ntasks; i++)
        task_tell(j->tasks[i], j->part.node, j->part.id);
    if (j->state == JOB_DRAINED && !j->told_drained &&
        (j->asked || !j->refusal))
        tell_drained(j);
}

/* ------------------------------------------------------------- preparing */

static void refuse(struct job *j, const char *why)
{
    if (j->state != JOB_PREPARING)
        return;
    j->refusal = strdup(why);
    log_info("job", "not prepared job=%llu: %s", (unsigned long long)j->part.id,
             why);
    apply(j, JOB_EVENT_REFUSED, NULL);
    job_tell(j, false);
}

static void maybe_prepared(struct job *j)
{
    if (j->state != JOB_PREPARING || !j->pmix_ready || !j->streams_ready)
        return;
    apply(j, JOB_EVENT_PREPARED, NULL);
    job_tell(j, false);
}

void job_registered(struct job *j, const char *why)
{
    char text[300];

    if (hook(j) && hook(j)->registered(j, why))
        return;
    if (why) {
        snprintf(text, sizeof(text), "%s: PMIx does not take the job: %s",
                 j->part.node->name, why);
        refuse(j, text);
        return;
    }
    j->pmix_ready = true;
    maybe_prepared(j);
}

static void on_streams_ready(void *arg, const struct err *why)
{
    struct job *j = arg;
    char text[sizeof(why->text) + 300];

    if (why) {
        snprintf(text, sizeof(text), "%s cannot reach hector-run for the "
                 "tasks' output: %s", j->part.node->name, why->text);
        refuse(j, text);
        return;
    }
    j->streams_ready = true;
    maybe_prepared(j);
}

static void on_streams_moved(void *arg)
{
    struct job *j = arg;

    if (hook(j))
        hook(j)->look(j);
    if (j->state == JOB_DRAINING)
        jobdrain_look(j);
}

static void before_output(void *arg, uint32_t rank)
{
    jobpages_before_output(arg, rank);
}

static const struct streams_ops streams_ops = {
    .ready = on_streams_ready, .lost = on_streams_moved,
    .moved = on_streams_moved, .before = before_output,
};

void job_admit(struct job *j, unsigned n)
{
    schedule_admit(&j->plan->schedule, n);
}

void job_reserved(struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (!j->tasks[i]->reserve.runtime_ns)
            return;
    schedule_part(&j->plan->schedule, UINT_MAX);
}

int job_add_task(struct job *j, uint32_t rank)
{
    struct task *t;

    if (array_reserve(&j->tasks, &j->tasks_cap, j->ntasks + 1) ||
        !(t = malloc(sizeof(*t))))
        return -1;
    task_init(t, j->part.id, rank, reading_window(j->part.node->reading));
    task_reserve(t, j->part.node, j->plan);
    j->tasks[j->ntasks++] = t;
    return 0;
}

int job_insert_task(struct job *j, struct task *t)
{
    size_t at = j->ntasks;

    if (array_reserve(&j->tasks, &j->tasks_cap, j->ntasks + 1))
        return -1;
    for (; at > 0 && j->tasks[at - 1]->rank > t->rank; at--)
        j->tasks[at] = j->tasks[at - 1];
    j->tasks[at] = t;
    j->ntasks++;
    return 0;
}

void job_remove_task(struct job *j, uint32_t rank)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (j->tasks[i]->rank == rank) {
            task_unreserve(j->tasks[i], j->part.node);
            task_fini(j->tasks[i]);
            free(j->tasks[i]);
            j->ntasks--;
            schedule_part(&j->plan->schedule, 1);
            memmove(j->tasks + i, j->tasks + i + 1,
                    (j->ntasks - i) * sizeof(*j->tasks));
            return;
        }
}

struct task *job_task(const struct job *j, uint32_t rank)
{
    size_t from = 0, to = j->ntasks;

    while (from < to) {
        size_t at = from + (to - from) / 2;

        if (j->tasks[at]->rank == rank)
            return j->tasks[at];
        if (j->tasks[at]->rank < rank)
            from = at + 1;
        else
            to = at;
    }
    return NULL;
}

static int make_tasks(struct job *j, struct err *err)
{
    const struct taskset *here = &plan_here(j->plan)->ranks;

    if (array_reserve(&j->tasks, &j->tasks_cap, 1))
        return err_memory(err);
    for (int64_t r = -1; (r = taskset_next(here, r)) >= 0; )
        if (job_add_task(j, (uint32_t)r))
            return err_memory(err);
    j->awaits = j->ntasks == 0;
    return 0;
}

static int begin(struct job *j, const Hct__Prepare *m, struct err *err)
{
    struct node *node = j->part.node;
    char dir[PATHS_MAX];

    j->plan = plan_create(m, err);
    j->part.ntasks = j->plan ? j->plan->ntasks : 0;
    if (!j->plan || make_tasks(j, err) || !node_pmix(node, err) ||
        launch_user_init(&j->user, j->plan->uid, j->plan->gid, err) ||
        site_job_open(node->site, j->plan, dir, err))
        return -1;
    j->streams = streams_open(node->base, j->plan, node->conn, node->name,
                              node->instance, &streams_ops, j, err);
    if (!j->streams)
        return -1;
    j->pmix_ready = j->awaits;  /* where no task is nobody asks PMIx */
    return j->awaits ? 0 : pmixd_register(node_pmix_now(node), j->plan, dir,
                                          err);
}

/* What is left behind is looked at: is it gone? */
static void on_drain(evutil_socket_t fd, short what, void *arg)
{
    struct job *j = arg;

    (void)fd, (void)what;
    if (j->state == JOB_DRAINING && jobdrain_is_over(j)) {
        apply(j, JOB_EVENT_FLUSHED, NULL);
        job_tell(j, false);
    }
    if (j->state != JOB_DRAINED) {
        jobdrain_look_again(j);
        return;
    }
    jobdrain_look_no_more(j);
    if (j->part.node->orphaned)
        j->done(j->done_arg, j);        /* may free j: the last act */
}

static void job_destroy(struct part *p);
static const struct part_ops job_ops;

struct job *job_of(struct part *p)
{
    return p && p->ops == &job_ops ? (struct job *)p : NULL;
}

struct part *job_create(struct node *node, const Hct__Prepare *m,
                        void (*done)(void *arg, struct job *j), void *arg,
                        struct err *err)
{
    struct job *j = calloc(1, sizeof(*j));
    char why[sizeof(err->text) + 300];

    if (!j)
        return err_memory(err), NULL;
    j->part = (struct part){ .ops = &job_ops, .node = node, .id = m->job,
                             .prompt = m->prompt,
                             .user = &j->user, .peek = &j->peek };
    j->peek.user = &j->user;
    j->done = done;
    j->done_arg = arg;
    j->drain = jobdrain_create(j, on_drain);
    if (!j->drain) {
        job_destroy(&j->part);
        return err_memory(err), NULL;
    }
    if (begin(j, m, err)) {
        snprintf(why, sizeof(why), "%s: %s", node->name, err->text);
        refuse(j, why);
    }
    return &j->part;
}

/* ------------------------------------------------- what it gets of processors */

static void prioritize_one(void *arg, pid_t pid, size_t task)
{
    (void)task;                 /* whosever it is */
    schedule_process(arg, pid);
}

/* All processes of its tasks. */
struct processes {
    struct sweep_job who;
    pid_t *groups;              /* owned */
    char job_mark[64], slave_mark[PATHS_MAX + 32];
};

static void find_processes(struct processes *p, const struct job *j)
{
    struct taskenv env = { .plan = j->plan,
                           .tasks_socket = site_socket(j->part.node->site) };
    const struct stacker *stacker = j->part.node->stacker;

    p->groups = calloc(j->ntasks + 1, sizeof(*p->groups));
    p->who = (struct sweep_job){ .groups = p->groups,
                                 .marks = { p->job_mark, p->slave_mark },
                                 .spares = { stacker_child(stacker),
                                             stacker_slices(stacker) } };
    for (size_t i = 0; p->groups && i < j->ntasks; i++)
        if (j->tasks[i]->pid > 0 && !j->tasks[i]->over)
            p->groups[p->who.ngroups++] = j->tasks[i]->pid;
    taskenv_marks(&env, p->job_mark, sizeof(p->job_mark), p->slave_mark,
                  sizeof(p->slave_mark));
}

void job_each_process(struct job *j, void (*f)(void *arg, pid_t pid, size_t task),
                      void *arg)
{
    struct processes p;

    find_processes(&p, j);
    sweep_each(&p.who, f, arg);
    free(p.groups);
}

static int weigh(const struct job *j, struct err *err)
{
    struct processes p;
    int rc;

    find_processes(&p, j);
    rc = weight_give(&j->part.node->weight, j->part.id, &p.who, j->weight, err);
    free(p.groups);
    return rc;
}

/* Those that its tasks have alone. */
static void part_with_processors(struct job *j)
{
    if (j->plan)
        schedule_part(&j->plan->schedule, UINT_MAX);
}

static void unweigh(struct job *j)
{
    if (j->weight)
        weight_take_back(&j->part.node->weight, j->part.id);
    j->weight = 0;
}

/* Steps of nice that its tasks lack. */
static int lacks(const struct job *j)
{
    const struct schedule *s = &j->plan->schedule;
    int most = 0;

    for (size_t i = 0; i < j->ntasks; i++) {
        const struct task *t = j->tasks[i];

        if (t->share.applied && !t->over && t->share.nice - s->nice > most)
            most = t->share.nice - s->nice;
    }
    return s->want.class == PRIORITY_NORMAL && s->want.n > 0 ? most : 0;
}

/* What nice(2) was not allowed to do. */
static void weigh_job(struct job *j)
{
    struct weight *w = &j->part.node->weight;
    bool known = w->known;
    int steps = lacks(j);
    struct err err;

    if (!steps) {
        unweigh(j);
        return;
    }
    if (weight_open(w, &err)) {
        if (!known)
            log_info("job", "no weights of control groups: %s", err.text);
        return;
    }
    j->weight = weight_of(w->version, (unsigned)j->ntasks, steps);
    if (weigh(j, &err)) {
        j->weight = 0;
        log_info("job", "no weight job=%llu: %s",
                 (unsigned long long)j->part.id, err.text);
    }
    for (size_t i = 0; j->weight && i < j->ntasks; i++)
        task_weighed(j->tasks[i]);
}

/* ---------------------------------------------------------------- destroying */

static bool torn(const struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (tally_in_fence(&j->tasks[i]->tally))
            return true;
    return false;
}

static void job_destroy(struct part *p)
{
    struct job *j = job_of(p);

    if (hook(j))
        hook(j)->destroy(j);
    if (j->plan) {
        exchange_drop(j->part.node->exchange, j->part.id);
        if (node_pmix_now(j->part.node))
            pmixd_deregister(node_pmix_now(j->part.node), j->part.id, torn(j));
        site_job_close(j->part.node->site, j->part.id);
    }
    streams_close(j->streams, &j->part.node->linkdrain);
    part_with_processors(j);
    jobfreeze_release(j, NULL);
    unweigh(j);
    for (size_t i = 0; i < j->ntasks; i++) {
        task_unreserve(j->tasks[i], j->part.node);
        task_fini(j->tasks[i]);
        free(j->tasks[i]);
    }
    free(j->tasks);
    account_fini(&j->account);
    launch_user_fini(&j->user);
    plan_destroy(j->plan);
    free(j->refusal);
    jobdrain_destroy(j->drain);
    free(j);
}

/* ------------------------------------------------------------- launching */

static bool all_over(const struct job *j)
{
    if (j->state == JOB_RUNNING && hook(j) && hook(j)->awaits(j))
        return false;
    for (size_t i = 0; i < j->ntasks; i++)
        if (!j->tasks[i]->over)
            return false;
    return true;
}

/* After something has happened to a task. */
void job_look(struct job *j)
{
    if (!j->launched) {
        for (size_t i = 0; i < j->ntasks; i++)
            if (j->tasks[i]->report >= 0)
                return;
        j->launched = true;
        j->launched_ns = clock_wall_ns();
        apply(j, JOB_EVENT_LAUNCHED, NULL);
        if (j->plan)
            weigh_job(j);
    }
    job_tell(j, false);
    if (all_over(j) &&
        (j->state == JOB_RUNNING || j->state == JOB_TERMINATING)) {
        apply(j, JOB_EVENT_EXITED, NULL);
        part_with_processors(j);
        if (hook(j))
            hook(j)->ended(j);
        jobdrain_begin(j);
    }
}

static void on_report(evutil_socket_t fd, short what, void *arg)
{
    struct job *j = arg;

    (void)what;
    for (size_t i = 0; i < j->ntasks; i++)
        if (j->tasks[i]->report == (int)fd) {
            task_report(j->tasks[i], j->plan);
            break;
        }
    job_look(j);
}

/* The value of PATH in an environment that is a plain list. */
static const char *path_in(char *const *env)
{
    for (; env && *env; env++)
        if (!strncmp(*env, "PATH=", 5))
            return *env + 5;
    return NULL;
}

/* The tasks of one program. */
static void start_app(struct job *j, const struct plan_app *app,
                      const struct taskenv *env)
{
    struct exec_search search;
    struct task_start start = {
        .node = j->part.node, .plan = j->plan, .user = &j->user,
        .search = &search, .env = env, .streams = j->streams,
        .report = on_report, .report_arg = j };
    struct err err;
    int rc = exec_search_init(&search, app->argv, path_in(app->env), &err);

    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (plan_app(j->plan, t->rank) != app)
            continue;
        if (rc)
            task_fail(t, &start, err.text);
        else
            task_start(t, &start);
    }
    if (!rc)
        exec_search_fini(&search);
}

/* The tasks of a checkpoint. */
static void start_again(struct job *j)
{
    struct task_start start = {
        .node = j->part.node, .plan = j->plan, .user = &j->user,
        .streams = j->streams, .report = on_report, .report_arg = j };
    char file[PATHS_MAX];

    start.file = file;
    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (snprintf(file, sizeof(file), "%s/rank-%u.image", j->plan->restore,
                     t->rank) < (int)sizeof(file))
            task_start_again(t, &start, site_socket(j->part.node->site));
        else
            task_fail(t, &start, "the name of its image is too long");
    }
}

static int job_launch(struct part *p, struct err *err)
{
    struct job *j = job_of(p);
    char shm[PATHS_MAX];
    struct taskenv env;

    if (j->launched || j->state == JOB_LAUNCHING)
        return 0;               /* the master has not heard of it */
    if (apply(j, JOB_EVENT_LAUNCH, err))
        return -1;
    site_env(j->part.node->site, j->plan, shm, &env);
    job_admit(j, (unsigned)j->ntasks);
    if (j->plan->restore)
        start_again(j);
    for (size_t a = 0; !j->plan->restore && a < j->plan->napps; a++)
        start_app(j, &j->plan->apps[a], &env);
    streams_start_input(j->streams);
    job_look(j);
    return 0;
}

/* ----------------------------------------------------- signals and the end */

static int parse_ranks(const struct job *j, const char *text,
                       struct taskset *set, struct err *err)
{
    if (!j->plan)
        return 0;
    return taskset_parse(set, *text ? text : "all", j->part.ntasks, err);
}

/* To the groups of all tasks in the set; whom we have suspended stays so. */
static void signal_set(struct job *j, const struct taskset *set, int sig)
{
    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (!taskset_has(set, t->rank) ||
            (sig == SIGCONT && t->held && !t->by_others))
            continue;
        if (sig == SIGCONT)
            task_go_on(t);
        task_signal(t, sig);
    }
}

/* In version 2 whoever is let go comes to the group that this slave is in. */
static void unfreeze(struct job *j, const struct taskset *set)
{
    struct err err;

    jobfreeze_release(j, set);
    if (j->weight && j->part.node->weight.version == 2)
        weigh(j, &err);
}

static void hold_set(struct job *j, const struct taskset *set, bool release)
{
    if (release)
        unfreeze(j, set);
    for (size_t i = 0; i < j->ntasks; i++)
        if (taskset_has(set, j->tasks[i]->rank))
            task_hold(j->tasks[i], release);
    if (!release)
        jobfreeze_hold(j, set);
}

static int job_signal(struct part *p, const char *ranks, int sig,
                      struct err *err)
{
    struct job *j = job_of(p);
    struct taskset set = { 0 };

    if (parse_ranks(j, ranks, &set, err))
        return taskset_fini(&set), -1;
    signal_set(j, &set, sig);
    taskset_fini(&set);
    return 0;
}

static int job_hold(struct part *p, const char *ranks, Hct__HoldOrder order,
                    struct err *err)
{
    struct job *j = job_of(p);
    struct taskset set = { 0 };

    if (parse_ranks(j, ranks, &set, err))
        return taskset_fini(&set), -1;
    hold_set(j, &set, order == HCT__HOLD_ORDER__HOLD_RESUME);
    taskset_fini(&set);
    job_tell(j, false);
    return 0;
}

static void change(struct job *j, const struct priority *to)
{
    struct schedule *s = &j->plan->schedule;

    unweigh(j);                 /* no SCHED_RR in a group of version 1 */
    schedule_want(s, to);
    s->asked = true;            /* whoever had something gets it back */
    schedule_part(s, UINT_MAX);
    for (size_t i = 0; i < j->ntasks; i++)
        task_reserve(j->tasks[i], j->part.node, j->plan);
    if (j->state != JOB_RUNNING && j->state != JOB_LAUNCHING)
        return;
    job_admit(j, (unsigned)j->ntasks);
    job_each_process(j, prioritize_one, s);
}

/* Told again, it is answered again. */
static int job_prioritize(struct part *p, const struct priority *to,
                          const struct part_periods *periods, struct err *err)
{
    struct job *j = job_of(p);
    struct schedule *s = j->plan ? &j->plan->schedule : NULL;
    bool others;

    if (!s)
        return 0;
    others = !plan_has_periods(j->plan, periods->v, periods->n);
    if (others && plan_take_periods(j->plan, periods->v, periods->n, err))
        return -1;
    if (others || !priority_equal(&s->want, to))
        change(j, to);
    for (size_t i = 0; s->asked && i < j->ntasks; i++)
        if (j->tasks[i]->report < 0)
            task_shares(j->tasks[i], s);
    weigh_job(j);
    job_tell(j, false);
    return 0;
}

/* Whoever stopped them: a task that is suspended is told of. */
static void continue_set(struct job *j, const struct taskset *set)
{
    unfreeze(j, set);
    for (size_t i = 0; i < j->ntasks; i++)
        if (taskset_has(set, j->tasks[i]->rank) && j->tasks[i]->held)
            task_hold(j->tasks[i], true);
    signal_set(j, set, SIGCONT);
}

/* sig now, KILL when the grace is over. */
static void doom(struct job *j, const struct taskset *set, int sig,
                 uint64_t grace_ns)
{
    uint64_t at_ns = clock_monotonic_ns() + grace_ns;

    if (grace_ns)
        signal_set(j, set, sig);
    continue_set(j, set);
    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (taskset_has(set, t->rank) && (!t->kill_ns || at_ns < t->kill_ns))
            t->kill_ns = at_ns;
    }
    jobdrain_kill(j);
}

static int job_terminate(struct part *p, const char *ranks, int sig,
                         uint64_t grace_ns, struct err *err)
{
    struct job *j = job_of(p);
    struct taskset set = { 0 };

    if (parse_ranks(j, ranks, &set, err))
        return taskset_fini(&set), -1;
    if (j->plan && taskset_count(&set) < j->part.ntasks) {
        doom(j, &set, sig, grace_ns);   /* not the end of the job */
        taskset_fini(&set);
        return 0;
    }
    if (apply(j, JOB_EVENT_TERMINATE, err))
        return taskset_fini(&set), -1;
    j->asked = true;            /* so it does not know */
    j->told_drained = false;
    if (hook(j))
        hook(j)->drop(j);
    if (j->state == JOB_TERMINATING)
        doom(j, &set, sig, grace_ns);
    else if (j->state == JOB_DRAINING)
        jobdrain_begin(j);
    if (j->state == JOB_DRAINING && grace_ns == 0 && j->streams)
        streams_abandon(j->streams);    /* whoever was to read it */
    taskset_fini(&set);
    job_look(j);
    return 0;
}

static int job_forget(struct part *p, struct err *err)
{
    return apply(job_of(p), JOB_EVENT_FORGET, err);
}

bool job_reaped(struct job *j, pid_t pid, int status,
                const struct reap_usage *usage)
{
    if (hook(j) && hook(j)->reaped(j, pid, status, usage))
        return true;
    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (t->pid != pid || t->over)
            continue;
        task_report(t, j->plan);
        jobpages_read(j);      /* for the last tag */
        task_reaped(t, j->part.node, status, usage);
        if (j->told_launched) {
            part_tell_last_use(&j->part, t);
            jobpages_account_last(j, t);
        }
        job_look(j);
        return true;
    }
    return false;
}

bool job_stood(struct job *j, pid_t pid, int sig, uint64_t ago_ns)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (j->tasks[i]->pid == pid) {
            if (!sig && task_stood_unseen(j->tasks[i], j->part.node, ago_ns))
                job_tell(j, false);
            if (task_stood(j->tasks[i], sig))
                job_tell(j, false);
            return true;
        }
    return false;
}

/* --------------------------------------------------------------- as a part */

static int job_ack(struct part *p, uint32_t rank, uint64_t upto,
                   struct err *err)
{
    struct job *j = job_of(p);

    if (jobpages_ack(j, rank, upto, err))
        return -1;
    if (hook(j))
        hook(j)->look(j);
    if (j->state == JOB_DRAINING)
        jobdrain_look(j);
    return 0;
}

static void job_each(struct part *p, enum part_tasks which, taskwalk_f *step,
                     void *to)
{
    struct job *j = job_of(p);

    (void)which;                /* the master knows them all */
    for (size_t i = 0; i < j->ntasks; i++)
        step(to, j->tasks[i]);
}

static struct task *job_find_task(struct part *p, uint32_t rank)
{
    return job_task(job_of(p), rank);
}

static struct account *job_account(struct part *p)
{
    return &job_of(p)->account;
}

static size_t job_numbers(const struct part *p, uint64_t *ids, size_t max)
{
    if (max)
        *ids = p->id;
    return 1;
}

static void job_answer(struct part *p)
{
    job_tell(job_of(p), true);
}

static void job_tell_all(struct part *p)
{
    const struct jobhook *of = p->node->hook;
    bool new = uplink_new_master(p->node->uplink);

    if (of && new)
        of->release(job_of(p));
    jobpages_again(job_of(p));
    job_tell(job_of(p), true);
    if (of && !new)
        of->tell(job_of(p));
}

static bool job_output_waits(const struct part *p)
{
    const struct job *j = (const struct job *)p;

    return j->state == JOB_DRAINING && j->streams &&
           !streams_flushed(j->streams);
}

static long job_read(struct part *p)
{
    return jobpages_read(job_of(p));
}

static bool job_has_pages(const struct part *p)
{
    return jobpages_any((const struct job *)p);
}

static void job_use(struct part *p, struct task *t, struct sample_proc *out)
{
    (void)p;
    jobpages_use(t, out);
}

static void job_sample(struct part *p)
{
    if (job_of(p)->told_launched)
        part_tell_use(p);
}

static bool job_orphan(struct part *p, uint64_t grace_ns)
{
    struct err err;

    if (job_of(p)->state == JOB_DRAINED)
        return true;
    if (job_terminate(p, "all", SIGTERM, grace_ns, &err))
        log_warn("jobs", "%s", err.text);
    return false;
}

static const struct part_ops job_ops = {
    .ours = true,
    .launch = job_launch, .signal = job_signal, .hold = job_hold,
    .prioritize = job_prioritize, .terminate = job_terminate,
    .forget = job_forget, .ack = job_ack, .each = job_each,
    .task = job_find_task, .account = job_account,
    .use = job_use, .numbers = job_numbers, .answer = job_answer,
    .tell = job_tell_all, .output_waits = job_output_waits, .read = job_read,
    .has_pages = job_has_pages, .sample = job_sample, .orphan = job_orphan,
    .destroy = job_destroy,
};
