/* journal_write.c - what is queued in the journal, as rows of the store.
 *
 * Nothing is taken off a queue here: that is done after the commit. */
#include "master/store/journal_write.h"

#include <stdio.h>
#include <string.h>

#include "master/state/job_ops.h"

static int write_node(struct journal *jn, struct node *n, struct err *err)
{
    struct store_node row = {
        .name = n->name, .hostname = n->hostname, .machine = n->machine,
        .state = node_state_name(n->state), .cpus = n->cpus, .load = n->load,
        .cpu_busy = n->cpu_busy, .memory_bytes = n->memory_bytes,
        .memory_available_bytes = n->memory_available_bytes,
        .clock_known = n->clock_known, .clock_offset_ns = n->clock_offset_ns,
        .clock_error_ns = n->clock_error_ns, .seen_ns = n->seen_ns,
    };

    return store_put_node(jn->store, &row, &n->stored, err);
}

static void write_past(struct store_resume *row, const struct job *j)
{
    struct job_past past = { 0 };

    j->ops->note(j, &past);
    row->session = past.session ? journal_job_id(past.session) : row->job;
    row->world = past.world;
    row->closing = past.closing;
    row->code_known = past.known;
    row->launcher_code = past.code;
    row->unfinalized = past.left;
}

static int write_resume(struct journal *jn, const struct job *j, uint64_t id,
                        struct err *err)
{
    struct store_resume row = {
        .job = id, .failed = j->failed, .killed = j->killed,
        .at_once = j->at_once, .aborted = j->aborted,
        .fail_code = j->exit_code, .kill_code = j->kill_code,
        .failed_ns = j->failed_ns,
    };

    if (j->ops->note)
        write_past(&row, j);
    if (job_state_final(j->state))
        return store_drop_resume(jn->store, id, err) ||
                       store_tidy_looks(jn->store, err) ? -1 : 0;
    if (!j->submit.stored) {
        row.submit = j->submit.bytes;
        row.submit_bytes = j->submit.n;
    }
    if (!j->placement.stored) {
        row.placement = j->placement.bytes;
        row.placement_bytes = j->placement.n;
    }
    return store_put_resume(jn->store, &row, err);
}

static int write_job(struct journal *jn, struct job *j, struct err *err)
{
    struct store_job row = {
        .job = j->id, .name = j->name, .command = j->command,
        .state = job_state_name(j->state), .why = j->why,
        .ntasks = j->ntasks, .uid = j->uid, .submitted_ns = j->submitted_ns,
        .started_ns = j->started_ns, .ended_ns = j->ended_ns,
        .ended = job_state_final(j->state) && job_exit_known(j),
        .exit_code = job_exit_code(j),
        .master = jn->master.instance,
    };

    if (store_put_job(jn->store, &row, err))
        return -1;
    j->new_id = j->id ? 0 : row.job;
    if (row.job > jn->last_job)
        jn->last_job = row.job;
    return write_resume(jn, j, row.job, err);
}

uint64_t journal_job_id(const struct job *j)
{
    return j->id ? j->id : j->new_id;
}

static int write_task(struct journal *jn, const struct job *j,
                      const struct task *t, struct err *err)
{
    struct store_task row = {
        .job = journal_job_id(j), .rank = job_rank(j, t),
        .node = t->node < j->nnodes ? j->nodes[t->node].node->stored : 0,
        .pid = t->pid, .state = task_state_name(t->state),
        .ended = t->ended && j->ops->ours, .exit_code = t->exit_code, .signal = t->signal,
        .mpi_calls = t->mpi_calls, .in_mpi_ns = t->in_mpi_ns,
        .out_mpi_ns = t->out_mpi_ns, .cpu_ns = t->cpu_ns,
        .cpu_in_mpi_ns = t->cpu_in_mpi_ns, .rss_bytes = t->rss_bytes,
        .started_ns = t->started_ns, .ended_ns = t->ended_ns,
        .ring_waits = t->ring_waits, .ring_lost = t->ring_lost,
        .last_tag = t->last_tag, .why = t->why,
        .hold = hold_name(t->hold), .held_ns = t->held_ns,
        .held_since_ns = t->held_since_ns,
    };

    return store_put_task(jn->store, &row, err);
}

static int write_step(struct journal *jn, const struct journal_step *s,
                      struct err *err)
{
    char machine[32];
    struct store_transition row = {
        .job = journal_job_id(s->job), .at_ns = s->at_ns, .machine = machine,
        .event = s->event, .from = s->from, .to = s->to,
    };

    if (s->rank >= 0)
        snprintf(machine, sizeof(machine), "%s %lld", s->machine,
                 (long long)s->rank);
    else
        snprintf(machine, sizeof(machine), "%s", s->machine);
    return store_add_transition(jn->store, &row, err);
}

bool journal_writes_later(const struct job *j, uint64_t now)
{
    return j->write_later || j->dirty ||
           now - j->samples_ns >= journal_later_ns;
}

static int write_jobs(struct journal *jn, uint64_t now, struct err *err)
{
    for (struct job *j = jn->jobs; j; j = j->next_listed) {
        if (j->dirty && write_job(jn, j, err))
            return -1;
        for (struct task *t = j->dirty_tasks; t; t = t->next_dirty)
            if (write_task(jn, j, t, err))
                return -1;
        if (!journal_writes_later(j, now))
            continue;
        for (struct task *t = j->later_tasks; t; t = t->next_dirty)
            if (write_task(jn, j, t, err))
                return -1;
    }
    return 0;
}

/* Nodes first: tasks and events name them by the number they get. */
static int write_all(struct journal *jn, uint64_t now, struct err *err)
{
    if (jn->master_dirty && store_put_master(jn->store, &jn->master, err))
        return -1;
    for (size_t i = 0; i < jn->nnodes; i++)
        if (write_node(jn, jn->nodes[i], err))
            return -1;
    if (write_jobs(jn, now, err))
        return -1;
    for (struct journal_batch *b = jn->first; b; b = b->next) {
        b->rows.job = b->job->id;
        b->rows.node = b->node->stored;
        if (store_add_events(jn->store, &b->rows, err))
            return -1;
    }
    for (struct journal_profile *p = jn->first_profile; p; p = p->next) {
        p->rows.job = p->job->id;
        if (store_put_profile(jn->store, &p->rows, err))
            return -1;
    }
    for (size_t i = 0; i < jn->nsteps; i++)
        if (write_step(jn, &jn->steps[i], err))
            return -1;
    if (journal_notes_write(jn, err))
        return -1;
    for (size_t i = 0; i < jn->ndead; i++)
        if (store_bury(jn->store, jn->dead[i], clock_wall_ns(), err))
            return -1;
    return 0;
}

int journal_write(struct journal *jn, uint64_t now, struct err *err)
{
    if (store_begin(jn->store, err))
        return -1;
    if (write_all(jn, now, err) == 0 && store_commit(jn->store, err) == 0)
        return 0;
    store_rollback(jn->store);
    for (struct job *j = jn->jobs; j; j = j->next_listed)
        j->new_id = 0;
    return -1;
}
