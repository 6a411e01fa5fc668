/* imaged.c - preloaded into a program: at SIGUSR2 it writes an image of itself,
 * to $IMAGE_TO, and ends if that worked; after which hector-restore goes on. With
 * IMAGE_STAY it goes on, too; with IMAGE_THREAD a thread of its own does that; with
 * IMAGE_PIPE=FIFO it goes to that, whose reader makes $IMAGE_TO of it.
 *
 * What happens is said on standard error: "imaged: ready", "imaged: written",
 * "imaged: restored", "imaged: refused: why". A refused program goes on. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/image/image.h"

static char path[500], part[520];

/* What was open when the program began is not its own. Of that a restored one has
 * nothing: its own may have those numbers. */
static int inherited[1024];
static struct image_ask ask = { .but_fds = inherited };

static void say(const char *what, const char *more)
{
    char line[600];
    int n = snprintf(line, sizeof(line), "imaged: %s%s\n", what, more);

    if (write(2, line, (size_t)n) != n)
        _exit(99);
}

/* Until the reader has all. */
static void wait_for_reader(void *fd)
{
    const struct timespec moment = { .tv_nsec = 1000000 };

    close(*(int *)fd);
    while (access(path, F_OK) != 0)
        nanosleep(&moment, NULL);
}

static void make(int signal_number)
{
    const char *fifo = getenv("IMAGE_PIPE");
    int saved = errno, rc, fd;
    char why[400] = "";

    (void)signal_number;
    fd = fifo ? open(fifo, O_WRONLY | O_CLOEXEC)
              : open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ask.standing = fifo ? wait_for_reader : NULL;
    ask.arg = &fd;
    rc = image_write(fd, &ask, why, sizeof(why));
    if (rc == 1) {
        ask.nfds = 0;
        say("restored", "");
        errno = saved;
        return;
    }
    if (!fifo || rc)
        close(fd);
    if (rc == 0) {
        say("written", "");
        if (!fifo)
            rename(part, path);
        if (!getenv("IMAGE_STAY"))
            _exit(0);
    } else {
        unlink(part);
        say("refused: ", why);
    }
    errno = saved;
}

static void *waiter(void *arg)
{
    sigset_t *set = arg;

    for (int signal_number; ; )
        if (sigwait(set, &signal_number) == 0)
            make(signal_number);
    return NULL;
}

__attribute__((constructor)) static void begin(void)
{
    static sigset_t set;
    pthread_t t;
    const char *to = getenv("IMAGE_TO");
    struct sigaction sa = { .sa_handler = make, .sa_flags = SA_RESTART | SA_ONSTACK };

    if (!to)
        return;
    snprintf(path, sizeof(path), "%s", to);
    snprintf(part, sizeof(part), "%s.part", to);
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            inherited[ask.nfds++] = fd;
    sigfillset(&sa.sa_mask);
    sigaction(SIGUSR2, &sa, NULL);
    if (getenv("IMAGE_THREAD")) {
        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        pthread_create(&t, NULL, waiter, &set);
    }
    say("ready", "");
}
