/* polled.h - many requests that are asked for again and again: MPI_Testany and
 * the like over an array. Their marks stay in the page between the calls, so
 * that a call costs what has changed since the last one, and a comparison of
 * the array with what it was.
 *
 * Invariants: a place that is not REQUEST_NOWHERE is marked, was found under
 * the handle at the same index of raw, and counted in known. A set belongs to
 * one thread, but for stale. */
#ifndef HECTOR_POLLED_H
#define HECTOR_POLLED_H

#include "mpi-wrappers/handles/request_table.h"

/* Is this such a call, and is there a set for the thread? It is w's then. */
bool polled_fits(struct request_wait *w, const struct about *a);

/* As request_wait() and request_waited(). */
uint32_t polled_enter(struct polled *p, struct page_shared *s,
                      const struct about *a, unsigned waiter,
                      struct request *first);
void polled_leave(struct polled *p, struct page_shared *s,
                  const struct about *a, bool ok);

/* If who is a set: somebody has taken one of its requests over. */
void polled_disturb(const void *who);

/* The thread ends. s may be NULL. */
void polled_free(struct polled *p, struct page_shared *s);

#endif
