/* treeshape.h - the shape of a reduction tree over n slaves. Pure.
 *
 * Slaves are numbered in the order of the tree, parents before their children,
 * so every subtree is a range of numbers. The root is the master, which is
 * not among them. Every slave has work of its own: also those that have
 * others below them. */
#ifndef HECTOR_TREESHAPE_H
#define HECTOR_TREESHAPE_H

#include <stdint.h>

#define TREESHAPE_MASTER UINT32_MAX

struct treeshape_slave {
    uint32_t parent;            /* a number, or TREESHAPE_MASTER */
    uint32_t members;           /* of the subtree, with itself */
    uint32_t height;            /* of the subtree: 1 for a leaf */
};

/* The least number of children with which so many levels are enough. */
uint32_t treeshape_fan_out(uint32_t n, uint32_t levels);

/* Fill v[0 .. n-1], numbers beginning at first: nobody has more than fan_out
 * (at least 1) children, subtrees of brothers are of the same size but for
 * one. Returns the number of levels, 0 if there is nobody. */
uint32_t treeshape_fill(struct treeshape_slave *v, uint32_t n, uint32_t first,
                        uint32_t fan_out);

/* How long a slave may take whose subtree has this height, when the master
 * waits so long: who is below waits less, so that results are on their way up
 * when nobody waits any more. What the work itself takes, like samples for
 * minutes, all of them have. */
uint64_t treeshape_wait_ns(uint32_t levels, uint32_t height, uint64_t wait_ns);
/* The difference between two levels. */
uint64_t treeshape_step_ns(uint32_t levels, uint64_t wait_ns);

#endif
