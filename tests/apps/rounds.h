/* rounds.h - how long a program of tests goes on: so many rounds, or until a file is
 * there, which the first task looks for now and then. It makes the same calls of
 * MPI either way. */
#ifndef HECTOR_ROUNDS_H
#define HECTOR_ROUNDS_H

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS_EACH = 16 };

static inline int rounds_more(const char *arg, int round)
{
    int more = 1, rank;

    if (round % ROUNDS_EACH)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        more = atoi(arg) > 0 ? round < atoi(arg) : access(arg, F_OK) != 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more;
}

#endif
