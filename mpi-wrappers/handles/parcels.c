/* parcels.c - what is given and taken in one collective call, see parcels.h.
 *
 * An array of counts is read only where MPI reads it. */
#include "mpi-wrappers/handles/parcels.h"

#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/handles/handle.h"
#include "mpi-wrappers/handles/type.h"

/* What a task gives to the others, or takes: elements first, then bytes; and
 * each times the number of the other one, its rank + 1. Where each member has a type
 * of its own they are bytes at once, unless the size of one is unknown. */
struct side { uint64_t sum, by_other; uintptr_t type; bool unknown; };

static uintptr_t type_at(const struct about *a, const void *types, uint32_t i)
{
    return a->traits & ABOUT_FORTRAN ? about_key(((const MPI_Fint *)types)[i])
                                     : handle_at(types, i);
}

static struct side side_by_types(const struct about *a, const struct comm *c,
                                 const struct about_side *its)
{
    uint32_t self = GET(c->shown->rank);
    struct side s = { 0 };

    for (uint32_t i = 0; i < c->size; i++) {
        uint64_t count = (uint64_t)about_count(a->traits, its->counts, i);
        int64_t each = i != self && count
                       ? type_find(type_at(a, its->types, i)) : 0;

        s.unknown |= each == TYPE_UNKNOWN;
        s.sum += count * (uint64_t)each;
        s.by_other += count * (uint64_t)each * (i + 1);
    }
    return s;
}

/* Of each other member, or, where there is a root, of all at the root and of
 * the root at the others. */
static struct side side_of(const struct about *a, const struct comm *c,
                           const struct about_side *its,
                           const struct about_side *other)
{
    uint32_t self = GET(c->shown->rank);
    bool rooted = a->traits & ABOUT_PEER, root = self == (uint32_t)a->peer;
    const void *counts = its->counts;
    struct side s = { .type = its->type };
    uint64_t n = c->size, count = (uint64_t)its->count;

    if (its->types)
        return side_by_types(a, c, its);
    if (rooted && root != (counts != NULL))
        return s;
    for (uint32_t i = 0; counts && i < c->size; i++)
        if (i != self) {
            count = (uint64_t)about_count(a->traits, counts, i);
            s.sum += count;
            s.by_other += count * (i + 1);
        }
    if (counts)
        return s;
    if (its->count == ABOUT_OWN)
        count = (uint64_t)about_count(a->traits, other->counts, self);
    s.sum = rooted ? count : count * (n - 1);
    s.by_other = count * (rooted ? (uint64_t)(uint32_t)a->peer + 1
                                 : n * (n + 1) / 2 - (self + 1));
    return s;
}

static struct side gives_of(const struct about *a, const struct comm *c)
{
    return side_of(a, c, &a->parcels->gives, &a->parcels->takes);
}

static struct side takes_of(const struct about *a, const struct comm *c)
{
    return side_of(a, c, &a->parcels->takes, &a->parcels->gives);
}

/* False: it is not known how large an element is. */
static bool in_bytes(struct side *s)
{
    int64_t each = !s->type ? 1 : s->sum ? type_find(s->type) : 0;

    if (each == TYPE_UNKNOWN || s->unknown)
        return false;
    s->sum *= (uint64_t)each;
    s->by_other *= (uint64_t)each;
    return true;
}

void parcels_enter(const struct about *a, struct comm *c, uint64_t n)
{
    struct page_comm *p = c->shown;
    struct side gives, takes;

    if (c->inter)
        return;
    gives = gives_of(a, c);
    takes = takes_of(a, c);
    if (!in_bytes(&gives) || !in_bytes(&takes))
        return;
    SET(p->seq, GET(p->seq) | 1);
    atomic_thread_fence(memory_order_release);
    SET(p->parcels_in, n);
    SET(p->gives, gives.sum);
    SET(p->gives_to, gives.by_other);
    SET(p->takes, takes.sum);
    SET(p->takes_from, takes.by_other);
    atomic_store_explicit(&p->seq, GET(p->seq) + 1, memory_order_release);
}

static void learn_types(const struct about *a, const struct comm *c,
                        const struct about_side *its)
{
    for (uint32_t i = 0; i < c->size; i++)
        if (about_count(a->traits, its->counts, i) &&
            type_find(type_at(a, its->types, i)) == TYPE_UNKNOWN)
            type_ask(type_at(a, its->types, i), a->traits & ABOUT_FORTRAN);
}

static void learn(const struct about *a, struct side s)
{
    if (s.sum && type_find(s.type) == TYPE_UNKNOWN)
        type_ask(s.type, a->traits & ABOUT_FORTRAN);
}

void parcels_leave(const struct about *a, const struct comm *c)
{
    if (!c->inter && a->parcels->gives.types) {
        learn_types(a, c, &a->parcels->gives);
        learn_types(a, c, &a->parcels->takes);
        return;
    }
    if (c->inter || (type_find(a->parcels->gives.type) != TYPE_UNKNOWN &&
                     type_find(a->parcels->takes.type) != TYPE_UNKNOWN))
        return;
    learn(a, gives_of(a, c));
    learn(a, takes_of(a, c));
}
