/* rows.h - who waits for whom by the models of the tasks alone (PDI, section
 * 3.2 and figure 5): what each task says by its own graph of its own state and
 * of those that others are in, and the union of all that.
 *
 * Of each structure of graph the answers for all pairs of states that tasks
 * are in are kept: most tasks share them. A state of the program is two of the
 * graph, inside of its call of MPI and in the computation behind it (2.2, step
 * 1).
 *
 * Works on plain arrays, wherever the models are. */
#ifndef HCT_ROWS_H
#define HCT_ROWS_H

#include "policies/progress/dependence.h"
#include "policies/smm/dictionary.h"

enum {
    ROWS_OCCUPIED = 64,         /* states that tasks are in, at most */
    ROWS_KEPT = 64,             /* structures */
    ROWS_STATES = 2 * DICTIONARY_STATES,
    ROWS_EDGES = DICTIONARY_STATES + DICTIONARY_STEPS,
};

static inline uint32_t rows_state(uint32_t state, bool in)
{
    return 2 * state + !in;
}

/* Room to make one of a structure. */
struct rows_room {
    struct reach_edge edge[ROWS_EDGES];
    uint32_t words[REACH_WORDS(ROWS_STATES, ROWS_EDGES)];
    uint32_t queue[ROWS_STATES];
    uint64_t can[REACH_SET(ROWS_STATES)], always[REACH_SET(ROWS_STATES)];
};

struct rows {
    uint32_t nstates;           /* of the program */
    uint32_t n, at[ROWS_OCCUPIED];      /* states of the graph, all different */
    uint8_t is[ROWS_OCCUPIED][ROWS_OCCUPIED];   /* enum dependence */
    uint32_t nkept;
    uint64_t key[ROWS_KEPT];
    uint8_t kept[ROWS_KEPT][ROWS_OCCUPIED][ROWS_OCCUPIED];
    struct rows_room room;
};

/* Tasks are in these states, at most ROWS_OCCUPIED. */
void rows_begin(struct rows *r, uint32_t nstates, const uint32_t *at,
                uint32_t n);

/* A task whose model has these steps, in whatever order, and no other ones, is
 * in state at[here]: what it says is added to is, as a union (PDI, table 2).
 * At most DICTIONARY_STEPS. */
void rows_task(struct rows *r, const struct reach_edge *step, uint32_t nsteps,
               uint32_t here);

#endif
