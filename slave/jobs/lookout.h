/* lookout.h - answers the master's orders to look at the tasks of a job: once,
 * or several times at an interval, told in one message.
 *
 * A series goes along with readings of the rings, which come when a look is due.
 * One series a job; a new order ends it. */
#ifndef HECTOR_LOOKOUT_H
#define HECTOR_LOOKOUT_H

#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"

struct lookout;
struct node;
struct taskwalk;

enum { LOOKOUT_MAX = 64 };      /* looks of a series */

/* Both are borrowed. */
struct lookout *lookout_create(struct node *node, const struct taskwalk *jobs);
void lookout_destroy(struct lookout *lo);       /* NULL is fine */

void lookout_order(struct lookout *lo, const Hct__Look *m);

/* The rings have been read: looks that are due are taken now. */
void lookout_tick(struct lookout *lo);

/* When the next look is due: in ns from now; UINT64_MAX: there is none. */
uint64_t lookout_due(const struct lookout *lo);

#endif
