/* image_born.h - what this process may use of processors since it began, wherever
 * it has been since. */
#ifndef HECTOR_IMAGE_BORN_H
#define HECTOR_IMAGE_BORN_H

#include <stdbool.h>

#include "mpi-wrappers/image/format.h"

/* All of it, with the registers that are saved where it is now. false: this is no
 * processor that images are of. */
bool image_born_read(struct image_cpu *cpu);

#endif
