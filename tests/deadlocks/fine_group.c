/* fine_group.c - correct programs in which some members of a group are ahead of
 * others: collective calls of all kinds, communicators as they are made,
 * neighbours, farms, threads. */
#include "mini.h"

#include <mpi-ext.h>
#include <pthread.h>

/* Collectives that are started again have their names of MPI 4 since Open MPI 5. */
#if OMPI_MAJOR_VERSION >= 5
#define PERSISTENT(name) MPI_##name
#else
#define PERSISTENT(name) MPIX_##name
#endif

/* ------------------------------------------------- communicators being made */

static void split_late(void)
{
    MPI_Comm c;

    late(1);
    c = part(rank % 2);
    late(2);
    MPI_Comm_free(&c);
    MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c);
    late(0);
    MPI_Barrier(c);
}
static void dup_late(void)
{
    MPI_Comm a, b;
    MPI_Request r;

    late(1);
    a = copy();
    MPI_Comm_idup(a, &b, &r);
    late(0);
    MPI_Wait(&r, NO);
    MPI_Barrier(b);
}
/* Those that are not in the group do not make the call. */
static void create_group_late(void)
{
    int few[] = { 0, 2, 3 };
    MPI_Group all, g;
    MPI_Comm c = MPI_COMM_NULL;

    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 3, few, &g);
    late(2);
    if (rank != 1)
        MPI_Comm_create_group(W, g, 7, &c);
    late(0);
    if (rank != 1)
        MPI_Barrier(c);
    MPI_Barrier(W);
}
static MPI_Comm of_group(int n, const int *ranks, int tag)
{
    MPI_Group everybody, g;
    MPI_Comm c;

    MPI_Comm_group(W, &everybody);
    MPI_Group_incl(everybody, n, ranks, &g);
    MPI_Comm_create_group(W, g, tag, &c);
    MPI_Group_free(&g);
    return c;
}
/* A member computes for five seconds before it comes; another one has come, and
 * gone on to wait for it. */
static void create_group_busy(void)
{
    int three[] = { 3, 1, 0 };

    if (rank == 3)
        compute(5);
    if (rank != 2)
        MPI_Barrier(of_group(3, three, 7));
    MPI_Barrier(W);
}
/* One comes when it has got a message, of a member who has to come, too; or of
 * one who has nothing to do with it. */
static void create_group_after(void)
{
    int two[] = { 0, 1 }, both[] = { 1, 3 };

    if (rank == 1)
        get(0, 7);
    late(0);
    if (rank == 0)
        put(1, 7);
    if (rank < 2)
        of_group(2, two, 7);
    if (rank == 3)
        get(2, 5);
    late(2);
    if (rank == 2)
        put(3, 5);
    if (rank % 2)
        of_group(2, both, 5);
    MPI_Barrier(W);
}
/* Every rank in two groups, in an order in which the first can begin. */
static void create_group_overlap(void)
{
    for (int i = 0; i < 3; i++) {
        int two[] = { i, i + 1 }, all[] = { 3, 2, 1, 0 };

        late(3 - i);
        if (rank == i || rank == i + 1)
            of_group(2, two, 7);
        if (i == 1)
            of_group(4, all, 7);
    }
    MPI_Barrier(W);
}
/* The same group again and again, and more kinds than there is room for. */
static void create_group_many(void)
{
    int all[] = { 0, 1, 2, 3 }, two[] = { 1, 2 };

    for (int i = 0; i < 80; i++) {
        MPI_Comm c;

        late(i == 70 ? 1 : -1);
        if (rank == 1 || rank == 2) {
            c = of_group(2, two, i);
            MPI_Comm_free(&c);
        }
        late(i == 75 ? 3 : -1);
        c = of_group(4, all, 7);
        MPI_Comm_free(&c);
    }
}
/* The same group, with two tags at once. */
static void *second_tag(void *arg)
{
    int all[] = { 0, 1, 2 };

    if (rank == 1)
        usleep(2500000);
    of_group(3, all, 2);
    return arg;
}
static void threads_tags(void)
{
    int all[] = { 0, 1, 2 };
    pthread_t t;

    pthread_create(&t, NULL, second_tag, NULL);
    late(2);
    of_group(3, all, 1);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
static void cart_late(void)
{
    int dims[] = { 2, 2 }, periods[] = { 1, 1 }, keep[] = { 0, 1 };
    MPI_Comm grid, row;

    late(3);
    MPI_Cart_create(W, 2, dims, periods, 0, &grid);
    late(0);
    MPI_Cart_sub(grid, keep, &row);
    late(1);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, row);
}
static void merge_late(void)
{
    MPI_Comm both = between(), c;

    late(1);
    MPI_Intercomm_merge(both, rank % 2, &c);
    late(2);
    MPI_Barrier(c);
}
static void intercomm_late(void)
{
    late(3);
    between();
}
/* A leader, or another member, is late, and who has come before waits; then the
 * leaders go on before the others. */
static void intercomm_busy(void)
{
    MPI_Comm half = part(rank % 2), c;

    if (rank == 1)
        compute(5);
    late(2);
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5, &c);
    if (rank < 2)
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &one, 1, MPI_INT, 0, 1, c, NO);
    late(3);
    MPI_Intercomm_create(half, 1, W, 3 - rank % 2, 5, &c);
    MPI_Barrier(c);
}
/* The one who is to be the other leader waits for a message first. */
static void intercomm_after(void)
{
    MPI_Comm c;

    if (rank == 1)
        get(2, 4);
    late(2);
    if (rank == 2)
        put(1, 4);
    if (rank < 2)
        MPI_Intercomm_create(MPI_COMM_SELF, 0, W, 1 - rank, 5, &c);
    late(0);
    if (rank < 2)
        MPI_Barrier(c);
    MPI_Barrier(W);
}
/* Each with his right one and his left one, the even ones first. */
static void intercomm_ring(void)
{
    MPI_Comm c;

    for (int i = 0; i < 6; i++) {
        late(i % size);
        MPI_Intercomm_create(MPI_COMM_SELF, 0, W,
                             (rank + i) % 2 ? RIGHT : LEFT, 5 + i % 2, &c);
    }
}
/* Two at once between the same leaders, with two tags. */
static void *second_intercomm(void *arg)
{
    MPI_Comm c, *alone = arg;

    if (rank == 1)
        usleep(2500000);
    MPI_Intercomm_create(*alone, 0, W, 1 - rank, 2, &c);
    return NULL;
}
static void threads_intercomms(void)
{
    MPI_Comm c, alone[2];
    pthread_t t;

    MPI_Comm_dup(MPI_COMM_SELF, &alone[0]);
    MPI_Comm_dup(MPI_COMM_SELF, &alone[1]);
    pthread_create(&t, NULL, second_intercomm, &alone[1]);
    late(0);
    MPI_Intercomm_create(alone[0], 0, W, 1 - rank, 1, &c);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
/* Long groups of communicators, each made for one call. */
static void passing_comms(void)
{
    for (int i = 0; i < 60; i++) {
        MPI_Comm c = part((rank + i) % 2);

        late(i == 30 ? 2 : -1);
        MPI_Barrier(c);
        MPI_Comm_free(&c);
    }
}

/* ---------------------------------------------------------------- collective */

static void inter_bcast(void)
{
    MPI_Comm c = between();

    late(0);
    MPI_Bcast(big, BIG, MPI_BYTE,
              rank % 2 ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, c);
    late(1);
    MPI_Allreduce(&rank, &one, 1, MPI_INT, MPI_SUM, c);
    MPI_Allgather(&rank, 1, MPI_INT, other, 1, MPI_INT, c);
}
static void scan_late(void)
{
    int sum;

    late(0);
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, W);
    late(2);
    MPI_Exscan(&one, &sum, 1, MPI_INT, MPI_SUM, W);
}
/* The root gathers nothing from most of them, and from one it waits. */
static void gatherv_one(void)
{
    int *n = calloc((size_t)size, 4), *at = calloc((size_t)size, 4);

    n[2] = 1000;
    late(2);
    MPI_Gatherv(big, n[rank], MPI_BYTE, other, n, at, MPI_BYTE, 0, W);
    late(0);
    MPI_Scatterv(big, n, at, MPI_BYTE, other, n[rank], MPI_BYTE, 0, W);
}
static void alltoall_late(void)
{
    late(3);
    MPI_Alltoall(big, 10000, MPI_BYTE, other, 10000, MPI_BYTE, W);
    late(0);
    MPI_Alltoall(big, 10, MPI_BYTE, other, 10, MPI_BYTE, W);
}
static void reduce_scatter_late(void)
{
    late(1);
    MPI_Reduce_scatter_block(big, other, 1000, MPI_BYTE, MPI_BXOR, W);
    late(2);
    MPI_Allgather(big, 10000, MPI_BYTE, other, 10000, MPI_BYTE, W);
}
/* Those that only give are far ahead. */
static void reduce_ahead(void)
{
    int sum;

    late(0);
    for (int i = 0; i < 200; i++)
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, W);
    if (rank == 1)
        get(0, 1);
    late(0);
    if (rank == 0)
        put(1, 1);
}
/* The root is ahead, and waits for a word of the last one. */
static void bcast_ahead(void)
{
    late(3);
    for (int i = 0; i < 50; i++)
        MPI_Bcast(big, 100, MPI_BYTE, 0, W);
    if (rank == 0)
        get(3, 1);
    late(3);
    if (rank == 3)
        put(0, 1);
}
/* The library calls back, and that takes long: nobody is out of MPI. */
static void slow_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    compute(1);
}
static void slow_operation(void)
{
    MPI_Op op;
    int sum;

    MPI_Op_create(slow_sum, 1, &op);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, W);
    MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, W);
    MPI_Barrier(W);
}
static int slow_copy(MPI_Comm c, int key, void *extra, void *in, void *out,
                     int *flag)
{
    (void)c, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    if (rank == 1)
        sleep(2);
    return MPI_SUCCESS;
}
static void slow_callback(void)
{
    int key;

    MPI_Comm_create_keyval(slow_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(W, key, NULL);
    copy();
    MPI_Barrier(W);
}

/* As much of different types, which some have never used before; where there is
 * nothing, any type will do. */
static void amounts_of_types(void)
{
    MPI_Datatype hundred;
    int few = rank % 2 ? 1000 : 10;

    MPI_Type_contiguous(100, MPI_INT, &hundred);
    MPI_Type_commit(&hundred);
    for (int i = 0; i < 2; i++) {
        MPI_Datatype type = rank % 2 ? MPI_INT : hundred;

        late(i);
        MPI_Bcast(big, few, type, i, W);
        late(3);
        MPI_Allgather(big, rank % 2 ? 100 : 1, type, other, 400, MPI_BYTE, W);
        MPI_Scatter(rank ? NULL : big, 400, MPI_BYTE, other, rank % 2 ? 100 : 1,
                    type, 0, W);
        late(2);
        MPI_Gather(rank ? (const void *)big : MPI_IN_PLACE, 100, MPI_INT, other, 1,
                   hundred, 0, W);
        MPI_Bcast(NULL, 0, rank ? MPI_DOUBLE : MPI_CHAR, 0, W);
    }
    MPI_Type_free(&hundred);
}
/* Each gives as much as it likes. */
static void amounts_that_differ(void)
{
    int n[] = { 0, 3000, 100000, 1 }, at[] = { 0, 0, 3000, 103000 };
    MPI_Comm c = between();

    for (int i = 0; i < 2; i++) {
        late(2 - i);
        MPI_Allgatherv(big, n[rank], MPI_BYTE, other, n, at, MPI_BYTE, W);
        late(i);
        MPI_Gatherv(big, n[rank], MPI_BYTE, other, n, at, MPI_BYTE, 3, W);
        late(3);
        MPI_Allgather(big, rank % 2 ? 5000 : 10, MPI_BYTE, other,
                      rank % 2 ? 10 : 5000, MPI_BYTE, c);
    }
}
/* A reduction that is slow, with leaves that have gone on, and types of which
 * some have just been told. */
static void amounts_slow(void)
{
    int in[2] = { 1, 2 }, out[2];
    MPI_Datatype two;
    MPI_Op op;

    MPI_Op_create(slow_sum, 1, &op);
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Barrier(W);
    MPI_Reduce(in, out, rank % 2 ? 1 : 2, rank % 2 ? two : MPI_INT, op, 0, W);
    MPI_Scan(in, out, rank % 2 ? 1 : 2, rank % 2 ? two : MPI_INT, op, W);
    MPI_Barrier(W);
}

/* ------------------------------------------------------------ without blocking */

/* Several at once, on one communicator and others, and finished late and in
 * other orders than they were begun. */
static void many_collectives(void)
{
    int in[4] = { 1, 2, 3, 4 }, out[4];
    MPI_Comm c = copy();
    MPI_Request r[4];

    MPI_Iallreduce(&in[0], &out[0], 1, MPI_INT, MPI_SUM, W, &r[0]);
    MPI_Ibcast(big, BIG, MPI_BYTE, 1, c, &r[1]);
    MPI_Ibarrier(W, &r[2]);
    late(2);
    MPI_Ireduce(&in[3], &out[3], 1, MPI_INT, MPI_MAX, 0, c, &r[3]);
    if (rank % 2)
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    else
        for (int i = 3; i >= 0; i--)
            MPI_Wait(&r[i], NO);
}
static void overlapped(void)
{
    MPI_Request r;

    MPI_Ialltoall(big, 20000, MPI_BYTE, other, 20000, MPI_BYTE, W, &r);
    compute(rank == 1 ? 2.5 : 0.1);
    MPI_Wait(&r, NO);
    MPI_Barrier(W);
}
/* Begun in different orders, and finished in different ones. */
static void ibarrier_orders(void)
{
    MPI_Comm a = copy(), b = copy();
    MPI_Request r[2];

    MPI_Ibarrier(rank ? b : a, &r[0]);
    late(1);
    MPI_Ibarrier(rank ? a : b, &r[1]);
    MPI_Wait(&r[0], NO);
    late(0);
    MPI_Wait(&r[1], NO);
}
static void ibarrier_asks(void)
{
    MPI_Request r;
    int done = 0;

    late(2);
    for (MPI_Ibarrier(W, &r); !done; usleep(1000))
        MPI_Test(&r, &done, NO);
    MPI_Barrier(W);
}
/* Dynamic sparse data exchange: nobody knows who sends; Ibarrier ends it. */
static void consensus(void)
{
    MPI_Request s, b = MPI_REQUEST_NULL;
    int there, done = 0;

    late(1);
    MPI_Issend(&one, 1, MPI_INT, RIGHT, 3, W, &s);
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, 3, W, &there, NO);
        if (there)
            get(MPI_ANY_SOURCE, 3);
        if (b != MPI_REQUEST_NULL) {
            MPI_Test(&b, &done, NO);
            continue;
        }
        MPI_Test(&s, &there, NO);
        if (there)
            MPI_Ibarrier(W, &b);
    }
    MPI_Barrier(W);
}
static void persistent_collective(void)
{
    MPI_Request r[2];
    int sum;

    PERSISTENT(Barrier_init)(W, MPI_INFO_NULL, &r[0]);
    PERSISTENT(Allreduce_init)(&one, &sum, 1, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 3; i++) {
        late(i);
        MPI_Startall(2, r);
        late(i + 1);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* ------------------------------------------------------------------ neighbours */

static void neighbours(void)
{
    int dims[] = { size }, periods[] = { 0 };
    MPI_Request r;
    MPI_Comm line;

    MPI_Cart_create(W, 1, dims, periods, 0, &line);
    for (int i = 0; i < size; i++) {
        late(i);
        MPI_Neighbor_alltoall(big, 100, MPI_BYTE, other, 100, MPI_BYTE, line);
    }
    MPI_Ineighbor_allgather(big, 5000, MPI_BYTE, other, 5000, MPI_BYTE, line, &r);
    late(1);
    MPI_Wait(&r, NO);
}
/* A graph with a task that has no neighbours, and goes on at once. */
static void graph(void)
{
    int to[] = { (rank + 1) % 3, (rank + 2) % 3 }, equal[] = { 1, 1 };
    int n = rank < 3 ? 2 : 0;
    MPI_Comm c;

    MPI_Dist_graph_create_adjacent(W, n, to, equal, n, to, equal, MPI_INFO_NULL, 0,
                                   &c);
    late(2);
    MPI_Neighbor_allgather(big, 5000, MPI_BYTE, other, 5000, MPI_BYTE, c);
    if (rank == 3)
        get(0, 1);
    late(0);
    if (rank == 0)
        put(3, 1);
}

/* ---------------------------------------------------------------------- farms */

/* Whoever is ready gets the next piece; one piece is long. */
static void farm_long_piece(void)
{
    MPI_Status s;
    int left = 20, piece = 0;

    for (int active = size - 1; rank == 0 && active;) {
        MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &s);
        piece = left > 0 ? left : 0;
        active -= left-- <= 0;
        MPI_Send(&piece, 1, MPI_INT, s.MPI_SOURCE, 2, W);
    }
    while (rank) {
        put(0, 1);
        MPI_Recv(&piece, 1, MPI_INT, 0, 2, W, NO);
        if (!piece)
            break;
        compute(piece == 10 ? 2.5 : 0.01);
    }
    MPI_Barrier(W);
}
/* The master asks, and sleeps in between. */
static void farm_asks(void)
{
    int there, more = size - 1;

    while (rank == 0 && more) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &there, NO);
        if (there) {
            get(MPI_ANY_SOURCE, MPI_ANY_TAG);
            more--;
        }
        usleep(20000);
    }
    if (rank) {
        late(rank);
        late(rank == 1 ? 1 : -1);
        late(rank == 1 ? 1 : -1);
        put(0, rank);
    }
    MPI_Bcast(&one, 1, MPI_INT, 0, W);
}
/* A token goes round until it has been everywhere twice; who has it works. */
static void token(void)
{
    for (int i = 0; i < 2; i++) {
        if (rank || i)
            get(LEFT, 1);
        compute(0.6);
        put(RIGHT, 1);
    }
    if (rank == 0)
        get(LEFT, 1);
}
static void pipeline(void)
{
    for (int i = 0; i < 6; i++) {
        if (rank)
            get(rank - 1, 1);
        compute(rank == 1 ? 0.4 : 0.05);
        if (rank < size - 1)
            put(rank + 1, 1);
    }
}
static void tree_by_hand(void)
{
    late(3);
    for (int step = 1; step < size; step *= 2) {
        if (rank % (2 * step)) {
            put(rank - step, step);
            break;
        }
        if (rank + step < size)
            get(rank + step, step);
        late(rank ? rank : -1);
    }
    MPI_Bcast(&one, 1, MPI_INT, 0, W);
}
/* Of two who wait for anybody one is answered by the other in the end. */
static void any_chain(void)
{
    if (rank == 0) {
        usleep(2000000);
        put(1, 5);
    } else {
        get(MPI_ANY_SOURCE, MPI_ANY_TAG);
        if (rank < size - 1)
            put(rank + 1, 7);
    }
}
/* Receives that are taken back, and one that is not. */
static void cancelled_any(void)
{
    MPI_Request r[3];
    int was;
    MPI_Status s;

    for (int i = 0; i < 3; i++)
        MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 50 + i, W, &r[i]);
    late(1);
    MPI_Send(&rank, 1, MPI_INT, RIGHT, 51, W);
    MPI_Wait(&r[1], NO);
    late(2);
    for (int i = 0; i < 3; i += 2) {
        MPI_Cancel(&r[i]);
        MPI_Wait(&r[i], &s);
        MPI_Test_cancelled(&s, &was);
    }
    MPI_Barrier(W);
}
static void receive_freed(void)
{
    MPI_Request r = want(LEFT, 1);

    MPI_Request_free(&r);
    late(1);
    put(RIGHT, 1);
    MPI_Barrier(W);
}
static void testsome_slices(void)
{
    MPI_Request r[2] = { want(LEFT, 1), want(RIGHT, 2) };
    int n, i[2];

    late(1);
    late(1);
    put(RIGHT, 1);
    put(LEFT, 2);
    for (int done = 0; done < 2; done += n) {
        compute(0.3);
        MPI_Testsome(2, r, &n, i, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(W);
}
static void improbe(void)
{
    MPI_Message m;
    int there = 0;

    late(0);
    if (rank == 0)
        put_big(1, 4);
    while (rank == 1 && !there)
        MPI_Improbe(MPI_ANY_SOURCE, 4, W, &there, &m, NO);
    late(1);
    if (rank == 1)
        MPI_Mrecv(other, BIG, MPI_BYTE, &m, NO);
    MPI_Barrier(W);
}
static void to_itself(void)
{
    MPI_Request r;

    MPI_Isend(big, BIG, MPI_BYTE, rank, 1, W, &r);
    late(1);
    get_big(rank, 1);
    MPI_Wait(&r, NO);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Barrier(W);
}
/* Half of them have long done with MPI, the others have not. */
static void finalize_apart(void)
{
    for (int i = 0; rank > 1 && i < 3; i++) {
        late(2 + i % 2);
        MPI_Sendrecv(big, BIG, MPI_BYTE, 5 - rank, 1, other, BIG, MPI_BYTE,
                     5 - rank, 1, W, NO);
    }
}
static void after_finalize(void)
{
    MPI_Barrier(W);
    MPI_Finalize();
    if (rank == 0)
        sleep(3);
    exit(0);
}

/* -------------------------------------------------------------------- threads */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *works(void *arg)
{
    compute(2.5);
    return arg;
}
/* The main thread alone calls MPI, and waits for the others of its task. */
static void funneled(void)
{
    pthread_t t[2];

    for (int i = 0; rank == 1 && i < 2; i++)
        pthread_create(&t[i], NULL, works, NULL);
    for (int i = 0; rank == 1 && i < 2; i++)
        pthread_join(t[i], NULL);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, W);
}
/* ... or is in MPI meanwhile. */
static void funneled_inside(void)
{
    pthread_t t;

    pthread_create(&t, NULL, works, NULL);
    late(2);
    MPI_Barrier(W);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
static void *sends_in_turn(void *arg)
{
    usleep(2000000);
    pthread_mutex_lock(&turn);
    put(RIGHT, 1);
    pthread_mutex_unlock(&turn);
    return arg;
}
/* One thread asks, now and then, and lets the other send. */
static void serialized(void)
{
    MPI_Request r;
    pthread_t t;
    int done = 0;

    pthread_create(&t, NULL, sends_in_turn, NULL);
    pthread_mutex_lock(&turn);
    r = want(LEFT, 1);
    pthread_mutex_unlock(&turn);
    while (!done) {
        usleep(1000);
        pthread_mutex_lock(&turn);
        MPI_Test(&r, &done, NO);
        pthread_mutex_unlock(&turn);
    }
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
static void *serves(void *arg)
{
    int what = 1;

    while (what)
        MPI_Recv(&what, 1, MPI_INT, MPI_ANY_SOURCE, 9, W, NO);
    return arg;
}
/* A thread of each waits for what others want, until it is told to end. */
static void threads_server(void)
{
    int what = 1;
    pthread_t t;

    pthread_create(&t, NULL, serves, NULL);
    for (int i = 0; i < 3; i++) {
        compute(rank == i ? 1.2 : 0.1);
        MPI_Send(&what, 1, MPI_INT, RIGHT, 9, W);
        MPI_Barrier(W);
    }
    what = 0;
    MPI_Send(&what, 1, MPI_INT, RIGHT, 9, W);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
/* ... and waits for as long as a notice takes, while the other one goes on: with
 * much to do in between, and with nothing. */
static void threads_waiter(void)
{
    double until = MPI_Wtime() + 16, all = 0;
    MPI_Request r[2];
    int what = 0;
    pthread_t t;

    pthread_create(&t, NULL, serves, NULL);
    for (int i = 0; all < until; i++) {
        if (i % 4000 < 2000)
            compute(0.002);
        MPI_Sendrecv(big, 64, MPI_BYTE, RIGHT, 1, other, 64, MPI_BYTE, LEFT, 1, W,
                     NO);
        MPI_Irecv(other, 64, MPI_BYTE, LEFT, 2, W, &r[0]);
        MPI_Isend(big, 64, MPI_BYTE, RIGHT, 2, W, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        if (i % 100 == 0) {
            all = MPI_Wtime();
            MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_MAX, W);
        }
    }
    MPI_Send(&what, 1, MPI_INT, RIGHT, 9, W);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
static MPI_Request general;
static int query(void *x, MPI_Status *s)
{
    (void)x;
    MPI_Status_set_elements(s, MPI_BYTE, 0);
    MPI_Status_set_cancelled(s, 0);
    return MPI_SUCCESS;
}
static int nothing(void *x) { (void)x; return MPI_SUCCESS; }
static int not(void *x, int flag) { (void)x, (void)flag; return MPI_SUCCESS; }
static void *completes(void *arg)
{
    usleep(2500000);
    MPI_Grequest_complete(general);
    return arg;
}
/* A request that another thread of the task completes. */
static void threads_request(void)
{
    pthread_t t;

    MPI_Grequest_start(query, nothing, not, NULL, &general);
    pthread_create(&t, NULL, completes, NULL);
    MPI_Wait(&general, NO);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}
/* Two threads, each with a communicator of its own: one of them is late. */
static MPI_Comm mine[2];
static void *meets(void *arg)
{
    if (rank == 1)
        usleep(2500000);
    MPI_Barrier(mine[1]);
    return arg;
}
static void threads_comms(void)
{
    pthread_t t;

    mine[0] = copy();
    mine[1] = copy();
    pthread_create(&t, NULL, meets, NULL);
    late(0);
    MPI_Barrier(mine[0]);
    pthread_join(t, NULL);
    MPI_Barrier(W);
}

static const struct mini all[] = {
    { "split", 3, "", split_late },
    { "dup", 3, "", dup_late },
    { "create-group", 4, "", create_group_late },
    { "create-group-busy", 4, "", create_group_busy },
    { "create-group-after", 4, "", create_group_after },
    { "create-group-overlap", 4, "", create_group_overlap },
    { "create-group-many", 4, "", create_group_many },
    { "threads-tags", 3, "", threads_tags },
    { "intercomm-busy", 4, "", intercomm_busy },
    { "intercomm-after", 3, "", intercomm_after },
    { "intercomm-ring", 4, "", intercomm_ring },
    { "threads-intercomms", 2, "", threads_intercomms },
    { "cart", 4, "", cart_late },
    { "merge", 4, "", merge_late },
    { "intercomm", 4, "", intercomm_late },
    { "passing-comms", 4, "", passing_comms },
    { "inter-bcast", 4, "", inter_bcast },
    { "scan", 4, "", scan_late },
    { "gatherv-one", 4, "", gatherv_one },
    { "alltoall", 4, "", alltoall_late },
    { "reduce-scatter", 4, "", reduce_scatter_late },
    { "reduce-ahead", 4, "", reduce_ahead },
    { "bcast-ahead", 4, "", bcast_ahead },
    { "slow-operation", 3, "", slow_operation },
    { "slow-callback", 3, "", slow_callback },
    { "amounts-of-types", 4, "", amounts_of_types },
    { "amounts-that-differ", 4, "", amounts_that_differ },
    { "amounts-slow", 4, "", amounts_slow },
    { "many-collectives", 4, "", many_collectives },
    { "overlapped", 3, "", overlapped },
    { "ibarrier-orders", 2, "", ibarrier_orders },
    { "ibarrier-asks", 3, "", ibarrier_asks },
    { "consensus", 3, "", consensus },
    { "persistent-collective", 3, "", persistent_collective },
    { "neighbours", 3, "", neighbours },
    { "graph", 4, "", graph },
    { "farm-long-piece", 4, "", farm_long_piece },
    { "farm-asks", 3, "", farm_asks },
    { "token", 4, "", token },
    { "pipeline", 4, "", pipeline },
    { "tree-by-hand", 4, "", tree_by_hand },
    { "any-chain", 4, "", any_chain },
    { "cancelled-any", 3, "", cancelled_any },
    { "receive-freed", 3, "", receive_freed },
    { "testsome-slices", 3, "", testsome_slices },
    { "improbe", 2, "", improbe },
    { "to-itself", 2, "", to_itself },
    { "finalize-apart", 4, "", finalize_apart },
    { "after-finalize", 3, "", after_finalize },
    { "funneled", 3, "", funneled },
    { "funneled-inside", 3, "", funneled_inside },
    { "serialized", 3, "", serialized },
    { "threads-server", 3, "", threads_server },
    { "threads-waiter", 2, "", threads_waiter },
    { "threads-request", 2, "", threads_request },
    { "threads-comms", 2, "", threads_comms },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
