/* images.h - the images of a checkpoint's tasks: rank-7.image, one each. */
#ifndef HECTOR_KEEP_IMAGES_H
#define HECTOR_KEEP_IMAGES_H

#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"

/* Are those of these ranks there, on the disk, and whole? By hector-restore,
 * beside this program. */
int images_check(const char *dir, uint32_t number, const struct taskset *ranks,
                 struct err *err);

/* Is there one for each task, no smaller than what it has written? */
int images_there(const char *dir, uint32_t number, const Hct__Checkpoint *c,
                 struct err *err);

#endif
