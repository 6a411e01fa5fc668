/* report.c - hector report: where the time of a job went, per task, per MPI
 * function and per call site, as users of mpiP know it.
 *
 * Of a function or a site, imbalance and variation are those of the times of
 * the tasks that called it. Percentages: of the application time, from
 * MPI_Init on, and of the time inside of MPI, each of all tasks of the target
 * together. */
#include "master/hector/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/human.h"
#include "master/hector/core/target.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"

enum { REPORT_TOP = 20, REPORT_CALLERS = 3, REPORT_VERSION = 4 };

struct report {
    const struct tool *tool;
    struct store *store;
    struct target target;
    int64_t top, callers;       /* how many; -1: all */
    /* What the first questions have answered. */
    char head[400];
    int64_t job, ntasks, shown, calls, costs, app_ns, out_ns, most_rank;
    int64_t most_ns;
    double cov;
    bool ended;
};

static const struct table_column task_columns[] = {
    { "TASK", TABLE_NUMBER, "all" }, { "APP TIME", TABLE_DURATION, NULL },
    { "MPI TIME", TABLE_DURATION, NULL }, { "MPI %", TABLE_NUMBER, NULL },
    { "OUTSIDE", TABLE_DURATION, NULL }, { "CPU IN", TABLE_DURATION, NULL },
    { "CPU OUT", TABLE_DURATION, NULL }, { "CALLS", TABLE_NUMBER, NULL },
    { "BYTES", TABLE_BYTES, NULL },
};

static const struct table_column call_columns[] = {
    { "CALL", TABLE_WIDE, "?" }, { "TIME", TABLE_DURATION, NULL },
    { "APP %", TABLE_NUMBER, NULL }, { "MPI %", TABLE_NUMBER, NULL },
    { "CALLS", TABLE_NUMBER, NULL }, { "BYTES", TABLE_BYTES, NULL },
    { "MEAN", TABLE_DURATION, NULL }, { "MAX", TABLE_DURATION, NULL },
    { "IMB %", TABLE_NUMBER, NULL }, { "TASK", TABLE_NUMBER, NULL },
    { "COV", TABLE_NUMBER, NULL },
};

static const struct table_column site_columns[] = {
    { "SITE", TABLE_NUMBER, "" }, { "CALL", TABLE_TEXT, "" },
    { "TIME", TABLE_DURATION, "" }, { "APP %", TABLE_NUMBER, "" },
    { "CALLS", TABLE_NUMBER, "" }, { "BYTES", TABLE_BYTES, "" },
    { "IMB %", TABLE_NUMBER, "" }, { "TASK", TABLE_NUMBER, "" },
    { "WHERE", TABLE_WIDE, "its place was not recorded" },
};

static const struct table_column note_columns[] = {
    { "NO NAMES OF", TABLE_TEXT, "some memory" }, { "BECAUSE", TABLE_TEXT, "?" },
};

/* ------------------------------------------------------------- questions */

/* " WHERE job = ... AND (rank ...)" behind a text. */
static void add_from(struct str *sql, const struct report *r, const char *from)
{
    str_add(sql, from);
    target_where(&r->target, sql);
}

/* Which site stands for another one, k: sites that are one in the source are one
 * for people, as those of a loop that the compiler has unrolled. */
static void add_same(struct str *sql, const struct report *r)
{
    add_from(sql, r, ", same(site, k) AS MATERIALIZED (SELECT id, min(id)"
             " OVER (PARTITION BY call, names) FROM (SELECT t.id, t.call,"
             " group_concat(q.place, char(10)) AS names FROM (SELECT site,"
             " place FROM callers WHERE site IN (SELECT site FROM cost");
    str_add(sql, ") ORDER BY site, depth, inlined) q JOIN site t"
            " ON t.id = q.site GROUP BY t.id))");
}

/* Common tables: of every key (a function, or a site) and rank what the rank
 * spent; and of every key which rank spent most. */
static void add_sums(struct str *sql, const struct report *r, const char *key,
                     bool same)
{
    add_from(sql, r, "WITH app(app) AS (SELECT whole(in_mpi_ns + out_mpi_ns)"
             " FROM tasks");
    str_add(sql, ")");
    if (same)
        add_same(sql, r);
    str_addf(sql, ", per AS (SELECT %s AS k, c.rank AS rank, whole(calls) AS n,"
             " whole(in_ns) AS ns, whole(out_ns) AS o, whole(bytes) AS b,"
             " max(max_ns) AS m FROM cost c JOIN site s ON s.id = c.site%s",
             key, same ? " LEFT JOIN same ON same.site = c.site" : "");
    target_where(&r->target, sql);
    str_add(sql, " GROUP BY 1, 2), most AS (SELECT k, max(ns) AS ns, rank"
            " FROM per GROUP BY k), mpi(mpi) AS (SELECT whole(ns) FROM per),"
            " sums AS (SELECT per.k AS k, whole(per.ns) AS ns,"
            " 100.0 * whole(per.ns) / nullif(app, 0) AS app,"
            " 100.0 * whole(per.ns) / nullif(mpi, 0) AS mpi,"
            " whole(n) AS n, whole(b) AS b, whole(o) AS o,"
            " whole(per.ns) / nullif(whole(n), 0) AS mean, max(m) AS m,"
            " count(*) AS ranks, most.ns AS most, most.rank AS rank,"
            " 100.0 * (count(*) * most.ns / nullif(1.0 * whole(per.ns), 0) - 1)"
            " AS imb, cov(per.ns) AS cov"
            " FROM per JOIN most ON most.k = per.k, app, mpi"
            " GROUP BY per.k ORDER BY ns DESC, k)");
}

static int ask(const struct report *r, const struct str *sql,
               const struct table_column *columns, struct err *err)
{
    return answer_query(r->tool, r->store, str_text(sql), NULL, 0, columns,
                        NULL, err);
}

static int tell_tasks(const struct report *r, struct err *err)
{
    bool json = r->tool->json;
    struct str sql = { 0 };
    int rc;

    str_add(&sql, "WITH b AS (SELECT rank AS r, whole(bytes) AS bytes FROM");
    add_from(&sql, r, store_version(r->store) >= REPORT_VERSION ? " cost"
             : " (SELECT job, rank, NULL AS bytes FROM tasks)");
    add_from(&sql, r, " GROUP BY rank), t AS (SELECT *, in_mpi_ns + out_mpi_ns"
             " AS app_ns FROM tasks LEFT JOIN b ON b.r = rank");
    str_addf(&sql, ") SELECT rank, %sapp_ns, in_mpi_ns, 100.0 * in_mpi_ns /"
             " nullif(app_ns, 0) AS mpi_percent, out_mpi_ns, cpu_in_mpi_ns,"
             " cpu_out_mpi_ns, mpi_calls, bytes FROM (SELECT * FROM t",
             json ? "node, state, " : "");
    if (!json && r->top >= 0 && r->shown > r->top)
        str_addf(&sql, " ORDER BY out_mpi_ns DESC, rank LIMIT %" PRId64,
                 r->top);
    else
        str_add(&sql, " ORDER BY rank");
    str_add(&sql, ")");
    if (!json)
        str_add(&sql, " UNION ALL SELECT NULL, whole(app_ns), whole(in_mpi_ns),"
                " 100.0 * whole(in_mpi_ns) / nullif(whole(app_ns), 0),"
                " whole(out_mpi_ns), whole(cpu_in_mpi_ns), whole(cpu_out_mpi_ns),"
                " whole(mpi_calls), whole(bytes) FROM t");
    rc = ask(r, &sql, task_columns, err);
    str_fini(&sql);
    return rc;
}

static int tell_calls(const struct report *r, struct err *err)
{
    struct str sql = { 0 };
    int rc;

    add_sums(&sql, r, "s.call", false);
    str_addf(&sql, " SELECT %s AS call, ns AS in_ns, app AS app_percent,"
             " mpi AS mpi_percent, n AS calls, b AS bytes, mean AS mean_ns,"
             " m AS max_ns, imb AS imbalance_percent, rank AS max_rank, cov"
             "%s FROM sums LEFT JOIN mpi_call c ON c.id = k LIMIT %" PRId64,
             r->tool->json ? "c.name" : "substr(c.name, 5)",
             r->tool->json ? ", o AS out_ns, ranks AS tasks,"
                             " most AS max_rank_ns" : "", r->top);
    rc = ask(r, &sql, call_columns, err);
    str_fini(&sql);
    return rc;
}

/* People see a site's callers in the rows below it. */
static int tell_sites(const struct report *r, struct err *err)
{
    struct str sql = { 0 };
    int rc;

    add_sums(&sql, r, r->tool->json ? "c.site" : "ifnull(same.k, c.site)",
             !r->tool->json);
    if (r->tool->json)
        str_add(&sql, " SELECT k AS site, c.name AS call, p.function, p.file,"
                " p.line, p.place, ns AS in_ns, app AS app_percent,"
                " mpi AS mpi_percent, n AS calls, b AS bytes, o AS out_ns,"
                " mean AS mean_ns, m AS max_ns, imb AS imbalance_percent,"
                " rank AS max_rank, most AS max_rank_ns, cov, ranks AS tasks"
                " FROM sums JOIN site s ON s.id = k"
                " LEFT JOIN mpi_call c ON c.id = s.call"
                " LEFT JOIN callers p ON p.site = k AND p.depth = 0"
                " AND p.inlined = 0");
    else
        str_addf(&sql, ", best AS (SELECT row_number() OVER (ORDER BY ns DESC,"
                 " k) AS no, * FROM sums LIMIT %" PRId64 "),"
                 " steps AS (SELECT no, row_number() OVER (PARTITION BY no"
                 " ORDER BY depth, inlined) - 1 AS step, %s AS place FROM best"
                 " JOIN callers p ON p.site = k"
                 " WHERE note IS NOT 'what calls main')"
                 " SELECT no, call, ns, app, n, b, imb, rank, place FROM"
                 " (SELECT no AS o, 0 AS step, no, substr(c.name, 5) AS call,"
                 " ns, app, n, b, imb, rank, place FROM best"
                 " JOIN site s ON s.id = k LEFT JOIN mpi_call c"
                 " ON c.id = s.call LEFT JOIN steps USING(no)"
                 " WHERE ifnull(step, 0) = 0"
                 " UNION ALL SELECT no, step, NULL, NULL, NULL, NULL, NULL,"
                 " NULL, NULL, NULL, ' ' || place FROM steps WHERE step > 0"
                 " AND (step <= %" PRId64 " OR %d)) ORDER BY o, step",
                 r->top, r->callers < 0 ? "place" : "brief(place)",
                 r->callers, r->callers < 0);
    rc = ask(r, &sql, site_columns, err);
    str_fini(&sql);
    return rc;
}

/* Which sites of this target stand where. */
static void add_callers(struct str *sql, const struct report *r)
{
    add_from(sql, r, " FROM callers WHERE site IN (SELECT site FROM cost");
    str_add(sql, ")");
}

static int tell_callers(const struct report *r, struct err *err)
{
    struct str sql = { 0 };
    int rc;

    str_add(&sql, "SELECT *");
    add_callers(&sql, r);
    str_add(&sql, " ORDER BY site, depth, inlined");
    rc = ask(r, &sql, NULL, err);
    str_fini(&sql);
    return rc;
}

static int tell_costs(const struct report *r, struct err *err)
{
    struct str sql = { 0 };
    int rc;

    add_from(&sql, r, "SELECT rank, site, calls, in_ns, out_ns, bytes, max_ns"
             " FROM cost");
    rc = ask(r, &sql, NULL, err);
    str_fini(&sql);
    return rc;
}

static int count_row(void *arg, int n, const char *const *names,
                     const struct store_value *v)
{
    (void)n, (void)names;
    *(int64_t *)arg = v[0].i;
    return 0;
}

/* Files without names, and why. */
static int tell_notes(const struct report *r, struct err *err)
{
    struct str from = { 0 }, sql = { 0 };
    int64_t n = 0;
    int rc;

    add_from(&from, r, " FROM places p JOIN site_frame f ON f.frame = p.frame"
             " WHERE function IS NULL AND note IS NOT 'what calls main' AND"
             " f.site IN (SELECT site FROM cost");
    str_add(&from, ")");
    str_addf(&sql, "SELECT count(*)%s", str_text(&from));
    rc = store_query(r->store, str_text(&sql), count_row, &n, err);
    if (rc == 0 && n) {
        puts("");
        str_reset(&sql);
        str_addf(&sql, "SELECT DISTINCT module, ifnull(note, 'they have not"
                 " been looked up yet')%s", str_text(&from));
        rc = ask(r, &sql, note_columns, err);
    }
    str_fini(&sql);
    str_fini(&from);
    return rc;
}

/* ------------------------------------------------------------------- head */

static int head_row(void *arg, int n, const char *const *names,
                    const struct store_value *v)
{
    struct report *r = arg;
    char time[HUMAN_MAX] = "";
    int64_t end_ns = v[5].type == STORE_INT ? v[5].i
                                            : (int64_t)clock_wall_ns();

    (void)n, (void)names;
    r->job = v[0].i;
    r->ntasks = v[2].i;
    r->ended = v[5].type == STORE_INT;
    if (v[4].type == STORE_INT)
        human_duration(time, end_ns - v[4].i);
    snprintf(r->head, sizeof(r->head), "Job %" PRId64 " %.200s: %" PRId64
             " task%s on %" PRId64 " node%s, %s%s%s", r->job,
             v[1].text ? v[1].text : "", v[2].i, v[2].i == 1 ? "" : "s",
             v[6].i, v[6].i == 1 ? "" : "s", v[3].text ? v[3].text : "?",
             !*time ? "" : r->ended ? " after " : " for ", time);
    return 0;
}

static int load_row(void *arg, int n, const char *const *names,
                    const struct store_value *v)
{
    struct report *r = arg;

    (void)n, (void)names;
    r->shown = v[0].i;
    r->calls = v[1].i;
    r->app_ns = v[2].i;
    r->out_ns = v[3].i;
    r->most_ns = v[4].i;
    r->most_rank = v[5].i;
    r->cov = v[6].type == STORE_REAL ? v[6].d : 0;
    return 0;
}

static int look(struct report *r, struct err *err)
{
    const struct store_value job = { .type = STORE_INT,
                                     .i = (int64_t)r->target.job };
    struct str sql = { 0 };
    int rc;

    if (store_query_bound(r->store, "SELECT job, name, ntasks, state,"
                          " started_ns, ended_ns, (SELECT count(DISTINCT node)"
                          " FROM tasks WHERE job = ?1) FROM jobs"
                          " WHERE job = ?1", &job, 1, NULL, head_row, r, err))
        return -1;
    add_from(&sql, r, "SELECT count(*), whole(mpi_calls), whole(in_mpi_ns +"
             " out_mpi_ns), whole(out_mpi_ns), max(out_mpi_ns), rank,"
             " cov(out_mpi_ns) FROM tasks");
    rc = store_query(r->store, str_text(&sql), load_row, r, err);
    if (rc == 0 && store_version(r->store) >= REPORT_VERSION) {
        str_reset(&sql);
        add_from(&sql, r, "SELECT count(*) FROM cost");
        rc = store_query(r->store, str_text(&sql), count_row, &r->costs, err);
    }
    str_fini(&sql);
    return rc;
}

/* What there is no account of, and why; NULL: it is there. */
static const char *lacking(const struct report *r)
{
    if (store_version(r->store) < REPORT_VERSION)
        return "this database is of an older Hector: it does not say what"
               " single calls have cost";
    if (r->costs)
        return NULL;
    if (!r->ended)
        return "what single calls have cost is not known yet: nodes report it"
               " every 5 s, or less often when there are many tasks";
    return r->calls ? "what single calls have cost was not recorded"
                    : "no call of MPI was recorded: there was none, or the"
                      " program could not load the wrapper library (is it"
                      " linked statically?)";
}

/* ------------------------------------------------------------ the answers */

static double imbalance(const struct report *r)
{
    return r->out_ns > 0 ? 100.0 * ((double)r->most_ns * (double)r->shown /
                                    (double)r->out_ns - 1) : 0;
}

static void print_load(const struct report *r)
{
    char most[HUMAN_MAX], mean[HUMAN_MAX];

    puts(r->head);
    if (r->out_ns <= 0 || r->shown < 2)
        return;
    printf("Load imbalance %.1f %%: outside of MPI mean %s, most %s (task %"
           PRId64 ")\n", imbalance(r),
           human_duration(mean, r->out_ns / r->shown),
           human_duration(most, r->most_ns), r->most_rank);
}

static int tell_people(const struct report *r, struct err *err)
{
    const char *lacks = lacking(r);

    print_load(r);
    puts("");
    if (r->top >= 0 && r->shown > r->top)
        printf("First of %" PRId64 " tasks, by their time outside of MPI"
               " (-a: all)\n", r->shown);
    if (tell_tasks(r, err))
        return -1;
    puts("");
    if (lacks) {
        printf("Not shown: %s.\n", lacks);
        return 0;
    }
    if (tell_calls(r, err))
        return -1;
    puts("");
    return tell_sites(r, err) || tell_notes(r, err) ? -1 : 0;
}

static int tell_part(const struct report *r, const char *name,
                     int (*tell)(const struct report *, struct err *),
                     struct err *err)
{
    printf(",\"%s\":", name);
    return tell(r, err);
}

static int tell_programs(const struct report *r, struct err *err)
{
    const char *lacks = lacking(r);
    struct str sql = { 0 };
    int rc;

    str_addf(&sql, "SELECT *, %" PRId64 " AS max_out_mpi_ns, %" PRId64
             " AS max_rank, %.15g AS imbalance_percent, %.15g AS cov, %s%s%s"
             " AS lacking FROM jobs WHERE job = %" PRId64, r->most_ns,
             r->most_rank, imbalance(r), r->cov, lacks ? "'" : "",
             lacks ? lacks : "NULL", lacks ? "'" : "", r->job);
    printf("{\"job\":");
    rc = ask(r, &sql, NULL, err);
    str_fini(&sql);
    if (rc == 0)
        rc = tell_part(r, "tasks", tell_tasks, err);
    if (rc == 0 && store_version(r->store) >= REPORT_VERSION)
        rc = tell_part(r, "calls", tell_calls, err) ||
             tell_part(r, "sites", tell_sites, err) ||
             tell_part(r, "callers", tell_callers, err) ||
             tell_part(r, "costs", tell_costs, err) ? -1 : 0;
    puts("}");
    return rc;
}

static int report(struct report *r, const char *word)
{
    struct err err;

    if (look(r, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    if (!r->job)
        return tool_complain(TOOL_FAILED, "there is no job %s", word);
    if (!r->shown)
        return tool_complain(TOOL_FAILED, "%s has no tasks", word);
    if (r->tool->json ? tell_programs(r, &err) : tell_people(r, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return 0;
}

struct report_options { bool all; uint64_t count; };
static const struct report_options defaults;

static const struct args_option options[] = {
    { NULL, "a all", ARGS_NONE, NULL, "all of it",
      args_flag, offsetof(struct report_options, all), 0, 0 },
    { NULL, "n count", ARGS_VALUE, "N", "the first N",
      args_u64, offsetof(struct report_options, count), 1, INT32_MAX },
};

static int run_report(const struct tool *t)
{
    const struct report_options *o = t->own;
    struct report r = { .tool = t, .top = REPORT_TOP,
                        .callers = REPORT_CALLERS };
    struct err err;
    int status = TOOL_FAILED;

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "report wants one JOB or JOB.RANKS");
    if (target_parse(&r.target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    if (o->count)
        r.top = (int64_t)o->count;
    if (o->all || t->json)
        r.top = r.callers = -1;
    r.store = tool_open_store(t);
    if (r.store)
        status = report(&r, t->words[0]);
    store_close(r.store);
    target_fini(&r.target);
    return status;
}

const struct command report_command = {
    "report", "JOB[.RANKS]", "where its time went: tasks, calls, sites",
    COMMAND_OPTIONS(options, defaults), run_report
};
