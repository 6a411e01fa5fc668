/* comm.h - communicators, windows and files by handle: who they are for all
 * of their members, and which ranks of the world theirs are.
 *
 * The identity of a new communicator is computed on each member alone and is
 * the same on all: a hash of the identity of the one it was made from, of the
 * number of the collective call that made it, and of its first member and
 * size, which tell apart what one call makes (MPI_Comm_split). Where not all
 * members of the parent take part, all members of the new one are hashed,
 * with the tag and a count of those made so before. Communicators that span
 * worlds (spawned, connected) get an identity of this task's own.
 *
 * Found without a lock; made and removed under one. What a handle means
 * changes only when the program frees it, and then it is not in use. */
#ifndef HECTOR_COMM_H
#define HECTOR_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/about.h"

struct comm {
    _Atomic uintptr_t key;      /* its C handle; 0: free, or COMM_... */
    uint64_t id;
    struct page_comm *shown;    /* borrowed: its place in the page */
    _Atomic uint64_t *peers;    /* owned: rank + 1 << 32 | world rank */
    uint32_t peers_mask;
    uint32_t size;              /* of the group that partners are in */
    _Atomic int32_t fortran;    /* its Fortran handle, where seen, or -1 */
    uint8_t kind;               /* enum page_kind */
    bool inter;
    bool same;                  /* its ranks are the world's */
};

#define COMM_GONE ((uintptr_t)1)
#define COMM_GOING ((uintptr_t)2)       /* the call that frees it is not over */

extern struct comm comm_table[PAGE_COMMS];

/* Can handles of an MPI library with this version text be understood? */
bool comm_choose(const char *version);

/* After MPI_Init: know the world. */
void comm_start(struct page_header *h, struct page_shared *shared);

/* The child of a fork has no page. */
void comm_stop(void);

static inline uint32_t comm_place(uintptr_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (PAGE_COMMS - 1);
}

/* NULL: not known, or no such thing. */
static inline struct comm *comm_find(uintptr_t key)
{
    uint32_t at = comm_place(key);

    for (unsigned n = 0; n < PAGE_COMMS; n++, at = (at + 1) % PAGE_COMMS) {
        uintptr_t k = atomic_load_explicit(&comm_table[at].key,
                                           memory_order_acquire);

        if (__builtin_expect(k == key, 1))
            return k > COMM_GOING ? &comm_table[at] : NULL;
        if (k == 0)
            break;
    }
    return NULL;
}

/* By a Fortran handle, which is kept for the next time. */
struct comm *comm_find_fortran(unsigned kind, uintptr_t key);

static inline struct comm *comm_of(const struct about *a)
{
    if (__builtin_expect((a->traits & ABOUT_FORTRAN) != 0, 0))
        return comm_find_fortran(a->traits & ABOUT_KIND, a->object);
    return comm_find(a->object);
}

/* The partner that is called rank there: its rank in the world, or PAGE_... */
int32_t comm_ask_peer(struct comm *c, int rank);

static inline int32_t comm_peer(struct comm *c, int rank)
{
    if (__builtin_expect(c->same && (uint32_t)rank < c->size, 1))
        return rank;
    return comm_ask_peer(c, rank);
}

/* Of a group, by its key: how many members it has; the world ranks of n of them,
 * from one on, PAGE_UNKNOWN for those of other worlds. Who we are there. */
uint32_t comm_group_size(uintptr_t group);
void comm_group_ranks(uintptr_t group, int from, int n, int *out);
int32_t comm_self(void);

/* What is hashed with what came before. */
uint64_t comm_mix(uint64_t a, uint64_t b);

/* By identity; NULL: none of this task's. Slow. */
struct comm *comm_by_id(uint64_t id);

/* Whose message a status tells of, and its tag; nothing changes where c or the
 * status is not known. */
void comm_status(struct comm *c, const int *status, int32_t *peer,
                 int32_t *tag);

/* A collective call is entered: its number. All members enter them in the
 * same order, so one thread at a time. */
static inline uint64_t comm_collective(struct comm *c, unsigned call,
                                       int32_t root, uint64_t now_ticks)
{
    struct page_comm *p = c->shown;
    uint64_t n = atomic_load_explicit(&p->collectives,
                                      memory_order_relaxed) + 1;
    uint64_t before = atomic_load_explicit(&p->history, memory_order_relaxed);
    uint32_t seq = atomic_load_explicit(&p->seq, memory_order_relaxed) | 1;

    atomic_store_explicit(&p->seq, seq, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&p->collectives, n, memory_order_relaxed);
    atomic_store_explicit(&p->history_before, before, memory_order_relaxed);
    atomic_store_explicit(&p->history, page_history(before, call, root),
                          memory_order_relaxed);
    atomic_store_explicit(&p->call, call, memory_order_relaxed);
    atomic_store_explicit(&p->since_ticks, now_ticks, memory_order_relaxed);
    atomic_store_explicit(&p->seq, seq + 1, memory_order_release);
    return n;
}

/* So many bytes of this task are in the call, where that is known. */
static inline void comm_collected(struct comm *c, uint64_t bytes)
{
    struct page_comm *p = c->shown;

    atomic_store_explicit(&p->bytes,
                          atomic_load_explicit(&p->bytes, memory_order_relaxed) +
                              bytes, memory_order_relaxed);
}

/* The call has made a new one, as its number-th collective call on parent
 * (NULL: not known), or the program uses one that is not known. */
void comm_made(const struct about *a, const struct comm *parent,
               uint64_t number);
void comm_met(const struct about *a);

/* MPI_Comm_idup: the new one is there when the request of this key is
 * finished. */
void comm_promised(const struct about *a, const struct comm *parent,
                   uint64_t number, uintptr_t request);
void comm_kept(uintptr_t request);

/* The program frees it: from here on its handle may mean another one. Until
 * the call is over it is still shown; then, if the call was successful, as one
 * that was freed, while there are not too many of them. */
void comm_remove(struct comm *c);
void comm_removed(struct comm *c, bool ok);

#endif
