/* image_context.h - where a thread goes on, and what else is the thread's. */
#ifndef HECTOR_IMAGE_CONTEXT_H
#define HECTOR_IMAGE_CONTEXT_H

#include "mpi-wrappers/image/format.h"

/* As setjmp(3): 0 at once, 1 when a restored thread goes on here. What changes
 * between the two in memory is in the image as it is written, so the caller has
 * nothing in its own variables that has to be the same. */
int image_context_save(struct image_context *c)
    __attribute__((returns_twice));

/* All of the calling thread but its context and pending signals. Returns 0, or
 * what the kernel says that it cannot. */
long image_context_thread(struct image_thread *t);

/* The frame's way back from a handler: what sa_restorer has to be. */
void image_context_sigreturn(void);

#endif
