/* graph.h - the inside of the deadlock proof: conditions of one task's wait,
 * given the set of tasks that are held to be blocked. */
#ifndef HCT_GRAPH_H
#define HCT_GRAPH_H

#include "policies/deadlock.h"

enum { GRAPH_CACHE = 32 };

/* Of one condition. Finished: as far as one can see it was met long ago. */
enum met { FREE, FINISHED, NEVER };

/* Who is missing in one collective call. */
struct missing {
    uint64_t comm, n;
    uint32_t found, expected, missing, held;    /* held: cannot come */
    int32_t first;              /* of those held */
    bool inter, unsure;
};

struct graph {
    const struct hct_snapshot *in;
    struct deadlock_rank *w;
    const struct deadlock_limits *limits;
    struct missing cache[GRAPH_CACHE];
    unsigned ncache;
    /* of the rank that is looked at */
    enum deadlock_why why;
    int32_t to;
};

/* Request or flight i, if there is one and it is of rank r; else NULL. Those
 * of a rank stand in a row, from deadlock_rank.request and .flight on. */
static inline const struct hct_request *request_of(
    const struct hct_snapshot *in, uint32_t i, uint32_t r)
{
    return i < in->nrequests && hct_request(in, i)->rank == r
               ? hct_request(in, i) : NULL;
}

static inline const struct hct_flight *flight_of(
    const struct hct_snapshot *in, uint32_t i, uint32_t r)
{
    return i < in->nflights && hct_flight(in, i)->rank == r
               ? hct_flight(in, i) : NULL;
}

static inline bool held(const struct graph *g, int32_t r)
{
    return r >= 0 && (uint32_t)r < g->in->nranks &&
           g->w[r].state != DEADLOCK_FREE;
}

static inline enum met never(struct graph *g, enum deadlock_why why, int32_t to)
{
    g->why = why;
    g->to = to;
    return NEVER;
}

/* Both sides of a message are there: it is on its way, or through. */
enum met graph_under_way(const struct graph *g, uint32_t a, uint32_t b,
                         uint64_t bytes);

/* r is in collective call n of comm. */
enum met graph_collective(struct graph *g, uint32_t r, uint64_t comm,
                          uint64_t n, uint32_t call, int32_t root);

#endif
