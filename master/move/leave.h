/* leave.h - where the tasks of a job go that have to leave a node. Pure. */
#ifndef HECTOR_LEAVE_H
#define HECTOR_LEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct leave_host {
    uint32_t cpus;              /* at least 1 */
    uint32_t used;              /* by whatever job, or soon */
};

/* Fill host_of[0..ntasks-1] with indexes of hosts: the one with the most free
 * processors gets as many as these, then the next one. When there are none left
 * they are handed out again (place.h), for jobs that do not mind (crowds); for
 * others that is -1: there is no room. */
int leave_plan(const struct leave_host *hosts, size_t nhosts, uint32_t ntasks,
               bool crowds, uint32_t *host_of, struct err *err);

#endif
