/* names.c - the name service of the run-time: publish, look up, connect.
 *
 * Rank 0 publishes a port under a name, the last rank looks it up and
 * connects, they exchange a number over the new communicator; then the name
 * is taken back and must be unknown. Needs two tasks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void check(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "names: rank %d: %s failed\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    const char *name = argc > 1 ? argv[1] : "hector-names";
    MPI_Comm link = MPI_COMM_NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int last = size - 1, out = 100 + rank, in = -1;

    if (rank == 0) {
        check(MPI_Open_port(MPI_INFO_NULL, port) == 0, "MPI_Open_port");
        check(MPI_Publish_name(name, MPI_INFO_NULL, port) == 0,
              "MPI_Publish_name");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last && rank != 0)
        check(MPI_Lookup_name(name, MPI_INFO_NULL, port) == 0,
              "MPI_Lookup_name");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && last != 0)
        check(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF,
                              &link) == 0, "MPI_Comm_accept");
    else if (rank == last && rank != 0)
        check(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF,
                               &link) == 0, "MPI_Comm_connect");
    if (link != MPI_COMM_NULL) {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, 0, 5, link,
                     MPI_STATUS_IGNORE);
        check(in == 100 + (rank == 0 ? last : 0), "exchange");
        MPI_Comm_disconnect(&link);
    }
    if (rank == 0) {
        check(MPI_Unpublish_name(name, MPI_INFO_NULL, port) == 0,
              "MPI_Unpublish_name");
        MPI_Close_port(port);
        printf("names: published, connected, exchanged\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
