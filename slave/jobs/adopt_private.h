/* adopt_private.h - a session, as adopt.c and adopt_order.c know it. */
#ifndef HECTOR_ADOPT_PRIVATE_H
#define HECTOR_ADOPT_PRIVATE_H

#include "proto/base/paths.h"
#include "slave/jobs/adopt.h"
#include "slave/jobs/world.h"

struct adopt {
    struct adopt *next;
    struct adopts *all;         /* borrowed */
    struct world_owner owner;
    struct launch_user user;
    struct plan plan;           /* for the streams; texts owned */
    struct registry *registry;  /* owned */
    struct world *worlds;       /* owned */
    struct event *kill;         /* owned: the grace of Terminate is over */
    struct event *end;          /* owned: the grace of AdoptEnd is over */
    char *refusal;              /* owned */
    char link[PATHS_MAX];       /* to the library; "": not ours, or none */
    bool ready;                 /* the stream link stands, or is not needed */
    bool ending, drained, closed;       /* closed: so is stdtim */
};

struct adopts {
    struct node *node;          /* borrowed */
    void (*wake)(void *arg);
    void *arg;
    struct adopt *first;      /* owned */
};

/* NULL: there is no such session. */
struct adopt *adopt_find(const struct adopts *as, uint64_t id);

#endif
