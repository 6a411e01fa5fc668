/* reserve.h - address space that is kept for Open MPI from the start of a program,
 * so that there is some when the program has taken all that it got before MPI_Init.
 *
 * Once Open MPI is there its memory takes the place, in one piece. When it is
 * dropped that piece is free: hector-restore finds room for itself and for its
 * kernel's vdso there, whatever else the program has mapped, and the next Open MPI
 * takes what they leave. */
#ifndef HECTOR_INSIDE_RESERVE_H
#define HECTOR_INSIDE_RESERVE_H

/* It is free from now on, for who comes next. */
void reserve_yield(void);

#endif
