/* stands.c - see stands.h.
 *
 * A stay costs what others have waited meanwhile: as long as they have been in
 * their calls, and no longer than the task in its own. */
#include "policies/outlier/stands.h"

#include <string.h>

/* Of two looks: a state is read no more than twice a second. */
static const uint64_t apart_ns = 600000000;
static const uint64_t long_ns = 100000000;      /* for those who only wait */

enum { WAITING_TO_ASLEEP = 4 };

/* Calls that sleep by right are none: those that wait for processes, for input
 * and output, for MPI to begin or to end. */
bool stands_waits(const struct hct_snapshot *in, const struct hct_rank *k)
{
    const struct hct_call *c = hct_call(in, k->call);

    return k->life == HCT_LIFE_RUNNING && (k->flags & HCT_PAGE) &&
           (k->flags & HCT_OBSERVED) && (k->flags & HCT_IN_MPI) &&
           (c->flags & HCT_CALL_BLOCKING) && !(c->flags & HCT_CALL_PART) &&
           c->class_ != HCT_CLASS_IO && c->class_ != HCT_CLASS_INIT &&
           c->class_ != HCT_CLASS_FINALIZE;
}

/* Those that have been in their call for a moment are looked at, others not. */
static bool sleeps(const struct hct_rank *k)
{
    return k->own_cpu_ns && !(k->flags & (HCT_RUNS | HCT_STDIN));
}

struct scene {
    uint32_t waiting, asleep;   /* in calls that wait; of these: not running */
    uint32_t late;              /* that have been there for some time */
    bool held;                  /* somebody is, by others */
};

static struct scene scene_of(const struct hct_snapshot *in)
{
    struct scene c = { .waiting = 0 };

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        c.held = c.held || (k->flags & STANDS_HELD);
        if (!stands_waits(in, k))
            continue;
        c.waiting++;
        c.asleep += sleeps(k);
        c.late += k->age_ns >= long_ns;
    }
    return c;
}

static bool says_something(const struct scene *c, uint32_t nranks)
{
    uint32_t run = c->waiting - c->asleep;

    return !c->held && c->asleep && run >= WAITING_TO_ASLEEP * c->asleep &&
           2 * run >= nranks - c->asleep;
}

/* How long those that wait and run have done so, of the last age_ns. */
static uint64_t mean_wait(const struct hct_snapshot *in, uint64_t age_ns)
{
    double sum = 0, n = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (!stands_waits(in, k) || sleeps(k))
            continue;
        sum += (double)(k->age_ns < age_ns ? k->age_ns : age_ns);
        n++;
    }
    return n > 0 ? (uint64_t)(sum / n) : 0;
}

/* Its entry; where there is no room that of the one that costs least. */
static struct stand *entry_of(struct stands *s, uint32_t rank)
{
    struct stand *e = s->v;

    for (uint32_t i = 0; i < s->n; i++) {
        if (s->v[i].rank == rank)
            return &s->v[i];
        if (s->v[i].cost_ns < e->cost_ns)
            e = &s->v[i];
    }
    if (s->n < STANDS_MAX)
        e = &s->v[s->n++];
    *e = (struct stand){ .rank = rank };
    return e;
}

static void count(struct stand *e, const struct hct_rank *k, uint64_t cost_ns,
                  uint32_t others)
{
    if (cost_ns <= e->stay.cost_ns)
        return;
    e->stays += e->stay.cost_ns == 0;
    e->cost_ns += cost_ns - e->stay.cost_ns;
    e->stay.cost_ns = cost_ns;
    if (cost_ns < e->longest_ns)
        return;
    e->longest_ns = cost_ns;
    e->place = e->site == k->site ? e->place : 0;
    e->call = k->call;
    e->site = k->site;
    e->others = others;
}

void stands_stay(struct stand *e, const struct hct_snapshot *in,
                 const struct hct_rank *k, uint32_t others)
{
    if (e->stay.calls != k->calls)
        e->stay = (struct stay){ .calls = k->calls, .since_ns = in->now_ns };
    count(e, k, mean_wait(in, k->age_ns), others);
}

void stands_add(struct stands *s, const struct hct_snapshot *in,
                const struct hct_rank *k, uint32_t others)
{
    stands_stay(entry_of(s, k->rank), in, k, others);
}

static void look_at(struct stands *s, const struct hct_snapshot *in,
                    const struct hct_rank *k, uint32_t others)
{
    struct stand *e = entry_of(s, k->rank);
    struct stay *is = &e->stay;
    uint64_t seen_ns = in->now_ns - is->since_ns;

    if (!is->since_ns || is->calls != k->calls || k->own_cpu_ns < is->cpu_ns ||
        k->own_cpu_ns - is->cpu_ns > seen_ns / 10)
        *is = (struct stay){ .calls = k->calls, .since_ns = in->now_ns,
                             .cpu_ns = k->own_cpu_ns };
    else if (seen_ns >= apart_ns)
        count(e, k, mean_wait(in, k->age_ns), others);
}

bool stands_look(struct stands *s, const struct hct_snapshot *in)
{
    const struct scene c = scene_of(in);

    for (uint32_t i = 0; says_something(&c, in->nranks) && i < in->nranks; i++)
        if (stands_waits(in, hct_rank(in, i)) && sleeps(hct_rank(in, i)))
            look_at(s, in, hct_rank(in, i), c.waiting - c.asleep);
    return 2 * c.late >= in->nranks;
}

static uint64_t place_of(const struct stand *e, const struct hct_snapshot *in,
                         const struct hct_model *m)
{
    for (uint32_t i = 0; i < m->nstates; i++)
        if (hct_state(in, m, i)->site == e->site)
            return hct_state(in, m, i)->place;
    return e->place;
}

void stands_place(struct stands *s, const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nmodels; i++)
        for (uint32_t k = 0; k < s->n; k++)
            if (s->v[k].site && s->v[k].rank == hct_model(in, i)->rank)
                s->v[k].place = place_of(&s->v[k], in, hct_model(in, i));
}

bool stands_now(const struct stand *w, const struct hct_snapshot *in)
{
    const struct hct_rank *k = hct_rank(in, w->rank);

    return stands_waits(in, k) && k->calls == w->stay.calls;
}

bool stands_has(const struct stands *s, uint32_t rank, uint32_t call)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i].cost_ns && s->v[i].rank == rank && s->v[i].call == call)
            return true;
    return false;
}

const struct stand *stands_get(const struct stands *s, uint32_t k)
{
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t before = 0;

        for (uint32_t j = 0; j < s->n; j++)
            before += s->v[j].cost_ns > s->v[i].cost_ns ||
                      (s->v[j].cost_ns == s->v[i].cost_ns && j < i);
        if (before == k)
            return s->v[i].cost_ns ? &s->v[i] : NULL;
    }
    return NULL;
}
