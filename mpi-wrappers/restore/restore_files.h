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

#endif
