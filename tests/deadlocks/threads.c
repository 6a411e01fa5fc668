/* threads.c - small MPI programs with threads, of MPI_THREAD_FUNNELED, SERIALIZED
 * and MPI_THREAD_MULTIPLE: those that deadlock, and those in which a thread that is
 * outside of MPI frees the others after $LATE seconds, or 5. The latter have no
 * words: nothing may be said of them but a notice. */
#include "mini.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int ends[2];             /* of a pipe */
static sem_t *shared;           /* with a child */
static atomic_int raised;       /* that somebody looks at all the time */

static int seconds(void)
{
    const char *text = getenv("LATE");

    return text ? atoi(text) : 5;
}

static void work_for(double s)
{
    double until = omp_get_wtime() + s;

    while (omp_get_wtime() < until)
        for (int i = 0; i < 1000; i++)
            sink += (double)i * i;
}

static pthread_t begin(void *(*does)(void *))
{
    pthread_t t;

    if (pthread_create(&t, NULL, does, NULL))
        exit(3);
    return t;
}

static void in_thread(void *(*does)(void *))
{
    pthread_join(begin(does), NULL);
}

/* ------------------------------------------------------------------ stuck */

static void ring(void) { get(LEFT, 1); }
static void *ring_of(void *arg) { ring(); return arg; }
static void thread(void) { in_thread(ring_of); }

static void big_ring(void) { put_big(RIGHT, 1); get_big(LEFT, 1); }

static void *never_woken(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&never, &mutex);
    put(RIGHT, 1);
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void waiters(void)
{
    begin(never_woken);
    begin(never_woken);
    ring();
}

/* Some work in parallel, and then the first thread alone. */
static void work(void)
{
    double sum = 0;

    #pragma omp parallel for num_threads(3) reduction(+ : sum)
    for (int i = 0; i < 300000; i++)
        sum += (double)i * i;
    sink = sum;
}
static void regions(void)
{
    for (int i = 0; i < 20; i++) {
        work();
        MPI_Barrier(W);
    }
    if (rank != 1)
        MPI_Barrier(W);
    else
        get(0, 1);
}
static void single(void)
{
    #pragma omp parallel num_threads(3)
    {
        #pragma omp single
        ring();
        #pragma omp critical
        sink += 1;
    }
}
static void by_turns(void)
{
    #pragma omp parallel for ordered num_threads(3) schedule(static, 1)
    for (int i = 0; i < 4; i++)
        #pragma omp ordered
        {
            put(RIGHT, i);
            get(LEFT, i == 3 ? 4 : i);
        }
}
static MPI_Request made;
static void *makes(void *arg)
{
    made = want(LEFT, 2);
    return arg;
}
static void *waits(void *arg) { MPI_Wait(&made, NO); return arg; }
static void other_waits(void)
{
    in_thread(makes);
    put(RIGHT, 1);
    in_thread(waits);
}
static void *reduces(void *arg)
{
    if (rank == 1)
        MPI_Bcast(&one, 1, MPI_INT, 0, W);
    else
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, W);
    return arg;
}
static void other_call(void)
{
    MPI_Barrier(W);
    in_thread(reduces);
}

/* Two threads at a time in MPI, and none of what they wait for will come. */
static void *takes(void *arg) { get(1 - rank, 7); return arg; }
static void *probes(void *arg)
{
    MPI_Probe(MPI_ANY_SOURCE, 9, W, NO);
    return arg;
}
static void *waits_for_one(void *arg)
{
    MPI_Request r = want(1 - rank, 8);

    MPI_Wait(&r, NO);
    return arg;
}
static void *meets(void *arg) { MPI_Barrier(W); return arg; }
static void both_take(void)
{
    begin(takes);
    ring();
}
static void takes_and_meets(void)
{
    if (rank == 0) {
        begin(takes);
        MPI_Barrier(W);
    } else {
        begin(probes);
        ring();
    }
}
static void meets_and_takes(void)
{
    if (rank == 0)
        begin(meets);
    begin(waits_for_one);
    ring();
}
static void joins_both(void)
{
    pthread_t t = begin(takes);

    begin(never_woken);
    in_thread(ring_of);
    pthread_join(t, NULL);
}

/* A worker that is busy all the time, but may not call. */
static void *spins(void *arg)
{
    while (!raised)
        ;
    return arg;
}
static void beside_spinner(void)
{
    begin(spins);
    ring();
}

/* ------------------------------------------------- freed by another thread */

static void frees(void)
{
    if (rank == 1)
        put(0, 1);
}

/* Rank 0 sends what rank 1 waits for when a thread of rank 1 has sent. */
static void freed_by(void *(*does)(void *))
{
    pthread_t t = 0;

    if (rank == 1)
        t = begin(does);
    get(1 - rank, 1);
    if (rank == 0)
        put(1, 1);
    else
        pthread_join(t, NULL);
}

static void *naps(void *arg) { sleep((unsigned)seconds()); frees(); return arg; }
static void napper(void) { freed_by(naps); }
static void *computes(void *arg) { work_for(seconds()); frees(); return arg; }
static void computer(void) { freed_by(computes); }

static void *waits_for_time(void *arg)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += seconds();
    while (sem_timedwait(&posted, &t) && errno == EINTR)
        ;
    frees();
    return arg;
}
static void timed(void) { freed_by(waits_for_time); }

static void *posts(void *arg) { work_for(seconds()); sem_post(&posted); return arg; }
static void *is_posted(void *arg)
{
    while (sem_wait(&posted))
        ;
    frees();
    return arg;
}
static void chain(void)
{
    if (rank == 1)
        begin(posts);
    freed_by(is_posted);
}

static void on_alarm(int sig) { (void)sig; sem_post(&posted); }
static void alarmed(void)
{
    struct sigaction a = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

    sigaction(SIGALRM, &a, NULL);
    alarm((unsigned)seconds());
    freed_by(is_posted);
}

static void *reads(void *arg)
{
    char c;

    if (read(ends[0], &c, 1) == 1)
        frees();
    return arg;
}
static void piped(void) { freed_by(reads); }
static void *is_shared(void *arg)
{
    while (sem_wait(shared))
        ;
    frees();
    return arg;
}
static void from_child(void) { freed_by(is_shared); }

static void early(void) { freed_by(is_posted); }

static void two_in(void)
{
    pthread_t t = begin(takes);

    if (rank == 1) {
        work_for(seconds());
        put(0, 1);
        put(0, 7);
        get(0, 1);
    } else {
        get(1, 1);
        put(1, 1);
        put(1, 7);
    }
    pthread_join(t, NULL);
}

/* Each has two in MPI, and a third thread of rank 1 sends for one of them. */
static void third(void)
{
    pthread_t t = begin(takes);

    freed_by(computes);
    put(1 - rank, 7);
    pthread_join(t, NULL);
}
static void third_naps(void)
{
    pthread_t t = begin(takes);

    freed_by(naps);
    put(1 - rank, 7);
    pthread_join(t, NULL);
}
/* What one of two waits for is sent by a thread of the other task, which another
 * one of that has to wake. */
static void third_is_posted(void)
{
    pthread_t t = begin(takes);

    if (rank == 1)
        begin(posts);
    freed_by(is_posted);
    put(1 - rank, 7);
    pthread_join(t, NULL);
}
/* A server, and somebody asks it late. */
static void served(void)
{
    pthread_t t = begin(probes);

    freed_by(computes);
    put(1 - rank, 9);
    pthread_join(t, NULL);
    get(1 - rank, 9);
}
static void on_raise(int sig) { (void)sig; raised = 1; }
static void *is_raised(void *arg)
{
    spins(arg);
    frees();
    return arg;
}
static void raises(void)
{
    pthread_t t = begin(takes);

    signal(SIGALRM, on_raise);
    alarm((unsigned)seconds());
    freed_by(is_raised);
    put(1 - rank, 7);
    pthread_join(t, NULL);
}
/* The main thread waits for the worker, and sends. */
static void *raises_late(void *arg)
{
    work_for(seconds());
    raised = 1;
    return arg;
}
static void funnels(void)
{
    begin(raises_late);
    if (rank == 0) {
        get(1, 1);
        put(1, 1);
    } else {
        spins(NULL);
        put(0, 1);
        get(0, 1);
    }
}

/* One at a time, and the others are outside. */
static void hands_over(void)
{
    if (rank == 1)
        in_thread(computes);
    else
        get(1, 1);
    MPI_Barrier(W);
}
/* It looks for messages now and then, and lets another one send meanwhile. */
static void *under_lock(void *arg)
{
    work_for(seconds());
    pthread_mutex_lock(&mutex);
    frees();
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void polite(void)
{
    pthread_t t = 0;
    int flag = 0;

    if (rank == 1)
        t = begin(under_lock);
    while (!flag) {
        pthread_mutex_lock(&mutex);
        MPI_Iprobe(1 - rank, 1, W, &flag, NO);
        pthread_mutex_unlock(&mutex);
    }
    get(1 - rank, 1);
    if (rank == 0)
        put(1, 1);
    else
        pthread_join(t, NULL);
}

#define EACH "ranks 0-1 (all )?wait .*each other.*in [a-z_.0-9]+ \\((threads.c|mini.h):"
static const struct mini all[] = {
    { "serialized-ring", 2, EACH, ring },
    { "serialized-thread", 2, EACH, thread },
    { "serialized-send", 2, EACH, big_ring },
    { "serialized-regions", 2, EACH, regions },
    { "serialized-single", 2, EACH, single },
    { "serialized-by-turns", 2, EACH, by_turns },
    { "serialized-other-waits", 2, EACH ".*request made in (want|makes)", other_waits },
    { "multiple-ring", 2, EACH, ring },
    { "multiple-thread", 2, "each other.*\\(threads.c:", thread },
    { "multiple-send", 2, EACH, big_ring },
    { "multiple-waiters", 2, EACH, waiters },
    { "multiple-regions", 2, EACH, regions },
    { "multiple-single", 2, EACH, single },
    { "multiple-by-turns", 2, EACH, by_turns },
    { "multiple-other-waits", 2, EACH ".*request made in (want|makes)", other_waits },
    { "multiple-other-call", 2, "task 1 on [^ ]+ entered MPI_Bcast .*in reduces",
      other_call },
    { "multiple-both-take", 2, EACH, both_take },
    { "multiple-takes-and-meets", 2, EACH, takes_and_meets },
    { "multiple-meets-and-takes", 2, EACH, meets_and_takes },
    { "multiple-joins-both", 2, "each other.*\\(threads.c:", joins_both },
    { "funneled-spinner", 2, EACH, beside_spinner },
    { "serialized-spinner", 2, EACH, beside_spinner },
    { "multiple-third", 2, "", third },
    { "multiple-third-naps", 2, "", third_naps },
    { "multiple-third-is-posted", 2, "", third_is_posted },
    { "multiple-served", 2, "", served },
    { "multiple-raised", 2, "", raises },
    { "funneled-raised", 2, "", funnels },
    { "multiple-nap", 2, "", napper },
    { "multiple-compute", 2, "", computer },
    { "multiple-timed", 2, "", timed },
    { "multiple-chain", 2, "", chain },
    { "multiple-alarm", 2, "", alarmed },
    { "multiple-pipe", 2, "", piped },
    { "multiple-child", 2, "", from_child },
    { "multiple-early", 2, "", early },
    { "multiple-two-in", 2, "", two_in },
    { "serialized-hands-over", 2, "", hands_over },
    { "serialized-polite", 2, "", polite },
    { 0 },
};

/* What has to be there before MPI_Init: a child that is not MPI's to see, a
 * thread that is nobody's of MPI. */
static void prepare(const char *name)
{
    sem_init(&posted, 0, 0);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    if (strcmp(name, "multiple-early") == 0)
        begin(posts);
    if (strcmp(name, "multiple-pipe") && strcmp(name, "multiple-child"))
        return;
    if (pipe(ends) == 0 && fork() == 0) {
        sleep((unsigned)seconds() + 1);
        sem_post(shared);
        _exit(write(ends[1], "", 1) != 1);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        prepare(argv[1]);
    return mini_main(argc, argv, all);
}
