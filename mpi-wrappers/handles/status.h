/* status.h - statuses: of a receive of anybody, or of any tag, only its status
 * says which message it has taken. Where a program wants none, MPI fills in one
 * of the wrapper's own, which is as large as that of either kind of MPI.
 *
 * Functions that end several requests get such an array only once the program
 * has made a request that is open in this sense, and for STATUS_MANY requests at
 * most. */
#ifndef HECTOR_STATUS_H
#define HECTOR_STATUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/handles/handle.h"
#include "mpi-wrappers/table/about.h"

enum { STATUS_INTS = 6, STATUS_MANY = 64 };

/* Calls are recorded, and the kind of MPI is known. */
extern atomic_bool status_known;
/* The program has made a request that is open. */
extern atomic_bool status_open;

/* In a wrapper, of which most need none of these. */
#define STATUS_OWN                                                        \
    __attribute__((unused)) _Alignas(8) int own[STATUS_INTS],             \
        owns[STATUS_INTS * STATUS_MANY]

/* given, or own where the program wants none. */
static inline void *status_one(void *given, int *own)
{
    return (uintptr_t)given == handle_flavor.status_ignore &&
           atomic_load_explicit(&status_known, memory_order_relaxed) ? own : given;
}

static inline void *status_many(void *given, int64_t n, int *own)
{
    return n > 0 && n <= STATUS_MANY &&
           atomic_load_explicit(&status_open, memory_order_relaxed)
           ? status_one(given, own) : given;
}

/* A wait or test is over: was the request at this index finished? */
bool status_is_over(const struct about *a, int32_t i);
/* Its status; NULL: there is none. */
const int *status_at(const struct about *a, int32_t i);

#endif
