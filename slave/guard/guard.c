/* guard.c - a small parent process for the slave.
 *
 * Invariant: every signal of the set is blocked in the guard from before the
 * fork, and taken from the signalfd only, so none is missed. */
#include "slave/guard/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/signals.h"
#include "slave/launch/rundir.h"
#include "slave/launch/schedule.h"
#include "slave/groups/freezer.h"
#include "slave/groups/weight.h"
#include "slave/proc/sweep.h"

#define SWEEP_NS (5 * CLOCK_NS_PER_S)

static const struct sweep_job everything = { .all = true };

/* Kill and reap whatever the slave has left us. */
static void kill_heirs(struct lastwords *l)
{
    const struct timespec pause = { .tv_nsec = 2 * CLOCK_NS_PER_MS };
    uint64_t end_ns = clock_monotonic_ns() + SWEEP_NS;

    while (sweep_signal(&everything, SIGKILL) &&
           clock_monotonic_ns() < end_ns) {
        lastwords_turn(l);
        nanosleep(&pause, NULL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
}

/* Until the slave is dead: pass signals on, keep pages. */
static int wait_for(pid_t slave, int signals, struct vault *v)
{
    struct pollfd fds[] = { { signals, POLLIN, 0 },
                            { vault_socket(v), POLLIN, 0 } };
    struct signalfd_siginfo info;
    int status = 0;
    pid_t pid;

    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            abort();
        if (fds[1].revents & POLLIN)
            vault_take(v);
        else if (fds[1].revents)
            fds[1].fd = -1;
        if (read(signals, &info, sizeof(info)) == sizeof(info) &&
            info.ssi_signo != SIGCHLD)
            kill(slave, (int)info.ssi_signo);
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            if (pid == slave)
                return status;
    }
}

/* Has somebody told us to end since? */
static bool told_to_end(int signals)
{
    struct signalfd_siginfo info;

    while (read(signals, &info, sizeof(info)) == sizeof(info))
        if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT ||
            info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT)
            return true;
    return false;
}

/* Returns when the slave is to be replaced. */
static void watch(pid_t slave, int signals, const struct lastwords_conf *conf,
                  struct vault *v)
{
    int status = wait_for(slave, signals, v);
    struct lastwords *last = NULL;
    char why[100];

    if (WIFSIGNALED(status)) {
        snprintf(why, sizeof(why), "its slave was killed by signal %d",
                 WTERMSIG(status));
        log_info("guard", "%s", why);
        sweep_signal(&everything, SIGKILL);
        last = lastwords_begin(conf, v, why);
    }
    kill_heirs(last);
    vault_let_go(v, schedule_undo);
    if (WIFEXITED(status) && WEXITSTATUS(status) == GUARD_RENEW) {
        if (told_to_end(signals))
            _exit(0);
        vault_empty(v);
        return;
    }
    if (WIFSIGNALED(status)) {
        lastwords_end(last);
        rundir_sweep();
    }
    freezer_sweep();            /* who was dying is dead */
    weight_sweep();
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                              : WEXITSTATUS(status));
}

int guard_start(const struct lastwords_conf *conf, struct vault *v, bool private,
                struct err *err)
{
    pid_t guard = getpid(), slave;
    sigset_t set;
    int signals;

    if (sweep_init())
        return err_sys(err, "cannot inherit orphans");
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    signals_add_passed(&set, private);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    while ((slave = signals < 0 ? -1 : fork()) > 0)
        watch(slave, signals, conf, v);
    if (slave < 0)
        return err_sys(err, "cannot make a process");
    close(signals);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM))
        return err_sys(err, "cannot be told of the guard's end");
    if (getppid() != guard)
        return err_set(err, ESRCH, "the guard is dead already");
    return 0;
}
