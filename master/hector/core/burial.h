/* burial.h - jobs of private masters that were killed with all that could have written
 * down how they ended, as by Grid Engine's qdel: whoever looks at the database on that
 * host writes it, and whoever looks elsewhere, if the batch system says that its job is
 * over. */
#ifndef HECTOR_BURIAL_H
#define HECTOR_BURIAL_H

#include <stdint.h>

#include "master/store/store.h"

/* Do so, if st, which is of the file with that path, has such. What cannot be written
 * is left to others. */
void burial_of_dead(struct store *st, const char *path, uint64_t now_ns);

#endif
