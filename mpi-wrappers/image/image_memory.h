/* image_memory.h - what is in the memory, and in files without a name. */
#ifndef HECTOR_IMAGE_MEMORY_H
#define HECTOR_IMAGE_MEMORY_H

#include "mpi-wrappers/image/image_stream.h"
#include "mpi-wrappers/image/image_tables.h"

enum { IMAGE_MEMORY_ROOM = 64 << 10 };

/* Which regions have huge pages; none, if the kernel does not say. */
void image_memory_find_huge(struct image_tables *t);

/* Puts the runs of all regions. room: IMAGE_MEMORY_ROOM bytes to work with. An
 * error of reading becomes the stream's. */
void image_memory_put(const struct image_tables *t, struct image_stream *s,
                      char *room);

/* ... the contents of all descriptors that have some. */
void image_memory_put_contents(const struct image_tables *t,
                               struct image_stream *s, char *room);

#endif
