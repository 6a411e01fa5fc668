/* restore_owners.h - locks that know who has them by the number of the thread, which
 * is another one now.
 *
 * Recursive and error-checking mutexes of the C library, those with priorities, and
 * read-write locks that are held for writing are found by what is in memory while
 * that is read. Robust ones are in lists, which the kernel has, too. */
#ifndef HECTOR_RESTORE_OWNERS_H
#define HECTOR_RESTORE_OWNERS_H

#include "mpi-wrappers/restore/restore.h"

/* Once the tables are there. */
void restore_owners_begin(struct restore *r);

/* [from, to) of the region has been read; calls come in the order of addresses. */
void restore_owners_look(struct restore *r, const struct image_region *g,
                         uint64_t from, uint64_t to);
/* That was all. */
void restore_owners_end(struct restore *r);

/* All threads have been made: what was found gets their numbers. */
void restore_owners_renumber(const struct restore *r);

#endif
