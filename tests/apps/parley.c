/* parley.c - messages in all the ways that MPI has: persistent, buffered,
 * synchronous and ready ones, messages that are found first and taken later, into
 * buffers that are too small too, requests that are freed or withdrawn, waits and
 * tests for one, any, some and all. What it says in the end does not depend on
 * when anything happened.
 *
 * usage: parley ROUNDS|FILE [SEED] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rounds.h"

enum { N = 20000, MANY = 6, WAYS = 9 };

static int rank, size, to, from;
static uint64_t sum = 5381;
static unsigned seed;
static MPI_Comm talk;
static int out[MANY][N], in[MANY][N];
static char room[MANY * (N * sizeof(int) + MPI_BSEND_OVERHEAD)];

/* In any order. */
static void note(int x)
{
    sum += ((uint64_t)(unsigned)x + 1) * 0x9e3779b97f4a7c15u >> 7;
}

static void check(int got, int wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("rank %d: wrong: %s: %d, not %d\n", rank, what, got, wanted);
    exit(3);
}

static void skew(void)
{
    unsigned x = (seed = seed * 1103515245u + 12345u) >> 16;

    if (x % 3 == 0)
        usleep(x % 3000);
    else if (x % 3 == 1)
        for (volatile unsigned i = 0; i < x * 10; i++)
            ;
}

static int length(int round, int k)
{
    return (round + k) % 3 ? 1 + k : N;
}

static void fill(int round)
{
    for (int k = 0; k < MANY; k++)
        for (int i = 0; i < length(round, k); i++)
            out[k][i] = round * 100 + rank * 10 + k + i;
}

static void got(int round, int k, const MPI_Status *s)
{
    int n = length(round, k), count;

    MPI_Get_count(s, MPI_INT, &count);
    check(count, n, "length");
    check(s->MPI_SOURCE, from, "source");
    check(s->MPI_TAG, k, "tag");
    check(in[k][0], round * 100 + from * 10 + k, "first");
    check(in[k][n - 1], round * 100 + from * 10 + k + n - 1, "last");
    note(in[k][n - 1]);
}

static void post(MPI_Request *r)
{
    for (int k = 0; k < MANY; k++)
        MPI_Irecv(in[k], N, MPI_INT, from, k, talk, &r[k]);
}

static void give(int round, MPI_Request *r)
{
    for (int k = 0; k < MANY; k++) {
        (k % 2 ? MPI_Isend : MPI_Issend)(out[k], length(round, k), MPI_INT, to,
                                         k, talk, &r[k]);
        skew();
    }
}

static void with_any(int round)
{
    MPI_Request r[2 * MANY];
    MPI_Status s;
    int k;

    give(round, r + MANY);
    skew();
    post(r);
    for (int i = 0; i < 2 * MANY; i++) {
        MPI_Waitany(2 * MANY, r, &k, &s);
        if (k < MANY)
            got(round, k, &s);
        skew();
    }
    MPI_Waitany(2 * MANY, r, &k, &s);
    check(k, MPI_UNDEFINED, "nothing is left");
}

static void with_some(int round, int asks)
{
    int index[2 * MANY], n, left = 2 * MANY;
    MPI_Request r[2 * MANY];
    MPI_Status s[2 * MANY];

    post(r);
    give(round, r + MANY);
    while (left) {
        (asks ? MPI_Testsome : MPI_Waitsome)(2 * MANY, r, &n, index, s);
        for (int i = 0; i < n; i++)
            if (index[i] < MANY)
                got(round, index[i], &s[i]);
        left -= n;
    }
}

static void with_all(int round)
{
    MPI_Request r[2 * MANY];
    MPI_Status s[2 * MANY];
    int flag = 0;

    give(round, r + MANY);
    post(r);
    while (!flag) {
        MPI_Testall(2 * MANY, r, &flag, s);
        skew();
    }
    for (int k = 0; k < MANY; k++)
        got(round, k, &s[k]);
}

static void with_probes(int round)
{
    MPI_Request r[MANY], one;
    MPI_Message m[MANY];
    MPI_Status s;
    int flag = 0, k;

    give(round, r);
    for (k = 0; k < MANY; k++) {
        if (k % 2)
            MPI_Mprobe(from, k, talk, &m[k], &s);
        else
            for (flag = 0; !flag; skew())
                MPI_Improbe(MPI_ANY_SOURCE, k, talk, &flag, &m[k], &s);
        check(s.MPI_TAG, k, "found");
    }
    skew();
    for (k = MANY - 1; k >= 0; k--) {
        if (k % 3) {
            MPI_Mrecv(in[k], N, MPI_INT, &m[k], &s);
        } else {
            MPI_Imrecv(in[k], N, MPI_INT, &m[k], &one);
            skew();
            MPI_Wait(&one, &s);
        }
        check(m[k] == MPI_MESSAGE_NULL, 1, "taken");
        got(round, k, &s);
    }
    MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE);
}

/* As an MPI_Iprobe that is asked again and again, and a blocking receive. */
static void with_looks(int round)
{
    MPI_Request r[MANY];
    MPI_Status s;
    int flag;

    give(round, r);
    for (int k = 0; k < MANY; k++) {
        for (flag = 0; !flag; skew())
            MPI_Iprobe(from, k, talk, &flag, &s);
        MPI_Recv(in[k], N, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, talk, &s);
        got(round, k, &s);
    }
    for (int k = 0; k < MANY; k++)
        for (flag = 0; !flag;)
            MPI_Test(&r[k], &flag, MPI_STATUS_IGNORE);
}

static MPI_Request fixed[2 * MANY];
static int fixed_out[MANY][8], fixed_in[MANY][8];

static void fix(void)
{
    for (int k = 0; k < MANY; k++) {
        MPI_Recv_init(fixed_in[k], 8, MPI_INT, k % 2 ? from : MPI_ANY_SOURCE,
                      100 + k, talk, &fixed[k]);
        (k % 3 == 0 ? MPI_Send_init : k % 3 == 1 ? MPI_Ssend_init
                                                 : MPI_Bsend_init)(
            fixed_out[k], 8, MPI_INT, to, 100 + k, talk, &fixed[MANY + k]);
    }
}

static void with_persistent(int round)
{
    MPI_Status s[2 * MANY];

    for (int k = 0; k < MANY; k++)
        fixed_out[k][7] = round * 10 + k;
    MPI_Startall(MANY, fixed + MANY);
    skew();
    for (int k = 0; k < MANY; k++)
        MPI_Start(&fixed[k]);
    skew();
    MPI_Waitall(2 * MANY, fixed, s);
    for (int k = 0; k < MANY; k++) {
        check(fixed_in[k][7], round * 10 + k, "persistent");
        check(s[k].MPI_SOURCE, from, "persistent, source");
        note(fixed_in[k][7]);
    }
}

static void with_blocking(int round)
{
    MPI_Status s;

    for (int k = 0; k < MANY; k++) {
        int n = length(round, k);

        if (k % 2) {
            MPI_Bsend(out[k], n, MPI_INT, to, k, talk);
            skew();
            MPI_Recv(in[k], N, MPI_INT, MPI_ANY_SOURCE, k, talk, &s);
        } else {
            MPI_Sendrecv(out[k], n, MPI_INT, to, k, in[k], N, MPI_INT, from, k,
                         talk, &s);
        }
        got(round, k, &s);
        skew();
    }
    memcpy(in[0], out[0], sizeof(in[0]));
    MPI_Sendrecv_replace(in[0], N, MPI_INT, to, 0, from, 0, talk, &s);
    note(in[0][0]);
}

/* Too long, sent and forgotten, withdrawn, to nobody. */
static void with_oddities(int round)
{
    int few[2] = { 0 }, flag, class;
    MPI_Request r, odd;
    MPI_Status s;

    MPI_Irecv(in[0], N, MPI_INT, from, 999, talk, &odd);
    MPI_Isend(out[1], 4, MPI_INT, to, 50, talk, &r);
    MPI_Request_free(&r);
    skew();
    flag = MPI_Recv(few, 2, MPI_INT, from, 50, talk, &s);
    MPI_Error_class(flag, &class);
    check(class, MPI_ERR_TRUNCATE, "too long");
    MPI_Isend(out[2], 3, MPI_INT, to, 51, talk, &r);
    MPI_Request_free(&r);
    skew();
    MPI_Irecv(in[1], N, MPI_INT, MPI_ANY_SOURCE, 51, talk, &r);
    skew();
    for (flag = 0; !flag;)
        MPI_Request_get_status(r, &flag, &s);
    check(s.MPI_SOURCE, from, "asked before");
    MPI_Wait(&r, &s);
    check(in[1][2], round * 100 + from * 10 + 2 + 2, "sent and forgotten");
    /* what was sent so may be written to again: it has come */
    MPI_Sendrecv(NULL, 0, MPI_INT, from, 52, NULL, 0, MPI_INT, to, 52, talk, &s);
    MPI_Cancel(&odd);
    MPI_Wait(&odd, &s);
    MPI_Test_cancelled(&s, &flag);
    check(flag, 1, "withdrawn");
    MPI_Sendrecv(out[3], 1, MPI_INT, MPI_PROC_NULL, 0, in[3], 1, MPI_INT,
                 MPI_PROC_NULL, 0, talk, &s);
    check(s.MPI_SOURCE, MPI_PROC_NULL, "nobody");
}

int main(int argc, char **argv)
{
    int round;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &talk);
    MPI_Comm_set_errhandler(talk, MPI_ERRORS_RETURN);
    MPI_Comm_rank(talk, &rank);
    MPI_Comm_size(talk, &size);
    MPI_Buffer_attach(room, sizeof(room));
    seed = (unsigned)(rank * 77 + (argc > 2 ? atoi(argv[2]) : 1));
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    fix();
    for (round = 0; rounds_more(argv[1], round); round++) {
        fill(round);
        switch (round % WAYS) {
        case 0: with_any(round); break;
        case 1: with_some(round, 0); break;
        case 2: with_some(round, 1); break;
        case 3: with_all(round); break;
        case 4: with_probes(round); break;
        case 5: with_looks(round); break;
        case 6: with_persistent(round); break;
        case 7: with_blocking(round); break;
        default: with_oddities(round);
        }
    }
    for (int k = 0; k < 2 * MANY; k++)
        MPI_Request_free(&fixed[k]);
    printf("rank %d rounds %d sum %lx\n", rank, round, (unsigned long)sum);
    return MPI_Finalize();
}
