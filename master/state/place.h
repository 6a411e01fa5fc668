/* place.h - which rank goes to which host. Pure: no I/O, no clock.
 *
 * By slot (block) fills one host before the next, by node (cyclic) deals
 * ranks out in turn. When there are more tasks than slots the slots are
 * handed out again, so load stays in proportion to them; per_node is a limit
 * that is never passed. */
#ifndef HECTOR_PLACE_H
#define HECTOR_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct place_host {
    uint32_t slots;             /* at least 1 */
    uint32_t used;              /* of them by other jobs */
};

struct place_wish {
    uint32_t ntasks;
    bool by_node;
    uint32_t per_node;          /* 0: no limit */
};

/* Fill host_of[0..ntasks-1] with indexes of hosts, and count[0..nhosts-1]
 * with the tasks of each. -1 if the tasks cannot be placed at all. */
int place_tasks(const struct place_wish *wish, const struct place_host *hosts,
                size_t nhosts, uint32_t *host_of, uint32_t *count,
                struct err *err);

#endif
