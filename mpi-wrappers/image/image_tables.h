/* image_tables.h - what is known of the process while its image is made. */
#ifndef HECTOR_IMAGE_TABLES_H
#define HECTOR_IMAGE_TABLES_H

#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/image/image.h"
#include "mpi-wrappers/image/image_arena.h"
#include "mpi-wrappers/image/image_text.h"

struct image_tables {
    const struct image_ask *ask;        /* borrowed */
    int fd;                     /* of the image; -1: none */
    char *why;                  /* borrowed: why not, of why_size bytes */
    size_t why_size;

    struct image_arena arena;   /* of all that follows, and of the names */
    struct image_head *head;
    struct image_region *regions;
    struct image_mapped *mapped;
    struct image_fd *fds;
    struct image_thread *threads;
    size_t thread_room;
};

/* The functions that fill them return an enum image_reason: IMAGE_MEMORY, when
 * the arena is too small for what there is, else with a sentence. */
#define IMAGE_REFUSE(t, reason, ...) \
    (image_text_all((t)->why, (t)->why_size, __VA_ARGS__, NULL), (reason))

#endif
