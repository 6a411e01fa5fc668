/* test_stance.c - how a task stands, read from a page that anything may be written
 * to; and orders stored in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/page/stance.h"

static char *page;
static struct page_stop *stop;
static struct stance s;

static int set_up(void **state)
{
    size_t bytes = page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);

    (void)state;
    page = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    memset(page, 0, bytes);
    stop = (struct page_stop *)(page + page_stop_at(PAGE_SLOTS, PAGE_CALLS,
                                                    PAGE_RING_BYTES));
    return page ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(page);
    return 0;
}

static void test_read(void **state)
{
    (void)state;
    stop->where = PAGE_AT_HELD;
    stop->gate = 2;
    stop->comms = 3;
    stop->comm[0].id = 11;
    stop->comm[2].id = 13;      /* the one between is free */
    stop->comm[2].entered = 5;
    stop->peer = 3;
    stop->signal = 60;
    strcpy(stop->why, "it has\na window");
    stance_read(page, 4, &s);
    assert_int_equal(s.where, PAGE_AT_HELD);
    assert_int_equal(s.ncomms, 2);
    assert_int_equal(s.gate, 1);
    assert_int_equal(s.comms[1].entered, 5);
    assert_int_equal(s.peer, 3);
    assert_string_equal(s.why, "it has a window");
}

/* Several threads: who says most, and the sums; still is for all of them. */
static void test_many(void **state)
{
    (void)state;
    stop->many = 1;
    stop->others = 2;
    stop->where = PAGE_AT_WAITING;
    stop->peer = 1;
    stop->sent = 3;
    stop->other[0].where = PAGE_AT_USER;
    stop->other[0].sent = 4;
    stop->other[1].where = PAGE_AT_HELD;
    stop->other[1].gate = 1;
    stop->other[1].received = 5;
    stop->other[2].sent = 100;          /* not in use */
    stop->comms = 2;
    stop->comm[0].id = 11;
    stop->comm[1].id = 12;
    stance_read(page, 4, &s);
    assert_int_equal(s.where, PAGE_AT_HELD);
    assert_int_equal(s.gate, 1);
    assert_int_equal(s.sent, 7);
    assert_int_equal(s.received, 5);
    stop->other[1].where = PAGE_AT_FROZEN;
    stance_read(page, 4, &s);
    assert_int_equal(s.where, PAGE_AT_WAITING);
    assert_int_equal(s.peer, 1);
    stop->where = PAGE_AT_USER;
    stance_read(page, 4, &s);
    assert_int_equal(s.where, PAGE_AT_LIBRARY);
    stop->still = 1;
    stance_read(page, 4, &s);
    assert_int_equal(s.where, PAGE_AT_FROZEN);
    stop->many = 0;
    stop->others = UINT32_MAX;
    stance_read(page, 4, &s);
    assert_int_equal(s.sent, 107);
}

static void test_nonsense(void **state)
{
    (void)state;
    memset(stop, 0xff, sizeof(*stop));
    stance_read(page, 4, &s);
    assert_true(s.where <= PAGE_AT_GONE);
    assert_true(s.swap <= PAGE_SWAP_FAILED);
    assert_int_equal(s.peer, PAGE_NONE);
    assert_int_equal(s.ncomms, PAGE_STOP_COMMS);
    assert_true(s.gate <= s.ncomms);
    assert_int_equal(strlen(s.why), sizeof(s.why) - 1);
    stance_raise(page, &(struct stance_raise){ UINT64_MAX, 1 }, 1);
    assert_false(stance_interrupt(page, getpid()));
}

static void test_random(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 200; i++) {
        for (size_t k = 0; k < offsetof(struct page_stop, comm); k++)
            ((unsigned char *)stop)[k] = (unsigned char)rand();
        stance_read(page, 4, &s);
        assert_true(s.where <= PAGE_AT_GONE && s.swap <= PAGE_SWAP_FAILED);
        assert_true(s.peer >= PAGE_ANY && s.peer < 4);
        assert_true(s.ncomms <= PAGE_STOP_COMMS && s.gate <= s.ncomms);
    }
}

static void test_orders(void **state)
{
    const struct stance_raise up = { 11, 9 }, less = { 11, 4 };

    (void)state;
    stop->comms = 1;
    stop->comm[0].id = 11;
    stance_raise(page, &up, 1);
    stance_raise(page, &less, 1);
    assert_int_equal(stop->comm[0].target, 9);
    stance_order(page, PAGE_STOP_FREEZE, 3, 17);
    assert_int_equal(stop->word, PAGE_STOP_FREEZE);
    assert_int_equal(stop->wanted, 0);
    assert_int_equal(stop->order, 17);
    stance_order(page, PAGE_STOP_SWAP, 3, 18);
    assert_int_equal(stop->wanted, 3);
    assert_true(stance_ordered(page, PAGE_STOP_SWAP, 3));
    assert_false(stance_ordered(page, PAGE_STOP_SWAP, 4));
    stop->word = PAGE_STOP_RUN;         /* the task has written there */
    assert_false(stance_ordered(page, PAGE_STOP_SWAP, 3));
}

static void test_same(void **state)
{
    struct stance before;

    (void)state;
    stop->comms = 1;
    stop->comm[0].id = 11;
    stance_read(page, 4, &before);
    stop->calls = 7;
    stance_read(page, 4, &s);
    assert_true(stance_same(&before, &s));
    stop->comm[0].entered = 1;
    stance_read(page, 4, &s);
    assert_false(stance_same(&before, &s));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read), TEST(test_many), TEST(test_nonsense), TEST(test_random),
        TEST(test_orders), TEST(test_same),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("stance", tests, NULL, NULL);
}
