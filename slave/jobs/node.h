/* node.h - what all jobs of this slave share: its end of every link, its
 * directories, its scratch memory. main.c owns it; jobs borrow it. */
#ifndef HECTOR_NODE_H
#define HECTOR_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/link/conn.h"
#include "slave/launch/rundir.h"
#include "slave/link/linkdrain.h"
#include "slave/link/uplink.h"
#include "slave/page/records.h"
#include "slave/pmix/exchange.h"
#include "slave/pmix/pmix.h"
#include "slave/proc/freezer.h"
#include "slave/proc/ticks.h"
#include "slave/stacks/stacker.h"
#include "slave/tree/reduce.h"

struct node {
    struct event_base *base;
    const char *name;           /* of the node */
    uint64_t instance;          /* of this process */
    const struct conn_conf *conn;
    struct rundir rundir;
    struct uplink *uplink;
    struct exchange *exchange;
    struct reduce *reduce;
    struct stacker *stacker;
    struct freezer freezer;
    struct pmixd *pmix;         /* NULL until node_pmix() */
    const struct pmixd_ops *pmix_ops;
    void *pmix_arg;
    uint64_t pmix_wait_ns;      /* for its answers */
    struct event *renew;        /* borrowed: looks whether this process is to
                                   be replaced; NULL: it never is */
    struct records_window window;
    struct ticks ticks;
    struct rings_batch batch;   /* scratch */
    struct str lines;           /* scratch */
    int null_fd;                /* /dev/null, what most tasks read */
    struct linkdrain linkdrain;     /* stream links of jobs that are over */
    char tasks_socket[PATHS_MAX];
    char preload[PATHS_MAX];    /* libhector.so, "" if there is none */
    char inject[PATHS_MAX];     /* libhector-inject.so, or only its name: then
                                   tasks that want it say that it is not there */
    bool fast_fabric;
    unsigned njobs;             /* kept by jobs.c */
    bool orphaned;              /* the master is gone for good */
    bool hold;                  /* rings are only looked at, not read */
};

/* Directories, descriptors, memory; the links are the caller's to open. */
int node_init(struct node *n, struct event_base *base, const char *name,
              const struct conn_conf *conn, struct err *err);
void node_fini(struct node *n);

/* Stop PMIx: nothing calls the pmix_ops any more. */
void node_close(struct node *n);

/* The PMIx server, started at the first call: it takes some 20 ms, which are
 * free while the master has something to do. */
struct pmixd *node_pmix(struct node *n, struct err *err);

/* Something has changed: if PMIx is not sound, look whether this process may
 * be replaced now. */
void node_look_at_pmix(const struct node *n);

#endif
