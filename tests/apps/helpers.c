/* helpers.c - each task has threads that compute and know nothing of MPI, and its
 * first thread waits for them, in each way that there is: for tests in which tasks
 * are stopped there.
 *
 * usage: helpers DIR [PHASE...]
 *
 * Each phase begins with a line of each task, "phase NAME", and the threads
 * compute until there is a file of that name in DIR. Without PHASE all come, in
 * order. At the end each task says how much came otherwise than computed. */
#include <mpi.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, STEPS = 20000, HOUR = 3600 };

static const char *directory, *name;
static int rank, size;
static long wrong;

static pthread_t helper[THREADS];
static thrd_t other;
static sem_t finished;
static pthread_barrier_t meeting;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, knowing;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t plain;
static cnd_t condition;
static int left;                /* threads that compute yet; by the mutex */
static atomic_int holds;        /* one has taken the lock that is waited for */

static uint64_t step(uint64_t x)
{
    x ^= x << 13, x ^= x >> 7;
    return x ^= x << 17;
}

/* Until there is the file, with memory and the C library in between; and is that
 * the same again? */
static void compute(uint64_t seed)
{
    char path[4096], text[40];
    uint64_t x = seed, y = seed, n = 0;
    uint64_t *kept = malloc(STEPS * sizeof(*kept));

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    do {
        for (int i = 0; i < STEPS; i++)
            kept[i] = x = step(x);
        snprintf(text, sizeof(text), "%llu", (unsigned long long)x);
        n++;
        if (strtoull(text, NULL, 10) != kept[STEPS - 1])
            abort();
        usleep(1000);
    } while (access(path, F_OK) != 0);
    for (uint64_t i = 0; i < n * STEPS; i++)
        y = step(y);
    __atomic_fetch_add(&wrong, x != y, __ATOMIC_RELAXED);
    free(kept);
}

static void start(void *(*f)(void *), int n)
{
    for (int i = 0; i < n; i++)
        if (pthread_create(&helper[i], NULL, f,
                           (void *)(intptr_t)(rank * 10 + i + 1)))
            abort();
}

static void join(int n)
{
    for (int i = 0; i < n; i++)
        pthread_join(helper[i], NULL);
}

static struct timespec in_an_hour(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    t.tv_sec += HOUR;
    return t;
}

static void must(int rc)
{
    __atomic_fetch_add(&wrong, rc != 0, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------- their end */

static void *only_computes(void *arg) { return compute((uintptr_t)arg), arg; }

static void by_join(void)
{
    start(only_computes, THREADS);
    join(THREADS);
}

static void by_timed_join(void)
{
    struct timespec t = in_an_hour(CLOCK_REALTIME);

    start(only_computes, 1);
    must(pthread_timedjoin_np(helper[0], NULL, &t));
}

static int thrd_computes(void *arg) { return compute((uintptr_t)arg), 7; }

static void by_thrd(void)
{
    int code = 0;

    if (thrd_create(&other, thrd_computes, (void *)(intptr_t)(rank + 1)))
        abort();
    thrd_join(other, &code);
    must(code != 7);
}

/* ------------------------------------------------------------- a word of them */

static void *posts(void *arg)
{
    compute((uintptr_t)arg);
    sem_post(&finished);
    return arg;
}

/* No signal is to be noticed: nothing is asked again. */
static void by_semaphore(void)
{
    start(posts, THREADS);
    for (int i = 0; i < THREADS; i++)
        must(sem_wait(&finished));
    join(THREADS);
}

static void by_timed_semaphore(void)
{
    struct timespec t = in_an_hour(CLOCK_REALTIME);
    struct timespec m = in_an_hour(CLOCK_MONOTONIC);

    start(posts, 2);
    must(sem_timedwait(&finished, &t));
    must(sem_clockwait(&finished, CLOCK_MONOTONIC, &m));
    join(2);
}

static void *meets(void *arg)
{
    compute((uintptr_t)arg);
    pthread_barrier_wait(&meeting);
    return arg;
}

static void by_barrier(void)
{
    start(meets, THREADS);
    pthread_barrier_wait(&meeting);
    join(THREADS);
}

static void *signals(void *arg)
{
    compute((uintptr_t)arg);
    pthread_mutex_lock(&mutex);
    if (--left == 0)
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void by_condition(void)
{
    left = THREADS;
    start(signals, THREADS);
    pthread_mutex_lock(&mutex);
    while (left)
        must(pthread_cond_wait(&changed, &mutex));
    pthread_mutex_unlock(&mutex);
    join(THREADS);
}

static void by_timed_condition(void)
{
    struct timespec t = in_an_hour(CLOCK_REALTIME);

    left = THREADS;
    start(signals, THREADS);
    pthread_mutex_lock(&mutex);
    while (left)
        must(pthread_cond_timedwait(&changed, &mutex, &t));
    pthread_mutex_unlock(&mutex);
    join(THREADS);
}

static int cnd_signals(void *arg)
{
    compute((uintptr_t)arg);
    mtx_lock(&plain);
    left = 0;
    cnd_signal(&condition);
    mtx_unlock(&plain);
    return 0;
}

static void by_cnd(void)
{
    mtx_init(&plain, mtx_plain);
    cnd_init(&condition);
    left = 1;
    if (thrd_create(&other, cnd_signals, (void *)(intptr_t)(rank + 1)))
        abort();
    mtx_lock(&plain);
    while (left)
        must(cnd_wait(&condition, &plain));
    mtx_unlock(&plain);
    thrd_join(other, NULL);
}

/* --------------------------------------------------------- what they have got */

static void wait_held(void)
{
    while (!atomic_load(&holds))
        sched_yield();
    atomic_store(&holds, 0);
}

static void *locks(void *arg)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&holds, 1);
    compute((uintptr_t)arg);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void by_mutex(void)
{
    start(locks, 1);
    wait_held();
    must(pthread_mutex_lock(&mutex));
    must(pthread_mutex_unlock(&mutex));
    join(1);
}

static void *writes(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    atomic_store(&holds, 1);
    compute((uintptr_t)arg);
    must(pthread_rwlock_wrlock(&rwlock) != EDEADLK);
    must(pthread_rwlock_unlock(&rwlock));
    return arg;
}

static void by_rwlock(void)
{
    start(writes, 1);
    wait_held();
    must(pthread_rwlock_rdlock(&rwlock));
    must(pthread_rwlock_unlock(&rwlock));
    join(1);
}

static void by_writing(void)
{
    start(writes, 1);
    wait_held();
    must(pthread_rwlock_wrlock(&rwlock));
    must(pthread_rwlock_rdlock(&rwlock) != EDEADLK);
    must(pthread_rwlock_unlock(&rwlock));
    join(1);
}

/* One that knows who has it. */
static void *locks_knowing(void *arg)
{
    must(pthread_mutex_lock(&knowing));
    atomic_store(&holds, 1);
    compute((uintptr_t)arg);
    must(pthread_mutex_unlock(&knowing));
    must(pthread_mutex_unlock(&knowing) != EPERM);
    return arg;
}

static void by_knowing(int type, int robust)
{
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, type);
    pthread_mutexattr_setrobust(&kind, robust);
    pthread_mutex_init(&knowing, &kind);
    start(locks_knowing, 1);
    wait_held();
    must(pthread_mutex_lock(&knowing));
    must(pthread_mutex_unlock(&knowing));
    must(pthread_mutex_unlock(&knowing) != EPERM);
    join(1);
    must(pthread_mutex_destroy(&knowing));
}

static void by_recursive(void)
{
    by_knowing(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
}

static void by_checking(void)
{
    by_knowing(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
}

static void by_robust(void)
{
    by_knowing(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
}

/* ------------------------------------------------------------------- OpenMP */

static void by_openmp(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() > 0)
            compute((uintptr_t)(rank * 10 + omp_get_thread_num()));
#pragma omp barrier
#pragma omp critical
        wrong += omp_get_num_threads() != THREADS;
    }
}

/* Held twice by one of them while the first one waits. */
static void by_nest(void)
{
    omp_nest_lock_t nest;

    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            compute((uintptr_t)(rank * 10 + 1));
            must(omp_test_nest_lock(&nest) != 3);
            for (int i = 0; i < 3; i++)
                omp_unset_nest_lock(&nest);
        }
#pragma omp barrier
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_nest_lock(&nest);
}

static const struct { const char *name; void (*run)(void); } phases[] = {
    { "pthread_join", by_join }, { "pthread_timedjoin_np", by_timed_join },
    { "thrd_join", by_thrd }, { "sem_wait", by_semaphore },
    { "sem_timedwait", by_timed_semaphore }, { "pthread_barrier_wait", by_barrier },
    { "pthread_cond_wait", by_condition },
    { "pthread_cond_timedwait", by_timed_condition }, { "cnd_wait", by_cnd },
    { "pthread_mutex_lock", by_mutex }, { "openmp", by_openmp },
    { "recursive", by_recursive }, { "checking", by_checking },
    { "pthread_rwlock_rdlock", by_rwlock }, { "pthread_rwlock_wrlock", by_writing },
    { "nest", by_nest }, { "robust", by_robust },
};

static int is_wanted(const char *phase, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], phase) == 0)
            return 1;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    int level, sum, wanted;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2)
        return MPI_Abort(MPI_COMM_WORLD, 2);
    directory = argv[1];
    sem_init(&finished, 0, 0);
    pthread_barrier_init(&meeting, NULL, THREADS + 1);
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        if (!is_wanted(phases[i].name, argc, argv))
            continue;
        name = phases[i].name;
        printf("phase %s\n", name);
        fflush(stdout);
        phases[i].run();
        wanted = size * (size - 1) / 2;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != wanted;
    }
    printf("rank %d of %d wrong %ld\n", rank, size, wrong);
    return MPI_Finalize();
}
