/* mini.h - many small MPI programs in one: "PROGRAM NAME" runs one of them,
 * "PROGRAM" alone lists them with the number of tasks and some words: those that
 * the verdict on it has to have, or the environment that it runs in. */
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
static char *big, *other;       /* BIG bytes each, or as many as "bytes" */
static int bytes;               /* the number at the end of the name */
static volatile double sink;

#define RIGHT ((rank + 1) % size)
#define LEFT ((rank + size - 1) % size)

/* Macros, so that the line of each is that of the program. */
#define get(from, tag) MPI_Recv(&one, 1, MPI_INT, from, tag, W, NO)
#define put(to, tag) MPI_Send(&one, 1, MPI_INT, to, tag, W)
#define put_big(to, tag) MPI_Send(big, BIG, MPI_BYTE, to, tag, W)
#define get_big(from, tag) MPI_Recv(other, BIG, MPI_BYTE, from, tag, W, NO)
#define put_n(to, tag) MPI_Send(big, bytes, MPI_BYTE, to, tag, W)
#define get_n(from, tag) MPI_Recv(other, bytes, MPI_BYTE, from, tag, W, NO)
#define want(from, tag) \
    ({ MPI_Request r_; \
       MPI_Irecv(mini_room(), 1, MPI_INT, from, tag, W, &r_); \
       r_; })
#define copy() ({ MPI_Comm c_; MPI_Comm_dup(W, &c_); c_; })
#define part(color) \
    ({ MPI_Comm c_; MPI_Comm_split(W, color, rank, &c_); c_; })
#define window() \
    ({ MPI_Win w_; \
       MPI_Win_create(mini_memory, sizeof(mini_memory), sizeof(int), \
                      MPI_INFO_NULL, W, &w_); \
       w_; })

static __attribute__((unused)) int mini_memory[64];
static inline int *mini_room(void)
{
    static int in[64], n;

    return &in[n++ % 64];
}
/* One of them comes later than the others wait without a reason. */
static inline void late(int who)
{
    if (rank == who)
        usleep(1500000);
}
static inline void compute(double s)
{
    double until = MPI_Wtime() + s;

    while (MPI_Wtime() < until)
        for (int i = 0; i < 1000; i++)
            sink += (double)i * i;
}
/* The even ranks and the odd ones. */
static inline MPI_Comm between(void)
{
    MPI_Comm half = part(rank % 2), c;

    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5, &c);
    return c;
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
    const char *words;          /* an extended regular expression, or VAR=value */
    void (*run)(void);
};

static inline void mini_begin(const char *name, int *argc, char ***argv)
{
    int level = strncmp(name, "threads", 7) == 0 ||
            strncmp(name, "multiple", 8) == 0 ? MPI_THREAD_MULTIPLE
        : strncmp(name, "serialized", 10) == 0 ? MPI_THREAD_SERIALIZED
        : strncmp(name, "funneled", 8) == 0 ? MPI_THREAD_FUNNELED
        : MPI_THREAD_SINGLE;

    if (level == MPI_THREAD_SINGLE)
        MPI_Init(argc, argv);
    else
        MPI_Init_thread(argc, argv, level, &one);
}

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
    bytes = strrchr(m->name, '-') ? atoi(strrchr(m->name, '-') + 1) : 0;
    big = calloc(1, (size_t)(bytes > BIG ? bytes : BIG));
    other = calloc(1, (size_t)(bytes > BIG ? bytes : BIG));
    mini_begin(m->name, &argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    m->run();
    MPI_Finalize();
    return 0;
}

#endif
