/* test_input.c - stdin for several tasks: every byte to each, credit by the
 * slowest, readers that go, and that move. Real pipes, a real loop. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "slave/streams/input.h"

struct rig {
    struct event_base *base;
    struct input *in;
    uint64_t granted;
    uint64_t from;              /* of the last time it asked again */
    uint32_t came, left;
    int unwanted, again;
    uint64_t sent;              /* bytes given to input so far */
    uint64_t got[2];            /* bytes read from each pipe so far */
    int fd[2];                  /* reading ends */
};

static void on_ask(void *arg, const struct input_ask *a)
{
    struct rig *r = arg;

    r->granted = a->again ? a->from + a->bytes : r->granted + a->bytes;
    r->from = a->again ? a->from : r->from;
    r->again += a->again;
    r->came += a->came;
    r->left += a->left;
}

static void on_unwanted(void *arg)
{
    ((struct rig *)arg)->unwanted++;
}

static const struct input_ops ops = { on_ask, on_unwanted };

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));

    r->base = event_base_new();
    r->in = input_create(r->base, &ops, r);
    r->fd[0] = r->fd[1] = -1;
    signal(SIGPIPE, SIG_IGN);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    input_destroy(r->in);
    event_base_free(r->base);
    for (int i = 0; i < 2; i++)
        if (r->fd[i] >= 0)
            close(r->fd[i]);
    free(r);
    return 0;
}

/* The end of a new pipe that is not its reader's. */
static int new_pipe(struct rig *r, int i)
{
    int fds[2];

    assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    if (r->fd[i] >= 0)
        close(r->fd[i]);
    r->fd[i] = fds[0];
    return fds[1];
}

static void add_reader(struct rig *r, int i)
{
    assert_int_equal(input_add(r->in, (uint32_t)i, new_pipe(r, i), NULL), 0);
}

/* It goes on at that byte. */
static void let_come(struct rig *r, int i, uint64_t at)
{
    assert_int_equal(input_add_later(r->in, (uint32_t)i, new_pipe(r, i), NULL), 0);
    r->got[i] = at;
    input_came(r->in, (uint32_t)i, at);
}

static void turn(struct rig *r)
{
    for (int i = 0; i < 3; i++)
        event_base_loop(r->base, EVLOOP_NONBLOCK);
}

static unsigned char byte_at(uint64_t i)
{
    return (unsigned char)(i * 2654435761u >> 13);
}

static int send_bytes(struct rig *r, size_t n)
{
    unsigned char *buf = malloc(n + 1);
    int rc;

    for (size_t i = 0; i < n; i++)
        buf[i] = byte_at(r->sent + i);
    rc = input_data(r->in, r->sent, buf, n, NULL);
    if (rc == 0)
        r->sent += n;
    free(buf);
    return rc;
}

/* Read at most n bytes of one pipe and check them; -1 at its end. */
static long drink(struct rig *r, int i, size_t n)
{
    static unsigned char buf[1 << 20];
    ssize_t got = read(r->fd[i], buf, n < sizeof(buf) ? n : sizeof(buf));

    if (got == 0)
        return -1;
    for (ssize_t k = 0; k < got; k++)
        assert_int_equal(buf[k], byte_at(r->got[i] + (uint64_t)k));
    r->got[i] += got > 0 ? (uint64_t)got : 0;
    return got > 0 ? got : 0;
}

static void test_one(void **state)
{
    struct rig *r = *state;
    long got = 0;

    add_reader(r, 0);
    assert_int_equal(r->granted, 0);
    assert_int_equal(send_bytes(r, 1), -1);     /* nothing was granted */
    input_start(r->in);
    assert_int_equal(r->granted, INPUT_WINDOW);
    /* As much as is granted, always, until a few MiB have gone through. */
    while (r->sent < 5u << 20) {
        while (r->granted > r->sent)
            assert_int_equal(send_bytes(r, r->granted - r->sent), 0);
        assert_int_equal(send_bytes(r, 1), -1);
        assert_true(r->granted - r->got[0] <= INPUT_WINDOW + 65536 + 4096);
        drink(r, 0, 50000);
        turn(r);
    }
    input_end(r->in, r->sent);
    while ((got = drink(r, 0, 1 << 20)) >= 0)
        turn(r);
    assert_int_equal(r->got[0], r->sent);
    assert_int_equal(r->unwanted, 0);
}

static void test_slowest_governs(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    add_reader(r, 1);
    input_start(r->in);
    while (r->granted > r->sent) {
        assert_int_equal(send_bytes(r, r->granted - r->sent), 0);
        while (drink(r, 0, 1 << 20) > 0)
            turn(r);
    }
    assert_int_equal(r->got[0], r->sent);
    assert_true(r->sent <= INPUT_WINDOW + 65536);       /* one pipe's worth */
    while (r->got[1] < r->sent) {
        drink(r, 1, 1 << 20);
        turn(r);
    }
    assert_true(r->granted > r->sent);
}

static void test_readers_go(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    add_reader(r, 1);
    input_start(r->in);
    assert_int_equal(send_bytes(r, 1000), 0);
    close(r->fd[1]);
    r->fd[1] = -1;
    turn(r);
    assert_int_equal(r->unwanted, 0);
    assert_int_equal(drink(r, 0, 5000), 1000);
    close(r->fd[0]);            /* goes while nothing is written */
    r->fd[0] = -1;
    turn(r);
    assert_int_equal(r->unwanted, 1);
    assert_int_equal(send_bytes(r, 1000), 0);   /* was on its way */
    input_end(r->in, r->sent);
    turn(r);
    assert_int_equal(r->unwanted, 1);
}

static void test_nobody(void **state)
{
    struct rig *r = *state;

    input_start(r->in);
    assert_int_equal(r->unwanted, 1);
    assert_int_equal(r->granted, 0);
}

static void test_empty(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    input_end(r->in, r->sent);           /* before it starts */
    input_start(r->in);
    turn(r);
    assert_int_equal(drink(r, 0, 10), -1);
    assert_int_equal(r->unwanted, 0);
}

/* What the redirector does when it is asked once more. */
static void go_back(struct rig *r)
{
    r->sent = r->from;
}

static void feed_all(struct rig *r, uint64_t end)
{
    while (r->sent < end && r->granted > r->sent) {
        uint64_t most = r->granted < end ? r->granted : end;

        assert_int_equal(send_bytes(r, most - r->sent), 0);
        turn(r);
    }
}

/* Where task i goes on that has so much left in its pipe. */
static void expect_place(const struct rig *r, int i, bool more, uint64_t bytes)
{
    int unread = 0;
    uint64_t at;

    if (r->fd[i] >= 0)
        ioctl(r->fd[i], FIONREAD, &unread);
    assert_int_equal(input_place(r->in, (uint32_t)i, (uint64_t)unread, &at), more);
    assert_int_equal(at, bytes);
}

static void test_place(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    input_start(r->in);
    expect_place(r, 0, true, 0);
    expect_place(r, 1, false, 0);
    send_bytes(r, 1000);
    expect_place(r, 0, true, 0);
    drink(r, 0, 300);
    expect_place(r, 0, true, 300);
    input_end(r->in, r->sent);
    turn(r);
    expect_place(r, 0, true, 300);      /* the end is behind it, in the pipe */
    drink(r, 0, 699);
    expect_place(r, 0, true, 999);
    drink(r, 0, 1);
    expect_place(r, 0, false, 1000);
    assert_int_equal(drink(r, 0, 1), -1);
    assert_int_equal(r->unwanted, 0);
}

/* What comes while a task may go is there when it stays, and its end, too. */
static void test_stays(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    input_start(r->in);
    send_bytes(r, 10);
    input_hold(r->in, 0);
    send_bytes(r, 20);
    turn(r);
    assert_int_equal(drink(r, 0, 100), 10);
    expect_place(r, 0, true, 10);
    input_stays(r->in, 0);
    turn(r);
    assert_int_equal(drink(r, 0, 100), 20);
    input_hold(r->in, 0);
    input_end(r->in, r->sent);
    turn(r);
    assert_int_equal(drink(r, 0, 100), 0);
    input_stays(r->in, 0);
    assert_int_equal(drink(r, 0, 100), -1);
    assert_int_equal(r->unwanted + (int)r->left + r->again, 0);
}

/* It is gone, and its place is known as long as nobody has said where it is. */
static void test_leaves(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    input_start(r->in);
    feed_all(r, 400000);
    assert_int_equal(drink(r, 0, 1234), 1234);
    input_hold(r->in, 0);
    expect_place(r, 0, true, 1234);
    close(r->fd[0]);
    r->fd[0] = -1;
    turn(r);
    assert_true(r->granted <= 1234 + 65536 + INPUT_WINDOW);
    assert_int_equal(r->unwanted, 0);
    input_left(r->in, 0);
    assert_int_equal(r->left, 1);
    assert_int_equal(r->unwanted, 1);
    let_come(r, 0, 1234);
    assert_int_equal(r->came, 1);
    assert_int_equal(r->from, 1234);
    assert_int_equal(r->granted, 1234 + INPUT_WINDOW);
    input_data(r->in, 390000, "on its way", 10, NULL);
    go_back(r);
    feed_all(r, 300000);
    while (drink(r, 0, 1 << 20) > 0)
        turn(r);
    feed_all(r, 300000);
    input_end(r->in, 300000);
    while (drink(r, 0, 1 << 20) >= 0)
        turn(r);
    assert_int_equal(r->got[0], 300000);
}

/* One that comes where others read: it is behind them, ahead, or among them. */
static void test_comes(void **state)
{
    static const struct { uint64_t at; int again; } cases[] = {
        { 10, 1 }, { 70000, 0 }, { 65536, 0 }, { 100000, 0 }, { 150000, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig *r = *state;
        uint64_t end = 200000;

        add_reader(r, 0);
        input_start(r->in);
        feed_all(r, 100000);            /* 65536 of them are in the pipe */
        let_come(r, 1, cases[i].at);
        assert_int_equal(r->again, cases[i].again);
        assert_int_equal(r->came, 1);
        if (r->again)
            go_back(r);
        feed_all(r, end);
        for (int k = 0; k < 40; k++) {
            feed_all(r, end);
            drink(r, 0, 1 << 20);
            drink(r, 1, 1 << 20);
            turn(r);
        }
        assert_int_equal(r->got[0], end);
        assert_int_equal(r->got[1], end);
        input_end(r->in, end);
        turn(r);
        assert_int_equal(drink(r, 0, 1), -1);
        assert_int_equal(drink(r, 1, 1), -1);
        teardown(state);
        setup(state);
    }
}

/* The others have had the end: they do not get anything twice. */
static void test_comes_after_end(void **state)
{
    struct rig *r = *state;

    add_reader(r, 0);
    input_start(r->in);
    feed_all(r, 5000);
    input_end(r->in, 5000);
    turn(r);
    let_come(r, 1, 2000);
    assert_int_equal(r->from, 2000);
    go_back(r);
    feed_all(r, 5000);
    input_end(r->in, 4000);             /* was not asked for */
    turn(r);
    assert_int_equal(drink(r, 1, 10000), 3000);
    assert_int_equal(drink(r, 1, 10000), 0);
    input_end(r->in, 5000);
    turn(r);
    assert_int_equal(drink(r, 1, 10000), -1);
    assert_int_equal(drink(r, 0, 10000), 5000);
    assert_int_equal(drink(r, 0, 10000), -1);
    expect_place(r, 0, false, 5000);
    input_left(r->in, 0);               /* no place in what is to come */
    assert_int_equal(r->left, 0);
}

/* It was waited for, and never came; nobody is asked for anything by that. */
static void test_never_comes(void **state)
{
    struct rig *r = *state;

    assert_int_equal(input_add_later(r->in, 1, new_pipe(r, 1), NULL), 0);
    input_start(r->in);
    assert_int_equal(r->granted + (uint64_t)r->unwanted, 0);
    expect_place(r, 1, false, 0);
    input_stayed_away(r->in, 1);
    assert_int_equal(r->unwanted, 1);
    assert_int_equal(drink(r, 1, 1), -1);
}

/* Without a redirector it is at its end. */
static void test_comes_alone(void **state)
{
    struct rig *r = *state;

    input_start(r->in);
    input_cut(r->in);
    let_come(r, 1, 77);
    assert_int_equal(r->came, 0);
    assert_int_equal(drink(r, 1, 1), -1);
}

static void test_too_much(void **state)
{
    struct rig *r = *state;
    static char much[INPUT_WINDOW + 1];

    add_reader(r, 0);
    input_start(r->in);
    assert_int_equal(input_data(r->in, 0, much, sizeof(much), NULL), -1);
    assert_int_equal(input_data(r->in, UINT64_MAX, much, 10, NULL), -1);
    assert_int_equal(input_data(r->in, 0, much, 0, NULL), 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_one), TEST(test_slowest_governs), TEST(test_readers_go),
        TEST(test_nobody), TEST(test_empty), TEST(test_place),
        TEST(test_stays), TEST(test_leaves), TEST(test_comes),
        TEST(test_comes_after_end), TEST(test_never_comes),
        TEST(test_comes_alone), TEST(test_too_much),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
