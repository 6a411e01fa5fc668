/* image_sleeping.h - a thread that is stopped while it sleeps in a system call:
 * afterwards it shall sleep on, unless something has woken it meanwhile. */
#ifndef HECTOR_IMAGE_SLEEPING_H
#define HECTOR_IMAGE_SLEEPING_H

#include <stdint.h>
#include <ucontext.h>

struct image_sleeping {
    long call;                  /* its number; -1: it does not sleep */
    uint64_t sp, pc;            /* where */
};

/* What /proc says of the thread, which has not heard our signal yet. */
struct image_sleeping image_sleeping_read(int tid);

/* In the handler of that signal, when its thread goes on, with all signals
 * blocked. */
void image_sleeping_settle(const struct image_sleeping *s, ucontext_t *u);

#endif
