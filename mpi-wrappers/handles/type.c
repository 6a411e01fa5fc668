/* type.c - how large datatypes are, see type.h.
 *
 * Invariant: while key stands in an entry, bytes is that type's. Writers are
 * under busy. */
#include "mpi-wrappers/handles/type.h"

#include "mpi-wrappers/handles/handle.h"

struct type type_table[TYPE_KEPT];
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

int64_t type_ask(uintptr_t key, bool fortran)
{
    struct type *t = &type_table[type_place(key)];
    MPI_Datatype type = HANDLE_OF(MPI_Datatype, key);
    MPI_Count bytes = 0;

    if (fortran)
        type = HANDLE_OF(MPI_Datatype, handle_type_f2c((int)(key >> 1)));
    if (HANDLE_ASK(Type_size_x, (MPI_Datatype, MPI_Count *), (type, &bytes),
                   -1) != MPI_SUCCESS || bytes < 0)
        return 0;
    lock();
    atomic_store_explicit(&t->key, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&t->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&t->key, key, memory_order_release);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return bytes;
}

/* Of C, by their numbers in Fortran: byte, char, int, unsigned, long, unsigned
 * long, long long, unsigned long long, float, double. */
void type_start(void)
{
    static const int first[] = { 1, 34, 39, 40, 41, 42, 43, 44, 45, 46 };

    for (unsigned i = 0; i < sizeof(first) / sizeof(first[0]) &&
         !handle_flavor.ints; i++) {
        uintptr_t key = handle_type_f2c(first[i]);

        if (key)
            type_ask(key, false);
    }
}

void type_forget(void)
{
    lock();
    for (unsigned i = 0; i < TYPE_KEPT; i++)
        atomic_store_explicit(&type_table[i].key, 0, memory_order_relaxed);
    atomic_flag_clear_explicit(&busy, memory_order_release);
}
