/* witness.c - see witness.h. Places and steps have numbers, in the order in
 * which they are first met; what is said of a structure stays what it is when
 * more of them come (rows.h). */
#include "policies/progress/witness.h"

#include <stddef.h>
#include <string.h>

#include "policies/progress/rows.h"

_Static_assert((int)HCT_ORDER_WAITS == (int)DEPENDENCE_FORWARD &&
               (int)HCT_ORDER_WAITED == (int)DEPENDENCE_BACKWARD &&
               (int)HCT_PLACES_ASKED == (int)ROWS_OCCUPIED,
               "what is said is said in the same words");

#define NONE UINT32_MAX

enum { SLOTS = 4 * DICTIONARY_STATES };

struct witness {
    uint32_t nstates, nsteps, nasked;
    struct { uint64_t place; uint32_t in, pad; } asked[HCT_PLACES_ASKED];
    uint64_t place[DICTIONARY_STATES];
    struct witness_step step[DICTIONARY_STEPS];
    struct reach_edge by_number[DICTIONARY_STEPS];
    uint32_t slot_of_place[SLOTS], slot_of_step[SLOTS];   /* number + 1; 0: free */
    uint32_t seen[DICTIONARY_STEPS];    /* by which task last, */
    uint32_t task;                      /* ... counted from 1 */
    struct reach_edge edge[DICTIONARY_STEPS];   /* of that task; from here on
                                                   nothing has to be zero */
    struct rows rows;
};

static uint32_t slot_of(uint64_t from, uint64_t to)
{
    uint64_t key = (from ^ to >> 29) * 0x9e3779b97f4a7c15u ^
                   to * 0xbf58476d1ce4e5b9u;

    return (uint32_t)(key >> 40) % SLOTS;
}

/* NONE: there is no room for another one. */
static uint32_t state_of(struct witness *w, uint64_t place)
{
    uint32_t at = slot_of(place, 0);

    while (w->slot_of_place[at] && w->place[w->slot_of_place[at] - 1] != place)
        at = (at + 1) % SLOTS;
    if (!w->slot_of_place[at]) {
        if (w->nstates == DICTIONARY_STATES)
            return NONE;
        w->place[w->nstates] = place;
        w->slot_of_place[at] = ++w->nstates;
    }
    return w->slot_of_place[at] - 1;
}

static uint32_t step_of(struct witness *w, const struct witness_step *s)
{
    uint32_t at = slot_of(s->from, s->to), from, to;

    for (; w->slot_of_step[at]; at = (at + 1) % SLOTS) {
        const struct witness_step *is = &w->step[w->slot_of_step[at] - 1];

        if (is->from == s->from && is->to == s->to)
            return w->slot_of_step[at] - 1;
    }
    from = state_of(w, s->from);
    to = state_of(w, s->to);
    if (from == NONE || to == NONE || w->nsteps == DICTIONARY_STEPS)
        return NONE;
    w->step[w->nsteps] = *s;
    w->by_number[w->nsteps] = (struct reach_edge){ from, to };
    w->slot_of_step[at] = ++w->nsteps;
    return w->nsteps - 1;
}

static const struct hct_progress_place *places_of(const void *question)
{
    return (const void *)((const char *)question +
                          sizeof(struct hct_progress_question));
}

size_t witness_room(const void *question, size_t bytes)
{
    const struct hct_progress_question *q = question;
    const struct hct_progress_place *p = places_of(question);

    if (bytes < sizeof(*q) || q->size != sizeof(*q) ||
        q->nplaces > HCT_PLACES_ASKED ||
        bytes != sizeof(*q) + q->nplaces * sizeof(*p))
        return 0;
    for (uint32_t i = 0; i < q->nplaces; i++) {
        if (p[i].in > 1)
            return 0;
        for (uint32_t k = 0; k < i; k++)
            if (p[k].place == p[i].place && p[k].in == p[i].in)
                return 0;
    }
    return sizeof(struct witness);
}

struct witness *witness_open(void *room, const void *question)
{
    const struct hct_progress_question *q = question;
    const struct hct_progress_place *p = places_of(question);
    uint32_t at[HCT_PLACES_ASKED];
    struct witness *w = room;

    memset(w, 0, offsetof(struct witness, edge));
    w->nasked = q->nplaces;
    for (uint32_t i = 0; i < q->nplaces; i++) {
        w->asked[i].place = p[i].place;
        w->asked[i].in = p[i].in;
        at[i] = rows_state(state_of(w, p[i].place), p[i].in);
    }
    rows_begin(&w->rows, w->nstates, at, q->nplaces);
    return w;
}

/* Its steps, each once; DICTIONARY_STEPS + 1: there are too many. */
static uint32_t take_steps(struct witness *w, const struct witness_step *v,
                           size_t n)
{
    uint32_t k = 0;

    w->task++;
    for (size_t i = 0; i < n; i++) {
        uint32_t step = step_of(w, &v[i]);

        if (step == NONE)
            return DICTIONARY_STEPS + 1;
        if (w->seen[step] == w->task)
            continue;
        w->seen[step] = w->task;
        w->edge[k++] = w->by_number[step];
    }
    return k;
}

uint32_t witness_task(struct witness *w, uint64_t place, bool in,
                      const struct witness_step *v, size_t n)
{
    uint32_t here = 0, k;

    while (here < w->nasked && (w->asked[here].place != place ||
                                w->asked[here].in != (uint32_t)in))
        here++;
    if (here == w->nasked)
        return 0;
    k = v ? take_steps(w, v, n) : DICTIONARY_STEPS + 1;
    w->rows.nstates = w->nstates;
    if (k <= DICTIONARY_STEPS)
        rows_task(&w->rows, w->edge, k, here);
    return here + 1;
}

uint8_t witness_says(const struct witness *w, uint32_t i, uint32_t j)
{
    return w->rows.is[i][j];
}
