/* test_master_flow.c - whole jobs: the real master's parts, and slaves and
 * redirectors that speak real frames. */
#include "tests/unit/master_rig.h"

#include <signal.h>

#include "master/state/job.h"
#include "mpi-wrappers/table/calls.h"

/* A job of 4 ranks on one node, up to running. */
static void start4(struct rig *r, struct peer **slave, struct peer **run)
{
    *slave = rig_slave(r, "a", 4);
    *run = rig_redirector(r);
    peer_submit(*run, &(struct wish){ .ntasks = 4, .hosts = { "a" } });
    rig_wait(*run, "running 4/4");
}

static void test_whole_life(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    assert_true(heard(run, "Accepted job=1 name=solver"));
    assert_true(heard(s, "Prepare job=1 here=0 of 1 ranks=0-3 over=0 "
                         "app=./solver nspace=hector-abcdef12-1"));
    for (uint32_t i = 0; i < 4; i++) {
        peer_task_state(s, 1, i, HCT__TASK_STATE__KIND__IN_MPI_INIT);
        peer_task_state(s, 1, i, HCT__TASK_STATE__KIND__CONNECTED);
        peer_task_state(s, 1, i, HCT__TASK_STATE__KIND__FINALIZED);
        peer_exit(s, 1, i, 0, 0, "");
    }
    assert_false(heard(run, "JobEnded"));
    peer_drained(s, 1);
    rig_wait(run, "JobEnded job=1 code=0 why=\n");
    /* Complete as soon as the redirector knows. */
    rig_expect(r, "SELECT job, name, command, ntasks, state, exit_code, "
               "ended_ns >= started_ns FROM jobs",
               "1|solver|hector-run ./solver|4|done|0|1\n");
    rig_expect(r, "SELECT rank, node, pid, state, exit_code, mpi_calls "
               "FROM tasks WHERE rank > 1",
               "2|a|1002|exited|0|12\n3|a|1003|exited|0|13\n");
    rig_expect(r, "SELECT event FROM transition WHERE job = 1 AND "
               "machine = 'job' ORDER BY id",
               "place\nprepared\nlaunched\nended\n");
    rig_expect(r, "SELECT event FROM transition WHERE machine = 'task 3' "
               "ORDER BY id",
               "launch\nrun\nmpi_init\nconnect\nfinalize\nexit\n");
    rig_wait(s, "Forget job=1");
    assert_int_equal(r->master->jobs.n, 0);
    assert_int_equal(r->master->nodes.v[0]->ntasks, 0);
    rig_expect(r, "SELECT node, state, cpus FROM nodes", "a|up|4\n");
}

/* Where no host is named, nodes come by name, whoever has joined first. */
static void test_order_of_nodes(void **state)
{
    struct rig *r = *state;
    struct peer *ten = rig_slave(r, "n10", 2), *two = rig_slave(r, "n2", 2);
    struct peer *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 4 });
    rig_wait(run, "running 4/4");
    assert_true(heard(two, "Prepare job=1 here=0 of 2 ranks=0-1 "));
    assert_true(heard(ten, "Prepare job=1 here=1 of 2 ranks=2-3 "));
}

/* The order of at_ns decides, not the order of arrival. */
static void test_first_failure_in_time(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 2), *b = rig_slave(r, "b", 2);
    struct peer *run = rig_redirector(r);
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(run, "running 4/4");
    m.job = 1;
    m.rank = 3;
    m.signal = SIGSEGV;
    m.at_ns = clock_wall_ns() - 50 * CLOCK_NS_PER_MS;
    m.last_tag = (char *)"step 12";
    peer_exit(a, 1, 0, 7, 0, "");
    rig_wait(a, "Terminate job=1 ranks=all grace=250000000");
    rig_wait(b, "Terminate");
    conn_send(b->c, MESSAGE_TASK_EXITED, &m);
    peer_exit(a, 1, 1, 0, SIGTERM, "");
    peer_exit(b, 1, 2, 0, SIGKILL, "");
    peer_drained(a, 1);
    peer_drained(b, 1);
    rig_wait(run, "JobEnded job=1 code=139 why=task 3 on b was killed by "
             "signal 11 (Segmentation fault), last tag \"step 12\"\n");
    rig_expect(r, "SELECT state, exit_code FROM jobs", "failed|139\n");
    rig_expect(r, "SELECT rank, state, exit_code FROM tasks",
               "0|exited|7\n1|killed|143\n2|killed|137\n3|killed|139\n");
}

/* 128 + such a number would be no exit code: whoever says so is sent away. */
static void test_impossible_signals(void **state)
{
    static const int bad[] = { 65, 128, 200, INT32_MAX, -1, INT32_MIN };
    static const char *const names[] = { "u", "v", "w", "x", "y", "z" };
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__AdoptEnd end = HCT__ADOPT_END__INIT;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        rig_slave(r, names[i], 2);
        run = rig_redirector(r);
        peer_submit(run, &(struct wish){ .hosts = { names[i] },
                                         .adopt = true });
        rig_wait(run, "starting");
        end.job = i + 1;
        end.signal = bad[i];
        conn_send(run->c, MESSAGE_ADOPT_END, &end);
        rig_wait(run, "closed");
    }
    s = rig_slave(r, "a", 4);
    run = rig_redirector(r);
    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a" } });
    rig_wait(run, "running 4/4");
    peer_exit(s, 7, 0, 0, 65, "");
    rig_wait(s, "closed");
    rig_expect(r, "SELECT count(*) FROM tasks WHERE state = 'killed'", "0\n");
}

static void test_cannot_start(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    start4(r, &s, &run);
    m.job = 1;
    m.code = 127;
    m.at_ns = clock_wall_ns();
    m.why = (char *)"./solver: No such file or directory";
    conn_send(s->c, MESSAGE_TASK_EXITED, &m);
    for (uint32_t i = 1; i < 4; i++)
        peer_exit(s, 1, i, 0, SIGTERM, "");
    peer_drained(s, 1);
    rig_wait(run, "code=127 why=task 0 on a could not be started: ./solver: "
             "No such file or directory\n");
}

/* Who looks for events in the database is told that some are not there. */
static void test_lost_records(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    start4(r, &s, &run);
    m.job = 1;
    m.at_ns = clock_wall_ns();
    m.finalized = true;
    for (m.rank = 0; m.rank < 4; m.rank++) {
        m.ring_lost = m.rank % 2 * 21;
        conn_send(s->c, MESSAGE_TASK_EXITED, &m);
    }
    peer_drained(s, 1);
    rig_wait(run, "Notice 1 42 records of tagged calls of tasks 1,3 are lost: "
             "not all of their events are in the database\nJobEnded job=1 "
             "code=0");
    rig_expect(r, "SELECT rank, ring_lost FROM task WHERE ring_lost > 0",
               "1|21\n3|21\n");
}

static void test_abort(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__TaskAbort m = HCT__TASK_ABORT__INIT;

    start4(r, &s, &run);
    m.job = 1;
    m.rank = 2;
    m.code = 256 + 9;
    conn_send(s->c, MESSAGE_TASK_ABORT, &m);
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 9, 0, "");
    peer_drained(s, 1);
    rig_wait(run, "code=9 why=task 2 on a called MPI_Abort with code 265\n");
}

static void crash(struct peer *s, uint32_t rank, int signal, uint64_t at_ns)
{
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    m.job = 1;
    m.rank = rank;
    m.signal = signal;
    m.at_ns = at_ns;
    conn_send(s->c, MESSAGE_TASK_EXITED, &m);
}

/* MPI fails in task 2, which is heard of before the crash of task 1 that has caused it;
 * a crash of later, or of the task itself, has not. */
static void test_abort_caused(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__TaskAbort m = HCT__TASK_ABORT__INIT;
    uint64_t now_ns = clock_wall_ns();

    start4(r, &s, &run);
    m.job = 1;
    m.rank = 2;
    m.code = 14;
    m.call = CALL_Barrier;
    conn_send(s->c, MESSAGE_TASK_ABORT, &m);
    crash(s, 3, SIGABRT, now_ns + 3600 * CLOCK_NS_PER_S);
    crash(s, 2, SIGABRT, now_ns - CLOCK_NS_PER_S);
    crash(s, 1, SIGSEGV, now_ns - CLOCK_NS_PER_S / 2);
    peer_exit(s, 1, 0, 14, 0, "");
    peer_drained(s, 1);
    rig_wait(run, "code=139 why=task 1 on a was killed by signal 11");
}

/* Where it was is told at the end, by the node of the task. */
static void test_abort_place(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__TaskAbort m = HCT__TASK_ABORT__INIT;
    Hct__Drained end = HCT__DRAINED__INIT;

    start4(r, &s, &run);
    m.job = end.job = 1;
    m.rank = end.abort_rank = 2;
    m.code = 15;
    m.call = CALL_Recv;
    conn_send(s->c, MESSAGE_TASK_ABORT, &m);
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 15, 0, "");
    end.abort_place = (char *)"in solve (solver.c:7)";
    conn_send(s->c, MESSAGE_DRAINED, &end);
    rig_wait(run, "code=15 why=task 2 on a failed in MPI_Recv with code 15, "
             "in solve (solver.c:7)\n");
}

/* Of a task that has not ended the job nothing is said. */
static void test_other_place(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__TaskAbort m = HCT__TASK_ABORT__INIT;
    Hct__Drained end = HCT__DRAINED__INIT;

    start4(r, &s, &run);
    m.job = end.job = 1;
    m.rank = 2;
    m.call = CALL_Abort;
    end.abort_rank = 3;
    conn_send(s->c, MESSAGE_TASK_ABORT, &m);
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 1, 0, "");
    end.abort_place = (char *)"in solve (solver.c:7)";
    conn_send(s->c, MESSAGE_DRAINED, &end);
    rig_wait(run, "code=1 why=task 2 on a called MPI_Abort with code 0\n");
}

static void left(struct peer *s, uint32_t rank)
{
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    m.job = 1;
    m.rank = rank;
    m.at_ns = clock_wall_ns();
    conn_send(s->c, MESSAGE_TASK_EXITED, &m);
}

static void test_left_without_finalize(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    for (uint32_t i = 0; i < 4; i++)
        peer_task_state(s, 1, i, HCT__TASK_STATE__KIND__CONNECTED);
    left(s, 1);
    rig_wait(s, "Terminate");
    for (uint32_t i = 0; i < 4; i++)
        if (i != 1)
            peer_exit(s, 1, i, 0, SIGTERM, "");
    peer_drained(s, 1);
    rig_wait(run, "code=1 why=task 1 on a left without MPI_Finalize while "
             "others were still in MPI\n");
}

static void test_all_leave_without_finalize(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    for (uint32_t i = 0; i < 4; i++)
        peer_task_state(s, 1, i, HCT__TASK_STATE__KIND__CONNECTED);
    for (uint32_t i = 0; i < 4; i++)
        left(s, i);
    peer_drained(s, 1);
    rig_wait(run, "JobEnded job=1 code=0 why=\n");
}

static void test_lost_slave(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 2), *b = rig_slave(r, "b", 2);
    struct peer *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(run, "running 4/4");
    conn_close(b->c);
    b->c = NULL;
    rig_wait(a, "Terminate");
    peer_exit(a, 1, 0, 0, SIGTERM, "");
    peer_exit(a, 1, 1, 0, SIGTERM, "");
    peer_drained(a, 1);
    rig_wait(run, "JobEnded job=1 code=125 why=node b was lost: ");
    rig_expect(r, "SELECT rank, state, exit_code FROM tasks WHERE rank > 0",
               "1|killed|143\n2|lost|\n3|lost|\n");
    rig_turn(r, 100);
    rig_expect(r, "SELECT node, state FROM nodes ORDER BY 1",
               "a|up\nb|lost\n");
}

static void test_redirector_gone(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    conn_close(run->c);
    run->c = NULL;
    rig_wait(s, "Terminate");
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 0, SIGTERM, "");
    peer_drained(s, 1);
    rig_wait(s, "Forget");
    rig_expect(r, "SELECT state, exit_code, why FROM job",
               "killed|143|hector-run is gone\n");
    assert_true(r->turns > 0);
}

/* While the master was stuck, hector-run went, and then the slave ended the tasks. The
 * master may read that in any order. */
static void test_redirector_gone_before(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    for (uint32_t i = 0; i < 4; i++) {
        Hct__TaskExited m = HCT__TASK_EXITED__INIT;

        m.job = 1;
        m.rank = i;
        m.signal = SIGTERM;
        m.at_ns = clock_wall_ns();
        m.finalized = true;
        m.orphaned = true;
        conn_send(s->c, MESSAGE_TASK_EXITED, &m);
    }
    peer_drained(s, 1);
    rig_wait(s, "Forget");
    rig_expect(r, "SELECT state, exit_code, why FROM job",
               "killed|143|hector-run is gone\n");
}

static void kill_job(struct peer *p, const char *ranks, int code, bool at_once)
{
    Hct__Kill m = HCT__KILL__INIT;

    m.job = 1;
    m.ranks = (char *)ranks;
    m.why = (char *)"time is up";
    m.exit_code = code;
    m.at_once = at_once;
    conn_send(p->c, MESSAGE_KILL, &m);
}

static void test_kill_twice(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    kill_job(run, "all", 124, false);
    rig_wait(s, "Terminate job=1 ranks=all grace=250000000");
    kill_job(run, "all", 0, false);
    rig_wait(s, "Terminate job=1 ranks=all grace=0");
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 0, SIGKILL, "");
    peer_drained(s, 1);
    rig_wait(run, "JobEnded job=1 code=124 why=time is up\n");
    rig_expect(r, "SELECT state FROM jobs", "killed\n");
}

static void test_operator(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run, *op;
    Hct__Signal m = HCT__SIGNAL__INIT;

    start4(r, &s, &run);
    op = rig_connect(r, HCT__ROLE__ROLE_OPERATOR, "op@h", 0);
    rig_wait(op, "Welcome");
    m.job = 1;
    m.ranks = (char *)"1-2";
    m.signal = SIGUSR1;
    conn_send(op->c, MESSAGE_SIGNAL, &m);
    rig_wait(s, "TaskSignal job=1 ranks=1-2 signal=10");
    rig_wait(op, "Result 1 \n");
    m.job = 99;
    conn_send(op->c, MESSAGE_SIGNAL, &m);
    rig_wait(op, "Result 0 job 99 is not running here\n");
    kill_job(op, "3", 0, true);
    rig_wait(s, "Terminate job=1 ranks=3 grace=0");
    kill_job(op, "9", 0, true);
    rig_wait(op, "Result 0 job 1 has 4 tasks: ");
    peer_exit(s, 1, 3, 0, SIGKILL, "");
    rig_wait(s, "Terminate job=1 ranks=all");
}

static void test_not_your_job(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run, *other;

    start4(r, &s, &run);
    other = rig_redirector(r);
    kill_job(other, "all", 0, true);
    rig_turn(r, 30);
    assert_false(heard(s, "Terminate"));
}

static void test_wait_for_hosts(void **state)
{
    struct rig *r = *state;
    struct peer *run = rig_redirector(r), *a, *b;

    a = rig_slave(r, "a", 2);
    peer_submit(run, &(struct wish){ .ntasks = 3, .hosts = { "a", "b" } });
    rig_wait(run, "waiting 0/3");
    rig_wait(run, "Notice 0 waiting for b to join");
    b = rig_slave(r, "b", 1);
    rig_wait(run, "running 3/3");
    assert_true(heard(a, "here=0 of 2 ranks=0-1"));
    assert_true(heard(b, "here=1 of 2 ranks=2"));
}

static void test_wait_in_vain(void **state)
{
    struct rig *r = *state;
    struct peer *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 3, .hosts = { "a", "b" } });
    rig_wait(run, "JobEnded job=1 code=125 why=waited 0 s in vain for a, b to "
             "join\n");
    rig_expect(r, "SELECT state FROM jobs", "failed\n");
}

static void test_oversubscribed(void **state)
{
    struct rig *r = *state;
    struct peer *s = rig_slave(r, "vm", 2), *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "vm" } });
    rig_wait(run, "running");
    assert_true(heard(run, "Notice 0 4 tasks on 2 processors of vm: "
                           "oversubscribed\n"));
    assert_true(heard(s, "over=1"));
    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "vm" },
                                     .per_node = 1 });
    rig_wait(run, "code=125 why=2 tasks do not fit on 1 node with at most 1 "
             "on each\n");
}

static void test_prepare_fails(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 2), *b = rig_slave(r, "b", 2);
    struct peer *run = rig_redirector(r);

    b->passive = true;
    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(b, "Prepare");
    peer_prepared(b, 1, false, "no PMIx");
    rig_wait(run, "code=125 why=node b cannot run the job: no PMIx\n");
    rig_wait(a, "Forget");
    rig_wait(b, "Forget");
    assert_false(heard(a, "Launch"));
}

static void test_prepare_in_vain(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 2), *b = rig_slave(r, "b", 2);
    struct peer *run = rig_redirector(r);

    b->passive = true;
    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(run, "code=125 why=node b did not prepare the job within 1 s: can "
             "hector-run be reached from there?\n");
    rig_wait(a, "Forget");
    rig_wait(b, "Forget");
    assert_false(heard(a, "Launch"));
    peer_prepared(b, 1, true, "");      /* too late */
    rig_turn(r, 30);
    rig_expect(r, "SELECT state, exit_code FROM jobs", "failed|125\n");
}

static void test_refusals(void **state)
{
    struct rig *r = *state;
    struct peer *run = rig_redirector(r), *twin;

    rig_slave(r, "a", 2);
    twin = rig_connect(r, HCT__ROLE__ROLE_SLAVE, "a", 2);
    rig_wait(twin, "Refuse a slave named a has already joined");
    rig_wait(twin, "closed");
    peer_submit(run, &(struct wish){ .ntasks = 0, .hosts = { "a" } });
    rig_wait(run, "JobEnded job=0 code=125 why=./solver is to run with 0 "
             "tasks\n");

    /* what hector-run would not have sent, and the next is served */
    peer_submit(run, &(struct wish){ .ntasks = 1, .hosts = { "a" },
                                     .on_hang = "explode" });
    rig_wait(run, "JobEnded job=0 code=2 why=--on-hang: ");
    peer_submit(run, &(struct wish){ .ntasks = 1, .hosts = { "a" } });
    rig_wait(run, "running 1/1");
}

/* A slave may not speak for ranks of another node. */
static void test_foreign_rank(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 1), *b = rig_slave(r, "b", 1);
    struct peer *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a", "b" } });
    rig_wait(run, "running 2/2");
    peer_exit(b, 1, 0, 3, 0, "");
    rig_wait(b, "closed");
    rig_wait(a, "Terminate");
}

static void test_stop(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    flow_stop(r->master->flow, 125);
    rig_wait(s, "Terminate");
    peer_submit(run, &(struct wish){ .ntasks = 1, .hosts = { "a" } });
    rig_wait(run, "why=hector-master is about to stop");
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 0, SIGTERM, "");
    peer_drained(s, 1);
    rig_wait(run, "JobEnded job=1 code=125 why=hector-master was told to "
             "stop\n");
    assert_true(flow_idle(r->master->flow));
}

static void peer_signal(struct peer *p, int number)
{
    Hct__Signal m = HCT__SIGNAL__INIT;

    m.job = 1;
    m.ranks = (char *)"all";
    m.signal = number;
    conn_send(p->c, MESSAGE_SIGNAL, &m);
}

/* What a batch system sends to several slaves: all tasks get it, once. */
static void test_passed_signals(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 1), *b = rig_slave(r, "b", 1);
    struct peer *run = rig_redirector(r);
    const char *first;

    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a", "b" } });
    rig_wait(run, "running 2/2");
    peer_signal(a, SIGUSR1);
    peer_signal(b, SIGUSR1);
    rig_wait(a, "TaskSignal job=1 ranks=0-1 signal=10");
    rig_wait(b, "TaskSignal job=1 ranks=0-1 signal=10");
    peer_signal(b, SIGUSR2);
    rig_wait(a, "signal=12");
    first = strstr(str_text(&a->log), "signal=10");
    assert_null(strstr(first + 1, "signal=10"));
    peer_signal(b, SIGTERM);
    rig_wait(a, "Terminate");
    peer_exit(a, 1, 0, 0, SIGTERM, "");
    peer_exit(b, 1, 1, 0, SIGTERM, "");
    peer_drained(a, 1);
    peer_drained(b, 1);
    rig_wait(run, "JobEnded job=1 code=143 why=SIGTERM to the slave on b\n");
    rig_expect(r, "SELECT state, exit_code FROM jobs", "killed|143\n");
}

static void peer_allot(struct peer *p, uint64_t end_ns, bool ending,
                       const char *reason)
{
    Hct__Allotment m = HCT__ALLOTMENT__INIT;

    m.job = 1;
    m.end_ns = end_ns;
    m.ending = ending;
    m.reason = (char *)reason;
    conn_send(p->c, MESSAGE_ALLOTMENT, &m);
}

/* A task of a batch system's job has died of a signal, and nothing else is known
 * yet: what the batch system says decides how the job has ended. */
static void end_in_batch(struct rig *r, const char *reason)
{
    struct peer *a = rig_slave(r, "a", 1), *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 1, .batch = true });
    rig_wait(run, "running 1/1");
    peer_allot(run, 77, false, "");
    peer_exit(a, 1, 0, 3, 0, "");
    rig_wait(run, "ending");
    peer_drained(a, 1);
    rig_turn(r, 100);
    assert_false(heard(run, "JobEnded"));
    peer_allot(run, 77, true, reason);
    rig_wait(run, "JobEnded job=1");
}

static void test_batch_ends(void **state)
{
    end_in_batch(*state, "time limit");
    rig_expect(*state, "SELECT state, exit_code, batch, limit_ns, reason "
               "FROM jobs",
               "killed|143|Slurm 42|77|time limit\n");
}

static void test_batch_goes_on(void **state)
{
    end_in_batch(*state, "");
    rig_expect(*state, "SELECT state, exit_code, reason FROM jobs",
               "failed|3|\n");
}

/* It says nothing: the job ends all the same. */
static void test_batch_is_silent(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 1), *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 1, .batch = true });
    rig_wait(run, "running 1/1");
    peer_exit(a, 1, 0, 3, 0, "");
    peer_drained(a, 1);
    rig_wait(run, "JobEnded job=1 code=3");
}

/* Who was to say why it ends is killed, too: at once it has ended as by TERM, where
 * tasks were ended by what batch systems send, and else as they did. */
static void end_unsaid(struct rig *r, int signal, const char *end)
{
    struct peer *a = rig_slave(r, "a", 1), *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 1, .batch = true });
    rig_wait(run, "running 1/1");
    peer_exit(a, 1, 0, 0, signal, "");
    rig_wait(run, "ending");
    peer_drained(a, 1);
    rig_turn(r, 100);
    conn_close(run->c);
    run->c = NULL;
    rig_wait(a, "Forget job=1");
    rig_expect(r, "SELECT state, exit_code, reason FROM jobs", end);
}

static void test_batch_unsaid(void **state)
{
    end_unsaid(*state, SIGUSR2, "killed|143|\n");
}

static void test_batch_crashed(void **state)
{
    end_unsaid(*state, SIGSEGV, "failed|139|\n");
}

/* It ends it before its tasks have started: as its nodes have not joined, and as
 * they prepare it. */
static void end_early(struct rig *r, const char *host, const char *waits,
                      const char *reason, const char *end)
{
    struct peer *run = rig_redirector(r);

    peer_submit(run, &(struct wish){ .ntasks = 1, .batch = true,
                                     .hosts = { host } });
    rig_wait(run, waits);
    kill_job(run, "all", 143, false);
    rig_wait(run, "ending");
    rig_turn(r, 100);
    assert_false(heard(run, "JobEnded"));
    peer_allot(run, 77, true, reason);
    rig_wait(run, "JobEnded job=1");
    rig_expect(r, "SELECT state, exit_code, reason FROM jobs", end);
}

static void test_batch_early(void **state)
{
    end_early(*state, "b", "waiting", "requeued", "killed|143|requeued\n");
}

static void test_batch_nonsense(void **state)
{
    struct rig *r = *state;
    struct peer *run;

    rig_slave(r, "a", 1);
    run = rig_redirector(r);
    peer_submit(run, &(struct wish){ .ntasks = 1, .batch = true });
    rig_wait(run, "running 1/1");
    peer_allot(run, 0, true, "a whim");
    rig_wait(run, "closed");
}

static void test_foreign_signal(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    peer_signal(s, SIGKILL);
    rig_wait(s, "closed");
}

/* A task that is rank `rank` of `size` in MPI. */
static void peer_apart(struct peer *p, uint32_t task, uint32_t rank,
                       uint32_t size, bool given)
{
    Hct__TaskState m = HCT__TASK_STATE__INIT;

    m.job = 1;
    m.rank = task;
    m.kind = HCT__TASK_STATE__KIND__APART;
    m.world_rank = rank;
    m.world_size = size;
    m.world_given = given;
    m.library = (char *)"MPICH Version:\t4.0.2";
    conn_send(p->c, MESSAGE_TASK_STATE, &m);
}

static void exit_all(struct peer *s)
{
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 0, 0, "");
    peer_drained(s, 1);
}

/* Once for all of them, at once; it goes on, and has failed in the end. */
static void test_apart(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    const char *said;

    start4(r, &s, &run);
    for (uint32_t i = 0; i < 4; i++)
        peer_apart(s, i, 0, 1, true);
    rig_wait(run, "Notice 1 job 1 is not one MPI program: tasks 0-3 are each "
             "rank 0 of 1 in MPI, not one of 4, so its results may be wrong; "
             "their library, MPICH, does not ask");
    for (uint32_t i = 0; i < 4; i++)
        peer_apart(s, i, 0, 1, true);   /* told again */
    exit_all(s);
    rig_wait(run, "JobEnded job=1 code=125 why=tasks 0-3 did not enter the "
             "job's world of 4 in MPI\n");
    said = strstr(str_text(&run->log), "is not one MPI program");
    assert_null(strstr(said + 1, "is not one MPI program"));
    assert_false(heard(s, "Terminate"));
    rig_expect(r, "SELECT state, exit_code FROM jobs", "failed|125\n");
    rig_expect(r, "SELECT count(*) FROM tasks WHERE state = 'exited' AND "
               "exit_code = 0", "4\n");
}

/* Those that find their way later did not fail, nor who means it. */
static void test_apart_for_a_while(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    peer_apart(s, 2, 1, 3, true);
    peer_apart(s, 0, 0, 1, false);
    rig_wait(run, "Notice 1 job 1 is not one MPI program: task 2 is rank 1 of "
             "3 in MPI, not 2 of 4");
    rig_wait(run, "Notice 0 task 0 is rank 0 of 1 in MPI, not 0 of 4: "
             "programs of their own");
    peer_apart(s, 2, 2, 4, true);
    exit_all(s);
    rig_wait(run, "JobEnded job=1 code=0 why=\n");
    rig_expect(r, "SELECT state, exit_code FROM jobs", "done|0\n");
}

/* A task that fails says more. */
static void test_apart_and_failed(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    peer_apart(s, 3, 0, 1, true);
    peer_exit(s, 1, 1, 7, 0, "");
    rig_wait(s, "Terminate");
    exit_all(s);
    rig_wait(run, "JobEnded job=1 code=7 why=task 1 on a exited with code 7");
    assert_true(heard(run, "Notice 1 job 1 is not one MPI program"));
}

/* What the node says once a second, with or without the job's output. */
static void peer_load(struct peer *p, bool output_waits)
{
    Hct__NodeLoad m = HCT__NODE_LOAD__INIT;
    uint64_t job = 1;

    m.at_ns = clock_wall_ns();
    m.output_waits = &job;
    m.n_output_waits = output_waits;
    conn_send(p->c, MESSAGE_NODE_LOAD, &m);
}

/* A reader takes longer than a slave may take to clear up, and the slave's
 * time for that begins when all has been read. */
static void test_slow_reader(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;

    start4(r, &s, &run);
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 0, 0, "");
    for (int i = 0; i < 5; i++) {
        peer_load(s, true);
        rig_turn(r, 500);
    }
    peer_load(s, false);
    rig_turn(r, 600);           /* flow_on_watch() has been there twice */
    assert_false(heard(run, "cleared up"));
    peer_drained(s, 1);
    rig_wait(run, "JobEnded job=1 code=0 why=\n");
}

/* The tasks have gone, and much of what they have written comes still. */
static void test_many_records(void **state)
{
    struct rig *r = *state;
    struct peer *s, *run;
    Hct__Events m = HCT__EVENTS__INIT;
    Hct__Events__Record x = HCT__EVENTS__RECORD__INIT, *list[1] = { &x };
    ProtobufCBinaryData label = { 4, (uint8_t *)"even" };

    start4(r, &s, &run);
    for (uint32_t i = 0; i < 4; i++)
        peer_exit(s, 1, i, 0, 0, "");
    m.job = 1;
    m.n_records = m.n_labels = 1;
    m.records = list;
    m.labels = &label;
    x.enter_ns = x.exit_ns = 5;
    for (int i = 0; i < 6; i++) {
        conn_send(s->c, MESSAGE_EVENTS, &m);
        x.seq = ++m.first;
        rig_turn(r, 500);
    }
    assert_false(heard(run, "cleared up"));
    peer_drained(s, 1);
    rig_wait(run, "JobEnded job=1 code=0 why=\n");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        T(test_whole_life),
        T(test_order_of_nodes),
        T(test_first_failure_in_time),
        T(test_impossible_signals),
        T(test_cannot_start),
        T(test_lost_records),
        T(test_abort), T(test_abort_caused), T(test_abort_place), T(test_other_place),
        T(test_left_without_finalize),
        T(test_all_leave_without_finalize),
        T(test_lost_slave),
        T(test_redirector_gone),
        T(test_redirector_gone_before),
        T(test_kill_twice),
        T(test_operator),
        T(test_not_your_job),
        T(test_wait_for_hosts),
        T(test_wait_in_vain),
        T(test_oversubscribed),
        T(test_prepare_fails),
        T(test_prepare_in_vain),
        T(test_refusals),
        T(test_foreign_rank),
        T(test_stop),
        T(test_passed_signals),
        T(test_batch_ends), T(test_batch_goes_on), T(test_batch_is_silent),
        T(test_batch_unsaid), T(test_batch_crashed),
        T(test_batch_early), T(test_batch_nonsense),
        T(test_foreign_signal),
        T(test_apart),
        T(test_apart_for_a_while),
        T(test_apart_and_failed),
        T(test_slow_reader), T(test_many_records),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
