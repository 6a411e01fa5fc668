/* machine.h - a machine of states, as a table: what its states and events are
 * called, and which event leads from where to where.
 *
 * Who has one draws it in a header, lists its names once,
 *
 *   #define LAMP_STATES(X) X(OFF, "off") X(ON, "on")
 *   enum lamp_state { LAMP_STATES(X) LAMP_STATE_COUNT };   // X: LAMP_##n,
 *
 * and says in its .c what leads where:
 *
 *   static const char *const states[] = { LAMP_STATES(MACHINE_WORD) };
 *   static const struct machine_edge edges[] = {
 *       MACHINE_EDGE(LAMP_OFF, LAMP_EVENT_PRESS, LAMP_ON), ...
 *   };
 *   const struct machine lamp_machine = {
 *       "lamp", "a lamp", MACHINE_LIST(states), MACHINE_LIST(events),
 *       MACHINE_LIST(edges) };
 *
 * Pure: it holds no state, and nothing happens on the way. No event has two
 * edges from one state. */
#ifndef HECTOR_MACHINE_H
#define HECTOR_MACHINE_H

#include <stddef.h>

#include "proto/base/err.h"

struct machine_edge {
    unsigned char first, last;  /* from any of this span of states */
    unsigned char event, to;
};

struct machine {
    const char *name;           /* in the database: "job" */
    const char *what;           /* in a sentence: "a job" */
    const char *const *states;  /* words, by number */
    size_t nstates;
    const char *const *events;
    size_t nevents;
    const struct machine_edge *edges;
    size_t nedges;
};

#define MACHINE_WORD(n, word, ...) word,
#define MACHINE_EDGE(from, event, to) { (from), (from), (event), (to) }
#define MACHINE_SPAN(first, last, event, to) { (first), (last), (event), (to) }
#define MACHINE_LIST(v) (v), sizeof(v) / sizeof((v)[0])

/* The state that the event leads to; -1 with EPROTO and a sentence that names
 * both if there is no such edge. */
int machine_next(const struct machine *m, unsigned state, unsigned event,
                 struct err *err);

/* "?" if there is none of this number. */
const char *machine_state(const struct machine *m, unsigned state);
const char *machine_event(const struct machine *m, unsigned event);

/* The state of this name, or nstates. */
unsigned machine_find(const struct machine *m, const char *state);

#endif
