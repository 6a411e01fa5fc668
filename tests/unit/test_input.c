/* test_input.c - stdin for several tasks: every byte to each, credit by the
 * slowest, readers that go. Real pipes, a real loop. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "slave/streams/input.h"

struct rig {
    struct event_base *base;
    struct input *in;
    uint64_t granted;
    int unwanted;
    uint64_t sent;              /* bytes given to input so far */
    uint64_t got[2];            /* bytes read from each pipe so far */
    int fd[2];                  /* reading ends */
};

static void on_grant(void *arg, uint64_t bytes)
{
    ((struct rig *)arg)->granted += bytes;
}

static void on_unwanted(void *arg)
{
    ((struct rig *)arg)->unwanted++;
}

static const struct input_ops ops = { on_grant, on_unwanted };

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

static void add_reader(struct rig *r, int i)
{
    int fds[2];

    assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    r->fd[i] = fds[0];
    assert_int_equal(input_add(r->in, fds[1], NULL), 0);
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
    rc = input_data(r->in, buf, n, NULL);
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
    input_end(r->in);
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
    input_end(r->in);
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
    input_end(r->in);           /* before it starts */
    input_start(r->in);
    turn(r);
    assert_int_equal(drink(r, 0, 10), -1);
    assert_int_equal(r->unwanted, 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_one), TEST(test_slowest_governs), TEST(test_readers_go),
        TEST(test_nobody), TEST(test_empty),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
