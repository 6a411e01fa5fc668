/* traffic.c - see traffic.h. */
#include "master/optimize/traffic.h"

#include <stdlib.h>

#include "proto/base/array.h"

void traffic_fini(struct traffic *t)
{
    free(t->v);
    *t = (struct traffic){ .n = 0 };
}

static int in_order(const void *a, const void *b)
{
    const struct hct_traffic *x = a, *y = b;

    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Each of the two has told what it sends. */
static void join(struct traffic *t, size_t from)
{
    size_t n = from;

    qsort(t->v + from, t->n - from, sizeof(*t->v), in_order);
    for (size_t i = from; i < t->n; i++)
        if (n > from && in_order(&t->v[n - 1], &t->v[i]) == 0)
            t->v[n - 1].bytes_s += t->v[i].bytes_s;
        else
            t->v[n++] = t->v[i];
    t->n = n;
}

/* A member of a communicator. */
struct member {
    uint64_t comm;
    uint32_t rank, size, seat;
    double bytes_s;
};

static int by_rank(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void add_pair(struct traffic *t, uint32_t a, uint32_t b, double bytes_s)
{
    if (a != b)
        t->v[t->n++] = (struct hct_traffic){ a < b ? a : b, a < b ? b : a,
                                             bytes_s };
}

/* From each to the next one, and from the last to the first: of neighbours that
 * are known. Room for a pair for each has been made. */
static void add_rings(struct traffic *t, struct member *v, size_t n)
{
    qsort(v, n, sizeof(*v), by_rank);
    for (size_t i = 0, first = 0; i < n; i++) {
        const struct member *next = &v[i + 1];

        if (i && v[i].comm != v[i - 1].comm)
            first = i;
        if (i + 1 == n || v[i + 1].comm != v[i].comm)
            next = &v[first];
        if (next->rank == (v[i].rank + 1) % v[i].size)
            add_pair(t, v[i].seat, next->seat, v[i].bytes_s);
    }
}

static int add_collectives(struct traffic *t, const struct job *j,
                           const uint32_t *seat_of)
{
    struct member *v = calloc((size_t)j->ntasks * EFFORT_COMMS + 1, sizeof(*v));
    size_t n = 0;

    for (uint32_t r = 0; v && r < j->ntasks; r++) {
        const struct effort *e = effort_of(j, r);

        for (int i = 0; e && seat_of[r] != HCT_NOWHERE && i < EFFORT_COMMS; i++)
            if (e->comm[i].id)
                v[n++] = (struct member){ e->comm[i].id, e->comm[i].rank,
                                          e->comm[i].size, seat_of[r],
                                          (double)e->comm[i].bytes_s };
    }
    if (!v || array_reserve(&t->v, &t->cap, t->n + n)) {
        free(v);
        return -1;
    }
    add_rings(t, v, n);
    free(v);
    return 0;
}

int traffic_add(struct traffic *t, const struct job *j, const uint32_t *seat_of)
{
    size_t from = t->n;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct effort *e = effort_of(j, r);

        if (!e || seat_of[r] == HCT_NOWHERE)
            continue;
        if (array_reserve(&t->v, &t->cap, t->n + EFFORT_PARTNERS))
            return -1;
        for (uint32_t i = 0; i < e->npartners; i++) {
            uint32_t a = seat_of[r], b = seat_of[e->partner[i].rank];

            if (b != HCT_NOWHERE)
                add_pair(t, a, b, (double)e->partner[i].bytes_s);
        }
    }
    if (j->course && j->course->nefforts &&
        add_collectives(t, j, seat_of))
        return -1;
    if (t->n > from)
        join(t, from);
    return 0;
}
