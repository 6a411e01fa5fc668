/* ancestry.h - what has started us: the names of the processes above this one, as
 * the kernel has them. */
#ifndef HECTOR_ANCESTRY_H
#define HECTOR_ANCESTRY_H

#include <stdbool.h>

/* The first one above us, parent first, of which is() says so; false: there is none
 * that may be seen. */
bool ancestry_find(bool (*is)(void *arg, const char *name), void *arg);

#endif
