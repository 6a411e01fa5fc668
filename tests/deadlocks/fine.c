/* fine.c - small MPI programs that look like those of stuck.c for a while, and
 * are correct: somebody comes late. */
#include "mini.h"

#include <pthread.h>

static void recv_late(void)
{
    late(1);
    if (rank == 0)
        get(1, 1);
    else if (rank == 1)
        put(0, 1);
}
static void ring_late(void)
{
    late(2);
    if (rank == 2)
        put(RIGHT, 1);
    get(LEFT, 1);
    if (rank != 2)
        put(RIGHT, 1);
}
static void long_messages(void)
{
    size_t n = (size_t)256 << 20;
    char *much = malloc(n);

    memset(much, 1, n);
    for (int i = 0; i < 4; i++)
        if (rank == 0)
            MPI_Send(much, (int)n, MPI_BYTE, 1, 1, W);
        else if (rank == 1)
            MPI_Recv(much, (int)n, MPI_BYTE, 0, 1, W, NO);
}
static void send_late(void)
{
    late(1);
    if (rank == 0)
        put_big(1, 1);
    else if (rank == 1)
        get_big(0, 1);
}
static void any_source_late(void)
{
    late(3);
    for (int i = 1; rank == 0 && i < size; i++)
        get(MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (rank)
        put(0, rank);
    if (rank == 0)
        for (int i = 1; i < size; i++)
            put(i, 1);
    else
        get(0, 1);
}
static void barrier_late(void) { late(2); MPI_Barrier(W); }
static void bcast_late(void)
{
    late(1);
    MPI_Bcast(&one, 1, MPI_INT, 1, W);
    MPI_Barrier(W);
}
static void reduce_late(void)
{
    int sum, *all = calloc((size_t)size, sizeof(int));

    late(3);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, W);
    MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 2, W);
    MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, W);
}
static void orders_late(void)
{
    MPI_Comm a = copy(), b = copy();

    late(0);
    MPI_Barrier(a);
    late(1);
    MPI_Barrier(b);
}
static void grid_late(void)
{
    MPI_Comm row = part(rank / 2), column = part(rank % 2);

    late(3);
    MPI_Barrier(row);
    MPI_Barrier(column);
}
static void halves(void)
{
    MPI_Comm c = part(rank / 2);

    late(0);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(c);
    MPI_Barrier(W);
}
static void waitall_late(void)
{
    MPI_Request r[4] = { want(LEFT, 1), want(RIGHT, 2) };
    int a = 0, b = 0;

    late(1);
    MPI_Isend(&a, 1, MPI_INT, RIGHT, 1, W, &r[2]);
    MPI_Isend(&b, 1, MPI_INT, LEFT, 2, W, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}
static void waitany_late(void)
{
    MPI_Request r[2];
    int i, rest;

    late(2);
    if (rank == 0) {
        r[0] = want(1, 1);
        r[1] = want(2, 1);
        MPI_Waitany(2, r, &i, NO);
        put(1, 7);
        rest = !i;
        MPI_Wait(&r[rest], NO);
    } else if (rank == 1) {
        get(0, 7);
        put(0, 1);
    } else if (rank == 2) {
        put(0, 1);
    }
}
static void waitsome_late(void)
{
    MPI_Request r[2] = { want(LEFT, 1), want(RIGHT, 2) };
    int n, i[2];

    late(3);
    put(RIGHT, 1);
    put(LEFT, 2);
    for (int done = 0; done < 2; done += n)
        MPI_Waitsome(2, r, &n, i, MPI_STATUSES_IGNORE);
}
static void isend_isend(void)
{
    MPI_Request r;

    MPI_Isend(big, BIG, MPI_BYTE, RIGHT, 1, W, &r);
    late(0);
    get_big(LEFT, 1);
    MPI_Wait(&r, NO);
}
static void persistent_late(void)
{
    MPI_Request r[2];
    int in;

    MPI_Recv_init(&in, 1, MPI_INT, LEFT, 1, W, &r[0]);
    MPI_Send_init(&one, 1, MPI_INT, RIGHT, 1, W, &r[1]);
    for (int i = 0; i < 100; i++) {
        late(i == 50 ? 1 : -1);
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}
static void probe_late(void)
{
    late(1);
    if (rank == 0) {
        MPI_Probe(MPI_ANY_SOURCE, 1, W, NO);
        get(1, 1);
    } else if (rank == 1) {
        put(0, 1);
    }
    MPI_Barrier(W);
}
static void mprobe_late(void)
{
    MPI_Message m;

    late(1);
    if (rank == 0) {
        MPI_Mprobe(1, 1, W, &m, NO);
        MPI_Mrecv(&one, 1, MPI_INT, &m, NO);
    } else if (rank == 1) {
        put(0, 1);
    }
    MPI_Barrier(W);
}
/* What was matched is taken late, and what was not sent yet is sent late. */
static void matched(int by_request)
{
    MPI_Request r[3];
    MPI_Message m;

    if (rank == 0) {
        MPI_Isend(big, BIG, MPI_BYTE, 1, 1, W, &r[0]);
        MPI_Isend(big, 4090, MPI_BYTE, 1, 2, W, &r[1]);
        MPI_Irecv(&one, 1, MPI_INT, 1, 3, W, &r[2]);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        compute(2);
        put(1, 1);
    } else if (rank == 1) {
        MPI_Mprobe(0, 1, W, &m, NO);
        MPI_Recv(other, 4090, MPI_BYTE, 0, 2, W, NO);
        compute(2);
        if (by_request)
            MPI_Imrecv(other, BIG, MPI_BYTE, &m, &r[0]);
        else
            MPI_Mrecv(other, BIG, MPI_BYTE, &m, NO);
        compute(2);
        put(0, 3);
        if (by_request)
            MPI_Wait(&r[0], NO);
        get(0, 1);
    }
    MPI_Barrier(W);
}
static void matched_mrecv(void) { matched(0); }
static void matched_imrecv(void) { matched(1); }
/* A receive of the same kind is made while one message is matched. */
static void matched_before(void)
{
    MPI_Request r[2];
    MPI_Message m;

    if (rank == 0) {
        put_big(1, 1);
        get(1, 2);
        compute(2);
        put_big(1, 1);
    } else if (rank == 1) {
        MPI_Mprobe(0, 1, W, &m, NO);
        MPI_Irecv(big, BIG, MPI_BYTE, 0, 1, W, &r[1]);
        compute(2);
        MPI_Imrecv(other, BIG, MPI_BYTE, &m, &r[0]);
        MPI_Wait(&r[0], NO);
        put(0, 2);
        MPI_Wait(&r[1], NO);
    }
    MPI_Barrier(W);
}
static void sendrecv_late(void)
{
    late(2);
    MPI_Sendrecv(big, BIG, MPI_BYTE, RIGHT, 1, other, BIG, MPI_BYTE, LEFT, 1,
                 W, NO);
}
static void sendrecv_self(void)
{
    MPI_Sendrecv(big, BIG, MPI_BYTE, rank, 1, other, BIG, MPI_BYTE, rank, 1, W,
                 NO);
    late(0);
    MPI_Barrier(W);
}
static void open_ends(void)
{
    late(0);
    MPI_Sendrecv(&one, 1, MPI_INT, rank < size - 1 ? RIGHT : MPI_PROC_NULL, 1,
                 other, 1, MPI_INT, rank ? LEFT : MPI_PROC_NULL, 1, W, NO);
}
static void inter_late(void)
{
    MPI_Comm c = between();

    late(1);
    MPI_Barrier(c);
    if (rank % 2)
        MPI_Send(&one, 1, MPI_INT, rank / 2, 1, c);
    else
        MPI_Recv(&one, 1, MPI_INT, rank / 2, 1, c, NO);
}
static void ibarrier_late(void)
{
    MPI_Request r;

    MPI_Ibarrier(W, &r);
    late(2);
    MPI_Wait(&r, NO);
}
static void alltoallv_zero(void)
{
    int *n = calloc((size_t)size, sizeof(int)), *at = calloc((size_t)size, 4);

    late(1);
    MPI_Alltoallv(big, n, at, MPI_BYTE, other, n, at, MPI_BYTE, W);
    MPI_Barrier(W);
}
static void fence_late(void)
{
    MPI_Win w = window();

    MPI_Win_fence(0, w);
    late(1);
    MPI_Put(&one, 1, MPI_INT, RIGHT, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}
static void lock_late(void)
{
    MPI_Win w = window();

    for (int i = 0; i < 2; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w);
        MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w);
        late(i ? -1 : 0);
        MPI_Win_unlock(2, w);
    }
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void post_late(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        MPI_Win_post(only(1), 0, w);
        MPI_Win_wait(w);
    } else if (rank == 1) {
        MPI_Win_start(only(0), 0, w);
        late(1);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_complete(w);
    }
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void spin_late(void)
{
    MPI_Request r;
    int done = 0;

    late(1);
    if (rank == 0) {
        for (r = want(1, 1); !done;)
            MPI_Test(&r, &done, NO);
    } else if (rank == 1) {
        put(0, 1);
    }
    MPI_Barrier(W);
}
static void spin_gives_up(void)
{
    int there = 0;

    for (int i = 0; rank == 0 && i < 1500 && !there; i++) {
        MPI_Iprobe(1, 1, W, &there, NO);
        usleep(1000);
    }
    MPI_Barrier(W);
}
static void unexpected(void)
{
    late(1);
    for (int i = 0; i < 500; i++)
        if (rank == 0)
            put(1, i);
        else if (rank == 1)
            get(0, 499 - i);
    MPI_Barrier(W);
}
static void bsend(void)
{
    int n = 2 * BIG, room;
    void *buffer = malloc((size_t)n);

    MPI_Buffer_attach(buffer, n);
    MPI_Bsend(big, BIG, MPI_BYTE, RIGHT, 1, W);
    late(0);
    get_big(LEFT, 1);
    MPI_Buffer_detach(&buffer, &room);
}
/* What lies in the buffer goes when it is asked for: in the call that its receiver is
 * in, by a request of his, or later. */
static void buffer_detach(void)
{
    int n = 3 * BIG, room;
    void *buffer = malloc((size_t)n);
    MPI_Request r;

    for (int how = 0; how < 3; how++) {
        MPI_Buffer_attach(buffer, n);
        if (rank == 0)
            MPI_Bsend(big, BIG, MPI_BYTE, 1, 1, W);
        if (rank == 1 && how == 1)
            MPI_Irecv(other, BIG, MPI_BYTE, 0, 1, W, &r);
        if (rank == 1 && how == 2)
            late(1);
        if (rank == 0 || how == 1)
            MPI_Buffer_detach(&buffer, &room);
        if (rank == 1 && how != 1)
            MPI_Recv(other, BIG, MPI_BYTE, 0, 1, W, NO);
        if (rank == 1 && how == 1)
            MPI_Wait(&r, NO);
        if (rank != 0 && how != 1)
            MPI_Buffer_detach(&buffer, &room);
        MPI_Barrier(W);
    }
}
static void finalize_late(void) { late(0); }
static void others_finalize(void)
{
    if (rank > 1)
        return;
    late(1);
    if (rank == 0)
        get(1, 1);
    else
        put(0, 1);
}
static void two_pairs(void)
{
    late(0);
    if (rank == 0)
        put(1, 1);
    if (rank == 1) {
        get(0, 1);
        put(2, 1);
    }
    if (rank == 2) {
        get(1, 1);
        put(3, 1);
    }
    if (rank == 3)
        get(2, 1);
}
static void *sender(void *arg)
{
    (void)arg;
    usleep(1500000);
    put(RIGHT, 1);
    return NULL;
}
static void threads(void)
{
    pthread_t t;

    pthread_create(&t, NULL, sender, NULL);
    get(LEFT, 1);
    pthread_join(t, NULL);
}
static void cancelled(void)
{
    MPI_Request r = want(RIGHT, 99);

    late(1);
    MPI_Barrier(W);
    MPI_Cancel(&r);
    MPI_Wait(&r, NO);
}

/* Rank 2 waits for what rank 1 sends when it has got its part. */
static void bcast_before(void)
{
    if (rank == 2)
        get(1, 1);
    late(0);
    MPI_Bcast(big, BIG, MPI_BYTE, 0, W);
    if (rank == 1)
        put(2, 1);
}
static void window_late(void)
{
    MPI_Win w = window();

    late(1);
    MPI_Win_free(&w);
}
static void serial_after(void)
{
    for (int i = 0; i < 2000; i++)
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, W);
    late(0);
    late(0);
    MPI_Barrier(W);
}

static const struct mini all[] = {
    { "recv", 2, "", recv_late },
    { "ring", 4, "", ring_late },
    { "long-messages", 2, "", long_messages },
    { "send", 2, "", send_late },
    { "any-source", 4, "", any_source_late },
    { "barrier", 4, "", barrier_late },
    { "bcast", 4, "", bcast_late },
    { "reduce", 4, "", reduce_late },
    { "orders", 2, "", orders_late },
    { "grid", 4, "", grid_late },
    { "halves", 4, "", halves },
    { "waitall", 4, "", waitall_late },
    { "waitany", 3, "", waitany_late },
    { "waitsome", 4, "", waitsome_late },
    { "isend-isend", 2, "", isend_isend },
    { "persistent", 3, "", persistent_late },
    { "probe", 2, "", probe_late },
    { "mprobe", 2, "", mprobe_late },
    { "mrecv", 2, "", matched_mrecv },
    { "imrecv", 2, "", matched_imrecv },
    { "imrecv-before", 2, "", matched_before },
    { "sendrecv", 3, "", sendrecv_late },
    { "sendrecv-self", 2, "", sendrecv_self },
    { "open-ends", 4, "", open_ends },
    { "inter", 4, "", inter_late },
    { "ibarrier", 3, "", ibarrier_late },
    { "alltoallv-zero", 3, "", alltoallv_zero },
    { "fence", 3, "", fence_late },
    { "lock", 4, "", lock_late },
    { "post", 2, "", post_late },
    { "spin", 2, "", spin_late },
    { "spin-gives-up", 2, "", spin_gives_up },
    { "unexpected", 2, "", unexpected },
    { "bsend", 2, "", bsend },
    { "buffer-detach", 2, "", buffer_detach },
    { "finalize", 3, "", finalize_late },
    { "others-finalize", 4, "", others_finalize },
    { "two-pairs", 4, "", two_pairs },
    { "threads", 3, "", threads },
    { "cancelled", 2, "", cancelled },
    { "bcast-before", 3, "", bcast_before },
    { "window", 3, "", window_late },
    { "serial-after", 4, "", serial_after },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
