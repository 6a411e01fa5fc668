/* nodes.h - is it a node that has become slow, with all its tasks? */
#ifndef HCT_SLOW_NODES_H
#define HCT_SLOW_NODES_H

#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/slow/odd.h"

/* Are those that are slow all tasks of one node, and not all of the job's?
 * Half of these at least, and the others are on the way: then they are, too.
 * Its number, or 0. worst: of what odd_judge() has found just now. */
uint32_t nodes_slow(struct speed *s, const struct hct_snapshot *in,
                    const struct odd_task *worst);

#endif
