/* comm.h - communicators, as all members see them. MERGE: part A's. */
#ifndef HECTOR_LAYER_COMM_H
#define HECTOR_LAYER_COMM_H

#include <mpi.h>
#include <stdint.h>

struct comm {
    uint64_t id;                /* the same on all members */
    int rank, size;             /* own group */
    int remote;                 /* size of the other group; 0: no inter-communicator */
    int *world;                 /* owned: world ranks, own group in order, then the other's */
};
struct comm *comm_of(MPI_Comm c);

#endif
