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
    MPI_Comm dup, half, cart, row, made, inter, merged, nosy, idup, node;
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
    MPI_Comm_split_type(half, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    same_everywhere(node, "shared");
    MPI_Comm_free(&node);
    MPI_Comm_dup_with_info(half, MPI_INFO_NULL, &node);
    same_everywhere(node, "dup with info");
    MPI_Comm_free(&node);

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

/* What a wait or a test has waited for, of a communicator whose ranks are not
 * those of the world. */
static void about(uint64_t id, int peer, int tag, unsigned call)
{
    CHECK(slot()->comm == id && slot()->peer == peer && slot()->tag == tag);
    CHECK(slot()->waits_call == call);
}

static void partners(void)
{
    int n, me, flag, which, index[9], in[9], to, from, world_from;
    MPI_Comm half;
    MPI_Request r[9], send;
    uint64_t id;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_size(half, &n);
    MPI_Comm_rank(half, &me);
    to = (me + 1) % n;
    from = (me + n - 1) % n;
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &world_from, 1, MPI_INT, from, 1,
                 half, MPI_STATUS_IGNORE);
    CHECK(slot()->source == world_from);
    id = slot()->comm;
    for (int i = 0; i < 8; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, from, 10 + i, half, &r[i]);
    MPI_Recv_init(&in[8], 1, MPI_INT, from, 18, half, &r[8]);
    MPI_Test(&r[8], &flag, MPI_STATUS_IGNORE);
    CHECK(flag && slot()->requests == 0);       /* not started */
    MPI_Start(&r[8]);
    MPI_Test(&r[8], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag && slot()->requests == 1);
    about(id, world_from, 18, CALL_Recv_init);
    MPI_Request_get_status(r[3], &flag, MPI_STATUS_IGNORE);
    about(id, world_from, 13, CALL_Irecv);
    for (int many = 4; many <= 8; many += 4) {
        MPI_Testall(many, r, &flag, MPI_STATUSES_IGNORE);
        CHECK(!flag && (slot()->requests & ~PAGE_BY_STANDING) == (uint32_t)many);
        about(id, world_from, 10, CALL_Irecv);
        MPI_Testany(many, r, &which, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag && (slot()->requests & ~PAGE_BY_STANDING) == (uint32_t)many);
        about(id, world_from, 10, CALL_Irecv);
        MPI_Testsome(many, r, &which, index, MPI_STATUSES_IGNORE);
        CHECK(which == 0);
        about(id, world_from, 10, CALL_Irecv);
    }
    MPI_Barrier(half);
    for (int i = 0; i < 9; i++) {
        MPI_Isend(&i, 1, MPI_INT, to, 10 + i, half, &send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Barrier(half);
        if (i == 0) {
            MPI_Waitany(9, r, &which, MPI_STATUS_IGNORE);
            CHECK(which == 0);
            about(id, world_from, 10, CALL_Irecv);
        } else if (i == 1) {
            MPI_Waitsome(9, r, &which, index, MPI_STATUSES_IGNORE);
            CHECK(which == 1 && index[0] == 1);
            about(id, world_from, 11, CALL_Irecv);
        }
        MPI_Barrier(half);
    }
    MPI_Wait(&r[8], MPI_STATUS_IGNORE);
    about(id, world_from, 18, CALL_Recv_init);
    MPI_Request_free(&r[8]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
    about(id, world_from, 12, CALL_Irecv);
    for (int i = 0; i < 9; i++)
        CHECK(in[i] == i);
    MPI_Comm_free(&half);
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
    partners();
    MPI_Barrier(MPI_COMM_WORLD);
    flights();
    MPI_Reduce(&checks, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("state: %d checks, all right\n", all);
    MPI_Finalize();
    return 0;
}
