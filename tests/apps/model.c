/* model.c - the model of this program, as the recording library leaves it in
 * the page, compared with what the program has done.
 *
 *   model STEPS PHASES
 *
 * Each step is a tagged broadcast, 100 ring exchanges from one place and a
 * sum; the page has to know three sites in a loop, how often each one follows
 * the other, and PHASES phases. Rank 0 prints "model: all right". */
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_ids.h"
#include "mpi-wrappers/page.h"
#include "tests/apps/page_here.h"

enum { EXCHANGES = 100 };

static int rank, size;
static char *page;
static const struct page_thread *t;

#define CHECK(x) check((x) != 0, #x, __LINE__)
static void check(int good, const char *what, int line)
{
    if (!good) {
        fprintf(stderr, "model.c:%d: rank %d: %s is wrong\n", line, rank,
                what);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
}

static __attribute__((noinline)) void step(int n)
{
    int token = n, sum;

    HCT_RT_Tag(n, "step");
    MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < EXCHANGES; i++)
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 1,
                             (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    MPI_Allreduce(&token, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == n * size);
}

/* The only site of this call. */
static unsigned site_of(unsigned call)
{
    unsigned found = 0;

    for (unsigned i = 0; i < PAGE_SITES; i++)
        if (t->site[i].address && t->site[i].call == call) {
            CHECK(found == 0);
            found = i;
        }
    CHECK(found >= PAGE_SITE_FIRST);
    return found;
}

/* In all phases together. */
static uint64_t edge(unsigned from, unsigned to)
{
    uint64_t n = 0;

    for (unsigned b = 0; b < PAGE_BANKS; b++)
        for (unsigned i = 0; i < t->bank[b].used; i++)
            if (t->bank[b].edge[i].ends == (from << 16 | to))
                n += t->bank[b].edge[i].n;
    return n;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 10;
    unsigned phases = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    unsigned bcast, exchange, reduce, known = 0;
    struct page_header *h;
    struct page_shared *s;
    char exe[192] = "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    page = page_here();
    CHECK(page != NULL);
    h = (struct page_header *)page;
    t = (const struct page_thread *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));
    s = (struct page_shared *)
        (page + page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    for (int i = 0; i < steps; i++)
        step(i);
    bcast = site_of(CALL_Bcast);
    exchange = site_of(CALL_Sendrecv_replace);
    reduce = site_of(CALL_Allreduce);
    CHECK(edge(bcast, exchange) == (uint64_t)steps);
    CHECK(edge(exchange, exchange) == (uint64_t)steps * (EXCHANGES - 1));
    CHECK(edge(exchange, reduce) == (uint64_t)steps);
    CHECK(edge(reduce, bcast) == (uint64_t)steps - 1);
    CHECK(edge(bcast, reduce) == 0);
    CHECK(t->site[exchange].calls == (uint64_t)steps * EXCHANGES);
    CHECK(t->site[exchange].bytes == t->site[exchange].calls * sizeof(int));
    CHECK(h->phase == phases && h->phase_bad == 0);
    for (unsigned b = 0; b < PAGE_BANKS; b++)
        CHECK(t->bank[b].lost == 0);

    /* step() and main() are on the stack, and in this program. */
    CHECK(t->site[bcast].frames >= 2);
    CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
    for (unsigned i = 0; i < PAGE_MODULES; i++)
        if (s->module[i].start && strcmp(s->module[i].path, exe) == 0)
            for (unsigned f = 0; f < 2; f++)
                known += t->frame[bcast][f] >= s->module[i].start &&
                         t->frame[bcast][f] < s->module[i].end;
    CHECK(known == 2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("model: all right");
    MPI_Finalize();
    return 0;
}
