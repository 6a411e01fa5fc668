/* latestop.h - threads that were asked to stop and have not done so in time:
 * whenever they stop after all, they are let go. */
#ifndef HECTOR_LATESTOP_H
#define HECTOR_LATESTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "slave/stacks/halt.h"

struct latestop {               /* {0}: nobody */
    struct halt *v;             /* owned */
    size_t n, cap;
};

void latestop_add(struct latestop *l, struct halt *h);
void latestop_poll(struct latestop *l);         /* after SIGCHLD */
/* False: it is none of them. */
bool latestop_stopped(struct latestop *l, pid_t tid, int status);
void latestop_fini(struct latestop *l);         /* may wait 0.1 s for them */

#endif
