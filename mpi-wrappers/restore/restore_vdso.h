/* restore_vdso.h - the code of the kernel that programs call: the time, mostly.
 *
 * The image's program knows where it was. If this kernel has the same code, it
 * is moved there. If not, the old code stays there, and its functions jump into
 * this kernel's, which is kept somewhere else. */
#ifndef HECTOR_RESTORE_VDSO_H
#define HECTOR_RESTORE_VDSO_H

#include "mpi-wrappers/restore/restore.h"

/* How many bytes this process has of it. */
uint64_t restore_vdso_bytes(struct restore *r);

/* Moves it out of the way, to an address in the hole. */
void restore_vdso_take(struct restore *r, uint64_t to);

/* Moves it to where it belongs, when all memory is there. */
void restore_vdso_put(struct restore *r);

#endif
