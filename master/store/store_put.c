/* store_put.c - rows put, and what else is done to rows. */
#include "master/store/store.h"

#include "master/store/row.h"
#include "master/store/store_db.h"

static const char sql_job_new[] = "INSERT INTO job(state) VALUES(NULL)";
static const char sql_drop[] = "DELETE FROM resume WHERE job = ?1";

static const char sql_result[] =
    "UPDATE action SET result = ?3 WHERE job = ?1"
    " AND action = ifnull(?2, action) AND result = 'ordered'";

static const char sql_report[] =
    "UPDATE verdict SET report = ?4 WHERE job = ?1 AND policy = ?2"
    " AND seq = ?3";

static const char sql_trim[] = "DELETE FROM look WHERE job = ?1 AND seq < ?2";

static const char sql_look_tidy[] =
    "DELETE FROM look WHERE job IN (SELECT job FROM job"
    " WHERE ended_ns IS NOT NULL AND job NOT IN (SELECT job FROM verdict)"
    " ORDER BY job DESC LIMIT -1 OFFSET 20)";

static const char sql_stay_tidy[] =
    "DELETE FROM stay WHERE place IN (SELECT place FROM stay"
    " ORDER BY at_ns DESC LIMIT -1 OFFSET 10000)";

static const char sql_system_tidy[] =
    "DELETE FROM system WHERE at_ns IN (SELECT at_ns FROM system"
    " ORDER BY at_ns DESC LIMIT -1 OFFSET 1000)";

static const char sql_climb_tidy[] =
    "DELETE FROM climb WHERE at_ns IN (SELECT at_ns FROM climb"
    " ORDER BY at_ns DESC LIMIT -1 OFFSET 2000)";

/* As many good runs of a program as query_good_runs() is asked for. */
static const char sql_model_tidy[] =
    "DELETE FROM model WHERE job IN (SELECT r.job FROM (SELECT job, program,"
    " good, row_number() OVER (PARTITION BY program, good ORDER BY job DESC)"
    " AS place FROM run) r WHERE NOT (r.good AND r.program AND r.place <= 10))"
    " AND job NOT IN (SELECT job FROM job ORDER BY job DESC LIMIT 200)";

static const char sql_stack_trim[] =
    "DELETE FROM stack WHERE job = ?1 AND seq IN (SELECT seq FROM stack"
    " WHERE job = ?1 AND seq > 0 ORDER BY at_ns DESC LIMIT -1 OFFSET 8)";

/* Of a master whose jobs were being ended already. */
#define SQL_KILLED                                                            \
    " WHERE master = ?1 AND ended_ns IS NULL AND job IN"                       \
    " (SELECT job FROM resume WHERE killed AND NOT failed)"

/* ?1 the master, ?2 now. A node that lives is written every second. */
static const char *const sql_bury[] = {
    ("UPDATE task SET state = 'lost' WHERE state NOT IN"
     " ('exited', 'killed', 'lost') AND job IN"
     " (SELECT job FROM job WHERE master = ?1 AND ended_ns IS NULL)"),
    ("INSERT INTO transition(job, at_ns, machine, event, state_from, state_to)"
     " SELECT job, ?2, 'job', 'bury', state, 'killed' FROM job" SQL_KILLED),
    ("UPDATE job SET state = 'killed', ended_ns = ?2, exit_code = ifnull("
     "(SELECT nullif(kill_code, 0) FROM resume r WHERE r.job = job.job), 143)"
     SQL_KILLED),
    ("INSERT INTO transition(job, at_ns, machine, event, state_from, state_to)"
     " SELECT job, ?2, 'job', 'bury', state, 'failed' FROM job"
     " WHERE master = ?1 AND ended_ns IS NULL"),
    "DELETE FROM resume WHERE job IN (SELECT job FROM job WHERE master = ?1)",
    ("UPDATE plan SET state = 'dropped', error = 'hector-master ended meanwhile'"
     " WHERE master = ?1 AND state IN ('planned', 'ordered')"),
    ("UPDATE job SET state = 'failed', ended_ns = ?2, exit_code = 125,"
     " why = coalesce(why, 'hector-master died')"
     " WHERE master = ?1 AND ended_ns IS NULL"),
    "UPDATE master SET ended_ns = ?2 WHERE instance = ?1 AND ended_ns IS NULL",
    ("UPDATE node SET state = 'lost' WHERE state IN ('up', 'away')"
     " AND seen_ns < ?2 - 5000000000"),
};

/* ?1 a master, ?2 now, ?3 the reason, ?4 a sentence of it. */
static const char *const sql_end_run[] = {
    ("INSERT INTO transition(job, at_ns, machine, event, state_from, state_to)"
     " SELECT job, ?2, 'job', 'bury', state, 'killed' FROM job"
     " WHERE master = ?1 AND ended_ns IS NULL"),
    ("UPDATE task SET state = 'lost' WHERE state NOT IN"
     " ('exited', 'killed', 'lost') AND job IN"
     " (SELECT job FROM job WHERE master = ?1 AND ended_ns IS NULL)"),
    ("UPDATE job SET state = 'killed', ended_ns = ?2, exit_code = 143,"
     " why = coalesce(why, ?4), reason = coalesce(reason, ?3)"
     " WHERE master = ?1 AND ended_ns IS NULL"),
};

/* ?1 the job of a batch system, ?2 when this run of it began. */
static const char sql_count_runs[] =
    "SELECT ifnull(restarts, 0) + 1 FROM job WHERE batch = ?1 AND"
    " submitted_ns < ?2 ORDER BY job DESC LIMIT 1";

/* ?1 the job of a batch system, ?2 now, ?3 how often it was begun before. */
static const char *const sql_supersede[] = {
    ("CREATE TEMP TABLE IF NOT EXISTS former (job INTEGER)"),
    "DELETE FROM former",
    ("INSERT INTO former SELECT job FROM job WHERE batch = ?1 AND ended_ns IS NULL"
     " AND ifnull(restarts, 0) < ?3"),
    ("UPDATE task SET state = 'lost' WHERE state NOT IN"
     " ('exited', 'killed', 'lost') AND job IN former"),
    ("INSERT INTO transition(job, at_ns, machine, event, state_from, state_to)"
     " SELECT job, ?2, 'job', 'bury', state, 'killed' FROM job WHERE job IN former"),
    "DELETE FROM resume WHERE job IN former",
    ("UPDATE job SET state = 'killed', ended_ns = ?2, exit_code = 143,"
     " why = coalesce(why, ?1 || ' was begun again'),"
     " reason = coalesce(reason, 'requeued') WHERE job IN former"),
};

/* ------------------------------------------------------------------ rows */

#define PUT(name)                                                             \
    int store_put_##name(struct store *st, const struct store_##name *row,    \
                         struct err *err)                                     \
    {                                                                         \
        return row_put(st, STORE_TABLE_##name, row, err);                     \
    }
STORE_PLAIN_ROWS(PUT)
#undef PUT

static int put_new_job(struct store *st, struct store_job *j, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_JOB_NEW, sql_job_new, err);

    if (!s || store_run(st, s, err))
        return -1;
    j->job = (uint64_t)sqlite3_last_insert_rowid(st->db);
    return 0;
}

int store_count_runs(struct store *st, const char *batch, uint64_t run_ns,
                     uint32_t *restarts, struct err *err)
{
    sqlite3_stmt *s = store_prepare(st, sql_count_runs, err);
    int rc;

    if (!s)
        return -1;
    sqlite3_bind_text(s, 1, batch, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, (int64_t)(run_ns & INT64_MAX));
    rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        *restarts = (uint32_t)sqlite3_column_int64(s, 0);
    else if (rc != SQLITE_DONE)
        store_fail(st, err, "cannot read");
    sqlite3_finalize(s);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : -1;
}

/* The batch system would not have begun its job again if another run of it were
 * still there: that is over, though its master could not say so. */
static int supersede(struct store *st, const struct store_job *j, struct err *err)
{
    const size_t n = sizeof(sql_supersede) / sizeof(sql_supersede[0]);
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        sqlite3_stmt *s = store_prepare(st, sql_supersede[i], err);
        int params = s ? sqlite3_bind_parameter_count(s) : 0;

        if (!s)
            return -1;
        if (params > 0)
            sqlite3_bind_text(s, 1, j->batch, -1, SQLITE_STATIC);
        if (params > 1)
            sqlite3_bind_int64(s, 2, (int64_t)j->submitted_ns);
        if (params > 2)
            sqlite3_bind_int64(s, 3, j->restarts);
        rc = store_run(st, s, err);
        sqlite3_finalize(s);
    }
    return rc;
}

int store_put_job(struct store *st, struct store_job *j, struct err *err)
{
    bool new = j->job == 0;

    if (new && put_new_job(st, j, err))
        return -1;
    if (new && j->batch && j->restarts && supersede(st, j, err))
        return -1;
    return row_put(st, STORE_TABLE_job, j, err);
}

int store_put_node(struct store *st, const struct store_node *n, int64_t *id,
                   struct err *err)
{
    sqlite3_stmt *s = row_statement(st, STORE_TABLE_node, err);

    if (!s)
        return -1;
    row_bind(s, STORE_TABLE_node, n);
    if (sqlite3_step(s) != SQLITE_ROW) {
        store_fail(st, err, "cannot write");
        sqlite3_reset(s);
        return -1;
    }
    *id = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return 0;
}

/* --------------------------------------------------------------- changes */

int store_put_result(struct store *st, const struct store_action *a,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_RESULT, sql_result, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)a->job);
    store_bind_text(s, 2, a->action);
    store_bind_text(s, 3, a->result);
    return store_run(st, s, err);
}

int store_put_report(struct store *st, const struct store_verdict *v,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_REPORT, sql_report, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)v->job);
    store_bind_text(s, 2, v->policy);
    sqlite3_bind_int64(s, 3, (int64_t)v->seq);
    store_bind_text(s, 4, v->report);
    return store_run(st, s, err);
}

/* A statement about a job, and perhaps a second number. */
static int change_job(struct store *st, enum store_stmt which, const char *sql,
                      uint64_t job, const uint64_t *more, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, which, sql, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)job);
    if (more)
        sqlite3_bind_int64(s, 2, (int64_t)*more);
    return store_run(st, s, err);
}

int store_trim_looks(struct store *st, uint64_t job, uint64_t seq,
                     struct err *err)
{
    return change_job(st, STORE_LOOK_TRIM, sql_trim, job, &seq, err);
}

static int tidy(struct store *st, enum store_stmt which, const char *sql,
                struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, which, sql, err);

    return s ? store_run(st, s, err) : -1;
}

int store_tidy(struct store *st, struct err *err)
{
    return tidy(st, STORE_LOOK_TIDY, sql_look_tidy, err) ||
           tidy(st, STORE_STAY_TIDY, sql_stay_tidy, err) ||
           tidy(st, STORE_SYSTEM_TIDY, sql_system_tidy, err) ||
           tidy(st, STORE_CLIMB_TIDY, sql_climb_tidy, err) ||
           tidy(st, STORE_MODEL_TIDY, sql_model_tidy, err) ? -1 : 0;
}

int store_put_stack(struct store *st, const struct store_stack *k,
                    struct err *err)
{
    return row_put(st, STORE_TABLE_stack, k, err) ||
           change_job(st, STORE_STACK_TRIM, sql_stack_trim, k->job, NULL, err)
           ? -1 : 0;
}

int store_drop_resume(struct store *st, uint64_t job, struct err *err)
{
    return change_job(st, STORE_RESUME_DROP, sql_drop, job, NULL, err);
}

static int bury(struct store *st, const char *const *sql, size_t n,
                const struct store_grave *g, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *s = store_prepare(st, sql[i], err);
        int rc, params = s ? sqlite3_bind_parameter_count(s) : 0;

        if (!s)
            return -1;
        sqlite3_bind_int64(s, 1, (int64_t)(g->master & INT64_MAX));
        if (params > 1)
            sqlite3_bind_int64(s, 2, (int64_t)g->now_ns);
        if (params > 2)
            sqlite3_bind_text(s, 3, g->reason, -1, SQLITE_STATIC);
        if (params > 3)
            sqlite3_bind_text(s, 4, g->why, -1, SQLITE_STATIC);
        rc = store_run(st, s, err);
        sqlite3_finalize(s);
        if (rc)
            return -1;
    }
    return 0;
}

int store_bury(struct store *st, const struct store_grave *g, struct err *err)
{
    if (g->reason && bury(st, sql_end_run, sizeof(sql_end_run) /
                          sizeof(sql_end_run[0]), g, err))
        return -1;
    return bury(st, sql_bury, sizeof(sql_bury) / sizeof(sql_bury[0]), g, err);
}
