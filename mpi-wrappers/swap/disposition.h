/* disposition.h - what signals do, while one Open MPI goes and another comes. */
#ifndef HECTOR_SWAP_DISPOSITION_H
#define HECTOR_SWAP_DISPOSITION_H

/* Before MPI_Finalize of the old one. */
void disposition_save(void);

/* When the old one is gone, and when the new one has been initialised: what the
 * program had said stands again, and where it had left a signal to Open MPI, the
 * new one's handler is in its place. */
void disposition_gone(void);
void disposition_come(void);

#endif
