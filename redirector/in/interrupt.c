/* interrupt.c - one libevent signal event a signal. */
#include "redirector/in/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "proto/base/signals.h"

struct interrupt {
    struct event *events[NSIG];         /* owned; NULL: not watched */
    void (*on_signal)(void *arg, enum interrupt_kind kind, int sig);
    void *arg;
};

static enum interrupt_kind interrupt_kind(int sig)
{
    switch (sig) {
    case SIGINT: case SIGTERM: case SIGHUP: case SIGQUIT:
        return INTERRUPT_END;
    case SIGTSTP:
        return INTERRUPT_STOP;
    case SIGCHLD:
        return INTERRUPT_CHILD;
    case SIGABRT:               /* of our own it ends us nevertheless */
        return INTERRUPT_FORWARD;
    default:
        return signals_is_passed(sig, false) ? INTERRUPT_FORWARD
                                             : INTERRUPT_NONE;
    }
}

static bool interrupt_is_ignored(int sig)
{
    struct sigaction was;

    return (sig == SIGHUP || sig == SIGTSTP) &&
           sigaction(sig, NULL, &was) == 0 && was.sa_handler == SIG_IGN;
}

static void interrupt_on_event(evutil_socket_t sig, short what, void *arg)
{
    struct interrupt *in = arg;

    (void)what;
    in->on_signal(in->arg, interrupt_kind((int)sig), (int)sig);
}

struct interrupt *interrupt_open(struct event_base *base,
                                 void (*on_signal)(void *arg,
                                                   enum interrupt_kind kind,
                                                   int sig),
                                 void *arg, struct err *err)
{
    struct interrupt *in = calloc(1, sizeof(*in));

    if (!in)
        return err_memory(err), NULL;
    in->on_signal = on_signal;
    in->arg = arg;
    for (int sig = 1; sig < NSIG; sig++) {
        if (interrupt_kind(sig) == INTERRUPT_NONE || interrupt_is_ignored(sig))
            continue;
        in->events[sig] = evsignal_new(base, sig, interrupt_on_event, in);
        if (!in->events[sig] || event_add(in->events[sig], NULL) < 0) {
            err_set(err, ENOMEM, "cannot watch signals");
            interrupt_close(in);
            return NULL;
        }
    }
    return in;
}

void interrupt_close(struct interrupt *in)
{
    if (!in)
        return;
    for (int sig = 1; sig < NSIG; sig++)
        if (in->events[sig])
            event_free(in->events[sig]);
    free(in);
}
