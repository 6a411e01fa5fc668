/* threads.h - the threads of a process beside some of them: can any of these go
 * on before one of those wakes it?
 *
 * A thread that sleeps in futex(2) without an end, on memory that no other
 * process shares, goes on only if another thread of the same process wakes it
 * (or a thread ends, or a signal is handled): a worker of OpenMP between two
 * parallel regions, one that joins another one, who waits for a mutex, a
 * condition, a semaphore. If at one moment all threads of a process sleep like
 * this but some, none of them does anything until one of those wakes another. */
#ifndef HECTOR_THREADS_H
#define HECTOR_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpi-wrappers/page.h"

struct threads_but {            /* who is not asked about */
    pid_t tid[PAGE_SLOTS];      /* those that the question is about */
    unsigned n;
    const struct page_header *page;     /* those that belong to MPI (crew) */
    uint64_t signals;           /* handled by who wakes nobody; the lowest bit is
                                   that of signal 1 */
};

/* Was there a moment since this was called, at which all other threads of the
 * process slept like that, and nothing that the process has asked for can come
 * as a signal and wake one? False also where that cannot be found out. */
bool threads_asleep(pid_t pid, const struct threads_but *but);

/* Are all its threads MPI's own, but for the first? False also where that is not
 * known. */
bool threads_single(pid_t pid, const struct page_header *page);

/* One that has not ended, of a process whose first thread has, as after
 * pthread_exit(3) in main(); 0: all have, or that is not known. */
pid_t threads_left(pid_t pid);

/* The parts that are not the kernel's; for tests. text of
 * /proc/PID/task/TID/syscall: does it wait like that? shared: if nobody else
 * has the memory at *address. */
bool threads_waits(const char *text, bool *shared, uint64_t *address);
/* text of /proc/PID/status: is a signal handled that a timer, a child or a file
 * may send? */
bool threads_signalled(const char *text, uint64_t but);

#endif
