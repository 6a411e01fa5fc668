/* test_greeting.c - two ends greet each other: let in, refused, of another
 * version, of another role, twice; what is newer than the other is not sent to
 * it. */
#include <errno.h>
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/log.h"
#include "proto/link/greeting.h"

struct end {
    struct event_base *base;
    struct conn *c;
    Hct__Role role;             /* what it says it is */
    Hct__Role expects;          /* connecting: of the other one */
    uint32_t protocol;          /* not 0: of a Welcome that is made by hand */
    uint32_t messages;          /* the last one that this Welcome says */
    const char *why;            /* not NULL: refuses, with this */
    unsigned efforts, paces, owners;    /* that have come */
    bool open, admitted, welcomed, closed;
    char name[300], version[32];
    uint64_t instance;
    struct err end;
};

static void on_open(void *arg, struct conn *c)
{
    struct end *e = arg;

    e->c = c;
    e->open = true;
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct end *e = arg;

    (void)c;
    e->c = NULL;
    e->closed = true;
    e->end = *why;
}

static int on_hello(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct end *e = arg;
    const Hct__Hello *m = msg;
    Hct__Welcome w = HCT__WELCOME__INIT;

    snprintf(e->name, sizeof(e->name), "%s", m->name);
    snprintf(e->version, sizeof(e->version), "%s", m->version);
    e->instance = m->instance;
    if (e->why)
        err_set(err, EACCES, "%s", e->why);
    if (e->why || greeting_check(c, m, "test", err)) {
        greeting_refuse(c, "test", err);
        e->c = NULL;
        return 0;
    }
    w.role = e->role;
    w.name = (char *)"the other";
    if (e->protocol) {
        w.protocol = e->protocol;
        w.messages = e->messages;
        conn_send(c, MESSAGE_WELCOME, &w);
    } else {
        greeting_welcome(c, m->role, &w);
    }
    e->admitted = true;
    return 0;
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct end *e = arg;

    if (greeting_welcomed(c, msg, e->expects, err))
        return -1;
    e->welcomed = true;
    return 0;
}

static int on_effort(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct end *e = arg;

    (void)c, (void)msg, (void)err;
    e->efforts++;
    return 0;
}

static int on_pace(void *arg, struct conn *c, const void *msg, struct err *err)
{
    struct end *e = arg;

    (void)c, (void)msg, (void)err;
    e->paces++;
    return 0;
}

static int on_owner(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct end *e = arg;

    (void)c, (void)msg, (void)err;
    e->owners++;
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_EFFORT, CONN_ANY, on_effort },
    { MESSAGE_PACE, CONN_ANY, on_pace },
    { MESSAGE_OWNER, CONN_ANY, on_owner },
    { MESSAGE_HELLO, CONN_STRANGER, on_hello },
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
};
static const struct conn_ops ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

/* a connects, b listens; turns the loop until the condition holds. */
#define TURN_UNTIL(condition) do {                                      \
        for (int turns = 0; !(condition); turns++) {                    \
            if (turns > 20000)                                          \
                fail_msg("waited in vain for %s", #condition);          \
            event_base_loop(base, EVLOOP_NONBLOCK);                     \
            usleep(1000);                                               \
        }                                                               \
    } while (0)

static struct event_base *base;

static void meet(struct end *a, struct end *b)
{
    struct conn_conf conf = { 0 };
    struct err err;
    int fd[2];

    log_init("test", LOG_LEVEL_WARN);
    base = event_base_new();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    a->c = conn_adopt_fd(base, fd[0], &conf, &ops, a, &err);
    b->c = conn_adopt_fd(base, fd[1], &conf, &ops, b, &err);
    assert_true(a->c && b->c);
    TURN_UNTIL(a->open && b->open);
}

static void part(struct end *a, struct end *b)
{
    conn_close(a->c);
    conn_close(b->c);
    event_base_free(base);
}

static void both_know_each_other(void **state)
{
    struct end a = { .expects = HCT__ROLE__ROLE_MASTER };
    struct end b = { .role = HCT__ROLE__ROLE_MASTER };
    Hct__Hello m = HCT__HELLO__INIT;
    char name[300];

    (void)state;
    meet(&a, &b);
    m.role = HCT__ROLE__ROLE_OPERATOR;
    greeting_hello(a.c, &m);
    TURN_UNTIL(a.welcomed);
    assert_int_equal(conn_role(a.c), HCT__ROLE__ROLE_MASTER);
    assert_int_equal(conn_role(b.c), HCT__ROLE__ROLE_OPERATOR);
    greeting_name(name, sizeof(name));
    assert_string_equal(b.name, name);
    assert_non_null(strchr(name, '@'));
    assert_string_equal(b.version, HECTOR_VERSION);
    assert_true(b.instance != 0);
    assert_string_equal(m.name, "");            /* nothing of ours is left in it */

    conn_send(a.c, MESSAGE_HELLO, &m);          /* once more */
    TURN_UNTIL(b.closed);
    assert_int_equal(b.end.code, EPROTO);
    assert_non_null(strstr(b.end.text, "Hello"));
    part(&a, &b);
}

/* What a program says of itself is passed on as it is. */
static void own_name_and_instance(void **state)
{
    struct end a = { .expects = HCT__ROLE__ROLE_SLAVE };
    struct end b = { .role = HCT__ROLE__ROLE_SLAVE };
    Hct__Hello m = HCT__HELLO__INIT;
    Hct__Welcome again = HCT__WELCOME__INIT;

    (void)state;
    meet(&a, &b);
    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)"n17";
    m.instance = 4711;
    greeting_hello(a.c, &m);
    TURN_UNTIL(a.welcomed);
    assert_string_equal(b.name, "n17");
    assert_int_equal(b.instance, 4711);

    conn_send(b.c, MESSAGE_WELCOME, &again);
    TURN_UNTIL(a.closed);
    assert_non_null(strstr(a.end.text, "Welcome"));
    part(&a, &b);
}

static void who_is_not_wanted_is_told_why(void **state)
{
    static const struct { const char *why, *said; } table[] = {
        { "its name is taken", "refused: its name is taken" },
        { "", "refused: no reason is given" },
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct end a = { .expects = HCT__ROLE__ROLE_MASTER };
        struct end b = { .why = table[i].why };
        Hct__Hello m = HCT__HELLO__INIT;

        meet(&a, &b);
        greeting_hello(a.c, &m);
        TURN_UNTIL(a.closed);
        assert_int_equal(a.end.code, EACCES);
        assert_string_equal(a.end.text, table[i].said);
        assert_false(a.welcomed);
        part(&a, &b);
    }
}

static void another_version_of_who_connects(void **state)
{
    struct end a = { .expects = HCT__ROLE__ROLE_MASTER };
    struct end b = { .role = HCT__ROLE__ROLE_MASTER };
    Hct__Hello m = HCT__HELLO__INIT;

    (void)state;
    meet(&a, &b);
    m.protocol = PROTOCOL_VERSION + 1;
    m.version = (char *)"9.9";
    conn_send(a.c, MESSAGE_HELLO, &m);
    TURN_UNTIL(a.closed);
    assert_false(b.admitted);
    assert_int_equal(a.end.code, EACCES);
    assert_string_equal(a.end.text, "refused: protocol 2 of version 9.9: this "
                        "test (version " HECTOR_VERSION ") speaks 1");
    part(&a, &b);
}

static void another_version_or_role_of_who_listens(void **state)
{
    static const struct { uint32_t protocol; Hct__Role role; } table[] = {
        { PROTOCOL_VERSION + 1, HCT__ROLE__ROLE_MASTER },
        { PROTOCOL_VERSION, HCT__ROLE__ROLE_SLAVE },
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct end a = { .expects = HCT__ROLE__ROLE_MASTER };
        struct end b = { .role = table[i].role,
                         .protocol = table[i].protocol };
        Hct__Hello m = HCT__HELLO__INIT;

        meet(&a, &b);
        greeting_hello(a.c, &m);
        TURN_UNTIL(a.closed);
        assert_false(a.welcomed);
        assert_int_equal(a.end.code, EPROTO);
        assert_non_null(strstr(a.end.text, "the other"));
        part(&a, &b);
    }
}

static void say_all(struct conn *c)
{
    const Hct__Effort effort = HCT__EFFORT__INIT;
    const Hct__Pace pace = HCT__PACE__INIT;
    const Hct__Owner owner = HCT__OWNER__INIT;

    conn_send(c, MESSAGE_EFFORT, &effort);      /* 118 */
    conn_send(c, MESSAGE_PACE, &pace);          /* 119 */
    conn_send(c, MESSAGE_OWNER, &owner);        /* 116: who is there knows it */
}

/* It would take a message that it does not know for an error, and close. */
static void older_ones_are_spared(void **state)
{
    static const struct { uint32_t messages; unsigned efforts, paces; } table[] = {
        { 0, 0, 0 }, { 117, 0, 0 }, { 118, 1, 0 }, { 119, 1, 1 }, { 9999, 1, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct end a = { .expects = HCT__ROLE__ROLE_MASTER };
        struct end b = { .role = HCT__ROLE__ROLE_MASTER,
                         .protocol = PROTOCOL_VERSION,
                         .messages = table[i].messages };
        Hct__Hello m = HCT__HELLO__INIT;

        meet(&a, &b);
        greeting_hello(a.c, &m);
        TURN_UNTIL(a.welcomed);
        say_all(a.c);
        TURN_UNTIL(b.owners);
        assert_int_equal(b.efforts, table[i].efforts);
        assert_int_equal(b.paces, table[i].paces);
        assert_false(b.closed);
        part(&a, &b);
    }
}

/* ... who listens spares who connects, too; and both ends of one version say
 * all. */
static void older_ones_that_connect_are_spared(void **state)
{
    for (unsigned old = 0; old < 2; old++) {
        struct end a = { .expects = HCT__ROLE__ROLE_MASTER };
        struct end b = { .role = HCT__ROLE__ROLE_MASTER };
        Hct__Hello m = HCT__HELLO__INIT;

        (void)state;
        meet(&a, &b);
        m.protocol = PROTOCOL_VERSION;
        m.role = HCT__ROLE__ROLE_SLAVE;
        if (old)
            conn_send(a.c, MESSAGE_HELLO, &m);  /* as one that does not say it */
        else
            greeting_hello(a.c, &m);
        TURN_UNTIL(a.welcomed);
        say_all(b.c);
        TURN_UNTIL(a.owners);
        assert_int_equal(a.efforts, !old);
        assert_int_equal(a.paces, !old);
        say_all(a.c);
        TURN_UNTIL(b.owners);
        assert_int_equal(b.paces, 1);
        part(&a, &b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_know_each_other),
        cmocka_unit_test(own_name_and_instance),
        cmocka_unit_test(who_is_not_wanted_is_told_why),
        cmocka_unit_test(another_version_of_who_connects),
        cmocka_unit_test(another_version_or_role_of_who_listens),
        cmocka_unit_test(older_ones_are_spared),
        cmocka_unit_test(older_ones_that_connect_are_spared),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
