/* test_callclass.c - what kind of call each MPI function is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/callclass.h"
#include "mpi-wrappers/table/calls.h"

static const struct hct_call *of(const char *name)
{
    uint32_t n;
    const struct hct_call *t = callclass_table(&n);
    unsigned i = call_find(name);

    assert_true(i > 0 && i < n);
    assert_string_equal(t[i].name, name);
    return &t[i];
}

static void classes(void **state)
{
    enum { B = HCT_CALL_BLOCKING, R = HCT_CALL_REQUEST,
           ALL = HCT_CALL_ALL };
    static const struct { const char *name; unsigned class_, flags; } v[] = {
        { "MPI_Send", HCT_CLASS_SEND, B },
        { "MPI_Ssend", HCT_CLASS_SEND, B | HCT_CALL_SYNC },
        { "MPI_Bsend", HCT_CLASS_SEND, HCT_CALL_BUFFERED },
        { "MPI_Isend", HCT_CLASS_SEND, R },
        { "MPI_Issend", HCT_CLASS_SEND, R | HCT_CALL_SYNC },
        { "MPI_Ssend_init", HCT_CLASS_SEND,
          R | HCT_CALL_PERSISTENT | HCT_CALL_SYNC },
        { "MPI_Recv_init", HCT_CLASS_RECV, R | HCT_CALL_PERSISTENT },
        { "MPI_Sendrecv_replace", HCT_CLASS_SENDRECV, B },
        { "MPI_Wait", HCT_CLASS_WAIT, B | ALL },
        { "MPI_Waitall", HCT_CLASS_WAIT, B | ALL },
        { "MPI_Waitany", HCT_CLASS_WAIT, B },
        { "MPI_Waitsome", HCT_CLASS_WAIT, B },
        { "MPI_Test", HCT_CLASS_TEST, HCT_CALL_POLL | ALL },
        { "MPI_Testall", HCT_CLASS_TEST, HCT_CALL_POLL | ALL },
        { "MPI_Testany", HCT_CLASS_TEST, HCT_CALL_POLL },
        { "MPI_Testsome", HCT_CLASS_TEST, HCT_CALL_POLL },
        { "MPI_Request_get_status_some", HCT_CLASS_TEST, HCT_CALL_POLL },
        { "MPI_Test_cancelled", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Iprobe", HCT_CLASS_PROBE, HCT_CALL_POLL },
        { "MPI_Mprobe", HCT_CLASS_PROBE, B },
        { "MPI_Bcast", HCT_CLASS_COLLECTIVE,
          B | HCT_CALL_ROOTED | HCT_CALL_FROM_ROOT },
        { "MPI_Gatherv", HCT_CLASS_COLLECTIVE, B | HCT_CALL_ROOTED },
        { "MPI_Allreduce", HCT_CLASS_COLLECTIVE, B | ALL },
        { "MPI_Alltoallv", HCT_CLASS_COLLECTIVE, B },
        { "MPI_Allgatherv", HCT_CLASS_COLLECTIVE, B },
        { "MPI_Ibarrier", HCT_CLASS_COLLECTIVE, R | ALL },
        { "MPI_Ialltoallw", HCT_CLASS_COLLECTIVE, R },
        { "MPI_Comm_split", HCT_CLASS_COLLECTIVE, B | ALL },
        { "MPI_Comm_split_type", HCT_CLASS_COLLECTIVE, B | ALL },
        { "MPI_Intercomm_create", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
        { "MPI_Win_fence", HCT_CLASS_COLLECTIVE, B },
        { "MPI_Win_lock_all", HCT_CLASS_RMA, B },
        { "MPI_Win_get_name", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_File_read_all", HCT_CLASS_COLLECTIVE, B },
        { "MPI_File_read_all_begin", HCT_CLASS_COLLECTIVE, B },
        { "MPI_File_iread_at_all", HCT_CLASS_IO, R },
        { "MPI_File_write_at", HCT_CLASS_IO, B },
        { "MPI_Isendrecv_replace", HCT_CLASS_SENDRECV, R },
        { "MPI_Barrier_init", HCT_CLASS_COLLECTIVE, R | HCT_CALL_PERSISTENT },
        { "MPI_Neighbor_alltoallw_init", HCT_CLASS_COLLECTIVE,
          R | HCT_CALL_PERSISTENT },
        { "MPI_Scatterv_init", HCT_CLASS_COLLECTIVE, R | HCT_CALL_PERSISTENT |
          HCT_CALL_ROOTED | HCT_CALL_FROM_ROOT },
        { "MPI_Reduce_scatter_init", HCT_CLASS_COLLECTIVE,
          R | HCT_CALL_PERSISTENT },
        { "MPI_Psend_init", HCT_CLASS_OTHER, R | HCT_CALL_PERSISTENT },
        { "MPI_Parrived", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Comm_idup_with_info", HCT_CLASS_COLLECTIVE, R | ALL },
        { "MPI_Comm_create", HCT_CLASS_COLLECTIVE, B | ALL },
        { "MPI_Comm_create_group", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
        { "MPI_Comm_create_from_group", HCT_CLASS_COLLECTIVE,
          B | HCT_CALL_PART },
        { "MPI_Intercomm_create_from_groups", HCT_CLASS_COLLECTIVE,
          B | HCT_CALL_PART },
        { "MPI_Comm_create_errhandler", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Init_thread", HCT_CLASS_INIT, B },
        { "MPI_Session_init", HCT_CLASS_INIT, B },
        { "MPI_Finalize", HCT_CLASS_FINALIZE, B },
        { "MPI_Session_finalize", HCT_CLASS_FINALIZE, B },
        { "MPI_Comm_rank", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Wtime", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Buffer_attach", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Buffer_detach", HCT_CLASS_OTHER, B },
        { "MPI_Comm_detach_buffer", HCT_CLASS_OTHER, B },
        { "MPI_Buffer_flush", HCT_CLASS_OTHER, B },
        { "MPI_Session_iflush_buffer", HCT_CLASS_OTHER, R },
        { "MPI_Win_flush_all", HCT_CLASS_RMA, B },
        { "MPI_Win_detach", HCT_CLASS_OTHER, HCT_CALL_POLL },
        { "MPI_Pcontrol", HCT_CLASS_OTHER, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        if (of(v[i].name)->class_ != v[i].class_ ||
            of(v[i].name)->flags != v[i].flags)
            fail_msg("%s: class %d, flags %d", v[i].name,
                     of(v[i].name)->class_, of(v[i].name)->flags);
    }
}

static void outside(void **state)
{
    uint32_t n;
    const struct hct_call *t = callclass_table(&n);

    (void)state;
    assert_int_equal(t[0].class_, HCT_CLASS_NONE);
    assert_string_equal(t[0].name, "");
    for (uint32_t i = 1; i < n; i++) {
        assert_true(strlen(t[i].name) + 1 < sizeof(t[i].name));
        assert_true(t[i].class_ != HCT_CLASS_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes),
        cmocka_unit_test(outside),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
