/* image_self.h - what belongs to the process as a whole: the head of an image,
 * and what forbids to make one. */
#ifndef HECTOR_IMAGE_SELF_H
#define HECTOR_IMAGE_SELF_H

#include "mpi-wrappers/image/image_tables.h"

enum image_reason image_self_read(struct image_tables *t);

/* Signals that wait for any thread, and for the one with this number: bit N - 1
 * for N. buf is for what /proc says. */
uint64_t image_self_pending(char *buf, size_t size);
uint64_t image_self_pending_of(int tid, char *buf, size_t size);

#endif
