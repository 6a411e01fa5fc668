/* store_note.c - rows that are written once: actions, verdicts, the tape of
 * looks they came from, call trees and models. */
#include "master/store/store.h"

#include "master/store/store_db.h"

static const char sql_action[] =
    "INSERT INTO action(job, at_ns, action, ranks, by, result, why)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";

static const char sql_result[] =
    "UPDATE action SET result = ?3 WHERE job = ?1"
    " AND action = ifnull(?2, action) AND result = 'ordered'";

static const char sql_verdict[] =
    "INSERT INTO verdict(job, at_ns, policy, kind, phase, ranks, score, why,"
    " seq, age_ns, detail, report)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

static const char sql_report[] =
    "UPDATE verdict SET report = ?4 WHERE job = ?1 AND policy = ?2"
    " AND seq = ?3";

static const char sql_look[] =
    "INSERT OR REPLACE INTO look(job, seq, at_ns, data)"
    " VALUES(?1, ?2, ?3, ?4)";

static const char sql_trim[] = "DELETE FROM look WHERE job = ?1 AND seq < ?2";

static const char sql_tidy[] =
    "DELETE FROM look WHERE job IN (SELECT job FROM job"
    " WHERE ended_ns IS NOT NULL AND job NOT IN (SELECT job FROM verdict)"
    " ORDER BY job DESC LIMIT -1 OFFSET 20)";

static const char sql_stack[] =
    "INSERT OR REPLACE INTO stack(job, seq, at_ns, tree)"
    " VALUES(?1, ?2, ?3, ?4)";

static const char sql_stack_trim[] =
    "DELETE FROM stack WHERE job = ?1 AND seq IN (SELECT seq FROM stack"
    " WHERE job = ?1 AND seq > 0 ORDER BY at_ns DESC LIMIT -1 OFFSET 8)";

static const char sql_model[] =
    "INSERT OR REPLACE INTO model(job, at_ns, model) VALUES(?1, ?2, ?3)";

static const char sql_stay[] =
    "INSERT INTO stay(place, longest_ns, job, at_ns) VALUES(?1, ?2, ?3, ?4)"
    " ON CONFLICT DO UPDATE SET longest_ns = excluded.longest_ns,"
    " job = excluded.job, at_ns = excluded.at_ns"
    " WHERE excluded.longest_ns > longest_ns";

int store_add_action(struct store *st, const struct store_action *a,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_ACTION, sql_action, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)a->job);
    sqlite3_bind_int64(s, 2, (int64_t)a->at_ns);
    store_bind_text(s, 3, a->action);
    store_bind_text(s, 4, a->ranks);
    store_bind_text(s, 5, a->by);
    store_bind_text(s, 6, a->result);
    store_bind_text(s, 7, a->why);
    return store_run(st, s, err);
}

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

int store_add_verdict(struct store *st, const struct store_verdict *v,
                      struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_VERDICT, sql_verdict, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)v->job);
    sqlite3_bind_int64(s, 2, (int64_t)v->at_ns);
    store_bind_text(s, 3, v->policy);
    store_bind_text(s, 4, v->kind);
    store_bind_text(s, 5, v->phase);
    store_bind_text(s, 6, v->ranks);
    sqlite3_bind_double(s, 7, v->score);
    store_bind_text(s, 8, v->why);
    sqlite3_bind_int64(s, 9, (int64_t)v->seq);
    sqlite3_bind_int64(s, 10, (int64_t)v->age_ns);
    store_bind_text(s, 11, v->detail);
    store_bind_text(s, 12, v->report);
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

int store_add_look(struct store *st, const struct store_look *l,
                   struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_LOOK, sql_look, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)l->job);
    sqlite3_bind_int64(s, 2, (int64_t)l->seq);
    sqlite3_bind_int64(s, 3, (int64_t)l->at_ns);
    sqlite3_bind_blob(s, 4, l->data, (int)l->bytes, SQLITE_STATIC);
    return store_run(st, s, err);
}

int store_trim_looks(struct store *st, uint64_t job, uint64_t seq,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_LOOK_TRIM, sql_trim, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)job);
    sqlite3_bind_int64(s, 2, (int64_t)seq);
    return store_run(st, s, err);
}

int store_tidy_looks(struct store *st, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_LOOK_TIDY, sql_tidy, err);

    return s ? store_run(st, s, err) : -1;
}

int store_put_stack(struct store *st, const struct store_stack *k,
                    struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_STACK, sql_stack, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)k->job);
    sqlite3_bind_int64(s, 2, (int64_t)k->seq);
    sqlite3_bind_int64(s, 3, (int64_t)k->at_ns);
    sqlite3_bind_blob(s, 4, k->tree, (int)k->bytes, SQLITE_STATIC);
    if (store_run(st, s, err))
        return -1;
    s = store_stmt(st, STORE_STACK_TRIM, sql_stack_trim, err);
    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)k->job);
    return store_run(st, s, err);
}

int store_put_model(struct store *st, const struct store_model *m,
                    struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_MODEL, sql_model, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)m->job);
    sqlite3_bind_int64(s, 2, (int64_t)m->at_ns);
    sqlite3_bind_blob(s, 3, m->model, (int)m->bytes, SQLITE_STATIC);
    return store_run(st, s, err);
}

int store_put_stay(struct store *st, const struct store_stay *v,
                   struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_STAY, sql_stay, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)v->place);
    sqlite3_bind_int64(s, 2, (int64_t)v->longest_ns);
    sqlite3_bind_int64(s, 3, (int64_t)v->job);
    sqlite3_bind_int64(s, 4, (int64_t)v->at_ns);
    return store_run(st, s, err);
}
