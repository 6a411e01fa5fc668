/* job.c - jobs, their tasks and nodes, and the sums over them.
 *
 * Invariants, once placed: every rank is in exactly one nodes[i].ranks, and
 * tasks[rank].node == i; nlive counts the tasks of a node that are not in a
 * final state, nended those of the job that are; nprepared, nlaunched and
 * ndrained count the nodes whose flag is set. */
#include "master/state/job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/state/job_ops.h"
#include "master/state/pace.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"

/* ------------------------------------------------------------------ table */

struct job *jobs_find(const struct jobs *t, uint64_t id)
{
    struct job *j = t->bucket[id % JOBS_BUCKETS];

    while (j && j->id != id)
        j = j->next;
    return j;
}

void jobs_add(struct jobs *t, struct job *j)
{
    struct job **b = &t->bucket[j->id % JOBS_BUCKETS];

    j->next = *b;
    *b = j;
    t->n++;
}

void jobs_remove(struct jobs *t, struct job *j)
{
    struct job **p = &t->bucket[j->id % JOBS_BUCKETS];

    while (*p && *p != j)
        p = &(*p)->next;
    if (*p) {
        *p = j->next;
        t->n--;
    }
    j->next = NULL;
}

struct job *jobs_next(const struct jobs *t, const struct job *after)
{
    size_t i = 0;

    if (after && after->next)
        return after->next;
    if (after)
        i = after->id % JOBS_BUCKETS + 1;
    while (i < JOBS_BUCKETS && !t->bucket[i])
        i++;
    return i < JOBS_BUCKETS ? t->bucket[i] : NULL;
}

void job_destroy(struct job *j)
{
    int saved = errno;

    if (!j)
        return;
    for (uint32_t r = 0; j->tasks && r < j->ntasks; r++) {
        free(j->tasks[r].last_tag);
        free(j->tasks[r].why);
    }
    for (size_t i = 0; i < j->nnodes; i++)
        taskset_fini(&j->nodes[i].ranks);
    free(j->tasks);
    free(j->nodes);
    free(j->index.of);
    free(j->submit.bytes);
    free(j->placement.bytes);
    free(j->name);
    free(j->command);
    free(j->ending.why);
    free(j->batch.id);
    free(j->batch.reason);
    free(j->batch.before);
    free(j->owner_ranks);
    free(j->paces);
    free(j);
    errno = saved;
}

/* -------------------------------------------------------------- placement */

static int job_make_nodes(struct job *j, struct node *const *hosts,
                          const uint32_t *count, size_t nhosts,
                          uint32_t *slot_of)
{
    size_t ids = 0;

    for (size_t i = 0; i < nhosts; i++)
        if (hosts[i]->id >= ids)
            ids = (size_t)hosts[i]->id + 1;
    if (array_reserve_zeros(&j->nodes, &j->nodes_cap, nhosts) ||
        array_reserve_zeros(&j->index.of, &j->index.n, ids))
        return -1;
    for (size_t i = 0; i < nhosts; i++) {
        struct job_node *n = &j->nodes[j->nnodes];

        if (count[i] == 0)
            continue;
        n->node = hosts[i];
        n->ntasks = n->nlive = count[i];
        slot_of[i] = (uint32_t)j->nnodes++;
        j->index.of[hosts[i]->id] = (uint32_t)j->nnodes;
    }
    return 0;
}

int job_place(struct job *j, struct node *const *hosts,
              const uint32_t *host_of, const uint32_t *count, size_t nhosts,
              struct err *err)
{
    uint32_t *slot_of = calloc(nhosts, sizeof(*slot_of));
    int rc = slot_of ? job_make_nodes(j, hosts, count, nhosts, slot_of) : -1;

    for (uint32_t r = 0; rc == 0 && r < j->ntasks; r++) {
        struct task *t = &j->tasks[r];

        t->node = slot_of[host_of[r]];
        rc = taskset_add(&j->nodes[t->node].ranks, r, r);
    }
    free(slot_of);
    for (size_t i = 0; rc == 0 && i < j->nnodes; i++) {
        struct job_node *n = &j->nodes[i];

        n->node->ntasks += n->ntasks;
        n->node->njobs++;
        j->oversubscribed |= n->node->ntasks > n->node->cpus;
    }
    return rc ? err_memory(err) : 0;
}

void job_unplace(struct job *j)
{
    for (size_t i = 0; i < j->nnodes; i++) {
        struct job_node *n = &j->nodes[i];

        n->node->ntasks -= n->ntasks;
        n->node->njobs--;
        taskset_fini(&n->ranks);
        *n = (struct job_node){ 0 };
    }
    memset(j->index.of, 0, j->index.n * sizeof(*j->index.of));
    for (uint32_t r = 0; r < j->ntasks; r++)
        j->tasks[r].node = UINT32_MAX;
    j->nnodes = j->nprepared = j->nlaunched = j->ndrained = 0;
    j->nrunning = j->nended = 0;
    j->oversubscribed = false;
}

struct pace *job_pace(struct job *j, uint32_t number)
{
    if (number < 1 || number > PACES)
        return NULL;
    if (!j->paces)
        j->paces = calloc(PACES, sizeof(*j->paces));
    return j->paces ? &j->paces[number - 1] : NULL;
}

int job_resubmit(struct job *j, const Hct__Submit *s, struct err *err)
{
    uint8_t *bytes = malloc(hct__submit__get_packed_size(s) + 1);

    if (!bytes)
        return err_memory(err);
    free(j->submit.bytes);
    j->submit.bytes = bytes;
    j->submit.n = hct__submit__pack(s, bytes);
    j->submit.stored = false;
    return 0;
}

/* ------------------------------------------------------- one by one */

int job_grow(struct job *j, uint32_t ntasks)
{
    if (array_reserve_zeros(&j->tasks, &j->tasks_cap, ntasks))
        return -1;
    for (; j->ntasks < ntasks; j->ntasks++)
        j->tasks[j->ntasks].node = UINT32_MAX;
    return 0;
}

struct job_node *job_add_node(struct job *j, struct node *n)
{
    struct job_node *at;

    if (array_reserve(&j->nodes, &j->nodes_cap, j->nnodes + 1) ||
        array_reserve_zeros(&j->index.of, &j->index.n, (size_t)n->id + 1))
        return NULL;
    at = &j->nodes[j->nnodes++];
    *at = (struct job_node){ .node = n, .launched = true };     /* by somebody */
    j->nlaunched++;
    n->njobs++;
    j->index.of[n->id] = (uint32_t)j->nnodes;
    return at;
}

int job_add_task(struct job *j, struct job_node *jn, uint32_t rank)
{
    if (taskset_add(&jn->ranks, rank, rank))
        return -1;
    j->tasks[rank].node = (uint32_t)(jn - j->nodes);
    jn->ntasks++;
    jn->nlive++;
    jn->node->ntasks++;
    return 0;
}

int job_move_task(struct job *j, uint32_t rank, uint32_t node)
{
    struct task *t = &j->tasks[rank];
    struct job_node *from = &j->nodes[t->node], *to = &j->nodes[node];

    if (taskset_add(&to->ranks, rank, rank) ||
        taskset_remove(&from->ranks, rank, rank))
        return -1;
    from->ntasks--;
    from->node->ntasks--;
    from->nlive--;
    to->ntasks++;
    to->node->ntasks++;
    to->nlive++;
    t->node = node;
    j->oversubscribed |= to->node->ntasks > to->node->cpus;
    return 0;
}

void job_node_again(struct job *j, struct job_node *jn)
{
    j->nprepared -= jn->prepared;
    j->ndrained -= jn->drained;
    jn->prepared = jn->drained = jn->lost = false;
    jn->gone_mono_ns = 0;
}

/* -------------------------------------------------------------- finding */

struct job_node *job_node_find(struct job *j, const struct node *n)
{
    if (n->id >= j->index.n || !j->index.of[n->id])
        return NULL;
    return &j->nodes[j->index.of[n->id] - 1];
}

struct task *job_task_find(struct job *j, uint64_t rank)
{
    return rank < j->ntasks ? &j->tasks[rank] : NULL;
}

uint32_t job_rank(const struct job *j, const struct task *t)
{
    return (uint32_t)(t - j->tasks);
}

const char *job_node_name(const struct job *j, const struct task *t)
{
    return t->node < j->nnodes ? j->nodes[t->node].node->name : "?";
}

bool job_has_on(const struct job *j, const struct task *t,
                const struct job_node *jn)
{
    return t->node < j->nnodes && &j->nodes[t->node] == jn;
}

/* ------------------------------------------------------------------- sums */

void job_task_ended(struct job *j, struct task *t)
{
    j->nended++;
    if (t->node < j->nnodes)
        j->nodes[t->node].nlive--;
}

bool job_all_prepared(const struct job *j)
{
    return j->nprepared == j->nnodes;
}

bool job_all_launched(const struct job *j)
{
    return j->nlaunched == j->nnodes;
}

bool job_all_drained(const struct job *j)
{
    return j->ndrained == j->nnodes;
}

/* ------------------------------------------------------------- how it ends */

bool job_fail(struct job *j, int exit_code, uint64_t at_ns, const char *why)
{
    struct job_ending *e = &j->ending;

    /* What ends after the job was told to end did not fail, unless it had
     * ended before the failure we knew of. */
    if (e->killed || (e->failed && at_ns >= e->failed_ns) ||
        (e->failed && e->aborted))
        return false;
    node_set_text(&e->why, why);
    e->failed = true;
    e->exit_code = exit_code;
    e->failed_ns = at_ns;
    return true;
}

void job_abort(struct job *j)
{
    j->ending.aborted = j->ending.failed;
}

void job_abort_caused(struct job *j, uint64_t at_ns)
{
    if (at_ns < j->ending.failed_ns)
        j->ending.aborted = false;
}

void job_kill(struct job *j, const char *why, int exit_code, bool at_once)
{
    j->ending.killed = true;
    j->ending.kill_code = exit_code;
    j->ending.at_once |= at_once;
    node_set_text(&j->ending.why, why);
}

void job_kill_with(struct job *j, int signal)
{
    if (!j->ending.killed)
        j->ending.kill_signal = signal;
}

void job_kill_for(struct job *j, const char *why, int exit_code)
{
    j->ending.failed = j->ending.aborted = false;
    job_kill(j, why, exit_code, false);
}

void job_hurry(struct job *j)
{
    j->ending.at_once = true;
}

bool job_failed(const struct job *j)
{
    return j->ending.failed;
}

bool job_killed(const struct job *j)
{
    return j->ending.killed;
}

bool job_aborted(const struct job *j)
{
    return j->ending.aborted;
}

int job_kill_signal(const struct job *j)
{
    return j->ending.killed ? j->ending.kill_signal : 0;
}

int job_kill_code(const struct job *j)
{
    return j->ending.killed ? j->ending.kill_code : 0;
}

uint64_t job_grace_ns(const struct job *j)
{
    return j->ending.at_once ? 0 : j->grace_ns;
}

const char *job_why(const struct job *j)
{
    return j->ending.why ? j->ending.why : "";
}

void job_set_why(struct job *j, const char *why)
{
    node_set_text(&j->ending.why, why);
}

/* Every byte is looked at, so that time tells nothing. */
bool job_has_cookie(const struct job *j, const uint8_t *p, size_t bytes)
{
    unsigned differ = bytes != JOB_COOKIE;

    for (size_t i = 0; i < bytes && i < JOB_COOKIE; i++)
        differ |= (unsigned)(p[i] ^ j->cookie[i]);
    return differ == 0;
}

/* A kill without a code of its own: as the tasks ended, first one first; as
 * if the command itself had been told to end when none had begun. */
static int job_first_code(const struct job *j)
{
    uint64_t first_ns = UINT64_MAX;
    int code = j->nended ? 0 : 128 + SIGTERM;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct task *t = &j->tasks[r];

        if (t->ended && t->exit_code && t->ended_ns < first_ns) {
            first_ns = t->ended_ns;
            code = t->exit_code;
        }
    }
    return code;
}

struct job_saved job_saved(const struct job *j)
{
    const struct job_batch *b = &j->batch;
    struct job_saved s = { 0 };
    double hours;

    if (job_kill_code(j) != JOB_CODE_HUNG || job_failed(j) || !j->ended_ns ||
        b->end_ns <= j->ended_ns)
        return s;
    s.left_ns = b->end_ns - j->ended_ns;
    hours = (double)s.left_ns / (3600.0 * CLOCK_NS_PER_S);
    if (b->begin_ns && b->begin_ns < j->ended_ns)
        s.percent = 100.0 * (double)s.left_ns / (double)(b->end_ns - b->begin_ns);
    s.node_hours = hours * b->nodes;
    s.core_hours = hours * b->cpus;
    return s;
}

int job_code_of_tasks(const struct job *j)
{
    const struct job_ending *e = &j->ending;

    if (e->failed)
        return e->exit_code;
    if (e->killed)
        return e->kill_code ? e->kill_code : job_first_code(j);
    return 0;
}

const char *job_task_fate(const struct task *t, char *buf, size_t size)
{
    *buf = '\0';
    if (t->signal)
        snprintf(buf, size, "was killed by signal %d", t->signal);
    else if (t->exit_code)
        snprintf(buf, size, "exited with code %d", t->exit_code);
    else if (t->left)
        snprintf(buf, size, "left without MPI_Finalize");
    return buf;
}

bool job_exit_known(const struct job *j)
{
    bool known;

    j->ops->exit_code(j, &known);
    return known;
}

int job_exit_code(const struct job *j)
{
    bool known;

    return j->ops->exit_code(j, &known);
}

enum job_event job_end_event(const struct job *j)
{
    return j->ending.failed ? JOB_EVENT_ENDED_FAILED
         : j->ending.killed ? JOB_EVENT_ENDED_KILLED
                            : JOB_EVENT_ENDED;
}
