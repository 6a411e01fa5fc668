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

#include "master/store/store_db.h"

static const char sql_jobs[] =
    "CREATE TEMP TABLE number AS SELECT m.job AS old,"
    " CASE WHEN d.job IS NULL OR d.submitted_ns IS m.submitted_ns THEN m.job"
    " ELSE (SELECT max(seq) FROM disk.sqlite_sequence WHERE name = 'job')"
    " + m.job END AS job,"
    " d.job IS NOT NULL AND d.submitted_ns IS NOT m.submitted_ns AS taken,"
    " m.ended_ns IS NOT NULL AS ended"
    " FROM main.job m LEFT JOIN disk.job d ON d.job = m.job;";

/* Rows that the file has too are later here, but for what events own. */
static const char sql_rows[] =
    "INSERT INTO disk.master SELECT * FROM main.master WHERE true"
    " ON CONFLICT DO UPDATE SET address = excluded.address,"
    " ended_ns = excluded.ended_ns;"

    "INSERT INTO disk.node(name, hostname, state, cpus, load, cpu_busy,"
    " memory_bytes, memory_available_bytes, machine, clock_offset_ns,"
    " clock_error_ns, seen_ns) SELECT name, hostname, state, cpus, load,"
    " cpu_busy, memory_bytes, memory_available_bytes, machine,"
    " clock_offset_ns, clock_error_ns, seen_ns FROM main.node WHERE true"
    " ON CONFLICT(name) DO UPDATE SET state = excluded.state,"
    " seen_ns = excluded.seen_ns;"

    "INSERT OR IGNORE INTO disk.label(text) SELECT text FROM main.label;"

    "INSERT INTO disk.job(job, name, command, ntasks, state, submitted_ns,"
    " started_ns, ended_ns, exit_code, why, uid, master) SELECT n.job, m.name,"
    " m.command, m.ntasks, m.state, m.submitted_ns, m.started_ns, m.ended_ns,"
    " m.exit_code, m.why, m.uid, m.master FROM main.job m JOIN number n"
    " ON n.old = m.job WHERE true ON CONFLICT(job) DO UPDATE SET"
    " state = excluded.state, started_ns = excluded.started_ns,"
    " ended_ns = excluded.ended_ns, exit_code = excluded.exit_code,"
    " why = excluded.why, master = excluded.master;"

    "INSERT INTO disk.task(job, rank, node, pid, state, exit_code, signal,"
    " mpi_calls, in_mpi_ns, out_mpi_ns, cpu_ns, cpu_in_mpi_ns, rss_bytes,"
    " started_ns, ended_ns, records, ring_waits, ring_lost, last_tag, why,"
    " hold, held_ns, held_since_ns)"
    " SELECT n.job, t.rank, dn.id, t.pid, t.state, t.exit_code, t.signal,"
    " t.mpi_calls, t.in_mpi_ns, t.out_mpi_ns, t.cpu_ns, t.cpu_in_mpi_ns,"
    " t.rss_bytes, t.started_ns, t.ended_ns, t.records, t.ring_waits,"
    " t.ring_lost, t.last_tag, t.why, t.hold, t.held_ns, t.held_since_ns"
    " FROM main.task t"
    " JOIN number n ON n.old = t.job LEFT JOIN main.node mn ON mn.id = t.node"
    " LEFT JOIN disk.node dn ON dn.name = mn.name WHERE true"
    " ON CONFLICT(job, rank) DO UPDATE SET node = excluded.node,"
    " pid = excluded.pid, state = excluded.state,"
    " exit_code = excluded.exit_code, signal = excluded.signal,"
    " mpi_calls = excluded.mpi_calls, in_mpi_ns = excluded.in_mpi_ns,"
    " out_mpi_ns = excluded.out_mpi_ns, cpu_ns = excluded.cpu_ns,"
    " cpu_in_mpi_ns = excluded.cpu_in_mpi_ns, rss_bytes = excluded.rss_bytes,"
    " started_ns = excluded.started_ns, ended_ns = excluded.ended_ns,"
    " records = max(records, excluded.records),"
    " ring_waits = excluded.ring_waits, ring_lost = excluded.ring_lost,"
    " last_tag = excluded.last_tag, why = excluded.why,"
    " hold = excluded.hold, held_ns = excluded.held_ns,"
    " held_since_ns = excluded.held_since_ns;"

    "INSERT OR REPLACE INTO disk.resume SELECT n.job, submit, placement,"
    " failed, killed, at_once, aborted, fail_code, kill_code, failed_ns,"
    " (SELECT s.job FROM number s WHERE s.old = r.session), world, closing,"
    " launcher_code, unfinalized FROM main.resume r JOIN number n ON n.old = r.job;"
    "DELETE FROM disk.resume WHERE job IN (SELECT job FROM number"
    " WHERE ended);"

    "INSERT INTO disk.transition(job, at_ns, machine, event, state_from,"
    " state_to) SELECT n.job, at_ns, machine, event, state_from, state_to"
    " FROM main.transition t JOIN number n ON n.old = t.job ORDER BY t.id;"

    "INSERT INTO disk.action(job, at_ns, action, ranks, by, result, why)"
    " SELECT n.job, at_ns, action, ranks, by, result, why FROM main.action a"
    " JOIN number n ON n.old = a.job ORDER BY a.rowid;"
    "INSERT INTO disk.verdict(job, at_ns, policy, kind, phase, ranks, score,"
    " why, seq, age_ns, detail, report) SELECT n.job, at_ns, policy, kind,"
    " phase, ranks, score, why, seq, age_ns, detail, report"
    " FROM main.verdict v JOIN number n ON n.old = v.job ORDER BY v.rowid;"
    "INSERT OR REPLACE INTO disk.look(job, seq, at_ns, data) SELECT n.job,"
    " seq, at_ns, data FROM main.look l JOIN number n ON n.old = l.job;"
    "INSERT OR REPLACE INTO disk.stack(job, seq, at_ns, tree) SELECT n.job,"
    " seq, at_ns, tree FROM main.stack s JOIN number n ON n.old = s.job;"
    "INSERT OR REPLACE INTO disk.model(job, at_ns, model) SELECT n.job, at_ns,"
    " model FROM main.model m JOIN number n ON n.old = m.job;"
    "INSERT INTO disk.stay SELECT place, longest_ns, n.job, at_ns FROM main.stay"
    " s JOIN number n ON n.old = s.job WHERE true ON CONFLICT DO UPDATE SET"
    " longest_ns = excluded.longest_ns, job = excluded.job,"
    " at_ns = excluded.at_ns WHERE excluded.longest_ns > longest_ns;";

/* Numbers of modules, frames and sites are the same everywhere. */
static const char sql_costs[] =
    "INSERT OR IGNORE INTO disk.module SELECT * FROM main.module;"
    "INSERT OR IGNORE INTO disk.frame SELECT * FROM main.frame;"
    "INSERT OR IGNORE INTO disk.site SELECT * FROM main.site;"
    "INSERT OR IGNORE INTO disk.site_frame SELECT * FROM main.site_frame;"
    "INSERT INTO disk.source SELECT * FROM main.source WHERE true"
    " ON CONFLICT DO UPDATE SET function = excluded.function,"
    " file = excluded.file, line = excluded.line, note = excluded.note"
    " WHERE excluded.function IS NOT NULL;"
    "INSERT INTO disk.cost SELECT n.job, rank, site, calls, in_ns, out_ns,"
    " bytes, max_ns FROM main.cost c JOIN number n ON n.old = c.job"
    " WHERE true ON CONFLICT DO UPDATE SET calls = max(calls, excluded.calls),"
    " in_ns = max(in_ns, excluded.in_ns),"
    " out_ns = max(out_ns, excluded.out_ns),"
    " bytes = max(bytes, excluded.bytes),"
    " max_ns = max(max_ns, excluded.max_ns);";

/* First the exits of calls whose entry is in the file already. */
static const char sql_events[] =
    "CREATE TEMP TABLE late AS SELECT e.id, n.job, e.rank, e.seq, e.exit_ns"
    " FROM main.event e JOIN number n ON n.old = e.job"
    " WHERE e.enter_ns IS NULL;"
    "UPDATE disk.event SET exit_ns = (SELECT l.exit_ns FROM late l WHERE"
    " l.job = event.job AND l.rank = event.rank AND l.seq = event.seq)"
    " WHERE exit_ns IS NULL AND EXISTS (SELECT 1 FROM late l WHERE"
    " l.job = event.job AND l.rank = event.rank AND l.seq = event.seq);"
    "CREATE TEMP TABLE base AS SELECT ifnull(max(id), 0) AS id"
    " FROM disk.event;"
    "INSERT INTO disk.event(job, rank, seq, marker, label, call, enter_ns,"
    " exit_ns, node, thread) SELECT n.job, e.rank, e.seq, e.marker, dl.id,"
    " e.call, e.enter_ns, e.exit_ns, dn.id, e.thread FROM main.event e"
    " JOIN number n ON n.old = e.job"
    " LEFT JOIN main.label ml ON ml.id = e.label"
    " LEFT JOIN disk.label dl ON dl.text = ml.text"
    " LEFT JOIN main.node mn ON mn.id = e.node"
    " LEFT JOIN disk.node dn ON dn.name = mn.name"
    " WHERE NOT (e.enter_ns IS NULL AND EXISTS (SELECT 1 FROM disk.event x"
    " WHERE x.job = n.job AND x.rank = e.rank AND x.seq = e.seq"
    " AND x.exit_ns IS e.exit_ns)) ORDER BY e.id;"
    "UPDATE disk.job SET first_event = coalesce(first_event,"
    " (SELECT min(e.id) FROM disk.event e, base b WHERE e.id > b.id"
    " AND e.job = job.job)), last_event = coalesce((SELECT max(e.id)"
    " FROM disk.event e, base b WHERE e.id > b.id AND e.job = job.job),"
    " last_event) WHERE job IN (SELECT job FROM number);";

static const char sql_tidy[] =
    "DROP TABLE IF EXISTS temp.number; DROP TABLE IF EXISTS temp.late;"
    "DROP TABLE IF EXISTS temp.base;";

static int merge_run(struct store *st, const char *sql, struct err *err)
{
    return sqlite3_exec(st->db, sql, NULL, NULL, NULL) == SQLITE_OK
           ? 0 : store_fail(st, err, "cannot write");
}

static int merge_count_row(void *arg, int ncols, const char *const *names,
                           const struct store_value *v)
{
    (void)ncols;
    (void)names;
    *(int64_t *)arg = v[0].i;
    return 0;
}

static int merge_copy(struct store *mem, struct err *err)
{
    int64_t waiting = 0;

    if (merge_run(mem, sql_jobs, err) ||
        store_query(mem, "SELECT count(*) FROM number WHERE taken AND NOT"
                    " ended", merge_count_row, &waiting, err))
        return -1;
    if (waiting)
        return err_set(err, EAGAIN, "the number of a job that runs is taken");
    return merge_run(mem, sql_rows, err) || merge_run(mem, sql_costs, err) ||
           merge_run(mem, sql_events, err) ? -1 : 0;
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
    rc = merge_run(mem, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = merge_copy(mem, err);
    if (rc == 0)
        rc = merge_run(mem, sql_tidy, err);
    if (rc == 0)
        rc = merge_run(mem, "COMMIT", err);
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
        return merge_run(mem, "PRAGMA max_page_count = 65536", err);
    return store_fail(mem, err, "cannot write");
}
