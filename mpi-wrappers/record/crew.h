/* crew.h - MPI's own threads, which never call it for the program, so that
 * nobody has to wait for what they might do. All of this makes system calls, and
 * is for MPI_Init and MPI_Finalize alone. */
#ifndef HECTOR_CREW_H
#define HECTOR_CREW_H

#include "mpi-wrappers/page.h"

enum { CREW_SETTLE_MS = 500 };

/* Around MPI_Init: which threads does MPI make for itself? Who has made a thread
 * is not known; but while the one that is in MPI_Init is the only one to run,
 * all that come are the library's. */
void crew_begin(void);
void crew_end(struct page_header *h);

/* Before MPI_Finalize: until all of them have done what they were given, or
 * some CREW_SETTLE_MS are over. Open MPI unloads its components while one of its
 * threads may still have to call them: on a busy machine short programs crash
 * of it, with mpirun as well. */
void crew_settle(const struct page_header *h);

#endif
