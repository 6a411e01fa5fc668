/* test_imageway.c - the way of an image out of one node and into another, in
 * pieces, as it goes through the master: a slow link, a slow reader, credit
 * that comes late, ends that close too early; and out of the hands of who reads
 * it first. */
#include <errno.h>
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

#include "proto/link/timer.h"
#include "slave/move/imagein.h"
#include "slave/move/imageout.h"

enum { IMAGE = 3 << 20, WINDOW = 1 << 20 };

struct way {
    struct event_base *base;
    struct imageout *out;
    struct imagein *in;
    unsigned busy;              /* so often the link is congested still */
    bool over;                  /* the way out has come to its end */
    unsigned asked;             /* whether somebody else reads it: */
    bool passes;
    size_t sent, granted;
    uint8_t *got;               /* by a link that loses nothing */
};

static bool is_congested(void *arg)
{
    struct way *w = arg;

    return w->busy && w->busy--;
}

static void take_piece(void *arg, const void *data, size_t bytes)
{
    struct way *w = arg;

    assert_true(w->sent + bytes <= IMAGE);
    memcpy(w->got + w->sent, data, bytes);
    w->sent += bytes;
    if (w->in)
        imagein_take(w->in, data, bytes, false);
}

static void take_end(void *arg)
{
    struct way *w = arg;

    w->over = true;
    imageout_close(w->out);
    w->out = NULL;
    if (w->in)
        imagein_take(w->in, "", 0, true);
}

static bool pass(void *arg, int pipe)
{
    struct way *w = arg;

    assert_true(pipe >= 0);
    w->asked++;
    return w->passes;
}

static const struct imageout_ops ops = { is_congested, pass, take_piece,
                                         take_end };

static void grant(void *arg, uint64_t bytes)
{
    struct way *w = arg;

    w->granted += bytes;
    if (w->out)
        imageout_credit(w->out, bytes);
}

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i ^ i >> 8 ^ i >> 16);
}

static int begin(void **state)
{
    struct way *w = calloc(1, sizeof(*w));

    *state = w;
    w->base = event_base_new();
    w->got = malloc(IMAGE);
    return !w->base || !w->got;
}

static int end(void **state)
{
    struct way *w = *state;

    imageout_close(w->out);
    imagein_close(w->in);
    event_base_free(w->base);
    free(w->got);
    free(w);
    return 0;
}

static int open_out(struct way *w)
{
    struct err err;
    int to;

    w->out = imageout_open(w->base, &ops, w, &to, &err);
    assert_non_null(w->out);
    fcntl(to, F_SETFL, O_NONBLOCK);
    return to;
}

static int open_in(struct way *w)
{
    struct err err;
    int from;

    w->in = imagein_open(w->base, &from, &err);
    assert_non_null(w->in);
    fcntl(from, F_SETFL, O_NONBLOCK);
    return from;
}

/* Until nothing more can happen by itself. */
static void turn(struct way *w)
{
    event_base_loop(w->base, EVLOOP_NONBLOCK);
}

/* For things that must not happen. */
static void wait_a_moment(struct way *w)
{
    struct timeval tv = clock_timeval(20 * CLOCK_NS_PER_MS);

    event_base_loopexit(w->base, &tv);
    event_base_dispatch(w->base);
}

static void wait_sent(struct way *w, size_t bytes, bool over)
{
    for (int i = 0; i < 500 && (w->sent < bytes || w->over < over); i++)
        wait_a_moment(w);
    assert_int_equal(w->sent, bytes);
    assert_int_equal(w->over, over);
}

/* As much as goes in, and how much that was. */
static size_t write_some(int to, size_t at)
{
    size_t from = at;

    while (at < IMAGE) {
        uint8_t piece[4096];
        size_t n = 0;
        ssize_t done;

        for (; n < sizeof(piece) && at + n < IMAGE; n++)
            piece[n] = byte_at(at + n);
        done = write(to, piece, n);
        if (done <= 0)
            break;
        at += (size_t)done;
    }
    return at - from;
}

/* Credit that comes while the link is congested, and is used up before the
 * moment to look again: what follows is no end of the image. */
static void test_congested(void **state)
{
    struct way *w = *state;
    int to = open_out(w);

    assert_int_equal(write(to, "abcdefgh", 8), 8);
    w->busy = 1;
    imageout_credit(w->out, 2);
    turn(w);
    assert_int_equal(w->sent, 0);
    imageout_credit(w->out, 2);
    wait_sent(w, 4, false);
    wait_a_moment(w);
    assert_false(w->over);
    imageout_credit(w->out, 100);
    wait_sent(w, 8, false);
    close(to);
    wait_sent(w, 8, true);
    assert_memory_equal(w->got, "abcdefgh", 8);
    assert_int_equal(w->asked, 1);
}

/* Somebody else reads the pipe, once the link has room: nothing is taken from
 * there. */
static void test_passed(void **state)
{
    struct way *w = *state;
    int to = open_out(w);

    assert_int_equal(write(to, "abcd", 4), 4);
    w->passes = true;
    w->busy = 1;
    imageout_credit(w->out, 100);
    turn(w);
    assert_int_equal(w->asked, 0);
    for (int i = 0; i < 500 && !w->asked; i++)
        wait_a_moment(w);
    imageout_credit(w->out, 100);
    close(to);
    wait_a_moment(w);
    assert_int_equal(w->asked, 1);
    assert_int_equal(w->sent, 0);
    assert_false(w->over);
}

/* The end of the pipe is seen with credit only; of an image that fits exactly
 * it takes a byte more. */
static void test_no_credit(void **state)
{
    struct way *w = *state;
    int to = open_out(w);

    assert_int_equal(write(to, "abcd", 4), 4);
    close(to);
    wait_a_moment(w);
    assert_false(w->over);
    imageout_credit(w->out, 4);
    wait_sent(w, 4, false);
    imageout_credit(w->out, 1);
    wait_sent(w, 4, true);
}

/* Reader and writer go in fits and starts, the link is congested now and then. */
static void test_whole(void **state)
{
    struct way *w = *state;
    size_t written = 0, read_bytes = 0;
    int to = open_out(w), from = open_in(w);
    ssize_t n = 1;

    imagein_begin(w->in, WINDOW, grant, w);
    assert_int_equal(w->granted, WINDOW);
    for (unsigned round = 0; n != 0; round++) {
        uint8_t piece[50000];

        assert_true(round < 10000);
        if (round % 3 == 0 && to >= 0) {
            written += write_some(to, written);
            if (written == IMAGE) {
                close(to);
                to = -1;
            }
        }
        w->busy = round % 7 == 0;
        if (w->busy)
            wait_a_moment(w);
        else
            turn(w);
        assert_true(w->sent - read_bytes <= WINDOW + (1 << 20));
        n = read(from, piece, sizeof(piece));
        for (ssize_t i = 0; i < n; i++)
            assert_int_equal(piece[i], byte_at(read_bytes + (size_t)i));
        read_bytes += n > 0 ? (size_t)n : 0;
    }
    assert_int_equal(read_bytes, IMAGE);
    close(from);
}

/* More than there is room for, or the word that there will be no more. */
static void test_cut(void **state)
{
    struct way *w = *state;
    static uint8_t much[WINDOW + 1];
    uint8_t c;

    for (int i = 0; i < 2; i++) {
        int from = open_in(w);

        imagein_begin(w->in, WINDOW, grant, w);
        if (i)
            imagein_cut(w->in);
        else
            imagein_take(w->in, much, sizeof(much), false);
        imagein_take(w->in, "x", 1, true);      /* comes too late */
        turn(w);
        assert_int_equal(read(from, &c, 1), 0);
        close(from);
        imagein_close(w->in);
        w->in = NULL;
    }
}

/* Who reads has ended: what comes still is thrown away. */
static void test_reader_gone(void **state)
{
    struct way *w = *state;
    int from = open_in(w);

    imagein_begin(w->in, WINDOW, grant, w);
    close(from);
    imagein_take(w->in, "abc", 3, false);
    wait_a_moment(w);
    imagein_take(w->in, "def", 3, true);
    wait_a_moment(w);
    assert_int_equal(w->granted, WINDOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_congested, begin, end),
        cmocka_unit_test_setup_teardown(test_passed, begin, end),
        cmocka_unit_test_setup_teardown(test_no_credit, begin, end),
        cmocka_unit_test_setup_teardown(test_whole, begin, end),
        cmocka_unit_test_setup_teardown(test_cut, begin, end),
        cmocka_unit_test_setup_teardown(test_reader_gone, begin, end),
    };

    signal(SIGPIPE, SIG_IGN);   /* as the slave does */
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
