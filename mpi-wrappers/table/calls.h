/* calls.h - the MPI functions by number, as in wrap.def.
 *
 * For everyone who reads pages or what was taken from them. Numbers do not
 * change: enum call_id (CALL_Send, ...; CALL_END is one more than the last)
 * is generated from the table. 0 means outside MPI. */
#ifndef HECTOR_CALLS_H
#define HECTOR_CALLS_H

#include "call_ids.h"

/* "MPI_Send"; for 0 and unknown numbers "", never NULL. */
const char *call_name(unsigned call);

/* The number of "MPI_Send"; 0 for an unknown name. */
unsigned call_find(const char *name);

#endif
