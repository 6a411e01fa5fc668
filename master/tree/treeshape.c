/* treeshape.c - the shape of a reduction tree. */
#include "master/tree/treeshape.h"

#include "proto/base/clock.h"

#define PASSING_NS (40 * CLOCK_NS_PER_S)        /* for the way up, at most */

/* A fan-out of 1 makes a chain; a few levels are as good as any. */
enum { TREESHAPE_LEVELS_MAX = 64 };

uint32_t treeshape_fan_out(uint32_t n, uint32_t levels)
{
    for (uint32_t f = 1; ; f++) {
        uint64_t room = 0, level = 1;

        for (uint32_t i = 0; i < levels && room < n; i++) {
            level *= f;
            room += level;
        }
        if (room >= n || f >= n)
            return f;
    }
}

static uint32_t fill(struct treeshape_slave *v, uint32_t n, uint32_t first,
                     uint32_t parent, uint32_t fan_out, uint32_t level)
{
    uint32_t groups = n < fan_out || level >= TREESHAPE_LEVELS_MAX ? n
                                                                   : fan_out;
    uint32_t at = 0, height = 0;

    for (uint32_t i = 0; i < groups; i++) {
        uint32_t size = n / groups + (i < n % groups), below;

        below = fill(v + at + 1, size - 1, first + at + 1, first + at,
                     fan_out, level + 1);
        v[at] = (struct treeshape_slave){ parent, size, below + 1 };
        height = below + 1 > height ? below + 1 : height;
        at += size;
    }
    return height;
}

uint32_t treeshape_fill(struct treeshape_slave *v, uint32_t n, uint32_t first,
                        uint32_t fan_out)
{
    return fill(v, n, first, TREESHAPE_MASTER, fan_out, 1);
}

uint64_t treeshape_step_ns(uint32_t levels, uint64_t wait_ns)
{
    return (wait_ns < PASSING_NS ? wait_ns : PASSING_NS) / (levels + 1);
}

uint64_t treeshape_wait_ns(uint32_t levels, uint32_t height, uint64_t wait_ns)
{
    return wait_ns -
           treeshape_step_ns(levels, wait_ns) * (levels + 1 - height);
}
