/* tag_fork.c - a task that forks, starts programs and changes its descriptors
 * and environment while it is in MPI. What a child does is not the task's.
 *
 * Tags three calls; the child's tags must not be seen. */
#include <hct_rt.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void wait_for(pid_t pid, int wanted)
{
    int status = 0;

    if (pid < 0 || waitpid(pid, &status, 0) != pid ||
        !WIFEXITED(status) || WEXITSTATUS(status) != wanted) {
        fprintf(stderr, "tag_fork: a child ended with %#x\n",
                (unsigned)status);
        MPI_Abort(MPI_COMM_WORLD, 6);
    }
}

int main(int argc, char **argv)
{
    char *const program[] = { (char *)"sh", (char *)"-c", (char *)"exit 4",
                              NULL };
    int rank, flag;
    pid_t pid;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    HCT_RT_Tag(1, "before the fork");
    MPI_Barrier(MPI_COMM_WORLD);

    HCT_RT_Tag(2, "set before, used after");
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        /* A library that only asks: it does not touch the network. */
        HCT_RT_Tag(666, "of the child");
        MPI_Initialized(&flag);
        HCT_RT_Tag(667, "of the child");
        MPI_Wtime();
        _exit(flag ? 3 : 9);
    }
    wait_for(pid, 3);
    MPI_Barrier(MPI_COMM_WORLD);

    if (posix_spawnp(&pid, "sh", NULL, NULL, program, environ) != 0)
        MPI_Abort(MPI_COMM_WORLD, 6);
    wait_for(pid, 4);
    if (system("exit 0") != 0)
        MPI_Abort(MPI_COMM_WORLD, 6);
    HCT_RT_Tag(3, "after the children");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("tag_fork: 3 tagged calls a task\n");
    MPI_Finalize();
    return 0;
}
