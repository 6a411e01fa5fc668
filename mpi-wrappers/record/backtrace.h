/* backtrace.h - a task tells its own stack when the slave asks for it by a
 * signal: for places where the slave may not use ptrace. */
#ifndef HECTOR_BACKTRACE_H
#define HECTOR_BACKTRACE_H

#include "mpi-wrappers/record/attach.h"

/* Take a real-time signal that nobody uses; without one, or where the page is
 * of an older slave, the task cannot be asked. The calling thread is the one
 * that tells. */
void backtrace_start(const struct attach *a);

#endif
