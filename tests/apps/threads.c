/* threads.c - several threads of each task call MPI, until a file is there; says
 * at the end whether what came was right: for tests in which tasks are moved.
 *
 * usage: threads STOPFILE|ROUNDS [serialized] [crowd] [THREADS]
 *
 * Each thread has a communicator of its own, and goes around a ring there with
 * all kinds of calls; one more thread knows nothing of MPI, and the first waits
 * for all. With `serialized` no two are inside MPI at a time, and none waits
 * there. With `crowd` a hundred more have called MPI, and live until there is
 * STOPFILE.crowd. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8, WORDS = 3000, CROWD = 100 };

static struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number;
    long rounds, wrong;
} workers[MOST];

static const char *stop_file;
static long enough;             /* rounds; 0: until there is that file */
static int rank, size, serialized;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static volatile int over;

static void enter(void)
{
    if (serialized)
        pthread_mutex_lock(&turn);
}

static void leave(void)
{
    if (serialized)
        pthread_mutex_unlock(&turn);
}

/* Without waiting inside MPI, where that would hold up the other threads. */
static void finish(MPI_Request *request, MPI_Status *status)
{
    int flag = 0;

    if (!serialized) {
        MPI_Wait(request, status);
        return;
    }
    while (!flag) {
        enter();
        MPI_Test(request, &flag, status);
        leave();
        sched_yield();
    }
}

static uint64_t word_of(const struct worker *w, int from, int i)
{
    return (uint64_t)w->rounds * 1000003 + (uint64_t)from * 7919 +
           (uint64_t)w->number * 104729 + (uint64_t)i;
}

static void fill(const struct worker *w, uint64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = word_of(w, rank, i);
}

static void check(struct worker *w, const uint64_t *v, int from, int n)
{
    for (int i = 0; i < n; i++)
        w->wrong += v[i] != word_of(w, from, i);
}

/* To the next one, from the one before; one in three is larger than what goes
 * at once. */
static void pass(struct worker *w)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int n = w->rounds % 3 ? 5 : WORDS;
    uint64_t out[WORDS], in[WORDS];
    MPI_Request r[2];
    MPI_Status status;

    fill(w, out, n);
    enter();
    MPI_Irecv(in, WORDS, MPI_UINT64_T, w->rounds % 2 ? from : MPI_ANY_SOURCE, 4,
              w->comm, &r[0]);
    MPI_Isend(out, n, MPI_UINT64_T, to, 4, w->comm, &r[1]);
    leave();
    finish(&r[0], &status);
    finish(&r[1], MPI_STATUS_IGNORE);
    w->wrong += status.MPI_SOURCE != from;
    check(w, in, from, n);
}

/* One that is looked for first. */
static void look(struct worker *w)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, flag = 0;
    uint64_t out[4], in[4];
    MPI_Message found;
    MPI_Request r;
    MPI_Status status;

    fill(w, out, 4);
    enter();
    MPI_Isend(out, 4, MPI_UINT64_T, to, 5, w->comm, &r);
    leave();
    while (!flag) {
        enter();
        if (serialized)
            MPI_Improbe(from, MPI_ANY_TAG, w->comm, &flag, &found, &status);
        else
            MPI_Mprobe(from, MPI_ANY_TAG, w->comm, &found, &status), flag = 1;
        if (flag)
            MPI_Mrecv(in, 4, MPI_UINT64_T, &found, &status);
        leave();
    }
    finish(&r, MPI_STATUS_IGNORE);
    check(w, in, from, 4);
}

/* Has anybody seen the file? */
static int agree(struct worker *w)
{
    int seen = enough ? w->rounds >= enough : access(stop_file, F_OK) == 0;
    int any = 0;
    MPI_Request r;

    if (serialized || w->rounds % 2) {
        enter();
        MPI_Iallreduce(&seen, &any, 1, MPI_INT, MPI_MAX, w->comm, &r);
        leave();
        finish(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(&seen, &any, 1, MPI_INT, MPI_MAX, w->comm);
    }
    return any;
}

/* A thread that has come for one message. */
static void *once(void *arg)
{
    pass(arg);
    return NULL;
}

static void *work(void *arg)
{
    struct worker *w = arg;

    do {
        w->rounds++;
        if (w->rounds % 50 == 0) {
            pthread_t t;

            if (pthread_create(&t, NULL, once, w))
                abort();
            pthread_join(t, NULL);
        } else {
            pass(w);
        }
        look(w);
        for (volatile int i = 0; i < 20000; )
            i = i + 1;
    } while (!agree(w));
    return NULL;
}

/* In the C library most of the time, with its locks. */
static void *compute(void *arg)
{
    char text[64];

    (void)arg;
    while (!over) {
        for (int i = 0; i < 1000; i++) {
            char *p = malloc((size_t)i + 1);

            snprintf(text, sizeof(text), "%d %p", i, (void *)p);
            free(p);
        }
        usleep(2000);
    }
    return NULL;
}

static void *stand_by(void *arg)
{
    char name[4096];
    int n;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    snprintf(name, sizeof(name), "%s.crowd", stop_file);
    while (access(name, F_OK) != 0)
        usleep(10000);
    return arg;
}

static void gather_crowd(void)
{
    static pthread_t crowd[CROWD];

    for (int i = 0; i < CROWD; i++)
        if (pthread_create(&crowd[i], NULL, stand_by, NULL))
            abort();
    printf("crowd %d\n", rank);
    fflush(stdout);
    for (int i = 0; i < CROWD; i++)
        pthread_join(crowd[i], NULL);
    printf("left %d\n", rank);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int wanted = MPI_THREAD_MULTIPLE, level, n = 3, is_main = 0, crowd = 0;
    long wrong = 0;
    pthread_t other;

    if (argc < 2)
        return 2;
    stop_file = argv[1];
    enough = atol(argv[1]);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "serialized") == 0)
            serialized = 1, wanted = MPI_THREAD_SERIALIZED;
        else if (strcmp(argv[i], "crowd") == 0)
            crowd = 1;
        else
            n = atoi(argv[i]);
    if (n < 1 || n > MOST)
        return 2;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    if (level < wanted)
        return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    printf("begun %d\n", rank);
    fflush(stdout);
    if (pthread_create(&other, NULL, compute, NULL))
        abort();
    for (int i = 0; i < n; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            abort();
    if (crowd)
        gather_crowd();
    for (int i = 0; i < n; i++) {
        pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
    }
    over = 1;
    pthread_join(other, NULL);
    MPI_Is_thread_main(&is_main);
    printf("rank %d of %d wrong %ld main %d rounds %ld\n", rank, size, wrong,
           is_main, workers[0].rounds);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&workers[i].comm);
    MPI_Finalize();
    return 0;
}
