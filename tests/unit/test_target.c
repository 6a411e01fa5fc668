/* test_target.c - JOB and JOB.RANKS, and the condition made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "master/hector/core/target.h"
#include "master/store/query_private.h"

static void test_good(void **state)
{
    static const struct { const char *text, *where; } v[] = {
        { "7", " WHERE job = 7" },
        { "7.all", " WHERE job = 7" },
        { "12.0", " WHERE job = 12 AND (rank BETWEEN 0 AND 0)" },
        { "12.0-3,9", " WHERE job = 12 AND (rank BETWEEN 0 AND 3"
                      " OR rank BETWEEN 9 AND 9)" },
        { "1.[2,1]", " WHERE job = 1 AND (rank BETWEEN 1 AND 2)" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct target t;
        struct query_which which;
        struct str sql = { 0 };

        assert_int_equal(target_parse(&t, v[i].text, NULL), 0);
        which = target_which(&t);
        query_add_where(&sql, &which);
        assert_string_equal(str_text(&sql), v[i].where);
        str_fini(&sql);
        target_fini(&t);
    }
}

static void test_bad(void **state)
{
    static const char *const v[] = {
        "", ".", "0", "-1", "x", "7.", "7.x", "7.3-1", "7.0-3,", "7 ",
        "99999999999999999999", "123456789012345678901234567890",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct target t;
        struct err err = { 0 };

        if (target_parse(&t, v[i], &err) != -1)
            fail_msg("'%s' was taken", v[i]);
        assert_true(err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
