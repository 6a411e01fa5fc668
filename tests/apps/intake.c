/* intake.c - reads standard input in odd pieces and writes each to a file, PREFIX.RANK,
 * for tests in which tasks that read are moved, or made again. Others than rank 0 wait
 * in the end for its word, in MPI_Recv.
 *
 * usage: intake PREFIX [WORD...]
 *
 *   stop=BYTES,FILE   once it has read so much a task waits until the file is there
 *   more=BYTES,FILE   the same, of tasks other than 0
 *   close=BYTES       that much is enough for task 0: it closes its input
 *   last=FILE         once it has come to the end task 0 waits until the file is there
 *   thread            another thread reads, while this one calls MPI
 *   slow              each piece takes a millisecond
 *   child             task 1 has a child, and a pipe to it */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, threaded, slow, copy;
static long stop_at = -1, enough = -1;
static const char *go_on, *last;
static atomic_int over;

static int take(char *word)
{
    char *comma = strchr(word, ',');
    int mine = rank == 0 ? strncmp(word, "stop=", 5) == 0
                         : strncmp(word, "more=", 5) == 0;

    if (strncmp(word, "stop=", 5) == 0 || strncmp(word, "more=", 5) == 0) {
        if (!comma)
            return -1;
        if (mine) {
            stop_at = atol(word + 5);
            go_on = comma + 1;
        }
        return 0;
    }
    if (strncmp(word, "close=", 6) == 0)
        return enough = rank == 0 ? atol(word + 6) : -1, 0;
    if (strncmp(word, "last=", 5) == 0)
        return last = rank == 0 ? word + 5 : NULL, 0;
    if (strcmp(word, "thread") == 0)
        return threaded = 1, 0;
    if (strcmp(word, "slow") == 0)
        return slow = 1, 0;
    if (strcmp(word, "child") == 0)
        return rank != 1 || popen("sleep 1000", "r") ? 0 : -1;
    return -1;
}

static void wait_for(const char *file)
{
    while (access(file, F_OK) != 0)
        usleep(1000);
}

static void say(const char *what, long bytes)
{
    printf("%s %d %ld\n", what, rank, bytes);
    fflush(stdout);
}

/* Its length is that of no other one for a while. */
static long piece(long total)
{
    long n = total * 7919 % 4999 + 1;

    if (stop_at > total && stop_at - total < n)
        n = stop_at - total;
    if (enough > total && enough - total < n)
        n = enough - total;
    return n;
}

static void *read_all(void *arg)
{
    char buf[5000];
    long total = 0;

    for (;;) {
        ssize_t n;

        if (total == stop_at) {
            say("stops", total);
            wait_for(go_on);
            stop_at = -1;
        }
        if (total == enough) {
            close(0);
            say("closed", total);
            over = 1;
            return arg;
        }
        n = read(0, buf, (size_t)piece(total));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (write(copy, buf, (size_t)n) != n)
            abort();
        total += n;
        if (slow)
            usleep(1000);
        say("got", total);
    }
    say("end", total);
    if (last)
        wait_for(last);
    over = 1;
    return arg;
}

int main(int argc, char **argv)
{
    char name[4096];
    pthread_t reader;
    int given, n = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s.%d", argc > 1 ? argv[1] : "", rank);
    copy = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 2; i < argc; i++)
        if (take(argv[i])) {
            fprintf(stderr, "intake: %s\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    say("begun", 0);
    if (threaded && pthread_create(&reader, NULL, read_all, NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (!threaded)
        read_all(NULL);
    while (!over) {
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &n, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    if (threaded)
        pthread_join(reader, NULL);
    for (int r = 1; rank == 0 && r < size; r++)
        MPI_Recv(&n, 1, MPI_INT, r, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0) {
        MPI_Send(&n, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        MPI_Recv(&n, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int r = 1; rank == 0 && r < size; r++)
        MPI_Send(&n, 1, MPI_INT, r, 8, MPI_COMM_WORLD);
    close(copy);
    say("over", 0);
    return MPI_Finalize();
}
