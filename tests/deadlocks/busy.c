/* busy.c - small MPI programs that are correct, and in which one task lets all
 * others wait for some seconds ($BUSY of them, or 8), mostly behind a loop that
 * has run well: no verdict may be given on any of them. */
#include "mini.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char path[64];

static int seconds(void)
{
    const char *text = getenv("BUSY");

    return text ? atoi(text) : 8;
}

static void work(void)
{
    double x = 0;

    for (int i = 0; i < 2000000; i++)
        x += (double)i * i;
    sink = x;
}

/* What all of them begin with: half a minute's worth of nothing wrong. */
static void loop(void)
{
    double until = MPI_Wtime() + 4;
    int more = 1, sum;

    while (more) {
        work();
        if (rank == 0)
            more = MPI_Wtime() < until;
        MPI_Allreduce(&more, &sum, 1, MPI_INT, MPI_MIN, W);
        more = sum;
    }
}

static void writes(void)
{
    double until = MPI_Wtime() + seconds();
    FILE *f = rank == 0 ? tmpfile() : NULL;

    while (f && MPI_Wtime() < until) {
        rewind(f);
        for (int i = 0; i < 20000; i++)
            fprintf(f, "%d %.17g\n", i, i / 7.0);
        fflush(f);
    }
    if (f)
        fclose(f);
}

static void loop_write(void) { loop(); writes(); MPI_Barrier(W); }
static void loop_compute(void)
{
    loop();
    if (rank == 0)
        compute(seconds());
    MPI_Barrier(W);
}

/* All in one function, so that only the line is another. */
static void loop_inline(void)
{
    double until = MPI_Wtime() + 4, x = 0;
    int more = 1, sum;

    while (more) {
        for (int i = 0; i < 2000000; i++)
            x += (double)i * i;
        if (rank == 0)
            more = MPI_Wtime() < until;
        MPI_Allreduce(&more, &sum, 1, MPI_INT, MPI_MIN, W);
        more = sum;
    }
    for (time_t last = time(NULL) + seconds(); rank == 0 && time(NULL) < last;)
        for (int i = 0; i < 5000000; i++)
            x += 1 / (1.0 + i);
    sink = x;
    MPI_Barrier(W);
}

static void loop_sleep(void)
{
    loop();
    if (rank == 0)
        sleep((unsigned)seconds());
    MPI_Barrier(W);
}
static void loop_nap(void)
{
    loop();
    for (int i = 0; rank == 0 && i < 10 * seconds(); i++)
        usleep(100000);
    MPI_Barrier(W);
}
static void loop_poll(void)
{
    loop();
    if (rank == 0)
        poll(NULL, 0, 1000 * seconds());
    MPI_Barrier(W);
}
static void loop_select(void)
{
    struct timeval t = { .tv_sec = seconds() };

    loop();
    if (rank == 0)
        select(0, NULL, NULL, NULL, &t);
    MPI_Barrier(W);
}
static void loop_timed_wait(void)
{
    struct timespec t = { .tv_sec = seconds() };
    sigset_t set;

    loop();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (rank == 0)
        sigtimedwait(&set, NULL, &t);
    MPI_Barrier(W);
}
static void on_alarm(int sig) { (void)sig; }
static void loop_alarm(void)
{
    loop();
    signal(SIGALRM, on_alarm);
    if (rank == 0) {
        alarm((unsigned)seconds());
        pause();
    }
    MPI_Barrier(W);
}
static void loop_system(void)
{
    char command[64];

    loop();
    snprintf(command, sizeof(command), "sleep %d", seconds());
    if (rank == 0 && system(command))
        exit(1);
    MPI_Barrier(W);
}
static void loop_child(void)
{
    pid_t child;

    loop();
    if (rank == 0) {
        if ((child = fork()) == 0) {
            sleep((unsigned)seconds());
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    MPI_Barrier(W);
}
static void loop_pipe(void)
{
    char command[64], line[64];
    FILE *f;

    loop();
    snprintf(command, sizeof(command), "sleep %d; echo done", seconds());
    if (rank == 0 && (f = popen(command, "r"))) {
        while (fgets(line, sizeof(line), f))
            ;
        pclose(f);
    }
    MPI_Barrier(W);
}
static void loop_fifo(void)
{
    int fd;

    loop();
    snprintf(path, sizeof(path), "/tmp/busy-fifo.%d", (int)getpid());
    if (rank == 0 && mkfifo(path, 0600) == 0) {
        if (fork() == 0) {
            sleep((unsigned)seconds());
            fd = open(path, O_WRONLY);
            _exit(fd < 0);
        }
        fd = open(path, O_RDONLY);
        close(fd);
        unlink(path);
        wait(NULL);
    }
    MPI_Barrier(W);
}

/* A child keeps the file locked for so long. */
static void locked(int posix)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd, ready[2];
    char c;

    snprintf(path, sizeof(path), "/tmp/busy-lock.%d", (int)getpid());
    fd = open(path, O_RDWR | O_CREAT, 0600);
    if (pipe(ready))
        exit(1);
    if (fork() == 0) {
        fd = open(path, O_RDWR);
        if (posix)
            fcntl(fd, F_SETLKW, &l);
        else
            flock(fd, LOCK_EX);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        sleep((unsigned)seconds());
        _exit(0);
    }
    if (read(ready[0], &c, 1) != 1)
        exit(1);
    if (posix)
        fcntl(fd, F_SETLKW, &l);
    else
        flock(fd, LOCK_EX);
    unlink(path);
    wait(NULL);
}
static void loop_lock(void)
{
    loop();
    if (rank == 0)
        locked(1);
    MPI_Barrier(W);
}
static void loop_flock(void)
{
    loop();
    if (rank == 0)
        locked(0);
    MPI_Barrier(W);
}
static void *labour(void *arg)
{
    double until = *(double *)arg;

    while (MPI_Wtime() < until)
        for (int i = 0; i < 1000; i++)
            sink += (double)i * i;
    return NULL;
}
static void loop_worker(void)
{
    double until;
    pthread_t t;

    loop();
    until = MPI_Wtime() + seconds();
    if (rank == 0) {
        pthread_create(&t, NULL, labour, &until);
        pthread_join(t, NULL);
    }
    MPI_Barrier(W);
}
static void loop_finalize(void)
{
    loop();
    if (rank == 0)
        compute(seconds());
}
static void loop_twice(void)
{
    loop();
    writes();
    loop();
    writes();
    MPI_Barrier(W);
}
/* Each step takes longer than all before. */
static void growing(void)
{
    for (double step = 0.005; step < 3; step *= 1.3) {
        compute(rank == 1 ? step : step / 2);
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, W);
    }
}
/* Every so many steps one writes for all, more each time. */
static void checkpoints(void)
{
    double t;

    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 40; j++) {
            work();
            MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, W);
        }
        t = MPI_Wtime() + 0.4 * (1 << i);
        while (rank == 0 && MPI_Wtime() < t) {
            FILE *f = tmpfile();

            for (int k = 0; f && k < 20000; k++)
                fprintf(f, "%d %.17g\n", k, k / 7.0);
            if (f)
                fclose(f);
        }
        MPI_Barrier(W);
    }
}
/* One in so many steps is a large one. */
static void remesh(void)
{
    for (int i = 0; i < 60; i++) {
        compute(i == 50 && rank == 1 ? seconds() : 0.02);
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 1, &one, 1, MPI_INT,
                     (rank + size - 1) % size, 1, W, NO);
    }
}
/* The library of a solver is silent for long inside a call of its own. */
static void solve(int n)
{
    if (n > 0)
        solve(n - 1);
    else
        compute(seconds());
    sink += n;
}
static void loop_solve(void)
{
    loop();
    if (rank == 1)
        solve(20);
    MPI_Bcast(&one, 1, MPI_INT, 1, W);
}
static void loop_socket(void)
{
    int ends[2];
    char c;

    loop();
    if (rank == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        if (fork() == 0) {
            sleep((unsigned)seconds());
            _exit(write(ends[1], "", 1) != 1);
        }
        if (read(ends[0], &c, 1) != 1)
            exit(1);
        wait(NULL);
    }
    MPI_Barrier(W);
}
/* A line from a device that somebody types at, in the end. */
static void loop_device(void)
{
    int terminal, user;
    char c;

    loop();
    if (rank == 0) {
        user = posix_openpt(O_RDWR | O_NOCTTY);
        if (user < 0 || grantpt(user) || unlockpt(user))
            exit(1);
        terminal = open(ptsname(user), O_RDWR | O_NOCTTY);
        if (fork() == 0) {
            sleep((unsigned)seconds());
            _exit(write(user, "\n", 1) != 1);
        }
        if (read(terminal, &c, 1) != 1)
            exit(1);
        wait(NULL);
    }
    MPI_Barrier(W);
}
/* Everything that was written has to be on the disk. */
static void loop_sync(void)
{
    double until;
    FILE *f;

    loop();
    until = MPI_Wtime() + seconds();
    f = rank == 0 ? tmpfile() : NULL;
    while (f && MPI_Wtime() < until) {
        rewind(f);
        fwrite(big, BIG, 1, f);
        fflush(f);
        fsync(fileno(f));
    }
    MPI_Barrier(W);
}
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int rung;
static void *rings(void *arg)
{
    sleep((unsigned)seconds());
    pthread_mutex_lock(&door);
    rung = 1;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&door);
    return arg;
}
/* Main threads that wait for a thread that sleeps. */
static void loop_condition(void)
{
    pthread_t t;

    loop();
    if (rank == 0) {
        pthread_create(&t, NULL, rings, NULL);
        pthread_mutex_lock(&door);
        while (!rung)
            pthread_cond_wait(&bell, &door);
        pthread_mutex_unlock(&door);
        pthread_join(t, NULL);
    }
    MPI_Barrier(W);
}
/* Everybody is busy, and nobody asks for anything. */
static void loop_all(void)
{
    loop();
    compute(seconds());
    MPI_Barrier(W);
}
/* One of three reads its input before it begins at all. */
static void input_late(void)
{
    if (rank == 2)
        sleep((unsigned)seconds());
    loop();
}
/* Others have ended MPI, and a pair goes on by itself. */
static void loop_two(void)
{
    loop();
    if (rank > 1)
        return;
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            compute(seconds() / 3.0);
        MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 1, &one, 1, MPI_INT, 1 - rank, 1, W,
                     NO);
    }
}
static void input(void)
{
    if (rank == 0)
        compute(seconds());
    MPI_Bcast(&one, 1, MPI_INT, 0, W);
    loop();
}

/* A solver: the same few calls at the same places, for twice as long. */
static void solver(void)
{
    double until = MPI_Wtime() + 2 * seconds();
    int more = 1, sum, right = (rank + 1) % size, in = 0;

    while (more) {
        for (int i = 0; i < 20000; i++)
            sink += (double)i * in;
        MPI_Sendrecv(&one, 1, MPI_INT, right, 1, &in, 1, MPI_INT,
                     MPI_ANY_SOURCE, 1, W, NO);
        if (rank == 0)
            more = MPI_Wtime() < until;
        MPI_Allreduce(&more, &sum, 1, MPI_INT, MPI_MIN, W);
        more = sum;
    }
}

static const struct mini all[] = {
    { "loop-write", 4, "", loop_write },
    { "loop-compute", 4, "", loop_compute },
    { "loop-inline", 2, "", loop_inline },
    { "loop-sleep", 4, "", loop_sleep },
    { "loop-nap", 3, "", loop_nap },
    { "loop-poll", 3, "", loop_poll },
    { "loop-select", 2, "", loop_select },
    { "loop-timed-wait", 2, "", loop_timed_wait },
    { "loop-alarm", 2, "", loop_alarm },
    { "loop-system", 4, "", loop_system },
    { "loop-child", 3, "", loop_child },
    { "loop-pipe", 2, "", loop_pipe },
    { "loop-fifo", 2, "", loop_fifo },
    { "loop-lock", 3, "", loop_lock },
    { "loop-flock", 2, "", loop_flock },
    { "loop-worker", 2, "", loop_worker },
    { "loop-finalize", 4, "", loop_finalize },
    { "loop-twice", 2, "", loop_twice },
    { "growing", 3, "", growing },
    { "checkpoints", 3, "", checkpoints },
    { "remesh", 3, "", remesh },
    { "loop-solve", 3, "", loop_solve },
    { "loop-socket", 2, "", loop_socket },
    { "loop-device", 2, "", loop_device },
    { "loop-sync", 3, "", loop_sync },
    { "loop-condition", 2, "", loop_condition },
    { "loop-all", 3, "", loop_all },
    { "loop-two", 4, "", loop_two },
    { "input-late", 3, "", input_late },
    { "input", 4, "", input },
    { "solver", 3, "", solver },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
