/* master.h - a whole master: what it knows of nodes and jobs, and the parts that
 * drive them, each told of those it needs. The program adds options, sockets
 * and when to leave; tests and the fuzzer have the same master. */
#ifndef HECTOR_MASTER_H
#define HECTOR_MASTER_H

#include <event2/event.h>

#include "master/flow/flow.h"
#include "master/flow/relay.h"
#include "master/peers/hub.h"
#include "master/store/journal.h"
#include "master/store/store.h"

struct master_conf {
    struct flow_conf flow;      /* its instance is the master's */
    struct conn_conf conn;      /* of its links */
    struct reducer_conf reduce;
    const char *name;           /* user@host, for people; borrowed */
    const char *host, *addresses;       /* where it is, where it listens */
    const char *process;        /* alive.h; may be NULL */
    /* As journal_create() has them: the database, where it should be, and what
     * is wrong with that; what dead masters left there is taken up. */
    const char *path;
    const struct err *aside;
};

struct master_ops {
    /* A link is gone, or what waited for the database has been done: is
     * anything left to do? */
    void (*turned)(void *arg);
    /* A sentence for people, which every hector-run gets; may be NULL. */
    void (*told)(void *arg, const char *text);
};

struct master {
    struct nodes nodes;
    struct jobs jobs;
    struct relay *relay;        /* owned, as the next three */
    struct flow *flow;
    struct journal *journal;
    struct hub *hub;
    const struct master_ops *ops;       /* borrowed, with arg */
    void *arg;
};

/* It listens nowhere yet: hub_listen(). Takes the store, even on
 * failure; conf is copied, but for what is borrowed. */
struct master *master_create(struct event_base *base,
                             const struct master_conf *conf, struct store *st,
                             const struct master_ops *ops, void *arg,
                             struct err *err);
void master_destroy(struct master *m);  /* with its jobs; NULL is fine */

#endif
