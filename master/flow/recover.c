/* recover.c - reads rows back into jobs.
 *
 * Invariant: a job that is taken up is as its rows say, no more: what slaves
 * know besides they tell when they come back, and what the job waits for is
 * asked for again by flow_come.c. Nothing is written here. */
#include "master/flow/recover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/adopt.h"
#include "master/flow/submit.h"
#include "master/store/alive.h"
#include "proto/base/log.h"
#include "proto/base/taskset.h"
#include "proto/link/nodemap.h"

/* ------------------------------------------------------------- dead masters */

struct dead { uint64_t *v; size_t n; bool *ours; const struct recover *r; };

static const char *text_of(const struct store_value *v)
{
    return v->type == STORE_TEXT ? v->text : NULL;
}

static int dead_row(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    struct dead *d = arg;
    uint64_t instance = (uint64_t)v[0].i;
    const char *address = text_of(&v[3]);
    uint64_t *all;
    bool *ours;

    (void)ncols;
    (void)names;
    if (instance == (d->r->instance & INT64_MAX) ||
        !alive_is_dead(text_of(&v[2]), (uint32_t)v[1].i, text_of(&v[4])))
        return 0;
    all = realloc(d->v, (d->n + 1) * sizeof(*all));
    d->v = all ? all : d->v;
    ours = realloc(d->ours, (d->n + 1) * sizeof(*ours));
    d->ours = ours ? ours : d->ours;
    if (!all || !ours)
        return 1;
    d->v[d->n] = instance;
    d->ours[d->n++] = address && strcmp(address, d->r->addresses) == 0;
    return 0;
}

/* ------------------------------------------------------------------ one job */

static int restore_place(struct job *j, struct nodes *nodes,
                         const Hct__Prepare *p, struct err *err)
{
    struct nodemap map;
    struct node **hosts;
    uint32_t *count, *host_of;
    int rc = nodemap_read(&map, p, err);

    if (rc)
        return rc;
    hosts = calloc(map.n + 1, sizeof(struct node *));
    count = calloc(map.n + 1, sizeof(*count));
    host_of = calloc(j->ntasks + 1, sizeof(*host_of));
    if (!hosts || !count || !host_of)
        rc = err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < map.n; i++) {
        const struct taskset *ranks = &map.v[i].ranks;

        hosts[i] = nodes_make(nodes, map.v[i].name);
        if (!hosts[i])
            rc = err_set(err, ENOMEM, "out of memory");
        for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0 &&
                             r < j->ntasks; ) {
            host_of[r] = (uint32_t)i;
            count[i]++;
        }
    }
    if (rc == 0)
        rc = j->ops->place(j, hosts, host_of, count, map.n, err);
    if (rc == 0 && j->nnodes != map.n)
        rc = err_set(err, EBADMSG, "a placement that is none");
    j->oversubscribed = p->oversubscribed;
    free(hosts);
    free(count);
    free(host_of);
    nodemap_fini(&map);
    return rc;
}

static int restore_placement(struct job *j, struct nodes *nodes,
                             const struct store_value *blob, struct err *err)
{
    Hct__Prepare *p;
    int rc;

    if (blob->type != STORE_BLOB)
        return j->state < JOB_PREPARING
               ? 0 : err_set(err, EBADMSG, "its placement is missing");
    p = hct__prepare__unpack(NULL, blob->bytes, (const uint8_t *)blob->text);
    j->placement.bytes = malloc(blob->bytes + 1);
    if (!p || !j->placement.bytes) {
        rc = err_set(err, EBADMSG, "its placement is damaged");
    } else {
        memcpy(j->placement.bytes, blob->text, blob->bytes);
        j->placement.n = blob->bytes;
        j->placement.stored = true;
        rc = restore_place(j, nodes, p, err);
    }
    if (p)
        hct__prepare__free_unpacked(p, NULL);
    return rc;
}

/* What all slaves have said before a state was entered. */
static void restore_nodes(struct job *j)
{
    for (size_t i = 0; i < j->nnodes; i++) {
        j->nodes[i].prepared = j->state >= JOB_STARTING;
        j->nprepared += j->nodes[i].prepared;
        if (!j->ops->ours)
            continue;           /* launched by others */
        j->nodes[i].launched = j->state == JOB_RUNNING;
        j->nlaunched += j->nodes[i].launched;
    }
}

static struct job *restore_submit(const struct recover *r,
                                  const struct store_value *blob,
                                  struct err *err)
{
    Hct__Submit *s = NULL;
    struct job *j = NULL;

    if (blob->type == STORE_BLOB)
        s = hct__submit__unpack(NULL, blob->bytes,
                                (const uint8_t *)blob->text);
    if (!s)
        err_set(err, EBADMSG, "what was submitted is not there any more");
    else
        j = submit_job(s, err);
    if (j && flow_watch(r->flow, j, s, err))
        log_warn("recover", "nobody watches it: %s", err->text);
    if (s)
        hct__submit__free_unpacked(s, NULL);
    return j;
}

/* Columns in the order of sql_job. */
enum { C_JOB, C_STATE, C_WHY, C_SUBMITTED, C_STARTED, C_SUBMIT, C_PLACEMENT,
       C_FAILED, C_KILLED, C_AT_ONCE, C_ABORTED, C_FAIL_CODE, C_KILL_CODE,
       C_FAILED_NS, C_NAME, C_COMMAND, C_NTASKS, C_SESSION, C_WORLD,
       C_CLOSING, C_LAUNCHER_CODE, C_UNFINALIZED };
static const char sql_job[] =
    "SELECT j.job, j.state, j.why, j.submitted_ns, j.started_ns, r.submit,"
    " r.placement, r.failed, r.killed, r.at_once, r.aborted, r.fail_code,"
    " r.kill_code, r.failed_ns, j.name, j.command, j.ntasks, r.session,"
    " r.world, r.closing, r.launcher_code, r.unfinalized"
    " FROM job j LEFT JOIN resume r ON r.job = j.job"
    " WHERE j.master = ?1 AND j.ended_ns IS NULL ORDER BY j.job";

struct taking {
    const struct recover *r;
    struct job **v;             /* owned */
    size_t n;
};

/* A session, or a world of one that came before. */
static struct job *restore_adopted(const struct taking *t,
                                   const struct store_value *v,
                                   struct err *err)
{
    const struct adopt_past past = {
        .ntasks = (uint32_t)v[C_NTASKS].i, .name = text_of(&v[C_NAME]),
        .command = text_of(&v[C_COMMAND]), .job = {
            .world = text_of(&v[C_WORLD]),
            .closing = v[C_CLOSING].i, .left = v[C_UNFINALIZED].i,
            .known = v[C_LAUNCHER_CODE].type == STORE_INT,
            .code = (int)v[C_LAUNCHER_CODE].i },
    };
    struct job *j = NULL;

    if (v[C_SESSION].i == v[C_JOB].i) {
        j = restore_submit(t->r, &v[C_SUBMIT], err);
        if (j && adopt_restore(j, &past) == 0)
            return j;
        if (j)
            err_set(err, EBADMSG, "what was submitted does not fit");
        flow_free_job(j);
        return NULL;
    }
    err_set(err, ENOENT, "its session has ended");
    for (size_t i = 0; i < t->n && !j; i++)
        if (t->v[i]->id == (uint64_t)v[C_SESSION].i &&
            adopt_is_session(t->v[i])) {
            j = adopt_restore_world(t->v[i], &past);
            err_set(err, ENOMEM, "out of memory");
        }
    return j;
}

static struct job *restore_job(const struct taking *t,
                               const struct store_value *v, struct err *err)
{
    const struct recover *r = t->r;
    struct job *j = v[C_SESSION].type == STORE_INT
                    ? restore_adopted(t, v, err)
                    : restore_submit(r, &v[C_SUBMIT], err);

    if (!j)
        return NULL;
    j->id = (uint64_t)v[C_JOB].i;
    j->state = job_state_find(text_of(&v[C_STATE]) ? v[C_STATE].text : "");
    j->submitted_ns = (uint64_t)v[C_SUBMITTED].i;
    j->started_ns = (uint64_t)v[C_STARTED].i;
    j->failed = v[C_FAILED].i;
    j->killed = v[C_KILLED].i;
    j->at_once = v[C_AT_ONCE].i;
    j->aborted = v[C_ABORTED].i;
    j->exit_code = (int)v[C_FAIL_CODE].i;
    j->kill_code = (int)v[C_KILL_CODE].i;
    j->failed_ns = (uint64_t)v[C_FAILED_NS].i;
    j->submit.stored = true;
    if (text_of(&v[C_WHY]))
        node_set_text(&j->why, v[C_WHY].text);
    if (j->state < JOB_STATE_COUNT && !job_state_final(j->state) &&
        (!j->ops->placed ||
         restore_placement(j, r->nodes, &v[C_PLACEMENT], err) == 0)) {
        restore_nodes(j);
        return j;
    }
    flow_free_job(j);
    return NULL;
}

/* -------------------------------------------------------------------- tasks */

enum { T_RANK, T_STATE, T_PID, T_CODE, T_SIGNAL, T_CALLS, T_IN, T_OUT, T_CPU,
       T_CPU_IN, T_RSS, T_STARTED, T_ENDED, T_RECORDS, T_WAITS, T_LOST, T_TAG,
       T_WHY, T_HOLD, T_HELD, T_HELD_SINCE, T_NODE };
static const char sql_task[] =
    "SELECT t.rank, t.state, t.pid, t.exit_code, t.signal, t.mpi_calls,"
    " t.in_mpi_ns, t.out_mpi_ns, t.cpu_ns, t.cpu_in_mpi_ns, t.rss_bytes,"
    " t.started_ns, t.ended_ns, t.records, t.ring_waits, t.ring_lost,"
    " t.last_tag, t.why, t.hold, t.held_ns, t.held_since_ns, n.name"
    " FROM task t LEFT JOIN node n ON n.id = t.node WHERE t.job = ?1";

static struct task *restore_task(const struct taking *taking, struct job *j,
                                 const struct store_value *v)
{
    const char *node = text_of(&v[T_NODE]);

    return j->ops->restore_task(j, node ? nodes_make(taking->r->nodes, node)
                                        : NULL, (uint64_t)v[T_RANK].i);
}

struct task_reader { const struct taking *taking; struct job *job; };

static int task_row(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    const struct task_reader *reader = arg;
    struct job *j = reader->job;
    struct task *t = restore_task(reader->taking, j, v);

    (void)ncols;
    (void)names;
    if (!t || !text_of(&v[T_STATE]))
        return 0;
    t->state = task_state_find(v[T_STATE].text);
    if (t->state == TASK_STATE_COUNT)
        t->state = TASK_PLACED;
    t->pid = (uint32_t)v[T_PID].i;
    t->ended = v[T_CODE].type == STORE_INT;
    t->exit_code = (int)v[T_CODE].i;
    t->signal = (int)v[T_SIGNAL].i;
    t->mpi_calls = (uint64_t)v[T_CALLS].i;
    t->in_mpi_ns = (uint64_t)v[T_IN].i;
    t->out_mpi_ns = (uint64_t)v[T_OUT].i;
    t->cpu_ns = (uint64_t)v[T_CPU].i;
    t->cpu_in_mpi_ns = (uint64_t)v[T_CPU_IN].i;
    t->rss_bytes = (uint64_t)v[T_RSS].i;
    t->started_ns = (uint64_t)v[T_STARTED].i;
    t->ended_ns = (uint64_t)v[T_ENDED].i;
    t->records = t->acked = (uint64_t)v[T_RECORDS].i;
    t->ring_waits = (uint64_t)v[T_WAITS].i;
    t->ring_lost = (uint64_t)v[T_LOST].i;
    t->hold = hold_find(text_of(&v[T_HOLD]) ? v[T_HOLD].text : "");
    if (t->hold == HOLD_COUNT)
        t->hold = HOLD_GOING;
    t->held_ns = (uint64_t)v[T_HELD].i;
    t->held_since_ns = (uint64_t)v[T_HELD_SINCE].i;
    if (text_of(&v[T_TAG]))
        node_set_text(&t->last_tag, v[T_TAG].text);
    if (text_of(&v[T_WHY]))
        node_set_text(&t->why, v[T_WHY].text);
    if (task_state_final(t->state))
        job_task_ended(j, t);
    else
        j->nrunning += t->state >= TASK_RUNNING;
    return 0;
}

/* ---------------------------------------------------------------- all of it */

static int job_row(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    struct taking *t = arg;
    struct job **all = realloc(t->v, (t->n + 1) * sizeof(struct job *));
    struct err err = { 0 };
    struct job *j;

    (void)ncols;
    (void)names;
    if (!all)
        return 1;
    t->v = all;
    j = restore_job(t, v, &err);
    if (j)
        all[t->n++] = j;
    else
        log_warn("recover", "cannot be taken up again job=%lld: %s",
                 (long long)v[C_JOB].i, err.text);
    return 0;
}

static size_t take_up(const struct recover *r, uint64_t master)
{
    struct store_value id = { .type = STORE_INT, .i = (int64_t)master };
    struct taking t = { .r = r };
    struct err err;
    size_t n = 0;

    if (store_query_bound(r->store, sql_job, &id, 1, NULL, job_row, &t, &err))
        log_warn("recover", "%s", err.text);
    for (size_t i = 0; i < t.n; i++) {
        struct job *j = t.v[i];
        struct task_reader reader = { &t, j };

        id.i = (int64_t)j->id;
        if (store_query_bound(r->store, sql_task, &id, 1, NULL, task_row,
                              &reader, &err) == 0 && flow_restore(r->flow, j, &err) == 0)
            n++;
        else
            log_warn("recover", "%s", err.text);
    }
    free(t.v);
    return n;
}

size_t recover_jobs(const struct recover *r)
{
    struct dead d = { .r = r };
    struct err err;
    size_t n = 0;

    if (store_query(r->store, "SELECT instance, pid, host, address, process"
                    " FROM master WHERE ended_ns IS NULL", dead_row, &d, &err))
        log_warn("recover", "%s", err.text);
    for (size_t i = 0; i < d.n; i++) {
        if (d.ours[i])
            n += take_up(r, d.v[i]);
        journal_bury(r->journal, d.v[i]);
    }
    free(d.v);
    free(d.ours);
    return n;
}
