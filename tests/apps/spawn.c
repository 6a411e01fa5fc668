/* spawn.c - MPI_Comm_spawn: done, or refused in words?
 *
 *   spawn [--fatal]
 *
 * Starts two children, which answer with their rank. Where the run-time
 * refuses, the text of the error is printed and the exit status is 0; with
 * --fatal the default error handler stays, and the job aborts. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank, error[2], sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "--fatal") != 0)
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 0) {
        char text[MPI_MAX_ERROR_STRING];
        int length, code = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2,
                                          MPI_INFO_NULL, 0, MPI_COMM_SELF,
                                          &children, error);

        if (code == MPI_SUCCESS) {
            MPI_Reduce(NULL, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);
            MPI_Comm_disconnect(&children);
            printf("spawned, sum %d\n", sum);
        } else {
            MPI_Error_string(code, text, &length);
            printf("refused: %s\n", text);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
