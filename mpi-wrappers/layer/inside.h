/* inside.h - the Open MPI that does the work, in a namespace of its own.
 *
 * It is loaded with the first call that needs it, with its own C library, PMIx
 * and threads, and sees nothing of the program but what is handed to it. */
#ifndef HECTOR_LAYER_INSIDE_H
#define HECTOR_LAYER_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi-wrappers/table/calls.h"

typedef void inside_f(void);

/* Its PMPI_ functions; NULL until they are asked for. */
extern inside_f *_Atomic inside_table[CALL_END];

/* This thread is known there. */
extern _Thread_local bool inside_thread
    __attribute__((tls_model("initial-exec")));

/* Load it if need be, make this thread known, and find this function; NULL if
 * there is no such one. Does not return where there is no Open MPI to load: the
 * program cannot go on. */
inside_f *inside_find(unsigned call);

/* Any symbol of it, NULL if there is none. */
void *inside_symbol(const char *name);

/* What it sees as its environment from now on: a copy, which it may change. */
void inside_environ(char **variables);

static inline inside_f *inside_get(unsigned call)
{
    inside_f *f = atomic_load_explicit(&inside_table[call],
                                       memory_order_relaxed);

    return __builtin_expect(f && inside_thread, 1) ? f : inside_find(call);
}

#endif
