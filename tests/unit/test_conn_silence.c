/* test_conn_silence.c - when a peer that says nothing is dead. */
#include "tests/unit/conn_ends.h"

/* A peer that says nothing any more is dead, one that is only stopped for a
 * while by its own flow control is not. */
static void test_silence(void **state)
{
    static const struct conn_conf conf = { .ping_ns = 20 * MS,
                                           .dead_ns = 150 * MS };
    struct end a = { 0 }, b = { 0 };

    (void)state;
    int fd = open_raw(&a, &conf);

    WAIT_FOR(a.closed);
    assert_int_equal(a.why.code, ETIMEDOUT);
    close(fd);

    a = (struct end){ 0 };
    open_pair(&a, &b, &conf);
    turn_for(400 * MS);
    assert_int_equal(a.closed + b.closed, 0);
    conn_pause(b.c);
    for (int i = 0; i < 500; i++)
        send_input(a.c, 10000);
    turn_for(400 * MS);
    assert_int_equal(a.closed + b.closed, 0);
    conn_resume(b.c);
    WAIT_FOR(b.inputs == 500);
    turn_for(300 * MS);
    assert_int_equal(a.closed + b.closed, 0);
    close_ends(&a, &b);
}

/* On a Unix socket silence is no sign of death by default. */
static void test_unix_silence(void **state)
{
    static const struct conn_conf conf = { .ping_ns = 10 * MS };
    struct end a = { 0 };
    int fd = open_raw(&a, &conf);

    (void)state;
    turn_for(200 * MS);
    assert_int_equal(a.closed, 0);
    close(fd);
    WAIT_FOR(a.closed);
}

/* Two ends over TCP; b says nothing by itself, and soon does not answer. */
static void open_quiet(struct end *a, struct end *b,
                       const struct conn_conf *conf)
{
    static const struct conn_conf quiet = { .key = &key,
                                            .ping_ns = 60000 * MS };
    char addr[ADDR_TEXT_MAX];
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &quiet, b);

    open_to(a, addr, conf);
    WAIT_FOR(a->opened && b->opened);
    conn_set_role(b->c, HCT__ROLE__ROLE_SLAVE);
    conn_listener_close(l);
    conn_pause(b->c);
}

/* What its machine confirms a peer may still come to read. */
static void test_busy(void **state)
{
    static const struct conn_conf conf = { .key = &key, .ping_ns = 20 * MS,
                                           .dead_ns = 400 * MS };
    struct end a = { 0 }, b = { 0 };
    uint64_t since;

    (void)state;
    open_quiet(&a, &b, &conf);
    since = clock_monotonic_ns();
    WAIT_FOR(a.closed);
    assert_int_equal(a.why.code, ETIMEDOUT);
    assert_true(clock_monotonic_ns() - since > 700 * MS);
    close_ends(&a, &b);

    a = b = (struct end){ 0 };
    open_quiet(&a, &b, &conf);
    turn_for(600 * MS);
    conn_resume(b.c);
    turn_for(500 * MS);
    assert_int_equal(a.closed + b.closed, 0);
    close_ends(&a, &b);
}

/* Who is late itself at every look finds it all the same, but later. */
static void test_late_looks(void **state)
{
    static const struct conn_conf conf = { .ping_ns = 20 * MS,
                                           .dead_ns = 150 * MS };
    struct end a = { 0 };
    int fd = open_raw(&a, &conf), turns = 0;

    (void)state;
    while (!a.closed && ++turns < 200) {
        usleep(60 * 1000);      /* that is what is tested */
        turn();
    }
    assert_in_range(turns, 4, 100);
    assert_int_equal(a.why.code, ETIMEDOUT);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_unix_silence),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_late_looks),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
