/* type.c - how large datatypes are, see type.h.
 *
 * Invariants: while key stands in an entry, bytes is that type's; no key stands
 * in two. Writers are under busy. What type_start() has asked for is MPI's own:
 * it is neither forgotten nor put out of its place. */
#include "mpi-wrappers/handles/type.h"

#include "mpi-wrappers/handles/handle.h"

struct type type_table[TYPE_KEPT];
static bool own[TYPE_KEPT];
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static uintptr_t key_in(const struct type *t)
{
    return atomic_load_explicit(&t->key, memory_order_relaxed);
}

/* Where key is or may be, free places first; NULL: MPI's own are everywhere. */
static struct type *room_for(uintptr_t key)
{
    struct type *from = type_place(key), *room = NULL;

    for (struct type *t = from; t < from + TYPE_NEAR; t++) {
        if (key_in(t) == key)
            return t;
        if (!own[t - type_table] && (!room || (key_in(room) && !key_in(t))))
            room = t;
    }
    return room;
}

static void remember(uintptr_t key, int64_t bytes, bool for_good)
{
    struct type *t;

    lock();
    t = room_for(key);
    if (t) {
        atomic_store_explicit(&t->key, 0, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&t->bytes, bytes, memory_order_relaxed);
        atomic_store_explicit(&t->key, key, memory_order_release);
        own[t - type_table] |= for_good;
    }
    unlock();
}

static int64_t ask(uintptr_t key, bool fortran, bool for_good)
{
    MPI_Datatype type = HANDLE_OF(MPI_Datatype, key);
    MPI_Count bytes = 0;

    if (fortran)
        type = HANDLE_OF(MPI_Datatype, handle_type_f2c((int)(key >> 1)));
    if (HANDLE_ASK(Type_size_x, (MPI_Datatype, MPI_Count *), (type, &bytes),
                   -1) != MPI_SUCCESS || bytes < 0)
        return 0;
    remember(key, bytes, for_good);
    return bytes;
}

int64_t type_ask(uintptr_t key, bool fortran)
{
    return ask(key, fortran, false);
}

/* By their numbers in Fortran, which are those of all versions of Open MPI:
 * byte, packed; Fortran's character, logical, integers, reals and complex ones;
 * C's, from char to short and int, for MPI_MINLOC; those of stdint.h, and
 * address, offset, bool and complex. */
void type_start(void)
{
    static const struct { uint8_t first, last; bool fortran; } known[] = {
        { 1, 2, true }, { 5, 7, true }, { 10, 11, true }, { 13, 15, true },
        { 17, 18, true }, { 22, 25, true }, { 34, 53, false },
        { 58, 68, false }, { 70, 70, false },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) &&
         !handle_flavor.ints; i++)
        for (int f = known[i].first; f <= known[i].last; f++) {
            uintptr_t key = handle_type_f2c(f);

            if (key)
                ask(key, false, true);
            if (key && known[i].fortran)
                ask(about_key(f), true, true);
        }
}

void type_forget(void)
{
    lock();
    for (unsigned i = 0; i < TYPE_KEPT; i++)
        if (!own[i])
            atomic_store_explicit(&type_table[i].key, 0, memory_order_relaxed);
    unlock();
}
