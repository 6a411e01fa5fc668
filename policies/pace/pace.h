/* pace.h - how long an iteration of the job takes, window by window in one
 * phase of it, and whether that has changed (bocpd.h). */
#ifndef HCT_PACE_H
#define HCT_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/pace/bocpd.h"

enum { PACE_KEPT = 32 };        /* windows that are kept one by one */

struct pace {                   /* all zero: nothing seen */
    struct bocpd bocpd;
    uint32_t n;
    double log_ns[PACE_KEPT], bytes[PACE_KEPT]; /* by number, modulo */
};

struct pace_change {
    double p;                   /* that it is one */
    uint32_t since;             /* windows behind it */
    double times;               /* as long as before, in the middle */
    bool other_bytes;           /* its calls move another amount than before */
};

/* A window: the time of an iteration, and the bytes that its calls move; 0: not
 * known. */
void pace_add(struct pace *p, double ns, double bytes);

/* Forgets what was before the last so many windows. */
void pace_restart(struct pace *p, uint32_t keep);

/* A change with least to most windows behind it. */
bool pace_change(const struct pace *p, uint32_t least, uint32_t most,
                 struct pace_change *c);

/* By what did it take longer in as many windows before the last since ones, log,
 * against as many before these, in the middle? NaN: nobody knows. */
double pace_trend(const struct pace *p, uint32_t since, uint32_t windows);

/* So many times as long does it take in the last windows as in as many before
 * these, in the middle; NaN: nobody knows. */
double pace_times(const struct pace *p, uint32_t windows);

#endif
