/* ttysignal.c - a signalfd, as its records tell the sender. */
#include "redirector/in/ttysignal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "proto/base/signals.h"

struct ttysignal {
    int fd;                     /* owned */
    struct event *event;        /* owned */
    void (*on_signal)(void *arg, int sig, bool from_terminal);
    void *arg;
};

static void ttysignal_on_event(evutil_socket_t fd, short what, void *arg)
{
    struct ttysignal *t = arg;
    struct signalfd_siginfo si;

    (void)what;
    while (read((int)fd, &si, sizeof(si)) == sizeof(si))
        t->on_signal(t->arg, (int)si.ssi_signo, si.ssi_code == SI_KERNEL);
}

struct ttysignal *ttysignal_open(struct event_base *base,
                                 void (*on_signal)(void *arg, int sig,
                                                   bool from_terminal),
                                 void *arg, struct err *err)
{
    static const int numbers[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };
    struct ttysignal *t = calloc(1, sizeof(*t));
    struct sigaction stop;
    sigset_t set;

    if (!t)
        return err_memory(err), NULL;
    t->on_signal = on_signal;
    t->arg = arg;
    sigemptyset(&set);
    if (sigaction(SIGTSTP, NULL, &stop) == 0 && stop.sa_handler != SIG_IGN)
        sigaddset(&set, SIGTSTP);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&set, numbers[i]);
    signals_add_passed(&set, false);
    sigprocmask(SIG_BLOCK, &set, NULL);
    t->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (t->fd < 0) {
        err_sys(err, "cannot watch signals");
        ttysignal_close(t);
        return NULL;
    }
    t->event = event_new(base, t->fd, EV_READ | EV_PERSIST,
                         ttysignal_on_event, t);
    if (t->event && event_add(t->event, NULL) == 0)
        return t;
    ttysignal_close(t);
    return err_memory(err), NULL;
}

void ttysignal_close(struct ttysignal *t)
{
    if (!t)
        return;
    if (t->event)
        event_free(t->event);
    if (t->fd >= 0)
        close(t->fd);
    free(t);
}
