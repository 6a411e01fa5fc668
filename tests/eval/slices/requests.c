/* requests.c - tasks that talk by requests, to partners from a table. FAULT
 * chooses one of its faults; the line that has it is marked by its number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTNERS = 2, WORDS = 16, ROUNDS = 30 };

struct partner { int rank, tag; };

static struct partner partners[PARTNERS];
static int npartners;

static int rounds_of(int size)
{
    int n = 0;

#if FAULT == 3
    while (1 << n <= size)                                      /*! 3 branch */
        n++;
#else
    while (1 << n < size)
        n++;
#endif
    return n;
}

static void meet(int rank, int size)
{
    npartners = 0;
    for (int k = 0; k < PARTNERS; k++) {
        struct partner *p = &partners[npartners++];

#if FAULT == 1
        p->rank = (rank + (k ? size - 1 : rank % 2 + 1)) % size;    /*! 1 memory */
#else
        p->rank = (rank + (k ? size - 1 : 1)) % size;
#endif
#if FAULT == 2
        p->tag = 10 + k;                                        /*! 2 memory */
#else
        p->tag = 10;
#endif
    }
}

__attribute__((noinline)) static void receive(double *into, MPI_Request *request,
                                              int k, int round)
{
    int from = partners[k].rank, tag = partners[k].tag;

#if FAULT == 4
    tag += round / 9 * k;                                       /*! 4 local */
#endif
    MPI_Irecv(into, WORDS, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, request);
    (void)round;
}

__attribute__((noinline)) static double work(double x)
{
    for (int i = 0; i < 500; i++)
        x = x * 0.9 + i;
    return x;
}

__attribute__((noinline)) static void talk(int rank, int round, double *out)
{
    double in[PARTNERS + 1][WORDS];
    MPI_Request request[2 * PARTNERS + 1];
    int n = 0;

    for (int k = 0; k < npartners; k++)
        receive(in[k], &request[n++], k, round);
#if FAULT == 5
    if (round == 12 && rank == 1)
        MPI_Irecv(in[PARTNERS], WORDS, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD,
                  &request[n++]);                               /*! 5 local */
#endif
    for (int k = 0; k < npartners; k++) {
        int to = partners[k].rank;

        out[0] = work(out[0]);
#if FAULT == 6
        if (round == 9)
            to = (to + rank) % 4;                               /*! 6 local */
#endif
        MPI_Isend(out, WORDS, MPI_DOUBLE, to, partners[k].tag, MPI_COMM_WORLD,
                  &request[n++]);
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    (void)rank;
}

static void poll(int rank, int size, double *out)
{
    double in[WORDS];
    MPI_Request request;
    int flag = 0, to = (rank + 1) % size, from = (rank + size - 1) % size;

#if FAULT == 7
    from = (rank + size - 2) % size;                            /*! 7 local */
#endif
    MPI_Irecv(in, WORDS, MPI_DOUBLE, from, 20, MPI_COMM_WORLD, &request);
    MPI_Send(out, WORDS, MPI_DOUBLE, to, 20, MPI_COMM_WORLD);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void combine(MPI_Comm comm, int rank, int size, double *out)
{
    int n = rounds_of(size);

    for (int k = 0; k < n; k++) {
        int other = (rank ^ 1 << k) % size;
        double got;

#if FAULT == 8
        if ((rank >> k) % 2 == (rank > 2))                      /*! 8 branch */
#else
        if ((rank >> k) % 2 == 0)
#endif
        {
            MPI_Ssend(out, 1, MPI_DOUBLE, other, 30 + k, comm);
            MPI_Recv(&got, 1, MPI_DOUBLE, other, 30 + k, comm,
                     MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&got, 1, MPI_DOUBLE, other, 30 + k, comm,
                     MPI_STATUS_IGNORE);
            MPI_Ssend(out, 1, MPI_DOUBLE, other, 30 + k, comm);
        }
        out[0] += got;
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    double out[WORDS] = { 1 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    meet(rank, size);
#if FAULT == 9
    int rounds = ROUNDS - (rank == 1);                          /*! 9 local */
#else
    int rounds = ROUNDS;
#endif
    for (int i = 0; i < rounds; i++)
        talk(rank, i, out);
    poll(rank, size, out);
    combine(MPI_COMM_WORLD, rank, size, out);
    MPI_Finalize();
    if (rank == 0)
        printf("%g\n", out[0]);
    return 0;
}
