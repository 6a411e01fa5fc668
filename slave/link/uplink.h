/* uplink.h - the link to the master.
 *
 * Says Hello with what the node has, and is joined once the master has said
 * Welcome. A lost link is opened again three times a second, up to a limit.
 * A private slave gives up before if its master has said farewell, or nobody
 * needs the slave any more. What is sent while there is no link is dropped:
 * whoever has facts the master must know tells them again in joined(). */
#ifndef HECTOR_UPLINK_H
#define HECTOR_UPLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "mpi-wrappers/cpu.h"
#include "proto/base/err.h"
#include "proto/link/conn.h"

struct uplink;

struct uplink_conf {            /* borrowed as long as the uplink lives */
    const char *addresses;      /* of the master */
    const char *name;           /* of this node */
    const char *mpi;            /* version of PMIx */
    const struct conn_conf *conn;
    uint64_t instance;
    uint64_t lost_ns;           /* a master away for so long is gone */
    bool private;               /* see above */
    uint32_t cpus;              /* to tell; 0: those of this machine */
    struct cpu_set cpu;         /* to tell: what they have; or none */
    double speed;               /* to tell; 0: nothing */
};

struct uplink_ops {
    const struct conn_route *routes;    /* what the master may order; see
                                           uplink_owner() */
    size_t nroutes;
    void *routes_arg;           /* what uplink_owner() gives them */
    void (*describe)(void *arg, Hct__NodeInfo *m);      /* NULL: nothing more; what
                                           it sets is borrowed */
    void (*joined)(void *arg);
    void (*lost)(void *arg);    /* after joined; it is tried again */
    bool (*needed)(void *arg);  /* private: without a master, by anybody? */
    void (*gone)(void *arg, const struct err *why);     /* for good */
};

struct uplink *uplink_open(struct event_base *base,
                           const struct uplink_conf *conf,
                           const struct uplink_ops *ops, void *arg,
                           struct err *err);

/* As if the process had been killed. NULL is fine. */
void uplink_drop(struct uplink *u);

/* True if there is something to wait for: done() will be called when what
 * was queued has been written. NULL is fine. */
bool uplink_close(struct uplink *u, void (*done)(void *arg), void *arg);

/* routes_arg, from the arg a route is called with. */
void *uplink_owner(void *route_arg);

/* The same arg, for the route of Farewell: the master has said that it ends. */
void uplink_master_leaves(void *route_arg);

/* Since the last joined(): a master that knows only what its database says. */
bool uplink_new_master(const struct uplink *u);

void uplink_send(struct uplink *u, enum message_type type, const void *msg);
/* Since when the master is not joined; 0: it is. */
uint64_t uplink_away_ns(const struct uplink *u);
bool uplink_congested(const struct uplink *u);

#endif
