/* machine.c - looks into tables of machine.h. */
#include "proto/base/machine.h"

#include <errno.h>
#include <string.h>

int machine_next(const struct machine *m, unsigned state, unsigned event,
                 struct err *err)
{
    for (size_t i = 0; i < m->nedges; i++) {
        const struct machine_edge *e = &m->edges[i];

        if (e->event == event && e->first <= state && state <= e->last)
            return e->to;
    }
    return err_set(err, EPROTO, "%s is not legal for %s that is %s",
                   machine_event(m, event), m->what, machine_state(m, state));
}

const char *machine_state(const struct machine *m, unsigned state)
{
    return state < m->nstates ? m->states[state] : "?";
}

const char *machine_event(const struct machine *m, unsigned event)
{
    return event < m->nevents ? m->events[event] : "?";
}

unsigned machine_find(const struct machine *m, const char *state)
{
    unsigned s = 0;

    while (s < m->nstates && strcmp(m->states[s], state) != 0)
        s++;
    return s;
}
