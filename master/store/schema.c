/* schema.c - what the database looks like. The comments inside the statements
 * are kept by SQLite, so that people who look at the file find them too.
 *
 * Invariants. Times are wall clock, nanoseconds since the epoch, NULL when
 * not known. Rows of event are only appended (ids grow with time, also when
 * several masters share the file, because ids are given inside a write
 * transaction); a row whose call has not returned is completed later. All
 * events of a job lie between job.first_event and job.last_event, so the
 * view needs no index that every insert would have to maintain; the plus in
 * it keeps SQLite from building one for each query. */
#include "master/store/schema.h"

#include "master/store/row.h"

/* What stands for a text or a function; the index of calls that are open. */
static const char schema_fixed[] =
"CREATE TABLE label(id INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL);\n"
"CREATE TABLE mpi_call(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
"CREATE INDEX event_open ON event(job, rank, seq) WHERE exit_ns IS NULL;\n";

/* Views that join tables; those of one table are in rows.h. */
static const struct { const char *name, *is; } schema_views[] = {
    { "events",
"(job, rank, marker, label, call, enter_ns, exit_ns, node)\n"
"  AS SELECT j.job, e.rank, e.marker, l.text, c.name, e.enter_ns, e.exit_ns,\n"
"    n.name\n"
"  FROM job j CROSS JOIN event e\n"
"    ON e.id BETWEEN j.first_event AND j.last_event AND +e.job = j.job\n"
"  LEFT JOIN label l ON l.id = e.label\n"
"  LEFT JOIN mpi_call c ON c.id = e.call\n"
"  LEFT JOIN node n ON n.id = e.node" },
    { "places",
"(frame, depth, function, file, line, module, offset,\n"
"  note, place) AS\n"
"  SELECT f.id, ifnull(s.depth, 0), s.function, s.file, s.line, m.path,\n"
"    f.offset, s.note, CASE\n"
"    WHEN s.function IS NULL THEN ifnull(replace(m.path, rtrim(m.path,\n"
"      replace(m.path, '/', '')), ''), '?') || printf('+0x%x', f.offset)\n"
"    WHEN s.file IS NULL THEN s.function\n"
"    ELSE s.function || ' ' || replace(s.file, rtrim(s.file,\n"
"      replace(s.file, '/', '')), '') || ':' || s.line END\n"
"  FROM frame f LEFT JOIN module m ON m.id = f.module\n"
"  LEFT JOIN source s ON s.frame = f.id" },
    { "sites",
"(job, rank, site, call, function, file, line, calls,\n"
"  in_ns, bytes, out_ns, max_ns, place) AS\n"
"  SELECT c.job, c.rank, c.site, n.name, p.function, p.file, p.line,\n"
"    c.calls, c.in_ns, c.bytes, c.out_ns, c.max_ns, p.place\n"
"  FROM cost c JOIN site s ON s.id = c.site\n"
"  LEFT JOIN mpi_call n ON n.id = s.call\n"
"  LEFT JOIN site_frame f ON f.site = c.site AND f.depth = 0\n"
"  LEFT JOIN places p ON p.frame = f.frame AND p.depth = 0" },
    { "callers",
"(site, depth, inlined, function, file, line, place,\n"
"  note) AS\n"
"  SELECT f.site, f.depth, p.depth, p.function, p.file, p.line, p.place,\n"
"    p.note FROM site_frame f JOIN places p ON p.frame = f.frame" },
    { "calls",
"(job, rank, call, calls, in_ns, bytes, out_ns,\n"
"  max_ns) AS\n"
"  SELECT c.job, c.rank, n.name, sum(c.calls), sum(c.in_ns), sum(c.bytes),\n"
"    sum(c.out_ns), max(c.max_ns)\n"
"  FROM cost c JOIN site s ON s.id = c.site\n"
"  LEFT JOIN mpi_call n ON n.id = s.call\n"
"  GROUP BY c.job, c.rank, s.call" },
    { "deadlines",
"(job, deadline, instance, rank, release_ns, due_ns,\n"
"  done_ns, margin_ns, margin, late, bound_ns, slope, chance, number) AS\n"
"  SELECT i.job, d.text, i.instance, nullif(i.rank, 4294967295),\n"
"    i.release_ns, i.due_ns, i.done_ns, i.due_ns - i.done_ns, i.margin,\n"
"    i.late, i.bound_ns, i.slope, i.chance, i.deadline\n"
"  FROM instance i LEFT JOIN deadline d\n"
"    ON d.job = i.job AND d.number = i.deadline" },
    { "moves",
"(job, number, ranks, from_nodes, to_node, asked_ns,\n"
"  ended_ns, result, stood_ns, prepare_ns, quiesce_ns, drain_ns, places_ns,\n"
"  apart_ns, image_ns, restore_ns, join_ns, pushes, retreats, image_bytes) AS\n"
"  SELECT job, row_number() OVER (PARTITION BY job ORDER BY asked_ns), ranks,\n"
"    from_nodes, to_node, asked_ns, ended_ns, result,\n"
"    ifnull(going, ended_ns) - quiet, checked - asked_ns, quiet - checked,\n"
"    drained - quiet, apart - drained, sending_ns - apart,\n"
"    sent_ns - sending_ns, restored - sent_ns, joined - restored, pushes,\n"
"    retreats, image_bytes\n"
"  FROM (SELECT m.*, min(iif(event = 'checked', at_ns, NULL)) AS checked,\n"
"      max(iif(event = 'quiet', at_ns, NULL)) AS quiet,\n"
"      max(iif(event = 'drained', at_ns, NULL)) AS drained,\n"
"      min(iif(event = 'apart', at_ns, NULL)) AS apart,\n"
"      max(iif(event = 'restored', at_ns, NULL)) AS restored,\n"
"      max(iif(event = 'joined', at_ns, NULL)) AS joined,\n"
"      max(iif(event = 'went', at_ns, NULL)) AS going\n"
"    FROM move m LEFT JOIN transition t ON t.job = m.job AND\n"
"      t.machine = 'move' AND t.at_ns BETWEEN m.asked_ns AND\n"
"      ifnull(m.ended_ns, t.at_ns)\n"
"    GROUP BY m.job, m.asked_ns)" },
    /* A job runs as soon as its last task is in MPI. What is lost is what came
     * behind the checkpoint, and, where an older one is taken than at the return
     * before, what was between the two. */
    { "returns",
"(job, number, at_ns, why, checkpoint, saved_ns, lost_ns,\n"
"  away_ns) AS\n"
"  SELECT job, number, at_ns, why, checkpoint, saved_ns,\n"
"    ifnull(at_ns - max(ran_ns, ifnull(saved_ns, 0)), 0)\n"
"      + max(ifnull(lag(saved_ns) OVER by_job - saved_ns, 0), 0),\n"
"    again_ns - at_ns\n"
"  FROM (SELECT b.*, c.at_ns AS saved_ns,\n"
"      (SELECT max(t.at_ns) FROM transition t WHERE t.job = b.job AND\n"
"        t.event = 'connect' AND t.at_ns BETWEEN b.last_ns AND b.at_ns)\n"
"        AS ran_ns,\n"
"      (SELECT max(t.at_ns) FROM transition t WHERE t.job = b.job AND\n"
"        t.event = 'connect' AND t.at_ns BETWEEN b.at_ns AND b.next_ns\n"
"        HAVING count(*) >= (SELECT ntasks FROM job WHERE job = b.job))\n"
"        AS again_ns\n"
"    FROM (SELECT job, at_ns, why, row_number() OVER by_job AS number,\n"
"        CAST(substr(result, length('checkpoint ')) AS INTEGER) AS checkpoint,\n"
"        lag(at_ns, 1, 0) OVER by_job AS last_ns,\n"
"        lead(at_ns, 1, ~(1 << 63)) OVER by_job AS next_ns\n"
"      FROM action WHERE action = 'rollback'\n"
"      WINDOW by_job AS (PARTITION BY job ORDER BY at_ns)) b\n"
"    LEFT JOIN checkpoint c ON c.job = b.job AND c.number = b.checkpoint)\n"
"  WINDOW by_job AS (PARTITION BY job ORDER BY at_ns)" },
};

static void schema_add_views(struct str *sql)
{
    for (size_t i = 0; i < sizeof(schema_views) / sizeof(schema_views[0]); i++)
        str_addf(sql, "DROP VIEW IF EXISTS %s;\nCREATE VIEW %s%s;\n",
                 schema_views[i].name, schema_views[i].name,
                 schema_views[i].is);
    row_schema_views(sql);
}

void schema_update(struct str *sql, int version)
{
    if (version == 0) {
        row_schema_tables(sql, schema_version());
        str_add(sql, schema_fixed);
    }
    for (int to = version + 1; version && to <= schema_version(); to++)
        row_schema_step(sql, to);
    schema_add_views(sql);
}

int schema_version(void)
{
    return row_schema_version();
}
