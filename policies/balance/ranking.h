/* ranking.h - hosts by a key, the best one known at once: a tournament, of
 * which a change costs one path from the leaf to the root. */
#ifndef HECTOR_BALANCE_RANKING_H
#define HECTOR_BALANCE_RANKING_H

#include <stddef.h>
#include <stdint.h>

struct ranking {
    double *key;                /* of each; 0: not to be chosen */
    uint32_t *winner;           /* of node i: of those of 2i and 2i + 1 */
    uint32_t n, leaves;
};

size_t ranking_bytes(uint32_t n);
/* All keys are 0. */
void ranking_init(struct ranking *r, void *memory, uint32_t n);
void ranking_set(struct ranking *r, uint32_t i, double key);
/* Of several with the same key the first one. */
uint32_t ranking_best(const struct ranking *r);

#endif
