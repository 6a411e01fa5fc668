/* wtime.h - MPI_Wtime, which goes on from one Open MPI to the next. */
#ifndef HECTOR_LAYER_WTIME_H
#define HECTOR_LAYER_WTIME_H

/* The last of the old one, and the first of the new one. */
void wtime_leave(void);
void wtime_arrive(void);

#endif
