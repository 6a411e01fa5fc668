/* fence.h - fences of PMIx across nodes. Pure: no I/O, no clock.
 *
 * Each node that has a participant contributes once; when all have, the
 * parts are joined in the order of the nodes and everyone gets the whole. A
 * fence is named by its job and its signature, which no other fence of the job
 * ever has: the list of participants and how many times they have met.
 *
 * A fence breaks, and completes with an error, when a node that takes part
 * is lost or has no task left that could arrive, or when the whole would not
 * fit into a message. */
#ifndef HECTOR_FENCE_H
#define HECTOR_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/err.h"

struct fence_part {
    uint32_t node;              /* index in the job */
    bool arrived;
    uint8_t *data;              /* owned */
    size_t bytes;
};

struct fence {
    LIST_ENTRY(fence) place;    /* owned by the set while it is in it */
    uint64_t job, hash;
    uint8_t *signature;         /* owned */
    size_t signature_bytes;
    struct fence_part *parts;   /* owned; ascending nodes */
    size_t nparts, narrived;
    size_t bytes;               /* of all parts */
    bool broken;
};

LIST_HEAD(fences, fence);
enum { FENCE_BUCKETS = 256 };
struct fence_set {              /* {0} is the empty set */
    struct fences bucket[FENCE_BUCKETS];
    size_t max_bytes;           /* of a whole; 0: no limit */
    struct fences kept;         /* over, the newest first */
};
void fence_set_fini(struct fence_set *set);

struct fence_arrival {
    uint64_t job;
    uint32_t node;              /* who brings it */
    const uint8_t *signature, *data;
    size_t signature_bytes, data_bytes;
    const uint32_t *nodes;      /* who must take part, ascending */
    size_t nnodes;
};

/* Take a contribution (copied). *done is the fence if it is complete or
 * broken by it, now the caller's, else NULL. One that has come before is
 * passed over: who has lost its link sends it again. -1: the contribution makes
 * no sense (not a participant, other participants than before) or memory ran
 * out; the set is as it was. */
int fence_arrive(struct fence_set *set, const struct fence_arrival *a,
                 struct fence **done, struct err *err);

/* Take out a fence of the job that node breaks, NULL if there is none (any
 * more). arrived_too: also where its part has arrived (the node is lost),
 * else only where it is still missing (its tasks have ended). */
struct fence *fence_take_broken(struct fence_set *set, uint64_t job,
                                uint32_t node, bool arrived_too);

/* Give a fence back that is over, for those who ask once more: fence_kept()
 * finds it, NULL if it is too old. Of each job the newest few are kept. */
enum { FENCE_KEPT = 16 };
void fence_keep(struct fence_set *set, struct fence *f);
const struct fence *fence_kept(const struct fence_set *set,
                               const struct fence_arrival *a);

void fence_drop_job(struct fence_set *set, uint64_t job);

/* All parts behind each other, malloc()ed; NULL if memory runs out. */
uint8_t *fence_join(const struct fence *f, size_t *bytes);
void fence_destroy(struct fence *f);

#endif
