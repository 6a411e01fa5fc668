/* lease.h - where the task goes on: what its slave says when the MPI library has
 * been dropped. See struct page_lease in page.h. */
#ifndef HECTOR_SWAP_LEASE_H
#define HECTOR_SWAP_LEASE_H

#include <stddef.h>
#include <stdint.h>

/* Asks for the place in this generation of the job and waits for the answer. It
 * may be that what returns is another process on another node. To *variables
 * goes the environment there, NAME=VALUE each, NULL at the end; lease_end() gives
 * it back. 0, or -1 and a sentence in why. */
int lease_take(uint32_t generation, char ***variables, char *why, size_t size);
void lease_end(char **variables);

#endif
