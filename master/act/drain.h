/* drain.h - nodes that are to be empty: they take no new tasks, and those of all
 * jobs that are there leave, one move a job.
 *
 * Both are kept in the database: a later master goes on with it. Orders begin, and
 * are answered, after the commit. */
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

/* -1 with a sentence: nothing has changed, and the asker hears nothing. Of a node
 * that is draining already: one that waits (and names no others) hears of that
 * drain, or has those that stayed tried again. */
int drain_order(struct drains *d, const struct drain_order *o,
                struct err *err);
/* Take tasks again: o->to and o->wait are not looked at. */
int drain_undo(struct drains *d, const struct drain_order *o, struct err *err);

/* Its owner has come back: it takes no new tasks, and those that are there
 * leave, also where no other node takes any. He is gone: it takes tasks again,
 * if it was drained for him alone. */
int drain_for_owner(struct drains *d, struct node *n, const char *why,
                    struct err *err);
int drain_without_owner(struct drains *d, struct node *n, const char *why,
                        struct err *err);

/* A master before had begun that: go on. wait_ns: so long slaves take to come. */
int drain_recall(struct drains *d, const struct drain_order *o, uint64_t wait_ns,
                 struct err *err);

/* What was ordered is in the database. */
void drain_committed(struct drains *d);
/* A move is over, of whoever: the next look comes soon. */
void drain_move_ended(struct drains *d, struct job *j, bool ok, bool passing,
                      const char *text);
/* That link is gone. */
void drain_forget(struct drains *d, const struct conn *asker);

#endif
