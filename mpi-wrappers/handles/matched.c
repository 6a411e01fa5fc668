/* matched.c - messages that were matched and not taken, see matched.h.
 *
 * A key is found in one of the WAYS places of its bucket. Invariants as of
 * request.c's table: a place belongs to whoever changed its key to TAKEN, until
 * the key is stored. A handle is forgotten before MPI may give it again. */
#include "mpi-wrappers/handles/matched.h"

#include <stdatomic.h>
#include <stddef.h>

#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/handles/handle.h"

enum { PLACES = 256, WAYS = 8 };
#define TAKEN ((uintptr_t)1)    /* as a key: integer 0, which is no message */

static struct matched {
    _Atomic uintptr_t key;      /* 0: free */
    _Atomic uint64_t comm;
    _Atomic int32_t peer, tag;
} table[PLACES];

/* The place of the key, or of none (0), which is the caller's then. */
static struct matched *claim(uintptr_t key, uintptr_t is)
{
    unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15u) >> 40) %
                  (PLACES / WAYS) * WAYS;

    for (unsigned i = 0; i < WAYS; i++) {
        uintptr_t was = is;

        if (GET(table[at + i].key) == is &&
            atomic_compare_exchange_strong(&table[at + i].key, &was, TAKEN))
            return &table[at + i];
    }
    return NULL;
}

static void release(struct matched *m, uintptr_t key)
{
    atomic_store_explicit(&m->key, key, memory_order_release);
}

void matched_put(const struct about *a, uint64_t comm, int32_t peer,
                 int32_t tag)
{
    uintptr_t key = a->traits & ABOUT_FORTRAN
        ? about_key(*(const MPI_Fint *)a->made) : handle_at(a->made, 0);
    bool known = comm != 0 && (peer == PAGE_NULL || (peer >= 0 && tag >= 0));
    struct matched *m = key > TAKEN ? claim(key, key) : NULL;

    if (!m && key > TAKEN)
        m = claim(key, 0);
    if (!m)
        return;
    SET(m->comm, known ? comm : 0);
    SET(m->peer, known ? peer : PAGE_UNKNOWN);
    SET(m->tag, known ? tag : PAGE_UNKNOWN);
    release(m, key);
}

void matched_take(const struct about *a, struct request *r)
{
    uintptr_t key = a->object;
    struct matched *m = key > TAKEN ? claim(key, key) : NULL;

    if (!m)
        return;
    r->comm = GET(m->comm);
    r->peer = GET(m->peer);
    r->tag = GET(m->tag);
    release(m, 0);
}
