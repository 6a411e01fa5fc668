/* test_peek.c - which stacks are in MPI, and in which function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi-wrappers/table/calls.h"
#include "slave/jobs/peek.h"

static void test_names(void **state)
{
    static const struct {
        const char *function, *module;
        bool is;
        uint32_t call;
    } v[] = {
        { "MPI_Recv", "prog", true, CALL_Recv },
        { "PMPI_Barrier", "libmpi.so.40", true, CALL_Barrier },
        { "mpi_waitall", "libmpi_mpifh.so.40", true, CALL_Waitall },
        { "pmpi_send", "prog", true, CALL_Send },
        { "MPIR_Wait", "prog", true, 0 },
        { "mpi_helper", "prog", true, 0 },      /* as in the paper */
        { "ompi_mpi_finalize", "libmpi.so.40", true, CALL_Finalize },
        { "ompi_request_default_wait", "libmpi.so.40", true, 0 },
        { "opal_progress", "libopen-pal.so.40", true, 0 },
        { "main", "prog", false, 0 },
        { "my_MPI_Recv", "prog", false, 0 },
        { "poll", "libc.so.6", false, 0 },
        { "Mpi", "prog", false, 0 },
        { "", "", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        uint32_t call = 99;

        if (peek_is_mpi(v[i].function, v[i].module, &call) != v[i].is ||
            call != v[i].call)
            fail_msg("%s in %s", v[i].function, v[i].module);
    }
}

static uint32_t frame(struct prefixtree *t, const char *function,
                      const char *module)
{
    struct prefixtree_frame f = {
        .function = prefixtree_name(t, function, strlen(function)),
        .module = prefixtree_name(t, module, strlen(module)) };

    return prefixtree_frame(t, &f);
}

static void test_traces(void **state)
{
    struct prefixtree t;
    uint32_t id[3], call;
    bool in;

    (void)state;
    assert_int_equal(prefixtree_init(&t, 4, 1, NULL), 0);
    id[0] = frame(&t, "main", "prog");
    id[1] = frame(&t, "MPI_Allreduce", "libmpi.so.40");
    id[2] = frame(&t, "PMPI_Recv", "libmpi.so.40");
    assert_int_equal(prefixtree_add(&t, 0, 0, id, 3, NULL), 0);
    id[1] = frame(&t, "work", "prog");
    assert_int_equal(prefixtree_add(&t, 1, 0, id, 2, NULL), 0);
    id[1] = frame(&t, "ompi_x", "libmpi.so.40");
    assert_int_equal(prefixtree_add(&t, 2, 0, id, 2, NULL), 0);
    assert_true(peek_read(&t, 0, &in, &call));
    assert_true(in);
    assert_int_equal(call, CALL_Allreduce);     /* the outermost one */
    assert_true(peek_read(&t, 1, &in, &call));
    assert_false(in);
    assert_true(peek_read(&t, 2, &in, &call));
    assert_true(in);
    assert_int_equal(call, 0);
    assert_false(peek_read(&t, 3, &in, &call)); /* no trace */
    prefixtree_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_traces),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
