/* launcher.h - the command behind --adopt, or the shell behind --adopt-env:
 * whose end is the end of the session.
 *
 * A command is our child in our own process group, with our descriptors,
 * signals as they were when we started, and the variables of adoptenv.h: what
 * the terminal sends reaches it as it would without us. It gets TERM when we
 * die. */
#ifndef HECTOR_LAUNCHER_H
#define HECTOR_LAUNCHER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "redirector/start/adoptenv.h"

struct launcher {
    pid_t pid;                  /* 0: none, or it has ended */
    bool child;                 /* else one that we only watch */
    int fd;                     /* its pidfd */
    struct event *event;        /* owned */
    sigset_t mask;              /* the signals' state before ours */
    struct sigaction pipe, file_size;
    void (*ended)(void *arg, int status);       /* a wait status; -1: of one
                                                   that we only watched */
    void *arg;
};

/* First of all: remember how signals were. */
void launcher_init(struct launcher *l,
                   void (*ended)(void *arg, int status), void *arg);
void launcher_fini(struct launcher *l);         /* leaves it running */

/* -1: it could not be executed; err->code is the errno. */
int launcher_start(struct launcher *l, struct event_base *base,
                   char *const *argv, const struct adoptenv *env,
                   struct err *err);
int launcher_watch(struct launcher *l, struct event_base *base, pid_t pid,
                   struct err *err);

bool launcher_runs(const struct launcher *l);
void launcher_signal(const struct launcher *l, int sig);

#endif
