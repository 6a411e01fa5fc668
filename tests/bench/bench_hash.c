/* bench_hash.c - how fast images are hashed, with vectors of each width that
 * this processor has and without: in pieces of 256 KiB, as images are written,
 * which the processor has at hand, as they are when they have come, and with all
 * vectors out of memory, as they are when they go.
 * Beside it those pieces copied out of memory, which they are before they are
 * hashed, and looked through for locks, as they are when they are restored:
 * with random numbers in them, and with nothing but what may be numbers of
 * threads. Processor time, the best of some rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi-wrappers/image/image_blake3.h"
#include "mpi-wrappers/restore/restore_memory.h"
#include "mpi-wrappers/restore/restore_owners.h"

enum { THREADS = 64, FIRST_TID = 1000, LAST_TID = 4000000 };
enum { COPIES = 0, LOOKS = -1, MEMORY = -2 };
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

static void hash(int lanes, const char *from, size_t step)
{
    struct image_blake3 s;
    uint8_t is[32];

    image_blake3_begin(&s, false);
    if (lanes)
        s.lanes = lanes;
    for (size_t i = 0; i < PIECES; i++)
        image_blake3_add(&s, from + i * step, PIECE);
    image_blake3_end(&s, is);
}

/* None is found. */
void restore_refuse(const struct restore *r, const char *first, ...)
{
    (void)r, (void)first;
    abort();
}

const struct image_region *restore_memory_region(const struct restore *r,
                                                 uint64_t at)
{
    return (void)at, r->regions;
}

static void look(void)
{
    static struct image_thread threads[THREADS];
    struct restore r = { .threads = threads, .head.nthreads = THREADS };
    struct image_region g = { .start = (uint64_t)piece,
                              .end = (uint64_t)piece + PIECE,
                              .prot = PROT_READ | PROT_WRITE,
                              .mapped = IMAGE_NONE };

    for (int i = 0; i < THREADS; i++)
        threads[i].tid = i ? FIRST_TID + i : LAST_TID;
    restore_owners_begin(&r);
    for (size_t i = 0; i < PIECES; i++)
        restore_owners_look(&r, &g, g.start, g.end);
    restore_owners_end(&r);
}

static void fill(uint64_t (*word)(size_t i))
{
    for (size_t i = 0; i < PIECE / sizeof(uint64_t); i++) {
        uint64_t w = word(i);

        memcpy(piece + i * sizeof(w), &w, sizeof(w));
    }
}

static uint64_t random_word(size_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;

    x ^= x >> 29;
    return x * 0xbf58476d1ce4e5b9u;
}

static uint64_t suspect_word(size_t i)
{
    return FIRST_TID + i;
}

/* Of lanes, or COPIES, LOOKS, MEMORY. */
static double seconds(int lanes)
{
    double best = 1e9;

    for (int i = 0; i < ROUNDS; i++) {
        double took = now();

        if (lanes == LOOKS)
            look();
        else if (lanes == COPIES)
            copy();
        else if (lanes == MEMORY)
            hash(0, data, PIECE);
        else
            hash(lanes, piece, 0);
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
    copied = seconds(COPIES);
    printf("copies of 256 KiB: %.2f GB/s\n", gb / copied);
    for (int lanes = s.lanes; lanes; lanes = lanes == 4 ? 1 : lanes / 2) {
        double took = seconds(lanes);

        printf("hashes of 256 KiB, %2d lanes: %.2f GB/s, ratio %.2f\n", lanes,
               gb / took, took / copied);
    }
    printf("hashes out of memory: %.2f GB/s\n", gb / seconds(MEMORY));
    fill(random_word);
    printf("looks for locks: %.2f GB/s\n", gb / seconds(LOOKS));
    fill(suspect_word);
    printf("looks at what may be some: %.2f GB/s\n", gb / seconds(LOOKS));
    free(data);
    free(piece);
    return 0;
}
