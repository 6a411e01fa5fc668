/* swap.h - another Open MPI for this task, with all that the program has of MPI.
 * Called by way of stand_swap, of mpi-wrappers/stop/stand.h. */
#ifndef HECTOR_SWAP_H
#define HECTOR_SWAP_H

#include <stdbool.h>
#include <stddef.h>

/* Why this task cannot be moved now: what it has of MPI that cannot be made
 * again. A sentence goes to why. */
bool swap_refused(char *why, size_t size);

/* While the task stands, all threads of it, and nothing is unfinished but
 * receives: the Open MPI that is loaded goes, and another one comes as a member
 * of the generation that the page asks for, maybe in another process. All tasks
 * of the job do this together. 0, or -1 and the page says why: with
 * PAGE_SWAP_NONE it goes on as before, else there is no MPI any more. */
int swap_now(void);

#endif
