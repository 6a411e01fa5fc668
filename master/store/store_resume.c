/* store_resume.c - rows that let a later master take a job up again, and the
 * burial of jobs that nobody will. */
#include "master/store/store.h"

#include "master/store/store_db.h"

static const char sql_resume[] =
    "INSERT INTO resume(job, submit, placement, failed, killed, at_once,"
    " aborted, fail_code, kill_code, failed_ns, session, world, closing,"
    " launcher_code, unfinalized) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
    " ?10, ?11, ?12, ?13, ?14, ?15)"
    " ON CONFLICT DO UPDATE SET submit = coalesce(?2, submit),"
    " placement = coalesce(?3, placement), failed = ?4, killed = ?5,"
    " at_once = ?6, aborted = ?7, fail_code = ?8, kill_code = ?9,"
    " failed_ns = ?10, session = ?11, world = ?12, closing = ?13,"
    " launcher_code = ?14, unfinalized = ?15";

static const char sql_drop[] = "DELETE FROM resume WHERE job = ?1";

/* ?1 the master, ?2 now. A node that lives is written every second. */
static const char *const sql_bury[] = {
    ("UPDATE task SET state = 'lost' WHERE state NOT IN"
     " ('exited', 'killed', 'lost') AND job IN"
     " (SELECT job FROM job WHERE master = ?1 AND ended_ns IS NULL)"),
    ("INSERT INTO transition(job, at_ns, machine, event, state_from, state_to)"
     " SELECT job, ?2, 'job', 'bury', state, 'failed' FROM job"
     " WHERE master = ?1 AND ended_ns IS NULL"),
    "DELETE FROM resume WHERE job IN (SELECT job FROM job WHERE master = ?1)",
    ("UPDATE job SET state = 'failed', ended_ns = ?2, exit_code = 125,"
     " why = coalesce(why, 'hector-master died')"
     " WHERE master = ?1 AND ended_ns IS NULL"),
    "UPDATE master SET ended_ns = ?2 WHERE instance = ?1 AND ended_ns IS NULL",
    ("UPDATE node SET state = 'lost' WHERE state IN ('up', 'away')"
     " AND seen_ns < ?2 - 5000000000"),
};

/* Of an adopted job; of others these are NULL. */
static void resume_bind_adopted(sqlite3_stmt *s, const struct store_resume *r)
{
    store_bind_known(s, 11, r->session);
    store_bind_text(s, 12, r->world);
    sqlite3_bind_int(s, 13, r->closing);
    if (r->code_known)
        sqlite3_bind_int(s, 14, r->launcher_code);
    else
        sqlite3_bind_null(s, 14);
    sqlite3_bind_int(s, 15, r->unfinalized);
}

int store_put_resume(struct store *st, const struct store_resume *r,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_RESUME, sql_resume, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)r->job);
    sqlite3_bind_blob(s, 2, r->submit, (int)r->submit_bytes, SQLITE_STATIC);
    sqlite3_bind_blob(s, 3, r->placement, (int)r->placement_bytes,
                      SQLITE_STATIC);
    sqlite3_bind_int(s, 4, r->failed);
    sqlite3_bind_int(s, 5, r->killed);
    sqlite3_bind_int(s, 6, r->at_once);
    sqlite3_bind_int(s, 7, r->aborted);
    sqlite3_bind_int(s, 8, r->fail_code);
    sqlite3_bind_int(s, 9, r->kill_code);
    store_bind_known(s, 10, r->failed_ns);
    resume_bind_adopted(s, r);
    return store_run(st, s, err);
}

int store_drop_resume(struct store *st, uint64_t job, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_RESUME_DROP, sql_drop, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)job);
    return store_run(st, s, err);
}

int store_bury(struct store *st, uint64_t master, uint64_t now_ns,
               struct err *err)
{
    for (size_t i = 0; i < sizeof(sql_bury) / sizeof(sql_bury[0]); i++) {
        sqlite3_stmt *s = NULL;
        int rc;

        if (sqlite3_prepare_v2(st->db, sql_bury[i], -1, &s, NULL))
            return store_fail(st, err, "cannot write");
        sqlite3_bind_int64(s, 1, (int64_t)(master & INT64_MAX));
        if (sqlite3_bind_parameter_count(s) > 1)
            sqlite3_bind_int64(s, 2, (int64_t)now_ns);
        rc = sqlite3_step(s);
        if (rc != SQLITE_DONE)
            store_fail(st, err, "cannot write");
        sqlite3_finalize(s);
        if (rc != SQLITE_DONE)
            return -1;
    }
    return 0;
}
