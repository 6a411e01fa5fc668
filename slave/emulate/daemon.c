/* daemon.c - an emulated slave.
 *
 * Its tasks are numbers: what they would have done is computed from the
 * virtual time when somebody asks. The call tree of a job, and its models, are
 * made once, when the job is launched, and kept packed: a real node makes them
 * on processors of its own, which are not there to be measured here. */
#include "slave/emulate/daemon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/clock.h"
#include "proto/base/idtable.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"
#include "proto/link/nodemap.h"
#include "proto/link/timer.h"
#include "slave/emulate/daemon_private.h"
#include "slave/emulate/models.h"
#include "slave/emulate/latetask.h"
#include "slave/emulate/oddtask.h"
#include "slave/emulate/traces.h"
#include "slave/gather/answer.h"
#include "slave/gather/standing.h"

enum { NOISE_WORDS = 100, STOP_NS = 20000 };

/* ------------------------------------------------------------- reductions */

/* Its tasks; or, of a slave that lies, twice as many. */
static int choose_ranks(const struct daemon *d, struct taskset *ranks)
{
    uint32_t n = (uint32_t)taskset_count(&d->ranks);
    uint32_t last = n ? d->ranks.v[d->ranks.n - 1].last : 0;

    if (taskset_copy(ranks, &d->ranks))
        return -1;
    if (!d->fault || d->fault->kind != EMULATE_LIE || !n ||
        n > UINT32_MAX - last)
        return 0;
    return taskset_add(ranks, last + 1, last + n);
}

static int make_tree(struct daemon *d, struct err *err)
{
    const struct emulate *e = d->conf->options;
    struct traces p = { e->depth, e->breadth, e->classes, e->traces };
    uint64_t start_ns = clock_process_ns(0);
    struct taskset ranks = { 0 };
    struct prefixtree t;
    int rc;

    if (d->made)
        return 0;
    rc = choose_ranks(d, &ranks) ? err_memory(err)
                                 : traces_tree(&p, &ranks, &t, err);
    taskset_fini(&ranks);
    if (rc)
        return -1;
    rc = prefixtree_pack(&t, &d->tree);
    prefixtree_fini(&t);
    if (rc)
        return err_memory(err);
    d->made = true;
    d->conf->count->made_ns += clock_process_ns(0) - start_ns;
    return 0;
}

static int make_model(struct daemon *d, bool histograms, struct err *err)
{
    uint64_t start_ns = clock_process_ns(0);
    struct taskset ranks = { 0 };
    int rc;

    if (d->model.n && d->histograms == histograms)
        return 0;
    str_reset(&d->model);
    d->histograms = histograms;
    rc = choose_ranks(d, &ranks)
        ? err_memory(err)
        : models_part(d->conf->options, &ranks, histograms, &d->model, err);
    taskset_fini(&ranks);
    d->conf->count->made_ns += clock_process_ns(0) - start_ns;
    return rc;
}

/* As real slaves tell it to hector stack. */
static void own_stack(const struct daemon *d, struct reduction *r)
{
    Hct__CallTree m = HCT__CALL_TREE__INIT;
    uint8_t *bytes;

    m.tree.data = (uint8_t *)d->tree.s;
    m.tree.len = d->tree.n;
    m.copies = (uint32_t)taskset_count(&d->ranks) * d->conf->options->traces;
    m.held_p50_ns = m.total_p50_ns = STOP_NS;
    m.held_p99_ns = m.total_p99_ns = 2 * STOP_NS;
    bytes = malloc(hct__call_tree__get_packed_size(&m));
    if (bytes)
        reduction_own(r, bytes, hct__call_tree__pack(&m, bytes));
    else
        reduction_fail(r, "out of memory");
    free(bytes);
}

static void own_noise(const struct daemon *d, struct reduction *r)
{
    uint64_t noise[NOISE_WORDS];

    noise[0] = idtable_mix(d->number, d->job);
    for (size_t i = 1; i < NOISE_WORDS; i++)
        noise[i] = idtable_mix(noise[i - 1], i);
    reduction_own(r, noise, sizeof(noise));
}

/* Where it has nothing true to say, that is said. */
static bool refused(struct daemon *d, struct reduction *r)
{
    if (reduction_job(r) != d->job || !d->job)
        reduction_fail(r, "the job is not here");
    else if (d->fault && d->fault->kind == EMULATE_NOISE)
        own_noise(d, r);
    else
        return false;
    return true;
}

static void answer_tree(struct daemon *d, struct reduction *r)
{
    struct err err;

    if (refused(d, r))
        return;
    if (make_tree(d, &err))
        reduction_fail(r, err.text);
    else
        reduction_own(r, d->tree.s, d->tree.n);
}

static void answer_stack(struct daemon *d, struct reduction *r)
{
    struct err err;

    if (refused(d, r))
        return;
    if (make_tree(d, &err))
        reduction_fail(r, err.text);
    else
        own_stack(d, r);
}

static void answer_model(struct daemon *d, struct reduction *r)
{
    size_t n;
    const uint8_t *bytes = reduction_argument(r, &n);
    Hct__ModelAsk *m = hct__model_ask__unpack(NULL, n, bytes);
    bool histograms = m && m->histograms;
    struct err err;

    if (m)
        hct__model_ask__free_unpacked(m, NULL);
    if (refused(d, r))
        return;
    if (make_model(d, histograms, &err))
        reduction_fail(r, err.text);
    else
        reduction_own(r, d->model.s, d->model.n);
}

/* What its tasks have come to: returns how many edges each has. */
static size_t make_edges(const struct daemon *d, const struct played *p, uint32_t rank,
                         struct score_edge v[GRAPH_STEPS])
{
    if (!p->graph) {
        oddtask_model(d->conf->options, rank, v);
        return ODDTASK_EDGES;
    }
    played_model(p, rank, v);
    return p->graph->nsteps;
}

/* As a real slave does, but that the models are computed, not read. */
static void answer_scores(struct daemon *d, struct reduction *r)
{
    const struct emulate *e = d->conf->options;
    static struct played p;     /* it is large, and there is one loop */
    static struct score_edge v[GRAPH_STEPS];
    size_t n, nedges;
    const uint8_t *question = reduction_argument(r, &n);
    struct str out = { 0 };
    struct err err;
    struct answer *a;
    uint32_t position = 0;

    if (refused(d, r))
        return;
    if (e->played.graph)
        played_make(&p, &e->played, (uint32_t)d->conf->count->trial);
    a = answer_open(question, n, reduction_width(r), &err);
    for (int64_t rank = -1; a && (rank = taskset_next(&d->ranks, rank)) >= 0; ) {
        nedges = make_edges(d, &p, (uint32_t)rank, v);
        answer_add(a, &(struct answer_task){ .position = position++,
                                             .rank = (uint32_t)rank,
                                             .ago_ns = 1 },
                   v, nedges);
    }
    if (!a || answer_write(a, &out, &err))
        reduction_fail(r, err.text);
    else
        reduction_own(r, str_text(&out), out.n);
    answer_close(a);
    str_fini(&out);
}

/* All wait for all, whoever is here. */
static int tell_lies(uint32_t width, struct str *out, struct err *err)
{
    struct whereabouts *are =
        whereabouts_read((const uint8_t *)str_text(out), out->n, width, err);
    int rc;

    for (uint32_t j = 1; are && j < HCT_PLACES_ASKED; j++)
        for (uint32_t i = 0; i < j; i++)
            whereabouts_say(are, i, j, HCT_ORDER_WAITS | HCT_ORDER_WAITED);
    str_reset(out);
    rc = are ? whereabouts_write(are, NULL, 0, out, err) : -1;
    free(are);
    return rc;
}

/* The same for where they are. */
static void answer_progress(struct daemon *d, struct reduction *r)
{
    const struct emulate *e = d->conf->options;
    struct standing_task t = { .position = 0 };
    size_t n, k;
    const uint8_t *question = reduction_argument(r, &n);
    struct str out = { 0 };
    struct err err;
    struct standing *s;
    bool lies = d->fault && d->fault->kind == EMULATE_LIE;

    if (refused(d, r))
        return;
    s = standing_open(question, n, reduction_width(r), &err);
    for (int64_t rank = -1; s && (rank = taskset_next(&d->ranks, rank)) >= 0;
         t.position++) {
        const struct witness_step *v = latetask_model(e, (uint32_t)rank, &t, &k);

        standing_add(s, &t, v, k);
    }
    if (!s || standing_write(s, &out, &err) ||
        (lies && tell_lies(reduction_width(r), &out, &err)))
        reduction_fail(r, err.text);
    else
        reduction_own(r, str_text(&out), out.n);
    standing_close(s);
    str_fini(&out);
}

static void on_fault(evutil_socket_t fd, short what, void *arg)
{
    struct daemon *d = arg;
    struct reduction *r = d->late;

    (void)fd, (void)what;
    d->late = NULL;
    if (d->fault->kind == EMULATE_LATE) {
        if (r)
            d->late_answer(d, r);
        return;
    }
    d->gone = true;                     /* as a process that is killed */
    reduce_close(d->reduce);
    d->reduce = NULL;
    uplink_drop(d->uplink);
    d->uplink = NULL;
}

static void start(struct daemon *d, struct reduction *r,
                  void (*answer)(struct daemon *d, struct reduction *r))
{
    if (!d->fault || d->fault->kind == EMULATE_NOISE ||
        d->fault->kind == EMULATE_LIE || d->fault->kind == EMULATE_FORGE) {
        answer(d, r);
        return;
    }
    d->late = r;
    d->late_answer = answer;
    if (d->fault->kind == EMULATE_SILENT)
        return;
    if (!d->timer)
        d->timer = evtimer_new(d->conf->base, on_fault, d);
    if (d->timer)
        timer_set(d->timer, d->fault->late_ns);
}

static void tree_start(void *arg, struct reduction *r)
{
    start(arg, r, answer_tree);
}

static void stack_start(void *arg, struct reduction *r)
{
    start(arg, r, answer_stack);
}

static void model_start(void *arg, struct reduction *r)
{
    start(arg, r, answer_model);
}

static void scores_start(void *arg, struct reduction *r)
{
    start(arg, r, answer_scores);
}

static void progress_start(void *arg, struct reduction *r)
{
    start(arg, r, answer_progress);
}

static void on_stop(void *arg, struct reduction *r)
{
    struct daemon *d = arg;

    if (d->late == r)
        d->late = NULL;
}

static void who_start(void *arg, struct reduction *r)
{
    struct daemon *d = arg;
    struct str s = { 0 };

    for (uint32_t i = 0; i < reduction_width(r); i++)
        str_addf(&s, "%u %s\n", i, d->name);
    reduction_own(r, str_text(&s), s.n);
    str_fini(&s);
}

static const struct reduce_kind kinds[] = {
    { "tree", tree_start, on_stop }, { "stack", stack_start, on_stop },
    { "model", model_start, on_stop }, { "who", who_start, NULL },
    { "scores", scores_start, on_stop },
    { "progress", progress_start, on_stop },
};

/* --------------------------------------------------------- from the master */

static struct daemon *of(void *arg)
{
    return uplink_owner(arg);
}

/* Its tasks are those now: the set and seq become ours. */
static void take_job(struct daemon *d, uint64_t job, struct taskset *ranks,
                     uint64_t *seq)
{
    taskset_fini(&d->ranks);
    free(d->seq);
    ledger_destroy(d->ledger);
    d->ledger = NULL;
    d->job = job;
    d->ranks = *ranks;
    d->seq = seq;
    d->next = 0;
    d->made = false;
    str_reset(&d->tree);
    str_reset(&d->model);
}

static int on_prepare(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct daemon *d = of(arg);
    const struct emulate *e = d->conf->options;
    const Hct__Prepare *m = msg;
    Hct__Prepared answer = HCT__PREPARED__INIT;
    struct taskset ranks = { 0 };
    uint64_t *seq = NULL;
    size_t n;

    if (nodemap_here(&ranks, m, err))
        return -1;
    n = taskset_count(&ranks);
    answer.job = m->job;
    if (n > (size_t)e->daemons * e->tasks)
        answer.why = (char *)"more tasks than are emulated";
    else if (!(seq = calloc(n + 1, sizeof(*seq))))
        answer.why = (char *)"out of memory";
    answer.ok = seq != NULL;
    if (answer.ok)
        take_job(d, m->job, &ranks, seq);
    else
        taskset_fini(&ranks);
    return conn_send(c, MESSAGE_PREPARED, &answer);
}

static int on_launch(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct daemon *d = of(arg);
    const Hct__Launch *m = msg;
    Hct__Launched answer = HCT__LAUNCHED__INIT;

    if (m->job != d->job)
        return 0;
    answer.pids = malloc((taskset_count(&d->ranks) + 1) *
                         sizeof(*answer.pids));
    if (!answer.pids)
        return err_memory(err);
    for (int64_t r = -1; (r = taskset_next(&d->ranks, r)) >= 0; )
        answer.pids[answer.n_pids++] = 1000 + (uint32_t)r;
    answer.job = d->job;
    answer.at_ns = d->launched_ns = daemon_now_ns(d->conf);
    if (d->conf->options->sites)
        d->ledger = ledger_create(d->conf->options, d->job, &d->ranks, err);
    if (make_tree(d, err) || (d->conf->options->sites && !d->ledger) ||
        (d->conf->options->gather == EMULATE_MODEL &&
         make_model(d, false, err))) {
        free(answer.pids);
        return -1;
    }
    conn_send(c, MESSAGE_LAUNCHED, &answer);
    free(answer.pids);
    d->conf->count->launched++;
    return 0;
}

/* Its tasks die at once; each is accounted for before it is told. */
static int on_terminate(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct daemon *d = of(arg);
    const Hct__Terminate *m = msg;
    Hct__TaskExited x = HCT__TASK_EXITED__INIT;
    Hct__Drained drained = HCT__DRAINED__INIT;

    uint32_t i = 0;

    (void)err;
    if (m->job != d->job)
        return 0;
    x.job = drained.job = d->job;
    x.signal = 15;
    daemon_advance(d);
    for (int64_t r = -1; (r = taskset_next(&d->ranks, r)) >= 0; i++) {
        struct tasks_state s = { 0 };

        if (d->ledger) {
            daemon_tell(d, i, 1);
            ledger_state(d->ledger, i, &s);
        }
        tasks_exit(&x, (uint32_t)r, &s);
        x.at_ns = daemon_now_ns(d->conf);
        conn_send(c, MESSAGE_TASK_EXITED, &x);
    }
    ledger_destroy(d->ledger);
    d->ledger = NULL;
    return conn_send(c, MESSAGE_DRAINED, &drained);
}

static int on_forget(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct daemon *d = of(arg);
    const Hct__Forget *m = msg;

    (void)c, (void)err;
    if (m->job == d->job)
        d->job = 0;
    return 0;
}

static int on_ack(void *arg, struct conn *c, const void *msg, struct err *err)
{
    (void)c, (void)msg, (void)err;
    of(arg)->conf->count->acked++;
    return 0;
}

/* Every task has done something since the last look. */
static int on_look(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    struct daemon *d = of(arg);
    const Hct__Look *m = msg;
    size_t n = taskset_count(&d->ranks);
    Hct__Looked__Task *v = malloc((n + 1) * sizeof(*v));
    Hct__Looked__Task **list = malloc((n + 1) * sizeof(Hct__Looked__Task *));
    Hct__Looked answer = HCT__LOOKED__INIT;
    struct tasks_state s;
    int rc = 0;

    daemon_advance(d);
    if (!v || !list)
        rc = err_memory(err);
    for (int64_t r = -1; rc == 0 && (r = taskset_next(&d->ranks, r)) >= 0; ) {
        daemon_state(d, (uint32_t)answer.n_tasks, (uint32_t)r, &s);
        tasks_look(&v[answer.n_tasks], (uint32_t)r, &s);
        list[answer.n_tasks] = &v[answer.n_tasks];
        answer.n_tasks++;
    }
    answer.job = m->job;
    answer.seq = m->seq;
    answer.tasks = list;
    if (rc == 0 && m->job == d->job)
        conn_send(c, MESSAGE_LOOKED, &answer);
    free(v);
    free(list);
    return rc;
}

static int on_reduce(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    (void)c;
    return reduce_begin(of(arg)->reduce, msg, err);
}

static int on_reduce_end(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    (void)c, (void)err;
    reduce_end(of(arg)->reduce, msg);
    return 0;
}

static int on_rest(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    return 0;
}

static int on_farewell(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    (void)c, (void)msg, (void)err;
    uplink_master_leaves(arg);
    return 0;
}

#define MASTER CONN_ROLE(HCT__ROLE__ROLE_MASTER)
#define REST(NAME, name, roles) { MESSAGE_##NAME, roles, on_rest },
static const struct conn_route routes[] = {
    { MESSAGE_PREPARE, MASTER, on_prepare },
    { MESSAGE_LAUNCH, MASTER, on_launch },
    { MESSAGE_TERMINATE, MASTER, on_terminate },
    { MESSAGE_FORGET, MASTER, on_forget },
    { MESSAGE_EVENT_ACK, MASTER, on_ack },
    { MESSAGE_REDUCE, MASTER, on_reduce },
    { MESSAGE_REDUCE_END, MASTER, on_reduce_end },
    { MESSAGE_LOOK, MASTER, on_look },
    { MESSAGE_FAREWELL, MASTER, on_farewell },
    MESSAGES_MASTER_TO_SLAVE(REST)
};
#undef REST

/* ------------------------------------------------------------ to the master */

static void on_joined(void *arg)
{
    struct daemon *d = arg;
    Hct__SlaveJobs m = HCT__SLAVE_JOBS__INIT;

    m.jobs = &d->job;
    m.n_jobs = d->job != 0;
    uplink_send(d->uplink, MESSAGE_SLAVE_JOBS, &m);
    if (d->ledger)
        ledger_forget_sent(d->ledger);  /* it may be another master */
    reduce_tell(d->reduce);
    d->conf->count->joined++;
}

static void on_lost(void *arg)
{
    struct daemon *d = arg;

    reduce_abandon(d->reduce);
    d->conf->count->lost++;
}

static bool on_needed(void *arg)
{
    (void)arg;
    return true;
}

static void on_gone(void *arg, const struct err *why)
{
    (void)arg, (void)why;
}

static void send_up(void *arg, enum message_type type, const void *msg)
{
    struct daemon *d = arg;

    if (d->uplink)
        uplink_send(d->uplink, type, msg);
}

/* ------------------------------------------------------------------- life */

static int open_daemon(struct daemon *d, struct err *err)
{
    const struct daemon_conf *conf = d->conf;

    if (snprintf(d->dir, sizeof(d->dir), "%s/%u", conf->dir, d->number) >=
            (int)sizeof(d->dir) || mkdir(d->dir, 0700))
        return err_sys(err, "cannot make the directory %s", d->dir);
    d->reduce_conf = (struct reduce_conf){
        .links = { .conn = conf->conn, .name = d->name,
                   .instance = d->number + 1, .dir = d->dir,
                   .tcp = conf->conn->key != NULL },
        .kinds = kinds, .nkinds = sizeof(kinds) / sizeof(kinds[0]),
        .arg = d, .send = send_up, .send_arg = d };
    d->reduce = reduce_open(conf->base, &d->reduce_conf, err);
    if (!d->reduce)
        return -1;
    d->uplink_conf = (struct uplink_conf){
        .addresses = conf->master, .name = d->name, .mpi = "0",
        .conn = conf->conn, .instance = d->number + 1,
        .lost_ns = CONN_NEVER, .cpus = conf->options->tasks };
    d->uplink_ops = (struct uplink_ops){
        .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
        .routes_arg = d, .joined = on_joined, .lost = on_lost,
        .needed = on_needed, .gone = on_gone };
    d->uplink = uplink_open(conf->base, &d->uplink_conf, &d->uplink_ops, d,
                            err);
    return d->uplink ? 0 : -1;
}

struct daemon *daemon_create(const struct daemon_conf *conf, uint32_t number,
                             struct err *err)
{
    struct daemon *d = calloc(1, sizeof(*d));

    if (!d)
        return err_memory(err), NULL;
    d->conf = conf;
    d->number = number;
    snprintf(d->name, sizeof(d->name), "e%05u", number);
    for (uint32_t i = 0; i < conf->options->nfaults; i++)
        if (conf->options->faults[i].daemon == number)
            d->fault = &conf->options->faults[i];
    if (open_daemon(d, err)) {
        daemon_destroy(d);
        return NULL;
    }
    return d;
}

void daemon_destroy(struct daemon *d)
{
    if (!d)
        return;
    timer_free(d->timer);
    reduce_close(d->reduce);
    if (d->uplink)
        uplink_drop(d->uplink);
    ledger_destroy(d->ledger);
    taskset_fini(&d->ranks);
    str_fini(&d->tree);
    str_fini(&d->model);
    free(d->seq);
    free(d);
}
