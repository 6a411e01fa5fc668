/* test_array.c - room in an array that grows. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/array.h"

struct wide { char bytes[100]; };

/* One by one: what is there stays, and it is moved a few times, not each. */
static void test_one_more(void **state)
{
    uint32_t *v = NULL;
    size_t n = 0, cap = 0, moves = 0;

    (void)state;
    while (n < 100000) {
        size_t before = cap;

        assert_int_equal(array_reserve(&v, &cap, n + 1), 0);
        assert_true(cap > n);
        if (cap != before)
            moves++;
        v[n] = (uint32_t)n * 7;
        n++;
    }
    assert_true(moves <= 14);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(v[i], i * 7);
    free(v);
}

static void test_many(void **state)
{
    struct wide *v = NULL, *at;
    size_t cap = 0;

    (void)state;
    assert_int_equal(array_reserve(&v, &cap, 0), 0);
    assert_null(v);
    assert_int_equal(array_reserve(&v, &cap, 1), 0);
    assert_int_equal(cap, 1);           /* larger than what is first made */
    assert_int_equal(array_reserve(&v, &cap, 1000), 0);
    assert_int_equal(cap, 1000);
    at = v;
    assert_int_equal(array_reserve(&v, &cap, 1000), 0);
    assert_ptr_equal(v, at);
    assert_int_equal(array_reserve(&v, &cap, 1001), 0);
    assert_int_equal(cap, 2000);
    free(v);
}

static void test_zeros(void **state)
{
    uint16_t *v = NULL;
    size_t cap = 0;

    (void)state;
    assert_int_equal(array_reserve_zeros(&v, &cap, 5), 0);
    for (size_t i = 0; i < cap; i++)
        assert_int_equal(v[i], 0);
    memset(v, 0xff, cap * sizeof(*v));
    size_t before = cap;

    assert_int_equal(array_reserve_zeros(&v, &cap, 3 * cap), 0);
    for (size_t i = 0; i < cap; i++)
        assert_int_equal(v[i], i < before ? 0xffff : 0);
    free(v);
}

/* Sizes that wrap around, and those that no machine has. */
static void test_too_many(void **state)
{
    static const size_t too_many[] = { SIZE_MAX, SIZE_MAX / 100 + 1,
                                       SIZE_MAX / 100, PTRDIFF_MAX / 100 + 1 };
    struct wide *v = NULL, *at;
    size_t cap = 0;

    (void)state;
    assert_int_equal(array_reserve(&v, &cap, 3), 0);
    memset(v, 'x', 3 * sizeof(*v));
    at = v;
    for (size_t i = 0; i < sizeof(too_many) / sizeof(*too_many); i++) {
        errno = 0;
        assert_int_equal(array_reserve(&v, &cap, too_many[i]), -1);
        assert_int_equal(errno, ENOMEM);
        assert_ptr_equal(v, at);
        assert_int_equal(cap, 3);
    }
    assert_int_equal(v[2].bytes[99], 'x');
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_more),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_too_many),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
