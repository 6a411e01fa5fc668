/* bench_hash.c - how fast images are hashed, with vectors of each width that this
 * processor has and without: in pieces of 256 KiB, as images are written. Beside
 * it those pieces copied out of memory, which they are before they are hashed.
 * Processor time, the best of some rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi-wrappers/image/image_blake3.h"

enum { PIECE = 256 << 10, PIECES = 256, ROUNDS = 7 };

static char *data, *piece;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void copy(void)
{
    for (size_t i = 0; i < PIECES; i++) {
        memcpy(piece, data + i * PIECE, PIECE);
        __asm__ volatile("" : : "r"(piece) : "memory");
    }
}

static void hash(int lanes)
{
    struct image_blake3 s;
    uint8_t is[32];

    image_blake3_begin(&s, false);
    s.lanes = lanes;
    for (size_t i = 0; i < PIECES; i++)
        image_blake3_add(&s, piece, PIECE);
    image_blake3_end(&s, is);
}

/* lanes 0: copies. */
static double seconds(int lanes)
{
    double best = 1e9;

    for (int i = 0; i < ROUNDS; i++) {
        double took = now();

        if (lanes)
            hash(lanes);
        else
            copy();
        took = now() - took;
        best = took < best ? took : best;
    }
    return best;
}

int main(void)
{
    const double gb = 1e-9 * PIECES * PIECE;
    struct image_blake3 s;
    double copied;

    data = malloc((size_t)PIECES * PIECE);
    piece = malloc(PIECE);
    if (!data || !piece)
        return fprintf(stderr, "bench_hash: there is no memory\n"), 1;
    memset(data, 7, (size_t)PIECES * PIECE);
    image_blake3_begin(&s, false);
    copied = seconds(0);
    printf("copies of 256 KiB: %.2f GB/s\n", gb / copied);
    for (int lanes = s.lanes; lanes; lanes = lanes == 4 ? 1 : lanes / 2) {
        double took = seconds(lanes);

        printf("hashes of 256 KiB, %2d lanes: %.2f GB/s, ratio %.2f\n", lanes,
               gb / took, took / copied);
    }
    free(data);
    free(piece);
    return 0;
}
