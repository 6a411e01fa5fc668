/* private.h - the master and the slaves of one run, started here.
 *
 * Life cycle: private_open() makes the sockets, starts the master and the
 * slaves; on_failure is called (at most once) when one of them ends before
 * it could do its work; private_settled() says that the slaves have joined,
 * from when on their ends are the master's affair; private_close() waits for
 * all to leave, with force in the end, and calls done. */
#ifndef HECTOR_PRIVATE_H
#define HECTOR_PRIVATE_H

#include <stdbool.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "proto/link/key.h"
#include "redirector/batch/hosts.h"

struct private;

struct private_conf {
    const char *dir;            /* of this run; borrowed */
    const struct hosts *hosts;  /* borrowed */
    const char *agent;          /* NULL: ssh, or srun inside Slurm */
    const char *db;             /* NULL: the master's default */
    const struct key *key;      /* borrowed; needed if a host is remote */
    int lock;                   /* the master has it, too; 0: there is none */
    bool verbose;
    void (*on_failure)(void *arg, const char *sentence);
    void *arg;
};

struct private *private_open(struct event_base *base,
                             const struct private_conf *conf,
                             struct err *err);

/* Where the master listens, for us. */
const char *private_address(const struct private *p);

/* Slave NAME has joined; all of them have. */
void private_joined(struct private *p, const char *name);
void private_settled(struct private *p);

/* A master that dies by a signal is started again, once; but not when the end
 * has begun. */
bool private_has_master(const struct private *p);       /* NULL is fine */

/* The link to the master is closed: all will leave by themselves, but for
 * launch agents whose slave has not joined; those, and all if at_once (there
 * is no job), are asked to. done is called from the event loop when the last has gone. */
void private_close(struct private *p, bool at_once, void (*done)(void *arg));

/* The master does not answer: end it, and have the slaves here end their tasks
 * with the usual grace. There is no on_failure any more. */
void private_end_alone(struct private *p);

/* End all children of hector-run that are left, as child_end_all() does: nobody
 * is started again or told of any more, and nobody listens for slaves. NULL:
 * there are no private daemons. */
void private_end_all(struct private *p);
void private_destroy(struct private *p);        /* NULL is fine */

#endif
