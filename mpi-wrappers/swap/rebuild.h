/* rebuild.h - all that the program has of MPI, made again in another Open MPI.
 *
 * No log is kept: what there is is read from the old one before it goes. The
 * program's handles stay, with their references and Fortran numbers. */
#ifndef HECTOR_SWAP_REBUILD_H
#define HECTOR_SWAP_REBUILD_H

#include <stddef.h>

/* While no message and no collective is under way. -1: nothing has changed, and
 * why says what cannot be read. */
int rebuild_read(char *why, size_t size);

/* After MPI_Init of the new one. All tasks of the job are in it. -1: the task
 * cannot go on. */
int rebuild_make(char *why, size_t size);

/* What was read is forgotten. */
void rebuild_end(void);

#endif
