/* pmix_call.h - the door between PMIx's thread and the event loop: a queue
 * of calls and an eventfd. For pmix.c only. */
#ifndef HECTOR_PMIX_CALL_H
#define HECTOR_PMIX_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmix_server.h>

#include "proto/base/err.h"

enum pmix_call_kind {
    PMIX_CALL_CONNECTED, PMIX_CALL_FINALIZED, PMIX_CALL_ABORT,
    PMIX_CALL_FENCE, PMIX_CALL_MODEX, PMIX_CALL_PUBLISH, PMIX_CALL_LOOKUP,
    PMIX_CALL_UNPUBLISH, PMIX_CALL_SPAWN, PMIX_CALL_GROUP,
    PMIX_CALL_FETCHED, PMIX_CALL_REGISTERED,    /* answers to ourselves */
    PMIX_CALL_DEREGISTERED,
    PMIX_CALL_KINDS
};

struct pmixd_call {
    struct pmixd_call *next;
    enum pmix_call_kind kind;
    const char *what;           /* fence: "fence", "connect", "disconnect" */
    pmix_op_cbfunc_t op;        /* at most one of these four is set */
    pmix_modex_cbfunc_t modex;
    pmix_lookup_cbfunc_t lookup;
    pmix_info_cbfunc_t group;
    void *cbdata;
    pmix_proc_t proc;
    pmix_proc_t *procs;         /* owned */
    size_t nprocs;
    char *data;                 /* owned */
    size_t bytes;
    char *text;                 /* owned */
    int status;
    char **keys;                /* borrowed from PMIx */
    const pmix_info_t *info;    /* borrowed from PMIx */
    size_t ninfo;
    uint64_t job, ticket;       /* of answers to our own requests */
    uint32_t node;
};

/* Make the queue; returns the descriptor to watch, which the queue owns. */
int pmix_call_open(struct err *err);
void pmix_call_close(void);

/* Everything that is queued, in order, as a list; each to be freed. */
struct pmixd_call *pmix_call_take(void);
void pmix_call_free(struct pmixd_call *c);      /* NULL is fine */

/* Starts the server with these upcalls. Its threads get no signals: they are
 * for the loop's thread, which may wait for one. */
pmix_status_t pmix_call_start(pmix_info_t *info, size_t n);

/* Callback of a step of a registration; cbdata is the job's number. */
void pmix_call_registered(pmix_status_t status, void *cbdata);
/* The same of a namespace that goes. */
void pmix_call_deregistered(pmix_status_t status, void *cbdata);

/* Callback of PMIx_server_dmodex_request(); cbdata is from new_fetch. */
void pmix_call_fetched(pmix_status_t status, char *data, size_t bytes,
                       void *cbdata);
struct pmixd_call *pmix_call_new_fetch(uint64_t job, uint64_t ticket,
                                       uint32_t node);

#endif
