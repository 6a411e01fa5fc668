/* whereabouts.c - see whereabouts.h. */
#include "proto/model/whereabouts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(HCT_PLACES_MAX <= UINT8_MAX, "the number of a place is a byte");

struct whereabouts *whereabouts_create(uint32_t width, struct err *err)
{
    struct whereabouts *w = calloc(1, sizeof(*w) + width);

    if (!w)
        return err_memory(err), NULL;
    w->width = width;
    return w;
}

/* ------------------------------------------------------------------ places */

/* The number of that place, from 1; 0: there is no room for it. */
static uint8_t number_of(struct whereabouts *w, const struct hct_place *is)
{
    uint32_t i = 0;

    while (i < w->nplaces &&
           (w->place[i].place != is->place || w->place[i].call != is->call ||
            w->place[i].in != is->in || w->place[i].asked != is->asked))
        i++;
    if (i == HCT_PLACES_MAX)
        return 0;
    if (i == w->nplaces) {
        w->place[w->nplaces++] = *is;
        w->place[i].tasks = 0;
    }
    return (uint8_t)(i + 1);
}

void whereabouts_put(struct whereabouts *w, uint32_t position,
                     const struct hct_place *place)
{
    uint8_t number = number_of(w, place);

    w->at[position] = number;
    if (number)
        w->place[number - 1].tasks++;
}

/* ------------------------------------------------------------------- pairs */

static uint32_t pair_of(uint32_t i, uint32_t j)
{
    return j * (j - 1) / 2 + i;
}

static uint8_t turned(uint8_t order)
{
    return (uint8_t)((order & 1) << 1 | (order & 2) >> 1);
}

void whereabouts_say(struct whereabouts *w, uint32_t i, uint32_t j,
                     uint8_t order)
{
    uint32_t pair = i < j ? pair_of(i, j) : pair_of(j, i);

    w->order[pair / 4] |= (uint8_t)((i < j ? order : turned(order))
                                    << pair % 4 * 2);
}

uint8_t whereabouts_says(const struct whereabouts *w, uint32_t i, uint32_t j)
{
    uint32_t pair = i < j ? pair_of(i, j) : pair_of(j, i);
    uint8_t order = w->order[pair / 4] >> pair % 4 * 2 & 3;

    return i < j ? order : turned(order);
}

void whereabouts_merge(struct whereabouts *w, const struct whereabouts *part,
                       uint32_t at)
{
    uint8_t number[HCT_PLACES_MAX + 1] = { 0 };

    for (uint32_t i = 0; i < part->nplaces; i++) {
        number[i + 1] = number_of(w, &part->place[i]);
        if (number[i + 1])
            w->place[number[i + 1] - 1].tasks += part->place[i].tasks;
    }
    for (uint32_t i = 0; i < part->width; i++)
        w->at[at + i] = number[part->at[i]];
    for (size_t i = 0; i < sizeof(w->order); i++)
        w->order[i] |= part->order[i];
}

/* ------------------------------------------------------------------- bytes */

/* Pairs of at; returns how many numbers. v has room for two of each. */
static size_t runs_of(const uint8_t *at, uint32_t n, uint32_t *v)
{
    size_t k = 0;

    for (uint32_t i = 0, first; i < n; ) {
        for (first = i; i < n && at[i] == at[first]; i++)
            ;
        v[k++] = i - first;
        v[k++] = at[first];
    }
    return k;
}

static int pack(const struct whereabouts *w, const uint8_t *at, uint32_t width,
                uint32_t *runs, struct str *out, struct err *err)
{
    Hct__Whereabouts m = HCT__WHEREABOUTS__INIT;
    Hct__Whereabouts__Place p[HCT_PLACES_MAX], *ps[HCT_PLACES_MAX];
    uint8_t *bytes;
    size_t n;

    for (uint32_t i = 0; i < w->nplaces; i++) {
        hct__whereabouts__place__init(ps[i] = &p[i]);
        p[i].place = w->place[i].place;
        p[i].call = w->place[i].call;
        p[i].in = w->place[i].in;
        p[i].asked = w->place[i].asked;
    }
    m.places = ps;
    m.n_places = w->nplaces;
    m.runs = runs;
    m.n_runs = runs_of(at, width, runs);
    m.orders.data = (uint8_t *)w->order;
    m.orders.len = sizeof(w->order);
    while (m.orders.len && !w->order[m.orders.len - 1])
        m.orders.len--;
    n = hct__whereabouts__get_packed_size(&m);
    if (!(bytes = malloc(n + 1)))
        return err_memory(err);
    hct__whereabouts__pack(&m, bytes);
    str_add_bytes(out, bytes, n);
    free(bytes);
    return str_failed(out) ? err_memory(err) : 0;
}

int whereabouts_write(const struct whereabouts *w, const uint32_t *rank_of,
                      uint32_t ntasks, struct str *out, struct err *err)
{
    uint32_t width = rank_of ? ntasks : w->width;
    uint32_t *runs = malloc((2 * (size_t)width + 1) * sizeof(*runs));
    uint8_t *by_rank = rank_of ? calloc(width + 1, 1) : NULL;
    int rc;

    if (by_rank)
        for (uint32_t i = 0; i < w->width; i++)
            by_rank[rank_of[i]] = w->at[i];
    rc = !runs || (rank_of && !by_rank)
             ? err_memory(err)
             : pack(w, by_rank ? by_rank : w->at, width, runs, out, err);
    free(runs);
    free(by_rank);
    return rc;
}

static bool take_places(struct whereabouts *w, const Hct__Whereabouts *m)
{
    if (m->n_places > HCT_PLACES_MAX)
        return false;
    for (size_t i = 0; i < m->n_places; i++) {
        const Hct__Whereabouts__Place *p = m->places[i];
        const struct hct_place is = { p->place, p->call, p->in, p->asked, 0 };

        if (p->in > 1 || p->asked > HCT_PLACES_ASKED || number_of(w, &is) != i + 1)
            return false;
    }
    return true;
}

static bool take_runs(struct whereabouts *w, const Hct__Whereabouts *m)
{
    uint32_t at = 0;

    if (m->n_runs % 2)
        return false;
    for (size_t i = 0; i < m->n_runs; i += 2) {
        uint32_t n = m->runs[i], number = m->runs[i + 1];

        if (n > w->width - at || number > w->nplaces)
            return false;
        memset(w->at + at, (int)number, n);
        if (number)
            w->place[number - 1].tasks += n;
        at += n;
    }
    return at == w->width;
}

/* Only of places where it has a task. */
static bool take_orders(struct whereabouts *w, const Hct__Whereabouts *m)
{
    bool here[HCT_PLACES_ASKED] = { false };

    if (m->orders.len > sizeof(w->order))
        return false;
    if (m->orders.len)
        memcpy(w->order, m->orders.data, m->orders.len);
    for (uint32_t i = 0; i < w->nplaces; i++) {
        if (!w->place[i].tasks)
            return false;
        if (w->place[i].asked)
            here[w->place[i].asked - 1] = true;
    }
    for (uint32_t j = 1; j < HCT_PLACES_ASKED; j++)
        for (uint32_t i = 0; i < j; i++)
            if (whereabouts_says(w, i, j) && !here[i] && !here[j])
                return false;
    return true;
}

struct whereabouts *whereabouts_read(const uint8_t *bytes, size_t n,
                                     uint32_t width, struct err *err)
{
    Hct__Whereabouts *m = hct__whereabouts__unpack(NULL, n, bytes);
    struct whereabouts *w = NULL;
    bool fits = false;

    if (m && (w = whereabouts_create(width, err)))
        fits = take_places(w, m) && take_runs(w, m) && take_orders(w, m);
    else if (!m)
        err_set(err, EBADMSG, "this is not where tasks are");
    if (m)
        hct__whereabouts__free_unpacked(m, NULL);
    if (w && !fits) {
        err_set(err, EBADMSG, "whereabouts that make no sense");
        free(w);
        w = NULL;
    }
    return w;
}
