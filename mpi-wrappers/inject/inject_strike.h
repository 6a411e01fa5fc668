/* inject_strike.h - the inside of the injector: the faults themselves, and
 * how one strikes when the program has left MPI. */
#ifndef HECTOR_INJECT_STRIKE_H
#define HECTOR_INJECT_STRIKE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/inject/inject.h"

/* Do it. Comes back or not, as the fault is. */
void inject_fault(const struct inject_rule *r);

/* Poll for ever, through the program's own MPI functions: for a message
 * (probe) or with a request (spin) that will never be there. */
void inject_poll(bool probe);

/* When the outermost call that this thread is in has returned to the program,
 * run strike(arg) there, on top of the function that made the call: no
 * function of MPI or of ours is then on the stack below it. recorder: an
 * address in libhector.so, or NULL. False: it cannot be done here. */
bool inject_return_arm(const void *recorder, void (*strike)(void *), void *arg);

#endif
