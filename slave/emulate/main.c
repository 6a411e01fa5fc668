/* main.c - hector-emulate: emulated slaves and tasks for a real master, and
 * how long each phase takes: joining, the launch of a job, reductions of call
 * trees (STATBench) or models, samples and events, the end. */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/args.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/link/key.h"
#include "proto/link/timer.h"
#include "slave/emulate/latetask.h"
#include "slave/emulate/oddtask.h"
#include "slave/emulate/options.h"
#include "slave/emulate/ownmaster.h"
#include "slave/emulate/peer.h"
#include "slave/emulate/plan/planshow.h"
#include "slave/emulate/report.h"
#include "slave/emulate/trial/trial.h"
#include "slave/emulate/worker.h"

enum { EXIT_FAILED = 1 };
#define PHASE_NS (300 * CLOCK_NS_PER_S)         /* no phase takes longer */
#define LOOK_NS (2 * CLOCK_NS_PER_MS)
/* Thousands of slaves on one machine are not to spend it on asking each other
 * whether they live; on Unix sockets the kernel tells. */
#define PING_NS (10 * CLOCK_NS_PER_S)

struct world {
    struct emulate options;
    struct event_base *base;            /* owned, like the rest */
    struct ownmaster master;
    const char *address;
    struct conn_conf conn;
    struct key key;
    char dir[PATHS_MAX];
    struct worker workers[EMULATE_WORKERS_MAX];
    struct peer runner, operator;
    struct report report;
    struct str question;        /* of the reductions; empty: they have none */
    struct graph *graph;        /* of --program */
};

static volatile sig_atomic_t told;      /* to end */

static void on_signal(int sig)
{
    told = sig;
}

/* ------------------------------------------------------------------- waiting */

static uint64_t sum(const struct world *w, size_t offset)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < w->options.workers; i++)
        n += *(const volatile uint64_t *)((const volatile char *)
                                          w->workers[i].count + offset);
    return n;
}
#define SUM(w, field) sum(w, offsetof(struct daemon_count, field))

static void on_look(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what, (void)arg;    /* the loop turns: conditions change */
}

static bool joined(const struct world *w)
{
    return SUM(w, joined) >= w->options.daemons && w->runner.welcome &&
           w->operator.welcome;
}

static bool running(const struct world *w)
{
    return w->runner.running;
}

static bool gathered(const struct world *w)
{
    return w->operator.gathered != NULL;
}

static bool ended(const struct world *w)
{
    return w->runner.ended;
}

static bool never(const struct world *w)
{
    (void)w;
    return false;
}

static int worker_lives(const struct world *w, struct err *err)
{
    for (uint32_t i = 0; i < w->options.workers; i++) {
        siginfo_t info = { 0 };

        if (w->workers[i].pid > 0 &&
            waitid(P_PID, (id_t)w->workers[i].pid, &info,
                   WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
            return err_set(err, ECHILD, "a process that plays slaves has "
                           "ended: see above");
    }
    return 0;
}

/* Turn the loop until it is so; how long that took, in ns, or 0 with err. */
static uint64_t until(struct world *w, bool (*is)(const struct world *w),
                      uint64_t at_most_ns, const char *what, struct err *err)
{
    uint64_t start = clock_monotonic_ns(), now_ns = start;
    struct event *look = event_new(w->base, -1, EV_PERSIST, on_look, w);

    err->code = 0;
    if (!look || timer_set(look, LOOK_NS))
        err_memory(err);
    while (!err->code && !is(w) && now_ns - start < at_most_ns) {
        event_base_loop(w->base, EVLOOP_ONCE);
        now_ns = clock_monotonic_ns();
        if (told)
            err_set(err, EINTR, "ended by signal %d", (int)told);
        else if (w->runner.why.code)
            *err = w->runner.why;
        else if (w->operator.why.code)
            *err = w->operator.why;
        else
            worker_lives(w, err);
    }
    timer_free(look);
    if (!err->code && what && !is(w))
        err_set(err, ETIMEDOUT, "%s: not within %d s", what,
                (int)(at_most_ns / CLOCK_NS_PER_S));
    now_ns = clock_monotonic_ns();
    return err->code ? (err_prefix(err, "%s", what ? what : "run"), 0)
                     : now_ns - start + 1;
}

/* -------------------------------------------------------------------- phases */

static int start_daemons(struct world *w, struct err *err)
{
    struct emulate *e = &w->options;

    for (uint32_t i = 0; i < e->workers; i++)
        if (worker_start(&w->workers[i], e, w->address, w->dir, &w->conn, i,
                         err))
            return -1;
    w->base = event_base_new();
    if (!w->base)
        return err_memory(err);
    if (peer_open(&w->runner, w->base, HCT__ROLE__ROLE_REDIRECTOR, w->address,
                  &w->conn, err) ||
        peer_open(&w->operator, w->base, HCT__ROLE__ROLE_OPERATOR, w->address,
                  &w->conn, err))
        return -1;
    w->report.join_ns = until(w, joined, PHASE_NS, "join", err);
    w->report.idle_bytes = ownmaster_rss_bytes(&w->master);
    return w->report.join_ns ? 0 : -1;
}

static int launch(struct world *w, struct err *err)
{
    peer_submit(&w->runner, w->options.daemons * w->options.tasks,
                w->options.tasks, w->options.policy);
    w->report.launch_ns = until(w, running, PHASE_NS, "launch", err);
    w->report.made_ns = SUM(w, made_ns);
    return w->report.launch_ns ? 0 : -1;
}

static uint64_t daemons_cpu_ns(const struct world *w)
{
    uint64_t ns = 0;

    for (uint32_t i = 0; i < w->options.workers; i++)
        ns += clock_process_ns(w->workers[i].pid);
    return ns;
}

static int make_question(struct world *w, struct err *err)
{
    uint64_t start_ns = clock_process_ns(0);

    if (oddtask_ask(&w->options, &w->question, err))
        return -1;
    w->report.question_ns = clock_process_ns(0) - start_ns;
    w->report.question_bytes = w->question.n;
    return 0;
}

static int reduce_once(struct world *w, struct report_merge *m, struct err *err)
{
    static const char *const kinds[] = { [EMULATE_TREE] = "tree",
                                         [EMULATE_MODEL] = "model",
                                         [EMULATE_OUTLIERS] = "scores",
                                         [EMULATE_PROGRESS] = "progress" };
    uint64_t master_ns = ownmaster_cpu_ns(&w->master), asked_ns;
    uint64_t daemons_ns = daemons_cpu_ns(w);
    Hct__Gather ask = HCT__GATHER__INIT;
    const Hct__Gathered *g;

    ask.kind = (char *)kinds[w->options.gather];
    ask.argument.data = (uint8_t *)w->question.s;
    ask.argument.len = w->question.n;
    ask.job = w->runner.job;
    ask.wait_ns = w->options.wait_ns;
    ask.fan_out = w->options.fan_out;
    ask.levels = w->options.levels;
    peer_gather(&w->operator, &ask);
    asked_ns = until(w, gathered, PHASE_NS, "merge", err);
    if (!asked_ns)
        return -1;
    m->asked_ns += asked_ns;
    m->cpu_master_ns += ownmaster_cpu_ns(&w->master) - master_ns;
    m->cpu_daemons_ns += daemons_cpu_ns(w) - daemons_ns;
    g = w->operator.gathered;
    m->took_ns += g->took_ns;
    m->own_ns += g->own_ns;
    m->path_ns += g->merge_ns;
    m->master_ns += g->master_ns;
    m->finish_ns += g->finish_ns;
    m->received_bytes += g->received_bytes;
    m->messages += g->messages;
    m->result_bytes += g->result_bytes;
    m->levels = g->levels;
    m->fan_out = g->fan_out;
    return 0;
}

/* The policy progress asks twice: the second question comes of the first answer. */
static int reduce_twice(struct world *w, struct report_merge *m, struct err *err)
{
    const struct str *bytes = &w->operator.bytes;
    struct whereabouts *are;
    int rc;

    str_reset(&w->question);
    if (latetask_ask(NULL, &w->question, err) || reduce_once(w, m, err))
        return -1;
    are = whereabouts_read((const uint8_t *)str_text(bytes), bytes->n,
                           w->options.daemons * w->options.tasks, err);
    str_reset(&w->question);
    rc = are ? latetask_ask(are, &w->question, err) : -1;
    free(are);
    w->report.question_bytes = w->question.n;
    return rc ? -1 : reduce_once(w, m, err);
}

static int reduce(struct world *w, struct report_merge *m, struct err *err)
{
    *m = (struct report_merge){ 0 };
    if (w->options.gather == EMULATE_PROGRESS)
        return reduce_twice(w, m, err);
    if (w->options.gather == EMULATE_OUTLIERS && !w->question.n &&
        make_question(w, err))
        return -1;
    return reduce_once(w, m, err);
}

static int by_time(const void *a, const void *b)
{
    const struct report_merge *x = a, *y = b;

    return (x->asked_ns > y->asked_ns) - (x->asked_ns < y->asked_ns);
}

static int reductions(struct world *w, struct err *err)
{
    uint32_t n = w->options.iterations;
    struct report_merge *v = calloc(n + 1, sizeof(*v));
    int rc = v ? reduce(w, &w->report.first, err)
               : err_memory(err);

    for (uint32_t i = 0; rc == 0 && i < n; i++)
        rc = reduce(w, &v[i], err);
    if (rc == 0 && n) {
        qsort(v, n, sizeof(*v), by_time);
        w->report.median = v[n / 2];
        w->report.least_ns = v[0].asked_ns;
        w->report.most_ns = v[n - 1].asked_ns;
    }
    free(v);
    return rc;
}

/* The question of a policy, about the run that is played. */
static int ask_tasks(void *arg, const struct str *question,
                     const struct str **answer, struct err *err)
{
    struct world *w = arg;

    str_reset(&w->question);
    str_add_bytes(&w->question, question->s, question->n);
    if (str_failed(&w->question))
        return err_memory(err);
    *answer = &w->operator.bytes;
    return reduce_once(w, &w->report.first, err);
}

static int play_runs(struct world *w, struct err *err)
{
    const struct host_ask ask = { ask_tasks, w };
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < w->options.trials; i++) {
        for (uint32_t k = 0; k < w->options.workers; k++)
            w->workers[k].count->trial = i;
        rc = trial_run(&w->options.played, i, &ask, err);
    }
    return rc;
}

static int read_program(struct world *w, struct err *err)
{
    struct emulate *e = &w->options;

    if (!e->program)
        return 0;
    w->graph = graph_read(e->program, err);
    e->played = (struct played_conf){
        .graph = w->graph, .seed = e->seed, .ntasks = e->daemons * e->tasks,
        .spread = e->spread_ppm / 1e6, .clean = e->clean };
    return w->graph ? 0 : -1;
}

static int run(struct world *w, struct err *err)
{
    uint64_t cpu_ns = ownmaster_cpu_ns(&w->master), took_ns;

    if (!w->options.seconds_ns)
        return 0;
    for (uint32_t i = 0; i < w->options.workers; i++)
        worker_tell(&w->workers[i], WORKER_RUN);
    took_ns = until(w, never, w->options.seconds_ns, NULL, err);
    for (uint32_t i = 0; i < w->options.workers; i++)
        worker_tell(&w->workers[i], WORKER_STOP);
    w->report.run_s = (double)took_ns / 1e9;
    w->report.run_cpu_s =
        (double)(ownmaster_cpu_ns(&w->master) - cpu_ns) / 1e9;
    w->report.run_events = SUM(w, sent);
    return took_ns ? 0 : -1;
}

static int end(struct world *w, struct err *err)
{
    uint64_t cpu_ns;

    w->report.rss_bytes = ownmaster_rss_bytes(&w->master);
    w->report.peak_bytes = ownmaster_peak_bytes(&w->master);
    if (w->options.no_end)
        return 0;
    cpu_ns = ownmaster_cpu_ns(&w->master);
    peer_kill(&w->runner);
    w->report.end_ns = until(w, ended, PHASE_NS, "end", err);
    w->report.end_cpu_ns = ownmaster_cpu_ns(&w->master) - cpu_ns;
    w->report.statements = SUM(w, statements);
    w->report.costs = SUM(w, costs);
    return w->report.end_ns ? 0 : -1;
}

/* --------------------------------------------------------------------- world */

/* An emulated slave has a link to the master, a listener, a link to its parent
 * and those of its children; a worker has its share of them. */
static int check_descriptors(const struct emulate *e, struct err *err)
{
    struct rlimit l;
    rlim_t need = (rlim_t)e->daemons / e->workers * 4 + 64;

    if ((rlim_t)e->daemons + 64 > need)
        need = (rlim_t)e->daemons + 64;         /* the master */
    if (getrlimit(RLIMIT_NOFILE, &l))
        return err_sys(err, "getrlimit");
    if (l.rlim_max != RLIM_INFINITY && l.rlim_max < need)
        return err_set(err, EMFILE, "%u daemons need %llu descriptors in a "
                       "process, %llu are allowed (ulimit -Hn): give fewer "
                       "-D with more -n, or more --workers", e->daemons,
                       (unsigned long long)need,
                       (unsigned long long)l.rlim_max);
    l.rlim_cur = l.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &l) ? err_sys(err, "setrlimit") : 0;
}

static int open_world(struct world *w, struct err *err)
{
    char path[PATHS_MAX];

    if (check_descriptors(&w->options, err) ||
        paths_make_private_dir(w->dir, sizeof(w->dir), err))
        return -1;
    w->conn.shake_ns = 60 * CLOCK_NS_PER_S;
    if (!w->options.master || !strstr(w->options.master, "tcp:"))
        w->conn.ping_ns = PING_NS;
    if (!w->options.master) {
        w->address = w->master.address;
        return ownmaster_start(&w->master, w->dir, err);
    }
    w->address = w->options.master;
    if (!strstr(w->address, "tcp:"))
        return 0;
    if (paths_key_file(path, sizeof(path), err) ||
        key_load(&w->key, path, err))
        return -1;
    w->conn.key = &w->key;
    return 0;
}

static void close_world(struct world *w)
{
    peer_close(&w->runner);
    peer_close(&w->operator);
    for (uint32_t i = 0; i < w->options.workers; i++)
        worker_end(&w->workers[i]);
    ownmaster_end(&w->master);
    if (w->base)
        event_base_free(w->base);
    str_fini(&w->question);
    free(w->graph);
    if (*w->dir)
        paths_remove_tree(w->dir, NULL);
}

/* Where there are no slaves, there is no world. */
static int show_plans(const struct emulate *e)
{
    bool misused;
    struct err err = { 0 };

    if (planshow_run(e->optimizer, &e->fleet, e->json, &misused, &err) == 0)
        return 0;
    fprintf(stderr, "hector-emulate: %s\n", err.text);
    return misused ? ARGS_USAGE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    static struct world w;
    struct err err = { 0 };
    int rc = emulate_options(&w.options, argc, argv);

    if (rc >= 0)
        return rc;
    if (w.options.optimizer)
        return show_plans(&w.options);
    log_init("hector-emulate", LOG_LEVEL_WARN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    w.report.options = &w.options;
    rc = read_program(&w, &err) || open_world(&w, &err) ||
         start_daemons(&w, &err) || launch(&w, &err) ||
         (w.options.program ? play_runs(&w, &err) || end(&w, &err)
                            : reductions(&w, &err) || run(&w, &err) ||
                              end(&w, &err) ||
                              report_print(&w.report, w.operator.gathered,
                                           &w.operator.bytes, &err));
    close_world(&w);
    if (rc)
        fprintf(stderr, "hector-emulate: %s\n", err.text);
    return rc ? EXIT_FAILED : 0;
}
