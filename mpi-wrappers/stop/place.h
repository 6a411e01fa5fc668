/* place.h - where a signal has interrupted the program: may it stand there? */
#ifndef HECTOR_STOP_PLACE_H
#define HECTOR_STOP_PLACE_H

#include <stdbool.h>

/* Where the program's own text runs, or a system call that holds no lock waits,
 * which is begun anew then. context is that of the signal's handler. */
bool place_is_safe(void *context);

#endif
