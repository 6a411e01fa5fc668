/* walltime.h - lengths of time as batch systems write them. */
#ifndef HECTOR_WALLTIME_H
#define HECTOR_WALLTIME_H

#include <stdint.h>

/* Seconds of "90", "10:00", "1:30:00" or "2:01:30:00", at the end of the text or
 * before a comma or a blank; 0: that is none, as INFINITY. */
uint64_t walltime_seconds(const char *text);

#endif
