/* fine_window.c - correct programs with windows and files, in which calls take
 * long, or wait for one that computes. */
#include "mini.h"

static int *much;               /* of MUCH numbers */
enum { MUCH = 3000 * 3000 };

static MPI_Win large(void)
{
    MPI_Win w;

    MPI_Win_allocate((MPI_Aint)MUCH * 4, 4, MPI_INFO_NULL, W, &much, &w);
    return w;
}
/* A matrix of n by n, column by column. */
static MPI_Datatype transposed(int n)
{
    MPI_Datatype column, narrow, all;

    MPI_Type_vector(n, 1, n, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, 4, &narrow);
    MPI_Type_contiguous(n, narrow, &all);
    MPI_Type_commit(&all);
    return all;
}
/* Each of its numbers goes by itself: no call waits for anybody, and one takes
 * seconds. */
static void put_transposed(void)
{
    MPI_Win w = large();
    MPI_Datatype t = transposed(400);
    int *mine = calloc(MUCH, 4);

    MPI_Win_fence(0, w);
    for (int i = 0; rank == 0 && i < 4; i++)
        MPI_Put(mine, 400 * 400, MPI_INT, 1, 0, 1, t, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}
static void put_transposed_locked(void)
{
    MPI_Win w = large();
    MPI_Datatype t = transposed(300);
    int *mine = calloc(MUCH, 4);

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
    MPI_Put(mine, 1, t, 0, 0, 1, t, w);
    MPI_Win_unlock(0, w);
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void get_transposed(void)
{
    MPI_Win w = large();
    MPI_Datatype t = transposed(300);
    int *mine = calloc(MUCH, 4);

    MPI_Win_fence(0, w);
    if (rank == 1)
        MPI_Get(mine, 300 * 300, MPI_INT, 0, 0, 1, t, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}
static void accumulate_much(void)
{
    MPI_Win w = large();
    int *mine = calloc(MUCH, 4);

    MPI_Win_fence(0, w);
    for (int i = 0; i < 10; i++)
        MPI_Accumulate(mine, MUCH, MPI_INT, RIGHT, 0, MUCH, MPI_INT, MPI_SUM, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}
/* The target of all these is not in MPI. */
static void passive_target(void)
{
    MPI_Win w = window();

    if (rank == 0)
        compute(2.5);
    for (int i = 0; rank && i < 20; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_unlock(0, w);
    }
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void passive_all(void)
{
    MPI_Win w = window();

    MPI_Win_lock_all(0, w);
    for (int i = 0; i < 20; i++) {
        MPI_Put(&rank, 1, MPI_INT, RIGHT, 0, 1, MPI_INT, w);
        late(i == 10 ? 1 : -1);
        MPI_Win_flush(RIGHT, w);
        MPI_Get(&one, 1, MPI_INT, LEFT, 0, 1, MPI_INT, w);
        MPI_Win_flush_all(w);
    }
    MPI_Win_unlock_all(w);
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
/* Who has the lock computes before it is given back. */
static void long_lock(void)
{
    MPI_Win w = window();

    late(rank ? rank : -1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_flush(0, w);
    compute(1.2);
    MPI_Win_unlock(0, w);
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
/* Pieces of work from a counter; one of them is long. */
static void counter(void)
{
    MPI_Win w = window();
    int piece = 0;

    MPI_Barrier(W);
    MPI_Win_lock_all(0, w);
    while (piece < 30) {
        MPI_Fetch_and_op(&size, &piece, MPI_INT, 0, 0, MPI_SUM, w);
        MPI_Win_flush(0, w);
        compute(piece == 5 * size ? 2.5 : 0.02);
    }
    MPI_Win_unlock_all(w);
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
/* Waits for a number in its own window, as others write it; asks, so that the
 * library has a chance to do so. */
static void polled_window(void)
{
    MPI_Win w = window();
    volatile int *seen = mini_memory;
    int there;

    MPI_Win_lock_all(0, w);
    late(0);
    if (rank) {
        while (!*seen) {
            MPI_Iprobe(MPI_ANY_SOURCE, 9, W, &there, NO);
            MPI_Win_sync(w);
        }
    }
    one = 1;
    for (int r = 1; rank == 0 && r < size; r++) {
        MPI_Put(&one, 1, MPI_INT, r, 0, 1, MPI_INT, w);
        MPI_Win_flush(r, w);
    }
    MPI_Win_unlock_all(w);
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
/* The same in memory that all share, without any call. */
static void shared_memory(void)
{
    volatile int *mine, *first;
    MPI_Aint n;
    MPI_Win w;
    int unit;

    MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, W, (void *)&mine, &w);
    MPI_Win_shared_query(w, 0, &n, &unit, (void *)&first);
    MPI_Win_lock_all(0, w);
    *mine = 0;
    MPI_Barrier(W);
    if (rank == 0) {
        usleep(2500000);
        *first = 1;
    }
    while (!*first)
        usleep(100);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}
/* Two locks in both orders, but not at the same time: rank 0 has them for long,
 * and rank 1 waits for the first one. */
static void lock_orders(void)
{
    MPI_Win a = window(), b = window(), first = rank ? b : a;
    MPI_Win second = rank ? a : b;

    if (rank == 1)
        get(0, 1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, first);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, second);
    MPI_Put(&one, 1, MPI_INT, 2, rank, 1, MPI_INT, second);
    if (rank == 0) {
        MPI_Win_flush(2, second);
        put(1, 1);
        compute(2.5);
    }
    MPI_Win_unlock(2, second);
    MPI_Win_unlock(2, first);
    MPI_Barrier(W);
}
/* Rank 0 opens its window to one after the other, each of whom is late. */
static void post_by_turns(void)
{
    MPI_Win w = window();

    for (int r = 1; r < size; r++) {
        if (rank == 0) {
            MPI_Win_post(only(r), 0, w);
            MPI_Win_wait(w);
        } else if (rank == r) {
            late(r);
            MPI_Win_start(only(0), 0, w);
            MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
            late(r);
            MPI_Win_complete(w);
        }
    }
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void post_all(void)
{
    MPI_Group to = only(RIGHT), from = only(LEFT);
    MPI_Win w = window();

    for (int i = 0; i < 3; i++) {
        late(i);
        MPI_Win_post(from, 0, w);
        MPI_Win_start(to, 0, w);
        MPI_Put(&one, 1, MPI_INT, RIGHT, 0, 1, MPI_INT, w);
        late(i + 1);
        MPI_Win_complete(w);
        MPI_Win_wait(w);
    }
    MPI_Win_free(&w);
}
static void win_test(void)
{
    MPI_Win w = window();
    int done = 0;

    if (rank == 0) {
        MPI_Win_post(only(1), 0, w);
        while (!done)
            MPI_Win_test(w, &done);
    } else if (rank == 1) {
        MPI_Win_start(only(0), 0, w);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        usleep(4000000);
        MPI_Win_complete(w);
    }
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void requested(void)
{
    MPI_Win w = large();
    MPI_Request r[2];
    int *mine = calloc(MUCH, 4);

    MPI_Win_lock_all(0, w);
    MPI_Rput(mine, MUCH, MPI_INT, RIGHT, 0, MUCH, MPI_INT, w, &r[0]);
    MPI_Rget(mine, MUCH, MPI_INT, LEFT, 0, MUCH, MPI_INT, w, &r[1]);
    late(1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(w);
    MPI_Barrier(W);
    MPI_Win_free(&w);
}
static void dynamic(void)
{
    MPI_Aint at, *all = calloc((size_t)size, sizeof(at));
    MPI_Win w;

    MPI_Win_create_dynamic(MPI_INFO_NULL, W, &w);
    late(2);
    MPI_Win_attach(w, mini_memory, sizeof(mini_memory));
    MPI_Get_address(mini_memory, &at);
    MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT, W);
    MPI_Win_fence(0, w);
    MPI_Put(&one, 1, MPI_INT, RIGHT, all[RIGHT], 1, MPI_INT, w);
    late(0);
    MPI_Win_fence(0, w);
    MPI_Win_detach(w, mini_memory);
    MPI_Win_free(&w);
}
static void create_late(void)
{
    MPI_Win w;

    late(1);
    w = window();
    late(0);
    MPI_Win_free(&w);
    w = large();
    MPI_Win_free(&w);
}
/* An epoch between two ranks that nobody else knows of. */
static void fence_of_two(void)
{
    MPI_Comm pair = part(rank / 2);
    MPI_Win w;

    MPI_Win_create(mini_memory, sizeof(mini_memory), 4, MPI_INFO_NULL, pair, &w);
    for (int i = 0; i < 4; i++) {
        late(i);
        MPI_Win_fence(0, w);
    }
    MPI_Win_free(&w);
    MPI_Barrier(W);
}

/* ------------------------------------------------------------------ files */

static MPI_File file(int mode)
{
    char name[64];
    MPI_File f;
    int id = getpid();

    MPI_Bcast(&id, 1, MPI_INT, 0, W);
    snprintf(name, sizeof(name), "/tmp/fine-file.%d", id);
    MPI_File_open(W, name, mode | MPI_MODE_CREATE | MPI_MODE_RDWR |
                  MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    return f;
}
static void open_late(void)
{
    MPI_File f;

    late(1);
    f = file(0);
    late(0);
    MPI_File_close(&f);
}
static void write_all_late(void)
{
    MPI_File f = file(0);

    for (int i = 0; i < 3; i++) {
        late(i);
        MPI_File_write_at_all(f, (MPI_Offset)(i * size + rank) * BIG, big, BIG,
                              MPI_BYTE, NO);
    }
    MPI_File_close(&f);
}
/* One writes for all. */
static void write_much(void)
{
    MPI_File f = file(0);

    for (int i = 0; rank == 0 && i < 600; i++)
        MPI_File_write_at(f, (MPI_Offset)(i % 50) * BIG, big, BIG, MPI_BYTE, NO);
    MPI_File_sync(f);
    MPI_File_close(&f);
}
static void write_ordered(void)
{
    MPI_File f = file(0);

    late(0);
    MPI_File_write_ordered(f, big, BIG, MPI_BYTE, NO);
    late(1);
    MPI_File_write_shared(f, big, BIG, MPI_BYTE, NO);
    MPI_File_close(&f);
}
static void write_split(void)
{
    MPI_File f = file(0);
    MPI_Request r;

    MPI_File_write_at_all_begin(f, (MPI_Offset)rank * BIG, big, BIG, MPI_BYTE);
    late(1);
    MPI_File_write_at_all_end(f, big, NO);
    MPI_File_iwrite_at(f, (MPI_Offset)rank * BIG, big, BIG, MPI_BYTE, &r);
    late(2);
    MPI_Wait(&r, NO);
    MPI_File_close(&f);
}
static void view_late(void)
{
    MPI_File f = file(0);
    MPI_Datatype t;

    MPI_Type_vector(1000, 10, 10 * size, MPI_BYTE, &t);
    MPI_Type_commit(&t);
    late(2);
    MPI_File_set_view(f, rank * 10, MPI_BYTE, t, "native", MPI_INFO_NULL);
    MPI_File_write_all(f, big, 10000, MPI_BYTE, NO);
    late(0);
    MPI_File_read_at_all(f, 0, other, 10000, MPI_BYTE, NO);
    MPI_File_close(&f);
}

static const struct mini all[] = {
    { "put-transposed", 2, "", put_transposed },
    { "put-transposed-locked", 2, "", put_transposed_locked },
    { "get-transposed", 3, "", get_transposed },
    { "accumulate-much", 2, "", accumulate_much },
    { "passive-target", 3, "", passive_target },
    { "passive-all", 3, "", passive_all },
    { "long-lock", 3, "", long_lock },
    { "counter", 3, "", counter },
    { "polled-window", 3, "", polled_window },
    { "shared-memory", 3, "", shared_memory },
    { "lock-orders", 3, "", lock_orders },
    { "post-by-turns", 4, "", post_by_turns },
    { "post-all", 3, "", post_all },
    { "win-test", 2, "", win_test },
    { "requested", 2, "", requested },
    { "dynamic", 3, "", dynamic },
    { "create", 3, "", create_late },
    { "fence-of-two", 4, "", fence_of_two },
    { "open", 3, "", open_late },
    { "write-all", 3, "", write_all_late },
    { "write-much", 2, "", write_much },
    { "write-ordered", 3, "", write_ordered },
    { "write-split", 3, "", write_split },
    { "view", 3, "", view_late },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
