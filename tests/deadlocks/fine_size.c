/* fine_size.c - correct programs in which messages of a given size are on their
 * way for a while: below and above what is sent at once (256, 4,056, 4,096 bytes
 * and 64 Ki, by the transport), and up to 800 MB, which take their time. */
#include "mini.h"

#define TCP "OMPI_MCA_btl=self,tcp"
#define TWICE "OMPI_MCA_btl_vader_single_copy_mechanism=none"

/* The receiver has asked for it, computes, and waits for it later; the others
 * wait for both. */
static void overlap_n(void)
{
    MPI_Request r = MPI_REQUEST_NULL;

    if (rank == 0) {
        put_n(1, 1);
    } else if (rank == 1) {
        MPI_Irecv(other, bytes, MPI_BYTE, 0, 1, W, &r);
        usleep(2500000);
    }
    MPI_Wait(&r, NO);
    MPI_Barrier(W);
}
/* The sender waits for it, and the receiver has not asked yet. */
static void asked_late_n(void)
{
    late(1);
    late(1);
    if (rank == 0)
        put_n(1, 1);
    if (rank == 1)
        get_n(0, 1);
    MPI_Barrier(W);
}
/* Nothing shows that it is being sent. */
static void freed_n(void)
{
    MPI_Request r;

    if (rank == 0) {
        MPI_Isend(big, bytes, MPI_BYTE, 1, 1, W, &r);
        MPI_Request_free(&r);
        get(1, 2);
    }
    late(1);
    if (rank == 1) {
        get_n(0, 1);
        put(0, 2);
    }
    MPI_Barrier(W);
}
static void buffered_n(void)
{
    size_t room = (size_t)bytes + 4096;
    char *buffer = malloc(room);

    MPI_Buffer_attach(buffer, (int)room);
    if (rank == 0)
        MPI_Bsend(big, bytes, MPI_BYTE, 1, 1, W);
    late(1);
    if (rank == 1)
        get_n(0, 1);
    MPI_Barrier(W);
    MPI_Buffer_detach(&buffer, &bytes);
}
/* All messages of the others first, in whatever order, one sender late. */
static void many_n(void)
{
    late(size - 1);
    for (int i = 0; i < 4; i++) {
        for (int s = 1; rank == 0 && s < size; s++)
            MPI_Recv(other, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, W,
                     NO);
        if (rank)
            put_n(0, 100 * rank + i);
    }
    MPI_Bcast(big, bytes, MPI_BYTE, 0, W);
}
/* The sender has turned to something else before it could be sent. */
static void freed_away_n(void)
{
    MPI_Request r;

    if (rank == 0) {
        MPI_Isend(big, bytes, MPI_BYTE, 1, 1, W, &r);
        MPI_Request_free(&r);
        usleep(2500000);
    }
    if (rank == 1)
        get_n(0, 1);
    MPI_Barrier(W);
}
/* Who has waited in a probe knows that it is there, and takes it later. */
static void probed_n(void)
{
    MPI_Status s;
    int n;

    late(0);
    if (rank == 0)
        put_n(1, 1);
    if (rank == 1) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s);
        MPI_Get_count(&s, MPI_BYTE, &n);
        late(1);
        MPI_Recv(other, n, MPI_BYTE, s.MPI_SOURCE, s.MPI_TAG, W, NO);
    }
    MPI_Barrier(W);
}
/* Nobody else can take it any more, and its sender waits. */
static void matched_n(void)
{
    MPI_Message m;

    if (rank == 0)
        MPI_Ssend(big, bytes, MPI_BYTE, 1, 1, W);
    if (rank == 1) {
        MPI_Mprobe(0, 1, W, &m, NO);
        late(1);
        MPI_Mrecv(other, bytes, MPI_BYTE, &m, NO);
    }
    MPI_Barrier(W);
}
/* The receiver has said that it is ready. */
static void ready_n(void)
{
    MPI_Request r;

    if (rank == 1) {
        MPI_Irecv(other, bytes, MPI_BYTE, 0, 1, W, &r);
        put(0, 2);
        usleep(2500000);
        MPI_Wait(&r, NO);
    }
    if (rank == 0) {
        get(1, 2);
        MPI_Rsend(big, bytes, MPI_BYTE, 1, 1, W);
    }
    MPI_Barrier(W);
}
static void synchronous_n(void)
{
    MPI_Request r;

    if (rank == 0) {
        MPI_Issend(big, bytes, MPI_BYTE, 1, 2, W, &r);
        MPI_Ssend(big, bytes, MPI_BYTE, 1, 1, W);
        MPI_Wait(&r, NO);
    }
    late(1);
    if (rank == 1) {
        get_n(0, 1);
        late(1);
        get_n(0, 2);
    }
    MPI_Barrier(W);
}
/* Two large messages, and the second is asked for first. */
static void crossed_n(void)
{
    MPI_Request r[2];
    int which;

    if (rank == 0) {
        MPI_Isend(big, bytes, MPI_BYTE, 1, 1, W, &r[0]);
        MPI_Isend(big, bytes, MPI_BYTE, 1, 2, W, &r[1]);
        MPI_Waitany(2, r, &which, NO);
        MPI_Wait(&r[!which], NO);
    }
    late(1);
    if (rank == 1) {
        get_n(0, 2);
        late(1);
        get_n(0, 1);
    }
    MPI_Barrier(W);
}
static void isend_wait_n(void)
{
    MPI_Request r;

    MPI_Isend(big, bytes, MPI_BYTE, RIGHT, 1, W, &r);
    late(0);
    get_n(LEFT, 1);
    MPI_Wait(&r, NO);
    MPI_Barrier(W);
}
static void sendrecv_n(void)
{
    late(size - 1);
    MPI_Sendrecv(big, bytes, MPI_BYTE, RIGHT, 1, other, bytes, MPI_BYTE, LEFT, 1,
                 W, NO);
    MPI_Barrier(W);
}
/* A halo of two neighbours; one of four has more to do before and after. */
static void waitall_n(void)
{
    MPI_Request r[4];

    MPI_Irecv(other, bytes, MPI_BYTE, LEFT, 1, W, &r[0]);
    MPI_Irecv(&one, 1, MPI_INT, RIGHT, 2, W, &r[1]);
    late(1);
    MPI_Isend(big, bytes, MPI_BYTE, RIGHT, 1, W, &r[2]);
    MPI_Isend(&rank, 1, MPI_INT, LEFT, 2, W, &r[3]);
    late(1);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Barrier(W);
}
/* Of what comes from all others, one after the other, as it comes. */
static void waitany_n(void)
{
    MPI_Request r[8];
    char *in = malloc((size_t)bytes * (size_t)size);
    int which;

    late(size - 1);
    for (int s = 1; rank == 0 && s < size; s++)
        MPI_Irecv(in + (size_t)bytes * (size_t)s, bytes, MPI_BYTE, s, 1, W,
                  &r[s - 1]);
    for (int s = 1; rank == 0 && s < size; s++)
        MPI_Waitany(size - 1, r, &which, NO);
    if (rank)
        put_n(0, 1);
    MPI_Barrier(W);
    free(in);
}
static void persistent_n(void)
{
    MPI_Request r[2];

    MPI_Recv_init(other, bytes, MPI_BYTE, LEFT, 1, W, &r[0]);
    MPI_Ssend_init(big, bytes, MPI_BYTE, RIGHT, 1, W, &r[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, r);
        late(i);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}
/* Between the same two, small ones pass by one that is large. */
static void among_small_n(void)
{
    MPI_Request r;

    if (rank == 0) {
        MPI_Isend(big, bytes, MPI_BYTE, 1, 1, W, &r);
        for (int i = 0; i < 300; i++)
            put(1, 2);
        get(1, 3);
        MPI_Wait(&r, NO);
    }
    late(1);
    if (rank == 1) {
        for (int i = 0; i < 300; i++)
            get(0, 2);
        put(0, 3);
        late(1);
        get_n(0, 1);
    }
    MPI_Barrier(W);
}
static void replace_n(void)
{
    late(0);
    MPI_Sendrecv_replace(big, bytes, MPI_BYTE, RIGHT, 1, LEFT, 1, W, NO);
    MPI_Barrier(W);
}
static void collectives_n(void)
{
    char *all = malloc((size_t)bytes * (size_t)size);

    for (int i = 0; i < 2; i++) {
        late(i);
        MPI_Bcast(big, bytes, MPI_BYTE, i, W);
        MPI_Allreduce(big, other, bytes, MPI_BYTE, MPI_BXOR, W);
        late(size - 1);
        MPI_Gather(big, bytes, MPI_BYTE, all, bytes, MPI_BYTE, i, W);
        MPI_Scatter(all, bytes, MPI_BYTE, big, bytes, MPI_BYTE, 0, W);
    }
    free(all);
}

static const struct mini all[] = {
    { "overlap-256", 3, "", overlap_n },
    { "overlap-1000", 3, "", overlap_n },
    { "overlap-4096", 3, "", overlap_n },
    { "overlap-65537", 3, "", overlap_n },
    { "overlap-1000000", 3, "", overlap_n },
    { "overlap-tcp-1000000", 3, TCP, overlap_n },
    { "overlap-twice-100000000", 3, TWICE, overlap_n },
    { "asked-late-100", 3, "", asked_late_n },
    { "asked-late-4056", 3, "", asked_late_n },
    { "asked-late-4096", 3, "", asked_late_n },
    { "asked-late-4097", 3, "", asked_late_n },
    { "asked-late-tcp-65536", 3, TCP, asked_late_n },
    { "asked-late-1000000", 3, "", asked_late_n },
    { "asked-late-800000000", 3, "", asked_late_n },
    { "freed-1", 3, "", freed_n },
    { "freed-4097", 3, "", freed_n },
    { "freed-1000000", 3, "", freed_n },
    { "freed-tcp-1000000", 3, TCP, freed_n },
    { "freed-twice-800000000", 3, TWICE, freed_n },
    { "freed-away-4096", 3, "", freed_away_n },
    { "freed-away-1000000", 3, "", freed_away_n },
    { "freed-away-tcp-100000000", 3, TCP, freed_away_n },
    { "buffered-1", 3, "", buffered_n },
    { "buffered-4097", 3, "", buffered_n },
    { "buffered-1000000", 3, "", buffered_n },
    { "buffered-tcp-50000000", 3, TCP, buffered_n },
    { "buffered-800000000", 3, "", buffered_n },
    { "ready-1", 3, "", ready_n },
    { "ready-65537", 3, "", ready_n },
    { "ready-twice-100000000", 3, TWICE, ready_n },
    { "ready-tcp-100000000", 3, TCP, ready_n },
    { "synchronous-1", 3, "", synchronous_n },
    { "synchronous-4097", 3, "", synchronous_n },
    { "synchronous-800000000", 3, "", synchronous_n },
    { "synchronous-tcp-800000000", 3, TCP, synchronous_n },
    { "probed-4056", 3, "", probed_n },
    { "probed-1000000", 3, "", probed_n },
    { "matched-4097", 3, "", matched_n },
    { "crossed-4096", 3, "", crossed_n },
    { "crossed-100000", 3, "", crossed_n },
    { "isend-wait-256", 4, "", isend_wait_n },
    { "isend-wait-65536", 4, "", isend_wait_n },
    { "sendrecv-256", 3, "", sendrecv_n },
    { "sendrecv-4056", 3, "", sendrecv_n },
    { "sendrecv-4097", 3, "", sendrecv_n },
    { "sendrecv-tcp-65537", 3, TCP, sendrecv_n },
    { "waitall-257", 4, "", waitall_n },
    { "waitall-4096", 4, "", waitall_n },
    { "waitall-65536", 4, "", waitall_n },
    { "waitany-4097", 4, "", waitany_n },
    { "waitany-65536", 4, "", waitany_n },
    { "persistent-4096", 3, "", persistent_n },
    { "persistent-1000000", 3, "", persistent_n },
    { "among-small-100000", 3, "", among_small_n },
    { "replace-65537", 3, "", replace_n },
    { "collectives-4097", 4, "", collectives_n },
    { "collectives-1000000", 4, "", collectives_n },
    { "many-100", 4, "", many_n },
    { "many-5000", 4, "", many_n },
    { "many-100000", 4, "", many_n },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
