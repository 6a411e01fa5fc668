/* dictionary.c - see dictionary.h. */
#include "policies/smm/dictionary.h"

#include <stdbool.h>
#include <string.h>

#define NONE UINT32_MAX

enum { NOWHERE, BEGINNING };    /* no places */

static uint32_t slot_of(uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) % DICTIONARY_SLOTS;
}

/* Before its first call a task is at no place: at the beginning, of all
 * alike. */
static uint64_t place_of(const struct hct_state *s)
{
    return s->place ? s->place : s->call ? NOWHERE : BEGINNING;
}

/* The slot that has it, or is free for it. */
static uint32_t find_place(const struct dictionary *d, uint64_t place)
{
    uint32_t at = slot_of(place);

    while (d->slot_of_place[at] && d->place[d->slot_of_place[at] - 1] != place)
        at = (at + 1) % DICTIONARY_SLOTS;
    return at;
}

static uint32_t find_step(const struct dictionary *d, uint32_t from,
                          uint32_t to)
{
    uint32_t at = slot_of((uint64_t)from << 32 | to);

    for (; d->slot_of_step[at]; at = (at + 1) % DICTIONARY_SLOTS) {
        const struct smm_step *s = &d->step[d->slot_of_step[at] - 1];

        if (s->from == from && s->to == to)
            break;
    }
    return at;
}

uint32_t dictionary_state(const struct dictionary *d, const struct hct_state *s)
{
    uint64_t place = place_of(s);

    return place == NOWHERE ? NONE : d->slot_of_place[find_place(d, place)] - 1;
}

uint32_t dictionary_step(const struct dictionary *d,
                         const struct hct_snapshot *in,
                         const struct hct_model *m, const struct hct_edge *e)
{
    uint32_t from = dictionary_state(d, hct_state(in, m, e->from));
    uint32_t to = dictionary_state(d, hct_state(in, m, e->to));

    return from == NONE || to == NONE
               ? NONE
               : d->slot_of_step[find_step(d, from, to)] - 1;
}

static uint32_t add_state(struct dictionary *d, const struct hct_state *s)
{
    uint64_t place = place_of(s);
    uint32_t *slot =
        place == NOWHERE ? NULL : &d->slot_of_place[find_place(d, place)];

    if (!slot || (!*slot && d->nstates == DICTIONARY_STATES))
        return NONE;
    if (!*slot) {
        d->place[d->nstates] = place;
        d->call[d->nstates] = s->call;
        *slot = ++d->nstates;
    }
    return *slot - 1;
}

static uint32_t add_step(struct dictionary *d, const struct hct_snapshot *in,
                         const struct hct_model *m, const struct hct_edge *e)
{
    uint32_t from = add_state(d, hct_state(in, m, e->from));
    uint32_t to = add_state(d, hct_state(in, m, e->to)), *slot;

    if (from == NONE || to == NONE)
        return NONE;
    slot = &d->slot_of_step[find_step(d, from, to)];
    if (!*slot && d->nsteps == DICTIONARY_STEPS)
        return NONE;
    if (!*slot) {
        d->step[d->nsteps] = (struct smm_step){ .from = from, .to = to };
        *slot = ++d->nsteps;
    }
    return *slot - 1;
}

static bool is_before(const struct smm_step *a, const struct smm_step *b)
{
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

/* By Shell, CACM 1959. */
static void sort(struct smm_step *v, uint32_t n)
{
    for (uint32_t gap = n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < n; i++)
            for (uint32_t j = i; j >= gap && is_before(&v[j], &v[j - gap]);
                 j -= gap) {
                struct smm_step other = v[j];

                v[j] = v[j - gap];
                v[j - gap] = other;
            }
}

/* Their slots are those of other numbers then. */
static void sort_steps(struct dictionary *d)
{
    uint32_t n = d->nsteps;

    sort(d->step, n);
    memset(d->slot_of_step, 0, sizeof(d->slot_of_step));
    for (uint32_t i = 0; i < n; i++)
        d->slot_of_step[find_step(d, d->step[i].from, d->step[i].to)] = i + 1;
}

/* A model with the edges that are of that time, or some more. */
static struct hct_model edges_of(const struct hct_model *m,
                                 const struct hct_when *when)
{
    struct hct_model is = *m;

    if (when->window == HCT_WINDOW_LAST) {
        is.edges = m->last;
        is.nedges = m->nlast;
    }
    return is;
}

static bool is_of(const struct hct_edge *e, const struct hct_when *when)
{
    return when->window != HCT_WINDOW_PHASE || e->phase == when->phase;
}

uint32_t dictionary_edges(const struct hct_snapshot *in,
                          const struct hct_model *m,
                          const struct hct_when *when)
{
    const struct hct_model of = edges_of(m, when);
    uint32_t n = 0;

    for (uint32_t i = 0; i < of.nedges; i++)
        n += is_of(hct_edge(in, &of, i), when);
    return n;
}

/* A task has a step once, in however many phases; seen: the model, plus 1, that
 * had it last. */
static void count(struct dictionary *d, const struct hct_snapshot *in,
                  uint32_t model, uint32_t *seen)
{
    const struct hct_model m = edges_of(hct_model(in, model), &d->when);

    for (uint32_t i = 0; i < m.nedges; i++) {
        const struct hct_edge *e = hct_edge(in, &m, i);
        uint32_t step;

        if (!is_of(e, &d->when))
            continue;
        step = add_step(d, in, &m, e);
        if (step == NONE) {
            d->left_out++;
        } else if (seen[step] != model + 1) {
            seen[step] = model + 1;
            d->step[step].support++;
        }
    }
}

uint64_t dictionary_place(const struct dictionary *d, uint32_t state)
{
    return d->place[state] == BEGINNING ? 0 : d->place[state];
}

void dictionary_make(struct dictionary *d, const struct hct_snapshot *in,
                     const uint32_t *models, uint32_t n)
{
    static const struct hct_when all;

    dictionary_make_when(d, in, models, n, &all);
}

void dictionary_make_when(struct dictionary *d, const struct hct_snapshot *in,
                          const uint32_t *models, uint32_t n,
                          const struct hct_when *when)
{
    uint32_t seen[DICTIONARY_STEPS] = { 0 };

    memset(d, 0, sizeof(*d));
    d->when = *when;
    for (uint32_t i = 0; i < n; i++)
        count(d, in, models ? models[i] : i, seen);
    sort_steps(d);
}

void dictionary_model(const struct dictionary *d, const struct hct_snapshot *in,
                      const struct hct_model *m, struct smm_edge *edge,
                      uint32_t *site)
{
    const struct hct_model of = edges_of(m, &d->when);
    struct smm all = { edge, d->nsteps };

    memset(edge, 0, d->nsteps * sizeof(*edge));
    if (site)
        memset(site, 0, d->nsteps * sizeof(*site));
    for (uint32_t i = 0; i < of.nedges; i++) {
        const struct hct_edge *e = hct_edge(in, &of, i);
        uint32_t step = is_of(e, &d->when) ? dictionary_step(d, in, &of, e)
                                           : NONE;

        if (step == NONE)
            continue;
        smm_add(&edge[step], e->n, (struct moments){ e->in_mean, e->in_m2 },
                (struct moments){ e->out_mean, e->out_m2 });
        edge[step].bytes += (double)e->n * e->bytes_mean;
        if (site)
            site[step] = hct_state(in, m, e->from)->site;
    }
    smm_finish(&all, d->step);
}
