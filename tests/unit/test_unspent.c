/* test_unspent.c - what is left of an allocation of Slurm or PBS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "redirector/frontend/unspent.h"

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
        assert_int_equal(unspent_left_s(&rows[i].f), rows[i].left);
}

static void test_text(void **state)
{
    struct unspent_facts f = { .end = "8980", .tasks = "64",
                             .now_s = 1000 };
    char buf[200];

    (void)state;
    unspent_text(buf, sizeof(buf), &f);
    assert_string_equal(buf, "2h13m of the allocation are left, 141.9 core "
                        "hours of its 64 tasks");
    f.tasks = NULL;
    unspent_text(buf, sizeof(buf), &f);
    assert_string_equal(buf, "2h13m of the allocation are left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_text),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
