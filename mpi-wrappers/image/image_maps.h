/* image_maps.h - what /proc/PID/maps says, and what of that can be in an
 * image. Nothing here asks the kernel. */
#ifndef HECTOR_IMAGE_MAPS_H
#define HECTOR_IMAGE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/image/format.h"

struct image_map {              /* one line */
    uint64_t start, end, offset;
    uint32_t prot;              /* PROT_READ, ... */
    bool shared;
    char *name;                 /* borrowed of the text; "" without one */
};

/* The line at *text, which the next one is at afterwards; the text is changed:
 * the name gets its 0, and its own characters back where the kernel escaped
 * them. 1, 0 at the end, -1 if that is no such line. */
int image_maps_next(char **text, struct image_map *m);

enum image_map_kind {
    IMAGE_MAP_ANON,             /* private memory, the heap too */
    IMAGE_MAP_STACK,
    IMAGE_MAP_ANON_SHARED,
    IMAGE_MAP_FILE,
    IMAGE_MAP_FILE_SHARED,
    IMAGE_MAP_GONE,             /* private, of a file that has no name */
    IMAGE_MAP_VDSO,
    IMAGE_MAP_VVAR,             /* what the vdso reads */
    IMAGE_MAP_FIXED,            /* the kernel's, the same in each process */
    IMAGE_MAP_SYSV,             /* these cannot be in an image: */
    IMAGE_MAP_DEVICE,
    IMAGE_MAP_OTHERS            /* shared, without a name to find it by */
};
enum image_map_kind image_maps_kind(const struct image_map *m);

/* Takes [start, end) out of *n regions, of which room is for one more than
 * there are. */
void image_maps_without(struct image_region *regions, size_t *n,
                        uint64_t start, uint64_t end);

#endif
