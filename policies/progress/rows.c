/* rows.c - see rows.h. */
#include "policies/progress/rows.h"

#include <string.h>

void rows_begin(struct rows *r, uint32_t nstates, const uint32_t *at, uint32_t n)
{
    r->nstates = nstates;
    r->n = n < ROWS_OCCUPIED ? n : ROWS_OCCUPIED;
    memcpy(r->at, at, r->n * sizeof(*at));
    memset(r->is, DEPENDENCE_NONE, sizeof(r->is));
    r->nkept = 0;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 29) * 0x94d049bb133111ebu;
    return x ^ x >> 32;
}

/* The same for the same steps in any order. */
static uint64_t key_of(const struct reach_edge *step, uint32_t n)
{
    uint64_t key = mix(n + 1);

    for (uint32_t i = 0; i < n; i++)
        key += mix((uint64_t)step[i].from << 32 | (step[i].to + 1));
    return key;
}

/* What a graph of these steps says of all pairs. */
static void fill(struct rows *r, const struct reach_edge *step, uint32_t n,
                 uint8_t (*to)[ROWS_OCCUPIED])
{
    struct rows_room *room = &r->room;
    struct reach_to sets = { room->can, room->always };
    uint8_t path[ROWS_OCCUPIED][ROWS_OCCUPIED];
    struct reach_graph g;

    for (uint32_t s = 0; s < r->nstates; s++)
        room->edge[s] = (struct reach_edge){ rows_state(s, true),
                                             rows_state(s, false) };
    for (uint32_t i = 0; i < n; i++)
        room->edge[r->nstates + i] =
            (struct reach_edge){ rows_state(step[i].from, false),
                                 rows_state(step[i].to, true) };
    reach_make(&g, 2 * r->nstates, room->edge, r->nstates + n, room->words);
    for (uint32_t j = 0; j < r->n; j++) {
        reach_to(&g, r->at[j], &sets, room->queue);
        for (uint32_t i = 0; i < r->n; i++)
            path[i][j] = (uint8_t)reach_of(&sets, r->at[i]);
    }
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t j = 0; j < r->n; j++)
            to[i][j] = i == j ? DEPENDENCE_NONE
                              : (uint8_t)dependence_of(path[i][j], path[j][i]);
}

/* Kept, or made anew in the last place. */
static const uint8_t *row_of(struct rows *r, const struct reach_edge *step,
                             uint32_t n, uint32_t here)
{
    uint64_t key = key_of(step, n);
    uint32_t at = 0;

    while (at < r->nkept && r->key[at] != key)
        at++;
    if (at == r->nkept) {
        if (r->nkept < ROWS_KEPT)
            r->nkept++;
        else
            at = ROWS_KEPT - 1;
        r->key[at] = key;
        fill(r, step, n, r->kept[at]);
    }
    return r->kept[at][here];
}

void rows_task(struct rows *r, const struct reach_edge *step, uint32_t nsteps,
               uint32_t here)
{
    const uint8_t *row;

    if (here >= r->n || nsteps > DICTIONARY_STEPS)
        return;
    row = row_of(r, step, nsteps, here);
    for (uint32_t j = 0; j < r->n; j++) {
        r->is[here][j] |= row[j];
        r->is[j][here] |= (uint8_t)dependence_turned((enum dependence)row[j]);
    }
}
