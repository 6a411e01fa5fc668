/* test_idtable.c - from hashes to numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/idtable.h"

/* How often id is found under this hash; *others: how many more there are. */
static size_t times(const struct idtable *t, uint64_t hash, uint32_t id,
                    size_t *others)
{
    size_t i = idtable_first(t, hash), n = 0;
    uint32_t is;

    *others = 0;
    for (; (is = idtable_at(t, hash, &i)) != IDTABLE_NONE; i++) {
        n += is == id;
        *others += is != id;
    }
    return n;
}

static void test_many(void **state)
{
    enum { MANY = 50000 };
    struct idtable t = { 0 };
    size_t others, strangers = 0;

    (void)state;
    assert_int_equal(times(&t, 7, 0, &others), 0);
    for (uint32_t id = 0; id < MANY; id++)
        assert_int_equal(idtable_add(&t, idtable_mix(1, id), id), 0);
    for (uint32_t id = 0; id < MANY; id++) {
        assert_int_equal(times(&t, idtable_mix(1, id), id, &others), 1);
        strangers += others;
    }
    assert_true(strangers < 10);        /* 32 bits are compared */
    assert_true(t.cap >= 2 * MANY && t.cap <= 4 * MANY);
    idtable_fini(&t);
    assert_int_equal(t.n, 0);
}

/* All with one hash are found, also when the table has grown since. */
static void test_same_hash(void **state)
{
    struct idtable t = { 0 };
    size_t others;

    (void)state;
    for (uint32_t id = 0; id < 200; id++)
        assert_int_equal(idtable_add(&t, UINT64_MAX, id), 0);
    for (uint32_t id = 0; id < 200; id++) {
        assert_int_equal(times(&t, UINT64_MAX, id, &others), 1);
        assert_int_equal(others, 199);
    }
    assert_int_equal(times(&t, 0, 5, &others), 0);
    assert_int_equal(others, 0);
    idtable_fini(&t);
}

static void test_reset(void **state)
{
    struct idtable t = { 0 };
    size_t others, cap;

    (void)state;
    idtable_reset(&t);
    for (uint32_t id = 0; id < 100; id++)
        assert_int_equal(idtable_add(&t, idtable_mix(id, id), id), 0);
    cap = t.cap;
    idtable_reset(&t);
    assert_int_equal(t.cap, cap);
    for (uint32_t id = 0; id < 100; id++)
        assert_int_equal(times(&t, idtable_mix(id, id), id, &others), 0);
    assert_int_equal(idtable_add(&t, 0, 3), 0);
    assert_int_equal(times(&t, 0, 3, &others), 1);
    idtable_fini(&t);
}

/* Each byte counts, and how many there are; where they are does not. */
static void test_hash(void **state)
{
    char text[40] = "", moved[48];

    (void)state;
    for (size_t n = 1; n < sizeof(text); n++) {
        memset(text, 'a', n);
        memcpy(moved + n % 8, text, n);
        assert_true(idtable_hash(text, n) == idtable_hash(moved + n % 8, n));
        assert_true(idtable_hash(text, n) != idtable_hash(text, n - 1));
        for (size_t i = 0; i < n; i++) {
            uint64_t before = idtable_hash(text, n);

            text[i]++;
            assert_true(idtable_hash(text, n) != before);
            text[i]--;
        }
    }
    assert_true(idtable_hash(NULL, 0) == idtable_hash("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_same_hash),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_hash),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
