/* test_conn_detach.c - a socket that is taken out of its conn at both ends,
 * after a question and its answer: no byte is lost, and none of the conn's own
 * comes in between. */
#include "tests/unit/conn_ends.h"

#include "proto/link/seal.h"
#include "proto/link/timer.h"

/* One end: it asks, or answers. */
struct side {
    struct conn *c;
    int opened, closed, fd;
    struct seal *seal;
    bool asks;
    struct err why;
};

static void on_taken(void *arg, int fd, struct seal *seal)
{
    struct side *s = arg;

    s->c = NULL;
    s->fd = fd;
    s->seal = seal;
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

/* The question, or the answer. */
static int on_word(void *arg, struct conn *c, const void *msg, struct err *err)
{
    struct side *s = arg;

    (void)msg, (void)err;
    if (!s->asks)
        send_input(c, 1);
    conn_detach(c, on_taken);
    send_input(c, 1);                   /* too late: goes nowhere */
    return 0;
}

static void on_side_open(void *arg, struct conn *c)
{
    struct side *s = arg;

    s->c = c;
    s->opened++;
}

static void on_side_close(void *arg, struct conn *c, const struct err *why)
{
    struct side *s = arg;

    (void)c;
    s->c = NULL;
    s->closed++;
    s->why = *why;
}

static const struct conn_route side_routes[] = {
    { MESSAGE_INPUT, CONN_ANY, on_word },
};
static const struct conn_ops side_ops = {
    .routes = side_routes, .nroutes = 1,
    .on_open = on_side_open, .on_close = on_side_close,
};

/* It pings as often as it can. */
static const struct conn_conf tcp_often = { .key = &key, .ping_ns = MS };
static const struct conn_conf unix_often = { .ping_ns = MS };

static struct side asks, answers;

static void open_both(bool tcp)
{
    const struct conn_conf *conf = tcp ? &tcp_often : &unix_often;
    struct addr a = { .host = "127.0.0.1" };
    struct conn_listener *l;
    char at[ADDR_TEXT_MAX];
    struct err err;
    int fd;

    asks = (struct side){ .fd = -1, .asks = true };
    answers = (struct side){ .fd = -1 };
    if (!tcp) {
        a.is_unix = true;
        snprintf(a.host, sizeof(a.host), "%s/detach", dir);
    }
    fd = addr_listen(&a, &err);
    addr_format(&a, at, sizeof(at));
    l = conn_listen_fd(base, fd, conf, &side_ops, &answers, &err);
    asks.c = conn_open_to(base, at, conf, &side_ops, &asks, &err);
    assert_true(l && asks.c);
    WAIT_FOR(asks.opened && answers.opened);
    conn_set_role(answers.c, HCT__ROLE__ROLE_SLAVE);
    conn_listener_close(l);
}

static void ask(void)
{
    send_input(asks.c, 1);
    conn_hush(asks.c);
}

static int drop(void **state)
{
    struct side *sides[] = { &asks, &answers };

    (void)state;
    for (int i = 0; i < 2; i++) {
        conn_close(sides[i]->c);
        seal_free(sides[i]->seal);
        if (sides[i]->fd >= 0)
            close(sides[i]->fd);
        *sides[i] = (struct side){ .fd = -1 };
    }
    return 0;
}

/* What one end seals the other one opens, after all that the conn has sealed. */
static void check_seals(struct seal *from, struct seal *to)
{
    uint8_t record[SEAL_OVER + 5];
    struct seal_opened o;
    struct err err;
    size_t need;

    memcpy(record + SEAL_HEAD, "image", 5);
    seal_close(from, record, 5, false);
    assert_int_equal(seal_open(to, record, sizeof(record), 5, &o, &need, &err),
                     sizeof(record));
    assert_memory_equal(o.bytes, "image", 5);
}

/* Whatever pings and answers were on their way, the first bytes that either end
 * finds are those of the other one. */
static void test_taken(void **state)
{
    char got[8] = "";

    (void)state;
    for (int i = 0; i < 40; i++) {
        open_both(i % 2);
        turn_for((uint64_t)i / 2 * MS / 2);
        ask();
        WAIT_FOR(asks.fd >= 0 && answers.fd >= 0);
        turn_for(5 * MS);
        assert_int_equal(asks.closed + answers.closed, 0);
        for (int k = 0; k < 2; k++) {
            int from = k ? asks.fd : answers.fd, to = k ? answers.fd : asks.fd;

            assert_int_equal(recv(to, got, sizeof(got), MSG_DONTWAIT), -1);
            assert_int_equal(errno, EAGAIN);
            assert_int_equal(write(from, "image", 5), 5);
            WAIT_FOR(recv(to, got, sizeof(got), MSG_DONTWAIT) == 5);
            assert_memory_equal(got, "image", 5);
        }
        assert_true(!asks.seal == !(i % 2) && !answers.seal == !(i % 2));
        if (asks.seal) {
            check_seals(asks.seal, answers.seal);
            check_seals(answers.seal, asks.seal);
        }
        drop(NULL);
    }
}

/* Who goes on to talk after the question is not understood. */
static void test_more(void **state)
{
    (void)state;
    for (int tcp = 0; tcp < 2; tcp++) {
        open_both(tcp);
        send_input(asks.c, 1);
        send_input(asks.c, 1);
        WAIT_FOR(answers.closed);
        assert_int_equal(answers.why.code, EPROTO);
        assert_non_null(strstr(answers.why.text, "has sent more than was to come"));
        assert_int_equal(answers.fd, -1);
        drop(NULL);
    }
}

/* Before the answer is written, and after the question was. */
static void test_broken(void **state)
{
    (void)state;
    open_both(true);
    ask();
    conn_close(answers.c);
    answers.c = NULL;
    WAIT_FOR(asks.closed);
    assert_int_equal(asks.fd, -1);
    drop(NULL);

    open_both(true);
    conn_detach(answers.c, on_taken);
    conn_close(answers.c);
    answers.c = NULL;
    turn_for(5 * MS);
    assert_int_equal(answers.fd, -1);
    assert_int_equal(answers.closed, 0);
}

/* It says nothing by itself, but finds that the other end is silent, too. */
static void test_hushed(void **state)
{
    static const struct conn_conf mortal = { .ping_ns = 20 * MS,
                                             .dead_ns = 150 * MS };
    struct end a = { 0 };
    char got[4096];
    ssize_t n;
    int fd;

    (void)state;
    fd = open_raw(&a, &mortal);
    conn_hush(a.c);
    WAIT_FOR(a.closed);
    assert_int_equal(a.why.code, ETIMEDOUT);
    n = recv(fd, got, sizeof(got), MSG_DONTWAIT);
    assert_true(n > FRAME_HEADER && n < 3 * FRAME_HEADER);      /* the first Ping */
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_taken, drop),
        cmocka_unit_test_teardown(test_more, drop),
        cmocka_unit_test_teardown(test_broken, drop),
        cmocka_unit_test(test_hushed),
    };

    signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
