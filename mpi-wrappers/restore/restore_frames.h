/* restore_frames.h - registers in the frames of signals, where this processor has
 * them at other places than the one that wrote them.
 *
 * The kernel takes a frame that is larger than its own for one without vectors, and
 * reads one that is smaller as if everything were where it writes it. What has
 * anything in it keeps it, at the new place; what is at its beginning is left out,
 * and is so afterwards. */
#ifndef HECTOR_RESTORE_FRAMES_H
#define HECTOR_RESTORE_FRAMES_H

#include "mpi-wrappers/restore/restore.h"

/* All frames that threads return by, when all memory is there. Refuses where one
 * has something in registers that this processor has not, or it does not fit. */
void restore_frames_fit(const struct restore *r);

#endif
