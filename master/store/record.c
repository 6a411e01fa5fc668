/* record.c - see record.h. */
#include "master/store/record.h"

#include "master/state/job_ops.h"

uint64_t record_number(const struct job *j)
{
    return j->id ? j->id : j->record.new_id;
}

/* ------------------------------------------------------------------ nodes */

void record_of_node(struct store_node *row, const struct node *n,
                    uint64_t master)
{
    const char *why = n->leaving.why, *to = n->leaving.to;

    *row = (struct store_node){
        .name = n->name, .hostname = n->hostname, .machine = n->machine,
        .state = node_state_name(n->state), .cpus = n->cpus, .load = n->load,
        .cpu_busy = n->cpu_busy, .memory_bytes = n->memory_bytes,
        .memory_available_bytes = n->memory_available_bytes,
        .clock_offset_ns = { n->clock_known, n->clock_offset_ns },
        .clock_error_ns = { n->clock_known, (int64_t)n->clock_error_ns },
        .seen_ns = n->seen_ns,
        .draining = { n->drain_news, n->draining },
    };
    if (n->drain_news) {
        row->drain_why = why ? why : "";
        row->drain_to = to ? to : "";
        row->drain_master = master;
        row->drain_by = !n->draining ? "" : n->owner.drains ? "owner" : "operator";
    }
    if (n->owner.news) {
        row->owner = node_owner_name(n->owner.is);
        row->owner_why = n->owner.why ? n->owner.why : "";
        row->owner_since_ns = n->owner.since_ns;
    }
}

/* ------------------------------------------------------------------- jobs */

void record_of_job(struct store_job *row, const struct job *j,
                   uint64_t master)
{
    const struct job_saved saved = job_saved(j);

    *row = (struct store_job){
        .job = j->id, .name = j->name, .command = j->command,
        .state = job_state_name(j->state), .why = j->ending.why,
        .ntasks = j->ntasks, .uid = j->uid, .submitted_ns = j->submitted_ns,
        .started_ns = j->started_ns, .ended_ns = j->ended_ns,
        .exit_code = { job_state_final(j->state) && job_exit_known(j),
                       job_exit_code(j) },
        .master = master,
        .batch = j->batch.id, .restarts = j->batch.restarts,
        .limit_ns = j->batch.end_ns, .reason = j->batch.reason,
        .from_job = j->from.job, .from_checkpoint = j->from.checkpoint,
        .saved_node_hours = saved.node_hours,
        .saved_core_hours = saved.core_hours, .saved_percent = saved.percent,
    };
}

static void record_of_past(struct store_resume *row, const struct job *j)
{
    struct job_past past = { 0 };

    j->ops->note(j, &past);
    row->session = record_number(past.session ? past.session : j);
    row->world = past.world;
    row->closing = past.closing;
    row->launcher_code = (struct row_maybe){ past.known, past.code };
    row->unfinalized = past.left;
}

void record_of_deadline(struct store_deadline *row, const struct due *d,
                        const char *ranks, uint64_t added_ns)
{
    static const char *const kinds[DUE_KINDS] = {
        [DUE_END] = "end", [DUE_CALL] = "call", [DUE_PERIOD] = "period",
        [DUE_SPAN] = "span", [DUE_CLOCK] = "clock",
    };

    *row = (struct store_deadline){
        .number = d->number, .text = d->text, .kind = kinds[d->kind],
        .limit_ns = d->limit_ns, .margin = d->margin, .firm = d->firm,
        .ranks = ranks, .over = d->over, .added_ns = added_ns,
    };
}

void record_of_resume(struct store_resume *row, const struct job *j)
{
    const struct job_ending *e = &j->ending;

    *row = (struct store_resume){
        .job = record_number(j), .failed = e->failed, .killed = e->killed,
        .at_once = e->at_once, .aborted = e->aborted,
        .fail_code = e->exit_code, .kill_code = e->kill_code,
        .failed_ns = e->failed_ns,
        .stores = j->stores, .resumes = j->resumes,
        .owner_ranks = j->owner_ranks,
    };
    if (j->ops->note)
        record_of_past(row, j);
    if (!j->submit.stored)
        row->submit = (struct row_bytes){ j->submit.bytes, j->submit.n };
    if (!j->placement.stored)
        row->placement = (struct row_bytes){ j->placement.bytes,
                                             j->placement.n };
}

void record_to_job(struct job *j, const struct store_job *row,
                   const struct store_resume *past)
{
    struct job_ending *e = &j->ending;

    j->id = row->job;
    j->state = machine_find(&job_state_machine, row->state ? row->state : "");
    j->submitted_ns = row->submitted_ns;
    j->started_ns = row->started_ns;
    if (row->why)
        node_set_text(&e->why, row->why);
    j->batch.end_ns = row->limit_ns;
    if (row->reason)
        node_set_text(&j->batch.reason, row->reason);
    e->failed = past->failed;
    e->killed = past->killed;
    e->at_once = past->at_once;
    e->aborted = past->aborted;
    e->exit_code = past->fail_code;
    e->kill_code = past->kill_code;
    e->failed_ns = past->failed_ns;
    j->stores = past->stores || j->state == JOB_STORED;
    j->resumes = past->resumes;
    if (past->owner_ranks)
        node_set_text(&j->owner_ranks, past->owner_ranks);
    j->submit.stored = true;
}

/* ------------------------------------------------------------------ tasks */

void record_of_task(struct store_task *row, const struct job *j,
                    const struct task *t)
{
    bool known = t->ended && !t->untold;

    *row = (struct store_task){
        .job = record_number(j), .rank = job_rank(j, t),
        .node = t->node < j->nnodes ? j->nodes[t->node].node->stored : 0,
        .pid = t->pid, .state = task_state_name(t->state),
        .exit_code = { known, t->exit_code },
        .signal = known ? (uint32_t)t->signal : 0,
        .mpi_calls = t->mpi_calls, .in_mpi_ns = t->in_mpi_ns,
        .out_mpi_ns = t->out_mpi_ns, .cpu_ns = t->cpu_ns,
        .cpu_in_mpi_ns = t->cpu_in_mpi_ns, .rss_bytes = t->rss_bytes,
        .started_ns = t->started_ns, .ended_ns = t->ended_ns,
        .ring_waits = t->ring_waits, .ring_lost = t->ring_lost,
        .last_tag = t->last_tag, .why = t->why,
        .hold = hold_name(t->hold), .held_ns = t->held_ns,
        .held_since_ns = t->held_since_ns, .waited_ns = t->waited_ns,
        .class = priority_sort_name((enum priority_sort)t->share.sort),
        .nice = { t->share.sort != PRIORITY_SORT_UNKNOWN, t->share.nice },
        .applied =
            priority_applied_name((enum priority_applied)t->share.applied),
    };
}

void record_to_task(struct task *t, const struct store_task *row)
{
    t->state = machine_find(&task_state_machine, row->state);
    if (t->state == TASK_STATE_COUNT)
        t->state = TASK_PLACED;
    t->pid = row->pid;
    t->ended = row->exit_code.known;
    t->exit_code = (int)row->exit_code.v;
    t->signal = (int)row->signal;
    t->mpi_calls = row->mpi_calls;
    t->in_mpi_ns = row->in_mpi_ns;
    t->out_mpi_ns = row->out_mpi_ns;
    t->cpu_ns = row->cpu_ns;
    t->cpu_in_mpi_ns = row->cpu_in_mpi_ns;
    t->waited_ns = row->waited_ns;
    t->rss_bytes = row->rss_bytes;
    t->started_ns = row->started_ns;
    t->ended_ns = row->ended_ns;
    t->records = t->acked = row->records;
    t->ring_waits = row->ring_waits;
    t->ring_lost = row->ring_lost;
    t->hold = machine_find(&hold_machine, row->hold ? row->hold : "");
    if (t->hold == HOLD_COUNT)
        t->hold = HOLD_GOING;
    t->held_ns = row->held_ns;
    t->held_since_ns = row->held_since_ns;
    if (row->last_tag)
        node_set_text(&t->last_tag, row->last_tag);
    if (row->why)
        node_set_text(&t->why, row->why);
}
