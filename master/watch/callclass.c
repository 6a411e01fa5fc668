/* callclass.c - classes of MPI's functions, from their names. */
#include "master/watch/callclass.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "mpi-wrappers/table/calls.h"

#define B HCT_CALL_BLOCKING
#define R HCT_CALL_REQUEST
#define P (HCT_CALL_REQUEST | HCT_CALL_PERSISTENT)
#define ALL (B | HCT_CALL_ALL)
#define ROOT HCT_CALL_ROOTED
#define FROM (HCT_CALL_ROOTED | HCT_CALL_FROM_ROOT)
#define POLL HCT_CALL_POLL

/* The first pattern that fits counts. ALL stands only where no task can come
 * back before all have entered, whatever the amounts: of MPI_Alltoallv, say,
 * some may be zero. What makes a communicator or window has to agree on its
 * identity first. */
static const struct {
    const char *pattern;
    uint16_t class_, flags;
} rules[] = {
    { "Send", HCT_CLASS_SEND, B },
    { "Rsend", HCT_CLASS_SEND, B },
    { "Ssend", HCT_CLASS_SEND, B | HCT_CALL_SYNC },
    { "Bsend", HCT_CLASS_SEND, HCT_CALL_BUFFERED },
    { "Isend", HCT_CLASS_SEND, R },
    { "Irsend", HCT_CLASS_SEND, R },
    { "Issend", HCT_CLASS_SEND, R | HCT_CALL_SYNC },
    { "Ibsend", HCT_CLASS_SEND, R | HCT_CALL_BUFFERED },
    { "Send_init", HCT_CLASS_SEND, P },
    { "Rsend_init", HCT_CLASS_SEND, P },
    { "Ssend_init", HCT_CLASS_SEND, P | HCT_CALL_SYNC },
    { "Bsend_init", HCT_CLASS_SEND, P | HCT_CALL_BUFFERED },
    { "Recv", HCT_CLASS_RECV, B },
    { "Mrecv", HCT_CLASS_RECV, B },
    { "Irecv", HCT_CLASS_RECV, R },
    { "Imrecv", HCT_CLASS_RECV, R },
    { "Recv_init", HCT_CLASS_RECV, P },
    { "Sendrecv*", HCT_CLASS_SENDRECV, B },
    { "Isendrecv*", HCT_CLASS_SENDRECV, R },
    { "P*_init", HCT_CLASS_OTHER, P },  /* in parts: matched with their like */
    { "Pready*", HCT_CLASS_OTHER, 0 },
    { "Probe", HCT_CLASS_PROBE, B },
    { "Mprobe", HCT_CLASS_PROBE, B },
    { "Iprobe", HCT_CLASS_PROBE, POLL },
    { "Improbe", HCT_CLASS_PROBE, POLL },
    { "Wait", HCT_CLASS_WAIT, ALL },
    { "Waitall", HCT_CLASS_WAIT, ALL },
    { "Waitany", HCT_CLASS_WAIT, B },
    { "Waitsome", HCT_CLASS_WAIT, B },
    { "Test", HCT_CLASS_TEST, POLL | HCT_CALL_ALL },
    { "Testall", HCT_CLASS_TEST, POLL | HCT_CALL_ALL },
    { "Testany", HCT_CLASS_TEST, POLL },
    { "Testsome", HCT_CLASS_TEST, POLL },
    { "Request_get_status*", HCT_CLASS_TEST, POLL },

    { "Session_init", HCT_CLASS_INIT, B },
    { "Bcast_init", HCT_CLASS_COLLECTIVE, P | FROM },
    { "Scatter*_init", HCT_CLASS_COLLECTIVE, P | FROM },
    { "Gather*_init", HCT_CLASS_COLLECTIVE, P | ROOT },
    { "Reduce_init", HCT_CLASS_COLLECTIVE, P | ROOT },
    { "*_init", HCT_CLASS_COLLECTIVE, P },
    { "Bcast", HCT_CLASS_COLLECTIVE, B | FROM },
    { "Scatter", HCT_CLASS_COLLECTIVE, B | FROM },
    { "Scatterv", HCT_CLASS_COLLECTIVE, B | FROM },
    { "Gather", HCT_CLASS_COLLECTIVE, B | ROOT },
    { "Gatherv", HCT_CLASS_COLLECTIVE, B | ROOT },
    { "Reduce", HCT_CLASS_COLLECTIVE, B | ROOT },
    { "Barrier", HCT_CLASS_COLLECTIVE, ALL },
    { "Allreduce", HCT_CLASS_COLLECTIVE, ALL },
    { "Allgather", HCT_CLASS_COLLECTIVE, ALL },
    { "Alltoall", HCT_CLASS_COLLECTIVE, ALL },
    { "Reduce_scatter_block", HCT_CLASS_COLLECTIVE, ALL },
    { "All*[vw]", HCT_CLASS_COLLECTIVE, B },
    { "Reduce_scatter", HCT_CLASS_COLLECTIVE, B },
    { "Scan", HCT_CLASS_COLLECTIVE, B },
    { "Exscan", HCT_CLASS_COLLECTIVE, B },
    { "Neighbor_*", HCT_CLASS_COLLECTIVE, B },
    { "Reduce_local", HCT_CLASS_OTHER, POLL },
    { "Ibcast", HCT_CLASS_COLLECTIVE, R | FROM },
    { "Iscatter*", HCT_CLASS_COLLECTIVE, R | FROM },
    { "Igather*", HCT_CLASS_COLLECTIVE, R | ROOT },
    { "Ireduce", HCT_CLASS_COLLECTIVE, R | ROOT },
    { "Ibarrier", HCT_CLASS_COLLECTIVE, R | HCT_CALL_ALL },
    { "Iallreduce", HCT_CLASS_COLLECTIVE, R | HCT_CALL_ALL },
    { "Iallgather", HCT_CLASS_COLLECTIVE, R | HCT_CALL_ALL },
    { "Ialltoall", HCT_CLASS_COLLECTIVE, R | HCT_CALL_ALL },
    { "Iall*[vw]", HCT_CLASS_COLLECTIVE, R },
    { "Ireduce_scatter*", HCT_CLASS_COLLECTIVE, R },
    { "Iscan", HCT_CLASS_COLLECTIVE, R },
    { "Iexscan", HCT_CLASS_COLLECTIVE, R },
    { "Ineighbor_*", HCT_CLASS_COLLECTIVE, R },
    { "Comm_idup*", HCT_CLASS_COLLECTIVE, R | HCT_CALL_ALL },
    { "Comm_dup*", HCT_CLASS_COLLECTIVE, ALL },
    { "Comm_split*", HCT_CLASS_COLLECTIVE, ALL },
    { "Comm_create", HCT_CLASS_COLLECTIVE, ALL },
    { "Comm_create_*group", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
    { "Intercomm_create*", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
    { "Comm_accept", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
    { "Comm_connect", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
    { "Comm_join", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
    { "Comm_spawn*", HCT_CLASS_COLLECTIVE, B | HCT_CALL_PART },
    { "Intercomm_merge", HCT_CLASS_COLLECTIVE, B },
    { "Comm_free", HCT_CLASS_COLLECTIVE, B },
    { "Comm_disconnect", HCT_CLASS_COLLECTIVE, B },
    { "Cart_create", HCT_CLASS_COLLECTIVE, ALL },
    { "Cart_sub", HCT_CLASS_COLLECTIVE, ALL },
    { "Graph_create", HCT_CLASS_COLLECTIVE, ALL },
    { "Dist_graph_create*", HCT_CLASS_COLLECTIVE, ALL },
    { "Win_create", HCT_CLASS_COLLECTIVE, ALL },
    { "Win_allocate*", HCT_CLASS_COLLECTIVE, ALL },
    { "Win_create_dynamic", HCT_CLASS_COLLECTIVE, ALL },
    { "Win_free", HCT_CLASS_COLLECTIVE, ALL },
    { "Win_fence", HCT_CLASS_COLLECTIVE, B },

    { "Win_lock*", HCT_CLASS_RMA, B },
    { "Win_unlock*", HCT_CLASS_RMA, B },
    { "Win_flush*", HCT_CLASS_RMA, B },
    { "Win_start", HCT_CLASS_RMA, B },
    { "Win_complete", HCT_CLASS_RMA, B },
    { "Win_wait", HCT_CLASS_RMA, B },
    { "Win_post", HCT_CLASS_RMA, 0 },
    { "Win_test", HCT_CLASS_RMA, POLL },
    { "Win_sync", HCT_CLASS_RMA, POLL },
    { "Win_*", HCT_CLASS_OTHER, POLL },
    { "Put", HCT_CLASS_RMA, 0 },
    { "Get", HCT_CLASS_RMA, 0 },
    { "Accumulate", HCT_CLASS_RMA, 0 },
    { "Get_accumulate", HCT_CLASS_RMA, 0 },
    { "Fetch_and_op", HCT_CLASS_RMA, 0 },
    { "Compare_and_swap", HCT_CLASS_RMA, 0 },
    { "Rput", HCT_CLASS_RMA, R },
    { "Rget", HCT_CLASS_RMA, R },
    { "Raccumulate", HCT_CLASS_RMA, R },
    { "Rget_accumulate", HCT_CLASS_RMA, R },

    { "File_open", HCT_CLASS_COLLECTIVE, B },
    { "File_close", HCT_CLASS_COLLECTIVE, B },
    { "File_preallocate", HCT_CLASS_COLLECTIVE, B },
    { "File_sync", HCT_CLASS_COLLECTIVE, B },
    { "File_set_view", HCT_CLASS_COLLECTIVE, B },
    { "File_set_size", HCT_CLASS_COLLECTIVE, B },
    { "File_set_atomicity", HCT_CLASS_COLLECTIVE, B },
    { "File_i*", HCT_CLASS_IO, R },
    { "File_*_all", HCT_CLASS_COLLECTIVE, B },
    { "File_*_all_*", HCT_CLASS_COLLECTIVE, B },
    { "File_*_ordered*", HCT_CLASS_COLLECTIVE, B },
    { "File_read*", HCT_CLASS_IO, B },
    { "File_write*", HCT_CLASS_IO, B },
    { "File_delete", HCT_CLASS_IO, B },
    { "File_*", HCT_CLASS_IO, 0 },

    { "Init", HCT_CLASS_INIT, B },
    { "Init_thread", HCT_CLASS_INIT, B },
    { "Finalize", HCT_CLASS_FINALIZE, B },
    { "Session_finalize", HCT_CLASS_FINALIZE, B },
    { "Abort", HCT_CLASS_OTHER, B },
    { "*_iflush*", HCT_CLASS_OTHER, R },
    { "*_flush*", HCT_CLASS_OTHER, B }, /* of buffers: windows are above */
    { "*_detach*", HCT_CLASS_OTHER, B },
    { "Start", HCT_CLASS_OTHER, 0 },
    { "Startall", HCT_CLASS_OTHER, 0 },
    { "Cancel", HCT_CLASS_OTHER, 0 },
    { "Request_free", HCT_CLASS_OTHER, 0 },
    { "Grequest_start", HCT_CLASS_OTHER, R },
    { "Grequest_complete", HCT_CLASS_OTHER, 0 },
    { "Pcontrol", HCT_CLASS_OTHER, 0 },
    { "Publish_name", HCT_CLASS_OTHER, 0 },
    { "Unpublish_name", HCT_CLASS_OTHER, 0 },
    { "*", HCT_CLASS_OTHER, POLL },
};

static void classify(struct hct_call *c, const char *name)
{
    snprintf(c->name, sizeof(c->name), "%s", name);
    if (strncmp(name, "MPI_", 4) != 0)
        return;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (fnmatch(rules[i].pattern, name + 4, 0) == 0) {
            c->class_ = rules[i].class_;
            c->flags = rules[i].flags;
            return;
        }
}

const struct hct_call *callclass_table(uint32_t *n)
{
    static struct hct_call table[CALL_END];

    if (!table[CALL_Send].class_)
        for (unsigned i = 0; i < CALL_END; i++)
            classify(&table[i], call_name(i));
    *n = CALL_END;
    return table;
}
