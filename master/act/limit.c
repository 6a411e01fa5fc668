/* limit.c - at most so many within an hour, see limit.h. */
#include "master/act/limit.h"

static const uint64_t limit_hour_ns = 3600 * 1000000000ull;

bool limit_take(struct limit *l, uint32_t most, uint64_t now_ns)
{
    uint32_t n = 0;

    for (size_t i = 0; i < LIMIT_MAX; i++)
        n += l->at_ns[i] && now_ns - l->at_ns[i] < limit_hour_ns;
    if (n >= most || n == LIMIT_MAX)
        return false;
    l->at_ns[l->next++ % LIMIT_MAX] = now_ns;
    return true;
}
