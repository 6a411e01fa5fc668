/* mini.h - many small MPI programs in one: "PROGRAM NAME" runs one of them,
 * "PROGRAM" alone lists them with the number of tasks and the words that the
 * verdict on it has to have. */
#ifndef HECTOR_TESTS_MINI_H
#define HECTOR_TESTS_MINI_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define NO MPI_STATUS_IGNORE
enum { BIG = 1 << 20 };

static int rank, size, one;
static char *big, *other;       /* BIG bytes each */
static int bytes;               /* the number at the end of the name */

static inline void get(int from, int tag)
{
    MPI_Recv(&one, 1, MPI_INT, from, tag, W, NO);
}
static inline void put(int to, int tag)
{
    MPI_Send(&one, 1, MPI_INT, to, tag, W);
}
static inline void put_big(int to, int tag)
{
    MPI_Send(big, BIG, MPI_BYTE, to, tag, W);
}
static inline void get_big(int from, int tag)
{
    MPI_Recv(other, BIG, MPI_BYTE, from, tag, W, NO);
}
static inline void put_n(int to, int tag)
{
    MPI_Send(big, bytes, MPI_BYTE, to, tag, W);
}
static inline void get_n(int from, int tag)
{
    MPI_Recv(other, bytes, MPI_BYTE, from, tag, W, NO);
}
static inline MPI_Request want(int from, int tag)
{
    static int in[64], n;
    MPI_Request r;

    MPI_Irecv(&in[n++ % 64], 1, MPI_INT, from, tag, W, &r);
    return r;
}
static inline MPI_Comm copy(void)
{
    MPI_Comm c;

    MPI_Comm_dup(W, &c);
    return c;
}
static inline MPI_Comm part(int color)
{
    MPI_Comm c;

    MPI_Comm_split(W, color, rank, &c);
    return c;
}
/* The even ranks and the odd ones. */
static inline MPI_Comm between(void)
{
    MPI_Comm half = part(rank % 2), c;

    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5, &c);
    return c;
}
static inline MPI_Win window(void)
{
    static int memory[64];
    MPI_Win w;

    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, W, &w);
    return w;
}
static inline MPI_Group only(int who)
{
    MPI_Group all, g;

    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, &who, &g);
    return g;
}

struct mini {
    const char *name;
    int tasks;
    const char *words;          /* an extended regular expression */
    void (*run)(void);
};

static inline int mini_main(int argc, char **argv, const struct mini *m)
{
    if (argc < 2) {
        for (; m->name; m++)
            printf("%s\t%d\t%s\n", m->name, m->tasks, m->words);
        return 0;
    }
    while (m->name && strcmp(m->name, argv[1]) != 0)
        m++;
    if (!m->name)
        return 2;
    if (strncmp(m->name, "threads", 7) == 0 ||
        strncmp(m->name, "multiple", 8) == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &one);
    else if (strncmp(m->name, "serialized", 10) == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &one);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    big = calloc(1, BIG);
    other = calloc(1, BIG);
    bytes = strrchr(m->name, '-') ? atoi(strrchr(m->name, '-') + 1) : 0;
    m->run();
    MPI_Finalize();
    return 0;
}

#endif
