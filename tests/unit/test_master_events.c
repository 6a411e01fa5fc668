/* test_master_events.c - event records on their way into the database: acks
 * after the commit, nothing twice, nothing missing, also when the database is
 * busy or of no use. */
#include "tests/unit/master_rig.h"

#include <sqlite3.h>

#include "master/store/events.h"

static struct peer *slave, *run;

/* Records first..first+n-1 of a rank, each a whole call. */
static void send_events(uint32_t rank, uint64_t first, size_t n)
{
    Hct__Events m = HCT__EVENTS__INIT;
    Hct__Events__Record records[64], *list[64];
    ProtobufCBinaryData labels[2] = { { 4, (uint8_t *)"even" },
                                      { 3, (uint8_t *)"odd" } };

    m.job = 1;
    m.rank = rank;
    m.first = first;
    m.n_labels = 2;
    m.labels = labels;
    for (; m.n_records < n; m.n_records++) {
        Hct__Events__Record *x = &records[m.n_records];

        hct__events__record__init(x);
        x->seq = first + m.n_records;
        x->label = (uint32_t)x->seq % 2;
        x->marker = (int32_t)x->seq;
        x->enter_ns = 1000 + 10 * x->seq;
        x->exit_ns = x->enter_ns + 5;
        list[m.n_records] = x;
    }
    m.records = list;
    conn_send(slave->c, MESSAGE_EVENTS, &m);
}

static void test_once_each(void **state)
{
    struct rig *r = *state;

    rig_run_two(r, &slave, &run);
    send_events(0, 0, 3);
    send_events(1, 0, 2);
    rig_wait(slave, "EventAck job=1 rank=0 upto=3");
    rig_expect(r, "SELECT rank, records FROM task ORDER BY 1", "0|3\n1|2\n");
    send_events(0, 0, 3);               /* the ack had got lost */
    rig_wait_n(slave, "EventAck job=1 rank=0 upto=3", 2);
    send_events(0, 1, 4);               /* two of them are known */
    rig_wait(slave, "EventAck job=1 rank=0 upto=5");
    rig_expect(r, "SELECT rank, marker, label, enter_ns, exit_ns, node FROM "
               "events WHERE rank = 0",
               "0|0|even|1000|1005|a\n0|1|odd|1010|1015|a\n"
               "0|2|even|1020|1025|a\n0|3|odd|1030|1035|a\n"
               "0|4|even|1040|1045|a\n");
    rig_end_two(slave, run);
}

/* The slave was killed, and its guard calls at once; that it takes longer to
 * deliver what is left than a slave may be away is no reason to lose it. */
static void test_last_words(void **state)
{
    struct rig *r = *state;
    Hct__Farewell m = HCT__FAREWELL__INIT;

    rig_run_two(r, &slave, &run);
    send_events(0, 0, 3);
    rig_wait(slave, "EventAck job=1 rank=0 upto=3");
    conn_close(slave->c);
    slave->c = NULL;
    rig_turn(r, 20);
    slave = rig_connect(r, HCT__ROLE__ROLE_SLAVE, "a", 2);
    slave->last_words = true;
    rig_wait(slave, "Welcome");
    rig_turn(r, 1500);          /* of 700 ms: that is what is tested */
    assert_false(heard(run, "ending"));
    send_events(0, 0, 20);
    rig_wait(slave, "EventAck job=1 rank=0 upto=20");
    m.why = (char *)"it was killed";
    conn_send(slave->c, MESSAGE_FAREWELL, &m);
    rig_wait(run, "why=node a was lost: it was killed");
    rig_expect(r, "SELECT count(*) FROM events", "20\n");
}

/* Nobody calls: what is not known to be there is said. */
static void test_no_last_words(void **state)
{
    struct rig *r = *state;

    rig_run_two(r, &slave, &run);
    send_events(1, 0, 3);
    rig_wait(slave, "EventAck job=1 rank=1 upto=3");
    conn_close(slave->c);
    slave->c = NULL;
    rig_wait(run, "what was tagged on a at last may be missing in the database");
    rig_wait(run, "why=node a was lost: ");
    rig_expect(r, "SELECT count(*) FROM events", "3\n");
}

static void test_gap(void **state)
{
    struct rig *r = *state;

    rig_run_two(r, &slave, &run);
    send_events(0, 0, 3);
    send_events(0, 4, 1);
    rig_wait(slave, "closed");
    rig_wait(run, "why=node a was lost: ");
    rig_expect(r, "SELECT count(*) FROM events", "3\n");
}

static void test_nonsense(void **state)
{
    struct rig *r = *state;
    Hct__Events m = HCT__EVENTS__INIT;
    Hct__Events__Record x = HCT__EVENTS__RECORD__INIT, *list[1] = { &x };

    rig_run_two(r, &slave, &run);
    m.job = 99;                         /* forgotten, or never heard of */
    m.n_records = 1;
    m.records = list;
    conn_send(slave->c, MESSAGE_EVENTS, &m);
    rig_turn(r, 20);
    assert_false(slave->closed);
    m.job = 1;
    x.enter_ns = 5;
    x.label = 1;                        /* there is none */
    conn_send(slave->c, MESSAGE_EVENTS, &m);
    rig_wait(slave, "closed");
}

static sqlite3 *lock(struct rig *r)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(r->db, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 1000);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

/* While somebody else writes: no ack, no effect, nothing lost. */
static void test_busy(void **state)
{
    struct rig *r = *state;
    sqlite3 *db;

    rig_run_two(r, &slave, &run);
    db = lock(r);
    send_events(0, 0, 3);
    send_events(0, 3, 3);
    peer_exit(slave, 1, 0, 7, 0, "");
    rig_turn(r, 150);
    assert_false(heard(slave, "EventAck"));
    assert_false(heard(slave, "Terminate"));
    sqlite3_close(db);
    rig_wait(slave, "EventAck job=1 rank=0 upto=6");
    rig_wait(slave, "Terminate");
    assert_false(heard(slave, "upto=3"));       /* one ack for both */
    rig_expect(r, "SELECT count(*) FROM events", "6\n");
    peer_exit(slave, 1, 1, 0, 15, "");
    peer_drained(slave, 1);
    rig_wait(run, "JobEnded job=1 code=7");
}

/* A job that comes while the database is busy gets its number later. */
static void test_busy_submit(void **state)
{
    struct rig *r = *state;
    sqlite3 *db;

    slave = rig_slave(r, "a", 2);
    run = rig_redirector(r);
    rig_turn(r, 60);
    db = lock(r);
    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a" } });
    rig_turn(r, 100);
    assert_false(heard(run, "Accepted"));
    sqlite3_close(db);
    rig_wait(run, "Accepted job=1");
    rig_wait(run, "running 2/2");
    rig_end_two(slave, run);
}

/* The database breaks: the run goes on, and says so once. */
static void test_broken(void **state)
{
    struct rig *r = *state;
    sqlite3 *db;

    rig_run_two(r, &slave, &run);
    assert_int_equal(sqlite3_open(r->db, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TABLE event; DROP TABLE job",
                                  NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    send_events(0, 0, 3);
    rig_wait(slave, "EventAck job=1 rank=0 upto=3");
    assert_true(heard(run, "Notice 1 cannot write "));
    assert_true(heard(run, ": the run goes on, its record is lost\n"));
    rig_end_two(slave, run);
}

static void test_samples(void **state)
{
    struct rig *r = *state;
    Hct__TaskSamples m = HCT__TASK_SAMPLES__INIT;
    Hct__TaskSamples__Task t = HCT__TASK_SAMPLES__TASK__INIT, *list[1] = { &t };
    Hct__NodeLoad load = HCT__NODE_LOAD__INIT;

    rig_run_two(r, &slave, &run);
    m.job = 1;
    m.n_tasks = 1;
    m.tasks = list;
    t.rank = 1;
    t.mpi_calls = 42;
    t.in_mpi_ns = 7;
    t.cpu_ns = 100;
    t.cpu_in_mpi_ns = 30;
    conn_send(slave->c, MESSAGE_TASK_SAMPLES, &m);
    load.load = 1.5;
    conn_send(slave->c, MESSAGE_NODE_LOAD, &load);
    rig_turn(r, 1200);
    rig_expect(r, "SELECT rank, mpi_calls, in_mpi_ns, cpu_in_mpi_ns, "
               "cpu_out_mpi_ns FROM tasks WHERE rank = 1", "1|42|7|30|70\n");
    rig_expect(r, "SELECT node, load, memory_bytes FROM nodes",
               "a|1.5|1073741824\n");
    rig_end_two(slave, run);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        T(test_once_each),
        T(test_last_words),
        T(test_no_last_words),
        T(test_gap),
        T(test_nonsense),
        T(test_busy),
        T(test_busy_submit),
        T(test_broken),
        T(test_samples),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
