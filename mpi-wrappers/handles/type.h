/* type.h - how large datatypes are, remembered.
 *
 * MPI is asked about a type only after it has accepted it in a call, so a
 * wrong one is MPI's to complain about; or if it is MPI's own. Found without a
 * lock. */
#ifndef HECTOR_TYPE_H
#define HECTOR_TYPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TYPE_KEPT = 512, TYPE_NEAR = 4, TYPE_UNKNOWN = -1 };

struct type { _Atomic uintptr_t key; _Atomic int64_t bytes; };
extern struct type type_table[TYPE_KEPT];

/* A type is in one of so many places, of which this is the first. */
static inline struct type *type_place(uintptr_t key)
{
    return &type_table[(uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) %
                       (TYPE_KEPT - TYPE_NEAR + 1)];
}

/* Of one element; TYPE_UNKNOWN if it was not asked for yet. Fortran's handles
 * make keys of their own. */
static inline int64_t type_find(uintptr_t key)
{
    struct type *t = type_place(key), *end = t + TYPE_NEAR;
    int64_t bytes;

    while (atomic_load_explicit(&t->key, memory_order_acquire) != key)
        if (++t == end)
            return TYPE_UNKNOWN;
    bytes = atomic_load_explicit(&t->bytes, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&t->key, memory_order_relaxed) == key
           ? bytes : TYPE_UNKNOWN;
}

/* After MPI_Init: know those of Open MPI's own that programs use, in C and in
 * Fortran, so that of the first message, too, it is known how large it is. They
 * stay known. */
void type_start(void);

/* Ask, and remember; 0 if MPI does not know. */
int64_t type_ask(uintptr_t key, bool fortran);

/* A type is freed: its handle may come back as another one's. */
void type_forget(void);

#endif
