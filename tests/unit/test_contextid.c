/* test_contextid.c - all nodes get the same ID and all endpoints, in the same order;
 * no two groups get the same; what is cut off is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "slave/pmix/contextid.h"

/* The ID of a group of these nodes, each with its own serial. */
static uint64_t id_of(const uint32_t nodes[], const uint32_t serials[], size_t n)
{
    struct str all = { 0 }, endpoints = { 0 };
    struct err err;
    uint64_t id;

    for (size_t i = 0; i < n; i++)
        contextid_pack(&all, nodes[i], serials[i], "", 0);
    assert_int_equal(contextid_unpack(all.s, all.n, &id, &endpoints, &err), 0);
    assert_int_equal(endpoints.n, 0);
    str_fini(&all);
    str_fini(&endpoints);
    return id;
}

static void test_unique(void **state)
{
    uint64_t ids[5] = {
        id_of((uint32_t[]){ 0 }, (uint32_t[]){ 1 }, 1),
        id_of((uint32_t[]){ 0, 1 }, (uint32_t[]){ 2, 1 }, 2),
        id_of((uint32_t[]){ 1 }, (uint32_t[]){ 2 }, 1),
        id_of((uint32_t[]){ 1, 4 }, (uint32_t[]){ 3, 3 }, 2),
        id_of((uint32_t[]){ UINT32_MAX - 1 }, (uint32_t[]){ 3 }, 1),
    };

    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            assert_true(ids[i] && ids[i] != ids[k]);
}

static void test_endpoints(void **state)
{
    struct str all = { 0 }, endpoints = { 0 };
    struct err err;
    uint64_t id;
    int good = 0;

    (void)state;
    contextid_pack(&all, 0, 7, "one", 3);
    contextid_pack(&all, 2, 1, "", 0);
    contextid_pack(&all, 3, 9, "three", 5);
    assert_int_equal(contextid_unpack(all.s, all.n, &id, &endpoints, &err), 0);
    assert_string_equal(str_text(&endpoints), "onethree");
    /* Whatever is cut off at a node's end is whole, all else is refused. */
    for (size_t n = 0; n < all.n; n++) {
        str_reset(&endpoints);
        if (contextid_unpack(all.s, n, &id, &endpoints, &err) == 0)
            good++;
        else
            assert_int_equal(err.code, EPROTO);
    }
    assert_int_equal(good, 2);
    str_fini(&all);
    str_fini(&endpoints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique), cmocka_unit_test(test_endpoints),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
