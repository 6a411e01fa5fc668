/* real.h - the function that a wrapper stands in front of.
 *
 * Looked up when it is first called: in the libraries behind ours, so another
 * tool that was preloaded gets its turn, else in an MPI library that came
 * later and privately (an interpreter's module). Nothing of MPI is needed to
 * load us, so we are harmless in a program that has none. */
#ifndef HECTOR_REAL_H
#define HECTOR_REAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "mpi-wrappers/table/calls.h"

enum real_kind {
    REAL_C,                     /* MPI_Send */
    REAL_LARGE,                 /* MPI_Send_c: counts are MPI_Count */
    REAL_F,                     /* mpi_send_ */
    REAL_F_CPTR,                /* mpi_alloc_mem_cptr_ */
    REAL_F08,                   /* mpi_send_f08_ */
    REAL_P,                     /* PMPI_Send: nobody else sees the call */
    REAL_KINDS
};
typedef void real_f(void);

/* Filled by real_find() only, and by tests. */
extern real_f *_Atomic real_table[REAL_KINDS][CALL_END];

/* NULL if no library has it. errno is left alone. */
real_f *real_find(enum real_kind kind, unsigned call);

/* The same for any function of an MPI library; slow, and nothing is kept. */
real_f *real_symbol(const char *name);

static inline real_f *real_get(enum real_kind kind, unsigned call)
{
    real_f *f = atomic_load_explicit(&real_table[kind][call],
                                     memory_order_relaxed);

    return __builtin_expect(f != NULL, 1) ? f : real_find(kind, call);
}

#endif
