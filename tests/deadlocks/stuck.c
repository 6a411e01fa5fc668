/* stuck.c - small MPI programs that deadlock, each in another way. The words are
 * those of the verdict; "@0,2" before them: these tasks are among those blamed.
 * Whatever line is named in one has to be marked by an exclamation. */
#include "mini.h"

static void recv_cycle(void) { get(RIGHT, 1); } /*!*/
static void recv_self(void)
{
    if (rank == 0)
        get(0, 1); /*!*/
    MPI_Barrier(W);
}
static void send_ring(void) { put_big(RIGHT, 1); get_big(LEFT, 1); } /*!*/
static void ssend_ring(void)
{
    MPI_Ssend(&one, 1, MPI_INT, RIGHT, 1, W); /*!*/
    get(LEFT, 1);
}
static void wrong_tag(void)
{
    if (rank == 0)
        MPI_Ssend(&one, 1, MPI_INT, 1, 1, W); /*!*/
    else
        get(0, 2); /*!*/
}
static void wrong_comm(void)
{
    MPI_Comm c = copy();

    if (rank == 0)
        MPI_Ssend(&one, 1, MPI_INT, 1, 1, W); /*!*/
    else
        MPI_Recv(&one, 1, MPI_INT, 0, 1, c, NO); /*!*/
}
static void wrong_source(void)
{
    if (rank == 0)
        get(2, 1); /*!*/
    else if (rank == 1)
        MPI_Ssend(&one, 1, MPI_INT, 0, 1, W);
    else
        get(0, 1); /*!*/
}
static void any_source(void) { get(rank ? 0 : MPI_ANY_SOURCE, 1); } /*!*/
static void any_source_part(void)
{
    MPI_Comm c = part(rank / 2);

    if (rank % 2 == 0)
        MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, NO); /*!*/
    else
        MPI_Recv(&one, 1, MPI_INT, 0, 1, c, NO); /*!*/
}
static void master_waits_for_one_more(void)
{
    for (int i = 1; rank == 0 && i <= size; i++)
        get(MPI_ANY_SOURCE, 1); /*!*/
    if (rank)
        put(0, 1);
    MPI_Barrier(W); /*!*/
}
/* The result of rank 2 is lost; rank 1 has had nothing to do for longer. */
static void result_lost(void)
{
    for (int r = 1; rank == 0 && r < size; r++)
        put(r, 1);
    for (int r = 1; rank == 0 && r < size; r++)
        get(MPI_ANY_SOURCE, 2); /*!*/
    if (rank == 0)
        return;
    get(0, 1); /*!*/
    late(2);
    if (rank != 2)
        put(0, 2);
    get(0, 1); /*!*/
}
static void gone(void)
{
    if (rank == 0)
        get(1, 1); /*!*/
}
static void barrier_missing(void)
{
    if (rank == 2)
        get(0, 1); /*!*/
    MPI_Barrier(W); /*!*/
}
static void barrier_skipped(void)
{
    if (rank != 1)
        MPI_Barrier(W); /*!*/
}
static void bcast_skipped(void)
{
    if (rank != 0)
        MPI_Bcast(&one, 1, MPI_INT, 0, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void mismatch(void)
{
    int sum;

    if (rank == 0)
        MPI_Barrier(W); /*!*/
    else
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W); /*!*/
}
static void mismatch_reduce(void)
{
    int sum, *all = calloc((size_t)size, sizeof(int));

    if (rank == 0)
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, W); /*!*/
    else
        MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, W); /*!*/
}
static void mismatch_left(void)
{
    if (rank == 0) {
        MPI_Bcast(&one, 1, MPI_INT, 0, W); /*!*/
        get(1, 1);
    } else {
        MPI_Barrier(W); /*!*/
    }
}
static void roots(void) { MPI_Bcast(&one, 1, MPI_INT, RIGHT, W); } /*!*/
static void roots_scatter(void)
{
    int *from = calloc((size_t)size, sizeof(int));

    MPI_Scatter(from, 1, MPI_INT, &one, 1, MPI_INT, rank ? 0 : 1, W); /*!*/
    if (rank == 1)
        get(0, 1);
}
static void orders(void)
{
    MPI_Comm a = copy(), b = copy();

    MPI_Barrier(rank ? a : b); /*!*/
    MPI_Barrier(rank ? b : a);
}
static void orders_grid(void)
{
    MPI_Comm row = part(rank / 2), column = part(rank % 2);
    int rows_first = rank == 0 || rank == 3;

    MPI_Barrier(rows_first ? row : column); /*!*/
    MPI_Barrier(rows_first ? column : row);
}
static void waitall_nobody(void)
{
    MPI_Request r[2];

    if (rank == 0) {
        r[0] = want(1, 1);
        r[1] = want(1, 2); /*!*/
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /*!*/
    } else {
        put(0, 1);
    }
    MPI_Barrier(W); /*!*/
}
static void wait_nobody(void)
{
    MPI_Request r = want(RIGHT, rank); /*!*/

    MPI_Wait(&r, NO); /*!*/
}
static void waitany(void)
{
    MPI_Request r[2];
    int i;

    if (rank == 0) {
        r[0] = want(1, 1); /*!*/
        r[1] = want(2, 1); /*!*/
        MPI_Waitany(2, r, &i, NO); /*!*/
    } else {
        get(0, 1); /*!*/
    }
}
static void waitsome(void)
{
    MPI_Request r[2] = { want(LEFT, 1), want(RIGHT, 2) }; /*!*/
    int n, i[2];

    MPI_Waitsome(2, r, &n, i, MPI_STATUSES_IGNORE); /*!*/
}
static void isend_wait(void)
{
    MPI_Request r;

    MPI_Isend(big, BIG, MPI_BYTE, RIGHT, 1, W, &r); /*!*/
    MPI_Wait(&r, NO); /*!*/
    get_big(LEFT, 1);
}
static void persistent(void)
{
    MPI_Request r;

    MPI_Recv_init(&one, 1, MPI_INT, RIGHT, 1, W, &r); /*!*/
    MPI_Start(&r);
    MPI_Wait(&r, NO); /*!*/
}
static void persistent_not_started(void)
{
    MPI_Request r;

    if (rank == 0) {
        get(1, 1); /*!*/
    } else {
        MPI_Send_init(&one, 1, MPI_INT, 0, 1, W, &r);
        MPI_Barrier(W); /*!*/
    }
}
static void probe(void)
{
    MPI_Probe(RIGHT, 1, W, NO); /*!*/
}
static void mprobe(void)
{
    MPI_Message m;

    if (rank == 0)
        MPI_Mprobe(MPI_ANY_SOURCE, 1, W, &m, NO); /*!*/
    else
        get(0, 1); /*!*/
}
static void sendrecv(void)
{
    MPI_Sendrecv(big, BIG, MPI_BYTE, RIGHT, 1, other, BIG, MPI_BYTE, RIGHT, 1, /*!*/
                 W, NO);
}
static void inter_barrier(void)
{
    MPI_Comm c = between();

    if (rank % 2 == 0)
        MPI_Barrier(c); /*!*/
    else
        MPI_Recv(&one, 1, MPI_INT, rank / 2, 1, c, NO); /*!*/
}
static void inter_recv(void)
{
    MPI_Comm c = between();

    MPI_Recv(&one, 1, MPI_INT, rank / 2, 1, c, NO); /*!*/
}
static void ibarrier(void)
{
    MPI_Request r;

    if (rank == 0) {
        MPI_Ibarrier(W, &r); /*!*/
        MPI_Wait(&r, NO); /*!*/
    } else {
        get(0, 1); /*!*/
    }
}
static void dup_missing(void)
{
    if (rank == 0)
        copy(); /*!*/
    else
        get(0, 1); /*!*/
}
static void fence(void)
{
    MPI_Win w = window();

    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Win_fence(0, w); /*!*/
    else
        MPI_Barrier(W); /*!*/
}
static void win_free(void)
{
    MPI_Win w = window();

    if (rank == 0)
        MPI_Barrier(W); /*!*/
    else
        get(0, 1); /*!*/
    MPI_Win_free(&w);
}
static void lock(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w);
        MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w);
        MPI_Win_flush(2, w);
        put(1, 1);
        MPI_Barrier(W); /*!*/
        MPI_Win_unlock(2, w);
    } else if (rank == 1) {
        get(0, 1);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w); /*!*/
        MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w);
        MPI_Win_unlock(2, w);
        MPI_Barrier(W);
    } else {
        MPI_Barrier(W);
    }
}
static void wait_for_complete(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        MPI_Win_post(only(1), 0, w);
        MPI_Win_wait(w); /*!*/
    } else {
        get(0, 1); /*!*/
    }
}
static void start_without_post(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        MPI_Win_start(only(1), 0, w); /*!*/
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
        MPI_Win_complete(w);
    }
    MPI_Barrier(W); /*!*/
}
static void spin_test(void)
{
    MPI_Request r;
    int done = 0;

    if (rank)
        get(0, 1); /*!*/
    r = want(1, 1); /*!*/
    while (!done)
        MPI_Test(&r, &done, NO); /*!*/
}
static void spin_iprobe(void)
{
    int there = 0;

    if (rank)
        get(0, 1); /*!*/
    while (!there) {
        MPI_Iprobe(1, 1, W, &there, NO); /*!*/
        usleep(1000);
    }
}
static void spin_both(void)
{
    MPI_Request r = want(RIGHT, rank); /*!*/
    int done = 0, i;

    while (!done)
        MPI_Testany(1, &r, &i, &done, NO); /*!*/
}

/* Of what it asks for in one question, one message is there. */
static void spin_testall_half(void)
{
    MPI_Request r[2];
    int done = 0;

    if (rank) {
        put(0, 1); /*!*/
        get(0, 1); /*!*/
    }
    r[0] = want(1, 1); /*!*/
    r[1] = want(1, 2); /*!*/
    while (!done)
        MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE); /*!*/
}
/* What one member has freed the others still use. */
static void comm_freed(void)
{
    MPI_Comm c = copy(); /*!*/

    MPI_Barrier(c); /*!*/
    if (rank == 1)
        MPI_Comm_free(&c); /*!*/
    else
        MPI_Barrier(c); /*!*/
}
static void comm_freed_recv(void)
{
    MPI_Comm c = copy(); /*!*/

    if (rank == 1)
        MPI_Comm_free(&c); /*!*/
    else
        MPI_Recv(&one, 1, MPI_INT, rank ? 0 : MPI_ANY_SOURCE, 1, c, NO); /*!*/
    MPI_Barrier(W); /*!*/
}
/* ... and goes on with something else. */
static void comm_freed_busy(void)
{
    MPI_Comm c = copy(); /*!*/

    if (rank != 1)
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, c); /*!*/
    MPI_Comm_free(&c); /*!*/
    while (rank == 1)
        usleep(1000);
}
static void comm_disconnect(void)
{
    MPI_Comm c = copy(); /*!*/

    if (rank != 1)
        MPI_Comm_disconnect(&c); /*!*/
    else
        get(0, 1); /*!*/
}
static void win_free_skipped(void)
{
    MPI_Win w = window(); /*!*/

    if (rank != 1)
        MPI_Win_free(&w); /*!*/
}
static void win_free_fence(void)
{
    MPI_Win w = window(); /*!*/

    if (rank == 1) {
        get(0, 1); /*!*/
        MPI_Win_fence(0, w); /*!*/
    } else {
        MPI_Win_free(&w); /*!*/
    }
}
static void win_create_skipped(void)
{
    if (rank != 1)
        window(); /*!*/
    MPI_Barrier(W); /*!*/
}
static void split_skipped(void)
{
    if (rank != 1)
        part(rank % 2); /*!*/
    MPI_Barrier(W); /*!*/
}
static void dup_skipped(void)
{
    if (rank != 1)
        copy(); /*!*/
}
/* Each of the next with messages of a given size. */
static void send_n(void) { put_n(RIGHT, 1); get_n(LEFT, 1); } /*!*/
static void sendrecv_tag_n(void)
{
    MPI_Sendrecv(big, bytes, MPI_BYTE, 1 - rank, 1, other, bytes, MPI_BYTE, /*!*/
                 1 - rank, 1 + rank, W, NO);
}
static void sendrecv_skipped_n(void)
{
    if (rank != 1)
        MPI_Sendrecv(big, bytes, MPI_BYTE, RIGHT, 1, other, bytes, MPI_BYTE, /*!*/
                     LEFT, 1, W, NO);
}
static void sendrecv_partner_n(void)
{
    MPI_Sendrecv(big, bytes, MPI_BYTE, RIGHT, 1, other, bytes, MPI_BYTE, /*!*/
                 rank == 2 ? RIGHT : LEFT, 1, W, NO);
}
/* One of the messages of an exchange is not sent. */
static void waitall_lost_n(void)
{
    MPI_Request r[4];
    int n = 0;

    MPI_Irecv(other, bytes, MPI_BYTE, LEFT, 1, W, &r[n++]); /*!*/
    MPI_Irecv(&one, 1, MPI_INT, RIGHT, 2, W, &r[n++]);
    MPI_Isend(&rank, 1, MPI_INT, LEFT, 2, W, &r[n++]);
    if (rank != 1)
        MPI_Isend(big, bytes, MPI_BYTE, RIGHT, 1, W, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE); /*!*/
    MPI_Barrier(W); /*!*/
}
static void isend_tag_n(void)
{
    MPI_Request r;

    MPI_Isend(big, bytes, MPI_BYTE, RIGHT, rank == 1 ? 7 : 1, W, &r); /*!*/
    get_n(LEFT, 1); /*!*/
    MPI_Wait(&r, NO); /*!*/
    MPI_Barrier(W); /*!*/
}
/* Rank 1 takes the message after the barrier: fine where it is sent at once. */
static void taken_late_n(void)
{
    MPI_Request r[2];

    if (rank == 0) {
        MPI_Isend(big, bytes, MPI_BYTE, 1, 1, W, &r[0]); /*!*/
        r[1] = want(2, 2); /*!*/
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /*!*/
    } else if (rank == 2) {
        usleep(3000000);
        put(0, 2); /*!*/
    }
    MPI_Barrier(W); /*!*/
    if (rank == 1)
        get_n(0, 1); /*!*/
}
/* What was sent before, and is never asked for, does not help. */
static void left_over_n(void)
{
    for (int i = 0; i < 3; i++)
        MPI_Bsend(big, bytes, MPI_BYTE, RIGHT, 5 + i, W); /*!*/
    get_n(LEFT, 1); /*!*/
}
static void buffered(void)
{
    static char room[1 << 20];

    MPI_Buffer_attach(room, sizeof(room));
    left_over_n();
}
/* The buffer is emptied by nobody, for who has to receive it comes later. */
static void buffer_detach(void)
{
    int n = 2 * BIG, room;
    void *buffer = malloc((size_t)n);

    MPI_Buffer_attach(buffer, n);
    if (rank == 0) {
        MPI_Bsend(big, BIG, MPI_BYTE, 1, 1, W);
        MPI_Buffer_detach(&buffer, &room); /*!*/
    }
    MPI_Barrier(W); /*!*/
    if (rank == 1)
        get_big(0, 1);
}
/* ... and what he waits for is another message. */
static void buffer_detach_tag(void)
{
    int n = 2 * BIG, room;
    void *buffer = malloc((size_t)n);

    MPI_Buffer_attach(buffer, n);
    if (rank == 0)
        MPI_Bsend(big, BIG, MPI_BYTE, 1, 1, W); /*!*/
    if (rank == 1)
        get_big(0, 2); /*!*/
    MPI_Buffer_detach(&buffer, &room); /*!*/
    MPI_Barrier(W); /*!*/
}
/* Of what comes of anybody nothing is left. */
static void any_taken(void)
{
    for (int i = 0; rank == 0 && i < 2 * (size - 1) + 1; i++)
        get(MPI_ANY_SOURCE, MPI_ANY_TAG); /*!*/
    for (int i = 0; rank && i < 2; i++)
        put(0, 10 * rank + i);
    MPI_Barrier(W); /*!*/
}

/* Sends of other kinds. */
static void issend_ring(void)
{
    MPI_Request r;

    MPI_Issend(&one, 1, MPI_INT, RIGHT, 1, W, &r); /*!*/
    MPI_Wait(&r, NO); /*!*/
    get(LEFT, 1);
}
static void ssend_self(void)
{
    if (rank == 0)
        MPI_Ssend(&one, 1, MPI_INT, 0, 1, W); /*!*/
    MPI_Barrier(W);
}
static void persistent_ssend(void)
{
    MPI_Request r;

    MPI_Ssend_init(&one, 1, MPI_INT, RIGHT, 1, W, &r); /*!*/
    MPI_Start(&r);
    MPI_Wait(&r, NO); /*!*/
}
static void waitany_sends(void)
{
    MPI_Request r[2];
    int i;

    if (rank == 0) {
        MPI_Issend(&one, 1, MPI_INT, 1, 1, W, &r[0]); /*!*/
        MPI_Issend(&one, 1, MPI_INT, 2, 1, W, &r[1]); /*!*/
        MPI_Waitany(2, r, &i, NO); /*!*/
    }
    MPI_Barrier(W); /*!*/
}
static void replace(void)
{
    MPI_Sendrecv_replace(big, 1000, MPI_BYTE, RIGHT, 1, /*!*/
                         rank == 1 ? RIGHT : LEFT, 1, W, NO);
}
static void inter_ssend(void)
{
    MPI_Comm c = between();

    MPI_Ssend(&one, 1, MPI_INT, rank / 2, 1, c); /*!*/
    MPI_Recv(&one, 1, MPI_INT, rank / 2, 1, c, NO);
}
static void any_other_comm(void)
{
    MPI_Comm c = copy();

    if (rank == 0)
        MPI_Ssend(&one, 1, MPI_INT, 1, 1, W); /*!*/
    else
        MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, NO); /*!*/
}

/* Farms and rings in which a message has been forgotten. */
static void stop_missing(void)
{
    for (int r = 1; rank == 0 && r < size; r++) {
        get(MPI_ANY_SOURCE, 1);
        if (r < size - 1)
            put(r, 2);
    }
    if (rank) {
        put(0, 1);
        get(0, 2); /*!*/
    }
    MPI_Barrier(W); /*!*/
}
static void answer_tag(void)
{
    if (rank == 0) {
        put(1, 1);
        get(1, 8); /*!*/
    } else {
        get(0, 1);
        put(0, 9); /*!*/
        get(0, 1); /*!*/
    }
}
static void token_lost(void)
{
    for (int i = 0; i < 2; i++) {
        if (rank || i)
            get(LEFT, 1); /*!*/
        put(rank == 2 ? 0 : RIGHT, rank == 2 ? 7 : 1);
    }
}
/* The first ranks are well, and have a communicator of their own for each two. */
static void pair_beside(void)
{
    MPI_Comm pair = part(rank / 2);
    double sum;

    for (int i = 0; ; i++) {
        if (rank >= size - 2 && i == 100)
            MPI_Recv(&one, 1, MPI_INT, 1 - rank % 2, 7, pair, NO); /*!*/
        compute(0.002);
        MPI_Allreduce((double[]){ i }, &sum, 1, MPI_DOUBLE, MPI_SUM, pair);
    }
}
static void shift(void)
{
    MPI_Request r[2];

    MPI_Irecv(other, 100, MPI_BYTE, RIGHT, 1, W, &r[0]); /*!*/
    MPI_Isend(big, 100, MPI_BYTE, RIGHT, 1, W, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /*!*/
}
static void chain_gone(void)
{
    if (rank < size - 1)
        get(RIGHT, MPI_ANY_TAG); /*!*/
}
static void probe_tag(void)
{
    MPI_Message m;

    if (rank == 0) {
        MPI_Mprobe(1, 3, W, &m, NO); /*!*/
    } else {
        put(0, 4); /*!*/
        get(0, 1); /*!*/
    }
}
/* Many that were probed for are taken; the last one has a wrong tag. */
static void mrecv_once(int source)
{
    MPI_Message m;
    MPI_Status status;

    MPI_Mprobe(source, MPI_ANY_TAG, W, &m, &status);
    MPI_Mrecv(&one, 1, MPI_INT, &m, NO);
}
static void imrecv_once(void)
{
    MPI_Message m;
    MPI_Request r;
    MPI_Status status;
    int there = 0;

    while (!there)
        MPI_Improbe(MPI_ANY_SOURCE, 1, W, &there, &m, &status);
    MPI_Imrecv(&one, 1, MPI_INT, &m, &r);
    MPI_Wait(&r, NO);
}
static void mrecv_many(void)
{
    for (int i = 0; i < 200; i++)
        if (rank == 0)
            put(1, i % 3);
        else
            mrecv_once(i % 2 ? 0 : MPI_ANY_SOURCE);
    if (rank == 0)
        put(1, 2); /*!*/
    get(1 - rank, 1); /*!*/
}
static void imrecv_many(void)
{
    for (int i = 0; i < 200; i++)
        if (rank == 0)
            put(1, 1);
        else
            imrecv_once();
    if (rank == 0)
        put(1, 2); /*!*/
    get(1 - rank, 1); /*!*/
}
static void probe_source(void)
{
    if (rank == 0) {
        MPI_Probe(2, 1, W, NO); /*!*/
        get(2, 1);
    } else if (rank == 1) {
        put(0, 1);
    } else {
        get(0, 1); /*!*/
    }
}
static void bcast_received(void)
{
    if (rank == 0)
        MPI_Bcast(&one, 1, MPI_INT, 0, W);
    else
        get(0, 1); /*!*/
    MPI_Barrier(W); /*!*/
}

/* Collective calls that one of them does not make, or makes another way. */
static void gather_skipped(void)
{
    if (rank != 1)
        MPI_Gather(&one, 1, MPI_INT, other, 1, MPI_INT, 0, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void scatter_skipped(void)
{
    if (rank)
        MPI_Scatter(big, 1, MPI_INT, &one, 1, MPI_INT, 0, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void alltoall_missing(void)
{
    if (rank == 1)
        get(2, 1); /*!*/
    MPI_Alltoall(big, 100, MPI_BYTE, other, 100, MPI_BYTE, W); /*!*/
}
static void allgatherv_missing(void)
{
    int n[] = { 8, 8, 8 }, at[] = { 0, 8, 16 };

    if (rank == 2)
        get(0, 1); /*!*/
    MPI_Allgatherv(big, 8, MPI_BYTE, other, n, at, MPI_BYTE, W); /*!*/
}
static void scan_missing(void)
{
    int sum;

    if (rank == 0)
        get(2, 1); /*!*/
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, W); /*!*/
}
/* After another type was freed, it is known how large MPI_INT is. */
static void scan_freed(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_free(&pair);
    scan_missing();
}
static void gather_type(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (rank == 2)
        get(0, 1); /*!*/
    MPI_Gather(big, 1, pair, other, 1, pair, 0, W); /*!*/
}
static void one_less(void)
{
    for (int i = 0; i < (rank == 2 ? 9 : 10); i++)
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, W); /*!*/
}
static void reduce_scatter(void)
{
    if (rank == 2)
        MPI_Allreduce(big, other, 3, MPI_INT, MPI_SUM, W); /*!*/
    else
        MPI_Reduce_scatter_block(big, other, 1, MPI_INT, MPI_SUM, W); /*!*/
    MPI_Barrier(W);
}
static void roots_reduce(void)
{
    int sum;

    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, rank == 2 ? 2 : 0, W); /*!*/
    MPI_Barrier(W);
}
static void split_missing(void)
{
    if (rank == 1)
        MPI_Barrier(W); /*!*/
    else
        part(0); /*!*/
}
static void cart_missing(void)
{
    int n[] = { 3 }, round[] = { 1 };
    MPI_Comm c;

    if (rank == 1)
        get(0, 1); /*!*/
    MPI_Cart_create(W, 1, n, round, 0, &c); /*!*/
}
static void create_missing(void)
{
    MPI_Comm c;
    MPI_Group g = only(0);

    if (rank == 2)
        get(0, 1); /*!*/
    MPI_Comm_create(W, g, &c); /*!*/
}
static void merge_missing(void)
{
    MPI_Comm c = between(), all;

    if (rank == 3)
        MPI_Recv(&one, 1, MPI_INT, 0, 1, c, NO); /*!*/
    MPI_Intercomm_merge(c, 0, &all); /*!*/
}
static void neighbours(void)
{
    int n[] = { size }, round[] = { 1 };
    MPI_Comm c;

    MPI_Cart_create(W, 1, n, round, 0, &c);
    if (rank == 1)
        get(0, 1); /*!*/
    MPI_Neighbor_alltoall(big, 100, MPI_BYTE, other, 100, MPI_BYTE, c); /*!*/
    MPI_Barrier(c);
}
/* A call that does not block and one that does are two calls. */
static void ibarrier_barrier(void)
{
    MPI_Comm a = copy(), b = copy();
    MPI_Request r;

    MPI_Ibarrier(rank ? b : a, &r); /*!*/
    MPI_Barrier(rank ? a : b); /*!*/
    MPI_Wait(&r, NO);
}
/* Whoever has begun a call and waits for it has entered it where it was begun. */
static void ibarrier_waited(void)
{
    MPI_Request r = MPI_REQUEST_NULL;

    if (rank == 1) {
        MPI_Ibarrier(W, &r); /*!*/
        MPI_Wait(&r, NO);
    }
    MPI_Barrier(W); /*!*/
}
static void ibcast_missing(void)
{
    MPI_Request r;

    if (rank == 0)
        get(1, 1); /*!*/
    MPI_Ibcast(&one, 1, MPI_INT, 0, W, &r); /*!*/
    MPI_Wait(&r, NO); /*!*/
}
static void waitall_mixed(void)
{
    MPI_Request r[2];

    if (rank == 2)
        get(0, 1); /*!*/
    MPI_Ibarrier(W, &r[0]); /*!*/
    r[1] = want(LEFT, 1); /*!*/
    put(RIGHT, 1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /*!*/
}
/* Communicators of two each, and nobody begins with the same one. */
static void three_pairs(void)
{
    MPI_Comm c[3];
    MPI_Group all, g;

    MPI_Comm_group(W, &all);
    for (int i = 0; i < 3; i++) {
        int two[] = { i, (i + 1) % 3 };

        MPI_Group_incl(all, 2, two, &g);
        MPI_Comm_create(W, g, &c[i]);
    }
    MPI_Barrier(c[rank]); /*!*/
    MPI_Barrier(c[LEFT]);
}

/* Windows and files. */
static void win_create_missing(void)
{
    if (rank == 1)
        get(0, 1); /*!*/
    window(); /*!*/
}
static void wait_wait(void)
{
    MPI_Win w = window();

    MPI_Win_post(only(RIGHT), 0, w);
    MPI_Win_wait(w); /*!*/
    MPI_Win_free(&w);
}
static MPI_File file(void)
{
    MPI_File f;
    char name[64];
    int id = getpid();

    MPI_Bcast(&id, 1, MPI_INT, 0, W);
    snprintf(name, sizeof(name), "/tmp/stuck-file.%d", id);
    MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR |
                  MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    unlink(name);
    return f;
}
static void file_sync(void)
{
    MPI_File f = file();

    if (rank == 0)
        MPI_File_sync(f); /*!*/
    MPI_Barrier(W); /*!*/
}
static void file_write_all(void)
{
    MPI_File f = file();

    if (rank == 2)
        get(0, 1); /*!*/
    MPI_File_write_at_all(f, rank * 100, big, 100, MPI_BYTE, NO); /*!*/
}
static void spin_testall(void)
{
    MPI_Request r[2] = { want(RIGHT, 1), want(LEFT, 2) }; /*!*/
    int done = 0;

    while (!done)
        MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE); /*!*/
}

/* What only some members of a communicator call: one of them does not. */
static MPI_Comm of_group(int n, const int *ranks, int tag)
{
    MPI_Group everybody, g;
    MPI_Comm c;

    MPI_Comm_group(W, &everybody);
    MPI_Group_incl(everybody, n, ranks, &g);
    MPI_Comm_create_group(W, g, tag, &c); /*!*/
    return c;
}
static void group_missing(void)
{
    int three[] = { 0, 2, 3 };

    if (rank == 2)
        get(0, 1); /*!*/
    if (rank != 1)
        of_group(3, three, 7);
    MPI_Barrier(W); /*!*/
}
static void group_skipped(void)
{
    int three[] = { 3, 1, 0 };

    if (rank % 2)
        of_group(3, three, 7);
}
static void group_tag(void)
{
    int two[] = { 1, 2 };

    if (rank)
        of_group(2, two, rank);
    MPI_Barrier(W); /*!*/
}
/* It has come to the first of two. */
static void group_second(void)
{
    int two[] = { 0, 1 };

    of_group(2, two, 3);
    if (rank == 1)
        get(0, 1); /*!*/
    of_group(2, two, 3);
}
/* Groups that overlap, and nobody begins with the same one. */
static void group_crossed(void)
{
    for (int i = 0; i < 2; i++) {
        int first = i ? LEFT : rank, two[] = { first, (first + 1) % size };

        of_group(2, two, 7);
    }
}
static void group_many(void)
{
    int n[16];

    for (int i = 0; i < size; i++)
        n[i] = size - 1 - i;
    if (rank == 5)
        MPI_Barrier(W); /*!*/
    of_group(size, n, 0);
}
static void inter_member(void)
{
    MPI_Comm half = part(rank % 2), c;

    if (rank == 3)
        get(0, 1); /*!*/
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5, &c); /*!*/
}
static void inter_leader(void)
{
    MPI_Comm half = part(rank % 2), c;

    if (rank == 1)
        get(0, 1); /*!*/
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5, &c); /*!*/
}
static void inter_gone(void)
{
    MPI_Comm c;

    if (rank == 0)
        MPI_Intercomm_create(MPI_COMM_SELF, 0, W, 1, 5, &c); /*!*/
}
static void inter_tag(void)
{
    MPI_Comm half = part(rank % 2), c;

    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5 + rank % 2, &c); /*!*/
}
static void inter_wrong(void)
{
    MPI_Comm half = part(rank % 2), c;

    MPI_Intercomm_create(half, 0, W, rank % 2 ? 0 : 3, 5, &c); /*!*/
}
static void inter_pairs(void)
{
    MPI_Comm c;

    MPI_Intercomm_create(MPI_COMM_SELF, 0, W, RIGHT, 5, &c); /*!*/
}

/* Files, and calls that do not block. */
static void file_open(void)
{
    MPI_File f;

    if (rank == 1)
        get(0, 1); /*!*/
    MPI_File_open(W, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &f); /*!*/
}
static void file_close(void)
{
    MPI_File f = file();

    if (rank != 1)
        MPI_File_close(&f); /*!*/
}
static void ibarrier_loop(void)
{
    for (int i = 0; i < 50; i++) {
        MPI_Request r;

        if (rank == 1 && i == 20)
            get(0, 1); /*!*/
        MPI_Ibarrier(W, &r); /*!*/
        MPI_Wait(&r, NO); /*!*/
    }
}

/* One of them gives another amount than the others; all have used the type
 * before. */
#define as_much(others, one_of_them, who) \
    (MPI_Allreduce(MPI_IN_PLACE, big, 1, MPI_BYTE, MPI_BXOR, W), \
     rank == (who) ? (one_of_them) : (others))
static void amount_bcast(void)
{
    int n = as_much(100000, 100, 0);

    MPI_Bcast(big, n, MPI_BYTE, 0, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void amount_bcast_nothing(void)
{
    int n = as_much(0, 100, 1);

    MPI_Bcast(big, n, MPI_BYTE, 0, W); /*!*/
}
static void amount_gather(void)
{
    int n = as_much(100, 100000, 0);

    MPI_Gather(big, n, MPI_BYTE, other, n, MPI_BYTE, 0, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void amount_gather_nothing(void)
{
    int n = as_much(0, 100, 0);

    MPI_Gather(big, n, MPI_BYTE, other, n, MPI_BYTE, 0, W); /*!*/
}
static void amount_scatter(void)
{
    int n = as_much(0, 100000, 1);

    MPI_Scatter(big, n, MPI_BYTE, other, n, MPI_BYTE, 0, W); /*!*/
}
static void amount_alltoall(void)
{
    int n = as_much(0, 100000, 1);

    MPI_Alltoall(big, n, MPI_BYTE, other, n, MPI_BYTE, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void amount_reduce(void)
{
    int n = as_much(100000, 100, 1);

    MPI_Reduce(big, other, n, MPI_BYTE, MPI_BXOR, 0, W); /*!*/
}
static void amount_scan(void)
{
    int n = as_much(0, 100, 1);

    MPI_Scan(big, other, n, MPI_BYTE, MPI_BXOR, W); /*!*/
    MPI_Barrier(W); /*!*/
}
static void amount_reduce_scatter(void)
{
    int n = as_much(1000000, 2000000, 1);

    big = calloc(16, BIG);
    other = calloc(16, BIG);
    MPI_Reduce_scatter_block(big, other, n, MPI_BYTE, MPI_BXOR, W); /*!*/
}

static const struct mini all[] = {
    { "file-open", 3, "@1 MPI_File_open for rank 1", file_open },
    { "file-close", 3, "@1 ended its part.*waits in MPI_File_close", file_close },
    { "ibarrier-loop", 3, "@1 Wait by MPI_Ibarrier for rank 1.*call 21",
      ibarrier_loop },
    { "amount-bcast", 4, "@0 give different amounts to one.*with 100000 bytes"
      ".*Bcast with 100 bytes as the same", amount_bcast },
    { "amount-bcast-nothing", 4, "@0-1 amounts.*Bcast with 100 bytes.*with 0 "
      "bytes", amount_bcast_nothing },
    { "amount-gather", 4, "@0 amounts.*Gather with 100000 bytes.*with 100 bytes",
      amount_gather },
    { "amount-gather-nothing", 4, "@0 amounts.*Gather with 100 bytes.*with 0 "
      "bytes", amount_gather_nothing },
    { "amount-scatter", 4, "@0-1 amounts.*Scatter with 100000 bytes.*with 0 "
      "bytes", amount_scatter },
    { "amount-alltoall", 4, "@1 amounts.*Alltoall with 100000 bytes.*with 0 "
      "bytes", amount_alltoall },
    { "amount-reduce", 4, "@1 amounts.*Reduce with 100000 bytes.*with 100 bytes",
      amount_reduce },
    { "amount-scan", 4, "@1 amounts.*Scan with 100 bytes.*with 0 bytes",
      amount_scan },
    { "amount-reduce-scatter", 4, "@1 amounts.*block with [12]000000 "
      "bytes.*with [12]000000 bytes", amount_reduce_scatter },
    { "group-missing", 4, "@2 MPI_Comm_create_group for rank 2, which has not "
      "entered it for this group .tag 7, MPI_COMM_WORLD", group_missing },
    { "group-skipped", 4, "@0,1 waits for rank 0, which has ended its part.*"
      "create_group for rank 0", group_skipped },
    { "group-tag", 3, "@1-2 ranks 1-2 wait for each other.*tag 1.*tag 2",
      group_tag },
    { "group-second", 2, "@0-1 create_group for rank 1", group_second },
    { "group-crossed", 3, "@0-2 create_group", group_crossed },
    { "group-many", 8, "@5 create_group for rank 5.*tag 0", group_many },
    { "inter-member", 4, "@3 MPI_Intercomm_create for rank 3, which has not",
      inter_member },
    { "inter-leader", 4, "@1 MPI_Intercomm_create for rank 1, the leader of the "
      "other group .tag 5, MPI_COMM_WORLD", inter_leader },
    { "inter-gone", 2, "@0-1 ended its part.*the leader of the other",
      inter_gone },
    { "inter-tag", 4, "@0-1 ranks 0-1 wait for each other.*tag 5.*tag 6",
      inter_tag },
    { "inter-wrong", 4, "@0-1,3 for rank 3, the leader of the other group",
      inter_wrong },
    { "inter-pairs", 3, "@0-2 the leader of the other group", inter_pairs },
    { "recv-cycle", 2, "@0-1 wait for messages from each other", recv_cycle },
    { "recv-ring", 4, "@0-3 ranks 0-3 all wait for messages", recv_cycle },
    { "recv-self", 2, "@0 rank 0 waits for itself", recv_self },
    { "send-send", 2, "@0-1 all wait to send", send_ring },
    { "send-ring", 4, "@0-3 ranks 0-3 all wait to send", send_ring },
    { "ssend-ring", 3, "@0-2 ranks 0-2 all wait to send", ssend_ring },
    { "wrong-tag", 2, "@0-1 wait for each other.*tag 1.*tag 2", wrong_tag },
    { "wrong-comm", 2,
      "@0-1 wait for each other.*COMM_WORLD.*communicator .* of 2",
      wrong_comm },
    { "wrong-source", 3, "@0 ranks 0,2 all wait for messages", wrong_source },
    { "any-source", 3, "from any rank", any_source },
    { "any-source-part", 4, "from any rank .any tag, communicator",
      any_source_part },
    { "one-more", 3, "@0 any rank.*has not entered",
      master_waits_for_one_more },
    { "result-lost", 4, "@0,2 ranks 0,2 all wait.*from any rank", result_lost },
    { "gone", 2, "@0-1 waits for rank 1, which has ended its part", gone },
    { "barrier-missing", 3, "@2 rank 2, which has not entered",
      barrier_missing },
    { "barrier-skipped", 3, "@1 rank 1, which has ended its part",
      barrier_skipped },
    { "bcast-skipped", 3, "@0 different collective calls|has not entered|"
      "different orders", bcast_skipped },
    { "mismatch", 3, "@0 different collective calls.*(Barrier.*Allreduce|"
      "Allreduce.*Barrier)", mismatch },
    { "mismatch-reduce", 3, "@0 different collective calls.*Reduce|"
      "different collective calls.*Allgather", mismatch_reduce },
    { "mismatch-left", 2, "@0 Barrier as collective call 1.*Bcast as the same",
      mismatch_left },
    { "roots", 3, "different roots.*root", roots },
    { "roots-scatter", 2, "@0-1 different roots", roots_scatter },
    { "orders", 2, "@0-1 different orders", orders },
    { "orders-grid", 4, "@0-3 ranks 0-3 .*different orders", orders_grid },
    { "waitall-nobody", 2, "@0 Waitall by MPI_Irecv .*from rank 1 .tag 2",
      waitall_nobody },
    { "wait-nobody", 3, "@0-2 Wait by MPI_Irecv", wait_nobody },
    { "waitany", 3, "@0 Waitany by MPI_Irecv", waitany },
    { "waitsome", 3, "Waitsome by MPI_Irecv", waitsome },
    { "isend-wait", 2, "@0-1 Wait by MPI_Isend", isend_wait },
    { "persistent", 2, "@0-1 Wait by MPI_Recv_init", persistent },
    { "persistent-not-started", 2, "@1 rank 1, which has not|ranks 0-1 wait",
      persistent_not_started },
    { "probe", 2, "@0-1 waits in MPI_Probe", probe },
    { "mprobe", 3, "@0 waits in MPI_Mprobe .*any rank", mprobe },
    { "sendrecv", 3, "waits in MPI_Sendrecv", sendrecv },
    { "inter-barrier", 4, "an intercommunicator of 2.2", inter_barrier },
    { "inter-recv", 4, "an intercommunicator of 2.2", inter_recv },
    { "ibarrier", 2, "@0 Wait by MPI_Ibarrier", ibarrier },
    { "dup-missing", 2, "@1 waits in MPI_Comm_dup", dup_missing },
    { "fence", 2, "@1 waits in MPI_Win_fence .*window", fence },
    { "win-free", 2, "@0-1 waits in MPI_Barrier", win_free },
    { "lock", 3, "@0 keeps rank 2 of window .* locked", lock },
    { "wait-for-complete", 2, "@1 waits in MPI_Win_wait", wait_for_complete },
    { "start-without-post", 2, "@1 MPI_Win_(start|complete)",
      start_without_post },
    { "comm-freed", 3, "entered MPI_Comm_free as the same call", comm_freed },
    { "comm-freed-recv", 3, "from any rank", comm_freed_recv },
    { "comm-freed-busy", 3, "Comm_free as the same call", comm_freed_busy },
    { "comm-disconnect", 3, "waits in MPI_Comm_disconnect", comm_disconnect },
    { "win-free-skipped", 3, "waits in MPI_Win_free", win_free_skipped },
    { "win-free-fence", 2, "waits in MPI_Win_free", win_free_fence },
    { "win-create-skipped", 3, "MPI_Win_create", win_create_skipped },
    { "split-skipped", 3, "MPI_Comm_split", split_skipped },
    { "dup-skipped", 3, "MPI_Comm_dup", dup_skipped },
    { "send-n-4096", 2, "@0-1 all wait to send", send_n },
    { "send-n-4097", 2, "@0-1 all wait to send", send_n },
    { "send-n-65536", 3, "@0-2 all wait to send", send_n },
    { "send-n-65537", 2, "@0-1 all wait to send", send_n },
    { "sendrecv-tag-100", 2, "@0-1 MPI_Sendrecv", sendrecv_tag_n },
    { "sendrecv-tag-1000", 2, "@0-1 MPI_Sendrecv", sendrecv_tag_n },
    { "sendrecv-tag-4096", 2, "@0-1 MPI_Sendrecv", sendrecv_tag_n },
    { "sendrecv-tag-65537", 2, "@0-1 MPI_Sendrecv", sendrecv_tag_n },
    { "sendrecv-skipped-100", 3, "@1 task 2 on [^ ]* waits in MPI_Sendrecv",
      sendrecv_skipped_n },
    { "sendrecv-skipped-4096", 3, "@1 task [02] on [^ ]* waits in MPI_Sendrecv",
      sendrecv_skipped_n },
    { "sendrecv-partner-1000", 4, "@2 MPI_Sendrecv", sendrecv_partner_n },
    { "waitall-lost-257", 3,
      "@1 task 2 on [^ ]* waits in MPI_Waitall by MPI_Irecv",
      waitall_lost_n },
    { "waitall-lost-1000", 3,
      "@1 task 2 on [^ ]* waits in MPI_Waitall by MPI_Irecv",
      waitall_lost_n },
    { "waitall-lost-4800", 3,
      "@1 task 2 on [^ ]* waits in MPI_Waitall by MPI_Irecv",
      waitall_lost_n },
    { "waitall-lost-100000", 3,
      "@1 task 2 on [^ ]* waits in MPI_Waitall by MPI_Irecv",
      waitall_lost_n },
    { "isend-tag-64", 3,
      "@1 task 2 on [^ ]* waits in MPI_Recv for a message from rank 1",
      isend_tag_n },
    { "isend-tag-4800", 3,
      "@1 task 2 on [^ ]* waits in MPI_Recv for a message from rank 1", isend_tag_n },
    { "isend-tag-100000", 3,
      "@1 task 2 on [^ ]* waits in MPI_Recv for a message from rank 1", isend_tag_n },
    { "taken-late-100000", 3, "waits in MPI_Waitall by MPI_Isend",
      taken_late_n },
    { "buffered-100", 3, "@0-2 ranks 0-2 all wait for messages", buffered },
    { "buffer-detach", 2, "@0-1 MPI_Buffer_detach for rank 1 to receive what",
      buffer_detach },
    { "buffer-detach-tag", 3, "@0-1 MPI_Buffer_detach for rank 1 to receive what",
      buffer_detach_tag },
    { "any-taken", 4, "@0 from any rank", any_taken },
    { "spin-test", 2, "@0-1 asking in a loop", spin_test },
    { "spin-iprobe", 2, "@0-1 asking in a loop", spin_iprobe },
    { "spin-testall-half", 2,
      "@0-1 asking in a loop for a message from rank . .tag 2", spin_testall_half },
    { "spin-both", 2, "@0-1 asking in a loop", spin_both },
    { "issend-ring", 3, "@0-2 Wait by MPI_Issend", issend_ring },
    { "ssend-self", 2, "@0 rank 0 waits for itself", ssend_self },
    { "persistent-ssend", 2, "@0-1 Wait by MPI_Ssend_init", persistent_ssend },
    { "waitany-sends", 3, "@0 Waitany by MPI_Issend", waitany_sends },
    { "replace", 4, "@1 MPI_Sendrecv_replace", replace },
    { "inter-ssend", 4, "all wait to send", inter_ssend },
    { "any-other-comm", 2, "@0-1 wait for each other.*any rank",
      any_other_comm },
    { "stop-missing", 4,
      "@0,3 task 3 on [^ ]* waits in MPI_Recv .*from rank 0 .tag 2",
      stop_missing },
    { "answer-tag", 2, "@0-1 from rank 1 .tag 8.*from rank 0 .tag 1",
      answer_tag },
    { "token-lost", 4, "@2 ranks 0-3 all wait for messages", token_lost },
    { "pair-beside", 6, "@4-5 ranks 4-5 all wait for messages from each other",
      pair_beside },
    { "shift", 4, "@0-3 Waitall by MPI_Irecv", shift },
    { "chain-gone", 3, "@2 waits for rank 2, which has ended its part",
      chain_gone },
    { "mrecv-many", 2, "@0-1 waits in MPI_Recv .*tag 1", mrecv_many },
    { "imrecv-many", 2, "@0-1 waits in MPI_Recv .*tag 1", imrecv_many },
    { "probe-tag", 2, "@0-1 waits in MPI_Mprobe .*tag 3", probe_tag },
    { "probe-source", 3, "@0 waits in MPI_Probe .*from rank 2", probe_source },
    { "bcast-received", 2, "@1 waits in MPI_Recv for a message from rank 0",
      bcast_received },
    { "gather-skipped", 3, "@1 MPI_Gather", gather_skipped },
    { "scatter-skipped", 3, "@0 MPI_Scatter", scatter_skipped },
    { "alltoall-missing", 3, "@1 rank 1, which has not entered",
      alltoall_missing },
    { "allgatherv-missing", 3, "@2 rank 2, which has not entered",
      allgatherv_missing },
    { "scan-missing", 3, "@0 rank 0, which has not entered", scan_missing },
    { "scan-freed", 3, "@0 rank 0, which has not entered", scan_freed },
    { "gather-type", 3, "@2 rank 2, which has not entered", gather_type },
    { "one-less", 3, "@2 rank 2, which has ended its part", one_less },
    { "reduce-scatter", 3, "@2 different collective calls.*"
      "(Allreduce.*Reduce_scatter|Reduce_scatter.*Allreduce)", reduce_scatter },
    { "roots-reduce", 3, "@2 root 2", roots_reduce },
    { "split-missing", 3, "@1 different collective calls.*MPI_Comm_split",
      split_missing },
    { "cart-missing", 3, "@1 waits in MPI_Cart_create", cart_missing },
    { "create-missing", 3, "@2 waits in MPI_Comm_create", create_missing },
    { "merge-missing", 4, "@3 waits in MPI_Intercomm_merge", merge_missing },
    { "neighbours", 3, "@1 task 1 on [^ ]* waits in MPI_Recv .*from rank 0",
      neighbours },
    { "ibarrier-barrier", 2, "@0-1 different collective calls.*Ibarrier",
      ibarrier_barrier },
    { "ibarrier-waited", 2, "@0-1 different collective calls.*Ibarrier",
      ibarrier_waited },
    { "ibcast-missing", 3, "@0 Wait by MPI_Ibcast", ibcast_missing },
    { "waitall-mixed", 3, "@2 Waitall by MPI_I(barrier|recv)", waitall_mixed },
    { "three-pairs", 3, "@0-2 ranks 0-2 .*different orders", three_pairs },
    { "win-create-missing", 2, "@1 waits in MPI_Win_create",
      win_create_missing },
    { "wait-wait", 2, "@0-1 waits in MPI_Win_wait", wait_wait },
    { "file-sync", 2, "@0-1 waits in MPI_File_sync", file_sync },
    { "file-write-all", 3, "@2 waits in MPI_File_write_at_all",
      file_write_all },
    { "spin-testall", 2, "@0-1 asking in a loop", spin_testall },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
