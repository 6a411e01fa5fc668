/* query_costs.c - questions about where the time of a job has gone: per task,
 * per MPI function and per call site, see query.h.
 *
 * Of a function or a site, imbalance and variation are those of the times of
 * the tasks that called it. */
#include <inttypes.h>

#include "master/store/query_private.h"

/* " WHERE job = ... AND (rank ...)" behind a text. */
static void add_from(struct str *sql, const struct query_costs *c,
                     const char *from)
{
    str_add(sql, from);
    query_add_where(sql, &c->which);
}

/* Which site stands for another one, k: sites that are one in the source are
 * one for people, as those of a loop that the compiler has unrolled. */
static void add_same(struct str *sql, const struct query_costs *c)
{
    add_from(sql, c, ", same(site, k) AS MATERIALIZED (SELECT id, min(id)"
             " OVER (PARTITION BY call, names) FROM (SELECT t.id, t.call,"
             " group_concat(q.place, char(10)) AS names FROM (SELECT site,"
             " place FROM callers WHERE site IN (SELECT site FROM cost");
    str_add(sql, ") ORDER BY site, depth, inlined) q JOIN site t"
            " ON t.id = q.site GROUP BY t.id))");
}

/* Common tables: of every key (a function, or a site) and rank what the rank
 * spent; and of every key which rank spent most. */
static void add_sums(struct str *sql, const struct query_costs *c,
                     const char *key, bool same)
{
    add_from(sql, c, "WITH app(app) AS (SELECT whole(in_mpi_ns + out_mpi_ns)"
             " FROM tasks");
    str_add(sql, ")");
    if (same)
        add_same(sql, c);
    str_addf(sql, ", per AS (SELECT %s AS k, c.rank AS rank, whole(calls) AS n,"
             " whole(in_ns) AS ns, whole(out_ns) AS o, whole(bytes) AS b,"
             " max(max_ns) AS m FROM cost c JOIN site s ON s.id = c.site%s",
             key, same ? " LEFT JOIN same ON same.site = c.site" : "");
    query_add_where(sql, &c->which);
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

int query_costs_tasks(struct store *st, const struct query_costs *c,
                      int64_t tasks, const struct query_rows *to,
                      struct err *err)
{
    bool json = c->programs;
    struct str sql = { 0 };

    str_add(&sql, "WITH b AS (SELECT rank AS r, whole(bytes) AS bytes FROM");
    add_from(&sql, c, query_has(st, STORE_TABLE_cost) ? " cost"
             : " (SELECT job, rank, NULL AS bytes FROM tasks)");
    add_from(&sql, c, " GROUP BY rank), t AS (SELECT *, in_mpi_ns + out_mpi_ns"
             " AS app_ns FROM tasks LEFT JOIN b ON b.r = rank");
    str_addf(&sql, ") SELECT rank, %sapp_ns, in_mpi_ns, 100.0 * in_mpi_ns /"
             " nullif(app_ns, 0) AS mpi_percent, out_mpi_ns, cpu_in_mpi_ns,"
             " cpu_out_mpi_ns, mpi_calls, bytes FROM (SELECT * FROM t",
             json ? "node, state, " : "");
    if (!json && c->top >= 0 && tasks > c->top)
        str_addf(&sql, " ORDER BY out_mpi_ns DESC, rank LIMIT %" PRId64,
                 c->top);
    else
        str_add(&sql, " ORDER BY rank");
    str_add(&sql, ")");
    if (!json)
        str_add(&sql, " UNION ALL SELECT NULL, whole(app_ns), whole(in_mpi_ns),"
                " 100.0 * whole(in_mpi_ns) / nullif(whole(app_ns), 0),"
                " whole(out_mpi_ns), whole(cpu_in_mpi_ns),"
                " whole(cpu_out_mpi_ns), whole(mpi_calls), whole(bytes) FROM t");
    return query_run(st, &sql, to, err);
}

int query_costs_calls(struct store *st, const struct query_costs *c,
                      const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    add_sums(&sql, c, "s.call", false);
    str_addf(&sql, " SELECT %s AS call, ns AS in_ns, app AS app_percent,"
             " mpi AS mpi_percent, n AS calls, b AS bytes, mean AS mean_ns,"
             " m AS max_ns, imb AS imbalance_percent, rank AS max_rank, cov"
             "%s FROM sums LEFT JOIN mpi_call c ON c.id = k LIMIT %" PRId64,
             c->programs ? "c.name" : "substr(c.name, 5)",
             c->programs ? ", o AS out_ns, ranks AS tasks,"
                           " most AS max_rank_ns" : "", c->top);
    return query_run(st, &sql, to, err);
}

/* People see a site's callers in the rows below it. */
int query_costs_sites(struct store *st, const struct query_costs *c,
                      const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    add_sums(&sql, c, c->programs ? "c.site" : "ifnull(same.k, c.site)",
             !c->programs);
    if (c->programs)
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
                 c->top, c->callers < 0 ? "place" : "brief(place)",
                 c->callers, c->callers < 0);
    return query_run(st, &sql, to, err);
}

/* Which sites of this target stand where. */
static void add_callers(struct str *sql, const struct query_costs *c)
{
    add_from(sql, c, " FROM callers WHERE site IN (SELECT site FROM cost");
    str_add(sql, ")");
}

int query_costs_callers(struct store *st, const struct query_costs *c,
                        const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    str_add(&sql, "SELECT *");
    add_callers(&sql, c);
    str_add(&sql, " ORDER BY site, depth, inlined");
    return query_run(st, &sql, to, err);
}

int query_costs_rows(struct store *st, const struct query_costs *c,
                     const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    add_from(&sql, c, "SELECT rank, site, calls, in_ns, out_ns, bytes, max_ns"
             " FROM cost");
    return query_run(st, &sql, to, err);
}

/* ---------------------------------------------------- files without names */

static void add_nameless(struct str *sql, const struct query_costs *c)
{
    add_from(sql, c, " FROM places p JOIN site_frame f ON f.frame = p.frame"
             " WHERE function IS NULL AND note IS NOT 'what calls main' AND"
             " f.site IN (SELECT site FROM cost");
    str_add(sql, ")");
}

static int on_count(void *arg, int n, const char *const *names,
                    const struct store_value *v)
{
    (void)n, (void)names;
    *(int64_t *)arg = v[0].i;
    return 0;
}

int query_costs_nameless(struct store *st, const struct query_costs *c,
                         int64_t *n, struct err *err)
{
    const struct query_rows to = { NULL, on_count, n };
    struct str sql = { 0 };

    str_add(&sql, "SELECT count(*)");
    add_nameless(&sql, c);
    return query_run(st, &sql, &to, err);
}

int query_costs_why_nameless(struct store *st, const struct query_costs *c,
                             const struct query_rows *to, struct err *err)
{
    struct str sql = { 0 };

    str_add(&sql, "SELECT DISTINCT module, ifnull(note, 'they have not been"
            " looked up yet')");
    add_nameless(&sql, c);
    return query_run(st, &sql, to, err);
}

/* --------------------------------------------------------------- the load */

static int on_load(void *arg, int n, const char *const *names,
                   const struct store_value *v)
{
    struct query_load *load = arg;

    (void)n, (void)names;
    load->tasks = v[0].i;
    load->calls = v[1].i;
    load->app_ns = v[2].i;
    load->out_ns = v[3].i;
    load->most_ns = v[4].i;
    load->most_rank = v[5].i;
    load->cov = v[6].type == STORE_REAL ? v[6].d : 0;
    return 0;
}

int query_load(struct store *st, const struct query_which *which,
               struct query_load *load, struct err *err)
{
    const struct query_rows loads = { NULL, on_load, load };
    const struct query_rows nodes = { NULL, on_count, &load->nodes };
    const struct query_rows costs = { NULL, on_count, &load->costs };
    struct str sql = { 0 };

    *load = (struct query_load){ 0 };
    str_addf(&sql, "SELECT count(DISTINCT node) FROM tasks WHERE job = %"
             PRIu64, which->job);
    if (query_run(st, &sql, &nodes, err))
        return -1;
    str_add(&sql, "SELECT count(*), whole(mpi_calls), whole(in_mpi_ns +"
            " out_mpi_ns), whole(out_mpi_ns), max(out_mpi_ns), rank,"
            " cov(out_mpi_ns) FROM tasks");
    query_add_where(&sql, which);
    if (query_run(st, &sql, &loads, err))
        return -1;
    if (!query_has(st, STORE_TABLE_cost))
        return 0;
    str_add(&sql, "SELECT count(*) FROM cost");
    query_add_where(&sql, which);
    return query_run(st, &sql, &costs, err);
}

int query_costs_job(struct store *st, const struct query_costs *c,
                    const struct query_load *load, double imbalance,
                    const char *lacking, const struct query_rows *to,
                    struct err *err)
{
    struct str sql = { 0 };

    str_addf(&sql, "SELECT *, %" PRId64 " AS max_out_mpi_ns, %" PRId64
             " AS max_rank, %.15g AS imbalance_percent, %.15g AS cov, %s%s%s"
             " AS lacking FROM jobs WHERE job = %" PRIu64, load->most_ns,
             load->most_rank, imbalance, load->cov, lacking ? "'" : "",
             lacking ? lacking : "NULL", lacking ? "'" : "", c->which.job);
    return query_run(st, &sql, to, err);
}
