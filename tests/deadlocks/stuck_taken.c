/* stuck_taken.c - small MPI programs that deadlock, for a receive of anybody has
 * taken the message that is waited for by name afterwards, while another rank's
 * lies there. By each way to receive, without a status and with one; which message
 * it was, only MPI's status says. Words and marks as in stuck.c. */
#include "mini.h"

#define ANY MPI_ANY_SOURCE

static int with_status;
static MPI_Status st[3];
static MPI_Request q[3];
static MPI_Message m;
static int flag, n, in[3], at[3];

#define ONE (with_status ? st : MPI_STATUS_IGNORE)
#define ALL (with_status ? st : MPI_STATUSES_IGNORE)

/* Rank 1 sends tags 5 and 7, rank 2 tag 6: two of the three receives are open. */
static void post(void)
{
    MPI_Irecv(&in[0], 1, MPI_INT, ANY, 5, W, &q[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, 2, 6, W, &q[1]);
    MPI_Irecv(&in[2], 1, MPI_INT, ANY, MPI_ANY_TAG, W, &q[2]);
}

static void by_recv(void)
{
    MPI_Recv(in, 1, MPI_INT, ANY, 5, W, ONE);
    MPI_Recv(in, 1, MPI_INT, 2, MPI_ANY_TAG, W, ONE);
    MPI_Recv(in, 1, MPI_INT, ANY, MPI_ANY_TAG, W, ONE);
}
static void by_wait(void)
{
    post();
    for (int i = 2; i >= 0; i--)
        MPI_Wait(&q[i], ONE);
}
static void by_waitall(void)
{
    post();
    MPI_Waitall(3, q, ALL);
}
static void by_waitany(void)
{
    post();
    for (int i = 0; i < 3; i++)
        MPI_Waitany(3, q, at, ONE);
}
static void by_waitsome(void)
{
    post();
    for (int done = 0; done < 3; done += n)
        MPI_Waitsome(3, q, &n, at, ALL);
}
static void by_test(void)
{
    post();
    for (int i = 0; i < 3; i++)
        do
            MPI_Test(&q[i], &flag, ONE);
        while (!flag);
}
static void by_testall(void)
{
    post();
    do
        MPI_Testall(3, q, &flag, ALL);
    while (!flag);
}
static void by_testany(void)
{
    post();
    for (int done = 0; done < 3; done += flag)
        MPI_Testany(3, q, at, &flag, ONE);
}
static void by_testsome(void)
{
    post();
    for (int done = 0; done < 3; done += n)
        MPI_Testsome(3, q, &n, at, ALL);
}
static void by_get_status(void)
{
    post();
    for (int i = 0; i < 3; i++)
        do
            MPI_Request_get_status(q[i], &flag, ONE);
        while (!flag);
}
static void by_persistent(void)
{
    MPI_Recv_init(&in[0], 1, MPI_INT, ANY, 5, W, &q[0]);
    MPI_Recv_init(&in[1], 1, MPI_INT, 2, 6, W, &q[1]);
    MPI_Recv_init(&in[2], 1, MPI_INT, ANY, MPI_ANY_TAG, W, &q[2]);
    MPI_Startall(3, q);
    MPI_Waitall(3, q, ALL);
}
static void by_probe(void)
{
    static const int tags[] = { 5, 6, MPI_ANY_TAG };

    for (int i = 0; i < 3; i++) {
        MPI_Probe(ANY, tags[i], W, ONE);
        MPI_Recv(in, 1, MPI_INT, ANY, tags[i], W, ONE);
    }
}
static void by_mprobe(void)
{
    static const int tags[] = { 5, 6, MPI_ANY_TAG };

    for (int i = 0; i < 3; i++) {
        MPI_Mprobe(ANY, tags[i], W, &m, ONE);
        MPI_Mrecv(in, 1, MPI_INT, &m, ONE);
    }
}
static void by_improbe(void)
{
    static const int tags[] = { 5, 6, MPI_ANY_TAG };

    for (int i = 0; i < 3; i++) {
        do
            MPI_Improbe(ANY, tags[i], W, &flag, &m, ONE);
        while (!flag);
        MPI_Imrecv(in, 1, MPI_INT, &m, q);
        MPI_Wait(q, ONE);
    }
}
static void by_sendrecv(void)
{
    static const int tags[] = { 5, 6, MPI_ANY_TAG };

    for (int i = 0; i < 3; i++)
        MPI_Sendrecv(&one, 1, MPI_INT, MPI_PROC_NULL, 9, &in[0], 1, MPI_INT,
                     ANY, tags[i], W, ONE);
}
static void by_replace(void)
{
    static const int tags[] = { 5, 6, MPI_ANY_TAG };

    for (int i = 0; i < 3; i++)
        MPI_Sendrecv_replace(&one, 1, MPI_INT, MPI_PROC_NULL, 9, ANY, tags[i],
                             W, ONE);
}

static void then_named(void (*take)(void))
{
    if (rank == 0)
        take();
    else if (rank == 1)
        put(0, 5), put(0, 7);
    else
        put(0, 6);
    MPI_Barrier(W);
    if (rank == 2)
        put(0, 5);
    if (rank == 0)
        get(1, 5); /*!*/
    MPI_Barrier(W); /*!*/
}

#define WAYS(X) \
    X(recv) X(wait) X(waitall) X(waitany) X(waitsome) X(test) X(testall) \
    X(testany) X(testsome) X(get_status) X(persistent) X(probe) X(mprobe) \
    X(improbe) X(sendrecv) X(replace)
#define RUN(way) \
    static void way(void) { then_named(by_##way); } \
    static void way##_status(void) { with_status = 1; then_named(by_##way); }
WAYS(RUN)

#define WORDS "@0-1 waits in MPI_Recv for a message from rank 1 .tag 5"
#define LIST(way) \
    { "taken-" #way, 3, WORDS, way }, \
    { "taken-" #way "-status", 3, WORDS, way##_status },
static const struct mini all[] = { WAYS(LIST) { 0 } };

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
