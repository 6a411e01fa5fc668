/* test_lastwords.c - the last words of a killed slave, to a master that takes
 * its time. */
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/addr.h"
#include "slave/guard/lastwords.h"
#include "slave/page/records.h"

enum { TASKS = 3, JOB = 7, RECORDS = 4 };

static struct vault *vault;
static char address[ADDR_TEXT_MAX];
static const struct conn_conf conn_conf;

/* -------------------------------------------------------------- the master */

static struct conn *slave;
static uint64_t got[TASKS];     /* records that came */
static uint32_t answered;       /* tasks whose records are acknowledged */
static struct event *pace;
static unsigned deaf_ms;        /* it is started again, and that takes time */

static int on_hello(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    Hct__Welcome m = HCT__WELCOME__INIT;

    (void)arg, (void)err;
    conn_set_role(c, ((const Hct__Hello *)msg)->role);
    m.protocol = PROTOCOL_VERSION;
    m.role = HCT__ROLE__ROLE_MASTER;
    conn_send(c, MESSAGE_WELCOME, &m);
    slave = c;
    return 0;
}

static int on_events(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__Events *m = msg;

    (void)arg, (void)c, (void)err;
    got[m->rank] = m->first + m->n_records;
    return 0;
}

static int on_rest(void *arg, struct conn *c, const void *msg, struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    return 0;
}

/* All has been said: was all acknowledged by then? */
static int on_farewell(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    _exit(answered == TASKS ? 0 : 2);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    (void)arg, (void)c;
    fprintf(stderr, "# %u of %d tasks acknowledged: %s\n", answered, TASKS,
            why->text);
    _exit(1);
}

static const struct conn_route called_routes[] = {
    { MESSAGE_HELLO, CONN_ANY, on_hello },
};
static const struct conn_ops called_ops = { .routes = called_routes,
                                            .nroutes = 1 };

/* Somebody else has the processor, or the disk: two seconds a task. */
static void on_pace(evutil_socket_t fd, short what, void *arg)
{
    Hct__EventAck m = HCT__EVENT_ACK__INIT;

    (void)fd, (void)what, (void)arg;
    if (!slave || answered == TASKS)
        return;
    m.job = JOB;
    m.rank = answered;
    m.upto = got[answered++];
    conn_send(slave, MESSAGE_EVENT_ACK, &m);
}

static void serve(int fd)
{
    static const struct conn_route routes[] = {
        { MESSAGE_HELLO, CONN_ANY, on_hello },
        { MESSAGE_EVENTS, CONN_ANY, on_events },
        { MESSAGE_PROFILE, CONN_ANY, on_rest },
        { MESSAGE_FAREWELL, CONN_ANY, on_farewell },
    };
    static const struct conn_ops ops = {
        .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
        .on_close = on_close };
    const struct timeval tv = { .tv_sec = 2 };
    struct event_base *base = event_base_new();
    struct err err;

    usleep(deaf_ms * 1000);     /* that is what is tested */
    pace = event_new(base, -1, EV_PERSIST, on_pace, NULL);
    event_add(pace, &tv);
    if (!conn_listen_fd(base, fd, &conn_conf, &ops, NULL, &err))
        _exit(3);
    event_base_dispatch(base);
    _exit(4);
}

/* ------------------------------------------------------------------ a slave */

static int on_send(void *arg, const void *events)
{
    (void)arg, (void)events;
    return 0;                   /* it dies before it is acknowledged */
}

static void live_and_die(void)
{
    struct records_window window = { .max = RECORDS_WINDOW, .vault = vault };
    const struct records_out out = { on_send, NULL };
    struct err err;

    for (uint32_t rank = 0; rank < TASKS; rank++) {
        struct records r;

        records_init(&r, JOB, rank, &window);
        r.ledger = vault_open_ledger(vault, JOB, rank);
        for (uint64_t i = 0; i < RECORDS; i++) {
            struct rings_stamp s = { .seq = i, .wall_ns = 1 + i,
                                     .mate = SIZE_MAX };
            struct rings_batch b = { .v = &s, .n = 1 };

            assert_int_equal(records_add(&r, &b, &out, &err), 0);
        }
        vault_draft(r.ledger)->next = RECORDS;
        vault_commit(r.ledger);
    }
}

static void to_master(unsigned deaf)
{
    const struct lastwords_conf conf = { .addresses = address, .name = "n0",
                                    .conn = &conn_conf,
                                    .retry_ns = 100 * CLOCK_NS_PER_MS };
    struct addr a = { .is_unix = true };
    struct err err;
    int fd, status = -1;
    pid_t master;

    deaf_ms = deaf;
    snprintf(a.host, sizeof(a.host), "@hct-test-lastwords.%d", (int)getpid());
    addr_format(&a, address, sizeof(address));
    vault = vault_create(&err);
    assert_non_null(vault);
    live_and_die();
    fd = addr_listen(&a, &err);
    assert_true(fd >= 0);
    fflush(NULL);
    master = fork();
    if (master == 0)
        serve(fd);
    close(fd);
    lastwords_end(lastwords_begin(&conf, vault, "it was killed"));
    assert_int_equal(waitpid(master, &status, 0), master);
    assert_int_equal(status, 0);
    vault_destroy(vault);
}

/* As long as there are acknowledgements the guard waits for the next. */
static void test_slow_master(void **state)
{
    (void)state;
    to_master(0);
}

/* The socket is kept, so there will be a master: it is waited for. */
static void test_late_master(void **state)
{
    (void)state;
    to_master(7000);
}

/* While the tasks are being killed the master is told already who comes. */
static void test_called_at_once(void **state)
{
    const struct lastwords_conf conf = { .addresses = address, .name = "n0",
                                    .conn = &conn_conf,
                                    .retry_ns = 100 * CLOCK_NS_PER_MS };
    const struct timeval tick = { .tv_usec = 10000 };
    struct event_base *base = event_base_new();
    struct addr a = { .is_unix = true };
    struct conn_listener *listener;
    struct lastwords *l;
    struct err err;
    int fd;

    (void)state;
    snprintf(a.host, sizeof(a.host), "@hct-test-lastwords.%d", (int)getpid());
    addr_format(&a, address, sizeof(address));
    vault = vault_create(&err);
    assert_non_null(vault);
    fd = addr_listen(&a, &err);
    assert_true(fd >= 0);
    slave = NULL;
    listener = conn_listen_fd(base, fd, &conn_conf, &called_ops, NULL, &err);
    assert_non_null(listener);
    l = lastwords_begin(&conf, vault, "it was killed");
    assert_non_null(l);
    for (int i = 0; i < 6000 && !slave; i++) {
        lastwords_turn(l);
        event_base_loopexit(base, &tick);
        event_base_dispatch(base);
    }
    assert_non_null(slave);     /* it has said Hello, and nothing was read yet */
    conn_close(slave);
    slave = NULL;
    event_base_loop(base, EVLOOP_NONBLOCK);     /* closes the socket */
    lastwords_end(l);
    vault_destroy(vault);
    conn_listener_close(listener);
    event_base_free(base);
}

/* Whoever held the address has left: there will be no other master. */
static void test_no_master(void **state)
{
    struct lastwords_conf conf = {.addresses =
                                      "unix:@hct-test-lastwords.nobody",
                                  .name = "n0",
                                  .conn = &conn_conf,
                                  .retry_ns = 100 * CLOCK_NS_PER_MS,
                                  .last = true};
    uint64_t begin_ns, all_ns;
    struct err err;

    (void)state;
    vault = vault_create(&err);
    assert_non_null(vault);
    live_and_die();
    begin_ns = clock_monotonic_ns();
    lastwords_end(lastwords_begin(&conf, vault, "it was killed"));
    all_ns = clock_monotonic_ns() - begin_ns;
    assert_true(all_ns < 4 * CLOCK_NS_PER_S);
    conf.last = false;
    begin_ns = clock_monotonic_ns();
    lastwords_end(lastwords_begin(&conf, vault, "it was killed"));
    all_ns = clock_monotonic_ns() - begin_ns;
    assert_true(all_ns > 4 * CLOCK_NS_PER_S);
    vault_destroy(vault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_master), cmocka_unit_test(test_late_master),
        cmocka_unit_test(test_called_at_once), cmocka_unit_test(test_no_master),
    };

    log_init("test_lastwords", LOG_LEVEL_WARN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
