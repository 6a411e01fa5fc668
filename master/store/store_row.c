/* store_row.c - rows that are few: masters, jobs, tasks, nodes, transitions.
 *
 * Each is written whole from a plain struct, inserted or replaced, so that
 * writing it once more after a transaction was taken back is right. Columns
 * that events own (job.first_event, job.last_event, task.records) are left
 * alone. */
#include "master/store/store.h"

#include <stdio.h>

#include "master/store/store_db.h"
#include "mpi-wrappers/table/calls.h"

static const char sql_master[] =
    "INSERT INTO master(instance, pid, host, address, started_ns, ended_ns,"
    " process) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET"
    " address = ?4, ended_ns = ?6";

static const char sql_job_new[] = "INSERT INTO job(state) VALUES(NULL)";

static const char sql_job[] =
    "INSERT INTO job(job, name, command, ntasks, state, submitted_ns,"
    " started_ns, ended_ns, exit_code, why, uid, master)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
    " ON CONFLICT DO UPDATE SET name = ?2, command = ?3, ntasks = ?4,"
    " state = ?5, submitted_ns = ?6, started_ns = ?7, ended_ns = ?8,"
    " exit_code = ?9, why = ?10, uid = ?11, master = ?12";

static const char sql_task[] =
    "INSERT INTO task(job, rank, node, pid, state, exit_code, signal,"
    " mpi_calls, in_mpi_ns, out_mpi_ns, cpu_ns, cpu_in_mpi_ns, rss_bytes,"
    " started_ns, ended_ns, ring_waits, ring_lost, last_tag, why, hold,"
    " held_ns, held_since_ns)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
    " ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)"
    " ON CONFLICT DO UPDATE SET node = ?3, pid = ?4, state = ?5,"
    " exit_code = ?6, signal = ?7, mpi_calls = ?8, in_mpi_ns = ?9,"
    " out_mpi_ns = ?10, cpu_ns = ?11, cpu_in_mpi_ns = ?12, rss_bytes = ?13,"
    " started_ns = ?14, ended_ns = ?15, ring_waits = ?16, ring_lost = ?17,"
    " last_tag = ?18, why = ?19, hold = ?20, held_ns = ?21,"
    " held_since_ns = ?22";

static const char sql_node[] =
    "INSERT INTO node(name, hostname, state, cpus, load, cpu_busy,"
    " memory_bytes, memory_available_bytes, machine, clock_offset_ns,"
    " clock_error_ns, seen_ns)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
    " ON CONFLICT(name) DO UPDATE SET hostname = ?2, state = ?3, cpus = ?4,"
    " load = ?5, cpu_busy = ?6, memory_bytes = ?7,"
    " memory_available_bytes = ?8, machine = ?9, clock_offset_ns = ?10,"
    " clock_error_ns = ?11, seen_ns = ?12 RETURNING id";

static const char sql_transition[] =
    "INSERT INTO transition(job, at_ns, machine, event, state_from, state_to)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6)";

static const char sql_call[] =
    "INSERT OR REPLACE INTO mpi_call(id, name) VALUES(?1, ?2)";

int store_put_master(struct store *st, const struct store_master *m,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_MASTER, sql_master, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)(m->instance & INT64_MAX));
    sqlite3_bind_int64(s, 2, m->pid);
    store_bind_text(s, 3, m->host);
    store_bind_text(s, 4, m->address);
    store_bind_known(s, 5, m->started_ns);
    store_bind_known(s, 6, m->ended_ns);
    store_bind_text(s, 7, m->process);
    return store_run(st, s, err);
}

static int store_number_job(struct store *st, struct store_job *j,
                            struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_JOB_NEW, sql_job_new, err);

    if (!s || store_run(st, s, err))
        return -1;
    j->job = (uint64_t)sqlite3_last_insert_rowid(st->db);
    return 0;
}

int store_put_job(struct store *st, struct store_job *j, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_JOB, sql_job, err);

    if (!s || (j->job == 0 && store_number_job(st, j, err)))
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)j->job);
    store_bind_text(s, 2, j->name);
    store_bind_text(s, 3, j->command);
    sqlite3_bind_int64(s, 4, j->ntasks);
    store_bind_text(s, 5, j->state);
    store_bind_known(s, 6, j->submitted_ns);
    store_bind_known(s, 7, j->started_ns);
    store_bind_known(s, 8, j->ended_ns);
    if (j->ended)
        sqlite3_bind_int(s, 9, j->exit_code);
    else
        sqlite3_bind_null(s, 9);
    store_bind_text(s, 10, j->why);
    sqlite3_bind_int64(s, 11, j->uid);
    store_bind_known(s, 12, j->master & INT64_MAX);
    return store_run(st, s, err);
}

int store_put_task(struct store *st, const struct store_task *t,
                   struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_TASK, sql_task, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)t->job);
    sqlite3_bind_int64(s, 2, t->rank);
    store_bind_known(s, 3, (uint64_t)t->node);
    store_bind_known(s, 4, t->pid);
    store_bind_text(s, 5, t->state);
    if (t->ended)
        sqlite3_bind_int(s, 6, t->exit_code);
    else
        sqlite3_bind_null(s, 6);
    store_bind_known(s, 7, t->ended ? (uint64_t)t->signal : 0);
    sqlite3_bind_int64(s, 8, (int64_t)t->mpi_calls);
    sqlite3_bind_int64(s, 9, (int64_t)t->in_mpi_ns);
    sqlite3_bind_int64(s, 10, (int64_t)t->out_mpi_ns);
    sqlite3_bind_int64(s, 11, (int64_t)t->cpu_ns);
    sqlite3_bind_int64(s, 12, (int64_t)t->cpu_in_mpi_ns);
    sqlite3_bind_int64(s, 13, (int64_t)t->rss_bytes);
    store_bind_known(s, 14, t->started_ns);
    store_bind_known(s, 15, t->ended_ns);
    sqlite3_bind_int64(s, 16, (int64_t)t->ring_waits);
    sqlite3_bind_int64(s, 17, (int64_t)t->ring_lost);
    store_bind_text(s, 18, t->last_tag);
    store_bind_text(s, 19, t->why);
    store_bind_text(s, 20, t->hold);
    sqlite3_bind_int64(s, 21, (int64_t)t->held_ns);
    store_bind_known(s, 22, t->held_since_ns);
    return store_run(st, s, err);
}

int store_put_node(struct store *st, const struct store_node *n, int64_t *id,
                   struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_NODE, sql_node, err);

    if (!s)
        return -1;
    store_bind_text(s, 1, n->name);
    store_bind_text(s, 2, n->hostname);
    store_bind_text(s, 3, n->state);
    sqlite3_bind_int64(s, 4, n->cpus);
    sqlite3_bind_double(s, 5, n->load);
    sqlite3_bind_double(s, 6, n->cpu_busy);
    store_bind_known(s, 7, n->memory_bytes);
    store_bind_known(s, 8, n->memory_available_bytes);
    store_bind_text(s, 9, n->machine);
    if (n->clock_known) {
        sqlite3_bind_int64(s, 10, n->clock_offset_ns);
        sqlite3_bind_int64(s, 11, (int64_t)n->clock_error_ns);
    } else {
        sqlite3_bind_null(s, 10);
        sqlite3_bind_null(s, 11);
    }
    store_bind_known(s, 12, n->seen_ns);
    if (sqlite3_step(s) != SQLITE_ROW) {
        store_fail(st, err, "cannot write");
        sqlite3_reset(s);
        return -1;
    }
    *id = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return 0;
}

int store_add_transition(struct store *st, const struct store_transition *t,
                         struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_TRANSITION, sql_transition, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)t->job);
    sqlite3_bind_int64(s, 2, (int64_t)t->at_ns);
    store_bind_text(s, 3, t->machine);
    store_bind_text(s, 4, t->event);
    store_bind_text(s, 5, t->from);
    store_bind_text(s, 6, t->to);
    return store_run(st, s, err);
}

int store_put_calls(struct store *st, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_CALL, sql_call, err);

    for (unsigned id = 1; s && id < CALL_END; id++) {
        sqlite3_bind_int64(s, 1, id);
        store_bind_text(s, 2, call_name(id));
        if (store_run(st, s, err))
            return -1;
    }
    return s ? 0 : -1;
}
