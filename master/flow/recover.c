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
#include "master/ladder/ladder.h"
#include "master/ladder/rungrow.h"
#include "master/move/checkpoint.h"
#include "master/move/mover.h"
#include "master/optimize/optimize.h"
#include "master/store/alive.h"
#include "master/store/query.h"
#include "master/store/record.h"
#include "proto/base/array.h"
#include "proto/base/log.h"
#include "proto/base/taskset.h"
#include "proto/link/nodemap.h"

/* ------------------------------------------------------------- dead masters */

struct dead {
    struct { uint64_t instance; bool ours; } *v;        /* owned */
    size_t n, cap;
    const struct recover *r;
};

static int on_master(void *arg, const struct store_master *m)
{
    struct dead *d = arg;

    if (m->instance == (d->r->instance & INT64_MAX) ||
        !alive_is_dead(m->host, m->pid, m->process))
        return 0;
    if (array_reserve(&d->v, &d->cap, d->n + 1))
        return 1;
    d->v[d->n].instance = m->instance;
    d->v[d->n++].ours = m->address &&
                        strcmp(m->address, d->r->addresses) == 0;
    return 0;
}

/* ------------------------------------------------------------------ one job */

/* Nodes that have been left, or that tasks were about to come to. */
static int restore_empty(struct job *j, struct node *const *hosts, size_t n,
                         struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!job_node_find(j, hosts[i]) && !job_add_node(j, hosts[i]))
            return err_memory(err);
    return 0;
}

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
        rc = err_memory(err);
    for (size_t i = 0; rc == 0 && i < map.n; i++) {
        const struct taskset *ranks = &map.v[i].ranks;

        hosts[i] = nodes_make(nodes, map.v[i].name);
        if (!hosts[i])
            rc = err_memory(err);
        for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0 &&
                             r < j->ntasks; ) {
            host_of[r] = (uint32_t)i;
            count[i]++;
        }
    }
    if (rc == 0)
        rc = j->ops->place(j, hosts, host_of, count, map.n, err);
    if (rc == 0 && j->nnodes > map.n)
        rc = err_set(err, EBADMSG, "a placement that is none");
    if (rc == 0 && j->state >= JOB_RUNNING)
        rc = restore_empty(j, hosts, map.n, err);
    j->oversubscribed = p->oversubscribed;
    free(hosts);
    free(count);
    free(host_of);
    nodemap_fini(&map);
    return rc;
}

/* It goes back to a checkpoint, or is stored, and has no nodes. */
static int restore_again(struct job *j)
{
    j->attempt++;
    j->serial++;
    return 0;
}

static int restore_placement(struct job *j, struct nodes *nodes,
                             const struct row_bytes *blob, struct err *err)
{
    Hct__Prepare *p;
    int rc;

    if (!blob->p)
        return j->state < JOB_PREPARING || j->state == JOB_ENDING
               ? 0 : err_set(err, EBADMSG, "its placement is missing");
    p = hct__prepare__unpack(NULL, blob->n, blob->p);
    j->placement.bytes = malloc(blob->n + 1);
    if (!p || !j->placement.bytes) {
        rc = err_set(err, EBADMSG, "its placement is damaged");
    } else {
        memcpy(j->placement.bytes, blob->p, blob->n);
        j->placement.n = blob->n;
        j->placement.stored = true;
        j->serial = p->serial;
        j->attempt = p->attempt;
        j->cpu = cpuuse_read(p->cpu);
        rc = j->state < JOB_PREPARING ? restore_again(j)
                                      : restore_place(j, nodes, p, err);
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
        if (j->nodes[i].launched)
            continue;           /* by others */
        j->nodes[i].launched = j->state == JOB_RUNNING;
        j->nlaunched += j->nodes[i].launched;
    }
}

static struct job *restore_submit(const struct recover *r,
                                  const struct row_bytes *blob,
                                  struct err *err)
{
    Hct__Submit *s = NULL;
    struct job *j = NULL;

    if (blob->p)
        s = hct__submit__unpack(NULL, blob->n, blob->p);
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

struct taking {
    const struct recover *r;
    struct job **v;             /* owned */
    size_t n, cap;
};

/* A session, or a world of one that came before. */
static struct job *restore_adopted(const struct taking *t,
                                   const struct store_job *row,
                                   const struct store_resume *past,
                                   struct err *err)
{
    const struct adopt_past known = {
        .ntasks = row->ntasks, .name = row->name, .command = row->command,
        .job = { .world = past->world, .closing = past->closing,
                 .left = past->unfinalized,
                 .known = past->launcher_code.known,
                 .code = (int)past->launcher_code.v },
    };
    struct job *j = NULL;

    if (past->session == row->job) {
        j = restore_submit(t->r, &past->submit, err);
        if (j && adopt_restore(j, &known) == 0)
            return j;
        if (j)
            err_set(err, EBADMSG, "what was submitted does not fit");
        flow_free_job(j);
        return NULL;
    }
    err_set(err, ENOENT, "its session has ended");
    for (size_t i = 0; i < t->n && !j; i++)
        if (t->v[i]->id == past->session)
            j = adopt_restore_world(t->v[i], &known, err);
    return j;
}

static int on_checkpoint(void *arg, const struct store_checkpoint *row)
{
    return checkpoint_known(arg, row);
}

struct move_reader { const struct recover *r; struct job *job; };

static int on_move(void *arg, const struct store_move *row)
{
    const struct move_reader *reader = arg;
    struct err err;

    if (mover_known(flow_movers(reader->r->flow), reader->job, row, &err))
        log_warn("recover", "what its move cost is not known job=%llu: %s",
                 (unsigned long long)reader->job->id, err.text);
    return 0;
}

static struct job *restore_job(const struct taking *t,
                               const struct store_job *row,
                               const struct store_resume *past,
                               struct err *err)
{
    const struct recover *r = t->r;
    struct move_reader reader = { .r = r };
    struct job *j = past->session
                    ? restore_adopted(t, row, past, err)
                    : restore_submit(r, &past->submit, err);

    if (!j)
        return NULL;
    reader.job = j;
    record_to_job(j, row, past);
    if (j->state < JOB_STATE_COUNT && !job_state_final(j->state) &&
        (!j->ops->placed ||
         restore_placement(j, r->nodes, &past->placement, err) == 0)) {
        restore_nodes(j);
        if (j->checkpoints && query_whole(r->store, j->id, on_checkpoint, j,
                                          err))
            log_warn("recover", "its checkpoints are not known job=%llu: %s",
                     (unsigned long long)j->id, err->text);
        if (query_open_moves(r->store, j->id, on_move, &reader, err))
            log_warn("recover", "its moves are not known job=%llu: %s",
                     (unsigned long long)j->id, err->text);
        return j;
    }
    flow_free_job(j);
    return NULL;
}

/* -------------------------------------------------------------------- tasks */

static struct task *restore_task(const struct taking *taking, struct job *j,
                                 uint64_t rank, const char *node)
{
    return j->ops->restore_task(j, node ? nodes_make(taking->r->nodes, node)
                                        : NULL, rank);
}

struct task_reader { const struct taking *taking; struct job *job; };

static int on_task(void *arg, const struct store_task *row, const char *node)
{
    const struct task_reader *reader = arg;
    struct job *j = reader->job;
    struct task *t = restore_task(reader->taking, j, row->rank, node);

    if (!t || !row->state)
        return 0;
    record_to_task(t, row);
    if (task_state_final(t->state))
        job_task_ended(j, t);
    else
        j->nrunning += t->state >= TASK_RUNNING;
    return 0;
}

/* ---------------------------------------------------------------- all of it */

static int on_job(void *arg, const struct store_job *row,
                  const struct store_resume *past)
{
    struct taking *t = arg;
    struct err err = { 0 };
    struct job *j;

    if (array_reserve(&t->v, &t->cap, t->n + 1))
        return 1;
    j = restore_job(t, row, past, &err);
    if (j)
        t->v[t->n++] = j;
    else
        log_warn("recover", "cannot be taken up again job=%llu: %s",
                 (unsigned long long)row->job, err.text);
    return 0;
}

struct suspended { const struct recover *r; struct job *job; };

static int on_suspender(void *arg, const char *optimizer)
{
    const struct suspended *s = arg;

    optimize_recall(flow_optimize(s->r->flow), s->job, optimizer);
    return 0;
}

/* Who has suspended it is asked only of those that somebody has. */
static void take_up_suspended(const struct recover *r, struct job *j)
{
    struct suspended s = { r, j };
    struct err err;
    bool any = false;

    for (uint32_t i = 0; i < j->ntasks && !any; i++)
        any = j->tasks[i].hold == HOLD_SUSPENDED ||
              j->tasks[i].hold == HOLD_SUSPENDING;
    if (any && query_suspender(r->store, j->id, on_suspender, &s, &err))
        log_warn("recover", "who has suspended it is not known job=%llu: %s",
                 (unsigned long long)j->id, err.text);
}

/* Its steps for deadlines go on being counted. */
static void take_up_count(const struct recover *r, struct job *j)
{
    struct err err;

    if (query_last_rung(r->store, j->id, RUNGROW_MOST, &j->rungs, &err))
        log_warn("recover", "%s", err.text);
}

static size_t take_up(const struct recover *r, uint64_t master)
{
    struct taking t = { .r = r };
    struct err err;
    size_t n = 0;

    if (query_unended(r->store, master, on_job, &t, &err))
        log_warn("recover", "%s", err.text);
    for (size_t i = 0; i < t.n; i++) {
        struct job *j = t.v[i];
        struct task_reader reader = { &t, j };

        if (query_job_tasks(r->store, j->id, on_task, &reader, &err) == 0 &&
            flow_restore(r->flow, j, &err) == 0) {
            take_up_suspended(r, j);
            take_up_count(r, j);
            n++;
        } else {
            log_warn("recover", "%s", err.text);
        }
    }
    free(t.v);
    return n;
}

static int on_draining(void *arg, const char *name)
{
    const struct recover *r = arg;
    struct node *n = nodes_make(r->nodes, name);

    if (n)
        n->draining = true;
    return 0;
}

static int on_owner(void *arg, const char *name, const char *is, const char *by)
{
    const struct recover *r = arg;
    struct node *n = nodes_make(r->nodes, name);

    if (!n)
        return 0;
    n->owner.drains = n->draining && strcmp(by, "owner") == 0;
    n->owner.is = strcmp(is, node_owner_name(NODE_OWNER_HERE)) == 0
                  ? NODE_OWNER_HERE
                  : *is ? NODE_OWNER_GONE : NODE_OWNER_UNKNOWN;
    return 0;
}

void recover_nodes(struct recover *r)
{
    struct err err;

    if (query_draining(r->store, on_draining, r, &err) ||
        query_owners(r->store, on_owner, r, &err))
        log_warn("recover", "%s", err.text);
}

static int on_drain(void *arg, const char *node, const char *why, const char *to)
{
    const struct recover *r = arg;
    char *names = strdup(to ? to : ""), *rest = NULL;
    char **v = calloc(names ? strlen(names) / 2 + 1 : 1, sizeof(*v));
    struct drain_order o = { .node = node, .why = why, .to = v };
    struct err err;

    for (char *w = names && v ? strtok_r(names, ",", &rest) : NULL; w;
         w = strtok_r(NULL, ",", &rest))
        v[o.nto++] = w;
    if (!names || !v || drain_recall(flow_drains(r->flow), &o,
                                     flow_restart_wait_ns(r->flow), &err))
        log_warn("recover", "%s is not emptied any further", node);
    free(v);
    free(names);
    return 0;
}

static int on_rung(void *arg, const struct store_rung *row)
{
    const struct recover *r = arg;

    ladder_recall(flow_ladder(r->flow), row);
    return 0;
}

static void take_up_rungs(const struct recover *r, uint64_t master)
{
    struct err err;

    if (query_open_rungs(r->store, master, on_rung, (void *)(uintptr_t)r, &err))
        log_warn("recover", "%s", err.text);
}

static void take_up_drains(const struct recover *r, uint64_t master)
{
    struct err err;

    if (query_drains(r->store, master, on_drain, (void *)(uintptr_t)r, &err))
        log_warn("recover", "%s", err.text);
}

size_t recover_jobs(const struct recover *r)
{
    struct dead d = { .r = r };
    struct err err;
    size_t n = 0;

    if (query_masters(r->store, on_master, &d, &err))
        log_warn("recover", "%s", err.text);
    for (size_t i = 0; i < d.n; i++) {
        if (d.v[i].ours) {
            n += take_up(r, d.v[i].instance);
            take_up_drains(r, d.v[i].instance);
            take_up_rungs(r, d.v[i].instance);
        }
        journal_bury(r->journal, d.v[i].instance);
    }
    free(d.v);
    return n;
}
