/* imagelink.h - links to slaves where tasks come: their images go there past the
 * master.
 *
 * A slave connects to where the other one listens for slaves, and both prove and
 * greet as in a tree of them (slave/link/reduce_link.h is the other end):
 *
 *   TRYING --Welcome--> OPEN --it ends, or is silent--> BROKEN
 *      +--refused, no answer in time--> UNREACHED
 *
 * None is opened again. A slave that is not reached is said in the log, once, and
 * not tried for some minutes: who waits for the answer is a job that stands. */
#ifndef HECTOR_IMAGELINK_H
#define HECTOR_IMAGELINK_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/link/conn.h"

struct imagelinks;              /* of a slave */
struct imagelink;

struct imagelinks_conf {        /* borrowed as long as the links live */
    const struct conn_conf *conn;
    const char *name;           /* of this slave */
    uint64_t instance;
    uint64_t patience_ns;       /* for a link to be open; 0: 5 s */
    uint64_t again_ns;          /* who was not reached is tried; 0: 10 min */
};

enum imagelink_state { IMAGELINK_TRYING, IMAGELINK_OPEN, IMAGELINK_BROKEN,
                       IMAGELINK_UNREACHED };

struct imagelink_ops {          /* neither may close the link */
    void (*credit)(void *arg, const Hct__ImageCredit *m);
    /* What was sent may not have come; why: a sentence. */
    void (*broken)(void *arg, const struct imagelink *l, const char *why);
};

struct imagelinks *imagelinks_open(struct event_base *base,
                                   const struct imagelinks_conf *conf,
                                   struct err *err);
/* After all links were closed. NULL is fine. */
void imagelinks_close(struct imagelinks *ls);

/* To the slave of that node. One that cannot be tried is UNREACHED at once; NULL:
 * no memory. */
struct imagelink *imagelink_open(struct imagelinks *ls, const char *node,
                                 const char *addresses,
                                 const struct imagelink_ops *ops, void *arg,
                                 struct err *err);
/* What waits to be sent is lost. NULL is fine. */
void imagelink_close(struct imagelink *l);

enum imagelink_state imagelink_state(const struct imagelink *l);
/* Too much waits to be sent. */
bool imagelink_congested(const struct imagelink *l);
/* On one that is open. */
void imagelink_send(struct imagelink *l, const Hct__Image *m);

#endif
