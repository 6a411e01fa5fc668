/* bench_stop.c - what one look costs the stop of a running job, by the number of
 * tasks and of the communicators that each lists: the first one; where all is
 * quiet; where all tasks have moved; and where all but one lag, and each waits
 * for the next, up to the last one, which is held. The best of some, and for the
 * first, which may be long, the processor's time: what others take is none of
 * its own.
 *
 * usage: bench_stop [TASKS COMMUNICATORS]      else a table */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "master/move/stop.h"
#include "proto/base/clock.h"

enum { ROUNDS = 21 };

static struct stop_task *task;
static struct stop_comm *comm;
static uint32_t ntasks, ncomms;
static struct stop *stop;
static uint64_t looks;

/* One communicator of all, then those of 1, 2, 4 ... neighbours, again and
 * again. */
static void fill(void)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        struct stop_comm *own = comm + (size_t)i * ncomms;

        task[i] = (struct stop_task){
            .comms = own, .ncomms = ncomms, .where = STOP_AT_USER,
            .peer = STOP_NONE, .order = UINT64_MAX };
        for (uint32_t k = 0; k < ncomms; k++) {
            uint32_t size = k ? 1u << (k - 1) % 10 : ntasks;

            own[k] = (struct stop_comm){
                .id = (uint64_t)k << 32 | i / size, .entered = 1,
                .target = UINT64_MAX,
                .size = ntasks % size ? 0 : size };
        }
    }
    task[0].where = STOP_AT_COLLECTIVE;         /* else it would freeze */
}

static void stay(void)
{
}

static void move(void)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        comm[(size_t)i * ncomms].entered++;
        task[i].sent++;
    }
}

static void lag(void)
{
    uint32_t last = ntasks - 1;

    for (uint32_t i = 0; i < last; i++) {
        task[i].where = STOP_AT_WAITING;
        task[i].peer = (int32_t)(i + 1);
    }
    task[last].where = STOP_AT_HELD;
    task[last].gate = ncomms - 1;
    if (comm[(size_t)last * ncomms].entered == comm[0].entered)
        comm[(size_t)last * ncomms].entered++;
}

static uint64_t processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t look_ns(uint64_t (*clock)(void))
{
    struct stop_look look = { .tasks = task, .ntasks = ntasks,
                              .number = looks + 1 };
    uint64_t start;

    look.now_ns = ++looks * 100000;
    start = clock();

    stop_step(stop, &look);
    return clock() - start;
}

static double best_ns(void (*prepare)(void))
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t ns;

        prepare();
        ns = look_ns(clock_monotonic_ns);
        best = ns < best ? ns : best;
    }
    return (double)best;
}

static int measure(uint32_t n, uint32_t c)
{
    struct stop_options o = { .limit_ns = UINT64_MAX / 2, .still_ns = 1 };
    double places = (double)n * c, first, quiet, moved, lagging;
    struct err err;

    ntasks = n;
    ncomms = c;
    looks = 0;
    task = calloc(n, sizeof(*task));
    comm = calloc((size_t)n * c, sizeof(*comm));
    if (!task || !comm)
        return fprintf(stderr, "bench_stop: out of memory\n"), 1;
    fill();
    first = 1e18;
    stop = NULL;
    for (int i = 0; i < 5; i++) {
        uint64_t ns;

        stop_destroy(stop);
        stop = stop_create(n, c, &o, &err);
        if (!stop)
            return fprintf(stderr, "bench_stop: %s\n", err.text), 1;
        ns = look_ns(processor_ns);
        first = (double)ns < first ? (double)ns : first;
    }
    quiet = best_ns(stay);
    moved = best_ns(move);
    lagging = best_ns(lag);
    printf("stop, a look at %4u tasks x %2u communicators: first %.0f ns a task, "
           "quiet %.0f, moved %.0f, lagging %.0f (%.1f, %.1f, %.1f, %.1f for each "
           "communicator of a task); quiet %.2f ms\n", n, c, first / n, quiet / n,
           moved / n, lagging / n, first / places, quiet / places,
           moved / places, lagging / places, quiet / 1e6);
    stop_destroy(stop);
    free(task);
    free(comm);
    return 0;
}

int main(int argc, char **argv)
{
    static const uint32_t n[] = { 16, 256, 1024, 4096 }, c[] = { 1, 8, 64 };

    if (argc == 3)
        return measure((uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]));
    for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++)
        for (size_t k = 0; k < sizeof(n) / sizeof(n[0]); k++)
            if (measure(n[k], c[i]) != 0)
                return 1;
    return 0;
}
