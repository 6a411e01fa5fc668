/* test_mpiname.c - which functions on a stack belong to MPI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/tree/mpiname.h"

static void test_names(void **state)
{
    (void)state;
    assert_true(mpiname_is("PMPI_Waitall", "ring"));
    assert_true(mpiname_is("mpi_send", "ring"));
    assert_true(mpiname_is("f", "libopen-pal.so.40"));
    assert_true(mpiname_is("f", "libmpi.so.40"));
    assert_true(mpiname_is("f", "mca_pml_ob1.so"));
    assert_true(mpiname_is("ompi_mpi_finalize", NULL));
    assert_true(mpiname_is("ompi_mpi_finalize", ""));
    assert_false(mpiname_is("main", "ring"));
    assert_false(mpiname_is("compile", "libmpiface.so"));
    assert_false(mpiname_is("my_mpi_send", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
