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
        { { NULL, NULL, NULL, 1000, 10 }, 0 },
        { { "4600", NULL, NULL, 1000, 0 }, 3600 },
        { { "900", NULL, NULL, 1000, 0 }, 0 },
        { { "soon", NULL, NULL, 1000, 0 }, 0 },
        { { NULL, "7200", NULL, 1000, 600 }, 6600 },
        { { NULL, "500", NULL, 1000, 600 }, 0 },
        { { "", "7200", NULL, 1000, 600 }, 6600 },
        { { "99999999999", NULL, NULL, 1000, 0 }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(unspent_left_s(&rows[i].f), rows[i].left);
}

static void test_text(void **state)
{
    struct unspent_facts f = { .slurm_end = "8980", .tasks = "64",
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
