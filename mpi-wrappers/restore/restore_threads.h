/* restore_threads.h - the last step: threads, and what the kernel keeps for
 * them and for the process. Nothing can go back from here. */
#ifndef HECTOR_RESTORE_THREADS_H
#define HECTOR_RESTORE_THREADS_H

#include "mpi-wrappers/restore/restore.h"

/* brk, arguments, the program's file; the umask, handlers, limits, the
 * directory. */
void restore_threads_prepare(struct restore *r);

/* Makes all threads; this one becomes the first. */
void restore_threads_begin(struct restore *r) __attribute__((noreturn));

#endif
