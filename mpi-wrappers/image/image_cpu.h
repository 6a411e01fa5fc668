/* image_cpu.h - can a program go on on this processor, which began on another
 * one? */
#ifndef HECTOR_IMAGE_CPU_H
#define HECTOR_IMAGE_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi-wrappers/image/format.h"

/* Of this processor; false: it is no x86-64 that saves its registers as images
 * have them. */
bool image_cpu_layout(struct image_layout *l);

/* If not, why not: what this processor has not, in words that go on "needs a
 * processor ". */
bool image_cpu_serves(const struct cpu_set *here, const struct image_layout *l,
                      const struct image_cpu *image, char *why, size_t size);

#endif
