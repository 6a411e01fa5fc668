/* copy.h - the images of a checkpoint's tasks, from a disk of this node to where all
 * nodes see them, or from a task to its file. */
#ifndef HECTOR_KEEP_COPY_H
#define HECTOR_KEEP_COPY_H

#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/taskset.h"

struct copy {                   /* all borrowed */
    const char *local, *dir;    /* LOCAL/NUMBER/ to DIR/NUMBER/ */
    uint32_t number;
    const struct taskset *ranks;
    uint64_t rate;              /* bytes a second, of all of them; 0: at will */
};

/* Each gets its name when all of it was written, which is not to say that it is on
 * the disk, or good: see images_check(). The originals stay. */
int copy_images(const struct copy *c, struct err *err);

/* What comes on standard input, to its end, is the image of that task in DIR/NUMBER/,
 * where nobody else has written one. */
int copy_input(const char *dir, uint32_t number, uint32_t rank, struct err *err);

#endif
