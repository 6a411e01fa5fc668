/* interrupt.c - one libevent signal event a signal, from a table. */
#include "redirector/in/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static const struct { int sig; enum interrupt_kind kind; } signals[] = {
    { SIGINT, INTERRUPT_END },      { SIGTERM, INTERRUPT_END },
    { SIGHUP, INTERRUPT_END },      { SIGQUIT, INTERRUPT_END },
    { SIGUSR1, INTERRUPT_FORWARD }, { SIGUSR2, INTERRUPT_FORWARD },
    { SIGALRM, INTERRUPT_FORWARD }, { SIGVTALRM, INTERRUPT_FORWARD },
    { SIGXCPU, INTERRUPT_FORWARD }, { SIGURG, INTERRUPT_FORWARD },
    { SIGTSTP, INTERRUPT_STOP },    { SIGCHLD, INTERRUPT_CHILD },
};
enum { NSIGNALS = sizeof(signals) / sizeof(signals[0]) };

struct interrupt {
    struct event *events[NSIGNALS];     /* owned; NULL: ignored */
    void (*on_signal)(void *arg, enum interrupt_kind kind, int sig);
    void *arg;
};

static void interrupt_on_event(evutil_socket_t sig, short what, void *arg)
{
    struct interrupt *in = arg;

    (void)what;
    for (int i = 0; i < NSIGNALS; i++)
        if (signals[i].sig == sig) {
            in->on_signal(in->arg, signals[i].kind, sig);
            return;
        }
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
    for (int i = 0; i < NSIGNALS; i++) {
        struct sigaction was;

        if ((signals[i].sig == SIGHUP || signals[i].sig == SIGTSTP) &&
            sigaction(signals[i].sig, NULL, &was) == 0 &&
            was.sa_handler == SIG_IGN)
            continue;
        in->events[i] = evsignal_new(base, signals[i].sig, interrupt_on_event,
                                     in);
        if (!in->events[i] || event_add(in->events[i], NULL) < 0) {
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
    for (int i = 0; i < NSIGNALS; i++)
        if (in->events[i])
            event_free(in->events[i]);
    free(in);
}
