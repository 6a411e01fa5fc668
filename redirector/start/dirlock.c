/* dirlock.c - see dirlock.h. The lock belongs to the open file (F_OFD_SETLK), so
 * a master that outlives hector-run still has it. Such locks hold between machines
 * where those of fcntl(2) do, as in NFS. */
#include "redirector/start/dirlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "redirector/out/say.h"

enum { DIRLOCK_WHO = 200 };
static const uint64_t dirlock_turn_ns = 200 * CLOCK_NS_PER_MS;

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
    n = snprintf(text, sizeof(text), "hector-run on %s, process %ld%s%.80s, since %s\n",
                 host, (long)getpid(), *who ? ", of " : "", who, when);
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
        say(SAY_VERBOSE, "%s: %s", DIRLOCK, strerror(errno));
}

static int dirlock_wait(int fd, const char *dir, unsigned wait_s)
{
    uint64_t until = clock_monotonic_ns() + wait_s * CLOCK_NS_PER_S;
    struct timespec turn = { .tv_nsec = (long)dirlock_turn_ns };
    int number = dirlock_try(fd);
    char who[DIRLOCK_WHO];

    if (!dirlock_is_taken(number) || !wait_s)
        return number;
    dirlock_owner(fd, who);
    say(SAY_NOTE, "%s is in use by %s, which is waited for: up to %u s", dir, who,
        wait_s);
    while (dirlock_is_taken(number) && clock_monotonic_ns() < until) {
        nanosleep(&turn, NULL);
        number = dirlock_try(fd);
    }
    return number;
}

int dirlock_take(int *fd, const char *dir, const char *who, unsigned wait_s,
                 struct err *err)
{
    char path[PATHS_MAX], owner[DIRLOCK_WHO];
    int number;

    snprintf(path, sizeof(path), "%s/%s", dir, DIRLOCK);
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0)
        return err_sys(err, "cannot open %.180s", path);
    number = dirlock_wait(*fd, dir, wait_s);
    if (number == 0) {
        dirlock_sign(*fd, who);
        return 0;
    }
    if (dirlock_is_taken(number)) {
        dirlock_owner(*fd, owner);
        err_set(err, EBUSY, "%.80s is in use by %.110s", dir, owner);
    } else {
        say(SAY_NOTE, "%s cannot be locked (%s): see to it that no other run writes "
            "there", dir, strerror(number));
    }
    close(*fd);
    *fd = -1;
    return dirlock_is_taken(number) ? -1 : 0;
}
