/* leftover.h - threads that were asked to stop and have not done so in time:
 * whenever they stop after all, they are let go. */
#ifndef HECTOR_LEFTOVER_H
#define HECTOR_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "slave/stacks/halt.h"

struct leftover {               /* {0}: nobody */
    struct halt *v;             /* owned */
    size_t n, cap;
};

void leftover_add(struct leftover *l, struct halt *h);
void leftover_poll(struct leftover *l);         /* after SIGCHLD */
/* False: it is none of them. */
bool leftover_stopped(struct leftover *l, pid_t tid, int status);
void leftover_fini(struct leftover *l);         /* may wait 0.1 s for them */

#endif
