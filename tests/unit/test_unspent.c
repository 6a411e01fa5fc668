/* test_unspent.c - what is left of an allocation of Slurm or PBS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "redirector/frontend/unspent.h"

static uint64_t left_s(const struct unspent_facts *f)
{
    uint64_t end_s = unspent_end_s(f);

    return end_s > f->now_s ? end_s - f->now_s : 0;
}

static void test_left(void **state)
{
    static const struct {
        struct unspent_facts f;
        uint64_t left;
    } rows[] = {
        { { .now_s = 1000, .script_age_s = 10 }, 0 },
        { { .end = "4600", .now_s = 1000 }, 3600 },
        { { .end = "900", .now_s = 1000 }, 0 },
        { { .end = "soon", .now_s = 1000 }, 0 },
        { { .length = "7200", .now_s = 1000, .script_age_s = 600 }, 6600 },
        { { .length = "500", .now_s = 1000, .script_age_s = 600 }, 0 },
        { { .length = "7200", .now_s = 1000, .script_age_s = 1600 }, 0 },
        { { .end = "", .length = "7200", .now_s = 1000, .script_age_s = 600 },
          6600 },
        { { .end = "99999999999", .now_s = 1000 }, 0 },
        { { .asked_s = 4600, .now_s = 1000 }, 3600 },
        { { .asked_s = 4600, .end = "1600", .now_s = 1000 }, 600 },
        { { .asked_s = 900, .now_s = 1000 }, 0 },
        { { .asked_s = UINT64_MAX, .now_s = 1000 }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(left_s(&rows[i].f), rows[i].left);
}

static void test_begin(void **state)
{
    static const struct {
        struct unspent_facts f;
        uint64_t begin;
    } rows[] = {
        { { .end = "4600", .now_s = 1000, .script_age_s = 10 }, 0 },
        { { .begin = "400", .now_s = 1000 }, 400 },
        { { .begin = "1001", .now_s = 1000 }, 0 },
        { { .begun_s = 300, .now_s = 1000 }, 300 },
        { { .begin = "then", .begun_s = 300, .now_s = 1000 }, 300 },
        { { .length = "7200", .now_s = 1000, .script_age_s = 600 }, 400 },
        { { .length = "7200", .now_s = 1000 }, 1000 },
        { { .length = "7200", .now_s = 1000, .script_age_s = 1600 }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(unspent_begin_s(&rows[i].f), rows[i].begin);
}

static void test_text(void **state)
{
    Hct__JobEnded m = HCT__JOB_ENDED__INIT;
    char buf[200];

    (void)state;
    m.left_ns = 7980 * 1000000000ull;
    m.left_percent = 33.14;
    m.node_hours = 8.87;
    m.core_hours = 141.87;
    unspent_text(buf, sizeof(buf), &m);
    assert_string_equal(buf, "2h13m of the allocation are left, 33.1 %: 8.9 node "
                        "hours and 141.9 core hours are saved, if it ends now");
    m.left_percent = 0;
    unspent_text(buf, sizeof(buf), &m);
    assert_string_equal(buf, "2h13m of the allocation are left: 8.9 node hours and "
                        "141.9 core hours are saved, if it ends now");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_text),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
