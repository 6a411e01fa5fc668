/* make.h - communicators that are made without a collective on another one. */
#ifndef HECTOR_STOP_MAKE_H
#define HECTOR_STOP_MAKE_H

/* After MPI_Init, in all tasks: what they wait for each other by. */
void make_begin(void);

#endif
