/* test_fence.c - fences: complete, joined in order, broken, nonsense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "master/state/fence.h"

static struct fence_set set;
static struct err err;

/* Node brings data to the fence sig of job, in which nodes take part. */
static int arrive(uint64_t job, uint32_t node, const char *sig,
                  const char *data, const uint32_t *nodes, size_t nnodes,
                  struct fence **done)
{
    struct fence_arrival a = {
        .job = job, .node = node,
        .signature = (const uint8_t *)sig, .signature_bytes = strlen(sig),
        .data = (const uint8_t *)data, .data_bytes = strlen(data),
        .nodes = nodes, .nnodes = nnodes,
    };

    return fence_arrive(&set, &a, done, &err);
}

static void expect(struct fence *f, const char *data)
{
    size_t n;
    uint8_t *all;

    assert_non_null(f);
    assert_false(f->broken);
    all = fence_join(f, &n);
    assert_int_equal(n, strlen(data));
    assert_memory_equal(all, data, n);
    free(all);
    fence_destroy(f);
}

static const uint32_t two[] = { 0, 3 }, three[] = { 0, 1, 2 };

static void test_join(void **state)
{
    struct fence *f;

    (void)state;
    assert_int_equal(arrive(1, 2, "s", "cc", three, 3, &f), 0);
    assert_null(f);
    assert_int_equal(arrive(1, 0, "s", "a", three, 3, &f), 0);
    assert_null(f);
    assert_int_equal(arrive(1, 1, "s", "", three, 3, &f), 0);
    expect(f, "acc");
    /* The same participants again: a new fence. */
    assert_int_equal(arrive(1, 0, "s", "x", three, 3, &f), 0);
    assert_null(f);
    fence_drop_job(&set, 1);
}

static void test_apart(void **state)
{
    struct fence *f;

    (void)state;
    assert_int_equal(arrive(1, 0, "s", "1", two, 2, &f), 0);
    assert_int_equal(arrive(2, 0, "s", "2", two, 2, &f), 0);
    assert_int_equal(arrive(1, 0, "t", "3", two, 2, &f), 0);
    assert_int_equal(arrive(2, 3, "s", "4", two, 2, &f), 0);
    expect(f, "24");
    assert_int_equal(arrive(1, 3, "t", "5", two, 2, &f), 0);
    expect(f, "35");
    assert_int_equal(arrive(1, 3, "s", "6", two, 2, &f), 0);
    expect(f, "16");
}

static void test_nonsense(void **state)
{
    struct fence *f = NULL;

    (void)state;
    assert_int_equal(arrive(1, 1, "s", "", two, 2, &f), -1);
    assert_true(LIST_EMPTY(&set.bucket[0]));
    assert_int_equal(arrive(1, 0, "s", "", two, 0, &f), -1);
    assert_int_equal(arrive(1, 0, "s", "a", two, 2, &f), 0);
    assert_int_equal(arrive(1, 2, "s", "a", three, 3, &f), -1);
    assert_non_null(strstr(err.text, "two sets"));
    /* What was refused has done no harm. */
    assert_int_equal(arrive(1, 3, "s", "b", two, 2, &f), 0);
    expect(f, "ab");
}

/* Who has lost its link contributes again, or asks for what is over. */
static void test_again(void **state)
{
    struct fence *f = NULL;
    struct fence_arrival a = { .job = 1, .signature = (const uint8_t *)"s#0",
                               .signature_bytes = 3 };
    char name[16];

    (void)state;
    assert_int_equal(arrive(1, 0, "s#0", "a", two, 2, &f), 0);
    assert_int_equal(arrive(1, 0, "s#0", "a", two, 2, &f), 0);
    assert_null(f);
    assert_null(fence_kept(&set, &a));
    assert_int_equal(arrive(1, 3, "s#0", "b", two, 2, &f), 0);
    assert_non_null(f);
    fence_keep(&set, f);
    assert_ptr_equal(fence_kept(&set, &a), f);
    for (int i = 1; i <= FENCE_KEPT; i++) {
        snprintf(name, sizeof(name), "s#%d", i);
        arrive(1, 0, name, "a", two, 2, &f);
        arrive(1, 3, name, "b", two, 2, &f);
        assert_non_null(f);
        assert_non_null(fence_kept(&set, &a));  /* the newest few are */
        fence_keep(&set, f);
    }
    assert_null(fence_kept(&set, &a));
    fence_drop_job(&set, 1);
    assert_true(LIST_EMPTY(&set.kept));
}

static void test_broken(void **state)
{
    struct fence *f;

    (void)state;
    arrive(1, 0, "s", "a", three, 3, &f);
    arrive(1, 0, "t", "a", two, 2, &f);
    assert_null(fence_take_broken(&set, 2, 0, true));
    assert_null(fence_take_broken(&set, 1, 0, false));  /* it has arrived */
    f = fence_take_broken(&set, 1, 1, false);
    assert_true(f->broken);
    assert_memory_equal(f->signature, "s", 1);
    fence_destroy(f);
    assert_null(fence_take_broken(&set, 1, 1, true));
    f = fence_take_broken(&set, 1, 0, true);
    assert_memory_equal(f->signature, "t", 1);
    fence_destroy(f);
}

static void test_too_large(void **state)
{
    struct fence *f;

    (void)state;
    set.max_bytes = 5;
    arrive(1, 0, "s", "abc", three, 3, &f);
    assert_null(f);
    arrive(1, 1, "s", "def", three, 3, &f);
    assert_non_null(f);
    assert_true(f->broken);
    fence_destroy(f);
    set.max_bytes = 0;
    arrive(7, 0, "s", "abc", three, 3, &f);
    fence_set_fini(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_too_large),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
