/* pages.h - what a look at the tasks of a model shows: a snapshot as policies
 * get it. Pages are read one after the other, while the tasks go on. */
#ifndef HECTOR_SIM_PAGES_H
#define HECTOR_SIM_PAGES_H

#include "tests/sim/world.h"

enum { PAGES_REQUESTS = PROGRAM_SLOTS,
       PAGES_COMMS = PROGRAM_COMMS + WORLD_FREED };

struct pages {
    struct hct_job job;
    struct hct_snapshot in;     /* its arrays are those below */
    bool accounted;             /* messages are */
    bool limits;                /* ... and is it known what is sent at once? */
    uint32_t level;
    bool alone;                 /* it can be seen whether other threads sleep */
    uint32_t lost, bare;        /* of these tasks requests found no room; there
                                   is no page of those, but their stacks */
    uint32_t absent;            /* not read this time */
    uint64_t chance;            /* its own: to be looked at changes no world */
    struct hct_rank rank[PROGRAM_TASKS], known[PROGRAM_TASKS];
    uint64_t since_ns[PROGRAM_TASKS];
    uint32_t nrequests[PROGRAM_TASKS], ncomms[PROGRAM_TASKS],
             nflights[PROGRAM_TASKS], npairs[PROGRAM_TASKS],
             naccounts[PROGRAM_TASKS];
    struct hct_request request[PROGRAM_TASKS][PAGES_REQUESTS];
    struct hct_comm comm[PROGRAM_TASKS][PAGES_COMMS];
    struct hct_flight flight[PROGRAM_TASKS][WORLD_FLIGHTS];
    struct hct_pair pair[PROGRAM_TASKS][PROGRAM_TASKS];
    struct hct_account account[PROGRAM_TASKS][1];
    struct hct_request requests[PROGRAM_TASKS * PAGES_REQUESTS];
    struct hct_comm comms[PROGRAM_TASKS * PAGES_COMMS];
    struct hct_flight flights[PROGRAM_TASKS * WORLD_FLIGHTS];
    struct hct_pair pairs[PROGRAM_TASKS * PROGRAM_TASKS];
    struct hct_account accounts[PROGRAM_TASKS];
};

/* level: enum hct_level; 0: any. */
void pages_init(struct pages *p, uint32_t n, uint32_t level, uint64_t *chance);

/* The page of one task, as it is now. What of it is read later does not fit if
 * the task has moved since, and then the page says so. */
void pages_read(struct pages *p, const struct world *w, uint32_t task);
void pages_read_detail(struct pages *p, const struct world *w, uint32_t task);

/* All have been read: p->in is the look. */
void pages_end(struct pages *p, uint64_t now_ns);

#endif
