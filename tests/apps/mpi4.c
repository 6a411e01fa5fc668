/* mpi4.c - what MPI-4.0 adds, for a library that has it.
 *
 *   mpi4            each kind of call, known times each, for up to TASKS tasks;
 *                   prints the sum of their numbers from 1
 *   mpi4 session    the same sum without MPI_Init
 *   mpi4 stuck      rank 0 waits for a persistent barrier that the others never
 *                   make: they wait for a message of it */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Open MPI 5 has all but the large counts. */
#if MPI_VERSION >= 4
#define LARGE(name) name##_c
typedef MPI_Count count_t;
typedef MPI_Aint displacement_t;
#else
#define LARGE(name) name
typedef int count_t, displacement_t;
#endif

enum { ROUNDS = 3, PARTS = 4, TASKS = 8 };

static int sum_of(MPI_Comm comm)
{
    int rank, sum = 0;

    MPI_Comm_rank(comm, &rank);
    rank++;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

static MPI_Comm comm_of(MPI_Group group, const char *tag)
{
    MPI_Comm comm;

    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    return comm;
}

/* What is sent by one communicator is not received by the other. */
static int apart(MPI_Comm one, MPI_Comm other)
{
    int rank, n, first = 1, second = 2;
    MPI_Request r[2];

    MPI_Comm_rank(one, &rank);
    MPI_Comm_size(one, &n);
    if (n == 1)
        return 1;
    if (rank == 0) {
        MPI_Isend(&second, 1, MPI_INT, 1, 0, other, &r[0]);
        MPI_Isend(&first, 1, MPI_INT, 1, 0, one, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        first = second = 0;
        MPI_Recv(&first, 1, MPI_INT, 0, 0, one, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    }
    return first == 1 && second == 2;
}

/* Of all tasks twice, with the same tag, and of those of odd and of even ranks, which
 * are made at the same time. */
static int session(void)
{
    MPI_Session s;
    MPI_Group all, half;
    MPI_Comm comm, again, part;
    int rank, n, sum, sums, mine[TASKS], nmine = 0, good;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
    MPI_Group_from_session_pset(s, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Group_size(all, &n);
    for (int i = rank % 2; i < n && nmine < TASKS; i += 2)
        mine[nmine++] = i;
    MPI_Group_incl(all, nmine, mine, &half);
    comm = comm_of(all, "hector");
    part = comm_of(half, "half");
    again = comm_of(all, "hector");
    MPI_Allreduce(&(int){ rank + 1 }, &sums, 1, MPI_INT, MPI_SUM, part);
    for (int i = 0; i < nmine; i++)
        sums -= mine[i] + 1;
    sum = sum_of(comm);
    good = sums == 0 && apart(comm, again) && sum_of(again) == sum;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, comm);
    if (rank == 0)
        printf("sum %d\n", good ? sum : -1);
    MPI_Group_free(&half);
    MPI_Group_free(&all);
    MPI_Comm_free(&part);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&s);
    return 0;
}

static void stuck(int rank)
{
    MPI_Request r;
    int none = 0;

    if (rank)
        MPI_Recv(&none, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* j + 1 numbers for rank j: counts of 64 bits, of which 32 would be zeros. */
static void large_counts(int rank, int n)
{
    count_t gives[TASKS], takes[TASKS];
    displacement_t from[TASKS], at[TASKS];
    int out[TASKS * TASKS], in[TASKS * TASKS], sent = 0, want = 0;

    for (int i = 0; i < TASKS * TASKS; i++) {
        out[i] = rank;
        in[i] = -1;
    }
    for (int j = 0; j < n; j++) {
        gives[j] = j + 1;
        takes[j] = rank + 1;
        from[j] = sent;
        at[j] = want;
        sent += j + 1;
        want += rank + 1;
    }
    LARGE(MPI_Alltoallv)(out, gives, from, MPI_INT, in, takes, at, MPI_INT,
                         MPI_COMM_WORLD);
    for (int i = 0; i < want; i++)
        if (in[i] != i / (rank + 1))
            MPI_Abort(MPI_COMM_WORLD, 5);
}

int main(int argc, char **argv)
{
    MPI_Request r, part[2];
    int rank, n, to, from, got[PARTS] = { 0 }, mine[PARTS];

    if (argc > 1 && strcmp(argv[1], "session") == 0)
        return session();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc > 1)
        stuck(rank);
    to = (rank + 1) % n;
    from = (rank + n - 1) % n;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    MPI_Isendrecv(&rank, 1, MPI_INT, to, 1, got, 1, MPI_INT, from, 1,
                  MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (got[0] != from)
        MPI_Abort(MPI_COMM_WORLD, 3);
    LARGE(MPI_Sendrecv)(&rank, 1, MPI_INT, to, 2, got, 1, MPI_INT, from, 2,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < PARTS; i++)
        mine[i] = rank + i;
    MPI_Psend_init(mine, PARTS, 1, MPI_INT, to, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &part[0]);
    MPI_Precv_init(got, PARTS, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &part[1]);
    MPI_Startall(2, part);
    for (int i = 0; i < PARTS; i++)
        MPI_Pready(i, part[0]);
    MPI_Waitall(2, part, MPI_STATUSES_IGNORE);
    if (got[PARTS - 1] != from + PARTS - 1)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Request_free(&part[0]);
    MPI_Request_free(&part[1]);
    for (int i = 0; i < ROUNDS; i++)
        large_counts(rank, n);
    n = sum_of(MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", n);
    MPI_Finalize();
    return 0;
}
