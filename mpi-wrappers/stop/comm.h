/* comm.h - what is known of each communicator, for as long as its object lives. */
#ifndef HECTOR_STOP_COMM_H
#define HECTOR_STOP_COMM_H

#include <mpi.h>
#include <stdint.h>

#include "mpi-wrappers/inside/object.h"
#include "mpi-wrappers/page.h"

struct kept;
struct comm_count;

struct comm {                   /* owned by its object: object->comm */
    uint64_t id;                /* the same on all members */
    uint32_t slot;              /* in page_stop.comm; UINT32_MAX: there was no
                                   room, and the task refuses to be moved */
    int rank, size;             /* own group */
    int remote;                 /* size of the other group; 0: no
                                   inter-communicator */
    int *world;                 /* owned: world ranks, own group in order, then
                                   the remote group's; -1: of another world */
    struct page_stop_comm *at;  /* its numbers: in the page, or own */
    struct page_stop_comm own;
    struct object *object;      /* borrowed: the program's handle */
    struct comm *next, *before; /* of all that there are, oldest first */
    struct kept *kept, *kept_last;      /* owned: kept.h */
    struct comm_count *counts;  /* owned: made by groups of members */
    uint32_t ncounts;
    bool unborn;                /* what makes it is not finished */
    bool foreign;               /* somebody of another world is in it */
    bool lasts;                 /* a persistent request knows it */
};

/* Of the program's handle; never NULL for one that lives. */
static inline struct comm *comm_of(MPI_Comm c)
{
    return c ? ((struct object *)c)->comm : NULL;
}

/* World rank of whom a call names; PAGE_ANY for whoever it is. */
static inline int32_t comm_peer(const struct comm *c, int rank)
{
    int n = c ? c->remote ? c->remote : c->size : 0;

    if (rank < 0 || rank >= n)
        return PAGE_ANY;
    return c->world[c->remote ? c->size + rank : rank];
}

extern struct comm comm_all;    /* before the first, and behind the last */

void comm_begin(void);          /* MPI_COMM_WORLD and MPI_COMM_SELF */

/* It was made by a collective on parent, which has just been counted; or in
 * another way, with this identity (0: nobody else knows it by a number). */
void comm_made(MPI_Comm c, const struct comm *parent);
void comm_met(MPI_Comm c, uint64_t id);

/* Before a call by which this group of comm makes one: an identity that all
 * members will find, and their world ranks. 0: there is no memory. */
uint64_t comm_by_group(struct comm *c, MPI_Group group, int tag, int *ranks);
uint64_t comm_mix(uint64_t a, uint64_t b);

/* Listed before it is made: a record without an object, for members of so many.
 * comm_met() with the same identity takes it over; or comm_forget(). */
struct comm *comm_announce(uint64_t id, int size);
void comm_forget(struct comm *c);

/* The page has come; the values so far have been copied. */
void comm_page(struct page_stop *page);

#endif
