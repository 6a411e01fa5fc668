/* restore_memory.h - makes the memory of the image. */
#ifndef HECTOR_RESTORE_MEMORY_H
#define HECTOR_RESTORE_MEMORY_H

#include "mpi-wrappers/restore/restore.h"

/* Unmaps everything but the hole, in which we are, and the vdso. */
void restore_memory_clear(const struct restore *r);

/* The region that the address is in, or NULL. */
const struct image_region *restore_memory_region(const struct restore *r,
                                                 uint64_t at);

/* Maps all regions, and reads what is in them. */
void restore_memory_read(struct restore *r);

/* Reads over it, and makes nothing. */
void restore_memory_skip(struct restore *r);

#endif
