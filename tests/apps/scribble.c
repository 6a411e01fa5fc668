/* scribble.c - a task that writes all over the page it shares with its slave,
 * again and again, while it calls MPI.
 *
 *   scribble ROUNDS
 *
 * Ones, zeros, noise, and noise among what is right. The rings of events and
 * what belongs to the threads that it does not have are left alone, as they
 * would only cost memory. Each task checks what MPI gives it; the first one
 * prints "scribble: ok". */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi-wrappers/page.h"
#include "tests/apps/page_here.h"

static uint64_t noise(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static void scribble(char *page, size_t from, size_t to, int how)
{
    for (size_t i = from; i + 8 <= to; i += 8) {
        uint64_t x = noise(), y = noise();
        uint64_t v = how == 0 ? UINT64_MAX : how == 1 ? 0 : x;

        if (how == 3 && y % 64)
            continue;
        if (how == 3)
            v = y % 3 ? x % 2000 : x;
        *(volatile uint64_t *)(void *)(page + i) = v;
    }
}

static void scribble_all(char *page, int how)
{
    size_t counts = page_counts_at(PAGE_SLOTS, PAGE_CALLS, 0);
    size_t ring = page_ring_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0);
    size_t shared = page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);
    size_t thread = page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0);
    size_t second = page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 1);
    size_t told = page_told_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);

    scribble(page, 0, page_slot_at(PAGE_SLOTS), how);
    scribble(page, counts, counts + 65536, how);
    scribble(page, ring, ring + 65536, how);
    scribble(page, shared, shared + sizeof(struct page_shared), how);
    scribble(page, thread, second, how);
    scribble(page, told, told + sizeof(struct page_told), how);
}

int main(int argc, char **argv)
{
    char *page;
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 40;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    page = page_here();
    for (int i = 0; i < rounds; i++) {
        int sum, in = -1, right = (rank + 1) % size;
        MPI_Request r[2];
        MPI_Comm dup;

        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                  &r[0]);
        if (page)
            scribble_all(page, i % 4);
        MPI_Isend(&rank, 1, MPI_INT, right, i, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, dup);
        MPI_Comm_free(&dup);
        MPI_Pcontrol(i);
        if (in != (rank + size - 1) % size || sum != i * size) {
            fprintf(stderr, "scribble: rank %d: wrong in round %d\n", rank, i);
            MPI_Abort(MPI_COMM_WORLD, 5);
        }
    }
    if (rank == 0)
        puts(page ? "scribble: ok" : "scribble: ok, but there is no page");
    MPI_Finalize();
    return 0;
}
