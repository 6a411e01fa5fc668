/* glance.h - where tasks with a page are while they are outside of MPI, from
 * their stacks: have they been there before?
 *
 * Of tasks that compute a stack is looked at now and then, and when a task has
 * come back to MPI it counts as a place that is known (spots.h). Of one that has
 * stood for a second it is looked at again and again, whether its place is
 * among those. Only tasks are stopped that use the processor, or whose sleep
 * goes on behind it as if nothing had been, and only by ptrace, for some
 * microseconds. */
#ifndef HECTOR_GLANCE_H
#define HECTOR_GLANCE_H

#include <stdint.h>

#include "slave/stacks/spots.h"

enum { GLANCE_KEPT = 4 };       /* stacks of a stay; later ones take the place
                                   of the last */

struct glanced {                /* of a task; {0}: nothing is known */
    uint64_t stay;              /* outside of MPI: in ticks, since when */
    uint32_t been;              /* enum hct_been */
    char place[SPOT_NAME];
    struct spot_stack *kept;    /* owned: GLANCE_KEPT of them, or NULL */
    uint32_t nkept;
    uint64_t next_ns;           /* not looked at before */
};

struct glance;
struct node;
struct taskwalk;

/* Both are borrowed. */
struct glance *glance_create(struct node *node, const struct taskwalk *jobs);
void glance_destroy(struct glance *g);  /* NULL is fine */

/* The job was looked at: begin if anything is wanted and due. */
void glance_at(struct glance *g, uint64_t job);

#endif
