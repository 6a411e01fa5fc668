/* lent.c - more of a libmpi.so.40 for tests: a program may ask for another
 * library itself, when all of its tasks do, and the place in the job is lent by
 * $LENDER (lender.c) instead of the slave. Linked with --wrap=dial. */
#include <stdlib.h>

#include "mpi-wrappers/dial.h"
#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/stop/drain.h"
#include "mpi-wrappers/swap/swap.h"

#define LENT_SHOW __attribute__((visibility("default")))

int __real_dial(const char *path, const void *question, size_t bytes,
                void *answer, size_t answer_bytes, int *fd, int limit_ms);
int __wrap_dial(const char *path, const void *question, size_t bytes,
                void *answer, size_t answer_bytes, int *fd, int limit_ms);
int __wrap_dial(const char *path, const void *question, size_t bytes,
                void *answer, size_t answer_bytes, int *fd, int limit_ms)
{
    if (bytes == sizeof(struct page_lease_ask) && getenv("LENDER"))
        path = getenv("LENDER");
    return __real_dial(path, question, bytes, answer, answer_bytes, fd, limit_ms);
}

static long lent_sum(long own)
{
    long all = 0;

    INSIDE(Allreduce)(&own, &all, 1, object_real(MPI_LONG), object_real(MPI_SUM),
                      object_real(MPI_COMM_WORLD));
    return all;
}

/* As who stands does it, and by collectives of its own. */
static void lent_drain(void)
{
    long left, under_way;

    do {
        left = drain_once();
        under_way = (long)(GET(stop_page->sent) -
                           GET(stop_page->received));
        left = lent_sum(left);
        under_way = lent_sum(under_way);
    } while (left || under_way);
}

LENT_SHOW int test_swap(unsigned generation);
LENT_SHOW int test_swap(unsigned generation)
{
    lent_drain();
    atomic_store(&stop_page->wanted, generation);
    return swap_now();
}

LENT_SHOW const char *test_why(void);
LENT_SHOW const char *test_why(void)
{
    return stop_page->why;
}

LENT_SHOW int test_refused(char *why, int size);
LENT_SHOW int test_refused(char *why, int size)
{
    return swap_refused(why, (size_t)size);
}
