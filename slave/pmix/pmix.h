/* pmix.h - the PMIx server that the tasks of this node talk to.
 *
 * One in a process. PMIx calls up on a thread of its own; what it says is
 * copied, queued, and handed to the owner's pmixd_ops on the event loop, so
 * nobody else knows of the thread. What needs an answer comes with a struct
 * pmixd_call: exactly one pmixd_answer*() ends and frees it, at any later
 * time. Jobs are told apart by the namespace they were registered under.
 *
 * The prefix is pmixd_, since all symbols in pmix_ belong to the library. */
#ifndef HECTOR_PMIX_H
#define HECTOR_PMIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "slave/launch/env.h"
#include "slave/launch/plan.h"
#include "slave/launch/site.h"

struct pmixd;
struct pmixd_call;

/* Statuses as PMIx numbers them; 0 is success. */
extern const int pmixd_not_found, pmixd_not_supported, pmixd_gone;

struct pmixd_item {             /* one published key */
    const char *key;
    const void *value;          /* packed */
    size_t bytes;
    const char *nspace;         /* of the publisher, in answers only */
    uint32_t rank;
};

struct pmixd_ops {
    /* The namespace is known to PMIx, or cannot be (why). */
    void (*registered)(void *arg, uint64_t job, const char *why);

    /* The library has not answered us in time: PMIXD_STUCK from now on. */
    void (*stuck)(void *arg);

    void (*connected)(void *arg, uint64_t job, uint32_t rank);
    void (*finalized)(void *arg, uint64_t job, uint32_t rank);

    /* ranks: "" for every task of the job. Already answered. */
    void (*aborted)(void *arg, uint64_t job, uint32_t rank, int code,
                    const char *text, const char *ranks);

    /* Spawn was asked for and refused. */
    void (*refused)(void *arg, uint64_t job, uint32_t rank,
                    const char *what);

    /* All local participants have arrived. ranks: all of them, on all nodes;
     * what: "fence", "connect", "disconnect", or "group" and its name.
     * pmixd_answer_data() ends it. */
    void (*fence)(void *arg, struct pmixd_call *c, uint64_t job,
                  const char *what, const char *ranks, const void *data,
                  size_t bytes);

    /* A local task wants what a remote one has put; pmixd_answer_data(). */
    void (*modex)(void *arg, struct pmixd_call *c, uint64_t job,
                  uint32_t rank);

    /* Answered by pmixd_answer(). */
    void (*publish)(void *arg, struct pmixd_call *c, uint64_t job,
                    uint32_t rank, const struct pmixd_item *items, size_t n,
                    bool first_read_only, const char *range);
    void (*unpublish)(void *arg, struct pmixd_call *c, uint64_t job,
                      uint32_t rank, char *const *keys);

    /* Answered by pmixd_answer_lookup(). timeout_ns 0: none. */
    void (*lookup)(void *arg, struct pmixd_call *c, uint64_t job,
                   char *const *keys, bool wait, uint64_t timeout_ns);

    /* The answer to pmixd_fetch(). */
    void (*fetched)(void *arg, uint64_t job, uint64_t ticket,
                    uint32_t to_node, int status, const void *data,
                    size_t bytes);
};

/* "4.2.2" of the library; known before it is started. */
const char *pmixd_version(void);

/* Start the server: takes some 20 ms. Its files go below site_dir(). wait_ns:
 * how long the library may take for an answer. */
struct pmixd *pmixd_open(struct event_base *base, const char *node,
                         const struct site *site, uint64_t wait_ns,
                         const struct pmixd_ops *ops, void *arg,
                         struct err *err);
void pmixd_close(struct pmixd *p);      /* NULL is fine */

/* Torn: a task died while it was connecting, and what the library keeps of
 * its job is left to the end of the process; other jobs go on. Stuck: it does
 * not answer any more, no job can be registered. Only a new process mends
 * either. NULL is sound. */
enum pmixd_health { PMIXD_SOUND, PMIXD_TORN, PMIXD_STUCK };
enum pmixd_health pmixd_health(const struct pmixd *p);

/* Tell PMIx of a job; ops->registered answers, unless it is stuck. job_dir is
 * where its tasks' own directories are, one a local rank, named by the rank. */
int pmixd_register(struct pmixd *p, const struct plan *plan,
                   const char *job_dir, struct err *err);
/* torn: a task of it died while it was connecting, or in a fence: pmix.c. */
void pmixd_deregister(struct pmixd *p, uint64_t job, bool torn);
/* A job whose tasks are moved has several namespaces for a while, of which the
 * latest is meant wherever it is not said: all others go. */
void pmixd_keep_only(struct pmixd *p, uint64_t job, uint32_t serial);

/* Add to a task's environment what its PMIx client needs. */
int pmixd_setup_env(struct pmixd *p, uint64_t job, uint32_t rank,
                    struct env *env, struct err *err);

/* Hand over now what the library has said so far. */
void pmixd_drain(struct pmixd *p);

void pmixd_answer(struct pmixd_call *c, int status);
void pmixd_answer_data(struct pmixd_call *c, int status, const void *data,
                       size_t bytes);
void pmixd_answer_lookup(struct pmixd_call *c, int status,
                         const struct pmixd_item *items, size_t n);

/* What has the local task rank put? ops->fetched answers, when it has. */
int pmixd_fetch(struct pmixd *p, uint64_t job, uint32_t rank,
                uint64_t ticket, uint32_t to_node, struct err *err);

#endif
