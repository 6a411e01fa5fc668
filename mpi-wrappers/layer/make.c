/* make.c - communicators that only some of the members of another one make, and
 * those of two groups. They are no collectives of one that is there already: the
 * new one itself is listed before, and making it is the first collective on it.
 * So all members are found who have to come, and let through. */
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/layer/call.h"

/* Behind the gate of the one that is to be: with everybody who is in it. */
static struct comm *make_enter(uint64_t id, int size, uint32_t before)
{
    struct comm *c = id ? comm_announce(id, size) : NULL;

    STAND_SET(stop_page->where, before);
    gate_enter(c);
    return c;
}

/* All that were there have it, or nobody has. */
static void make_leave(struct comm *c, uint64_t id, MPI_Comm *made, int rc)
{
    if (rc == MPI_SUCCESS && made && *made != MPI_COMM_NULL)
        comm_met(*made, c ? id : 0);
    else if (c)
        comm_forget(c);
}

CALL_EXPORT int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                       MPI_Comm *made)
{
    uint32_t before = stand_enter();
    struct comm *over = comm_of(comm), *c = NULL;
    MPI_Comm r4 = NULL;
    int size = 0, rank = MPI_UNDEFINED, rc;
    uint64_t id = 0;

    if (over && group &&
        INSIDE(Group_rank)(object_real(group), &rank) == MPI_SUCCESS &&
        rank != MPI_UNDEFINED) {
        INSIDE(Group_size)(object_real(group), &size);
        id = comm_by_group(over, group, tag);
    }
    if (id)
        c = make_enter(id, size, before);
    rc = INSIDE(Comm_create_group)(object_real(comm), object_real(group), tag,
                                   CALL_AT(4, made));
    CALL_OWN(rc, OBJECT_COMM, 4, made);
    make_leave(c, id, made, rc);
    stand_leave(before);
    return rc;
}
CALL_ALIAS(Comm_create_group)

/* ------------------------------------------------------------- of two groups */

struct side {                   /* what one leader tells the other, and all */
    uint64_t id, number;        /* of the communicator of its group */
    uint64_t size;
};

static uint64_t side_hash(const struct side *s)
{
    return comm_mix(comm_mix(s->id, s->number), s->size);
}

/* Leaders first, then each with its group: both may be brought to stand while
 * they wait for each other. */
static int make_meet(MPI_Comm local, int leader, MPI_Comm bridge, int remote,
                     int tag, struct side *own, struct side *other)
{
    const struct comm *over = comm_of(local);
    int rc = MPI_SUCCESS;

    *own = (struct side){ over->id, STAND_GET(over->at->entered),
                          (uint64_t)over->size };
    memset(other, 0, sizeof(*other));
    if (over->rank == leader)
        rc = PMPI_Sendrecv(own, sizeof(*own), MPI_BYTE, remote, tag, other,
                           sizeof(*other), MPI_BYTE, remote, tag, bridge,
                           MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Bcast(other, sizeof(*other), MPI_BYTE, leader, local);
    return rc;
}

CALL_EXPORT int PMPI_Intercomm_create(MPI_Comm local, int leader,
                                      MPI_Comm bridge, int remote, int tag,
                                      MPI_Comm *made)
{
    struct comm *over = comm_of(local), *c = NULL;
    struct side own, other;
    MPI_Comm r6 = NULL;
    uint32_t before;
    uint64_t id = 0;
    int rc;

    if (over && !over->remote && leader >= 0 && leader < over->size) {
        rc = make_meet(local, leader, bridge, remote, tag, &own, &other);
        if (rc != MPI_SUCCESS)
            return rc;
        id = side_hash(&own) < side_hash(&other)
           ? comm_mix(side_hash(&own), side_hash(&other))
           : comm_mix(side_hash(&other), side_hash(&own));
        id |= 1 << 2;
    }
    before = stand_enter();
    if (id)
        c = make_enter(id, (int)(own.size + other.size), before);
    rc = INSIDE(Intercomm_create)(object_real(local), leader,
                                  object_real_if(bridge), remote, tag,
                                  CALL_AT(6, made));
    CALL_OWN(rc, OBJECT_COMM, 6, made);
    make_leave(c, id, made, rc);
    stand_leave(before);
    return rc;
}
CALL_ALIAS(Intercomm_create)
