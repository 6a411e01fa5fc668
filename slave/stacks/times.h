/* times.h - many durations, of which a person wants the quantiles. */
#ifndef HECTOR_TIMES_H
#define HECTOR_TIMES_H

#include <stdint.h>

enum { TIMES_MAX = 1 << 16 };   /* kept; those after it are not */

struct times {
    uint64_t *ns;               /* owned; NULL is fine: none is kept */
    uint32_t n;
};

int times_init(struct times *t);        /* -1: out of memory */
void times_fini(struct times *t);       /* {0} is fine */

void times_add(struct times *t, uint64_t ns);
/* The one below which percent (0 to 100) of them are; none: 0. */
uint64_t times_quantile(struct times *t, unsigned percent);

#endif
