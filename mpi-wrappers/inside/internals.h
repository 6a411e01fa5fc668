/* internals.h - what Open MPI's Fortran libraries use of its libmpi.so.40 beyond
 * MPI. */
#ifndef HECTOR_INSIDE_INTERNALS_H
#define HECTOR_INSIDE_INTERNALS_H

#include <stddef.h>

/* A string of Fortran's without the blanks around it; to be freed. NULL: no
 * memory. */
char *internals_string(const char *text, size_t bytes);

/* Values that the Open MPI that has been loaded has. */
void internals_bind(void *(*symbol)(const char *name));
void internals_unbind(void);

#endif
