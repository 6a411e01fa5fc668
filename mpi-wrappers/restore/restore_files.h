/* restore_files.h - opens again what the process had open. */
#ifndef HECTOR_RESTORE_FILES_H
#define HECTOR_RESTORE_FILES_H

#include "mpi-wrappers/restore/restore.h"

/* Closes what is not for the process, and brings the descriptors of the image
 * and of the report out of the way. */
void restore_files_clear(struct restore *r);

/* Opens all of them; after the memory, when the contents come. Closes those of
 * 0, 1 and 2 that the process had not. */
void restore_files_open(struct restore *r);

/* Reads over the contents, and opens nothing. */
void restore_files_skip(struct restore *r);

/* Is that a plain file that the process could write to? */
bool restore_files_written(const struct image_fd *f);

/* Those files lose what they have grown since. After everything that can be
 * refused: it cannot be taken back. */
void restore_files_cut(const struct restore *r);

#endif
