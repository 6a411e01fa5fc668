/* computing.c - see computing.h. The two are looked at one after the other: who is
 * stopped for a sample is compared with who is stopped as often. */
#include "master/places/computing.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { COMPUTING_SAMPLES = 48, COMPUTING_LEAST = 4, COMPUTING_DEVIATIONS = 3 };

/* A function, and how often each of the two was seen in it. */
struct spot {
    char *function, *place;     /* owned; place: where it was seen most */
    uint64_t most, seen[2];     /* of the odd one; most: in that place */
};

struct computing {
    const struct whereis_by *by;        /* borrowed, like the next */
    struct job *job;
    uint32_t rank[2];           /* the odd one, and the other */
    unsigned which;             /* who is being looked at; 2: both have been */
    struct whereis *where;      /* owned; NULL: nobody is, just now */
    struct spot *spot;          /* owned */
    size_t n, cap;
    computing_done_f *done;
    void *arg;
};

static struct spot *spot_of(struct computing *c, const char *function)
{
    struct spot *s;

    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->spot[i].function, function) == 0)
            return &c->spot[i];
    if (array_reserve(&c->spot, &c->cap, c->n + 1))
        return NULL;
    s = &c->spot[c->n];
    *s = (struct spot){ .function = strdup(function) };
    if (!s->function)
        return NULL;
    c->n++;
    return s;
}

static void on_seen(void *arg, const struct prefixtree *tree,
                    const struct prefixtree_frame *f, uint64_t traces)
{
    struct computing *c = arg;
    struct spot *s = spot_of(c, prefixtree_text(tree, f->function));
    struct str place = { 0 };

    if (!s)
        return;
    s->seen[c->which] += traces;
    if (c->which || traces <= s->most)
        return;
    whereis_add(tree, f, &place);
    free(s->place);
    s->place = str_take(&place);
    s->most = traces;
}

static void look(struct computing *c);

static void on_tree(void *arg, const struct prefixtree *tree)
{
    struct computing *c = arg;

    c->where = NULL;
    if (tree && whereis_outside(tree, on_seen, c) == 0 && ++c->which < 2)
        look(c);
    if (!c->where)
        c->done(c->arg);
}

static void look(struct computing *c)
{
    c->where = whereis_sample(c->by, c->job, c->rank[c->which],
                              COMPUTING_SAMPLES, on_tree, c);
}

/* Neighbours often do the same. */
static bool find_other(const struct job *j, uint32_t rank,
                       const struct taskset *odd, uint32_t *other)
{
    for (uint32_t i = 1; i < j->ntasks; i++) {
        *other = (rank + i) % j->ntasks;
        if (!taskset_has(odd, *other) && !j->tasks[*other].ended)
            return true;
    }
    return false;
}

struct computing *computing_start(const struct whereis_by *by, struct job *j,
                                  uint32_t rank, const struct taskset *odd,
                                  computing_done_f *done, void *arg)
{
    struct computing *c;
    uint32_t other;

    if (!by->reducer || !by->samples || !find_other(j, rank, odd, &other))
        return NULL;
    c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    *c = (struct computing){ .by = by, .job = j, .rank = { rank, other },
                             .done = done, .arg = arg };
    look(c);
    if (c->where)
        return c;
    computing_free(c);
    return NULL;
}

/* How often somebody is seen there varies, even if nothing changes. */
static uint64_t variance(uint64_t seen)
{
    uint64_t n = seen < COMPUTING_SAMPLES ? seen : COMPUTING_SAMPLES;

    return n * (COMPUTING_SAMPLES - n) / COMPUTING_SAMPLES;
}

/* The two differ by more than that. */
static bool is_more(const struct spot *s)
{
    uint64_t more = s->seen[0] > s->seen[1] ? s->seen[0] - s->seen[1] : 0;
    uint64_t varies = variance(s->seen[0]) + variance(s->seen[1]);

    return s->place && more >= COMPUTING_LEAST &&
           more * more > COMPUTING_DEVIATIONS * COMPUTING_DEVIATIONS * varies;
}

void computing_add(const struct computing *c, struct str *to)
{
    const struct spot *s = NULL;

    if (!c || c->which < 2)     /* there is nothing to compare it with */
        return;
    for (size_t i = 0; i < c->n; i++)
        if (is_more(&c->spot[i]) &&
            (!s || c->spot[i].seen[0] - c->spot[i].seen[1] >
                   s->seen[0] - s->seen[1]))
            s = &c->spot[i];
    if (s)
        str_addf(to, ", most %s: seen there %llu times of %u, task %u %llu times",
                 s->place, (unsigned long long)s->seen[0], COMPUTING_SAMPLES,
                 c->rank[1], (unsigned long long)s->seen[1]);
}

void computing_free(struct computing *c)
{
    if (!c)
        return;
    whereis_cancel(c->where);
    for (size_t i = 0; i < c->n; i++) {
        free(c->spot[i].function);
        free(c->spot[i].place);
    }
    free(c->spot);
    free(c);
}
