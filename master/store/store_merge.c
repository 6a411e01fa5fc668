/* store_merge.c - from the database in memory, which has stood in for a file
 * that could not be written, into that file.
 *
 * One transaction over both: the file is attached to the one in memory. Ids of
 * nodes and labels are translated by their names, jobs keep their numbers.
 * A job that was submitted meanwhile may have been given a number that
 * somebody else has used in the file: it gets another one when it has ended,
 * and until then nothing is copied (EAGAIN). */
#include "master/store/store.h"

#include <errno.h>

#include "master/store/row.h"
#include "master/store/store_db.h"

static const char sql_jobs[] =
    "CREATE TEMP TABLE number AS SELECT m.job AS old,"
    " CASE WHEN d.job IS NULL OR d.submitted_ns IS m.submitted_ns THEN m.job"
    " ELSE (SELECT max(seq) FROM disk.sqlite_sequence WHERE name = 'job')"
    " + m.job END AS job,"
    " d.job IS NOT NULL AND d.submitted_ns IS NOT m.submitted_ns AS taken,"
    " m.ended_ns IS NOT NULL AS ended"
    " FROM main.job m LEFT JOIN disk.job d ON d.job = m.job;";

/* Of rows that the file has too, those here are later. */
static const char sql_labels[] =
    "INSERT OR IGNORE INTO disk.label(text) SELECT text FROM main.label;";
static const char sql_ended[] =
    "DELETE FROM disk.resume WHERE job IN (SELECT job FROM number"
    " WHERE ended);";

/* First the exits of calls whose entry is in the file already. */
static const char sql_exits[] =
    "CREATE TEMP TABLE late AS SELECT e.id, n.job, e.rank, e.seq, e.exit_ns"
    " FROM main.event e JOIN number n ON n.old = e.job"
    " WHERE e.enter_ns IS NULL;"
    "UPDATE disk.event SET exit_ns = (SELECT l.exit_ns FROM late l WHERE"
    " l.job = event.job AND l.rank = event.rank AND l.seq = event.seq)"
    " WHERE exit_ns IS NULL AND EXISTS (SELECT 1 FROM late l WHERE"
    " l.job = event.job AND l.rank = event.rank AND l.seq = event.seq);"
    "CREATE TEMP TABLE base AS SELECT ifnull(max(id), 0) AS id"
    " FROM disk.event;";
static const char sql_is_new[] =
    "NOT (m.enter_ns IS NULL AND EXISTS (SELECT 1 FROM disk.event x"
    " WHERE x.job = n.job AND x.rank = m.rank AND x.seq = m.seq"
    " AND x.exit_ns IS m.exit_ns))";
static const char sql_range[] =
    "UPDATE disk.job SET first_event = coalesce(first_event,"
    " (SELECT min(e.id) FROM disk.event e, base b WHERE e.id > b.id"
    " AND e.job = job.job)), last_event = coalesce((SELECT max(e.id)"
    " FROM disk.event e, base b WHERE e.id > b.id AND e.job = job.job),"
    " last_event) WHERE job IN (SELECT job FROM number);";

static const char sql_tidy[] =
    "DROP TABLE IF EXISTS temp.number; DROP TABLE IF EXISTS temp.late;"
    "DROP TABLE IF EXISTS temp.base;";

static int merge_count_row(void *arg, int ncols, const char *const *names,
                           const struct store_value *v)
{
    (void)ncols;
    (void)names;
    *(int64_t *)arg = v[0].i;
    return 0;
}

static int merge_tables(struct store *mem, struct err *err)
{
    struct str sql = { 0 };
    int rc;

    for (int i = 0; i < STORE_TABLE_COUNT; i++)
        row_merge(&sql, i, i == STORE_TABLE_event ? sql_is_new : "true");
    rc = str_failed(&sql) ? err_memory(err)
                          : store_exec(mem, str_text(&sql), err);
    str_fini(&sql);
    return rc;
}

static int merge_copy(struct store *mem, struct err *err)
{
    int64_t waiting = 0;

    if (store_exec(mem, sql_jobs, err) ||
        store_query(mem, "SELECT count(*) FROM number WHERE taken AND NOT"
                    " ended", merge_count_row, &waiting, err))
        return -1;
    if (waiting)
        return err_set(err, EAGAIN, "the number of a job that runs is taken");
    return store_exec(mem, sql_labels, err) ||
           store_exec(mem, sql_exits, err) ||
           merge_tables(mem, err) || store_exec(mem, sql_ended, err) ||
           store_exec(mem, sql_range, err) ? -1 : 0;
}

static int merge_into(struct store *mem, const char *path, struct err *err)
{
    sqlite3_stmt *attach = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(mem->db, "ATTACH ?1 AS disk", -1, &attach, NULL))
        return store_fail(mem, err, "cannot write");
    store_bind_text(attach, 1, path);
    if (sqlite3_step(attach) != SQLITE_DONE)
        store_fail(mem, err, "cannot write");
    else
        rc = 0;
    sqlite3_finalize(attach);
    if (rc)
        return -1;
    rc = store_exec(mem, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = merge_copy(mem, err);
    if (rc == 0)
        rc = store_exec(mem, sql_tidy, err);
    if (rc == 0)
        rc = store_exec(mem, "COMMIT", err);
    if (rc && !sqlite3_get_autocommit(mem->db))
        sqlite3_exec(mem->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(mem->db, sql_tidy, NULL, NULL, NULL);
    sqlite3_exec(mem->db, "DETACH disk", NULL, NULL, NULL);
    return rc;
}

int store_merge(struct store *mem, const char *path, struct err *err)
{
    char *own = mem->path;
    int rc;

    mem->path = (char *)path;           /* which is what sentences are about */
    rc = merge_into(mem, path, err);
    mem->path = own;
    return rc;
}

int store_seed(struct store *mem, uint64_t last_job, struct err *err)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(mem->db, "INSERT INTO sqlite_sequence(name,"
                                " seq) VALUES('job', ?1)", -1, &s, NULL);

    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, (int64_t)last_job);
        rc = sqlite3_step(s) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
        sqlite3_finalize(s);
    }
    if (rc == SQLITE_OK)
        return store_exec(mem, "PRAGMA max_page_count = 65536", err);
    return store_fail(mem, err, "cannot write");
}
