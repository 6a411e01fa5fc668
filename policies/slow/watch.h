/* watch.h - nobody is suspected: has the job become slower in this window, or
 * has somebody? */
#ifndef HCT_SLOW_WATCH_H
#define HCT_SLOW_WATCH_H

#include "policies/slow/slow.h"

/* A window of that phase has ended. */
void watch_window(struct slow *s, uint32_t phase, uint64_t now_ns);

#endif
