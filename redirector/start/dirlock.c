/* dirlock.c - see dirlock.h. The lock belongs to the open file (F_OFD_SETLK);
 * such locks hold between machines where those of fcntl(2) do, as in NFS. Who has
 * a file open there cannot end while its server hangs: so that is a process of
 * its own, for which nobody waits. It ends when nobody has the other end of its
 * pipe. */
#include "redirector/start/dirlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "redirector/out/say.h"

enum { DIRLOCK_WHO = 200 };
static const uint64_t dirlock_turn_ns = 50 * CLOCK_NS_PER_MS;
/* The process that has it for a run ends soon after that. */
static const uint64_t dirlock_gone_ns = 2 * CLOCK_NS_PER_S;

static int dirlock_try(int fd)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    while (fcntl(fd, F_OFD_SETLK, &l))
        if (errno != EINTR)
            return errno;
    return 0;
}

static bool dirlock_is_taken(int number)
{
    return number == EAGAIN || number == EACCES;
}

/* What the one who has it has written. */
static void dirlock_owner(int fd, char who[DIRLOCK_WHO])
{
    ssize_t n = pread(fd, who, DIRLOCK_WHO - 1, 0);

    who[n > 0 ? n : 0] = '\0';
    who[strcspn(who, "\n")] = '\0';
    for (char *p = who; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    if (!*who)
        strcpy(who, "another run");
}

/* Whoever reads that while it is written gets a part of it. */
static void dirlock_sign(int fd, const char *who)
{
    char text[DIRLOCK_WHO], host[65] = "", when[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    int n;

    gethostname(host, sizeof(host) - 1);
    if (localtime_r(&now, &tm))
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
    n = snprintf(text, sizeof(text), "hector-run on %s, process %ld%s%.80s, "
                 "since %s\n", host, (long)getpid(), *who ? ", of " : "", who, when);
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
        say(SAY_VERBOSE, "%s: %s", DIRLOCK, strerror(errno));
}

static int dirlock_turn(int fd, uint64_t until)
{
    struct timespec turn = { .tv_nsec = (long)dirlock_turn_ns };
    int number = dirlock_try(fd);

    while (dirlock_is_taken(number) && clock_monotonic_ns() < until) {
        nanosleep(&turn, NULL);
        number = dirlock_try(fd);
    }
    return number;
}

static int dirlock_wait(int fd, const char *dir, unsigned wait_s)
{
    uint64_t until = clock_monotonic_ns() + wait_s * CLOCK_NS_PER_S;
    int number = dirlock_turn(fd, clock_monotonic_ns() + dirlock_gone_ns);
    char who[DIRLOCK_WHO];

    if (!dirlock_is_taken(number) || !wait_s)
        return number;
    dirlock_owner(fd, who);
    say(SAY_NOTE, "%s is in use by %s, which is waited for: up to %u s", dir, who,
        wait_s);
    return dirlock_turn(fd, until);
}

static void dirlock_hold(int file, int pipe)
{
    char c;

    setsid();                   /* nor are signals to all of a job for it */
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_IGN);
    prctl(PR_SET_NAME, "hector-lock");
    dup2(file, STDOUT_FILENO);
    dup2(pipe, STDIN_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, UINT_MAX, 0);
    if (chdir("/"))
        _exit(1);
    while (read(STDIN_FILENO, &c, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* The end of the pipe that ours have. */
static int dirlock_keep(int file, struct err *err)
{
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return err_sys(err, "cannot make a pipe");
    pid = fork();
    if (pid == 0)
        dirlock_hold(file, ends[0]);
    close(ends[0]);
    if (pid > 0)
        return ends[1];
    close(ends[1]);
    return err_sys(err, "cannot start a process");
}

int dirlock_take(int *fd, const char *dir, const char *who, unsigned wait_s,
                 struct err *err)
{
    char path[PATHS_MAX], owner[DIRLOCK_WHO];
    int number, file;

    *fd = -1;
    snprintf(path, sizeof(path), "%s/%s", dir, DIRLOCK);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return err_sys(err, "cannot open %.180s", path);
    number = dirlock_wait(file, dir, wait_s);
    if (number == 0) {
        dirlock_sign(file, who);
        *fd = dirlock_keep(file, err);
        close(file);
        return *fd < 0 ? -1 : 0;
    }
    if (dirlock_is_taken(number)) {
        dirlock_owner(file, owner);
        err_set(err, EBUSY, "%.80s is in use by %.110s", dir, owner);
    } else {
        say(SAY_NOTE, "%s cannot be locked (%s): see to it that no other run writes "
            "there", dir, strerror(number));
    }
    close(file);
    return dirlock_is_taken(number) ? -1 : 0;
}
