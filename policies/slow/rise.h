/* rise.h - for how long is somebody slow, or are all, and how did they become so:
 * at once, or bit by bit? */
#ifndef HCT_SLOW_RISE_H
#define HCT_SLOW_RISE_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/slow/odd.h"

/* In how many windows in a row up to now is the worst one of what was judged
 * just now slow, by half of that at least, or, if it is NULL, are all? windows:
 * of those that were judged; earlier: so many just before these. */
void rise_agree(struct speed *s, uint32_t phase, struct odd_found *f,
                const struct odd_task *worst);

/* What the worst one, or all if it is NULL, are slower by in the last windows
 * than just before since, log; and by what at most they became so from one
 * window to the next. Work that grows bit by bit has no such step, or becomes
 * more behind it: grown; NaN: there are too few windows behind it yet. */
struct rise { double step, now, grown; };
struct rise rise_of(struct speed *s, uint32_t phase, uint64_t since,
                    const struct odd_found *f, const struct odd_task *worst);

/* Of all windows that are kept, news or not: did the worst one, or all if it is
 * NULL, become so at once? By the onset's gain; it is *known from some windows
 * before since on. */
double rise_gain(struct speed *s, uint32_t phase, uint64_t since,
                 const struct odd_task *worst, bool *known);

/* By what did all become slower in as many windows before one, log, against as
 * many before these? NaN: these are not kept any more. */
double rise_trend(struct speed *s, uint32_t phase, uint64_t since);

#endif
