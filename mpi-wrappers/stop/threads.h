/* threads.h - a task of which several threads may call MPI: MPI_THREAD_SERIALIZED
 * and MPI_THREAD_MULTIPLE.
 *
 * Each of them has a place in the page, where it says what it does. None is
 * interrupted. One thread of our own brings the task to stand: it closes the way
 * into MPI, waits until who is inside is where it may stand, and does what the
 * word in the page says meanwhile. Threads outside MPI go on with what they do
 * until they call it. */
#ifndef HECTOR_STOP_THREADS_H
#define HECTOR_STOP_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"

/* Where this thread says what it does. */
struct page_stop_thread *threads_self(void);
/* Is it the one that has initialized MPI? */
bool threads_is_first(void);

/* After MPI_Init_thread: this is the first one. obey() is called by the thread of
 * our own, again and again while all stand, with the word that the page has;
 * begins: for the first time of a stop. At its end with PAGE_STOP_RUN. 0; or -1:
 * that thread cannot be made, and the task not be brought to stand. */
int threads_begin(void (*obey)(uint32_t word, bool begins));
void threads_end(void);
/* That thread gets the signal of the page. */
uint32_t threads_tid(void);

/* A call begins and ends: outermost ones wait while the way is closed. what is
 * said of it (enum page_stop_where), and returned what was said before. */
uint32_t threads_enter(uint32_t what);
void threads_leave(uint32_t before);
/* A number of this thread's place grows. */
void threads_count(_Atomic uint64_t *number);
/* Here it may stand, and does as long as it is told to. */
void threads_stand(void);

/* This process was made of an image: threads have other numbers. */
void threads_born(void);

/* For what all threads share, and no call of MPI inside. */
void threads_lock(void);
void threads_unlock(void);

#endif
