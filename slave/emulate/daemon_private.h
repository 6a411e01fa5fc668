/* daemon_private.h - an emulated slave, for the files daemon*.c alone. */
#ifndef HECTOR_EMULATE_DAEMON_PRIVATE_H
#define HECTOR_EMULATE_DAEMON_PRIVATE_H

#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "slave/emulate/daemon.h"
#include "slave/emulate/ledger.h"
#include "slave/emulate/tasks.h"
#include "slave/link/uplink.h"
#include "slave/tree/reduce.h"

struct daemon {
    const struct daemon_conf *conf;     /* borrowed */
    uint32_t number;
    char name[16], dir[PATHS_MAX];
    struct uplink_conf uplink_conf;
    struct uplink_ops uplink_ops;
    struct reduce_conf reduce_conf;
    struct uplink *uplink;              /* owned, like the rest */
    struct reduce *reduce;
    uint64_t job;                       /* the last one; 0: none */
    struct taskset ranks;
    uint32_t next;                      /* whose events come next */
    uint64_t *seq;                      /* events of each, by position */
    struct ledger *ledger;              /* NULL: no sites, or not launched */
    uint64_t launched_ns;               /* of virtual time */
    struct str tree, model;             /* packed */
    bool made, gone;                    /* made: the tree */
    bool histograms;                    /* the model has them */
    bool forged;                        /* it has, once */
    const struct emulate_fault *fault;
    struct event *timer;                /* of a fault */
    struct reduction *late;             /* what it is late with, */
    void (*late_answer)(struct daemon *d, struct reduction *r);
};

/* Bring the account of its tasks up to now. */
void daemon_advance(struct daemon *d);
/* What one of them does; i: its place among them. */
void daemon_state(const struct daemon *d, uint32_t i, uint32_t rank,
                  struct tasks_state *s);
/* What is new of n of them. */
void daemon_tell(struct daemon *d, uint32_t first, uint32_t n);

#endif
