/* nodes.h - the tasks of a job by where they are: those at the same point are
 * one node of the graph that says who waits for whom (PDI, section 2.1).
 *
 * The same point is the same place in the program, inside or outside of MPI,
 * in the same collective call of the same communicator; and of those who wait
 * for nobody, as often there. */
#ifndef HCT_NODES_H
#define HCT_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/progress/least.h"

enum { NODES_MAX = LEAST_NODES, NODES_NONE = 255 };
#define NODES_NOWHERE UINT32_MAX

enum nodes_stage { NODES_STARTED, NODES_INIT, NODES_RUNNING, NODES_FINALIZE };

/* What is known of a task besides its struct hct_rank. */
struct nodes_task {
    uint32_t state;             /* of all tasks' numbering, where it is or was
                                   last; or NODES_NOWHERE */
    uint8_t node;               /* NODES_NONE: it has ended, or is not seen */
    uint8_t place;              /* as in hct_snapshot.at */
    uint64_t entered;           /* how often it has been in that state */
};

struct node {
    uint32_t first, ntasks;     /* first: the lowest rank */
    uint32_t state, call;
    uint8_t stage;              /* enum nodes_stage */
    bool in;                    /* in the call, else behind it */
    bool asleep;                /* in it, and does not look for messages */
    bool waits;                 /* in MPI, for others */
    bool any;                   /* ... for a message of anybody */
    uint64_t comm, collective;  /* of the call that it waits or sleeps in */
    uint64_t entered;           /* 0 of those who wait */
};

/* Who waits for whom: bit b of edge[why][a], by enum hct_decided. */
struct nodes {
    uint32_t n, unseen;         /* unseen: tasks that nothing is known of */
    struct node node[NODES_MAX];
    uint64_t edge[HCT_DECIDED_MODEL + 1][NODES_MAX];
    uint64_t unsure[NODES_MAX]; /* one of both for the other, both have the
                                   bit */
};

/* Does it wait in MPI for others, as far as its call tells? One that asks in a
 * loop does. */
bool nodes_waits(const struct hct_snapshot *in, const struct hct_rank *k);

/* Does it sleep in MPI until a signal comes? MPI polls. */
bool nodes_asleep(const struct hct_rank *k);

/* t has an entry for each rank; of those state and entered are given. More
 * points than there is room for are taken together, those that are alike
 * first. */
void nodes_make(struct nodes *g, struct nodes_task *t,
                const struct hct_snapshot *in);

static inline void nodes_edge(struct nodes *g, enum hct_decided why, uint32_t a,
                              uint32_t b)
{
    if (a < g->n && b < g->n && a != b)
        g->edge[why][a] |= (uint64_t)1 << b;
}

#endif
