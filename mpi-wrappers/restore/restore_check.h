/* restore_check.h - can this image become a process here? Each of these says
 * why not and ends the program. */
#ifndef HECTOR_RESTORE_CHECK_H
#define HECTOR_RESTORE_CHECK_H

#include "mpi-wrappers/restore/restore.h"

/* Is that a head, of this version, and not damaged? */
void restore_check_head(const struct restore *r);
/* Are the tables what was written, and do they make sense? */
void restore_check_tables(const struct restore *r);
/* The kernel, the processor, the user, the files that are mapped and open. */
void restore_check_place(const struct restore *r);
/* After the last byte: is everything what was written, and nothing behind? */
void restore_check_tail(struct restore *r);

/* This processor, and its registers; false: it is none that images are of. */
bool restore_check_here(const struct restore *r, struct cpu_set *cpu,
                        struct image_layout *l);

#endif
