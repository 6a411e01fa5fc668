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
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static volatile double sink;
static char path[64];

static int seconds(void)
{
    const char *text = getenv("BUSY");

    return text ? atoi(text) : 8;
}

static void compute(double s)
{
    double until = MPI_Wtime() + s;

    while (MPI_Wtime() < until)
        for (int i = 0; i < 1000; i++)
            sink += (double)i * i;
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
    { "input", 4, "", input },
    { "solver", 3, "", solver },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
