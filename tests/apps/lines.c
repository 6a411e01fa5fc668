/* lines.c - deadlocks whose cause is in another line than where the tasks are:
 * what the verdict has to name. Two tasks.
 *
 *   lines mismatch   task 1 makes another collective call than task 0, and is
 *                    elsewhere by now
 *   lines first      both have got through a call that differed
 *   lines request    each waits for a message that nobody sends, by a request
 *                    that it has made in another function
 *   lines orders     task 0 never makes a call that task 1 waits for
 *   lines any        all wait for a message from anybody
 *
 * Each function does something after its call of MPI, or it would not be on the
 * stack during the call. */
#include <mpi.h>
#include <string.h>

#define W MPI_COMM_WORLD

static volatile int one = 1;
static int rank, word;
static MPI_Request request;

static __attribute__((noinline)) void tell(void)
{
    MPI_Bcast(&word, 1, MPI_INT, rank, W);
    one++;
}

static __attribute__((noinline)) void meet(void)
{
    MPI_Barrier(W);
    one++;
}

static __attribute__((noinline)) void get(int tag)
{
    MPI_Recv(&word, 1, MPI_INT, 1 - rank, tag, W, MPI_STATUS_IGNORE);
    one++;
}

static __attribute__((noinline)) void ask(void)
{
    MPI_Irecv(&word, 1, MPI_INT, 1 - rank, 5, W, &request);
    one++;
}

static __attribute__((noinline)) void finish(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    one++;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Comm other;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    if (strcmp(how, "mismatch") == 0) {
        if (rank == 0) {
            tell();             /* returns: it is the root */
            get(9);
        }
        meet();
    } else if (strcmp(how, "first") == 0) {
        tell();                 /* both are the root */
        if (rank == 0)
            get(9);
        meet();
    } else if (strcmp(how, "request") == 0) {
        ask();
        finish();
    } else if (strcmp(how, "orders") == 0) {
        MPI_Comm_dup(W, &other);
        MPI_Barrier(rank ? W : other);
        one++;
        if (rank)
            MPI_Barrier(other);
    } else if (strcmp(how, "any") == 0) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 3, W, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
