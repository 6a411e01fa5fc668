/* roles.c - tasks that do more than others inside of a call of MPI, as is
 * their part in it, or for a reason of their own.
 *
 *   roles SIZE SECONDS [MODE]
 *
 *   reduce      large vectors are added up at task 0, with an operator of MPI's
 *   gather      large vectors are put together at task 0
 *   allreduce   large vectors are added up for all: by whom, MPI's settings say
 *   operator    the same with an operator of the program's, which takes time
 *   slow        that takes 20 ms more in task 1 alone
 *   later       the same, of calls that do not wait, in MPI_Wait
 *   thread      a thread of task 1 computes all the time
 *   handler     a timer of task 1 goes off, wherever that is, and takes 20 ms
 *
 * SIZE thousand numbers, 100 without it. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "kernel.h"

static volatile double sink;
static volatile int over;
static double more_s;           /* that an operator takes */

static void compute_for(double s)
{
    struct timespec t;
    double until, now;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    until = now + s;
    while (now < until) {
        for (int i = 1; i < 1000; i++)
            sink = sink * 0.5 + i;
        clock_gettime(CLOCK_MONOTONIC, &t);
        now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    }
}

static void add(void *in, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)to)[i] += ((const double *)in)[i];
    if (more_s > 0)
        compute_for(more_s);
}

static void *spin(void *arg)
{
    while (!over)
        compute_for(0.01);
    return arg;
}

static void on_timer(int sig)
{
    (void)sig;
    compute_for(0.02);
}

struct roles {
    struct kernel k;
    const char *mode;
    MPI_Op op;
    double *v, *sum;
    pthread_t thread;
};

static int is(const struct roles *r, const char *mode)
{
    return strcmp(r->mode, mode) == 0;
}

static void begin(struct roles *r)
{
    int odd = r->k.rank == 1;

    MPI_Op_create(add, 1, &r->op);
    if (is(r, "operator"))
        more_s = 0.001;
    else if (odd && (is(r, "slow") || is(r, "later")))
        more_s = 0.02;
    if (odd && is(r, "thread"))
        pthread_create(&r->thread, NULL, spin, NULL);
    if (odd && is(r, "handler")) {
        struct itimerval every = { { 0, 100000 }, { 0, 100000 } };

        signal(SIGALRM, on_timer);
        setitimer(ITIMER_REAL, &every, NULL);
    }
}

static void end(struct roles *r)
{
    struct itimerval none = { { 0, 0 }, { 0, 0 } };

    setitimer(ITIMER_REAL, &none, NULL);
    over = 1;
    if (r->k.rank == 1 && is(r, "thread"))
        pthread_join(r->thread, NULL);
    MPI_Op_free(&r->op);
}

/* What all of them have at the end: task 0 alone, in two of them. */
static void round_of(struct roles *r)
{
    int n = r->k.size * 1000;
    int own = is(r, "operator") || is(r, "slow") || is(r, "later");
    MPI_Op op = own ? r->op : MPI_SUM;
    MPI_Request request;

    for (int i = 0; i < n; i++)
        r->v[i] = r->k.rank;
    if (is(r, "gather")) {
        n /= r->k.tasks;
        MPI_Gather(r->v, n, MPI_DOUBLE, r->sum, n, MPI_DOUBLE, 0,
                   MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    if (is(r, "reduce")) {
        MPI_Reduce(r->v, r->sum, n, MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
    } else if (is(r, "later")) {
        MPI_Iallreduce(r->v, r->sum, n, MPI_DOUBLE, op, MPI_COMM_WORLD,
                       &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(r->v, r->sum, n, MPI_DOUBLE, op, MPI_COMM_WORLD);
    }
    if (!is(r, "reduce") || r->k.rank == 0)
        kernel_check(&r->k, r->sum[n - 1], r->k.tasks * (r->k.tasks - 1) / 2.0);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct roles r = { .mode = argc > 3 ? argv[3] : "allreduce" };

    MPI_Init(&argc, &argv);
    kernel_init(&r.k, argc, argv, "roles", 100, 20);
    r.v = kernel_alloc((size_t)r.k.size * 1000, sizeof(*r.v));
    r.sum = kernel_alloc((size_t)r.k.size * 1000, sizeof(*r.sum));
    begin(&r);
    while (kernel_more(&r.k))
        round_of(&r);
    end(&r);
    free(r.v);
    free(r.sum);
    return kernel_end(&r.k);
}
