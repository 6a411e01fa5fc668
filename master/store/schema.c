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

#define SCHEMA_RESUME_HEAD                                                    \
"CREATE TABLE resume(        -- what a master needs to take a job up again;\n"  \
"                            -- gone when the job has ended\n"                 \
"  job INTEGER PRIMARY KEY,\n"                                                 \
"  submit BLOB,              -- as it came: Submit of hct.proto\n"             \
"  placement BLOB,           -- Prepare of hct.proto, namespace and nodes\n"   \
"  failed INTEGER, killed INTEGER, at_once INTEGER, aborted INTEGER,\n"        \
"  fail_code INTEGER, kill_code INTEGER, failed_ns INTEGER"

#define SCHEMA_TASKS                                                          \
"CREATE VIEW tasks(job, rank, node, pid, state, exit_code, mpi_calls,\n"       \
"  in_mpi_ns, out_mpi_ns, cpu_in_mpi_ns, cpu_out_mpi_ns, hold, held_ns) AS\n"  \
"  SELECT t.job, t.rank, n.name, t.pid, t.state, t.exit_code, t.mpi_calls,\n"  \
"    t.in_mpi_ns, t.out_mpi_ns, t.cpu_in_mpi_ns, t.cpu_ns - t.cpu_in_mpi_ns,\n"\
"    t.hold, t.held_ns\n"                                                      \
"  FROM task t LEFT JOIN node n ON n.id = t.node;\n"
/* Costs of MPI calls. The numbers of modules, frames and sites are made of
 * what they are (profile.c), so the same line of the same program has the same
 * number in all jobs and databases, and its names are kept once. */
#define SCHEMA_PROFILE                                                        \
"CREATE TABLE module(        -- an executable or a library\n"                  \
"  id INTEGER PRIMARY KEY,\n"                                                  \
"  path TEXT,\n"                                                               \
"  build_id TEXT);           -- hexadecimal; NULL: it has none\n"              \
"CREATE TABLE frame(         -- where a call returns to\n"                     \
"  id INTEGER PRIMARY KEY,\n"                                                  \
"  module INTEGER,           -- module.id; NULL: in none\n"                    \
"  offset INTEGER);          -- as in the file; in none: the address\n"        \
"CREATE TABLE source(        -- what a frame is called, with those inlined\n"  \
"  frame INTEGER, depth INTEGER,  -- frame.id; 0 is the innermost\n"           \
"  function TEXT, file TEXT, line INTEGER,\n"                                  \
"  note TEXT,                -- why it has no name\n"                          \
"  PRIMARY KEY(frame, depth)) WITHOUT ROWID;\n"                                \
"CREATE TABLE site(          -- an MPI function and the stack under it\n"      \
"  id INTEGER PRIMARY KEY,\n"                                                  \
"  call INTEGER);            -- mpi_call.id\n"                                 \
"CREATE TABLE site_frame(    -- none: all calls whose site is not known\n"     \
"  site INTEGER, depth INTEGER,  -- site.id; 0 calls MPI\n"                    \
"  frame INTEGER,            -- frame.id\n"                                    \
"  PRIMARY KEY(site, depth)) WITHOUT ROWID;\n"                                 \
"CREATE TABLE cost(          -- of a task's calls from a site, so far\n"       \
"  job INTEGER, rank INTEGER, site INTEGER,\n"                                 \
"  calls INTEGER, in_ns INTEGER,\n"                                            \
"  out_ns INTEGER,           -- outside of MPI, before these calls\n"          \
"  bytes INTEGER,\n"                                                           \
"  max_ns INTEGER,           -- the longest call\n"                            \
"  PRIMARY KEY(job, rank, site)) WITHOUT ROWID;\n"                             \
                                                                              \
"CREATE VIEW places(frame, depth, function, file, line, module, offset,\n"     \
"  note, place) AS\n"                                                          \
"  SELECT f.id, ifnull(s.depth, 0), s.function, s.file, s.line, m.path,\n"     \
"    f.offset, s.note, CASE\n"                                                 \
"    WHEN s.function IS NULL THEN ifnull(replace(m.path, rtrim(m.path,\n"      \
"      replace(m.path, '/', '')), ''), '?') || printf('+0x%x', f.offset)\n"    \
"    WHEN s.file IS NULL THEN s.function\n"                                    \
"    ELSE s.function || ' ' || replace(s.file, rtrim(s.file,\n"                \
"      replace(s.file, '/', '')), '') || ':' || s.line END\n"                  \
"  FROM frame f LEFT JOIN module m ON m.id = f.module\n"                       \
"  LEFT JOIN source s ON s.frame = f.id;\n"                                    \
"CREATE VIEW sites(job, rank, site, call, function, file, line, calls,\n"      \
"  in_ns, bytes, out_ns, max_ns, place) AS\n"                                  \
"  SELECT c.job, c.rank, c.site, n.name, p.function, p.file, p.line,\n"        \
"    c.calls, c.in_ns, c.bytes, c.out_ns, c.max_ns, p.place\n"                 \
"  FROM cost c JOIN site s ON s.id = c.site\n"                                 \
"  LEFT JOIN mpi_call n ON n.id = s.call\n"                                    \
"  LEFT JOIN site_frame f ON f.site = c.site AND f.depth = 0\n"                \
"  LEFT JOIN places p ON p.frame = f.frame AND p.depth = 0;\n"                 \
"CREATE VIEW callers(site, depth, inlined, function, file, line, place,\n"     \
"  note) AS\n"                                                                 \
"  SELECT f.site, f.depth, p.depth, p.function, p.file, p.line, p.place,\n"    \
"    p.note FROM site_frame f JOIN places p ON p.frame = f.frame;\n"           \
"CREATE VIEW calls(job, rank, call, calls, in_ns, bytes, out_ns,\n"            \
"  max_ns) AS\n"                                                               \
"  SELECT c.job, c.rank, n.name, sum(c.calls), sum(c.in_ns), sum(c.bytes),\n"  \
"    sum(c.out_ns), max(c.max_ns)\n"                                           \
"  FROM cost c JOIN site s ON s.id = c.site\n"                                 \
"  LEFT JOIN mpi_call n ON n.id = s.call\n"                                    \
"  GROUP BY c.job, c.rank, s.call;\n"

#define SCHEMA_LOOK                                                           \
"CREATE TABLE look(          -- what policies saw: pieces of a tape, see\n"     \
"                            -- tape.h; hector replay reads it\n"               \
"  job INTEGER, seq INTEGER, -- the first look of the piece\n"                  \
"  at_ns INTEGER,            -- of the last one\n"                             \
"  data BLOB, PRIMARY KEY(job, seq));\n"

#define SCHEMA_STACK                                                          \
"CREATE TABLE stack(         -- call trees of jobs: the last one that somebody\n"\
"                            -- asked for, and those of hangs\n"               \
"  job INTEGER,\n"                                                             \
"  seq INTEGER,              -- verdict.seq; 0: somebody asked\n"              \
"  at_ns INTEGER,\n"                                                           \
"  tree BLOB,                -- CallTree of hct.proto\n"                       \
"  PRIMARY KEY(job, seq));\n"

#define SCHEMA_MODEL                                                          \
"CREATE TABLE model(         -- of jobs: as they ended, or as somebody\n"     \
"                            -- asked for it last\n"                          \
"  job INTEGER PRIMARY KEY,\n"                                                \
"  at_ns INTEGER,\n"                                                          \
"  model BLOB);              -- Model of hct.proto\n"

#define SCHEMA_STAY                                                           \
"CREATE TABLE stay(          -- of programs that ended well, outside of MPI\n" \
"  place INTEGER PRIMARY KEY,  -- left MPI here: placekey.h\n"                \
"  longest_ns INTEGER,       -- in any of their runs\n"                       \
"  job INTEGER, at_ns INTEGER);  -- which that was, and its end\n"

const char schema_sql[] =
"CREATE TABLE master(        -- one row a hector-master that used this file\n"
"  instance INTEGER PRIMARY KEY,  -- random\n"
"  pid INTEGER, host TEXT,\n"
"  address TEXT,             -- where it listens, as for --master\n"
"  started_ns INTEGER, ended_ns INTEGER,\n"
"  process TEXT);            -- which process of all that had this pid\n"

SCHEMA_RESUME_HEAD ",\n"
"  session INTEGER,          -- job whose launcher started it; NULL: we did\n"
"  world TEXT,               -- the MPI world that it is\n"
"  closing INTEGER,          -- the launcher has ended\n"
"  launcher_code INTEGER,    -- with this; NULL: not known\n"
"  unfinalized INTEGER);     -- a task went without MPI_Finalize\n"
SCHEMA_PROFILE

"CREATE TABLE job(\n"
"  job INTEGER PRIMARY KEY AUTOINCREMENT,\n"
"  name TEXT, command TEXT, ntasks INTEGER,\n"
"  state TEXT,               -- submitted waiting preparing starting running\n"
"                            -- ending done failed killed\n"
"  submitted_ns INTEGER, started_ns INTEGER, ended_ns INTEGER,\n"
"  exit_code INTEGER,        -- of the command; NULL while it runs\n"
"  why TEXT,                 -- a sentence, when it did not end well\n"
"  uid INTEGER,\n"
"  master INTEGER,           -- master.instance that runs it\n"
"  first_event INTEGER, last_event INTEGER);  -- event.id, inclusive\n"

"CREATE TABLE task(\n"
"  job INTEGER, rank INTEGER,\n"
"  node INTEGER,             -- node.id\n"
"  pid INTEGER,\n"
"  state TEXT,               -- placed starting running in_mpi_init connected\n"
"                            -- finalized exited killed lost\n"
"  exit_code INTEGER,        -- 128 + signal if a signal ended it\n"
"  signal INTEGER,           -- that ended it, or NULL\n"
"  mpi_calls INTEGER, in_mpi_ns INTEGER, out_mpi_ns INTEGER,\n"
"  cpu_ns INTEGER, cpu_in_mpi_ns INTEGER,\n"
"  rss_bytes INTEGER,        -- now; the largest one once it has ended\n"
"  started_ns INTEGER, ended_ns INTEGER,\n"
"  records INTEGER NOT NULL DEFAULT 0,  -- event records stored so far\n"
"  ring_waits INTEGER, ring_lost INTEGER,\n"
"  last_tag TEXT, why TEXT,\n"
"  hold TEXT,                -- going suspending suspended resuming ending\n"
"                            -- killing\n"
"  held_ns INTEGER NOT NULL DEFAULT 0,  -- suspended so long, until\n"
"  held_since_ns INTEGER,    -- it was again; NULL: it is not\n"
"  PRIMARY KEY(job, rank)) WITHOUT ROWID;\n"

"CREATE TABLE node(\n"
"  id INTEGER PRIMARY KEY,\n"
"  name TEXT UNIQUE NOT NULL, hostname TEXT,\n"
"  state TEXT,               -- up, left, lost\n"
"  cpus INTEGER, load REAL, cpu_busy REAL,\n"
"  memory_bytes INTEGER, memory_available_bytes INTEGER,\n"
"  machine TEXT,\n"
"  clock_offset_ns INTEGER,  -- its wall clock minus the master's\n"
"  clock_error_ns INTEGER,   -- the offset is right within this\n"
"  seen_ns INTEGER);\n"

"CREATE TABLE label(id INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL);\n"
"CREATE TABLE mpi_call(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"

"CREATE TABLE event(         -- one row a tagged MPI call\n"
"  id INTEGER PRIMARY KEY,\n"
"  job INTEGER, rank INTEGER,\n"
"  seq INTEGER,              -- of the tagged call in its task, from 0\n"
"  marker INTEGER,\n"
"  label INTEGER, call INTEGER,  -- label.id, mpi_call.id\n"
"  enter_ns INTEGER,         -- clock of the node\n"
"  exit_ns INTEGER,          -- NULL: has not returned\n"
"  node INTEGER, thread INTEGER);\n"
"CREATE INDEX event_open ON event(job, rank, seq) WHERE exit_ns IS NULL;\n"

"CREATE TABLE transition(    -- every step of every state machine\n"
"  id INTEGER PRIMARY KEY,\n"
"  job INTEGER, at_ns INTEGER,\n"
"  machine TEXT,             -- job, task RANK or hold RANK\n"
"  event TEXT, state_from TEXT, state_to TEXT);\n"

"CREATE TABLE verdict(\n"
"  job INTEGER, at_ns INTEGER, policy TEXT, kind TEXT, phase TEXT,\n"
"  ranks TEXT, score REAL, why TEXT,\n"
"  seq INTEGER,              -- of the look that gave it\n"
"  age_ns INTEGER,           -- it had been so for so long\n"
"  detail TEXT, report TEXT);  -- all of it; what people are told\n"
SCHEMA_LOOK SCHEMA_STACK SCHEMA_MODEL
SCHEMA_STAY
"CREATE TABLE action(\n"
"  job INTEGER, at_ns INTEGER, action TEXT, ranks TEXT, by TEXT,\n"
"  result TEXT, why TEXT);\n"

"CREATE VIEW jobs(job, name, command, ntasks, state, started_ns, ended_ns,\n"
"  exit_code) AS\n"
"  SELECT job, name, command, ntasks, state, started_ns, ended_ns, exit_code\n"
"  FROM job;\n"

SCHEMA_TASKS

"CREATE VIEW events(job, rank, marker, label, call, enter_ns, exit_ns, node)\n"
"  AS SELECT j.job, e.rank, e.marker, l.text, c.name, e.enter_ns, e.exit_ns,\n"
"    n.name\n"
"  FROM job j CROSS JOIN event e\n"
"    ON e.id BETWEEN j.first_event AND j.last_event AND +e.job = j.job\n"
"  LEFT JOIN label l ON l.id = e.label\n"
"  LEFT JOIN mpi_call c ON c.id = e.call\n"
"  LEFT JOIN node n ON n.id = e.node;\n"

"CREATE VIEW nodes(node, state, cpus, load, memory_bytes, clock_offset_ns,\n"
"  seen_ns, clock_error_ns) AS\n"
"  SELECT name, state, cpus, load, memory_bytes, clock_offset_ns, seen_ns,\n"
"    clock_error_ns\n"
"  FROM node;\n"

"CREATE VIEW verdicts(job, at_ns, policy, kind, phase, ranks, score, why) AS\n"
"  SELECT job, at_ns, policy, kind, phase, ranks, score, why FROM verdict;\n"

"CREATE VIEW actions(job, at_ns, action, ranks, by, result, why) AS\n"
"  SELECT job, at_ns, action, ranks, by, result, why FROM action;\n";

const char *const schema_steps[SCHEMA_VERSION] = {
    [1] = "ALTER TABLE master ADD COLUMN process TEXT;\n"
          SCHEMA_RESUME_HEAD ");\n",
    [2] = "ALTER TABLE task ADD COLUMN hold TEXT;\n"
          "ALTER TABLE task ADD COLUMN held_ns INTEGER NOT NULL DEFAULT 0;\n"
          "ALTER TABLE task ADD COLUMN held_since_ns INTEGER;\n"
          "DROP VIEW IF EXISTS tasks;\n" SCHEMA_TASKS,
    [3] = SCHEMA_PROFILE,
    [4] = "ALTER TABLE verdict ADD COLUMN seq INTEGER;\n"
          "ALTER TABLE verdict ADD COLUMN age_ns INTEGER;\n"
          "ALTER TABLE verdict ADD COLUMN detail TEXT;\n"
          "ALTER TABLE verdict ADD COLUMN report TEXT;\n" SCHEMA_LOOK,
    [5] = "ALTER TABLE resume ADD COLUMN session INTEGER;\n"
          "ALTER TABLE resume ADD COLUMN world TEXT;\n"
          "ALTER TABLE resume ADD COLUMN closing INTEGER;\n"
          "ALTER TABLE resume ADD COLUMN launcher_code INTEGER;\n"
          "ALTER TABLE resume ADD COLUMN unfinalized INTEGER;\n",
    [6] = SCHEMA_STACK,
    [7] = SCHEMA_MODEL,
    [8] = SCHEMA_STAY,
};
