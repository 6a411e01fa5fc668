/* node.h - what all jobs of this slave share: its end of every link, its
 * directories, its scratch memory. main.c owns it; jobs borrow it. */
#ifndef HECTOR_NODE_H
#define HECTOR_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/link/conn.h"
#include "slave/launch/reserve.h"
#include "slave/launch/site.h"
#include "slave/link/linkdrain.h"
#include "slave/link/uplink.h"
#include "slave/page/reading.h"
#include "slave/pmix/exchange.h"
#include "slave/pmix/pmix.h"
#include "slave/groups/freezer.h"
#include "slave/groups/weight.h"
#include "slave/proc/ticks.h"
#include "slave/stacks/stacker.h"
#include "slave/tree/reduce.h"

struct counters_source;
struct imagelinks;
struct jobhook;
struct pace;
struct yields;

/* The PMIx server and who hears of it: node.c's. */
struct node_pmix {
    struct pmixd *server;       /* NULL until node_pmix() */
    const struct pmixd_ops *ops;
    void *arg;
    uint64_t wait_ns;           /* for its answers */
    struct event *renew;        /* borrowed: looks whether this process is to
                                   be replaced; NULL: it never is */
};

struct node {
    struct event_base *base;
    const char *name;           /* of the node */
    uint64_t instance;          /* of this process */
    const struct conn_conf *conn;
    struct site *site;          /* where tasks are started */
    struct uplink *uplink;
    struct exchange *exchange;
    struct reduce *reduce;
    struct stacker *stacker;
    struct freezer freezer;
    struct weight weight;
    struct node_pmix pmix;
    struct ticks ticks;
    struct reading *reading;    /* of pages */
    struct counters_source *counters;   /* borrowed; NULL: nobody wants any */
    struct linkdrain linkdrain; /* stream links of jobs that are over */
    struct reserve_pool reserved;       /* what tasks have of each period */
    unsigned njobs;             /* of ours; kept by jobs.c */
    uint64_t starved;           /* as load_starved(), that tasks are known of */
    bool orphaned;              /* the master is gone for good */
    bool abandoned;             /* hector-run is, and the master is stuck */
    const struct jobhook *hook; /* who moves tasks; NULL: nobody does */
    struct yields *yields;      /* borrowed: what jobs give up here */
    struct pace *paced;         /* borrowed: how fast it is; NULL: nobody wants to
                                   know, nor what tasks do here */
    struct imagelinks *imagelinks;      /* by which they go, past the master;
                                           NULL: none does */
};

/* Directories, descriptors, memory; the links are the caller's to open. */
int node_init(struct node *n, struct event_base *base, const char *name,
              const struct conn_conf *conn, struct err *err);
void node_fini(struct node *n);

/* Has the kernel killed a process here, as our control group had no more memory,
 * that was not asked about yet? */
bool node_starved(struct node *n);

/* Who hears of PMIx, and how long its answers may take; before node_pmix(). */
void node_serve_pmix(struct node *n, const struct pmixd_ops *ops, void *arg,
                     uint64_t wait_ns);

/* Stop PMIx: nothing calls those any more. */
void node_close(struct node *n);

/* The PMIx server, started at the first call: it takes some 20 ms, which are
 * free while the master has something to do. */
struct pmixd *node_pmix(struct node *n, struct err *err);
struct pmixd *node_pmix_now(const struct node *n);      /* NULL: not started */

/* What looks whether this process may be replaced, which is done when PMIx is
 * not sound and something has changed; NULL: nobody does. Borrowed. */
void node_renew_by(struct node *n, struct event *look);
void node_look_at_pmix(const struct node *n);    /* something has changed */

#endif
