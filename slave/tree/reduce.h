/* reduce.h - this slave's part in reductions: it makes a part of its own,
 * takes in those of its children in the tree, and passes one result to its
 * parent, or to the master where it has none or has lost it.
 *
 * The request comes from the master itself, with the place in the tree: who
 * the children are and where the parent listens. So nobody has to hear of it
 * through a slave that is dead. */
#ifndef HECTOR_REDUCE_H
#define HECTOR_REDUCE_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/link/conn.h"
#include "proto/link/message.h"
#include "slave/link/reduce_link.h"

struct reduce;                  /* of a slave */
struct reduction;               /* one that is going on */

/* What this slave can gather. start() makes its part, at once or later, and
 * then calls reduction_own() or reduction_fail(), once. It need not when stop()
 * has been called: the reduction is over or has waited too long; r is gone
 * then. stop may be NULL where start() always answers at once. */
struct reduce_kind {
    const char *name;           /* as in merge.h */
    void (*start)(void *arg, struct reduction *r);
    void (*stop)(void *arg, struct reduction *r);
};

void reduction_own(struct reduction *r, const void *bytes, size_t n);
void reduction_fail(struct reduction *r, const char *why);

/* What is asked for: the job (0: none), the argument of the kind, and over how
 * many positions the part is to be, that is the tasks of the job on this
 * node, by increasing rank. wait_ns: how long there is to make it. */
uint64_t reduction_job(const struct reduction *r);
uint32_t reduction_width(const struct reduction *r);
uint64_t reduction_wait_ns(const struct reduction *r);
const uint8_t *reduction_argument(const struct reduction *r, size_t *n);

struct reduce_conf {            /* borrowed as long as it lives */
    struct reduce_links_conf links;
    const struct reduce_kind *kinds;
    size_t nkinds;
    void *arg;                  /* of the kinds */
    void (*send)(void *arg, enum message_type type, const void *msg);
    void *send_arg;             /* to the master */
};

struct reduce *reduce_open(struct event_base *base,
                           const struct reduce_conf *conf, struct err *err);
void reduce_close(struct reduce *r);            /* NULL is fine */

/* A master has welcomed us: say where we listen. */
void reduce_tell(struct reduce *r);

/* The master is away, and with it whatever is going on. */
void reduce_abandon(struct reduce *r);

/* From the master. */
int reduce_begin(struct reduce *r, const Hct__Reduce *m, struct err *err);
void reduce_end(struct reduce *r, const Hct__ReduceEnd *m);

#endif
