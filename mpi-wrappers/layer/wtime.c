/* wtime.c - see wtime.h. Open MPI counts from where it began, and by a clock of
 * the node; over the gap the time of day is what all nodes have. */
#include "mpi-wrappers/layer/wtime.h"

#include <time.h>

#include "mpi-wrappers/layer/call.h"

static struct {
    double more;                /* than Open MPI says now */
    double left, left_at;       /* what was said last, and when */
} wtime;

static double wtime_day(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

ENTRY_EXPORT double PMPI_Wtime(void)
{
    uint32_t before = stand_pass();
    double now = INSIDE(Wtime)() + wtime.more;

    stand_passed(before);
    return now;
}
ENTRY_ALIAS(Wtime)

void wtime_leave(void)
{
    wtime.left = PMPI_Wtime();
    wtime.left_at = wtime_day();
}

void wtime_arrive(void)
{
    double gap = wtime_day() - wtime.left_at;

    wtime.more = 0;
    wtime.more = wtime.left + (gap > 0 ? gap : 0) - PMPI_Wtime();
}
