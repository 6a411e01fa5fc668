/* loops.h - which of two tasks is behind, where both are in the same loop: PDI
 * leaves that undefined, as each comes to where the other is. The idea is
 * Prodometer's (PLDI 2014): who has begun fewer iterations is behind; in the
 * same iteration, who is in front of the other where nothing goes back to the
 * head of the loop; and so on in the loops inside of it.
 *
 * The head of a loop is where it is entered. Graphs are those of rows.h, two
 * states for each of the program: loops are entered by calls. */
#ifndef HCT_LOOPS_H
#define HCT_LOOPS_H

#include "policies/progress/reach.h"

enum { LOOPS_DEEP = 8, LOOPS_STATES = 2048 };

struct loops {
    struct reach_graph g;       /* of all tasks together */
    uint64_t cut[REACH_SET(LOOPS_STATES)];      /* heads: nothing comes there */
    uint64_t from[REACH_SET(LOOPS_STATES)], to[REACH_SET(LOOPS_STATES)];
    uint32_t queue[LOOPS_STATES];
};

/* How often has that task begun the call that is this state? */
typedef uint64_t loops_entered_f(void *arg, uint32_t task, uint32_t state);
struct loops_task { uint32_t task, at; };

enum loops_order { LOOPS_UNKNOWN, LOOPS_BEHIND, LOOPS_AHEAD };

/* Is a behind b, or ahead of it? Unknown: they are in no loop together, or one
 * of them has never been at its head. g has at most LOOPS_STATES states. */
enum loops_order loops_order(struct loops *l, struct loops_task a,
                             struct loops_task b, loops_entered_f *entered,
                             void *arg);

#endif
