/* journal.c - queues in front of the store, and the one transaction a turn
 * that empties them: noted, written, taken off the queues after the commit.
 *
 * Invariants. A job, task or node is in a list exactly when its flag says so,
 * and leaves it only after a commit that contained it, so trying again after
 * a failure writes the same again. Batches leave in the order they came.
 * `due` is the time the timer is set for, 0 if it is not. */
#include "master/store/journal_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/query.h"
#include "master/store/record.h"
#include "master/store/row.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"

enum {
    JOURNAL_ROWS_FLUSH = 16384, /* some 40 ms of writing */
    JOURNAL_ROWS_HIGH = 65536,  /* more than that: the database is stuck */
    JOURNAL_BYTES_HIGH = 32 << 20,
};
static const uint64_t journal_later_ns = 1000 * MS;     /* for counters */
static const uint64_t journal_soon_ns = 50 * MS;
static const uint64_t journal_retry_ns = 20 * MS;
static const uint64_t journal_patience_ns = 5000 * MS;  /* busy, or full */
enum { JOURNAL_LAST_MS = 2000 };        /* nobody else is waited for then */

static void journal_flush(struct journal *jn);

static void journal_timer(evutil_socket_t fd, short what, void *arg)
{
    struct journal *jn = arg;

    (void)fd;
    (void)what;
    jn->due = 0;
    journal_flush(jn);
}

void journal_wake(struct journal *jn, uint64_t delay_ns)
{
    uint64_t now = clock_monotonic_ns(), at = now + delay_ns;

    if (at < jn->retry_at)
        at = jn->retry_at;
    if (jn->due && jn->due <= at)
        return;
    jn->due = at;
    if (at <= now) {
        event_del(jn->timer);
        event_active(jn->timer, EV_TIMEOUT, 0);
        return;
    }
    timer_set(jn->timer, at - now);
}

/* ---------------------------------------------------------------- noting */

static void journal_list(struct journal *jn, struct job *j)
{
    if (j->record.listed)
        return;
    j->record.listed = true;
    j->record.next = jn->jobs;
    jn->jobs = j;
}

void journal_job(struct journal *jn, struct job *j)
{
    j->record.dirty = true;
    journal_list(jn, j);
    journal_wake(jn, 0);
}

static void list_task(const struct job *j, struct task *t, uint32_t *list,
                      enum task_dirty dirty)
{
    t->record = (struct task_record){ dirty, *list };
    *list = job_rank(j, t) + 1;
}

void journal_task(struct journal *jn, struct job *j, struct task *t)
{
    if (t->record.dirty == TASK_DIRTY_LATER)
        j->record.write_later = true;
    else if (t->record.dirty == TASK_CLEAN)
        list_task(j, t, &j->record.dirty_tasks, TASK_DIRTY);
    journal_list(jn, j);
    journal_wake(jn, journal_soon_ns);
}

void journal_task_later(struct journal *jn, struct job *j, struct task *t)
{
    if (t->record.dirty != TASK_CLEAN)
        return;
    list_task(j, t, &j->record.later_tasks, TASK_DIRTY_LATER);
    journal_list(jn, j);
    journal_wake(jn, journal_later_ns);
}

void journal_node(struct journal *jn, struct node *n)
{
    if (n->dirty)
        return;
    if (array_reserve(&jn->nodes, &jn->nodes_cap, jn->nnodes + 1))
        return;                 /* the next word of this node tries again */
    n->dirty = true;
    jn->nodes[jn->nnodes++] = n;
    journal_wake(jn, journal_soon_ns);
}

void journal_step(struct journal *jn, const struct job *j,
                  const struct machine *m, int64_t rank, unsigned event,
                  unsigned from, unsigned to)
{
    if (array_reserve(&jn->steps, &jn->steps_cap, jn->nsteps + 1)) {
        log_warn("journal", "a step is not recorded job=%llu: out of memory",
                 (unsigned long long)j->id);
        return;
    }
    jn->steps[jn->nsteps++] = (struct journal_step){
        j, clock_wall_ns(), m->name, rank, machine_event(m, event),
        machine_state(m, from), machine_state(m, to) };
    journal_wake(jn, journal_soon_ns);
}

void journal_bury(struct journal *jn, uint64_t master)
{
    if (array_reserve(&jn->dead, &jn->dead_cap, jn->ndead + 1))
        return;                 /* the next master does it */
    jn->dead[jn->ndead++] = master;
    journal_wake(jn, 0);
}

struct journal_batch *journal_batch_create(size_t nevents, size_t nlabels,
                                           size_t text_bytes)
{
    size_t events = nevents * sizeof(struct store_event);
    size_t labels = nlabels * sizeof(struct store_label);
    size_t bytes = sizeof(struct journal_batch) + events + labels + text_bytes;
    struct journal_batch *b = malloc(bytes);

    if (!b)
        return NULL;
    memset(b, 0, sizeof(*b));
    b->events = (struct store_event *)(b + 1);
    b->labels = (struct store_label *)(b->events + nevents);
    b->text = (char *)(b->labels + nlabels);
    b->rows.events = b->events;
    b->rows.nevents = nevents;
    b->rows.labels = b->labels;
    b->rows.nlabels = nlabels;
    b->bytes = bytes;
    return b;
}

static void journal_press(struct journal *jn)
{
    bool high = jn->rows > JOURNAL_ROWS_HIGH || jn->bytes > JOURNAL_BYTES_HIGH;

    if (high == jn->high)
        return;
    jn->high = high;
    jn->ops->pressure(jn->arg, high);
}

void journal_events(struct journal *jn, struct journal_batch *b)
{
    STAILQ_INSERT_TAIL(&jn->batches, b, place);
    jn->rows += b->rows.nevents;
    jn->bytes += b->bytes;
    journal_wake(jn, jn->rows >= JOURNAL_ROWS_FLUSH ? 0 : journal_soon_ns);
    journal_press(jn);
}

struct journal_profile *journal_profile_create(
    const struct store_profile *counts, size_t nlists, size_t text_bytes)
{
    const struct store_profile *n = counts;
    size_t bytes = sizeof(struct journal_profile) +
                   n->nmodules * sizeof(*n->modules) +
                   n->nframes * sizeof(*n->frames) +
                   n->nsites * sizeof(*n->sites) +
                   n->ncosts * sizeof(*n->costs) +
                   n->nnames * sizeof(*n->names) +
                   nlists * sizeof(int64_t) + text_bytes;
    struct journal_profile *p = malloc(bytes);

    if (!p)
        return NULL;
    *p = (struct journal_profile){ .rows = *n, .bytes = bytes };
    p->rows.modules = (struct store_module *)(p + 1);
    p->rows.frames = (struct store_frame *)(p->rows.modules + n->nmodules);
    p->rows.sites = (struct store_place *)(p->rows.frames + n->nframes);
    p->rows.costs = (struct store_cost *)(p->rows.sites + n->nsites);
    p->rows.names = (struct store_source *)(p->rows.costs + n->ncosts);
    p->lists = (int64_t *)(p->rows.names + n->nnames);
    p->text = (char *)(p->lists + nlists);
    return p;
}

void journal_costs(struct journal *jn, struct journal_profile *p)
{
    STAILQ_INSERT_TAIL(&jn->profiles, p, place);
    jn->rows += p->rows.ncosts;
    jn->bytes += p->bytes;
    journal_wake(jn, jn->rows >= JOURNAL_ROWS_FLUSH ? 0 : journal_soon_ns);
    journal_press(jn);
}

static bool journal_of_jobs(const struct journal *jn)
{
    return jn->jobs || jn->nsteps || !STAILQ_EMPTY(&jn->batches) ||
           !STAILQ_EMPTY(&jn->profiles) || !STAILQ_EMPTY(&jn->notes);
}

bool journal_idle(const struct journal *jn)
{
    return !journal_of_jobs(jn) && !jn->nnodes && !jn->master_dirty &&
           !jn->ndead;
}

/* --------------------------------------------- rows that are written once */

/* What is to be done with the row; see store.h. */
enum note_what {
    NOTE_PUT, NOTE_INSTANCES, NOTE_STACK, NOTE_RESULT, NOTE_REPORT, NOTE_TRIM
};

/* They leave in the order they came. */
struct journal_note {
    STAILQ_ENTRY(journal_note) place;
    const struct job *job;      /* borrowed, as in struct journal_step, or NULL:
                                   its number is in the row */
    enum note_what what;
    enum store_table table;
    void *row;                  /* owned, with its texts and bytes */
    size_t n;                   /* NOTE_INSTANCES: so many rows */
};

static void note_add(struct journal *jn, const struct job *j,
                     enum note_what what, enum store_table table,
                     const void *row)
{
    struct journal_note *n = calloc(1, sizeof(*n));

    if (!n || !(n->row = row_copy(table, row))) {
        free(n);
        log_warn("journal", "an action or verdict is not recorded job=%llu: "
                 "out of memory", j ? (unsigned long long)j->id : 0);
        return;
    }
    n->job = j;
    n->what = what;
    n->table = table;
    STAILQ_INSERT_TAIL(&jn->notes, n, place);
}

void journal_action(struct journal *jn, const struct job *j,
                    const struct store_action *a)
{
    struct store_action row = *a;

    row.at_ns = clock_wall_ns();
    note_add(jn, j, NOTE_PUT, STORE_TABLE_action, &row);
    journal_wake(jn, 0);
}

void journal_action_result(struct journal *jn, const struct job *j,
                           const char *action, const char *result)
{
    struct store_action row = { .action = action, .result = result };

    note_add(jn, j, NOTE_RESULT, STORE_TABLE_action, &row);
    journal_wake(jn, 0);
}

void journal_verdict(struct journal *jn, const struct job *j,
                     const struct store_verdict *v)
{
    struct store_verdict row = *v;

    row.at_ns = clock_wall_ns();
    note_add(jn, j, NOTE_PUT, STORE_TABLE_verdict, &row);
    journal_wake(jn, 0);
}

void journal_outlier(struct journal *jn, const struct job *j,
                     const struct store_outlier *row)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_outlier, row);
    journal_wake(jn, 0);
}

void journal_odd_step(struct journal *jn, const struct job *j,
                      const struct store_step *row)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_step, row);
    journal_wake(jn, 0);
}

void journal_remark(struct journal *jn, const struct job *j,
                    const struct store_remark *row)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_remark, row);
    journal_wake(jn, 0);
}

void journal_learnt(struct journal *jn, const struct job *j,
                    const struct store_learnt *row)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_learnt, row);
    journal_wake(jn, 0);
}

void journal_deadline(struct journal *jn, const struct job *j,
                      const struct due *d, uint64_t added_ns)
{
    char *ranks = d->some ? taskset_text(&d->ranks) : NULL;
    struct store_deadline row;

    record_of_deadline(&row, d, ranks, added_ns);
    note_add(jn, j, NOTE_PUT, STORE_TABLE_deadline, &row);
    free(ranks);
    journal_wake(jn, journal_soon_ns);
}

void journal_instances(struct journal *jn, const struct job *j,
                       const struct store_instance *rows, size_t n)
{
    struct journal_note *note = n ? calloc(1, sizeof(*note)) : NULL;

    if (note && !(note->row = malloc(n * sizeof(*rows)))) {
        free(note);
        note = NULL;
    }
    if (!note && n)
        log_warn("journal", "%zu instances of deadlines are not recorded "
                 "job=%llu: out of memory", n, (unsigned long long)j->id);
    if (!note)
        return;
    memcpy(note->row, rows, n * sizeof(*rows));
    note->job = j;
    note->what = NOTE_INSTANCES;
    note->table = STORE_TABLE_instance;
    note->n = n;
    STAILQ_INSERT_TAIL(&jn->notes, note, place);
    jn->rows += n;
    jn->bytes += n * sizeof(*rows);
    journal_wake(jn, jn->rows >= JOURNAL_ROWS_FLUSH ? 0 : journal_soon_ns);
    journal_press(jn);
}

void journal_rung(struct journal *jn, const struct store_rung *row)
{
    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_rung, row);
    journal_wake(jn, 0);
}

void journal_climb(struct journal *jn, const struct store_climb *row)
{
    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_climb, row);
    journal_wake(jn, 0);
}

void journal_progress_node(struct journal *jn, const struct job *j,
                           const struct store_progress_node *n)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_progress_node, n);
    journal_wake(jn, 0);
}

void journal_report(struct journal *jn, const struct job *j, uint64_t seq,
                    const char *policy, const char *report)
{
    struct store_verdict row = { .policy = policy, .seq = seq,
                                 .report = report };

    note_add(jn, j, NOTE_REPORT, STORE_TABLE_verdict, &row);
    journal_wake(jn, 0);
}

void journal_look(struct journal *jn, const struct job *j,
                  const struct store_look *l)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_look, l);
    journal_wake(jn, journal_later_ns);
}

void journal_trim_looks(struct journal *jn, const struct job *j, uint64_t seq)
{
    struct store_look row = { .seq = seq };

    note_add(jn, j, NOTE_TRIM, STORE_TABLE_look, &row);
}

void journal_stack(struct journal *jn, uint64_t job, uint64_t seq,
                   const void *tree, size_t bytes)
{
    struct store_stack row = { .job = job, .seq = seq,
                               .at_ns = clock_wall_ns(),
                               .tree = { tree, bytes } };

    note_add(jn, NULL, NOTE_STACK, STORE_TABLE_stack, &row);
    journal_wake(jn, 0);
}

void journal_model(struct journal *jn, uint64_t job, const void *model,
                   size_t bytes)
{
    struct store_model row = { .job = job, .at_ns = clock_wall_ns(),
                               .model = { model, bytes } };

    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_model, &row);
    journal_wake(jn, 0);
}

void journal_slice(struct journal *jn, const struct store_slice *row)
{
    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_slice, row);
    journal_wake(jn, 0);
}

void journal_run(struct journal *jn, const struct job *j,
                 const struct store_run *row)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_run, row);
    journal_wake(jn, 0);
}

void journal_stay(struct journal *jn, uint64_t job, uint64_t place,
                  uint64_t longest_ns)
{
    struct store_stay row = { .place = place, .longest_ns = longest_ns,
                              .job = job, .at_ns = clock_wall_ns() };

    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_stay, &row);
    journal_wake(jn, 0);
}

void journal_posting(struct journal *jn, const struct job *j,
                     const struct task *t, uint64_t from_ns, uint64_t to_ns)
{
    struct store_posting row = {
        .rank = job_rank(j, t), .from_ns = from_ns, .to_ns = to_ns,
        .pid = t->pid, .node = j->nodes[t->node].node->stored };

    note_add(jn, j, NOTE_PUT, STORE_TABLE_posting, &row);
    journal_wake(jn, 0);
}

void journal_checkpoint(struct journal *jn, const struct job *j,
                        const struct store_checkpoint *c)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_checkpoint, c);
    journal_wake(jn, 0);
}

void journal_move(struct journal *jn, const struct job *j,
                  const struct store_move *m)
{
    note_add(jn, j, NOTE_PUT, STORE_TABLE_move, m);
    journal_wake(jn, 0);
}

void journal_system(struct journal *jn, const struct store_system *row)
{
    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_system, row);
    journal_wake(jn, 0);
}

void journal_plan(struct journal *jn, const struct store_plan *row)
{
    note_add(jn, NULL, NOTE_PUT, STORE_TABLE_plan, row);
    journal_wake(jn, 0);
}

static int write_instances(struct journal *jn, const struct journal_note *n,
                           struct err *err)
{
    struct store_instance *rows = n->row;

    for (size_t i = 0; i < n->n; i++) {
        rows[i].job = record_number(n->job);
        if (store_put_instance(jn->store, &rows[i], err))
            return -1;
    }
    return 0;
}

static int note_write(struct journal *jn, const struct journal_note *n,
                      struct err *err)
{
    const struct store_look *look = n->row;

    if (n->what == NOTE_INSTANCES)
        return write_instances(jn, n, err);
    if (n->job)
        row_set_job(n->table, n->row, record_number(n->job));
    switch (n->what) {
    case NOTE_INSTANCES:
        break;
    case NOTE_PUT:
        return row_put(jn->store, n->table, n->row, err);
    case NOTE_STACK:
        return store_put_stack(jn->store, n->row, err);
    case NOTE_RESULT:
        return store_put_result(jn->store, n->row, err);
    case NOTE_REPORT:
        return store_put_report(jn->store, n->row, err);
    case NOTE_TRIM:
        return store_trim_looks(jn->store, look->job, look->seq, err);
    }
    return 0;
}

static int notes_write(struct journal *jn, struct err *err)
{
    const struct journal_note *n;

    STAILQ_FOREACH(n, &jn->notes, place)
        if (note_write(jn, n, err))
            return -1;
    return 0;
}

static void notes_drop(struct journal *jn)
{
    for (struct journal_note *n; (n = STAILQ_FIRST(&jn->notes)); free(n)) {
        STAILQ_REMOVE_HEAD(&jn->notes, place);
        free(n->row);
    }
}

/* ----------------------------------------------------------------- writing
 * Nothing is taken off a queue here: that is done after the commit. */

/* Whoever reads the file elsewhere sees by that that we live. */
static int write_master(struct journal *jn, struct err *err)
{
    uint64_t now = clock_wall_ns();

    if (!jn->master_dirty && jn->master.seen_ns <= now &&
        now - jn->master.seen_ns < journal_later_ns)
        return 0;
    jn->master.seen_ns = now;
    return store_put_master(jn->store, &jn->master, err);
}

static int write_node(struct journal *jn, struct node *n, struct err *err)
{
    struct store_node row;

    record_of_node(&row, n, jn->master.instance);
    return store_put_node(jn->store, &row, &n->stored, err);
}

static int write_resume(struct journal *jn, const struct job *j,
                        struct err *err)
{
    struct store_resume row;

    if (job_state_final(j->state))
        return store_drop_resume(jn->store, record_number(j), err) ||
               store_tidy(jn->store, err) ? -1 : 0;
    record_of_resume(&row, j);
    return store_put_resume(jn->store, &row, err);
}

static int write_job(struct journal *jn, struct job *j, struct err *err)
{
    struct job_batch *b = &j->batch;
    struct store_job row;

    if (j->id == 0 && b->id && b->run_ns &&
        store_count_runs(jn->store, b->id, b->run_ns, &b->restarts, err))
        return -1;
    record_of_job(&row, j, jn->master.instance);
    if (store_put_job(jn->store, &row, err))
        return -1;
    j->record.new_id = j->id ? 0 : row.job;
    if (row.job > jn->last_job)
        jn->last_job = row.job;
    return write_resume(jn, j, err);
}

static int write_task(struct journal *jn, const struct job *j,
                      const struct task *t, struct err *err)
{
    struct store_task row;

    record_of_task(&row, j, t);
    return store_put_task(jn->store, &row, err);
}

static int write_step(struct journal *jn, const struct journal_step *s,
                      struct err *err)
{
    char machine[32];
    struct store_transition row = {
        .job = record_number(s->job), .at_ns = s->at_ns, .machine = machine,
        .event = s->event, .state_from = s->from, .state_to = s->to,
    };

    if (s->rank >= 0)
        snprintf(machine, sizeof(machine), "%s %lld", s->machine,
                 (long long)s->rank);
    else
        snprintf(machine, sizeof(machine), "%s", s->machine);
    return store_put_transition(jn->store, &row, err);
}

static bool writes_later(const struct job *j, uint64_t now)
{
    return j->record.write_later || j->record.dirty ||
           now - j->record.samples_ns >= journal_later_ns;
}

static int write_tasks(struct journal *jn, const struct job *j, uint32_t list,
                       struct err *err)
{
    for (; list; list = j->tasks[list - 1].record.next)
        if (write_task(jn, j, &j->tasks[list - 1], err))
            return -1;
    return 0;
}

static int write_jobs(struct journal *jn, uint64_t now, struct err *err)
{
    for (struct job *j = jn->jobs; j; j = j->record.next) {
        if (j->record.dirty && write_job(jn, j, err))
            return -1;
        if (write_tasks(jn, j, j->record.dirty_tasks, err))
            return -1;
        if (writes_later(j, now) &&
            write_tasks(jn, j, j->record.later_tasks, err))
            return -1;
    }
    return 0;
}

/* Nodes first: tasks and events name them by the number they get. */
static int write_all(struct journal *jn, uint64_t now, struct err *err)
{
    struct journal_profile *p;
    struct journal_batch *b;

    if (write_master(jn, err))
        return -1;
    for (size_t i = 0; i < jn->nnodes; i++)
        if (write_node(jn, jn->nodes[i], err))
            return -1;
    if (write_jobs(jn, now, err))
        return -1;
    STAILQ_FOREACH(b, &jn->batches, place) {
        b->rows.job = b->job->id;
        b->rows.node = b->node->stored;
        if (store_add_events(jn->store, &b->rows, err))
            return -1;
    }
    STAILQ_FOREACH(p, &jn->profiles, place) {
        p->rows.job = p->job->id;
        if (store_put_profile(jn->store, &p->rows, err))
            return -1;
    }
    for (size_t i = 0; i < jn->nsteps; i++)
        if (write_step(jn, &jn->steps[i], err))
            return -1;
    if (notes_write(jn, err))
        return -1;
    for (size_t i = 0; i < jn->ndead; i++) {
        const struct store_grave g = { .master = jn->dead[i],
                                       .now_ns = clock_wall_ns() };

        if (store_bury(jn->store, &g, err))
            return -1;
    }
    return 0;
}

static int journal_write(struct journal *jn, uint64_t now, struct err *err)
{
    if (store_begin(jn->store, err))
        return -1;
    if (write_all(jn, now, err) == 0 && store_commit(jn->store, err) == 0)
        return 0;
    store_rollback(jn->store);
    for (struct job *j = jn->jobs; j; j = j->record.next)
        j->record.new_id = 0;
    return -1;
}

/* ---------------------------------------------------------- after a commit */

static void clean_tasks(const struct job *j, uint32_t *list)
{
    while (*list) {
        struct task_record *r = &j->tasks[*list - 1].record;

        *list = r->next;
        *r = (struct task_record){ TASK_CLEAN, 0 };
    }
}

/* Jobs whose counters are not due yet stay listed. */
static void clean_jobs(struct journal *jn, uint64_t now)
{
    struct job *keep = NULL;

    while (jn->jobs) {
        struct job *j = jn->jobs;
        struct job_record *r = &j->record;

        jn->jobs = r->next;
        if (writes_later(j, now)) {
            if (r->later_tasks)
                r->samples_ns = now;
            clean_tasks(j, &r->later_tasks);
            r->write_later = false;
        }
        clean_tasks(j, &r->dirty_tasks);
        if (r->dirty) {
            j->submit.stored = true;
            j->placement.stored = j->placement.bytes != NULL;
        }
        r->dirty = false;
        if (r->new_id)
            j->id = r->new_id;
        r->new_id = 0;
        r->listed = r->later_tasks != 0;
        if (r->listed) {
            r->next = keep;
            keep = j;
        }
    }
    jn->jobs = keep;
    if (keep)
        journal_wake(jn, journal_later_ns);
}

/* One acknowledgement a task, of its last batch. */
static void ack_batches(struct journal *jn)
{
    struct journal_batch *b;

    STAILQ_FOREACH(b, &jn->batches, place)
        b->job->tasks[b->rows.rank].acked = b->rows.upto;
    while ((b = STAILQ_FIRST(&jn->batches))) {
        STAILQ_REMOVE_HEAD(&jn->batches, place);
        if (b->job->tasks[b->rows.rank].acked == b->rows.upto)
            jn->ops->acked(jn->arg, b->job, b->rows.rank, b->rows.upto);
        free(b);
    }
    jn->rows = jn->bytes = 0;
}

static void drop_profiles(struct journal *jn)
{
    struct journal_profile *p;

    for (; (p = STAILQ_FIRST(&jn->profiles)); free(p))
        STAILQ_REMOVE_HEAD(&jn->profiles, place);
}

static void journal_done(struct journal *jn, uint64_t now)
{
    jn->master_dirty = false;
    for (size_t i = 0; i < jn->nnodes; i++)
        jn->nodes[i]->dirty = jn->nodes[i]->drain_news =
            jn->nodes[i]->owner.news = false;
    jn->nnodes = 0;
    jn->nsteps = 0;
    notes_drop(jn);
    jn->ndead = 0;
    clean_jobs(jn, now);
    drop_profiles(jn);
    ack_batches(jn);
    journal_press(jn);
    jn->ops->committed(jn->arg);
}

/* ------------------------------------------------------------------- flush */

static void journal_flush(struct journal *jn)
{
    uint64_t now = clock_monotonic_ns();
    struct err err;

    journal_try_to_return(jn, now);
    if (journal_idle(jn)) {
        jn->ops->committed(jn->arg);    /* who waited for us may go */
        return;
    }
    if (journal_write(jn, now, &err) == 0) {
        jn->retry_at = jn->busy_since = 0;
        journal_done(jn, now);
        return;
    }
    if (journal_may_return(&err) && !jn->busy_since)
        jn->busy_since = now;
    if (!journal_may_return(&err) || jn->aside ||
        now - jn->busy_since > journal_patience_ns)
        journal_replace(jn, &err);
    jn->retry_at = now + journal_retry_ns;
    journal_wake(jn, journal_retry_ns);
}

/* -------------------------------------------------------------- questions */

struct store *journal_store(const struct journal *jn)
{
    return jn->store;
}

static int on_job(void *arg, const struct store_job *job)
{
    struct journal_end *end = arg;

    if (!job->exit_code.known)
        return 0;
    end->exit_code = (int)job->exit_code.v;
    snprintf(end->why, sizeof(end->why), "%s", job->why ? job->why : "");
    return 0;
}

int journal_find_end(struct journal *jn, uint64_t job,
                     struct journal_end *end)
{
    struct err err;

    *end = (struct journal_end){ .exit_code = -1 };
    if (query_job(jn->store, job, on_job, end, &err))
        return -1;
    return end->exit_code < 0 ? -1 : 0;
}

/* ------------------------------------------------------------ life of it */

struct journal *journal_create(struct event_base *base, struct store *st,
                               const char *path, const struct err *aside,
                               const struct store_master *m,
                               const struct journal_ops *ops, void *arg,
                               struct err *err)
{
    struct journal *jn = calloc(1, sizeof(*jn));

    if (!jn || !(jn->timer = evtimer_new(base, journal_timer, jn))) {
        free(jn);
        store_close(st);
        err_memory(err);
        return NULL;
    }
    STAILQ_INIT(&jn->notes);
    STAILQ_INIT(&jn->batches);
    STAILQ_INIT(&jn->profiles);
    jn->base = base;
    jn->store = st;
    jn->path = path ? strdup(path) : NULL;
    jn->ops = ops;
    jn->arg = arg;
    if (aside)
        journal_set_aside(jn, aside);
    jn->master = *m;
    jn->master.process = m->process ? strdup(m->process) : NULL;
    jn->master.host = m->host ? strdup(m->host) : NULL;
    jn->master.address = m->address ? strdup(m->address) : NULL;
    jn->master_dirty = true;
    if (journal_seed(jn, err))
        log_warn("journal", "%s", err->text);
    journal_wake(jn, 0);
    return jn;
}

/* What is left, and that this master has ended. People hear of it if jobs are
 * concerned, and have not heard of it before. */
static void journal_finish(struct journal *jn)
{
    bool jobs = journal_of_jobs(jn);
    struct err err;

    jn->ending = true;
    jn->master.ended_ns = clock_wall_ns();
    jn->master_dirty = true;
    store_wait(jn->store, JOURNAL_LAST_MS);
    if (journal_write(jn, clock_monotonic_ns(), &err) == 0 &&
        (!jn->path || journal_settle(jn, &err) == 0))
        return;
    if (jobs && !jn->aside)
        log_warn("journal", "%s", err.text);
    else
        log_info("journal", "%s", err.text);
}

void journal_destroy(struct journal *jn)
{
    if (!jn)
        return;
    journal_finish(jn);
    for (struct journal_batch *b; (b = STAILQ_FIRST(&jn->batches)); free(b))
        STAILQ_REMOVE_HEAD(&jn->batches, place);
    drop_profiles(jn);
    store_close(jn->store);
    event_free(jn->timer);
    free((char *)jn->master.host);
    free((char *)jn->master.address);
    free((char *)jn->master.process);
    free(jn->dead);
    free(jn->path);
    free(jn->nodes);
    free(jn->steps);
    notes_drop(jn);
    free(jn);
}
