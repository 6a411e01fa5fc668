/* test_streams.c - what tasks write, from their pipes to the redirector's links:
 * both ends are the real ones. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "proto/base/str.h"
#include "redirector/link/links.h"
#include "slave/streams/streams.h"

enum { NTASKS = 4, JOB = 7 };
static const Hct__Stream OUT = HCT__STREAM__STREAM_STDOUT,
                         ERR = HCT__STREAM__STREAM_STDERR;

struct world {
    struct event_base *base;
    struct links *links;
    struct str log;             /* what the redirector shows */
    bool ready;
};

static void on_output(void *arg, uint32_t rank, int stream, const void *p,
                      size_t n, uint64_t at_ns)
{
    (void)at_ns;
    str_addf(&((struct world *)arg)->log, "%u/%d:%.*s ", rank, stream, (int)n,
             (const char *)p);
}

static void on_output_end(void *arg, uint32_t rank, int stream)
{
    str_addf(&((struct world *)arg)->log, "%u/%d:END ", rank, stream);
}

static void on_join(void *arg, const char *name)
{
    (void)arg, (void)name;
}

static void on_leave(void *arg, const char *name, const char *why)
{
    (void)name;
    str_add(&((struct world *)arg)->log, why ? "TORN " : "");
}

static void on_again(void *arg)
{
    str_add(&((struct world *)arg)->log, "AGAIN ");
}

static void on_missed(void *arg, uint32_t rank, uint64_t bytes)
{
    str_addf(&((struct world *)arg)->log, "%u:MISSED%u ", rank, (unsigned)bytes);
}

static void on_moved(void *arg)
{
    (void)arg;
}

static void on_ready(void *arg, const struct err *why)
{
    if (why)
        fail_msg("%s", why->text);
    ((struct world *)arg)->ready = true;
}

static const struct streams_ops ops = { .ready = on_ready, .lost = on_moved,
                                        .moved = on_moved };

static void turn(struct world *w)
{
    for (int i = 0; i < 60; i++) {
        event_base_loop(w->base, EVLOOP_NONBLOCK);
        usleep(200);
    }
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct links_conf conf = {
        .dir = "", .ntasks = NTASKS, .on_output = on_output,
        .on_output_end = on_output_end, .on_join = on_join,
        .on_leave = on_leave, .on_again = on_again, .on_missed = on_missed,
        .on_credit = on_moved, .repeats = true, .arg = w
    };

    assert_int_equal(sodium_init() < 0, 0);
    w->base = event_base_new();
    w->links = links_open(w->base, &conf, NULL);
    assert_non_null(w->links);
    links_set_job(w->links, JOB);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    links_close(w->links);
    event_base_free(w->base);
    str_fini(&w->log);
    free(w);
    return 0;
}

/* A slave's, of this attempt; nobody wants to see them if alone. */
static struct streams *open_streams(struct world *w, struct plan *plan,
                                    uint32_t attempt, bool alone)
{
    static const struct conn_conf conf = { .key = NULL };
    struct links_where where = links_where(w->links);
    struct streams *s;

    *plan = (struct plan){ .job = JOB, .attempt = attempt,
                           .cookie_bytes = LINKS_COOKIE };
    memcpy(plan->cookie, where.cookie, LINKS_COOKIE);
    plan->stream_addresses = (char *)(alone ? "" : where.addresses[0]);
    w->ready = false;
    s = streams_open(w->base, plan, &conf, "n1", 1, &ops, w, NULL);
    assert_non_null(s);
    turn(w);
    assert_true(w->ready);
    return s;
}

/* Returns the task's end. */
static int watch(struct streams *s, uint32_t rank, Hct__Stream stream)
{
    int fds[2];

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    assert_int_equal(streams_watch(s, rank, stream, fds[0], NULL), 0);
    return fds[1];
}

static void print(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* By stream and rank, what waits in the pipe too, and after it is closed. */
static void test_count(void **state)
{
    struct world *w = *state;
    struct plan plan;
    struct streams *s = open_streams(w, &plan, 0, true);
    int out = watch(s, 1, OUT), err = watch(s, 1, ERR);

    assert_int_equal(streams_written(s, 0, OUT), 0);
    print(out, "abc");
    print(err, "de");
    assert_int_equal(streams_written(s, 1, OUT), 3);
    turn(w);
    assert_int_equal(streams_written(s, 1, OUT), 3);
    print(out, "f");
    assert_int_equal(streams_written(s, 1, OUT), 4);
    assert_int_equal(streams_written(s, 1, ERR), 2);
    close(out);
    turn(w);
    assert_int_equal(streams_written(s, 1, OUT), 4);
    assert_int_equal(streams_written(s, 0, OUT), 0);
    assert_int_equal(streams_begin_at(s, 1, OUT, 100), 0);
    assert_int_equal(streams_begin_at(s, 3, ERR, 7), 0);
    assert_int_equal(streams_written(s, 1, OUT), 100);
    assert_int_equal(streams_written(s, 3, ERR), 7);
    close(err);
    streams_close(s, NULL);
}

/* A task that goes on elsewhere, and one that goes back: each byte is shown once,
 * and so is what we say among them. */
static void test_moves_and_goes_back(void **state)
{
    struct world *w = *state;
    struct plan plan[3];
    struct streams *here = open_streams(w, &plan[0], 0, false), *there, *again;
    int out = watch(here, 0, OUT), fd;

    print(out, "abc");
    turn(w);
    streams_say(here, 0, ERR, "ours", 4);
    streams_move(here, 0, STREAMS_MOVED);
    close(out);
    turn(w);
    there = open_streams(w, &plan[1], 0, false);
    fd = watch(there, 0, OUT);
    streams_begin_at(there, 0, OUT, streams_written(here, 0, OUT));
    print(fd, "def");
    turn(w);
    streams_say(there, 0, ERR, "ours", 4);
    turn(w);
    assert_string_equal(str_text(&w->log),
                        "0/1:abc 0/2:ours 0/1:def 0/2:ours ");
    str_reset(&w->log);
    again = open_streams(w, &plan[2], 1, false);
    close(fd);
    streams_close(there, NULL);
    turn(w);
    fd = watch(again, 0, OUT);
    streams_begin_at(again, 0, OUT, 4);         /* of the checkpoint */
    print(fd, "efgh");
    turn(w);
    close(fd);
    turn(w);
    assert_string_equal(str_text(&w->log), "AGAIN 0/1:gh 0/1:END ");
    streams_close(here, NULL);
    streams_close(again, NULL);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_count), TEST(test_moves_and_goes_back),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
