/* bench_layer.c - what calls of MPI take that go to the task itself: the fastest
 * of many batches, in ns, one line a call. layer.sh runs it with and without our
 * libmpi.so.40.
 *
 * Run it as a task of hector-run. */
#include <mpi.h>
#include <stdio.h>

enum { BATCHES = 2000, CALLS = 100 };

static int data, result;
static MPI_Comm self;

static void send_recv(void)
{
    MPI_Send(&data, 1, MPI_INT, 0, 1, self);
    MPI_Recv(&result, 1, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
    MPI_Request r[2];

    MPI_Irecv(&result, 1, MPI_INT, 0, 1, self, &r[0]);
    MPI_Isend(&data, 1, MPI_INT, 0, 1, self, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void iprobe(void)
{
    int flag;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self, &flag, MPI_STATUS_IGNORE);
}

static void allreduce(void)
{
    MPI_Allreduce(&data, &result, 1, MPI_INT, MPI_SUM, self);
}

static void gather(void)
{
    MPI_Gather(&data, 1, MPI_INT, &result, 1, MPI_INT, 0, self);
}

static void barrier(void)
{
    MPI_Barrier(self);
}

static void comm_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    { "Send+Recv", send_recv }, { "Irecv+Isend+Waitall", exchange },
    { "Iprobe", iprobe }, { "Allreduce", allreduce }, { "Gather", gather },
    { "Barrier", barrier }, { "Comm_rank", comm_rank },
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    self = MPI_COMM_SELF;
    for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        double best = 1e9;

        for (int batch = 0; batch < BATCHES; batch++) {
            double start = MPI_Wtime(), took;

            for (int n = 0; n < CALLS; n++)
                calls[i].call();
            took = (MPI_Wtime() - start) / CALLS * 1e9;
            if (took < best)
                best = took;
        }
        printf("%s %.1f\n", calls[i].name, best);
    }
    return MPI_Finalize();
}
