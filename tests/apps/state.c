/* state.c - what the recording library leaves in the page, seen by the program
 * itself, which finds the page among its mappings.
 *
 * All tasks make all kinds of communicators and compare what the page says of
 * them: the same identity on all members, partners as ranks of the world,
 * numbers of collective calls, unfinished requests. Rank 0 prints "state: N
 * checks, all right". Four tasks or more, under Hector. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_ids.h"
#include "mpi-wrappers/page.h"
#include "tests/apps/page_here.h"

static char *page;
static int rank, size, checks;

#define CHECK(x) check((x) != 0, #x, __LINE__)
static void check(int good, const char *what, int line)
{
    checks++;
    if (!good) {
        fprintf(stderr, "state.c:%d: rank %d: %s is wrong\n", line, rank,
                what);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
}

static struct page_slot *slot(void)
{
    return (struct page_slot *)(page + page_slot_at(0));
}

static struct page_shared *shared(void)
{
    return (struct page_shared *)(page + page_shared_at(PAGE_SLOTS, PAGE_CALLS,
                                                        PAGE_RING_BYTES));
}

/* The identity of c is a new one and the same on all of its members. */
static uint64_t seen[64];
static int nseen;

static void same_everywhere(MPI_Comm c, const char *what)
{
    uint64_t id, first, last;

    MPI_Barrier(c);
    id = slot()->comm;
    MPI_Allreduce(&id, &first, 1, MPI_UINT64_T, MPI_MIN, c);
    MPI_Allreduce(&id, &last, 1, MPI_UINT64_T, MPI_MAX, c);
    if (first != last || id == 0 || (id & PAGE_COMM_LOCAL))
        fprintf(stderr, "state: %s: identity %#lx\n", what, (long)id);
    CHECK(first == last && id != 0 && !(id & PAGE_COMM_LOCAL));
    for (int i = 0; i < nseen; i++)
        CHECK(seen[i] != id);
    seen[nseen++] = id;
}

static void communicators(void)
{
    MPI_Comm dup, half, cart, row, made, inter, merged, nosy, idup;
    MPI_Group world, some;
    MPI_Request r;
    int dims[2] = { 0, 0 }, periods[2] = { 1, 1 }, keep[2] = { 0, 1 };
    int ranks[2] = { 1, 2 }, next = (rank + 1) % size, one = 1, n;

    same_everywhere(MPI_COMM_WORLD, "world");
    CHECK(seen[0] == PAGE_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    same_everywhere(dup, "dup");
    MPI_Comm_split(dup, rank % 2, -rank, &half);
    same_everywhere(half, "split");
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart);
    same_everywhere(cart, "cart");
    MPI_Cart_sub(cart, keep, &row);
    same_everywhere(row, "row");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    if (made != MPI_COMM_NULL)
        same_everywhere(made, "create");
    if (rank == 1 || rank == 2)
        for (int i = 0; i < 2; i++) {
            MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &made);
            same_everywhere(made, "create_group");
        }
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                         rank % 2 ? (size - 1) / 2 * 2
                                  : (size - 2) / 2 * 2 + 1, 9, &inter);
    same_everywhere(inter, "intercomm");
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    same_everywhere(merged, "merge");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &next, &one, 1, &next,
                                   &one, MPI_INFO_NULL, 0, &nosy);
    same_everywhere(nosy, "graph");
    MPI_Comm_idup(MPI_COMM_WORLD, &idup, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    same_everywhere(idup, "idup");

    /* Ranks of half run backwards, those of the world are meant. */
    MPI_Comm_size(half, &n);
    MPI_Bcast(&one, 1, MPI_INT, n - 1, half);
    CHECK(slot()->peer == rank % 2);
    MPI_Comm_free(&half);
    MPI_Comm_split(dup, rank % 2, -rank, &half);
    same_everywhere(half, "split again");
    MPI_Comm_free(&dup);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    same_everywhere(dup, "dup again");
    MPI_Comm_free(&dup);
    MPI_Comm_free(&idup);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

static unsigned unfinished(int peer, int tag, unsigned call)
{
    unsigned n = 0;

    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        if (shared()->request_key[i] > 1 &&
            shared()->request[i].peer == peer &&
            shared()->request[i].tag == tag &&
            shared()->request[i].call == call)
            n++;
    return n;
}

static void messages(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int in[20], flag, buf = 0, barriers;
    MPI_Request r[20];
    static char large[1 << 20], other[1 << 20];

    for (int i = 0; i < 20; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < 20; i++)
        CHECK(unfinished(left, i, CALL_Irecv) == 1);
    MPI_Test(&r[7], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag && slot()->peer == left && slot()->tag == 7);
    CHECK(slot()->waits_call == CALL_Irecv);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++) {
        MPI_Send(&i, 1, MPI_INT, right, i, MPI_COMM_WORLD);
        CHECK(slot()->peer == right && slot()->tag == i);
        CHECK(slot()->comm == PAGE_COMM_WORLD && slot()->count == 1);
    }
    CHECK(slot()->bytes == sizeof(int));
    MPI_Waitall(20, r, MPI_STATUSES_IGNORE);
    CHECK(slot()->requests == 20 && slot()->count == 20);
    for (int i = 0; i < 20; i++)
        CHECK(unfinished(left, i, CALL_Irecv) == 0);

    MPI_Irecv(other, sizeof(other), MPI_CHAR, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(large, sizeof(large), MPI_CHAR, right, 1, MPI_COMM_WORLD, &r[1]);
    CHECK(unfinished(right, 1, CALL_Isend) == 1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(unfinished(right, 1, CALL_Isend) == 0);
    for (int i = 0; i < 100; i++) {     /* complete when they are made */
        MPI_Isend(&buf, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &r[0]);
        MPI_Recv(&buf, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    CHECK(unfinished(right, 2, CALL_Isend) == 0);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    barriers = (int)slot()->collective;
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK((int)slot()->collective == barriers + 1);
    CHECK(slot()->call == 0 && slot()->seq % 2 == 0);
    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        CHECK(shared()->request_key[i] <= 1);
}

/* The last calls, in order, with their times. */
static void flights(void)
{
    const struct page_thread *t = (const struct page_thread *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));
    uint64_t n = slot()->flights, last = 0;

    CHECK(n > PAGE_FLIGHT);
    for (uint64_t i = n - PAGE_FLIGHT; i < n; i++) {
        const struct page_flight *f = &t->flight[i % PAGE_FLIGHT];

        CHECK(f->number == i + 1);
        CHECK(f->enter_ticks >= last && f->exit_ticks >= f->enter_ticks);
        last = f->exit_ticks;
    }
    CHECK(t->flight[(n - 1) % PAGE_FLIGHT].call == CALL_Barrier);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    page = page_here();
    CHECK(page != NULL && size >= 4);
    communicators();
    messages();
    flights();
    MPI_Reduce(&checks, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("state: %d checks, all right\n", all);
    MPI_Finalize();
    return 0;
}
