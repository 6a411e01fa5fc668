/* image_cpu.h - what a program may have found of the processor it runs on. */
#ifndef HECTOR_IMAGE_CPU_H
#define HECTOR_IMAGE_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi-wrappers/image/format.h"

/* All of it, of this processor; false: not an x86-64 that saves its registers
 * as images have them. */
bool image_cpu_read(struct image_cpu *cpu);

/* Can a program go on on here that began on there? If not, what misses, in
 * words. */
bool image_cpu_serves(const struct image_cpu *here,
                      const struct image_cpu *there, char *what, size_t size);

#endif
