/* task.c - one task of a job on this node.
 *
 * Invariant: report >= 0 means that the outcome of exec is not known; it is
 * before the task counts as exited, because the reaping of a task asks for
 * its report first. */
#include "slave/jobs/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/pipes.h"
#include "proto/base/signals.h"
#include "slave/jobs/look.h"
#include "slave/launch/pty.h"
#include "slave/launch/taskenv.h"
#include "slave/page/state.h"
#include "slave/proc/delay.h"
#include "slave/proc/threads.h"
#include "slave/proc/ticks.h"

void task_init(struct task *t, uint64_t job, uint32_t rank,
               struct records_window *window)
{
    memset(t, 0, sizeof(*t));
    t->rank = rank;
    t->report = t->terminal = t->words = -1;
    tally_init(&t->tally, job, rank, window);
}

static void let_go_of_terminal(struct task *t)
{
    if (t->terminal >= 0)
        close(t->terminal);
    t->terminal = -1;
}

void task_fini(struct task *t)
{
    let_go_of_terminal(t);
    if (t->words >= 0)
        close(t->words);
    if (t->report_event)
        event_free(t->report_event);
    if (t->report >= 0)
        close(t->report);
    free(t->why);
    free(t->abort_text);
    free(t->abort_ranks);
    look_task_free(t->look);
    free(t->glanced.kept);
    free(t->stance);
    free(t->share_why);
    tally_fini(&t->tally);
    effort_fini(&t->effort);
}

/* ------------------------------------------------------------- starting */

static void could_not_start(struct task *t, const struct plan *plan, int code,
                            const char *why)
{
    free(t->why);
    t->why = strdup(why);
    t->code = code;
    log_info("task", "not started job=%llu rank=%u: %s",
             (unsigned long long)plan->job, t->rank, why);
}

struct pipes {
    int task[3];                /* what the task gets; to be closed after */
    int in, out, err;           /* our ends, non-blocking; -1: none */
    bool terminal;              /* out is one, and all of task its end */
};

static void close_pipes(struct pipes *p, int null_fd)
{
    for (int i = 0; i < 3; i++)
        if (p->task[i] >= 0 && p->task[i] != null_fd &&
            !(i > 0 && p->task[i] == p->task[i - 1]))
            close(p->task[i]);
}

static int open_terminal(struct pipes *p, const struct task_start *s,
                         struct err *err)
{
    *p = (struct pipes){ { -1, -1, -1 }, -1, -1, -1, true };
    if (pty_open(&p->out, &p->task[0], &s->plan->window, s->user->uid, err))
        return -1;
    p->task[1] = p->task[2] = p->task[0];
    return 0;
}

static int open_pipes(struct pipes *p, const struct task *t,
                      const struct task_start *s, struct err *err)
{
    if (s->plan->has_terminal && taskset_has(&s->plan->stdin_ranks, t->rank))
        return open_terminal(p, s, err);
    *p = (struct pipes){ { site_null(s->node->site), -1, -1 }, -1, -1, -1,
                          false };
    if ((taskset_has(&s->plan->stdin_ranks, t->rank) &&
         pipes_open(&p->task[0], &p->in, false)) ||
        pipes_open(&p->out, &p->task[1], true) ||
        (!s->plan->merge_stderr && pipes_open(&p->err, &p->task[2], true))) {
        err_sys(err, "cannot make pipes");
        close_pipes(p, site_null(s->node->site));
        close(p->in);
        close(p->out);
        close(p->err);
        return -1;
    }
    if (s->plan->merge_stderr)
        p->task[2] = p->task[1];
    return 0;
}

/* Hand our ends to the streams, which take them also when they fail. */
static int connect_pipes(const struct pipes *p, const struct task *t,
                         const struct task_start *s, struct err *err)
{
    int rc = 0;

    if (p->in >= 0 && (s->image || s->file))
        rc |= streams_feed_later(s->streams, t->rank, p->in, err);
    else if (p->in >= 0)
        rc |= streams_feed(s->streams, t->rank, p->in, err);
    if (p->terminal)
        rc |= streams_terminal(s->streams, t->rank, p->out, err);
    else
        rc |= streams_watch(s->streams, t->rank, HCT__STREAM__STREAM_STDOUT,
                            p->out, err);
    if (p->err >= 0)
        rc |= streams_watch(s->streams, t->rank, HCT__STREAM__STREAM_STDERR,
                            p->err, err);
    else if (!s->image)         /* that was said where it was started */
        streams_end(s->streams, t->rank, HCT__STREAM__STREAM_STDERR);
    return rc;
}

static int make_env(struct env *env, const struct task *t,
                    const struct task_start *s, struct err *err)
{
    if (taskenv_begin(env, plan_app(s->plan, t->rank)))
        return err_memory(err);
    if (pmixd_setup_env(node_pmix_now(s->node), s->plan->job, t->rank, env, err))
        return -1;
    if (taskenv_finish(env, s->env, t->rank))
        return err_memory(err);
    return 0;
}

static int fork_it(struct task *t, const struct task_start *s,
                   struct env *env, struct err *err)
{
    struct launch_spec spec = {
        .search = s->search, .user = s->user, .pass = { s->image, s->words },
        .schedule = &s->plan->schedule,
        .wdir = s->image || s->file ? "/" : plan_app(s->plan, t->rank)->wdir };
    struct pipes pipes;

    if (open_pipes(&pipes, t, s, err))
        return -1;
    memcpy(spec.fds, pipes.task, sizeof(spec.fds));
    spec.terminal = pipes.terminal;
    if (taskenv_output(env, pipes.task[1])) {
        err_memory(err);
        t->pid = -1;
    } else {
        spec.env = env->v;
        t->pid = launch_start(&spec, &t->report, err);
    }
    if (pipes.terminal && t->pid > 0)
        t->terminal = fcntl(pipes.task[0], F_DUPFD_CLOEXEC, 0);
    close_pipes(&pipes, site_null(s->node->site));
    if (t->pid < 0) {
        t->pid = 0;
        close(pipes.in);
        close(pipes.out);
        close(pipes.err);
        return -1;
    }
    if (connect_pipes(&pipes, t, s, err))
        log_warn("task", "a stream of task %u is lost: %s", t->rank,
                 err->text);
    return 0;
}

void task_fail(struct task *t, const struct task_start *s, const char *why)
{
    char text[512];

    snprintf(text, sizeof(text), "%s: cannot start %s: %s", s->node->name,
             plan_app(s->plan, t->rank)->argv[0], why);
    could_not_start(t, s->plan, 126, text);
    t->over = true;
    t->facts |= TASK_EXITED;
    t->exited_ns = clock_wall_ns();
    streams_end(s->streams, t->rank, HCT__STREAM__STREAM_STDOUT);
    streams_end(s->streams, t->rank, HCT__STREAM__STREAM_STDERR);
}

void task_start(struct task *t, const struct task_start *s)
{
    struct env env = { 0 };
    struct err err = { 0 };

    t->yields = *s->env->yield && plan_yields(s->plan);
    if (make_env(&env, t, s, &err) || fork_it(t, s, &env, &err)) {
        task_fail(t, s, err.text);
    } else {
        t->report_event = event_new(s->node->base, t->report, EV_READ,
                                    s->report, s->report_arg);
        if (t->report_event)
            event_add(t->report_event, NULL);
        log_info("task", "started job=%llu rank=%u pid=%d",
                 (unsigned long long)s->plan->job, t->rank, (int)t->pid);
    }
    env_fini(&env);
}

int task_restore(struct task *t, const struct task_start *s,
                 const char *tell, struct err *err)
{
    char program[PATHS_MAX], from[16], words[16], told[PATHS_MAX + 24];
    const char *rooms = s->rooms ? s->rooms : "";
    char *argv[] = { program, (char *)"--report", words, (char *)"--tell", told,
                     s->file ? (char *)"--cut" : (char *)"--room",
                     (char *)(uintptr_t)(s->file ? s->file : rooms),
                     s->file ? NULL : from, NULL };
    char *no_env[] = { NULL };
    struct env env = { 0 };
    struct exec_search search;
    struct task_start start = *s;
    int rc;

    snprintf(from, sizeof(from), "fd:%d", s->image);
    snprintf(words, sizeof(words), "fd:%d", s->words);
    snprintf(told, sizeof(told), "%s %llu", tell,
             (unsigned long long)s->plan->job);
    if (paths_sibling("hector-restore", program, sizeof(program), err))
        return -1;
    if (exec_search_init(&search, argv, NULL, err))
        return -1;
    start.search = &search;
    rc = env_copy(&env, no_env) ? err_memory(err) : fork_it(t, &start, &env, err);
    env_fini(&env);
    exec_search_fini(&search);
    if (rc)
        return -1;
    t->report_event = event_new(s->node->base, t->report, EV_READ, s->report,
                                s->report_arg);
    if (t->report_event)
        event_add(t->report_event, NULL);
    return t->report_event ? 0 : err_memory(err);
}

void task_start_again(struct task *t, const struct task_start *s,
                      const char *tell)
{
    struct task_start start = *s;
    struct err err = { 0 };

    if (pipes_open(&t->words, &start.words, true)) {
        err_sys(&err, "cannot make a pipe");
        task_fail(t, s, err.text);
        return;
    }
    t->restoring = true;
    if (task_restore(t, &start, tell, &err))
        task_fail(t, s, err.text);
    close(start.words);
}

void task_restored(struct task *t)
{
    t->restoring = false;
    t->nconnected = 1;
    t->facts |= TASK_IN_INIT | TASK_CONNECTED;
}

/* What is in its page is half of another one's. */
static void not_restored(struct task *t, const char *node, int status)
{
    char why[512], words[400];
    ssize_t n = read(t->words, words, sizeof(words) - 1);

    t->restoring = false;
    tally_forget_page(&t->tally);
    if (n <= 0 && (!WIFEXITED(status) || WEXITSTATUS(status) == 0))
        return;
    words[n > 0 ? n : 0] = '\0';
    snprintf(why, sizeof(why), "%s: the image rank-%u.image %s", node, t->rank,
             n > 0 ? words : "is one that hector-restore ends with");
    free(t->why);
    t->why = strdup(why);
    t->code = 125;
}

bool task_report(struct task *t, const struct plan *plan)
{
    const struct plan_app *app = plan_app(plan, t->rank);
    struct exec_report r;
    char why[512];
    int rc;

    if (t->report < 0)
        return true;
    rc = launch_report(t->report, &r);
    if (rc < 0) {
        event_add(t->report_event, NULL);
        return false;
    }
    if (rc > 0) {
        exec_sentence(&r, plan_here(plan)->name, app->argv[0], app->wdir,
                      why, sizeof(why));
        could_not_start(t, plan, exec_code(&r), why);
    } else if (plan->schedule.asked) {
        task_shares(t, &plan->schedule);
    }
    event_free(t->report_event);
    t->report_event = NULL;
    close(t->report);
    t->report = -1;
    return true;
}

/* --------------------------------------------------------------- running */

void task_shares(struct task *t, const struct schedule *s)
{
    const struct reserve *r = &t->reserve;
    char why[400];

    if (t->pid <= 0 || t->over)
        return;
    schedule_read(s, r->runtime_ns ? r->tid : t->pid, &t->share);
    schedule_why(s, &t->share, r->runtime_ns ? "" : r->why, why, sizeof(why));
    if (*why && reserve_open(r)) {
        size_t n = strlen(why);

        snprintf(why + n, sizeof(why) - n, " until it is known what they need in "
                 "each %.4g ms", (double)r->period_ns / 1e6);
    }
    free(t->share_why);
    t->share_why = *why ? strdup(why) : NULL;
    t->share_news = true;
}

void task_unreserve(struct task *t, struct node *node)
{
    reserve_drop(&t->reserve, &node->reserved);
    t->reserve = (struct reserve){ 0 };
}

/* What waits in MPI by sched_yield(2) gives up what is left of its period each
 * time, unless libhector-yield.so is in between. */
static bool may_reserve(const struct task *t, const struct node *node,
                        const struct plan *plan, char *why, size_t size)
{
    const char *no_yield = site_no_yield(node->site);

    if (plan->migratable)
        snprintf(why, size, "SCHED_DEADLINE is not given to tasks that can be "
                 "moved (--migratable)");
    else if (no_yield)
        snprintf(why, size, "SCHED_DEADLINE is not given: %s", no_yield);
    else if (t->pid > 0 && !t->yields)
        snprintf(why, size, "SCHED_DEADLINE is not given to tasks that were not "
                 "started in class realtime");
    else
        return true;
    return false;
}

void task_reserve(struct task *t, struct node *node, const struct plan *plan)
{
    struct page_header *h = (struct page_header *)(void *)t->tally.page;
    char why[160];

    task_unreserve(t, node);
    if (schedule_reserves(&plan->schedule))
        reserve_init(&t->reserve, &plan->periods, t->rank);
    if (t->reserve.period_ns && !may_reserve(t, node, plan, why, sizeof(why))) {
        t->reserve.period_ns = 0;       /* no instances are looked for */
        reserve_refuse(&t->reserve, why);
    }
    if (h)
        atomic_store(&h->rests, reserve_open(&t->reserve));
}

static void reserve_again(struct task *t, struct node *node)
{
    if (threads_single(t->reserve.tid, (const void *)t->tally.page))
        reserve_ask(&t->reserve, &node->reserved);
    else
        reserve_refuse(&t->reserve, "SCHED_DEADLINE is not given to tasks with "
                       "several threads");
}

bool task_measured(struct task *t, struct node *node, const struct plan *plan,
                   unsigned n)
{
    struct reserve *r = &t->reserve;
    bool had = r->runtime_ns, was_open = reserve_open(r);
    struct delay is;

    delay_read_main(&is, t->tally.pid);
    if (!reserve_measured(r, t->tally.pid, n, is.ran_ns))
        return false;
    reserve_again(t, node);
    if (had == (r->runtime_ns > 0) && was_open == reserve_open(r))
        return false;
    task_shares(t, &plan->schedule);
    return true;
}

void task_weighed(struct task *t)
{
    if (t->pid <= 0 || t->over)
        return;
    t->share.applied = PRIORITY_WEIGHED;
    free(t->share_why);
    t->share_why = NULL;
    t->share_news = true;
}

bool task_signal(const struct task *t, int sig)
{
    if (t->pid <= 0 || t->over)
        return false;
    return kill(-t->pid, sig) == 0;
}

void task_go_on(struct task *t)
{
    struct page_header *h = (struct page_header *)(void *)t->tally.page;

    if (h && t->held && t->held_ticks)
        atomic_fetch_add(&h->stood_ticks, ticks_now(atomic_load(&h->clock)) -
                         t->held_ticks);
    t->held_ticks = 0;
}

void task_hold(struct task *t, bool release)
{
    if (release)
        task_go_on(t);
    if (!task_signal(t, release ? SIGCONT : SIGSTOP))
        return;
    task_held(t, !release);
    t->by_others = false;
}

bool task_stood(struct task *t, int sig)
{
    t->stopped = sig != 0;
    if (t->over || (sig ? t->held || !signals_is_stop(sig) : !t->by_others))
        return false;
    if (!sig)
        task_go_on(t);
    task_held(t, sig != 0);
    t->by_others = sig != 0;
    return true;
}

bool task_stood_unseen(struct task *t, const struct node *node,
                       uint64_t ago_ns)
{
    const struct page_header *h = (const void *)t->tally.page;

    if (t->over || t->held || t->stopped || !ago_ns)
        return false;
    task_held(t, true);
    t->by_others = true;
    t->held_ns -= ago_ns;
    if (h)
        t->held_ticks -= ticks_of(&node->ticks, atomic_load(&h->clock), ago_ns);
    return true;
}

void task_held(struct task *t, bool held)
{
    const struct page_header *h = (const void *)t->tally.page;

    t->held_news = true;
    if (t->held != held || !t->held_ns)
        t->held_ns = clock_wall_ns();
    if (held && !t->held && h)
        t->held_ticks = ticks_now(atomic_load(&h->clock));
    t->held = held;
}

void task_connected(struct task *t)
{
    t->nconnected++;
    t->connected_ns = clock_wall_ns();
    t->facts |= TASK_CONNECTED;
}

void task_finalized(struct task *t)
{
    t->nfinalized++;
    t->finalized_ns = clock_wall_ns();
    t->facts |= TASK_FINALIZED;
}

void task_aborted(struct task *t, int code, const char *text,
                  const char *ranks)
{
    if (t->facts & TASK_ABORTED)
        return;                 /* the first one counts */
    t->abort_code = code;
    t->abort_text = strdup(text);
    t->abort_ranks = strdup(ranks);
    t->facts |= TASK_ABORTED;
}

void task_new_program(struct task *t, const char *mpi, size_t size)
{
    t->world_seen = false;
    snprintf(t->mpi, sizeof(t->mpi), "%.*s", (int)strnlen(mpi, size), mpi);
}

/* Once a program of the task has been where it belongs, others are its own
 * affair: helpers, tools that it calls. */
bool task_check_world(struct task *t, const struct task_given *given)
{
    bool apart = t->facts & TASK_APART, right, news;
    struct state_world w;

    if (t->world_seen || !t->tally.page || !state_world(t->tally.page, &w))
        return false;
    t->world_seen = true;
    right = !given->ntasks ||
            (w.rank == given->rank && w.size == given->ntasks);
    news = right ? apart && !t->world_right : !apart;
    if (news) {
        t->world_rank = w.rank;
        t->world_size = w.size;
        t->world_given = !t->world_right && (!given->nspace ||
                         w.nspace == page_hash(given->nspace));
        t->facts |= TASK_APART;
        t->told &= ~(unsigned)TASK_APART;
    }
    t->world_right |= right;
    return news;
}

/* Which process was killed for memory nobody says, nor what a shell that was not makes
 * of it. */
static bool has_starved(const struct task *t, struct node *node)
{
    return !t->kill_ns && (t->sig == SIGKILL || t->code == 128 + SIGKILL) &&
           node_starved(node);
}

void task_reaped(struct task *t, struct node *node, int status,
                 const struct reap_usage *usage)
{
    t->over = true;
    t->reserve.tid = 0;
    task_unreserve(t, node);
    if (t->restoring)
        not_restored(t, node->name, status);
    let_go_of_terminal(t);
    t->exited_ns = clock_wall_ns();
    if (WIFSIGNALED(status)) {
        t->sig = WTERMSIG(status);
        t->core = WCOREDUMP(status);
    } else if (!t->why) {
        t->code = WEXITSTATUS(status);
    }
    t->starved = has_starved(t, node);
    t->user_ns = (uint64_t)usage->of.ru_utime.tv_sec * CLOCK_NS_PER_S +
                 (uint64_t)usage->of.ru_utime.tv_usec * 1000;
    t->system_ns = (uint64_t)usage->of.ru_stime.tv_sec * CLOCK_NS_PER_S +
                   (uint64_t)usage->of.ru_stime.tv_usec * 1000;
    t->max_rss_bytes = (uint64_t)usage->of.ru_maxrss * 1024;
    if (t->tally.pid == t->pid)         /* else a shell, say, has waited for it */
        t->waited_ns = usage->waited_ns;
    t->facts |= TASK_EXITED;
}

/* --------------------------------------------------------------- telling */

static void tell_state(const struct task *t, const struct node *node,
                       uint64_t job, Hct__TaskState__Kind kind,
                       uint64_t at_ns)
{
    Hct__TaskState m = HCT__TASK_STATE__INIT;

    m.job = job;
    m.rank = t->rank;
    m.kind = kind;
    m.at_ns = at_ns;
    uplink_send(node->uplink, MESSAGE_TASK_STATE, &m);
}

static void tell_apart(const struct task *t, const struct node *node,
                       uint64_t job)
{
    Hct__TaskState m = HCT__TASK_STATE__INIT;

    m.job = job;
    m.rank = t->rank;
    m.kind = HCT__TASK_STATE__KIND__APART;
    m.at_ns = clock_wall_ns();
    m.world_rank = t->world_rank;
    m.world_size = t->world_size;
    m.world_given = t->world_given;
    m.library = (char *)t->mpi;
    uplink_send(node->uplink, MESSAGE_TASK_STATE, &m);
}

static void tell_abort(const struct task *t, const struct node *node,
                       uint64_t job)
{
    Hct__TaskAbort m = HCT__TASK_ABORT__INIT;

    m.job = job;
    m.rank = t->rank;
    m.code = t->abort_code;
    m.call = t->abort_call;
    m.text = t->abort_text ? t->abort_text : m.text;
    m.ranks = t->abort_ranks ? t->abort_ranks : m.ranks;
    uplink_send(node->uplink, MESSAGE_TASK_ABORT, &m);
}

static void tell_exit(const struct task *t, const struct node *node,
                      uint64_t job)
{
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;
    struct sample_page counters;

    tally_counters(&t->tally, &node->ticks, &counters);
    m.job = job;
    m.rank = t->rank;
    m.code = t->code;
    m.signal = t->sig;
    m.core = t->core;
    m.starved = t->starved;
    m.untold = t->untold;
    m.why = t->why ? t->why : m.why;
    m.at_ns = t->exited_ns;
    m.user_ns = t->user_ns;
    m.system_ns = t->system_ns;
    m.max_rss_bytes = t->max_rss_bytes;
    m.waited_ns = t->waited_ns;
    m.mpi_calls = counters.calls;
    m.in_mpi_ns = counters.in_ns;
    m.out_mpi_ns = counters.out_ns;
    m.ring_waits = counters.waits;
    m.ring_lost = counters.lost + t->tally.damaged + t->tally.rings.damaged;
    m.last_tag = (char *)t->tally.last_tag;
    m.finalized = t->nfinalized >= t->nconnected;
    m.orphaned = node->abandoned && t->sig;
    uplink_send(node->uplink, MESSAGE_TASK_EXITED, &m);
}

static void tell_held(const struct task *t, const struct node *node,
                      uint64_t job)
{
    Hct__Held m = HCT__HELD__INIT;

    m.job = job;
    m.rank = t->rank;
    m.held = t->held;
    m.frozen = t->frozen;
    m.at_ns = t->held_ns;
    uplink_send(node->uplink, MESSAGE_HELD, &m);
}

static void tell_share(const struct task *t, const struct node *node,
                       uint64_t job)
{
    Hct__Scheduled m = HCT__SCHEDULED__INIT;

    m.job = job;
    m.rank = t->rank;
    m.sort = t->share.sort;
    m.nice = t->share.nice;
    m.applied = t->share.applied;
    m.why = t->share_why ? t->share_why : m.why;
    uplink_send(node->uplink, MESSAGE_SCHEDULED, &m);
}

void task_tell(struct task *t, const struct node *node, uint64_t job)
{
    unsigned news = t->facts & ~t->told;

    if (news & TASK_IN_INIT)
        tell_state(t, node, job, HCT__TASK_STATE__KIND__IN_MPI_INIT,
                   t->init_ns);
    if (news & TASK_CONNECTED)
        tell_state(t, node, job, HCT__TASK_STATE__KIND__CONNECTED,
                   t->connected_ns);
    if (news & TASK_APART)
        tell_apart(t, node, job);
    if (news & TASK_FINALIZED)
        tell_state(t, node, job, HCT__TASK_STATE__KIND__FINALIZED,
                   t->finalized_ns);
    if (t->held_news)
        tell_held(t, node, job);
    t->held_news = false;
    if (t->share_news)
        tell_share(t, node, job);
    t->share_news = false;
    if (news & TASK_ABORTED)
        tell_abort(t, node, job);
    if (news & TASK_EXITED)
        tell_exit(t, node, job);
    t->told = t->facts;
}

void task_sample(struct task *t, const struct node *node,
                 const struct sample_proc *proc, Hct__TaskSamples__Task *m)
{
    struct sample_split *split = &t->tally.split;
    struct sample_page page;

    hct__task_samples__task__init(m);
    tally_counters(&t->tally, &node->ticks, &page);
    sample_split_add(split, proc->cpu_ns, page.in_ns, page.out_ns);
    m->rank = t->rank;
    m->mpi_calls = page.calls;
    m->in_mpi_ns = page.in_ns;
    m->out_mpi_ns = page.out_ns;
    m->cpu_ns = split->cpu_ns;
    m->cpu_in_mpi_ns = split->cpu_in_ns;
    m->call = page.call;
    m->rss_bytes = proc->rss_bytes;
    m->ring_lost = (uint32_t)(page.lost + t->tally.damaged +
                              t->tally.rings.damaged);
}
