/* test_master_return.c - slaves and redirectors that come back, or do not; and
 * slaves that never come to an end. */
#include "tests/unit/master_rig.h"

#include <signal.h>

#include "master/state/job.h"

static void tell_jobs(struct peer *p, uint64_t *jobs, size_t n)
{
    Hct__SlaveJobs m = HCT__SLAVE_JOBS__INIT;

    m.jobs = jobs;
    m.n_jobs = n;
    conn_send(p->c, MESSAGE_SLAVE_JOBS, &m);
}

static void start(struct rig *r, struct peer **a, struct peer **b,
                  struct peer **run)
{
    *a = rig_slave(r, "a", 2);
    *b = rig_slave(r, "b", 2);
    *run = rig_redirector(r);
    peer_submit(*run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(*run, "running 4/4");
}

/* The link breaks, and is opened again: all is told twice, nothing happens
 * twice. */
static void test_slave_back(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *again, *run;
    uint64_t job = 1;

    start(r, &a, &b, &run);
    peer_exit(b, 1, 2, 0, 0, "");
    rig_turn(r, 20);
    conn_close(b->c);
    b->c = NULL;
    rig_turn(r, 20);
    rig_expect(r, "SELECT node, state FROM nodes ORDER BY 1",
               "a|up\nb|away\n");
    again = rig_slave(r, "b", 2);
    taskset_parse(&again->ranks, "2-3", 4, NULL);
    peer_prepared(again, 1, true, "");
    peer_launched(again, 1);
    peer_exit(again, 1, 2, 0, 0, "");
    tell_jobs(again, &job, 1);
    peer_exit(a, 1, 0, 0, 0, "");
    peer_exit(a, 1, 1, 0, 0, "");
    peer_exit(again, 1, 3, 0, 0, "");
    peer_drained(a, 1);
    peer_drained(again, 1);
    peer_drained(again, 1);
    rig_wait(run, "JobEnded job=1 code=0 why=\n");
    rig_expect(r, "SELECT event, count(*) FROM transition WHERE machine = "
               "'task 2' GROUP BY 1", "exit|1\nlaunch|1\nrun|1\n");
    assert_false(heard(again, "closed"));
}

/* A master that was itself stopped for longer than a slave may be away does not
 * take it for lost before it has heard who is there. */
static void test_late_master(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;

    start(r, &a, &b, &run);
    conn_close(b->c);
    b->c = NULL;
    rig_turn(r, 20);
    usleep(900 * 1000);         /* that is what is tested */
    rig_turn(r, 150);
    assert_false(heard(run, "ending"));
    rig_wait(run, "ending");
}

/* The job ends while a slave is away: it is told to end as soon as it is
 * back. */
static void test_end_is_repeated(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *again, *run;
    uint64_t job = 1;

    start(r, &a, &b, &run);
    conn_close(b->c);
    b->c = NULL;
    rig_turn(r, 20);
    peer_exit(a, 1, 0, 3, 0, "");
    rig_wait(run, "ending");
    again = rig_slave(r, "b", 2);
    tell_jobs(again, &job, 1);
    rig_wait(again, "Terminate job=1 ranks=all grace=250000000");
}

/* ... by the signal that a person has ended it with. */
static void test_kill_is_repeated(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *again, *run;
    Hct__Kill m = HCT__KILL__INIT;
    uint64_t job = 1;

    start(r, &a, &b, &run);
    conn_close(b->c);
    b->c = NULL;
    m.job = job;
    m.ranks = (char *)"all";
    m.signal = SIGINT;
    conn_send(run->c, MESSAGE_KILL, &m);
    rig_wait(a, "Terminate job=1 ranks=all grace=250000000 signal=2");
    again = rig_slave(r, "b", 2);
    tell_jobs(again, &job, 1);
    rig_wait(again, "Terminate job=1 ranks=all grace=250000000 signal=2");
}

/* The link breaks with the order to launch, and the job is ended meanwhile: what
 * comes back has never started its tasks. */
static void test_end_before_launch(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 2), *b = rig_slave(r, "b", 2);
    struct peer *run = rig_redirector(r), *again;
    Hct__Kill m = HCT__KILL__INIT;
    uint64_t job = 1;

    b->passive = true;
    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(b, "Prepare");
    peer_prepared(b, job, true, "");
    rig_wait(a, "Launch");
    conn_close(b->c);
    b->c = NULL;
    m.job = job;
    m.ranks = (char *)"all";
    conn_send(run->c, MESSAGE_KILL, &m);
    rig_wait(a, "Terminate");
    again = rig_slave(r, "b", 2);
    tell_jobs(again, &job, 1);
    peer_drained(again, job);
    for (uint32_t rank = 0; rank < 2; rank++)
        peer_exit(a, job, rank, 0, SIGTERM, "");
    peer_drained(a, job);
    rig_wait(run, "JobEnded job=1 code=143");
    assert_false(heard(again, "closed"));
    rig_expect(r, "SELECT rank, state FROM tasks",
               "0|killed\n1|killed\n2|lost\n3|lost\n");
}

/* Another slave of that name, without the tasks. */
static void test_slave_anew(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;

    start(r, &a, &b, &run);
    conn_close(b->c);
    b->c = NULL;
    rig_turn(r, 20);
    tell_jobs(rig_slave(r, "b", 2), NULL, 0);
    rig_wait(a, "Terminate");
    peer_exit(a, 1, 0, 0, SIGTERM, "");
    peer_exit(a, 1, 1, 0, SIGTERM, "");
    peer_drained(a, 1);
    rig_wait(run, "code=125 why=node b was lost: its slave was started anew");
}

/* One that says farewell is not waited for. */
static void test_farewell(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;
    Hct__Farewell m = HCT__FAREWELL__INIT;

    start(r, &a, &b, &run);
    m.why = (char *)"it was tired";
    conn_send(b->c, MESSAGE_FAREWELL, &m);
    rig_wait(a, "Terminate");
    rig_expect(r, "SELECT why FROM job", "node b was lost: it was tired\n");
}

/* Jobs that have ended without the slave, or that nobody knows. */
static void test_disowned(void **state)
{
    struct rig *r = *state;
    struct peer *s = rig_slave(r, "a", 2);
    Hct__Events m = HCT__EVENTS__INIT;
    uint64_t jobs[] = { 9 };

    tell_jobs(s, jobs, 1);
    rig_wait(s, "Terminate job=9 ranks=all grace=0");
    m.job = 9;
    m.first = 5;
    conn_send(s->c, MESSAGE_EVENTS, &m);
    rig_wait(s, "EventAck job=9 rank=0 upto=5");
    peer_drained(s, 9);
    rig_wait(s, "Forget job=9");
}

static void attach(struct peer *p, uint64_t job, const char *cookie)
{
    Hct__Attach m = HCT__ATTACH__INIT;

    m.job = job;
    m.cookie.data = (uint8_t *)cookie;
    m.cookie.len = strlen(cookie);
    conn_send(p->c, MESSAGE_ATTACH, &m);
}

static void test_attach(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run, *other;

    start(r, &a, &b, &run);
    other = rig_redirector(r);
    attach(other, 1, "not the secret..");
    rig_wait(other, "closed: ");
    other = rig_redirector(r);
    attach(other, 1, "");
    rig_wait(other, "closed: ");
    other = rig_redirector(r);
    attach(other, 77, "0000000000000000");
    rig_wait(other, "JobEnded job=77 code=125 why=hector-master knows no job");

    /* A Submit that comes again is the same job. */
    other = rig_redirector(r);
    peer_submit(other, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" },
                                       .again = true });
    rig_wait(other, "JobState job=1 running 4/4");
    conn_close(run->c);
    run->c = NULL;
    rig_turn(r, 20);
    rig_expect(r, "SELECT count(*), max(state) FROM jobs", "1|running\n");
    conn_close(other->c);
    other->c = NULL;
    rig_wait(a, "Terminate");
    peer_exit(a, 1, 0, 0, SIGTERM, "");
    peer_exit(a, 1, 1, 0, SIGTERM, "");
    peer_drained(a, 1);
    peer_exit(b, 1, 2, 0, SIGTERM, "");
    peer_exit(b, 1, 3, 0, SIGTERM, "");
    peer_drained(b, 1);
    rig_wait(b, "Forget");

    /* It has ended meanwhile: the record says how. */
    other = rig_redirector(r);
    attach(other, 1, "whatever");
    rig_wait(other, "JobEnded job=1 code=143 why=hector-run is gone");
}

/* Slaves that do not end their tasks, or do not clear up. */
static void test_overdue(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;

    start(r, &a, &b, &run);
    for (uint32_t rank = 0; rank < 2; rank++)
        peer_exit(a, 1, rank, 4, 0, "");
    rig_wait(b, "Terminate");
    rig_wait(run, "Notice 1 node a: its slave has not cleared up within 2 s");
    rig_wait(run, "Notice 1 node b: its tasks have not ended within 2 s");
    rig_wait(run, "JobEnded job=1 code=4 why=task ");
    rig_expect(r, "SELECT state FROM jobs", "failed\n");
    rig_expect(r, "SELECT rank, state FROM tasks",
               "0|exited\n1|exited\n2|lost\n3|lost\n");
    /* The one that wakes up late learns that it is over. */
    peer_drained(b, 1);
    rig_wait(b, "Forget job=1");
}

/* Who is away comes back here, however busy the machine is. */
static int patient_setup(void **state)
{
    rig_restart_wait_ns = 600 * CLOCK_NS_PER_S;
    return rig_setup(state);
}

static int patient_teardown(void **state)
{
    rig_restart_wait_ns = 2 * CLOCK_NS_PER_S;
    return rig_teardown(state);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slave_back, patient_setup,
                                        patient_teardown),
        TEST(test_late_master), TEST(test_end_is_repeated),
        TEST(test_kill_is_repeated), TEST(test_end_before_launch),
        TEST(test_slave_anew), TEST(test_farewell), TEST(test_disowned),
        TEST(test_attach), TEST(test_overdue),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
