/* make.c - communicators that only some of the members of another one make, and
 * those of two groups.
 *
 * They are no collectives of one that is there already, so nobody's number says
 * who has to come. The new one itself is listed before, and making it is the
 * first collective on it. Before that all wait for each other by messages, from
 * which it is known who waits for whom: nobody is inside before all have listed
 * it, but for those whose leader waits for the other one. */
#include "mpi-wrappers/stop/make.h"

#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/stop/pending.h"
#include "mpi-wrappers/stop/gate.h"

enum { MAKE_TAGS = 0x3fffff };

static MPI_Comm make_channel = MPI_COMM_NULL;   /* a copy of the world */

void make_begin(void)
{
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &make_channel) != MPI_SUCCESS)
        make_channel = MPI_COMM_NULL;
}

/* All that were there have it, or nobody has. */
static void make_leave(struct comm *c, MPI_Comm *made, int rc)
{
    if (rc == MPI_SUCCESS && made && *made != MPI_COMM_NULL)
        comm_met(*made, c ? c->id : 0);
    else if (c)
        comm_forget(c);
}

/* -------------------------------------------------------------- of one group */

/* The first one waits for each of the others, and then lets them go. */
static int make_meet(const int *ranks, int n, int own, uint64_t id)
{
    int tag = (int)(id >> 8 & MAKE_TAGS), rc = MPI_SUCCESS;

    if (own) {
        rc = PMPI_Send(NULL, 0, MPI_BYTE, ranks[0], tag, make_channel);
        return rc != MPI_SUCCESS ? rc
             : PMPI_Recv(NULL, 0, MPI_BYTE, ranks[0], tag, make_channel,
                         MPI_STATUS_IGNORE);
    }
    for (int i = 1; rc == MPI_SUCCESS && i < n; i++)
        rc = PMPI_Recv(NULL, 0, MPI_BYTE, ranks[i], tag, make_channel,
                       MPI_STATUS_IGNORE);
    for (int i = 1; rc == MPI_SUCCESS && i < n; i++)
        rc = PMPI_Send(NULL, 0, MPI_BYTE, ranks[i], tag, make_channel);
    return rc;
}

/* NULL: of whom nobody else knows by a number, or Open MPI is to say what is
 * wrong with it. */
static struct comm *make_announce(MPI_Comm comm, MPI_Group group, int tag)
{
    struct comm *over = comm_of(comm), *c = NULL;
    int n = 0, own = MPI_UNDEFINED, *ranks;
    uint32_t before;
    uint64_t id;

    if (!over || over->foreign || !group || make_channel == MPI_COMM_NULL ||
        PMPI_Group_rank(group, &own) != MPI_SUCCESS || own == MPI_UNDEFINED ||
        PMPI_Group_size(group, &n) != MPI_SUCCESS ||
        !(ranks = malloc((size_t)(n + 1) * sizeof(*ranks))))
        return NULL;
    before = stand_pass();
    id = comm_by_group(over, group, tag, ranks);
    stand_passed(before);
    if (id && (c = comm_announce(id, n)) &&
        make_meet(ranks, n, own, id) != MPI_SUCCESS) {
        comm_forget(c);
        c = NULL;
    }
    free(ranks);
    return c;
}

ENTRY_EXPORT int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                       MPI_Comm *made)
{
    struct comm *c = make_announce(comm, group, tag);
    uint32_t before = gate_enter(c);
    MPI_Comm r4 = NULL;
    int rc;

    rc = INSIDE(Comm_create_group)(object_real(comm), object_real(group), tag,
                                   ENTRY_AT(4, made));
    ENTRY_OWN(rc, OBJECT_COMM, 4, made);
    make_leave(c, made, rc);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Comm_create_group)

/* ------------------------------------------------------------- of two groups */

struct side {                   /* what one leader tells the other */
    uint64_t id, number;        /* of the communicator of its group */
    uint64_t size;
};

static uint64_t side_hash(const struct side *s)
{
    return comm_mix(comm_mix(s->id, s->number), s->size);
}

static int make_exchange(const struct side *own, struct side *other, int remote,
                         int tag, MPI_Comm bridge)
{
    return PMPI_Sendrecv(own, sizeof(*own), MPI_BYTE, remote, tag, other,
                         sizeof(*other), MPI_BYTE, remote, tag, bridge,
                         MPI_STATUS_IGNORE);
}

/* Each group knows of the other, lists what is to be, and has all of its own; then
 * the leaders know that of both. */
static int make_join(MPI_Comm local, int leader, MPI_Comm bridge, int remote,
                     int tag, struct comm **c)
{
    const struct comm *over = comm_of(local);
    struct side own = { over->id, GET(over->at->entered),
                        (uint64_t)over->size }, other = { 0 };
    bool leads = over->rank == leader;
    uint64_t a, b;
    int rc = MPI_SUCCESS;

    if (leads)
        rc = make_exchange(&own, &other, remote, tag, bridge);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Bcast(&other, sizeof(other), MPI_BYTE, leader, local);
    if (rc != MPI_SUCCESS)
        return rc;
    a = side_hash(&own);
    b = side_hash(&other);
    *c = comm_announce((a < b ? comm_mix(a, b) : comm_mix(b, a)) | 1 << 2,
                       (int)(own.size + other.size));
    rc = PMPI_Barrier(local);
    return rc == MPI_SUCCESS && leads
           ? make_exchange(&own, &other, remote, tag, bridge) : rc;
}

ENTRY_EXPORT int PMPI_Intercomm_create(MPI_Comm local, int leader,
                                      MPI_Comm bridge, int remote, int tag,
                                      MPI_Comm *made)
{
    const struct comm *over = comm_of(local);
    struct comm *c = NULL;
    MPI_Comm r6 = NULL;
    uint32_t before;
    int rc = MPI_SUCCESS;

    if (over && !over->remote && leader >= 0 && leader < over->size)
        rc = make_join(local, leader, bridge, remote, tag, &c);
    if (rc != MPI_SUCCESS) {
        if (c)
            comm_forget(c);
        return rc;
    }
    before = gate_enter(c);
    rc = INSIDE(Intercomm_create)(object_real(local), leader,
                                  object_real_if(bridge), remote, tag,
                                  ENTRY_AT(6, made));
    ENTRY_OWN(rc, OBJECT_COMM, 6, made);
    make_leave(c, made, rc);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Intercomm_create)
