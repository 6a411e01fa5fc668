/* peer.h - the emulator as hector-run and as an operator of the master. */
#ifndef HECTOR_EMULATE_PEER_H
#define HECTOR_EMULATE_PEER_H

#include <event2/event.h>
#include <stdbool.h>

#include "proto/base/str.h"
#include "proto/link/conn.h"

struct peer {
    struct event_base *base;            /* borrowed */
    Hct__Role role;
    struct conn *c;                     /* owned */
    bool welcome, running, ended;
    bool gathering;                     /* the end of a Gather is to come */
    uint64_t job;
    struct str bytes;                   /* owned: of the last Gather */
    Hct__Gathered *gathered;            /* owned: its end */
    struct err why;                     /* code not 0: it went wrong */
};

int peer_open(struct peer *p, struct event_base *base, Hct__Role role,
              const char *master, const struct conn_conf *conf,
              struct err *err);
void peer_close(struct peer *p);        /* {0} is fine */

/* policy: of the job, besides the master's; "none": nobody looks at it; NULL:
 * the master's alone. */
void peer_submit(struct peer *p, uint32_t ntasks, uint32_t per_node,
                 const char *policy);
void peer_kill(struct peer *p);
/* The result is in bytes and gathered when gathered is not NULL. */
void peer_gather(struct peer *p, const Hct__Gather *m);

#endif
