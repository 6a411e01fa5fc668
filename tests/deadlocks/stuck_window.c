/* stuck_window.c - small MPI programs that deadlock over windows: locks that two
 * take in different orders, or that are never given back; groups of MPI_Win_post
 * and MPI_Win_start that are not each other's. Words and marks as in stuck.c. */
#include "mini.h"

/* By which it is known who has the lock. */
static void seize(int target, MPI_Win w)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w); /*!*/
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, w);
    MPI_Win_flush(target, w);
}

/* Ranks 0 and 1 have one each, and want the other one's, too. */
static void both(int target, MPI_Win w, int then, MPI_Win next)
{
    if (rank < 2) {
        seize(target, w);
        put(1 - rank, 1);
        get(1 - rank, 1);
        seize(then, next); /*!*/
        MPI_Win_unlock(then, next);
        MPI_Win_unlock(target, w);
    }
    MPI_Barrier(W); /*!*/
}
static void lock_order(void)
{
    MPI_Win w = window();

    both(2 + rank, w, 3 - rank, w); /*!*/
}
static void lock_order_each(void)
{
    MPI_Win w = window();

    both(rank, w, 1 - rank, w); /*!*/
}
static void lock_order_windows(void)
{
    MPI_Win a = window(), b = window();

    both(2, rank ? b : a, 2, rank ? a : b); /*!*/
}
static void lock_order_allocated(void)
{
    int *memory;
    MPI_Win w;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, W, &memory, &w);
    both(rank, w, 1 - rank, w); /*!*/
}

/* Rank 0 has it, and waits for rank 1, which wants it. */
static void lock_kept(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        seize(2, w);
        put(1, 1);
        get(1, 2); /*!*/
        MPI_Win_unlock(2, w);
    } else if (rank == 1) {
        get(0, 1);
        seize(2, w); /*!*/
        put(0, 2);
    }
    MPI_Barrier(W);
}
static void lock_all_kept(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        MPI_Win_lock_all(0, w);
        MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w);
        MPI_Win_flush(2, w);
        put(1, 1);
        get(1, 2); /*!*/
        MPI_Win_unlock_all(w);
    } else if (rank == 1) {
        get(0, 1);
        seize(2, w); /*!*/
        put(0, 2);
    }
    MPI_Barrier(W);
}
static void lock_forgotten(void)
{
    MPI_Win w = window();

    if (rank == 0) {
        seize(2, w);
        put(1, 1);
    } else if (rank == 1) {
        get(0, 1);
        seize(2, w); /*!*/
        MPI_Win_unlock(2, w);
    }
    MPI_Barrier(W); /*!*/
}

/* "from" opens its window to "to" alone, and rank 1 starts with another one. */
static void epoch(int from, int to, int with)
{
    MPI_Win w = window();

    if (rank == from) {
        MPI_Win_post(only(to), 0, w);
        MPI_Win_wait(w); /*!*/
    } else if (rank == 1) {
        MPI_Win_start(only(with), 0, w); /*!*/
        MPI_Put(&one, 1, MPI_INT, with, 0, 1, MPI_INT, w);
        MPI_Win_complete(w); /*!*/
    }
    MPI_Barrier(W); /*!*/
}
static void post_to_another(void) { epoch(0, 2, 0); }
static void start_with_another(void) { epoch(0, 1, 2); }
static void post_to_two(void)
{
    MPI_Group all, both_of_them;
    int ranks[] = { 1, 2 };
    MPI_Win w = window();

    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 2, ranks, &both_of_them);
    if (rank == 0) {
        MPI_Win_post(both_of_them, 0, w);
        MPI_Win_wait(w); /*!*/
    } else if (rank == 1) {
        MPI_Win_start(only(0), 0, w);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_complete(w);
    }
    MPI_Barrier(W); /*!*/
}

#define KEEPS "@0-1 ranks 0-1 wait for each other.*keeps rank [0-3] of window .* locked"
static const struct mini all[] = {
    { "lock-order", 4, KEEPS, lock_order },
    { "lock-order-each", 3, KEEPS, lock_order_each },
    { "lock-order-windows", 3, KEEPS, lock_order_windows },
    { "lock-order-allocated", 3, KEEPS, lock_order_allocated },
    { "lock-kept", 3, KEEPS, lock_kept },
    { "lock-all-kept", 3, KEEPS, lock_all_kept },
    { "lock-forgotten", 3, KEEPS, lock_forgotten },
    { "post-to-another", 3, "@0-1 waits in MPI_Win_(start|complete)",
      post_to_another },
    { "start-with-another", 3, "@0-1 waits in MPI_Win_(start|complete)",
      start_with_another },
    { "post-to-two", 3, "@0 waits in MPI_Win_wait", post_to_two },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
