/* drain.h - nodes that are to be empty: they take no new tasks, and those of all
 * jobs that are there leave, one move a job.
 *
 * That a node takes none is kept in the database; that it is being emptied is
 * not, a later master does not go on with that. Orders begin, and are answered,
 * after the commit. */
#ifndef HECTOR_DRAIN_H
#define HECTOR_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <event2/event.h>

#include "master/act/act.h"
#include "master/move/mover.h"
#include "master/state/node.h"
#include "proto/base/err.h"

struct conn;
struct drains;

struct drain_parts {            /* all borrowed */
    struct event_base *base;
    struct nodes *nodes;
    struct jobs *jobs;
    struct movers *movers;
    struct acts *acts;
};

struct drain_order {            /* all borrowed */
    const char *node;
    char *const *to;            /* names of nodes; none: any that has room */
    size_t nto;
    bool wait;                  /* for the Result: until nothing can leave */
    const char *why;            /* for the record */
    struct conn *asker;         /* hears Leaving of each job, then Result */
};

struct drains *drain_create(const struct drain_parts *parts);
void drain_destroy(struct drains *d);

/* -1 with a sentence: nothing has changed, and the asker hears nothing. */
int drain_order(struct drains *d, const struct drain_order *o,
                struct err *err);
/* Take tasks again: o->to and o->wait are not looked at. */
int drain_undo(struct drains *d, const struct drain_order *o, struct err *err);

/* What was ordered is in the database. */
void drain_committed(struct drains *d);
/* That link is gone. */
void drain_forget(struct drains *d, const struct conn *asker);

#endif
