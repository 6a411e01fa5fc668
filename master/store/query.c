/* query.c - questions to the database, but for those about costs.
 *
 * Of the version of the file each of them has to take care: a column or table
 * that came later is NULL, or empty. */
#include "master/store/query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "master/store/events.h"
#include "master/store/query_private.h"
#include "master/store/row.h"
#include "master/store/rungkinds.h"

#define ENDED_TASK "('exited', 'killed', 'lost')"
enum { BATCH_SINCE = 18, FROM_SINCE = 19,       /* of columns of job; */
       SEEN_SINCE = 21,                         /* ... of master, */
       SHARES_SINCE = 22,                       /* ... of task */
       DRAINING_SINCE = 11, DRAINS_SINCE = 13,  /* of columns of node, */
       OWNER_SINCE = 26,                        /* ... of its owner; */
       ODD_SINCE = 15,                          /* ... of outlier: since_ns, */
       ODD_STEP = 16 };                         /* ... step */

bool query_has(const struct store *st, enum store_table table)
{
    return store_version(st) >= row_schema_since(table);
}

void query_add_where(struct str *sql, const struct query_which *which)
{
    const struct taskset *r = which->ranks;
    size_t n = r ? r->n : 0;

    str_addf(sql, " WHERE job = %" PRIu64, which->job);
    for (size_t i = 0; i < n; i++)
        str_addf(sql, "%s BETWEEN %" PRIu32 " AND %" PRIu32,
                 i ? " OR rank" : " AND (rank", r->v[i].first, r->v[i].last);
    if (n)
        str_add(sql, ")");
}

int query_run(struct store *st, struct str *sql, const struct query_rows *to,
              struct err *err)
{
    int rc = str_failed(sql)
        ? err_memory(err)
        : store_query_bound(st, str_text(sql), NULL, 0, to->head, to->row,
                            to->arg, err);

    str_fini(sql);
    return rc;
}

static struct store_value number(uint64_t n)
{
    return (struct store_value){ .type = STORE_INT, .i = (int64_t)n };
}

static const char *text_of(const struct store_value *v)
{
    return v->type == STORE_TEXT ? v->text : NULL;
}

/* ------------------------------------------------------------------ lists */

/* Runs of the jobs of batch systems that are called so (SQL: a list), each with the
 * first one of its story. They are numbered upwards: a lesser number is of another
 * job, of the same name. */
static void add_stories(struct str *sql, const char *batches)
{
    str_addf(sql, "(SELECT job, min(job) OVER (PARTITION BY batch, part) AS first"
             " FROM (SELECT job, batch, sum(anew) OVER (PARTITION BY batch"
             " ORDER BY job) AS part FROM (SELECT job, batch,"
             " ifnull(restarts, 0) < ifnull(lag(restarts) OVER"
             " (PARTITION BY batch ORDER BY job), 0) AS anew"
             " FROM job WHERE batch IN (%s))))", batches);
}

/* Those that have not ended, and the last count; j is the table. */
enum { LISTED = 120 };
static void listed(char to[LISTED], int64_t count)
{
    snprintf(to, LISTED, "(j.ended_ns IS NULL OR j.job IN"
             " (SELECT job FROM job ORDER BY job DESC LIMIT %" PRId64 "))", count);
}

static int on_any(void *arg, int ncols, const char *const *names,
                  const struct store_value *v)
{
    (void)ncols, (void)names, (void)v;
    *(bool *)arg = true;
    return 0;
}

/* Slaves of a job that has some tell its master something each second, which it
 * writes. */
enum { SILENT = 160 };
static void add_silent(char to[SILENT], struct store *st, uint64_t now_ns)
{
    snprintf(to, SILENT, store_version(st) < SEEN_SINCE ? "0"
             : "j.ended_ns IS NULL AND j.state IN ('preparing', 'starting',"
               " 'running', 'returning', 'ending') AND m.seen_ns < %" PRIu64,
             now_ns - (uint64_t)QUERY_SILENT_NS);
}

int query_any_batch(struct store *st, int64_t count, bool *any,
                    struct err *err)
{
    const struct query_rows to = { NULL, on_any, any };
    struct str sql = { 0 };
    char which[LISTED];

    *any = false;
    if (store_version(st) < BATCH_SINCE)
        return 0;
    listed(which, count);
    str_addf(&sql, "SELECT 1 FROM job j WHERE batch NOT NULL AND %s LIMIT 1",
             which);
    return query_run(st, &sql, &to, err);
}

/* A suspended job: for whom, if that is for a deadline. */
static const char held_for[] =
    "'suspended' || ifnull((SELECT ' for the deadline of job ' || r.job FROM"
    " rung r WHERE r.target = q.job AND r.kind = 'suspend' AND r.state IN"
    " ('doing', 'done') LIMIT 1), '')";

int query_jobs(struct store *st, uint64_t now_ns, int64_t count, bool runs,
               bool people, const struct query_rows *to, struct err *err)
{
    const bool held = store_version(st) >= 3, process = store_version(st) > 1;
    const bool batch = store_version(st) >= BATCH_SINCE;
    struct str sql = { 0 };
    char which[LISTED], batches[LISTED + 40], silent[SILENT];

    listed(which, count);
    add_silent(silent, st, now_ns);
    snprintf(batches, sizeof(batches), "SELECT batch FROM job j WHERE %s", which);
    runs = runs && batch;
    /* Nobody has recorded yet how one has ended whose master is dead. */
    str_addf(&sql,
        "SELECT job, name, iif(dead, 'lost', iif(silent, 'silent',"
        " iif(held, %s, state))) AS state, ntasks, started_ns,"
        " iif(dead, NULL, ifnull(ended_ns, %" PRIu64 ") - started_ns)"
        " AS elapsed_ns, iif(dead OR ended_ns NOT NULL OR"
        " left_ns < 0, NULL, left_ns) AS left_ns, exit_code, %scommand FROM"
        " (SELECT j.*, %s AS held, %s - %" PRIu64 " AS left_ns,"
        " j.ended_ns IS NULL AND"
        " ifnull(master_is_dead(m.host, m.pid, %s), 0) AS dead,"
        " %s AS silent FROM job j LEFT JOIN master m ON m.instance = j.master"
        " WHERE %s) q", people && query_has(st, STORE_TABLE_rung)
        ? held_for : "'suspended'", now_ns, runs
        ? "batch, iif(batch IS NULL, NULL, ifnull(restarts, 0) + 1) AS run,"
          " reason, " : "", held
        ? "j.state = 'running' AND NOT EXISTS (SELECT 1 FROM task t WHERE"
          " t.job = j.job AND t.held_since_ns IS NULL AND t.state NOT IN "
          ENDED_TASK ")" : "0", batch ? "j.limit_ns" : "NULL", now_ns,
        process ? "m.process" : "NULL", silent, which);
    if (runs) {
        str_add(&sql, " LEFT JOIN ");
        add_stories(&sql, batches);
        str_add(&sql, " USING (job)");
    }
    str_addf(&sql, " ORDER BY %sjob", runs ? "ifnull(first, job), " : "");
    return query_run(st, &sql, to, err);
}

int query_any_share(struct store *st, uint64_t job, bool *any, struct err *err)
{
    const struct query_rows to = { NULL, on_any, any };
    struct str sql = { 0 };

    *any = false;
    if (store_version(st) < SHARES_SINCE)
        return 0;
    str_addf(&sql, "SELECT 1 FROM task WHERE job = %" PRIu64
             " AND applied NOT NULL LIMIT 1", job);
    return query_run(st, &sql, &to, err);
}

int query_tasks(struct store *st, const struct query_which *which,
                uint64_t now_ns, bool shares, const struct query_rows *to,
                struct err *err)
{
    struct str sql = { 0 };

    str_add(&sql, "SELECT rank, n.name AS node, pid, ");
    str_add(&sql, store_version(st) > 2
        ? "iif(hold <> 'going' AND t.state NOT IN " ENDED_TASK ", hold,"
          " t.state) AS state" : "t.state");
    str_add(&sql, ", exit_code, mpi_calls, in_mpi_ns, out_mpi_ns, rss_bytes,");
    if (store_version(st) > 2)
        str_addf(&sql, " nullif(held_ns + ifnull(%" PRIu64 " - held_since_ns,"
                 " 0), 0) AS suspended_ns,", now_ns);
    else
        str_add(&sql, " NULL AS suspended_ns,");
    if (shares)
        str_add(&sql, store_version(st) < SHARES_SINCE
                ? " NULL AS class, NULL AS nice, NULL AS applied,"
                : " class, nice, applied,");
    str_add(&sql, " last_tag FROM task t LEFT JOIN node n ON n.id = t.node");
    query_add_where(&sql, which);
    str_add(&sql, " ORDER BY rank");
    return query_run(st, &sql, to, err);
}

int query_nodes(struct store *st, const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    str_add(&sql, "SELECT node, state, cpus, load, memory_bytes,"
            " clock_offset_ns, clock_error_ns, seen_ns, ");
    if (store_version(st) < DRAINING_SINCE)
        str_add(&sql, "NULL AS drain");
    else
        str_add(&sql, "CASE WHEN NOT ifnull(draining, 0) THEN NULL"
                " WHEN EXISTS (SELECT 1 FROM job j JOIN task t ON t.job ="
                " j.job WHERE j.ended_ns IS NULL AND t.node = n.id"
                " AND t.state NOT IN " ENDED_TASK ") THEN 'draining'"
                " ELSE 'drained' END AS drain");
    str_add(&sql, store_version(st) < OWNER_SINCE ? ", NULL AS owner"
            : ", nullif(owner, '') AS owner");
    str_add(&sql, " FROM (SELECT name AS node, * FROM node) n ORDER BY node");
    return query_run(st, &sql, to, err);
}

int query_events(struct store *st, const struct query_which *which,
                 uint64_t count, bool stamps, const struct query_rows *to,
                 struct err *err)
{
    struct str sql = { 0 };

    if (count)
        str_add(&sql, "SELECT * FROM (");
    str_addf(&sql, "SELECT rank, marker, label, call, enter_ns, %s, node"
             " FROM events", stamps ? "exit_ns" : "exit_ns - enter_ns");
    query_add_where(&sql, which);
    if (count)
        str_addf(&sql, " ORDER BY enter_ns DESC, rank DESC LIMIT %" PRIu64 ")",
                 count);
    str_add(&sql, " ORDER BY enter_ns, rank");
    return query_run(st, &sql, to, err);
}

int query_verdicts(struct store *st, uint64_t job, const struct query_rows *to,
                   struct err *err)
{
    struct str sql = { 0 };

    str_addf(&sql, "SELECT at_ns, policy, kind, phase, ranks, score, age_ns,"
             " why, report, seq AS look FROM verdict WHERE job = %" PRIu64
             " ORDER BY at_ns, rowid", job);
    return query_run(st, &sql, to, err);
}

int query_slice(struct store *st, uint64_t job, int64_t rank,
                const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (!query_has(st, STORE_TABLE_slice)) {
        str_add(&sql, "SELECT 0 AS rank LIMIT 0");
        return query_run(st, &sql, to, err);
    }
    str_addf(&sql, "SELECT rank, place, function, file, line, reason, at_ns"
             " FROM slice s JOIN (SELECT rank AS r, at_ns AS t FROM slice"
             " WHERE job = %" PRIu64, job);
    if (rank >= 0)
        str_addf(&sql, " AND rank = %" PRId64, rank);
    str_addf(&sql, " ORDER BY at_ns DESC LIMIT 1) ON r = rank AND t = at_ns"
             " WHERE job = %" PRIu64 " ORDER BY place = 0, place", job);
    return query_run(st, &sql, to, err);
}

/* Of nothing; the text is to be run. */
static bool lacks_odd(struct store *st, struct str *sql)
{
    if (query_has(st, STORE_TABLE_outlier))
        return false;
    str_add(sql, "SELECT 0 AS rank LIMIT 0");
    return true;
}

static void add_compared(struct str *sql, const struct query_compared *c)
{
    str_addf(sql, " WHERE job = %" PRIu64 " AND at_ns = %" PRIu64
             " AND place <= %" PRIu64, c->job, c->at_ns, c->count);
}

int query_outliers(struct store *st, const struct query_compared *c,
                   const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (lacks_odd(st, &sql))
        return query_run(st, &sql, to, err);
    str_addf(&sql, "SELECT method, place, rank, score, cluster, cost_ns, %s AS step"
             " FROM outlier", store_version(st) >= ODD_STEP ? "step" : "NULL");
    add_compared(&sql, c);
    if (c->method)
        str_addf(&sql, " AND method = '%s'", c->method);
    str_add(&sql, " ORDER BY method = 'cluster', method = 'neighbour', place");
    return query_run(st, &sql, to, err);
}

int query_steps(struct store *st, const struct query_compared *c,
                const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (lacks_odd(st, &sql))
        return query_run(st, &sql, to, err);
    str_add(&sql, "SELECT place, rank, from_call, from_file, from_line, to_call,"
            " to_file, to_line, count, in_ns, normal_in_ns, out_ns,"
            " normal_out_ns, score FROM steps");
    add_compared(&sql, c);
    str_add(&sql, " ORDER BY place");
    return query_run(st, &sql, to, err);
}

int query_remarks(struct store *st, const struct query_compared *c,
                  const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (query_has(st, STORE_TABLE_remark))
        str_addf(&sql, "SELECT text FROM remark WHERE job = %" PRIu64
                 " AND at_ns = %" PRIu64 " ORDER BY place", c->job, c->at_ns);
    else
        str_add(&sql, "SELECT '' AS text LIMIT 0");
    return query_run(st, &sql, to, err);
}

int query_steps_bare(struct store *st, const struct query_compared *c,
                     const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (lacks_odd(st, &sql))
        return query_run(st, &sql, to, err);
    str_add(&sql, "SELECT count(*) FROM steps");
    add_compared(&sql, c);
    str_add(&sql, " AND (from_call IS NOT NULL AND from_line IS NULL OR"
            " to_call IS NOT NULL AND to_line IS NULL)");
    return query_run(st, &sql, to, err);
}

int query_compared_last(struct store *st, uint64_t job,
                        enum query_compared_in in, const char *phase,
                        uint64_t after_ns, const struct query_rows *to,
                        struct err *err)
{
    bool since = store_version(st) >= ODD_SINCE;
    struct str sql = { 0 };

    if (lacks_odd(st, &sql))
        return query_run(st, &sql, to, err);
    str_addf(&sql, "SELECT at_ns, phase, %s FROM outlier WHERE job = %" PRIu64
             " AND at_ns >= %" PRIu64, since ? "since_ns" : "NULL", job,
             after_ns);
    if (in == QUERY_PHASE)
        str_addf(&sql, " AND phase = '%s'", phase);
    else if (in != QUERY_ANY)
        str_add(&sql, " AND phase IS NULL");
    if (in == QUERY_ALL_TIME && since)
        str_add(&sql, " AND since_ns IS NULL");
    else if (in == QUERY_SINCE)
        str_add(&sql, since ? " AND since_ns IS NOT NULL" : " AND 0");
    str_add(&sql, " ORDER BY at_ns DESC LIMIT 1");
    return query_run(st, &sql, to, err);
}

int query_slice_heads(struct store *st, uint64_t job, uint32_t tasks,
                      uint32_t lines, const struct query_rows *to,
                      struct err *err)
{
    struct str sql = { 0 };

    if (!query_has(st, STORE_TABLE_slice)) {
        str_add(&sql, "SELECT 0 AS rank LIMIT 0");
        return query_run(st, &sql, to, err);
    }
    str_addf(&sql, "SELECT rank, place, function, file, line, reason, lines"
             " FROM slice s JOIN (SELECT rank AS r, max(at_ns) AS t FROM slice"
             " WHERE job = %" PRIu64 " GROUP BY rank ORDER BY t DESC"
             " LIMIT %" PRIu32 ") ON r = rank AND t = at_ns", job, tasks);
    str_addf(&sql, " JOIN (SELECT rank AS o, at_ns AS u, max(place) AS lines"
             " FROM slice WHERE job = %" PRIu64 " GROUP BY rank, at_ns) ON o = rank"
             " AND u = at_ns WHERE job = %" PRIu64 " AND place BETWEEN 1 AND"
             " %" PRIu32 " ORDER BY at_ns, rank, place", job, job, lines);
    return query_run(st, &sql, to, err);
}

/* What a policy has taken back is over. */
static const char since_it_moved[] =
    " at_ns > ifnull((SELECT max(at_ns) FROM verdict WHERE job = %" PRIu64
    " AND kind = 'progress' AND ranks = ''), 0)";

int query_blamed(struct store *st, uint64_t job, const struct query_rows *to,
                 struct err *err)
{
    struct str sql = { 0 };

    str_addf(&sql, "SELECT ranks FROM verdict WHERE job = %" PRIu64 " AND kind"
             " IN ('hang', 'deadlock', 'notice') AND ranks <> ''"
             " ORDER BY at_ns DESC, rowid DESC LIMIT 1", job);
    return query_run(st, &sql, to, err);
}

int query_least(struct store *st, uint64_t job, const struct query_rows *to,
                struct err *err)
{
    struct str sql = { 0 };

    if (!query_has(st, STORE_TABLE_progress_node)) {
        str_add(&sql, "SELECT '' AS ranks LIMIT 0");
        return query_run(st, &sql, to, err);
    }
    str_addf(&sql, "SELECT ranks FROM progress_node WHERE job = %" PRIu64
             " AND at_ns = (SELECT max(at_ns) FROM progress_node WHERE job = %"
             PRIu64 ") AND", job, job);
    str_addf(&sql, since_it_moved, job);
    str_add(&sql, " ORDER BY place");
    return query_run(st, &sql, to, err);
}

static int query_view(struct store *st, enum store_table since,
                      const char *view, uint64_t job,
                      const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (query_has(st, since))
        str_addf(&sql, "SELECT * FROM %s WHERE job = %" PRIu64
                 " ORDER BY number", view, job);
    else
        str_add(&sql, "SELECT 0 AS job LIMIT 0");
    return query_run(st, &sql, to, err);
}

int query_move_rows(struct store *st, uint64_t job, const struct query_rows *to,
                    struct err *err)
{
    return query_view(st, STORE_TABLE_move, "moves", job, to, err);
}

int query_return_rows(struct store *st, uint64_t job,
                      const struct query_rows *to, struct err *err)
{
    return query_view(st, STORE_TABLE_checkpoint, "returns", job, to, err);
}

static int on_lost(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    (void)ncols;
    (void)names;
    events_lost_add(arg, (uint32_t)v[0].i, (uint64_t)v[1].i);
    return 0;
}

int query_lost(struct store *st, const struct query_which *which,
               struct events_lost *lost, struct err *err)
{
    const struct query_rows to = { NULL, on_lost, lost };
    struct str sql = { 0 };

    str_add(&sql, "SELECT rank, ring_lost FROM task");
    query_add_where(&sql, which);
    str_add(&sql, " AND ring_lost > 0 ORDER BY rank");
    return query_run(st, &sql, &to, err);
}

/* ------------------------------------------------------------------- rows */

/* Who is given the rows, as what. */
struct reader {
    enum store_table table;
    union {
        query_master_f *master;
        query_job_f *job;
        query_task_f *task;
        query_look_f *look;
        query_system_f *system;
        query_stack_f *stack;
        query_model_f *model;
        query_progress_f *progress;
        query_run_f *run;
        query_learnt_f *learnt;
        query_instance_f *instance;
        query_late_f *late;
        query_checkpoint_f *checkpoint;
        query_unended_f *unended;
        query_found_f *found;
        query_move_f *move;
        query_open_move_f *open_move;
        query_rung_f *rung;
        query_climb_f *climb;
        struct query_moving *moving;
        query_stay_f *stay;
        query_return_f *back;
        query_hang_f *hang;
        query_text_f *text;
        query_open_f *open;
        query_drain_f *drain;
        query_number_f *number;
        uint32_t *count;
        query_address_f *address;
    } f;
    void *arg;
};

union any_row {
    struct store_master master;
    struct store_job job;
    struct store_task task;
    struct store_look look;
    struct store_system system;
    struct store_stack stack;
    struct store_model model;
    struct store_progress_node node;
    struct store_run run;
    struct store_learnt learnt;
    struct store_checkpoint checkpoint;
    struct store_move move;
    struct store_rung rung;
    struct store_climb climb;
};

static int on_row(void *arg, int ncols, const char *const *names,
                  const struct store_value *v)
{
    const struct reader *r = arg;
    union any_row row;
    int n = row_read(r->table, v, &row);

    (void)names;
    switch (r->table) {
    case STORE_TABLE_master:
        return r->f.master(r->arg, &row.master);
    case STORE_TABLE_job:
        return r->f.job(r->arg, &row.job);
    case STORE_TABLE_task:
        return r->f.task(r->arg, &row.task, n < ncols ? text_of(&v[n]) : NULL);
    case STORE_TABLE_look:
        return r->f.look(r->arg, &row.look);
    case STORE_TABLE_system:
        return r->f.system(r->arg, &row.system);
    case STORE_TABLE_stack:
        return r->f.stack(r->arg, &row.stack);
    case STORE_TABLE_model:
        return r->f.model(r->arg, &row.model);
    case STORE_TABLE_progress_node:
        return r->f.progress(r->arg, &row.node);
    case STORE_TABLE_run:
        return r->f.run(r->arg, &row.run);
    case STORE_TABLE_learnt:
        return r->f.learnt(r->arg, &row.learnt);
    case STORE_TABLE_checkpoint:
        return r->f.checkpoint(r->arg, &row.checkpoint);
    case STORE_TABLE_move:
        return r->f.open_move(r->arg, &row.move);
    case STORE_TABLE_climb:
        return r->f.climb(r->arg, &row.climb);
    case STORE_TABLE_rung:
        return r->f.rung(r->arg, &row.rung);
    default:
        return 1;
    }
}

static int query_by(struct store *st, const char *sql,
                    const struct store_value *params, int n, store_row_f *row,
                    struct reader *r, struct err *err)
{
    return store_query_bound(st, sql, params, n, NULL, row, r, err);
}

/* All columns of rows t, and what comes behind them. */
static int query_row(struct store *st, const char *more, const char *from,
                     const struct store_value *params, int n, struct reader *r,
                     struct err *err)
{
    struct str sql = { 0 };
    int rc;

    if (!query_has(st, r->table))
        return 0;
    str_add(&sql, "SELECT ");
    row_columns(&sql, r->table, "t.", store_version(st));
    str_addf(&sql, "%s FROM %s", more, from);
    rc = str_failed(&sql)
        ? err_memory(err)
        : query_by(st, str_text(&sql), params, n, on_row, r, err);
    str_fini(&sql);
    return rc;
}

int query_masters(struct store *st, query_master_f *f, void *arg,
                  struct err *err)
{
    struct reader r = { STORE_TABLE_master, { .master = f }, arg };

    return query_row(st, "", "master t WHERE ended_ns IS NULL", NULL, 0, &r,
                     err);
}

int query_master_of(struct store *st, uint64_t job, query_master_f *f, void *arg,
                    struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_master, { .master = f }, arg };

    return query_row(st, "", "master t WHERE instance = (SELECT master FROM job"
                     " WHERE job = ?1 AND ended_ns IS NULL)", of, 1, &r, err);
}

int query_open_in_batch(struct store *st, uint64_t master, query_job_f *f,
                        void *arg, struct err *err)
{
    const struct store_value of[] = { number(master) };
    struct reader r = { STORE_TABLE_job, { .job = f }, arg };

    if (store_version(st) < BATCH_SINCE)
        return 0;
    return query_row(st, "", "job t WHERE master = ?1 AND ended_ns IS NULL"
                     " AND batch NOT NULL", of, 1, &r, err);
}

int query_job(struct store *st, uint64_t job, query_job_f *f, void *arg,
              struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_job, { .job = f }, arg };

    return query_row(st, "", "job t WHERE job = ?1", of, 1, &r, err);
}

/* Of the story that the job (SQL: ?1, or its number) is in. */
static void add_story_of(struct str *sql, const char *job)
{
    char batches[100];

    snprintf(batches, sizeof(batches), "SELECT batch FROM job WHERE job = %s", job);
    str_add(sql, "job IN (SELECT job FROM ");
    add_stories(sql, batches);
    str_add(sql, " WHERE first = (SELECT first FROM ");
    add_stories(sql, batches);
    str_addf(sql, " WHERE job = %s)) ORDER BY job", job);
}

int query_batch(struct store *st, uint64_t job, query_job_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_job, { .job = f }, arg };
    struct str from = { 0 };
    int rc;

    if (store_version(st) < BATCH_SINCE)
        return 0;
    str_add(&from, "job t WHERE ");
    add_story_of(&from, "?1");
    rc = str_failed(&from) ? err_memory(err)
         : query_row(st, "", str_text(&from), of, 1, &r, err);
    str_fini(&from);
    return rc;
}

int query_run_rows(struct store *st, uint64_t job, const struct query_rows *to,
                   struct err *err)
{
    struct str sql = { 0 };
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, job);
    if (store_version(st) < BATCH_SINCE) {
        str_add(&sql, "SELECT 0 AS job LIMIT 0");
        return query_run(st, &sql, to, err);
    }
    str_addf(&sql, "SELECT job, batch, ifnull(restarts, 0) + 1 AS run, state, reason,"
             " started_ns, ended_ns, exit_code, %s FROM job WHERE ",
             store_version(st) < FROM_SINCE
             ? "NULL AS from_job, NULL AS from_checkpoint"
             : "from_job, from_checkpoint");
    add_story_of(&sql, number);
    return query_run(st, &sql, to, err);
}

struct known { bool any, ended; };

static int on_known(void *arg, const struct store_job *job)
{
    *(struct known *)arg = (struct known){ true, job->ended_ns != 0 };
    return 1;
}

int query_job_ended(struct store *st, uint64_t job, bool *ended,
                    struct err *err)
{
    struct known known = { false, false };

    if (query_job(st, job, on_known, &known, err))
        return -1;
    *ended = known.ended;
    return known.any ? 0
         : err_set(err, ESRCH, "there is no job %" PRIu64, job);
}

int query_job_tasks(struct store *st, uint64_t job, query_task_f *f, void *arg,
                    struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_task, { .task = f }, arg };

    return query_row(st, ", n.name", "task t LEFT JOIN node n ON n.id = t.node"
                     " WHERE t.job = ?1 ORDER BY t.rank", of, 1, &r, err);
}

static int on_unended(void *arg, int ncols, const char *const *names,
                      const struct store_value *v)
{
    const struct reader *r = arg;
    struct store_resume past;
    struct store_job row;
    int n = row_read(STORE_TABLE_job, v, &row);

    (void)ncols;
    (void)names;
    row_read(STORE_TABLE_resume, v + n, &past);
    return r->f.unended(r->arg, &row, &past);
}

int query_unended(struct store *st, uint64_t master, query_unended_f *f,
                  void *arg, struct err *err)
{
    const struct store_value of[] = { number(master) };
    struct reader r = { STORE_TABLE_job, { .unended = f }, arg };
    struct str sql = { 0 };
    int rc;

    if (!query_has(st, STORE_TABLE_resume))
        return 0;
    str_add(&sql, "SELECT ");
    row_columns(&sql, STORE_TABLE_job, "j.", store_version(st));
    str_add(&sql, ", ");
    row_columns(&sql, STORE_TABLE_resume, "r.", store_version(st));
    str_add(&sql, " FROM job j LEFT JOIN resume r ON r.job = j.job"
            " WHERE j.master = ?1 AND j.ended_ns IS NULL ORDER BY j.job");
    rc = str_failed(&sql)
        ? err_memory(err)
        : query_by(st, str_text(&sql), of, 1, on_unended, &r, err);
    str_fini(&sql);
    return rc;
}

int query_saved(struct store *st, uint64_t job, query_checkpoint_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_checkpoint, { .checkpoint = f }, arg };

    return query_row(st, "", "checkpoint t WHERE job = ?1 ORDER BY number", of,
                     1, &r, err);
}

int query_whole(struct store *st, uint64_t job, query_checkpoint_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_checkpoint, { .checkpoint = f }, arg };

    return query_row(st, "", "checkpoint t WHERE job = ?1 AND state = 'whole'"
                     " ORDER BY number DESC", of, 1, &r, err);
}

int query_open_moves(struct store *st, uint64_t job, query_open_move_f *f,
                     void *arg, struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_move, { .open_move = f }, arg };

    return query_row(st, "", "move t WHERE job = ?1 AND result IS NULL"
                     " ORDER BY asked_ns", of, 1, &r, err);
}

int query_rungs(struct store *st, uint64_t job, query_rung_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_rung, { .rung = f }, arg };

    if (!query_has(st, STORE_TABLE_rung))
        return 0;
    return query_row(st, "", "rung t WHERE job = ?1 OR target = ?1 ORDER BY"
                     " at_ns, job, number", of, 1, &r, err);
}

int query_rung_rows(struct store *st, uint64_t job,
                    const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    if (query_has(st, STORE_TABLE_rung))
        str_addf(&sql, "SELECT * FROM ladder WHERE job = %" PRIu64 " OR target"
                 " = %" PRIu64 " ORDER BY at_ns, job, number", job, job);
    else
        str_add(&sql, "SELECT 0 AS job LIMIT 0");
    return query_run(st, &sql, to, err);
}

int query_open_rungs(struct store *st, uint64_t master, query_rung_f *f,
                     void *arg, struct err *err)
{
    const struct store_value of[] = { number(master) };
    struct reader r = { STORE_TABLE_rung, { .rung = f }, arg };

    if (!query_has(st, STORE_TABLE_rung))
        return 0;
    return query_row(st, "", "rung t WHERE master = ?1 AND state NOT IN"
                     " ('failed', 'undone') ORDER BY at_ns, job, number", of, 1,
                     &r, err);
}

static int on_last_rung(void *arg, int ncols, const char *const *names,
                        const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols, (void)names;
    *r->f.count = (uint32_t)v[0].i;
    return 0;
}

int query_last_rung(struct store *st, uint64_t job, uint32_t most,
                    uint32_t *last, struct err *err)
{
    const struct store_value of[] = { number(job), number(most) };
    struct reader r = { STORE_TABLE_rung, { .count = last }, NULL };

    *last = 0;
    if (!query_has(st, STORE_TABLE_rung))
        return 0;
    return query_by(st, "SELECT ifnull(max(number), 0) FROM rung WHERE job = ?1"
                    " AND number BETWEEN 1 AND ?2", of, 2, on_last_rung, &r,
                    err);
}

static int on_moving(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols, (void)names;
    *r->f.moving = (struct query_moving){
        .ended = (uint64_t)v[0].i, .done = (uint64_t)v[1].i,
        .base_s = (double)v[2].i / 1e9,
        .bytes_s = v[4].i > 0 ? (double)v[3].i * 1e9 / (double)v[4].i : 0 };
    return 0;
}

int query_moving(struct store *st, struct query_moving *q, struct err *err)
{
    struct reader r = { STORE_TABLE_move, { .moving = q }, NULL };

    *q = (struct query_moving){ 0 };
    if (!query_has(st, STORE_TABLE_move))
        return 0;
    return query_by(st, "WITH last AS (SELECT * FROM moves WHERE result NOT"
                    " NULL"
                    " ORDER BY asked_ns DESC LIMIT 20) SELECT count(*),"
                    " ifnull(sum(result = 'done'), 0),"
                    " CAST(ifnull(avg(iif(result = 'done', stood_ns -"
                    " ifnull(image_ns, 0), NULL)), 0) AS INTEGER),"
                    " ifnull(sum(iif(result = 'done' AND image_ns > 0,"
                    " image_bytes, 0)), 0), ifnull(sum(iif(result = 'done',"
                    " image_ns, 0)), 0) FROM last",
                    NULL, 0, on_moving, &r, err);
}

/* d.job is that one; 0: see query.h. */
static void add_due_in(struct str *sql, uint64_t job)
{
    static const char running[] =
        "SELECT j.job FROM job j LEFT JOIN master m ON m.instance = j.master"
        " WHERE j.ended_ns IS NULL AND"
        " NOT ifnull(master_is_dead(m.host, m.pid, m.process), 0)";

    if (job)
        str_addf(sql, "d.job = %" PRIu64, job);
    else
        str_addf(sql, "(d.job IN (%s) OR d.job = (SELECT max(job) FROM job"
                 " WHERE NOT EXISTS (%s)))", running, running);
}

int query_any_deadline(struct store *st, uint64_t job, bool *any,
                       struct err *err)
{
    const struct query_rows to = { NULL, on_any, any };
    struct str sql = { 0 };

    *any = false;
    if (!query_has(st, STORE_TABLE_deadline))
        return 0;
    str_add(&sql, "SELECT 1 FROM deadline d WHERE ");
    add_due_in(&sql, job);
    str_add(&sql, " LIMIT 1");
    return query_run(st, &sql, &to, err);
}

/* "job 3 suspended, undone": of d. */
#define RUNG(name, word, done) " WHEN '" word "' THEN ' " done "'"
static const char last_step[] =
    "(SELECT 'job ' || r.target || CASE r.kind" RUNG_KINDS(RUNG) " ELSE ' ?' END ||"
    " iif(r.state = 'done', '', ', ' || r.state) FROM rung r WHERE r.job ="
    " d.job AND r.deadline_number = d.number ORDER BY r.number DESC LIMIT 1)";
#undef RUNG

/* What is bare beside max() is of the row that has it. What is done within the
 * bound of its clocks is not late. */
int query_deadlines(struct store *st, uint64_t job, bool programs,
                    const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };
    const char *step = query_has(st, STORE_TABLE_rung) ? last_step : "NULL";

    if (!query_has(st, STORE_TABLE_deadline)) {
        str_add(&sql, "SELECT 0 AS job LIMIT 0");
        return query_run(st, &sql, to, err);
    }
    str_add(&sql, "WITH due AS (SELECT * FROM deadline d WHERE ");
    add_due_in(&sql, job);
    str_add(&sql, "), came AS (SELECT i.job, i.deadline, count(*) AS instances,"
            " sum(i.done_ns NOT NULL AND NOT i.late) AS met, sum(i.late) AS"
            " missed, min(i.margin) AS worst FROM due d JOIN instance i ON"
            " i.job = d.job AND i.deadline = d.number GROUP BY 1, 2),"
            " last AS (SELECT i.job, i.deadline, i.margin, i.slope, i.chance,"
            " max(i.done_ns) FROM due d JOIN instance i ON i.job = d.job AND"
            " i.deadline = d.number WHERE i.done_ns NOT NULL GROUP BY 1, 2)"
            " SELECT d.job, d.number, d.text");
    str_add(&sql, programs ? "" : " || iif(over, ' (taken back)', '')");
    str_add(&sql, " AS deadline, ifnull(instances, 0) AS instances,"
            " ifnull(met, 0) AS met, ifnull(missed, 0) AS missed, ");
    str_addf(&sql, programs
            ? "l.margin, worst, slope, chance, %s AS step, kind, limit_ns,"
              " firm, ranks, over, added_ns"
            : "iif(l.margin IS NULL, NULL, printf('%%.1f%%%%', 100 * l.margin)) AS"
              " margin, iif(worst IS NULL, NULL, printf('%%.1f%%%%', 100 * worst))"
              " AS worst, iif(slope IS NULL, NULL, printf('%%+.1f', 10000 *"
              " slope)) AS slope, iif(chance IS NULL, NULL, printf('%%.1f%%%%',"
              " 100 * chance)) AS chance, %s AS step", step);
    str_add(&sql, " FROM due d LEFT JOIN came c ON c.job = d.job AND c.deadline ="
            " d.number LEFT JOIN last l ON l.job = d.job AND l.deadline ="
            " d.number ORDER BY d.job, d.number");
    return query_run(st, &sql, to, err);
}

int query_checkpoints(struct store *st, const struct query_which *which,
                      const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    str_add(&sql, "SELECT job, number, state, at_ns, image_bytes, stood_ns, dir"
            " FROM ");
    str_add(&sql, query_has(st, STORE_TABLE_checkpoint) ? "checkpoint"
            : "(SELECT 0 AS job, 0 AS number, '' AS state, 0 AS at_ns, 0 AS"
              " image_bytes, 0 AS stood_ns, '' AS dir LIMIT 0)");
    if (which->job)
        query_add_where(&sql, which);
    str_add(&sql, " ORDER BY job, number");
    return query_run(st, &sql, to, err);
}

int query_looks(struct store *st, uint64_t job, uint64_t seq, int64_t count,
                query_look_f *f, void *arg, struct err *err)
{
    const struct store_value of[] = { number(job), number(seq),
                                      number((uint64_t)count) };
    struct reader r = { STORE_TABLE_look, { .look = f }, arg };

    return query_row(st, "", "look t WHERE job = ?1 AND seq > ?2 ORDER BY seq"
                     " LIMIT ?3", of, 3, &r, err);
}

int query_climbs(struct store *st, uint64_t job, query_climb_f *f, void *arg,
                 struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_climb, { .climb = f }, arg };

    if (!query_has(st, STORE_TABLE_climb))
        return 0;
    return query_row(st, "", "climb t WHERE ?1 IN (0, job) ORDER BY at_ns, job,"
                     " number, back", of, 1, &r, err);
}

int query_systems(struct store *st, query_system_f *f, void *arg,
                  struct err *err)
{
    struct reader r = { STORE_TABLE_system, { .system = f }, arg };

    if (!query_has(st, STORE_TABLE_system))
        return 0;
    return query_row(st, "", "system t ORDER BY at_ns, seq", NULL, 0, &r, err);
}

int query_last_look(struct store *st, uint64_t job, bool runs, query_look_f *f,
                    void *arg, struct err *err)
{
    const struct store_value of[] = { number(job), number(!runs) };
    struct reader r = { STORE_TABLE_look, { .look = f }, arg };

    return query_row(st, "", "look t LEFT JOIN job j ON j.job = t.job WHERE"
                     " t.job = ?1 AND (?2 OR j.state = 'running')"
                     " ORDER BY t.seq DESC LIMIT 1", of, 2, &r, err);
}

int query_stack(struct store *st, uint64_t job, uint64_t seq, query_stack_f *f,
                void *arg, struct err *err)
{
    const struct store_value of[] = { number(job), number(seq) };
    struct reader r = { STORE_TABLE_stack, { .stack = f }, arg };

    return query_row(st, "", "stack t WHERE job = ?1 AND seq = ?2", of, 2, &r,
                     err);
}

int query_last_stack(struct store *st, uint64_t job, query_stack_f *f,
                     void *arg, struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_stack, { .stack = f }, arg };

    return query_row(st, "", "stack t WHERE job = ?1 ORDER BY at_ns DESC"
                     " LIMIT 1", of, 1, &r, err);
}

int query_progress(struct store *st, uint64_t job, query_progress_f *f, void *arg,
                   struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_progress_node, { .progress = f }, arg };

    return query_row(st, "", "progress_node t WHERE job = ?1 AND at_ns ="
                     " (SELECT max(at_ns) FROM progress_node WHERE job = ?1)"
                     " ORDER BY place", of, 1, &r, err);
}

int query_model(struct store *st, uint64_t job, query_model_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_model, { .model = f }, arg };

    return query_row(st, "", "model t WHERE job = ?1", of, 1, &r, err);
}

int query_run_of(struct store *st, uint64_t job, query_run_f *f, void *arg,
                 struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_run, { .run = f }, arg };

    return query_row(st, "", "run t WHERE job = ?1", of, 1, &r, err);
}

int query_learnt(struct store *st, uint64_t job, query_learnt_f *f, void *arg,
                 struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_learnt, { .learnt = f }, arg };

    if (!query_has(st, STORE_TABLE_learnt))
        return 0;
    return query_row(st, "", "learnt t WHERE job = ?1 ORDER BY policy, what", of, 1,
                     &r, err);
}

#define GOOD_RUN " AND t.good AND t.job < ?2 AND EXISTS (SELECT 1 FROM model m" \
    " WHERE m.job = t.job) AND NOT EXISTS (SELECT 1 FROM verdict v WHERE"       \
    " v.job = t.job AND v.kind IN ('hang', 'deadlock'))"                        \
    " ORDER BY t.job DESC LIMIT ?3"

int query_good_runs(struct store *st, int64_t program, uint64_t before,
                    int64_t count, query_run_f *f, void *arg, struct err *err)
{
    const struct store_value of[] = { number((uint64_t)program),
                                      number(before), number((uint64_t)count) };
    struct reader r = { STORE_TABLE_run, { .run = f }, arg };

    return query_row(st, "", "run t WHERE t.program = ?1" GOOD_RUN, of, 3, &r,
                     err);
}

int query_like_runs(struct store *st, const char *what, uint64_t before,
                    int64_t count, query_run_f *f, void *arg, struct err *err)
{
    const struct store_value of[] = {
        { .type = STORE_TEXT, .text = what }, number(before),
        number((uint64_t)count) };
    struct reader r = { STORE_TABLE_run, { .run = f }, arg };

    return query_row(st, "", "run t WHERE t.what = ?1" GOOD_RUN, of, 3, &r,
                     err);
}

/* --------------------------------------------------- what was found, done */

static int on_found(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    const struct reader *r = arg;
    const struct query_found found = {
        .at_ns = (uint64_t)v[0].i, .policy = text_of(&v[1]),
        .report = text_of(&v[2]), .seq = { v[3].type == STORE_INT, v[3].i },
        .action = text_of(&v[4]), .ranks = text_of(&v[5]),
        .by = text_of(&v[6]), .result = text_of(&v[7]),
        .why = text_of(&v[8]) };

    (void)ncols;
    (void)names;
    return r->f.found(r->arg, &found);
}

int query_found(struct store *st, uint64_t job, query_found_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_verdict, { .found = f }, arg };

    return query_by(st, "SELECT at_ns, policy, ifnull(report, kind || ': ' ||"
                    " why || char(10)), seq, NULL, NULL, NULL, NULL, NULL"
                    " FROM verdict WHERE job = ?1 UNION ALL SELECT at_ns, NULL,"
                    " NULL, NULL, action, ranks, by, result, why FROM action"
                    " WHERE job = ?1 AND action NOT IN ('report', 'rollback')"
                    " ORDER BY 1", of, 1, on_found, &r, err);
}

static int on_instance(void *arg, int ncols, const char *const *names,
                       const struct store_value *v)
{
    const struct reader *r = arg;
    const struct query_instance i = {
        .number = (uint32_t)v[0].i, .text = text_of(&v[1]), .wanted = v[2].d,
        .at_ns = (uint64_t)v[3].i, .ended = v[4].type == STORE_REAL,
        .margin = v[4].d, .late = v[5].i != 0 };

    (void)ncols;
    (void)names;
    return r->f.instance(r->arg, &i);
}

int query_instances(struct store *st, uint64_t job, query_instance_f *f,
                    void *arg, struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_instance, { .instance = f }, arg };

    if (!query_has(st, STORE_TABLE_deadline))
        return 0;
    return query_by(st, "SELECT d.number, d.text, CAST(d.margin AS REAL),"
                    " ifnull(i.done_ns, i.due_ns), CAST(i.margin AS REAL),"
                    " i.late FROM deadline d JOIN instance i ON i.job = d.job AND"
                    " i.deadline = d.number WHERE d.job = ?1 AND"
                    " (i.done_ns NOT NULL OR i.late) ORDER BY 1, 4", of, 1,
                    on_instance, &r, err);
}

static int on_late(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols;
    (void)names;
    return r->f.late(r->arg, (uint64_t)v[0].i, text_of(&v[1]));
}

int query_late(struct store *st, uint64_t job, query_late_f *f, void *arg,
               struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_verdict, { .late = f }, arg };

    return query_by(st, "SELECT at_ns, why FROM verdict WHERE job = ?1 AND kind ="
                    " 'deadline' ORDER BY at_ns", of, 1, on_late, &r, err);
}

static struct row_maybe maybe(const struct store_value *v)
{
    return (struct row_maybe){ v->type == STORE_INT, v->i };
}

static int on_move(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    const struct reader *r = arg;
    const struct query_move move = {
        .number = (uint64_t)v[0].i, .asked_ns = (uint64_t)v[1].i,
        .ranks = text_of(&v[2]), .from_nodes = text_of(&v[3]),
        .to_node = text_of(&v[4]), .result = text_of(&v[5]),
        .pushes = (uint32_t)v[6].i, .retreats = (uint32_t)v[7].i,
        .image_bytes = (uint64_t)v[8].i, .stood_ns = maybe(&v[9]),
        .prepare_ns = maybe(&v[10]), .quiesce_ns = maybe(&v[11]),
        .drain_ns = maybe(&v[12]), .places_ns = maybe(&v[13]),
        .apart_ns = maybe(&v[14]), .image_ns = maybe(&v[15]),
        .restore_ns = maybe(&v[16]), .join_ns = maybe(&v[17]) };

    (void)ncols;
    (void)names;
    return r->f.move(r->arg, &move);
}

int query_moves(struct store *st, uint64_t job, query_move_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_move, { .move = f }, arg };

    if (!query_has(st, STORE_TABLE_move))
        return 0;
    return query_by(st, "SELECT number, asked_ns, ranks, from_nodes, to_node,"
                    " result, pushes, retreats, image_bytes, stood_ns,"
                    " prepare_ns, quiesce_ns, drain_ns, places_ns, apart_ns,"
                    " image_ns, restore_ns, join_ns FROM moves WHERE job = ?1"
                    " ORDER BY number", of, 1, on_move, &r, err);
}

static int on_stay(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    const struct reader *r = arg;
    const struct query_stay stay = { (uint32_t)v[0].i, text_of(&v[1]),
                                     (uint64_t)v[2].i,
                                     v[3].type == STORE_INT
                                     ? (uint64_t)v[3].i : 0 };

    (void)ncols;
    (void)names;
    return r->f.stay(r->arg, &stay);
}

int query_stays(struct store *st, uint64_t job, query_stay_f *f, void *arg,
                struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_posting, { .stay = f }, arg };

    if (!query_has(st, STORE_TABLE_posting))
        return 0;
    return query_by(st, "SELECT rank, node, from_ns, to_ns FROM stays WHERE"
                    " job = ?1 ORDER BY rank, from_ns", of, 1, on_stay, &r,
                    err);
}

static int on_return(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    const struct reader *r = arg;
    const struct query_return back = {
        .at_ns = (uint64_t)v[0].i, .why = text_of(&v[1]),
        .checkpoint = (uint32_t)v[2].i, .saved_ns = maybe(&v[3]),
        .lost_ns = (uint64_t)v[4].i, .away_ns = maybe(&v[5]) };

    (void)ncols;
    (void)names;
    return r->f.back(r->arg, &back);
}

int query_returns(struct store *st, uint64_t job, query_return_f *f, void *arg,
                  struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_checkpoint, { .back = f }, arg };

    if (!query_has(st, STORE_TABLE_checkpoint))
        return 0;
    return query_by(st, "SELECT at_ns, why, checkpoint, saved_ns, lost_ns,"
                    " away_ns FROM returns WHERE job = ?1 ORDER BY number", of,
                    1, on_return, &r, err);
}

static int on_text(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols;
    (void)names;
    return v[0].type == STORE_TEXT ? r->f.text(r->arg, v[0].text) : 0;
}

/* A step whose state is only planned may have been begun: what is known of the tasks
 * says so. "optimizer" resumes for all that are switched off. */
int query_suspender(struct store *st, uint64_t job, query_text_f *f, void *arg,
                    struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_plan, { .text = f }, arg };

    if (!query_has(st, STORE_TABLE_plan))
        return 0;
    return query_by(st, "SELECT optimizer FROM plan WHERE job = ?1 AND kind ="
                    " 'suspend' AND state IN ('planned', 'ordered', 'done') AND"
                    " (SELECT by FROM action WHERE job = ?1 AND action IN"
                    " ('suspend', 'resume') ORDER BY at_ns DESC, rowid DESC"
                    " LIMIT 1) IN (optimizer, 'optimizer') ORDER BY at_ns DESC,"
                    " seq DESC LIMIT 1", of, 1, on_text, &r, err);
}

int query_switched_off(struct store *st, uint64_t job, query_text_f *f,
                       void *arg, struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_action, { .text = f }, arg };

    return query_by(st, "SELECT by FROM action WHERE job = ?1 AND action ="
                    " 'switch off'", of, 1, on_text, &r, err);
}

static int on_open(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols;
    (void)names;
    return v[0].type == STORE_TEXT ? r->f.open(r->arg, v[0].text, v[1].text)
                                   : 0;
}

int query_draining(struct store *st, query_text_f *f, void *arg,
                   struct err *err)
{
    struct reader r = { STORE_TABLE_node, { .text = f }, arg };

    if (store_version(st) < DRAINING_SINCE)
        return 0;
    return query_by(st, "SELECT name FROM node WHERE draining", NULL, 0,
                    on_text, &r, err);
}

static int on_drain(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols;
    (void)names;
    return r->f.drain(r->arg, text_of(&v[0]), text_of(&v[1]), text_of(&v[2]));
}

int query_drains(struct store *st, uint64_t master, query_drain_f *f, void *arg,
                 struct err *err)
{
    const struct store_value of[] = { number(master) };
    struct reader r = { STORE_TABLE_node, { .drain = f }, arg };

    if (store_version(st) < DRAINS_SINCE)
        return 0;
    return query_by(st, "SELECT name, drain_why, drain_to FROM node WHERE"
                    " draining AND drain_master = ?1 AND drain_why != ''"
                    " ORDER BY name", of, 1, on_drain, &r, err);
}

int query_owners(struct store *st, query_drain_f *f, void *arg, struct err *err)
{
    struct reader r = { STORE_TABLE_node, { .drain = f }, arg };

    if (store_version(st) < OWNER_SINCE)
        return 0;
    return query_by(st, "SELECT name, ifnull(owner, ''), ifnull(drain_by, '')"
                    " FROM node WHERE owner != '' OR drain_by != ''", NULL, 0,
                    on_drain, &r, err);
}

int query_open(struct store *st, uint64_t job, query_open_f *f, void *arg,
               struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_verdict, { .open = f }, arg };

    return query_by(st, "SELECT DISTINCT policy, kind FROM verdict v WHERE"
                    " job = ?1 AND"
                    " kind IN ('hang', 'deadlock', 'slowdown', 'notice') AND"
                    " rowid > ifnull((SELECT max(rowid) FROM verdict WHERE"
                    " job = ?1 AND kind = 'progress' AND policy = v.policy"
                    " AND ifnull(ranks, '') = ''),"
                    " 0)", of, 1, on_open, &r, err);
}

static int on_hang(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    const struct reader *r = arg;
    const struct query_hang hang = {
        .policy = text_of(&v[0]), .seq = (uint64_t)v[1].i,
        .report = text_of(&v[2]), .told = v[3].i != 0,
        .kind = text_of(&v[4]), .score = v[5].d,
        .age_ns = (uint64_t)v[6].i, .acted = v[7].i != 0,
        .why = text_of(&v[8]), .proposed = (uint32_t)v[9].i,
        .ranks = text_of(&v[10]), .ordered = v[11].i != 0 };

    (void)ncols;
    (void)names;
    return r->f.hang(r->arg, &hang);
}

int query_open_hang(struct store *st, uint64_t job, query_hang_f *f, void *arg,
                    struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_verdict, { .hang = f }, arg };

    return query_by(st, "SELECT policy, seq, report, EXISTS (SELECT 1 FROM"
                    " action WHERE job = ?1 AND action = 'report' AND"
                    " by = policy AND action.at_ns >= verdict.at_ns),"
                    " kind, score, age_ns, EXISTS (SELECT 1 FROM action WHERE"
                    " job = ?1 AND action IN ('kill', 'suspend', 'migrate') AND"
                    " by = policy AND result NOT LIKE 'not done%' AND"
                    " NOT (action = 'migrate' AND result = 'ordered') AND"
                    " action.at_ns >= verdict.at_ns), why, CASE"
                    " WHEN instr(detail, '  proposes to kill') THEN 3"
                    " WHEN instr(detail, '  proposes to suspend') THEN 2"
                    " ELSE 0 END, ranks, EXISTS (SELECT 1 FROM action WHERE"
                    " job = ?1 AND action = 'migrate' AND by = policy AND"
                    " result = 'ordered' AND action.at_ns >= verdict.at_ns)"
                    " FROM verdict WHERE job = ?1 AND"
                    " kind IN ('hang', 'deadlock') AND rowid >"
                    " ifnull((SELECT max(rowid) FROM verdict WHERE job = ?1"
                    " AND kind = 'progress' AND ifnull(ranks, '') = ''), 0)"
                    " ORDER BY rowid LIMIT 1", of, 1,
                    on_hang, &r, err);
}

/* ---------------------------------------------------------------- numbers */

static int on_number(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols;
    (void)names;
    return r->f.number(r->arg, (uint64_t)v[0].i);
}

int query_recorded(struct store *st, query_number_f *f, void *arg,
                   struct err *err)
{
    struct reader r = { STORE_TABLE_look, { .number = f }, arg };

    if (!query_has(st, STORE_TABLE_look))
        return 0;
    return query_by(st, "SELECT DISTINCT job FROM look ORDER BY job DESC", NULL,
                    0, on_number, &r, err);
}

static int set_number(void *arg, uint64_t n)
{
    *(uint64_t *)arg = n;
    return 0;
}

int query_longest_stay(struct store *st, uint64_t place, uint64_t *longest_ns,
                       struct err *err)
{
    const struct store_value of[] = { number(place) };
    struct reader r = { STORE_TABLE_stay, { .number = set_number },
                        longest_ns };

    *longest_ns = 0;
    if (!query_has(st, STORE_TABLE_stay))
        return 0;
    return query_by(st, "SELECT max(longest_ns, 0) FROM stay WHERE place = ?1",
                    of, 1, on_number, &r, err);
}

int query_last_number(struct store *st, uint64_t *number_of, struct err *err)
{
    struct reader r = { STORE_TABLE_job, { .number = set_number },
                        number_of };

    return query_by(st, "SELECT max(seq) FROM sqlite_sequence WHERE"
                    " name = 'job'", NULL, 0, on_number, &r, err);
}

static int on_address(void *arg, int ncols, const char *const *names,
                      const struct store_value *v)
{
    const struct reader *r = arg;

    (void)ncols;
    (void)names;
    return r->f.address(r->arg, text_of(&v[1]), v[0].type != STORE_NULL);
}

int query_address(struct store *st, uint64_t job, query_address_f *f, void *arg,
                  struct err *err)
{
    const struct store_value of[] = { number(job) };
    struct reader r = { STORE_TABLE_master, { .address = f }, arg };

    if (!job)
        return query_by(st, "SELECT ended_ns, address FROM master ORDER BY"
                        " ended_ns IS NOT NULL, started_ns DESC LIMIT 1", NULL, 0, on_address, &r,
                        err);
    return query_by(st, "SELECT j.ended_ns, m.address FROM job j LEFT JOIN"
                    " master m ON m.instance = j.master WHERE job = ?1", of, 1,
                    on_address, &r, err);
}
