-- version1.sql - the database of Hector's first version, with one job of two
-- tasks and three tagged calls each, as that version left it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE master(        -- one row a hector-master that used this file
  instance INTEGER PRIMARY KEY,  -- random
  pid INTEGER, host TEXT,
  address TEXT,             -- where it listens, as for --master
  started_ns INTEGER, ended_ns INTEGER);
INSERT INTO master VALUES(8257668463701612673,22395,'node1','unix:/run/hector/master.sock',1795259804975282567,1795259805319872434);
CREATE TABLE job(
  job INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT, command TEXT, ntasks INTEGER,
  state TEXT,               -- submitted waiting preparing starting running
                            -- ending done failed killed
  submitted_ns INTEGER, started_ns INTEGER, ended_ns INTEGER,
  exit_code INTEGER,        -- of the command; NULL while it runs
  why TEXT,                 -- a sentence, when it did not end well
  uid INTEGER,
  master INTEGER,           -- master.instance that runs it
  first_event INTEGER, last_event INTEGER);
INSERT INTO job VALUES(1,'tagloop','hector-run -n 2 tagloop 3',2,'done',1795259804991615342,1795259805107692380,1795259805295660202,0,NULL,0,8257668463701612673,1,6);
CREATE TABLE task(
  job INTEGER, rank INTEGER,
  node INTEGER,             -- node.id
  pid INTEGER,
  state TEXT,               -- placed starting running in_mpi_init connected
                            -- finalized exited killed lost
  exit_code INTEGER,        -- 128 + signal if a signal ended it
  signal INTEGER,           -- that ended it, or NULL
  mpi_calls INTEGER, in_mpi_ns INTEGER, out_mpi_ns INTEGER,
  cpu_ns INTEGER, cpu_in_mpi_ns INTEGER,
  rss_bytes INTEGER,        -- now; the largest one once it has ended
  started_ns INTEGER, ended_ns INTEGER,
  records INTEGER NOT NULL DEFAULT 0,  -- event records stored so far
  ring_waits INTEGER, ring_lost INTEGER,
  last_tag TEXT, why TEXT,
  PRIMARY KEY(job, rank)) WITHOUT ROWID;
INSERT INTO task VALUES(1,0,1,22504,'exited',0,NULL,10,157953772,991141,25406000,25248174,14307328,1795259805107634994,1795259805289007930,3,0,0,'thread 0',NULL);
INSERT INTO task VALUES(1,1,1,22505,'exited',0,NULL,9,152320789,1054454,23639000,23477144,14331904,1795259805107634994,1795259805286281914,3,0,0,'thread 0',NULL);
CREATE TABLE node(
  id INTEGER PRIMARY KEY,
  name TEXT UNIQUE NOT NULL, hostname TEXT,
  state TEXT,               -- up, left, lost
  cpus INTEGER, load REAL, cpu_busy REAL,
  memory_bytes INTEGER, memory_available_bytes INTEGER,
  machine TEXT,
  clock_offset_ns INTEGER,  -- its wall clock minus the master's
  clock_error_ns INTEGER,   -- the offset is right within this
  seen_ns INTEGER);
INSERT INTO node VALUES(1,'node1','node1','left',2,9.4800000000000004263,0.62739394865083020214,25276510208,24366264320,'x86_64',36722627,39014966,1795259805086569025);
CREATE TABLE label(id INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL);
INSERT INTO label VALUES(1,'thread 0');
CREATE TABLE mpi_call(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO mpi_call VALUES(19,'MPI_Barrier');
INSERT INTO mpi_call VALUES(215,'MPI_Init');
INSERT INTO mpi_call VALUES(220,'MPI_Iprobe');
INSERT INTO mpi_call VALUES(279,'MPI_Send');
CREATE TABLE event(         -- one row a tagged MPI call
  id INTEGER PRIMARY KEY,
  job INTEGER, rank INTEGER,
  seq INTEGER,              -- of the tagged call in its task, from 0
  marker INTEGER,
  label INTEGER, call INTEGER,  -- label.id, mpi_call.id
  enter_ns INTEGER,         -- clock of the node
  exit_ns INTEGER,          -- NULL: has not returned
  node INTEGER, thread INTEGER);
INSERT INTO event VALUES(1,1,0,0,0,1,220,1795259805235243541,1795259805235256460,1,0);
INSERT INTO event VALUES(2,1,0,1,1,1,220,1795259805235256751,1795259805235263010,1,0);
INSERT INTO event VALUES(3,1,0,2,2,1,220,1795259805235263120,1795259805235263230,1,0);
INSERT INTO event VALUES(4,1,1,0,0,1,220,1795259805239138170,1795259805239161284,1,0);
INSERT INTO event VALUES(5,1,1,1,1,1,220,1795259805239161625,1795259805239168104,1,0);
INSERT INTO event VALUES(6,1,1,2,2,1,220,1795259805239168265,1795259805239168415,1,0);
CREATE TABLE transition(    -- every step of every state machine
  id INTEGER PRIMARY KEY,
  job INTEGER, at_ns INTEGER,
  machine TEXT,             -- job, or task RANK
  event TEXT, state_from TEXT, state_to TEXT);
INSERT INTO transition VALUES(1,1,1795259804991865816,'job','wait','submitted','waiting');
INSERT INTO transition VALUES(2,1,1795259805081351402,'job','place','waiting','preparing');
INSERT INTO transition VALUES(3,1,1795259805091905724,'task 0','launch','placed','starting');
INSERT INTO transition VALUES(4,1,1795259805091906275,'task 1','launch','placed','starting');
INSERT INTO transition VALUES(5,1,1795259805091907407,'job','prepared','preparing','starting');
INSERT INTO transition VALUES(6,1,1795259805107689746,'task 0','run','starting','running');
INSERT INTO transition VALUES(7,1,1795259805107691118,'task 1','run','starting','running');
INSERT INTO transition VALUES(8,1,1795259805107692710,'job','launched','starting','running');
INSERT INTO transition VALUES(9,1,1795259805129964839,'task 0','mpi_init','running','in_mpi_init');
INSERT INTO transition VALUES(10,1,1795259805131807057,'task 1','mpi_init','running','in_mpi_init');
INSERT INTO transition VALUES(11,1,1795259805178040303,'task 0','connect','in_mpi_init','connected');
INSERT INTO transition VALUES(12,1,1795259805178041625,'task 1','connect','in_mpi_init','connected');
INSERT INTO transition VALUES(13,1,1795259805289102431,'task 0','finalize','connected','finalized');
INSERT INTO transition VALUES(14,1,1795259805289103542,'task 1','finalize','connected','finalized');
INSERT INTO transition VALUES(15,1,1795259805289109281,'task 1','exit','finalized','exited');
INSERT INTO transition VALUES(16,1,1795259805289110673,'task 0','exit','finalized','exited');
INSERT INTO transition VALUES(17,1,1795259805295660512,'job','ended','running','done');
CREATE TABLE verdict(
  job INTEGER, at_ns INTEGER, policy TEXT, kind TEXT, phase TEXT,
  ranks TEXT, score REAL, why TEXT);
CREATE TABLE action(
  job INTEGER, at_ns INTEGER, action TEXT, ranks TEXT, by TEXT,
  result TEXT, why TEXT);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('job',1);
CREATE INDEX event_open ON event(job, rank, seq) WHERE exit_ns IS NULL;
CREATE VIEW jobs(job, name, command, ntasks, state, started_ns, ended_ns,
  exit_code) AS
  SELECT job, name, command, ntasks, state, started_ns, ended_ns, exit_code
  FROM job;
CREATE VIEW tasks(job, rank, node, pid, state, exit_code, mpi_calls,
  in_mpi_ns, out_mpi_ns, cpu_in_mpi_ns, cpu_out_mpi_ns) AS
  SELECT t.job, t.rank, n.name, t.pid, t.state, t.exit_code, t.mpi_calls,
    t.in_mpi_ns, t.out_mpi_ns, t.cpu_in_mpi_ns, t.cpu_ns - t.cpu_in_mpi_ns
  FROM task t LEFT JOIN node n ON n.id = t.node;
CREATE VIEW events(job, rank, marker, label, call, enter_ns, exit_ns, node)
  AS SELECT j.job, e.rank, e.marker, l.text, c.name, e.enter_ns, e.exit_ns,
    n.name
  FROM job j CROSS JOIN event e
    ON e.id BETWEEN j.first_event AND j.last_event AND +e.job = j.job
  LEFT JOIN label l ON l.id = e.label
  LEFT JOIN mpi_call c ON c.id = e.call
  LEFT JOIN node n ON n.id = e.node;
CREATE VIEW nodes(node, state, cpus, load, memory_bytes, clock_offset_ns,
  seen_ns, clock_error_ns) AS
  SELECT name, state, cpus, load, memory_bytes, clock_offset_ns, seen_ns,
    clock_error_ns
  FROM node;
CREATE VIEW verdicts(job, at_ns, policy, kind, phase, ranks, score, why) AS
  SELECT job, at_ns, policy, kind, phase, ranks, score, why FROM verdict;
CREATE VIEW actions(job, at_ns, action, ranks, by, result, why) AS
  SELECT job, at_ns, action, ranks, by, result, why FROM action;
COMMIT;
PRAGMA user_version = 1;
PRAGMA application_id = 1212372017;
