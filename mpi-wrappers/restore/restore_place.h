/* restore_place.h - where in the address space there is room.
 *
 * A task has written its image without Open MPI, whose place in one piece of a
 * gigabyte at least is free then, whatever the program has mapped besides
 * (../inside/reserve.h). This program needs some megabytes of that, and it does not
 * matter where the kernel has put it: what it is in the way of it leaves. */
#ifndef HECTOR_RESTORE_PLACE_H
#define HECTOR_RESTORE_PLACE_H

#include "mpi-wrappers/restore/restore.h"

enum { RESTORE_STACK_ROOM = 256 << 20, RESTORE_GUARD = 16 << 20 };

/* An address where so many bytes are free, and some more on both sides, in this
 * process as well as in the image: what the image's stack may grow to is taken.
 * taken[], n: what else must not be met; in the order of addresses. 0: none. */
uint64_t restore_place_find(const struct restore *r,
                            const struct image_back *taken, size_t n,
                            uint64_t bytes);

/* What is mapped in this process, n entries at most. */
size_t restore_place_own(const struct restore *r, struct image_back *own,
                         size_t n);

/* The region, if it is the stack, down to where it may grow: no other mapping
 * shall get in its way. The place for new mappings was chosen for this process
 * by lot, and may be right below. */
void restore_place_grow_stack(struct restore *r);

#endif
