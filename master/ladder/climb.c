/* climb.c - see climb.h. */
#include "master/ladder/climb.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double climb_least = 0.02, /* a gain that is worth a step */
    climb_more = 1.25,      /* what costs others more has to bring more */
    climb_alike = 1.2,      /* measured speeds of nodes that are as fast */
    climb_idle = 0.25,      /* processors that a node without tasks takes */
    climb_calm_weight = 15, /* of nice 19, by the kernel */
    climb_same = 0.8,       /* of the pressure: as much */
    climb_enough = 1e-9;

static const struct { const char *name, *words; } kinds[CLIMB_KINDS] = {
#define X(name, word, done) [CLIMB_##name] = { word, done },
    RUNG_KINDS(X)
#undef X
};

const char *climb_name(enum climb_kind k)
{
    return kinds[k].name;
}

const char *climb_words(enum climb_kind k)
{
    return kinds[k].words;
}

enum climb_kind climb_find(const char *name)
{
    unsigned k = 0;

    while (k < CLIMB_KINDS && strcmp(kinds[k].name, name) != 0)
        k++;
    return (enum climb_kind)k;
}

/* -------------------------------------------------------------- processors */

static double count(const struct climb_cpus *c)
{
    int n = 0;

    for (size_t i = 0; i < CLIMB_CPUS / 64; i++)
        n += __builtin_popcountll(c->w[i]);
    return n;
}

static struct climb_cpus both(const struct climb_cpus *a,
                              const struct climb_cpus *b)
{
    struct climb_cpus c;

    for (size_t i = 0; i < CLIMB_CPUS / 64; i++)
        c.w[i] = a->w[i] & b->w[i];
    return c;
}

static struct climb_cpus cpus_of(const struct climb_in *in,
                                 const struct climb_share *s)
{
    const struct climb_node *n = &in->nodes[s->node];
    struct climb_cpus c = both(&s->cpus, &n->cpus);

    return count(&c) > 0 ? c : n->cpus;
}

static double count_of(const struct climb_in *in, const struct climb_share *s)
{
    const struct climb_cpus c = cpus_of(in, s);

    return count(&c);
}

/* ------------------------------------------------------------------- model */

static double wants(const struct climb_share *s)
{
    return s->wanted >= 0 ? s->wanted : s->tasks;
}

static const struct climb_share *share_of(const struct climb_in *in,
                                          uint32_t job, uint32_t node)
{
    for (size_t i = 0; i < in->nshares; i++)
        if (in->shares[i].job == job && in->shares[i].node == node)
            return &in->shares[i];
    return NULL;
}

/* Of what s wants so much falls on the processors of the other. */
static double weighs_on(const struct climb_in *in, const struct climb_share *s,
                        const struct climb_share *other)
{
    const struct climb_cpus its = cpus_of(in, s), mine = cpus_of(in, other),
                            c = both(&its, &mine);

    return wants(s) * count(&c) / count(&its);
}

/* Processors of rt that others want, of jobs or not. */
static double of_others(const struct climb_in *in, const struct climb_share *rt)
{
    const struct climb_node *n = &in->nodes[rt->node];
    double wanted = n->others * count_of(in, rt) / fmax(1, count(&n->cpus));

    for (size_t i = 0; i < in->nshares; i++) {
        const struct climb_share *s = &in->shares[i];

        if (s->node == rt->node && s->job != rt->job && !in->jobs[s->job].held)
            wanted += weighs_on(in, s, rt);
    }
    return wanted;
}

/* Processors that are missing where rt is. */
static double too_few(const struct climb_in *in, const struct climb_share *rt)
{
    double own = in->jobs[rt->job].held ? 0 : wants(rt);

    return fmax(0, of_others(in, rt) + own - count_of(in, rt));
}

/* The part of its time in which it waits for a processor. */
static double kept(const struct climb_in *in, const struct climb_share *rt)
{
    double few = too_few(in, rt);

    if (rt->wanted >= 0)
        return rt->wanted > 0 ? fmin(1, fmax(0, 1 - rt->ran / rt->wanted)) : 0;
    return few / (few + count_of(in, rt));
}

/* What a step takes off each node: a job, on one node or all; or, where that job
 * is the one it is for, of all others what more weight takes off. */
struct relief {
    uint32_t job, node;         /* UINT32_MAX: on all */
    double part;                /* of what it wants */
};

static bool has_more(const struct climb_share *s)
{
    return s->tasks && s->more > s->weight;
}

static double taken_off(const struct climb_in *in, const struct climb_share *rt,
                        const struct relief *r)
{
    const struct climb_share *s = r ? share_of(in, r->job, rt->node) : NULL;

    if (s == rt)
        return has_more(rt) ? (1 - rt->weight / rt->more) * of_others(in, rt) : 0;
    if (!s || (r->node != UINT32_MAX && r->node != rt->node) ||
        in->jobs[s->job].held)
        return 0;
    return r->part * weighs_on(in, s, rt);
}

static double rate_on(const struct climb_in *in, const struct climb_share *rt,
                      const struct relief *r)
{
    double few = too_few(in, rt), is = kept(in, rt), off = taken_off(in, rt, r);

    if (few > 0)
        is -= fmin(is, few / (few + count_of(in, rt))) * fmin(1, off / few);
    return fmax(1e-3, (1 - is) * in->nodes[rt->node].speed);
}

static double rate(const struct climb_in *in, const struct relief *r,
                   uint32_t *slowest)
{
    double least = INFINITY;

    for (size_t i = 0; i < in->nshares; i++) {
        const struct climb_share *rt = &in->shares[i];
        double x;

        if (rt->job != in->job || !rt->tasks)
            continue;
        x = rate_on(in, rt, r);
        if (x < least && slowest)
            *slowest = rt->node;
        least = fmin(least, x);
    }
    return least;
}

static double margin_at(const struct climb_in *in, double now, double then)
{
    return then > now ? 1 - (1 - in->due.margin) * now / then : in->due.margin;
}

static double margin_after(const struct climb_in *in, const struct relief *r)
{
    return margin_at(in, rate(in, NULL, NULL), rate(in, r, NULL));
}

double climb_pressure(const struct climb_in *in)
{
    double most = 0;

    for (size_t i = 0; i < in->nshares; i++) {
        const struct climb_share *rt = &in->shares[i];
        const struct climb_node *n = &in->nodes[rt->node];
        const struct climb_cpus mine = cpus_of(in, rt);
        double all = n->others * count(&mine) / fmax(1, count(&n->cpus));

        if (rt->job != in->job || !rt->tasks)
            continue;
        for (size_t k = 0; k < in->nshares; k++)
            if (in->shares[k].node == rt->node && in->shares[k].job != in->job)
                all += weighs_on(in, &in->shares[k], rt);
        most = fmax(most, all);
    }
    return most;
}

/* --------------------------------------------------------------- may it be? */

static bool less_important(const struct climb_job *a, const struct climb_job *b)
{
    return a->class != b->class ? a->class < b->class
                                : a->priority < b->priority;
}

static bool may_touch(const struct climb_in *in, const struct climb_job *x)
{
    const struct climb_job *rt = &in->jobs[in->job];

    return x != rt && (in->any_user || x->uid == rt->uid) &&
           less_important(x, rt) && !x->due && (x->going || x->held);
}

/* The first that is to suffer: less important, then started later. */
static bool before(const struct climb_job *a, const struct climb_job *b)
{
    if (less_important(a, b) != less_important(b, a))
        return less_important(a, b);
    if (a->started_ns != b->started_ns)
        return a->started_ns > b->started_ns;
    return a->id > b->id;
}

/* ------------------------------------------------------------------- steps */

struct climbing {
    const struct climb_in *in;
    struct climb_step *best;    /* so far; with gain 0: none */
    bool enough;                /* it leads to the margin that is wanted */
};

static void offer(struct climbing *c, struct climb_step s, double margin)
{
    if (c->enough)
        return;
    s.margin = margin;
    s.gain = margin - c->in->due.margin;
    if (s.gain < climb_least)
        return;
    c->enough = margin >= c->in->due.want - climb_enough;
    if (c->enough || s.gain > c->best->gain * climb_more)
        *c->best = s;
}

static bool rests(const struct climb_job *j, enum climb_kind k)
{
    return j->rests & 1u << k;
}

/* Where both are; NULL: nowhere that matters. */
static const struct climb_share *meets(const struct climb_in *in, uint32_t job,
                                       size_t *at)
{
    for (; *at < in->nshares; (*at)++) {
        const struct climb_share *s = &in->shares[*at],
            *rt = share_of(in, in->job, s->node);

        if (s->job == job && rt && rt->tasks && s->tasks) {
            (*at)++;
            return s;
        }
    }
    return NULL;
}

static void try_calm(struct climbing *c, uint32_t job)
{
    struct relief r = { job, UINT32_MAX, 0 };
    const struct climb_share *s;

    for (size_t at = 0; (s = meets(c->in, job, &at)); )
        if (s->can_calm && !s->calm)
            r.part = fmax(r.part, 1 - climb_calm_weight /
                                      fmax(climb_calm_weight, s->weight));
    if (r.part > 0 && c->in->jobs[job].going)
        offer(c, (struct climb_step){ .kind = CLIMB_CALM, .job = job },
              margin_after(c->in, &r));
}

static void try_raise(struct climbing *c)
{
    const struct climb_in *in = c->in;
    const struct relief r = { in->job, UINT32_MAX, 0 };

    if (in->jobs[in->job].going && !rests(&in->jobs[in->job], CLIMB_RAISE))
        offer(c, (struct climb_step){ .kind = CLIMB_RAISE, .job = in->job },
              margin_after(in, &r));
}

/* Only where the real-time tasks leave processors to others. */
static void try_aside(struct climbing *c, uint32_t job)
{
    struct relief r = { job, UINT32_MAX, 0 };
    const struct climb_share *s;

    for (size_t at = 0; (s = meets(c->in, job, &at)); ) {
        const struct climb_share *rt = share_of(c->in, c->in->job, s->node);
        const struct climb_cpus mine = cpus_of(c->in, rt);
        double all = count(&c->in->nodes[s->node].cpus);

        if (s->can_aside && !s->aside &&
            (count(&mine) < all || rt->tasks < all))
            r.part = 1;
    }
    if (r.part > 0 && c->in->jobs[job].going)
        offer(c, (struct climb_step){ .kind = CLIMB_ASIDE, .job = job },
              margin_after(c->in, &r));
}

static bool may_stand(const struct climb_in *in, const struct climb_job *j)
{
    return in->due.firm || j->may_s > 0;
}

static void try_suspend(struct climbing *c, uint32_t job)
{
    const struct relief r = { job, UINT32_MAX, 1 };
    const struct climb_job *j = &c->in->jobs[job];

    if (j->going && may_stand(c->in, j))
        offer(c, (struct climb_step){ .kind = CLIMB_SUSPEND, .job = job },
              margin_after(c->in, &r));
}

/* What of the margin is missing where memory is short is put down to that. */
static void try_store(struct climbing *c, uint32_t job)
{
    const struct climb_in *in = c->in;
    const struct climb_job *j = &in->jobs[job];
    const struct relief r = { job, UINT32_MAX, 1 };
    const struct climb_share *s;
    double part = 0, margin;

    for (size_t at = 0; (s = meets(in, job, &at)); ) {
        uint64_t few = in->nodes[s->node].short_bytes;

        if (few)
            part = fmax(part, fmin(1, (double)s->bytes / (double)few));
    }
    if (part == 0 || !j->storable || !j->going || !may_stand(in, j))
        return;
    margin = in->due.margin + part * fmax(0, in->due.want - in->due.margin);
    offer(c, (struct climb_step){ .kind = CLIMB_STORE, .job = job },
          fmax(margin, margin_after(in, &r)));
}

/* Processors there that nobody wants, or who is less important than one. */
static double room(const struct climb_in *in, uint32_t node,
                   const struct climb_job *for_job)
{
    double left = count(&in->nodes[node].cpus) - in->nodes[node].others;

    for (size_t i = 0; i < in->nshares; i++)
        if (in->shares[i].node == node && !in->jobs[in->shares[i].job].held &&
            !(for_job && less_important(&in->jobs[in->shares[i].job], for_job)))
            left -= wants(&in->shares[i]);
    return left;
}

static void try_leave(struct climbing *c, uint32_t job)
{
    const struct climb_in *in = c->in;
    const struct climb_share *s;

    for (size_t at = 0; in->jobs[job].movable && in->jobs[job].going &&
                        (s = meets(in, job, &at)); ) {
        const struct relief r = { job, s->node, 1 };

        for (uint32_t to = 0; to < in->nnodes; to++) {
            const struct climb_node *n = &in->nodes[to];

            if (to != s->node && n->takes && !share_of(in, in->job, to) &&
                n->speed <= climb_alike * in->nodes[s->node].speed &&
                room(in, to, NULL) >= s->tasks - climb_idle)
                offer(c, (struct climb_step){ .kind = CLIMB_LEAVE, .job = job,
                                              .node = s->node, .to = to },
                      margin_after(in, &r));
        }
    }
}

/* In what is left of the margin; or, where they are missed anyway, in the time
 * of no more of them than have been missed by now. */
static bool fits(const struct climb_in *in, double pause_s)
{
    double limit_s = (double)in->due.limit_ns / 1e9;

    if (pause_s <= fmax(0, in->due.margin) * limit_s)
        return true;
    return in->due.missed && !in->due.firm &&
           pause_s / limit_s <= (double)in->due.missed;
}

static double pause_of(const struct climb_in *in, const struct climb_share *s)
{
    return in->moves.base_s + (double)s->bytes / fmax(1, in->moves.bytes_s);
}

/* The others of its tasks are where they were. */
static double rate_elsewhere(const struct climb_in *in, uint32_t from,
                             double there)
{
    double least = there;

    for (size_t i = 0; i < in->nshares; i++) {
        const struct climb_share *rt = &in->shares[i];

        if (rt->job == in->job && rt->tasks && rt->node != from)
            least = fmin(least, rate_on(in, rt, NULL));
    }
    return least;
}

static void try_faster(struct climbing *c)
{
    const struct climb_in *in = c->in;
    const struct climb_job *j = &in->jobs[in->job];
    uint32_t from = UINT32_MAX;
    double now = rate(in, NULL, &from);
    const struct climb_share *s = from < in->nnodes
                                  ? share_of(in, in->job, from) : NULL;

    if (!s || !j->movable || !j->going || rests(j, CLIMB_FASTER) ||
        !fits(in, pause_of(in, s)))
        return;
    for (uint32_t to = 0; to < in->nnodes; to++) {
        double left = room(in, to, j);
        double there = in->nodes[to].speed * fmin(1, left / s->tasks), then;

        if (to == from || !in->nodes[to].takes || share_of(in, in->job, to) ||
            left <= 0)
            continue;
        then = now + (rate_elsewhere(in, from, there) - now) *
                         (1 - in->moves.risk);
        offer(c, (struct climb_step){ .kind = CLIMB_FASTER, .job = in->job,
                                      .node = from, .to = to,
                                      .pause_s = pause_of(in, s) },
              margin_at(in, now, then));
    }
}

/* -------------------------------------------------------------- the way up */

static void say(const struct climb_in *in, struct climb_step *s)
{
    char what[80];

    if (s->kind == CLIMB_FASTER)
        snprintf(what, sizeof(what), "its own tasks, with a pause of %.3g s",
                 s->pause_s);
    else if (s->kind == CLIMB_RAISE)
        snprintf(what, sizeof(what), "its own tasks");
    else
        snprintf(what, sizeof(what), "job %" PRIu64 " of priority %d",
                 in->jobs[s->job].id, in->jobs[s->job].priority);
    snprintf(s->why, sizeof(s->why),
             "margin %.0f %%, %.0f %% wanted; %s: %.0f %% "
             "expected",
             100 * in->due.margin, 100 * in->due.want, what, 100 * s->margin);
}

static void say_none(const struct climb_in *in, struct climb_step *s)
{
    bool starved = false, any = false;

    for (size_t i = 0; i < in->nshares; i++)
        starved |= in->shares[i].job == in->job && in->shares[i].tasks &&
                   kept(in, &in->shares[i]) > climb_least;
    for (uint32_t i = 0; i < in->njobs; i++) {
        size_t at = 0;

        any |= may_touch(in, &in->jobs[i]) && meets(in, i, &at);
    }
    snprintf(s->why, sizeof(s->why), "%s",
             !starved ? "its tasks do not wait for processors"
             : !any
                 ? "there is no less important job beside it that may give way"
                 : "nothing that may be done would help");
}

/* Of others, each in turn, or of itself. */
static const struct {
    void (*of)(struct climbing *c, uint32_t job);
    void (*own)(struct climbing *c);
} tries[CLIMB_KINDS] = {
    [CLIMB_CALM] = { .of = try_calm }, [CLIMB_RAISE] = { .own = try_raise },
    [CLIMB_ASIDE] = { .of = try_aside }, [CLIMB_SUSPEND] = { .of = try_suspend },
    [CLIMB_STORE] = { .of = try_store }, [CLIMB_LEAVE] = { .of = try_leave },
    [CLIMB_FASTER] = { .own = try_faster },
};

bool climb_knows(const struct climb_in *in)
{
    for (size_t i = 0; i < in->nshares; i++) {
        const struct climb_share *s = &in->shares[i];

        if (s->tasks && in->jobs[s->job].going && count(&s->cpus) == 0 &&
            share_of(in, in->job, s->node))
            return false;
    }
    return true;
}

/* The next one behind `last` in the order of who is to suffer. */
static int64_t next_job(const struct climb_in *in, int64_t last)
{
    int64_t next = -1;

    for (uint32_t i = 0; i < in->njobs; i++) {
        if (!may_touch(in, &in->jobs[i]) || i == last ||
            (last >= 0 && !before(&in->jobs[last], &in->jobs[i])))
            continue;
        if (next < 0 || before(&in->jobs[i], &in->jobs[next]))
            next = i;
    }
    return next;
}

bool climb_up(const struct climb_in *in, struct climb_step *step)
{
    struct climbing c = { in, step, false };

    *step = (struct climb_step){ .kind = CLIMB_KINDS };
    for (unsigned k = 0; k < CLIMB_KINDS && !c.enough; k++) {
        if (tries[k].own) {
            tries[k].own(&c);
            continue;
        }
        for (int64_t j = -1; (j = next_job(in, j)) >= 0; )
            if (!rests(&in->jobs[j], (enum climb_kind)k))
                tries[k].of(&c, (uint32_t)j);
    }
    if (step->kind == CLIMB_KINDS) {
        say_none(in, step);
        return false;
    }
    say(in, step);
    return true;
}

static bool is_needed(const struct climb_stand *v, const struct climb_mood *mood)
{
    return (v->kind == CLIMB_CALM || v->kind == CLIMB_RAISE ||
            v->kind == CLIMB_ASIDE) &&
           v->pressure > 0 && mood->pressure >= climb_same * v->pressure;
}

enum climb_down climb_down(const struct climb_stand *v, size_t n,
                           const struct climb_mood *mood, size_t *which)
{
    for (size_t i = n; i-- > 0; )
        if ((v[i].kind == CLIMB_SUSPEND || v[i].kind == CLIMB_STORE) &&
            !mood->firm && v[i].may_s <= 0) {
            *which = i;
            return CLIMB_USED;
        }
    if (!mood->may_undo)
        return CLIMB_STAY;
    for (size_t i = n; i-- > 0; ) {
        if (v[i].kind == CLIMB_LEAVE || v[i].kind == CLIMB_FASTER)
            continue;
        *which = i;
        if (is_needed(&v[i], mood))
            return CLIMB_STAY;
        return v[i].stood_s >= mood->dwell_s ? CLIMB_GOOD : CLIMB_STAY;
    }
    return CLIMB_STAY;
}
