/* hoard.c - takes all address space that there is before MPI_Init, in pieces of 256
 * MiB and more, and has something in one of them; then works until a file is there.
 *
 * usage: hoard FILE */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES = 400, LEAST = 28, MOST = 46, TEXT = 64 };
static struct { char *at; size_t bytes; } piece[PIECES];
static int pieces;

static void take_all(void)
{
    for (int log = MOST; log >= LEAST; log--)
        while (pieces < PIECES) {
            size_t bytes = (size_t)1 << log;
            void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
                           MAP_NORESERVE, -1, 0);

            if (p == MAP_FAILED)
                break;
            piece[pieces].at = p;
            piece[pieces++].bytes = bytes;
        }
}

/* In the middle of the largest. */
static char *middle(void)
{
    return piece[0].at + piece[0].bytes / 2;
}

static int is_free(void)
{
    void *p = mmap(NULL, (size_t)1 << LEAST, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return 0;
    munmap(p, (size_t)1 << LEAST);
    return 1;
}

int main(int argc, char **argv)
{
    int rank, size, over = 0, rounds = 0, wrong = 0;

    take_all();
    mprotect(middle(), 4096, PROT_READ | PROT_WRITE);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    take_all();
    snprintf(middle(), TEXT, "of rank %d", rank);
    printf("rank %d begun with %d pieces, the first of 2^%d bytes%s\n", rank, pieces,
           __builtin_ctzll(piece[0].bytes), is_free() ? ", and some left" : "");
    fflush(stdout);
    while (!over) {
        int sum = 0, mine = rank + rounds;

        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * (size - 1) / 2 + size * rounds;
        if (rank == 0)
            over = access(argv[1], F_OK) == 0;
        MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
        rounds++;
        usleep(1000);
    }
    {
        char wanted[TEXT];

        snprintf(wanted, sizeof(wanted), "of rank %d", rank);
        wrong += strcmp(wanted, middle()) != 0;
        for (int i = 0; i < pieces; i++)    /* nothing else has come there */
            wrong += mmap(piece[i].at, 4096, PROT_NONE, MAP_PRIVATE |
                          MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
    }
    printf("rank %d wrong %d\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
