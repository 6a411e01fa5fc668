/* test_calls.c - numbers and names of MPI functions. */
#include "tests/unit/pages.h"

static void there_and_back(void **state)
{
    unsigned n = 0;

    (void)state;
    for (unsigned i = 1; i < CALL_END; i++) {
        assert_memory_equal(call_name(i), "MPI_", 4);
        assert_int_equal(call_find(call_name(i)), i);
        n++;
    }
    assert_true(n >= 386);
}

/* Numbers stand in databases: these must never change. */
static void are_stable(void **state)
{
    (void)state;
    assert_int_equal(call_find("MPI_Abort"), 1);
    assert_int_equal(call_find("MPI_Allreduce"), 12);
    assert_int_equal(call_find("MPI_Init"), CALL_Init);
    assert_int_equal(call_find("MPI_Wtime"), 386);
}

static void unknown(void **state)
{
    (void)state;
    assert_string_equal(call_name(0), "");
    assert_string_equal(call_name(CALL_END), "");
    assert_string_equal(call_name(UINT32_MAX), "");
    assert_int_equal(call_find("MPI_Nothing"), 0);
    assert_int_equal(call_find(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(are_stable),
        cmocka_unit_test(unknown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
