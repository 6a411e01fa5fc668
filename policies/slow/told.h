/* told.h - it was said who is slow: is it over, or are others slow, too? */
#ifndef HCT_SLOW_TOLD_H
#define HCT_SLOW_TOLD_H

#include "policies/slow/slow.h"

/* A window of its phase has ended. */
void told_window(struct slow *s, const struct hct_snapshot *in,
                 struct hct_out *out);

#endif
