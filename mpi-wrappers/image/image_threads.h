/* image_threads.h - stops all threads but the caller's, and lets them go on.
 *
 *            stop()                     go_on()
 *   running --------> parked ---------------------------> running
 *                       |  image                             ^
 *                       v                                    | go_on()
 *                    (restored) --> back in the handler ------
 *
 * A parked thread is in the handler of a signal that the C library never lets a
 * thread block, so all its registers are in the frame of the signal. Its handler
 * is there only while threads are being stopped. Calls come from one thread, with
 * all signals blocked, and in this order. */
#ifndef HECTOR_IMAGE_THREADS_H
#define HECTOR_IMAGE_THREADS_H

#include "mpi-wrappers/image/image_tables.h"

/* Fills t->threads from the second on, of which room is for t->thread_room;
 * head->nthreads counts them all. Then nothing runs but the caller, until
 * image_threads_go_on(). IMAGE_THREAD: one did not stop in time, and all go on;
 * IMAGE_MEMORY: there are more than fit, and all go on. */
enum image_reason image_threads_stop(struct image_tables *t);

/* How many there are, the caller too. */
size_t image_threads_count(void);

void image_threads_go_on(void);

/* In a restored process: until all other threads are in our code again. */
void image_threads_wait_back(void);

#endif
