/* adopt_order.c - what the master has done to adopted tasks: signalled, held,
 * ended. */
#include "slave/jobs/adopt_private.h"

#include <signal.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

/* The tasks an order is for: those of a world's job; of a session, for all
 * ranks, those of every world. */
static bool each_ordered(struct adopts *as, uint64_t job, const char *ranks,
                         int sig, bool dying, struct adopt **in)
{
    struct adopt *s = adopt_find(as, job);
    struct world *w = adopts_world(as, job, in);
    bool all = !*ranks || strcmp(ranks, "all") == 0;
    struct taskset set = { 0 };
    struct err err;

    if (!s && !w)
        return false;
    if (s)
        *in = s;
    if (taskset_parse(&set, all ? "all" : ranks, ADOPT_RANKS, &err))
        log_warn("adopt", "%s", err.text);
    else if (s && all)
        for (w = s->worlds; w; w = w->next)
            world_signal(w, &set, sig, dying);
    else if (w)
        world_signal(w, &set, sig, dying);
    taskset_fini(&set);
    return true;
}

bool adopts_signal(struct adopts *as, const Hct__TaskSignal *m)
{
    struct adopt *s;

    if (m->signal < 1 || m->signal >= NSIG)
        return adopt_find(as, m->job) || adopts_world(as, m->job, &s);
    return each_ordered(as, m->job, m->ranks, m->signal, false, &s);
}

bool adopts_hold(struct adopts *as, const Hct__TaskHold *m)
{
    struct adopt *s;

    return each_ordered(as, m->job, m->ranks, m->release ? SIGCONT : SIGSTOP,
                        false, &s);
}

bool adopts_terminate(struct adopts *as, const Hct__Terminate *m)
{
    struct timeval tv = clock_timeval(m->grace_ns);
    struct adopt *s;
    int first = m->signal > 0 && m->signal < NSIG ? m->signal : SIGTERM;

    if (m->disown)
        return adopts_forget(as, m->job);
    if (!each_ordered(as, m->job, m->ranks, m->grace_ns ? first : SIGKILL,
                      true, &s))
        return false;
    each_ordered(as, m->job, m->ranks, SIGCONT, false, &s);
    if (m->grace_ns)
        event_add(s->kill, &tv);
    return true;
}
