/* inside.c - see inside.h. */
#include "policies/outlier/inside.h"

#include <math.h>
#include <string.h>

static const uint64_t apart_ns = 60000000, apart_by_lot_ns = 80000000;
static const uint64_t patience_ns = 5000000000;
static const uint64_t long_ns = 300000000, longer_ns = 800000000;
static const uint64_t out_ns = 100000000;

enum { SUSPECTS = 6, DRAWN = 10,        /* looks at stacks, one by one */
       LEAST = 4,               /* tasks of a job */
       HITS = 3, SURE = 4,      /* looks that a task is seen in, at least */
       TO_OTHERS = 4,           /* ... for each in which another one is */
       PART = 20,               /* of the time suspicions are so far apart, */
       SHORT = 3 };             /* ... or of that, where all wait longer */
/* That it is always the same of all tasks, if each were as likely. */
#define CHANCE 1e-3

/* ------------------------------------------------------------------- when */

/* SplitMix64: looks that are as far apart as steps of the program would see the
 * same of each. */
static uint64_t lot(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t next_after(const struct inside *x,
                           const struct hct_snapshot *in)
{
    return in->now_ns + apart_ns +
           lot(in->job->seed + x->looks) % apart_by_lot_ns;
}

static void begin(struct inside *x, const struct hct_snapshot *in, bool drawn)
{
    if (x->left)
        return;
    x->left = drawn ? DRAWN : SUSPECTS;
    x->drawn = drawn;
    x->asked = false;
    x->next_ns = in->now_ns;
}

void inside_draw(struct inside *x, const struct hct_snapshot *in)
{
    if (in->nranks >= LEAST)
        begin(x, in, true);
}

bool inside_busy(const struct inside *x)
{
    return x->left > 0;
}

bool inside_many_wait(const struct hct_snapshot *in)
{
    uint32_t waiting = 0;

    for (uint32_t i = 0; i < in->nranks; i++)
        waiting += stands_waits(in, hct_rank(in, i));
    return in->nranks >= LEAST && 2 * waiting >= in->nranks;
}

/* All are in MPI, and all but one of eight have waited for some time: who is
 * out of MPI is who they wait for. */
static bool suspects(const struct hct_snapshot *in, uint64_t waited_ns)
{
    uint32_t late = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & STANDS_HELD)
            return false;
        if (stands_waits(in, k))
            late += k->age_ns >= waited_ns;
        else if (k->life != HCT_LIFE_RUNNING || !(k->flags & HCT_PAGE) ||
                 (!(k->flags & HCT_IN_MPI) && k->age_ns >= out_ns))
            return false;
    }
    return in->nranks >= LEAST &&
           8 * (uint64_t)late >= 7 * (uint64_t)in->nranks - 7;
}

static void suspect(struct inside *x, const struct hct_snapshot *in)
{
    uint64_t part_ns = (in->now_ns - x->began_ns) / PART;
    bool rests = in->now_ns < x->rest_ns;

    if (x->left || in->now_ns < x->short_rest_ns ||
        !suspects(in, rests ? longer_ns : long_ns))
        return;
    begin(x, in, false);
    part_ns = part_ns > x->every_ns ? part_ns : x->every_ns;
    x->rest_ns = in->now_ns + part_ns;
    x->short_rest_ns = in->now_ns + part_ns / SHORT;
}

/* --------------------------------------------------------------- the looks */

static bool is_same(const struct inside_one *o, const struct hct_inside *i)
{
    return o->function == i->function && o->call == i->call &&
           o->what == i->what;
}

static bool has_rank(const struct hct_inside *i, uint32_t rank)
{
    for (uint32_t k = 0; k < i->tasks && k < 4; k++)
        if (i->rank[k] == rank)
            return true;
    return false;
}

/* How often others than this one were in that function. */
static uint32_t others_of(const struct inside *x, const struct hct_inside *i,
                          uint32_t rank)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < x->n; k++)
        if (is_same(&x->v[k], i) && x->v[k].rank != rank)
            n += x->v[k].hits;
    return n;
}

static struct inside_one *find(struct inside *x, const struct hct_inside *i,
                               uint32_t rank)
{
    for (uint32_t k = 0; k < x->n; k++)
        if (is_same(&x->v[k], i) && x->v[k].rank == rank)
            return &x->v[k];
    return NULL;
}

/* In place of the one that was seen the least. */
static struct inside_one *add(struct inside *x, const struct hct_inside *i,
                              uint32_t rank)
{
    struct inside_one *o = x->v;
    uint32_t others = others_of(x, i, rank);

    for (uint32_t k = 1; k < x->n && x->n == INSIDE_MAX; k++)
        if (x->v[k].hits < o->hits)
            o = &x->v[k];
    if (x->n < INSIDE_MAX)
        o = &x->v[x->n++];
    *o = (struct inside_one){ .rank = rank, .call = i->call, .what = i->what,
        .function = i->function, .others = others, .line = i->line,
        .stays = { .rank = rank } };
    memcpy(o->name, i->name, sizeof(o->name));
    memcpy(o->file, i->file, sizeof(o->file));
    o->name[sizeof(o->name) - 1] = o->file[sizeof(o->file) - 1] = '\0';
    return o;
}

/* Whose place in the call it is to do more; or of whom too little is known. */
static bool is_role(const struct hct_snapshot *in, const struct hct_inside *i)
{
    const struct hct_rank *k = hct_rank(in, i->rank[0]);

    return !(k->flags & HCT_PAGE) ||
           (i->what != HCT_INSIDE_BEFORE && k->call == i->call &&
            (hct_call(in, i->call)->flags & HCT_CALL_ROOTED) &&
            k->peer == (int32_t)i->rank[0]);
}

/* It may have gone on since. */
static void count_stay(struct inside_one *o, const struct hct_snapshot *in)
{
    const struct hct_rank *k = hct_rank(in, o->rank);

    if (k->call != o->call || !(k->flags & HCT_IN_MPI))
        return;
    o->site = k->site;
    stands_stay(&o->stays, in, k, o->waited);
}

static void hit(struct inside *x, const struct hct_snapshot *in,
                const struct hct_inside *i)
{
    struct inside_one *o = find(x, i, i->rank[0]);

    if (!o)
        o = add(x, i, i->rank[0]);
    o->hits++;
    o->drawn += x->drawn;
    o->waited = in->waiting;
    count_stay(o, in);
}

static void count_look(struct inside *x, const struct hct_snapshot *in)
{
    for (uint32_t n = 0; n < in->ninside; n++) {
        const struct hct_inside *i = hct_inside(in, n);

        for (uint32_t k = 0; k < x->n; k++)
            if (is_same(&x->v[k], i))
                x->v[k].others += i->tasks - has_rank(i, x->v[k].rank);
    }
    for (uint32_t n = 0; n < in->ninside; n++) {
        const struct hct_inside *i = hct_inside(in, n);

        if (i->tasks == 1 && i->rank[0] < in->nranks && !is_role(in, i))
            hit(x, in, i);
    }
}

static bool somebody_is_held(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        if (hct_rank(in, i)->flags & STANDS_HELD)
            return true;
    return false;
}

/* Of those that were not read nothing is known; and who computes while most
 * of the others do keeps nobody waiting. */
static bool says_something(const struct hct_snapshot *in)
{
    return in->stacks >= LEAST &&
           4 * (uint64_t)in->stacks >= 3 * (uint64_t)in->nranks &&
           2 * in->waiting + 2 >= in->stacks && !somebody_is_held(in);
}

static void take(struct inside *x, const struct hct_snapshot *in)
{
    x->asked = false;
    x->left -= x->left > 0;
    x->next_ns = next_after(x, in);
    x->looks++;
    x->ndrawn += x->drawn;
    if (says_something(in))
        count_look(x, in);
}

/* Those that are in there still. */
static void go_on(struct inside *x, const struct hct_snapshot *in)
{
    for (uint32_t k = 0; k < x->n; k++) {
        struct inside_one *o = &x->v[k];

        if (o->stays.stay.calls && o->rank < in->nranks &&
            o->stays.stay.calls == hct_rank(in, o->rank)->calls)
            count_stay(o, in);
    }
}

bool inside_look(struct inside *x, const struct hct_snapshot *in)
{
    if (!x->began_ns)
        x->began_ns = in->now_ns;
    if (in->parts & HCT_NEED_STACKS)
        take(x, in);
    go_on(x, in);
    suspect(x, in);
    if (x->asked && in->now_ns >= x->asked_ns + patience_ns) {
        x->asked = false;       /* they cannot be had, or a slave died */
        x->left = 0;
    }
    if (!x->left || x->asked || in->now_ns < x->next_ns)
        return false;
    x->asked = true;
    x->asked_ns = in->now_ns;
    return true;
}

uint64_t inside_wake(const struct inside *x, uint64_t now_ns)
{
    if (!x->left)
        return UINT64_MAX;
    return x->asked || x->next_ns <= now_ns ? now_ns + 20000000 : x->next_ns;
}

/* ---------------------------------------------------------------- findings */

static bool is_alone(const struct inside_one *o)
{
    return o->hits >= HITS && o->others * TO_OTHERS <= o->hits;
}

uint64_t inside_cost(const struct inside *x, const struct inside_one *o,
                     uint64_t now_ns)
{
    double part = x->ndrawn && o->drawn >= HITS
                      ? (double)o->drawn / (double)x->ndrawn : 0;
    uint64_t drawn_ns = (uint64_t)(part * (double)(now_ns - x->began_ns));

    return drawn_ns > o->stays.cost_ns ? drawn_ns : o->stays.cost_ns;
}

const struct inside_one *inside_get(const struct inside *x, uint32_t k,
                                    uint64_t now_ns)
{
    for (uint32_t i = 0; i < x->n; i++) {
        uint64_t cost_ns = inside_cost(x, &x->v[i], now_ns);
        uint32_t before = 0;

        if (!is_alone(&x->v[i]) || !cost_ns)
            continue;
        for (uint32_t j = 0; j < x->n; j++) {
            uint64_t other_ns = inside_cost(x, &x->v[j], now_ns);

            before += is_alone(&x->v[j]) &&
                      (other_ns > cost_ns || (other_ns == cost_ns && j < i));
        }
        if (before == k)
            return &x->v[i];
    }
    return NULL;
}

bool inside_sure(const struct inside_one *o, uint32_t nranks)
{
    return o->what == HCT_INSIDE_BEFORE && o->hits >= SURE && !o->others &&
           pow(nranks, 1.0 - o->hits) <= CHANCE;
}
