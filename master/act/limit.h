/* limit.h - at most so many within an hour. Pure. */
#ifndef HECTOR_LIMIT_H
#define HECTOR_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIMIT_MAX = 64 };        /* no limit can be higher */

struct limit {                  /* {0} at first */
    uint64_t at_ns[LIMIT_MAX];  /* when; 0: never */
    size_t next;
};

/* Take one at now_ns, which is monotonic and never 0; false: there have been
 * `most` in the hour before. */
bool limit_take(struct limit *l, uint32_t most, uint64_t now_ns);

#endif
