/* restore_start.h - what only the machine's own language can say. */
#ifndef HECTOR_RESTORE_START_H
#define HECTOR_RESTORE_START_H

#include "mpi-wrappers/restore/restore.h"

enum { RESTORE_STACK = 256 << 10 };

/* Calls f(r) on the stack that ends at top; f is where the copy has it. */
void restore_start_on(void *top, struct restore *r, uint64_t f)
    __attribute__((noreturn));

/* Goes on where the context was saved, with 1 as its result. */
void restore_start_jump(const struct image_context *c)
    __attribute__((noreturn));

/* clone(2): a thread on the stack of *t, below what is in use of it, which does
 * restore_threads_one(t). Its number, or negative. */
long restore_start_thread(uint64_t flags, const struct image_thread *t);

/* clone(2): a thread that does f(arg), which does not return, on the stack that
 * ends at top; its number is in *number as long as it lives. The same number, or
 * negative. */
long restore_start_helper(uint64_t flags, char *top, _Atomic uint32_t *number,
                          void (*f)(void *), void *arg);

/* What these call: the program, with the kernel's words on the stack. */
void restore_main(const long *words) __attribute__((noreturn));
void restore_threads_one(const struct image_thread *t)
    __attribute__((noreturn));

#endif
