/* image_regions.h - the mappings of the process, and the files they are of. */
#ifndef HECTOR_IMAGE_REGIONS_H
#define HECTOR_IMAGE_REGIONS_H

#include "mpi-wrappers/image/image_tables.h"

/* After image_self_read(). The last of all that takes memory of the arena, which
 * is not among the regions. */
enum image_reason image_regions_read(struct image_tables *t);

/* When all threads stand still: what a thread holds that others may wait for, and
 * that it would be said to have left when this process ends. */
enum image_reason image_regions_held(struct image_tables *t);

#endif
