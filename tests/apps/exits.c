/* exits.c - end in a chosen way: what the exit status tests run.
 *
 *   exits RANK HOW [N [WHEN [MILLISECONDS]]]
 *
 * RANK ("all" for every one) ends by HOW: exit N, quick N (_exit), signal N,
 * abort N (MPI_Abort), say N (all have printed a line before), fail (in MPI_Send,
 * to rank 99), return N. WHEN it does so: early, before MPI_Init; middle, while
 * the others wait for it in a barrier; late, after MPI_Finalize. The others end
 * well where they can. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how = "exit", *when = "middle";
static int number, pause_ms;

static void leave(void)
{
    usleep((useconds_t)pause_ms * 1000);
    if (strcmp(how, "exit") == 0)
        exit(number);
    if (strcmp(how, "quick") == 0)
        _exit(number);
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, number);
    if (strcmp(how, "say") == 0) {
        printf("%s is about to abort\n", getenv("OMPI_COMM_WORLD_RANK"));
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, number);
    }
    if (strcmp(how, "fail") == 0)
        MPI_Send(&number, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (strcmp(how, "signal") == 0) {
        signal(number, SIG_DFL);
        kill(getpid(), number);
        pause();
    }
}

int main(int argc, char **argv)
{
    const char *env = getenv("OMPI_COMM_WORLD_RANK");
    int rank = env ? atoi(env) : 0;

    if (argc < 3) {
        fprintf(stderr, "usage: exits RANK HOW [N [WHEN [MILLISECONDS]]]\n");
        return 2;
    }
    int me = strcmp(argv[1], "all") == 0 || atoi(argv[1]) == rank;
    how = argv[2];
    number = argc > 3 ? atoi(argv[3]) : 0;
    when = argc > 4 ? argv[4] : when;
    pause_ms = argc > 5 ? atoi(argv[5]) : 0;

    if (me && strcmp(when, "early") == 0)
        leave();
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me && strcmp(when, "middle") == 0)
        leave();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (me && strcmp(when, "late") == 0)
        leave();
    return me && strcmp(how, "return") == 0 ? number : 0;
}
