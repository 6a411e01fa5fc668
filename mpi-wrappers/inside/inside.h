/* inside.h - the Open MPI that does the work, in a namespace of its own.
 *
 * It is loaded with the first call that needs it, with its own C library, PMIx
 * and threads, and sees nothing of the program but what is handed to it. */
#ifndef HECTOR_INSIDE_H
#define HECTOR_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/table/calls.h"

typedef void inside_f(void);

/* Its PMPI_ functions; NULL until they are asked for. */
extern inside_f *_Atomic inside_table[CALL_END];

/* The one that is loaded now or next, from 1, and the one that this thread is
 * known to. */
extern _Atomic uint32_t inside_age;
extern _Thread_local uint32_t inside_thread
    __attribute__((tls_model("initial-exec")));

/* Load it if need be, make this thread known, and find this function; NULL if
 * there is no such one. Does not return where there is no Open MPI to load: the
 * program cannot go on. */
inside_f *inside_find(unsigned call);

/* Any symbol of it, NULL if there is none. */
void *inside_symbol(const char *name);

/* What it sees as its environment from now on: a copy, which it may change. */
void inside_environ(char **variables);

/* Is this code or data of it? */
bool inside_owns(const void *address);

/* So many bytes are there at least, of a block that it has allocated. */
size_t inside_bytes(void *block);

/* After MPI_Finalize, with no thread in it: it goes, with its threads, memory and
 * descriptors. The next call loads another one. -1: something that it has loaded
 * stays, and so does all of it, unused. */
int inside_drop(void);

static inline inside_f *inside_get(unsigned call)
{
    inside_f *f = atomic_load_explicit(&inside_table[call],
                                       memory_order_relaxed);

    return __builtin_expect(f && inside_thread == atomic_load_explicit(
                                &inside_age, memory_order_relaxed), 1)
           ? f : inside_find(call);
}

#endif
