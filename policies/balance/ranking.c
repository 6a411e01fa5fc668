/* ranking.c - see ranking.h. */
#include "policies/balance/ranking.h"

static uint32_t leaves_of(uint32_t n)
{
    uint32_t leaves = 1;

    while (leaves < n)
        leaves *= 2;
    return leaves;
}

size_t ranking_bytes(uint32_t n)
{
    size_t leaves = leaves_of(n);

    return leaves * sizeof(double) + 2 * leaves * sizeof(uint32_t);
}

static uint32_t better(const struct ranking *r, uint32_t a, uint32_t b)
{
    return r->key[b] > r->key[a] ? b : a;
}

void ranking_init(struct ranking *r, void *memory, uint32_t n)
{
    r->n = n;
    r->leaves = leaves_of(n);
    r->key = memory;
    r->winner = (uint32_t *)(void *)(r->key + r->leaves);
    for (uint32_t i = 0; i < r->leaves; i++) {
        r->key[i] = 0;
        r->winner[r->leaves + i] = i;
    }
    for (uint32_t i = r->leaves - 1; i > 0; i--)
        r->winner[i] = r->winner[2 * i];
}

void ranking_set(struct ranking *r, uint32_t i, double key)
{
    if (key == r->key[i])
        return;
    r->key[i] = key;
    for (uint32_t k = (r->leaves + i) / 2; k > 0; k /= 2) {
        uint32_t was = r->winner[k];

        r->winner[k] = better(r, r->winner[2 * k], r->winner[2 * k + 1]);
        if (r->winner[k] == was && was != i)
            return;             /* it is not in what is above either */
    }
}

uint32_t ranking_best(const struct ranking *r)
{
    return r->winner[1];
}
