/* hub.h - links to slaves, redirectors and operators: who may say what,
 * and which part of the master hears it.
 *
 * A hub is everything a message may concern. It listens, admits (Hello,
 * Welcome or Refuse), and routes by role. */
#ifndef HECTOR_HUB_H
#define HECTOR_HUB_H

#include <stdbool.h>
#include <event2/event.h>

#include "master/flow/flow.h"
#include "master/flow/relay.h"
#include "master/store/journal.h"
#include "master/tree/reduce.h"
#include "proto/link/conn.h"

struct hub_conf {
    struct conn_conf conn;
    uint64_t instance;
    const char *name;           /* user@host, for people; borrowed */
    uint64_t lost_wait_ns;      /* for a silent hector-run to come back */
    struct reducer_conf reduce;
    /* Called when a link is gone: time to see what is left to do. */
    void (*quiet)(void *arg);
    void *arg;
};

struct hub;
struct hub *hub_create(struct event_base *base,
                       const struct hub_conf *conf,
                       struct nodes *nodes, struct jobs *jobs,
                       struct relay *relay, struct flow *flow);
void hub_set_journal(struct hub *h, struct journal *jn);
void hub_destroy(struct hub *h);

/* For who wants to gather something from the slaves; lives as the hub does. */
struct reducer *hub_reducer(const struct hub *h);

/* Take a listening socket. */
int hub_listen(struct hub *h, int fd, struct err *err);

/* Links of this role that have been welcomed. */
size_t hub_count(const struct hub *h, Hct__Role role);

/* Whether one has ever been welcomed. */
bool hub_had_redirector(const struct hub *h);

/* Stop or resume reading from all slaves. */
void hub_hold_slaves(struct hub *h, bool hold);

/* The database was replaced: tell everyone, and if that is bad those who come
 * too. */
void hub_warn(struct hub *h, const char *sentence, bool bad);

/* Close every link after what is queued has been written; no more come.
 * left (with the arg of the conf) is called when all are closed, perhaps
 * before this returns. */
void hub_leave(struct hub *h, void (*left)(void *arg));

#endif
