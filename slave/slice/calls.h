/* calls.h - what functions of libraries do with their arguments, and which
 * never come back. */
#ifndef HECTOR_CALLS_H
#define HECTOR_CALLS_H

#include <stdbool.h>

/* One letter for each argument:
 *
 *   v  its value counts            r  what it points to counts
 *   d  it points to data, which is read and decides nothing
 *   w  it points to what is written
 *   q  the same, and what was there before counts: requests
 *
 * Of Fortran's functions, whose arguments are all addresses, v is what an
 * argument points to. */
struct call_about {
    const char *args;           /* NULL: nothing is known */
    bool fortran;
    bool mpi;
};

struct call_about calls_about(const char *name);

/* A call of it does not return. */
bool calls_end(const char *name);

/* It says who a task is, or how many there are. */
bool calls_identify(const char *name);

/* What it gives is the same in all tasks: a number of tasks, the result of a
 * collective that all of them have, or what is computed from what it is given. */
bool calls_alike(const char *name);

/* It receives a message, or asks for one; it sends one. Both have the tag as the
 * fifth argument. */
bool calls_receives(const char *name);
bool calls_sends(const char *name);

/* It says who a task is. */
bool calls_rank(const char *name);

/* It waits for all tasks of a communicator, or of the job. */
bool calls_meets(const char *name);

/* Another task may wait for this call: it sends a message, or is a collective. */
bool calls_awaited(const char *name);

#endif
