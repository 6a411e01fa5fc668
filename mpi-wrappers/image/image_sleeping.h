/* image_sleeping.h - a thread that is stopped while it is in the C library: asleep in a
 * system call, where it shall sleep on afterwards unless something has woken it
 * meanwhile; or half way through a function, which may have the thread's number in a
 * register. */
#ifndef HECTOR_IMAGE_SLEEPING_H
#define HECTOR_IMAGE_SLEEPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "mpi-wrappers/image/image.h"

struct image_sleeping {
    long call;                  /* its number; -1: it does not sleep */
    uint64_t sp, pc;            /* where */
};

/* What /proc says of the thread, which has not heard our signal yet. */
struct image_sleeping image_sleeping_read(int tid);

/* In the handler of that signal, when its thread goes on, with all signals
 * blocked. */
void image_sleeping_settle(const struct image_sleeping *s, ucontext_t *u);

/* Before that, in a process where the thread has another number than it had. */
void image_sleeping_renumber(const struct image_sleeping *s, ucontext_t *u, int was,
                             int is);

/* Does it wait for a mutex that knows who has it, with a number that much else may be?
 * In a container the first processes have some. */
bool image_sleeping_is_doubtful(const struct image_sleeping *s, const ucontext_t *u,
                                int number);

/* Is it in that text, and not in a system call? */
bool image_sleeping_is_half(const ucontext_t *u, const struct image_range *text,
                            size_t n);

#endif
