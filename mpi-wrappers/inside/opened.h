/* opened.h - descriptors that Open MPI opens while it is initialised, and may
 * forget to close. */
#ifndef HECTOR_INSIDE_OPENED_H
#define HECTOR_INSIDE_OPENED_H

/* Before and after MPI_Init; its TCP sockets send at once from then on. */
void opened_begin(void);
void opened_end(void);

/* When it is gone: what of it is open still. */
void opened_close(void);

#endif
