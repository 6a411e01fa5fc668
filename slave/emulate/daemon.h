/* daemon.h - an emulated slave: it speaks with the master and with the slaves
 * above and below it as a real one does, by the same code, and plays the tasks
 * of jobs itself. */
#ifndef HECTOR_EMULATE_DAEMON_H
#define HECTOR_EMULATE_DAEMON_H

#include <event2/event.h>

#include "proto/link/conn.h"
#include "slave/emulate/options.h"

/* What happens in all daemons of a process. */
struct daemon_count {
    uint64_t joined, lost, launched, acked, sent;
    uint64_t statements, costs;         /* messages, and what is in them */
    uint64_t made_ns;                   /* processor time for traces */
    uint64_t trial;                     /* the run that is played, which is not
                                           counted here but told */
};

struct daemon_conf {                    /* borrowed as long as they live */
    struct event_base *base;
    const struct emulate *options;
    const char *master, *dir;
    const struct conn_conf *conn;
    struct daemon_count *count;
    uint64_t began_ns;                  /* virtual time begins, monotonic, */
    uint64_t wall_ns;                   /* and what the wall clock said */
};

struct daemon;
struct daemon *daemon_create(const struct daemon_conf *conf, uint32_t number,
                             struct err *err);
void daemon_destroy(struct daemon *d);          /* NULL is fine */

/* Wall time, of virtual seconds. */
uint64_t daemon_now_ns(const struct daemon_conf *conf);

/* One virtual second of its tasks: load of the node and samples; and what
 * their calls have cost, when it is time. */
void daemon_samples(struct daemon *d);
/* n tagged events of its next task. */
void daemon_events(struct daemon *d, uint32_t n);

#endif
