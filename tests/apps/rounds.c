/* rounds.c - passes numbers around a ring until a file is there, and says at the end
 * whether each came once: for tests in which tasks are moved, or made again.
 *
 * usage: rounds STOPFILE [WORD...]
 *
 * If there is a number in the file it has to have made more rounds than that.
 *
 *   /PREFIX       each task also writes its rounds to /PREFIX.RANK
 *   file=PATH     task 1 has that file open
 *   child         task 1 has a child, and a pipe to it
 *   ballast=MB    each task has so much memory with random numbers, and looks at the
 *                 end whether they are as they were
 *   even=MB       the same of numbers that are alike, which can be made less */
#include <hct_rt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EACH = 50, NAP_US = 5000 };  /* messages a round, and its end */

static FILE *lines;
static uint64_t *ballast;
static size_t numbers;
static int alike;

static uint64_t next_number(uint64_t x)
{
    if (alike)
        return x;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

static int fill(size_t mb, int rank)
{
    uint64_t x = (uint64_t)rank + 1;

    numbers = (mb << 20) / sizeof(*ballast);
    ballast = malloc(numbers * sizeof(*ballast) + 1);
    for (size_t i = 0; ballast && i < numbers; i++)
        ballast[i] = x = next_number(x);
    return ballast ? 0 : -1;
}

static int take(const char *word, int rank)
{
    char name[4096];

    if (*word == '/') {
        snprintf(name, sizeof(name), "%s.%d", word, rank);
        return (lines = fopen(name, "w")) ? 0 : -1;
    }
    if (strncmp(word, "ballast=", 8) == 0)
        return fill((size_t)atol(word + 8), rank);
    if (strncmp(word, "even=", 5) == 0) {
        alike = 1;
        return fill((size_t)atol(word + 5), rank);
    }
    if (strncmp(word, "file=", 5) == 0)
        return rank != 1 || fopen(word + 5, "w") ? 0 : -1;
    if (strcmp(word, "child") == 0)
        return rank != 1 || popen("sleep 1000", "r") ? 0 : -1;
    return -1;
}

static int is_enough(const char *name, long rounds)
{
    FILE *f = fopen(name, "r");
    long until = 0;

    if (!f)
        return 0;
    if (fscanf(f, "%ld", &until) != 1)
        until = 0;
    fclose(f);
    return rounds > until;
}

static long damaged(int rank)
{
    uint64_t x = (uint64_t)rank + 1;
    long n = 0;

    for (size_t i = 0; i < numbers; i++)
        n += ballast[i] != (x = next_number(x));
    return n;
}

int main(int argc, char **argv)
{
    int rank, size, stop = 0;
    long in = 0, n = 0, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 2; i < argc; i++)
        if (take(argv[i], rank)) {
            fprintf(stderr, "rounds: %s\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    printf("begun %d\n", rank);
    fflush(stdout);
    while (!stop) {
        MPI_Sendrecv(&n, 1, MPI_LONG, (rank + 1) % size, 7, &in, 1, MPI_LONG,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        wrong += in != n++;
        if (n % EACH)
            continue;
        stop = is_enough(argv[1], n / EACH);
        HCT_RT_Tag((int)(n / EACH), "round");
        MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        usleep(NAP_US);
        printf("round %ld %d\n", n / EACH, rank);
        fflush(stdout);         /* who waits for it sees it */
        if (lines) {
            fprintf(lines, "round %ld\n", n / EACH);
            fflush(lines);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wrong += damaged(rank);
    printf("rank %d of %d wrong %ld rounds %ld\n", rank, size, wrong, n / EACH);
    return MPI_Finalize();
}
