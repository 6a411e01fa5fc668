/* comms.c - a walk through MPI: whatever real programs use, and what they
 * get back from it must be right with the wrappers in between.
 *
 *   comms [DIRECTORY [single]]
 *
 * Communicators, groups, topologies, intercommunicators, attributes and error
 * handlers with callbacks, datatypes, persistent and non-blocking calls,
 * one-sided communication, MPI-IO to a file in DIRECTORY, threads. Rank 0
 * prints "comms: N checks, all right" from N > 0. Any number of tasks.
 * "single": without threads, by MPI_Init. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, checks, callbacks;

#define CHECK(x) check((x) != 0, #x, __LINE__)
static void check(int good, const char *what, int line)
{
    checks++;
    if (!good) {
        fprintf(stderr, "comms.c:%d: rank %d: %s is wrong\n", line, rank,
                what);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
}

static int sum_of_ranks(MPI_Comm comm)
{
    int sum;

    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* ------------------------------------------------ communicators, groups */
static void communicators(void)
{
    MPI_Comm dup, half, cart, even;
    MPI_Group world, some;
    int n, me, result, dims[2] = { 0, 0 }, periods[2] = { 1, 1 }, back[2];
    int left, right;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
    CHECK(result == MPI_CONGRUENT);
    CHECK(sum_of_ranks(dup) == size * (size - 1) / 2);
    MPI_Comm_free(&dup);
    CHECK(dup == MPI_COMM_NULL);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_size(half, &n);
    MPI_Comm_rank(half, &me);
    CHECK(n == (size + (rank % 2 == 0)) / 2);
    CHECK(me == n - 1 - rank / 2);
    MPI_Comm_free(&half);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int range[1][3] = { { 0, size - 1, 2 } };
    MPI_Group_range_incl(world, 1, range, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &even);
    CHECK((even != MPI_COMM_NULL) == (rank % 2 == 0));
    if (even != MPI_COMM_NULL)
        MPI_Comm_free(&even);
    MPI_Group_free(&some);
    MPI_Group_free(&world);

    MPI_Dims_create(size, 2, dims);
    CHECK(dims[0] * dims[1] == size);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_coords(cart, rank, 2, back);
    MPI_Cart_rank(cart, back, &me);
    CHECK(me == rank);
    MPI_Cart_shift(cart, 1, 1, &left, &right);
    int got[4];
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, cart);
    CHECK(got[2] == left && got[3] == right);
    MPI_Comm_free(&cart);
}

static void intercommunicators(void)
{
    MPI_Comm local, inter, merged;
    int side = rank >= size / 2, far, value = 0, n;

    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, side ? 0 : size / 2, 11,
                         &inter);
    MPI_Comm_remote_size(inter, &far);
    CHECK(far == (side ? size / 2 : size - size / 2));
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_MIN, inter);
    CHECK(value == (side ? 0 : size / 2));
    MPI_Intercomm_merge(inter, side, &merged);
    MPI_Comm_size(merged, &n);
    CHECK(n == size && sum_of_ranks(merged) == size * (size - 1) / 2);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

/* ---------------------------------------------------- callbacks from MPI */
static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in,
                          void *out, int *flag)
{
    int n;

    (void)key;
    (void)extra;
    MPI_Comm_size(comm, &n);            /* MPI called from inside MPI */
    callbacks += n == size;
    *(void **)out = in;
    return *flag = 1, MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    callbacks++;
    return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    callbacks += class == MPI_ERR_RANK ? 100 : 1000;
}

static void multiply_op(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] *= ((double *)in)[i];
}

static void with_callbacks(void)
{
    static int value = 42;
    MPI_Comm dup;
    MPI_Errhandler handler, old;
    MPI_Op op;
    int key, flag, *found;
    double two = 2, product;

    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_attr(dup, key, &found, &flag);
    CHECK(flag && found == &value);
    MPI_Comm_free(&dup);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    CHECK(callbacks == 3);

    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    CHECK(callbacks == 103);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, old);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&old);

    MPI_Op_create(multiply_op, 1, &op);
    MPI_Allreduce(&two, &product, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    CHECK(product > 1.9 && (size > 60 || (long)product == 1l << size));
    MPI_Op_free(&op);
}

/* ---------------------------------------------------------- point to point */
static void messages(void)
{
    enum { N = 16 };
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    double grid[N][N], column[N];
    MPI_Datatype stripe;
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Message message;
    int n, flag, small = rank, in = -1;
    char packed[64];

    for (int i = 0; i < N * N; i++)
        grid[i / N][i % N] = rank * 1000 + i;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &stripe);
    MPI_Type_commit(&stripe);
    MPI_Irecv(column, N, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&grid[0][3], 1, stripe, to, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, s);
    MPI_Get_count(&s[0], MPI_DOUBLE, &n);
    CHECK(n == N && s[0].MPI_SOURCE == from && s[0].MPI_TAG == 1);
    CHECK((int)column[2] == from * 1000 + 2 * N + 3);
    MPI_Type_free(&stripe);

    MPI_Send_init(&small, 1, MPI_INT, to, 2, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in, 1, MPI_INT, from, 2, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(in == from);
        in = -1;
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);

    int position = 0;
    MPI_Pack(&small, 1, MPI_INT, packed, sizeof(packed), &position,
             MPI_COMM_WORLD);
    MPI_Isend(packed, position, MPI_PACKED, to, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &s[0]);
    char arrived[64];
    MPI_Mrecv(arrived, sizeof(arrived), MPI_PACKED, &message, &s[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    position = 0;
    MPI_Unpack(arrived, sizeof(arrived), &position, &in, 1, MPI_INT,
               MPI_COMM_WORLD);
    CHECK(in == from && message == MPI_MESSAGE_NULL);

    MPI_Iallreduce(&rank, &in, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[0]);
    do
        MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    while (!flag);
    CHECK(in == size - 1);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Waitany(1, r, &n, MPI_STATUS_IGNORE);
    CHECK(n == 0 && r[0] == MPI_REQUEST_NULL);
}

/* --------------------------------------------- one-sided, files, threads */
static void one_sided(MPI_Win win, int *base)
{
    int got = -1, one = 1, before;

    base[0] = base[1] = 0;
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(base[0] == (rank + size - 1) % size);
    MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(got == rank);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 1, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    CHECK(before >= 0 && before < size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    CHECK(got == size);
}

/* MPICH 4.0 of Debian loses what is put into a window that it has allocated
 * (pmodels/mpich issue 6110); Open MPI 4.1 cannot make one of the program's
 * memory for a single task. */
static void windows(void)
{
    int mine[2], *base = mine;
    MPI_Win win;

#ifdef MPICH_VERSION
    MPI_Win_create(mine, sizeof(mine), sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
#else
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &base, &win);
#endif
    one_sided(win, base);
    MPI_Win_free(&win);
}

static void files(const char *directory)
{
    char path[4096];
    int all[1024], n;
    MPI_File f;
    MPI_Status s;
    MPI_Offset bytes;

    snprintf(path, sizeof(path), "%s/comms.%d", directory, size);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &f);
    MPI_File_set_view(f, rank * (MPI_Offset)sizeof(int), MPI_INT, MPI_INT,
                      "native", MPI_INFO_NULL);
    MPI_File_write_all(f, &rank, 1, MPI_INT, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 1);
    MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at_all(f, 0, all, size, MPI_INT, &s);
    MPI_File_get_size(f, &bytes);
    CHECK(bytes == size * (MPI_Offset)sizeof(int) && all[size - 1] == size - 1);
    MPI_File_close(&f);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
}

static void *ring(void *arg)
{
    MPI_Comm comm = *(MPI_Comm *)arg;
    int in = -1;

    for (int i = 0; i < 50; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 4, &in, 1, MPI_INT,
                     (rank + size - 1) % size, 4, comm, MPI_STATUS_IGNORE);
    return in == (rank + size - 1) % size ? arg : NULL;
}

static void threads(void)
{
    MPI_Comm comm[3];
    pthread_t t[3];
    void *good;

    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, ring, &comm[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &good);
        CHECK(good == &comm[i]);
        MPI_Comm_free(&comm[i]);
    }
}

int main(int argc, char **argv)
{
    int provided = MPI_THREAD_SINGLE;

    if (argc > 2 && strcmp(argv[2], "single") == 0)
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicators();
    intercommunicators();
    with_callbacks();
    messages();
    windows();
    files(argc > 1 ? argv[1] : ".");
    if (provided == MPI_THREAD_MULTIPLE)
        threads();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("comms: %d checks, all right\n", checks);
    MPI_Finalize();
    return 0;
}
