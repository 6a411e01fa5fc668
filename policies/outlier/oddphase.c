/* oddphase.c - see oddphase.h. */
#include "policies/outlier/oddphase.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* So much further than ever: as far as one step alone can make it, which is all
 * of both densities apart (lknorm.h); and so many times. What is nearer than
 * SAME is the same (groups.c). */
#define FAR_MORE 2.0
#define FAR_TIMES 3.0
#define SAME 1.0
/* A task that is slow is so by the policy's measure already. */
#define SLOW_TIMES 1.25
/* Of two that differ as much the first is the one. */
#define CLEARLY 1.1

enum { LIKE_LEAST = 2,          /* earlier phases of the same kind */
       ODDPHASE_ASKED = 64 };

/* ------------------------------------------------------------------- names */

/* Of a tag's text, as the wrapper library makes it (FNV-1a, of 32 bits). */
static uint32_t id_of(const char *text)
{
    uint32_t h = 2166136261u;

    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return h ? h : 1;
}

/* A tag that has not begun the phase says nothing about it. */
static struct oddphase_name name_of(const struct hct_rank *k)
{
    struct oddphase_name is = { .phase = k->phase, .id = k->phase_id };

    if (k->tag_text[0] && id_of(k->tag_text) == k->phase_id)
        memcpy(is.name, k->tag_text, sizeof(is.name));
    return is;
}
_Static_assert(sizeof(((struct oddphase_name *)0)->name) ==
               sizeof(((struct hct_rank *)0)->tag_text), "a name is copied");

/* By one of so many tasks, if it is in that phase: the tag of another may be told later
 * than its phase, or be another one since. */
static struct oddphase_name name_by_any(const struct hct_snapshot *in,
                                        const struct hct_rank *first)
{
    struct oddphase_name is = name_of(first);
    uint32_t left = ODDPHASE_ASKED;

    for (uint32_t i = first->rank + 1;
         i < in->nranks && left && is.id && !is.name[0]; i++, left--) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & HCT_PAGE && k->phase == is.phase && k->phase_id == is.id)
            is = name_of(k);
    }
    return is;
}

void oddphase_look(struct oddphase *p, const struct hct_snapshot *in)
{
    const struct hct_rank *k = NULL;
    const struct oddphase_name *last =
        p->nseen ? &p->seen[(p->nseen - 1) % ODDPHASE_SEEN] : NULL;

    for (uint32_t i = 0; i < in->nranks && !k; i++)
        if (hct_rank(in, i)->flags & HCT_PAGE)
            k = hct_rank(in, i);
    if (!k || (last && last->phase > k->phase))
        return;
    if (!last || last->phase < k->phase)
        p->nseen++;
    else if (last->name[0])
        return;
    p->seen[(p->nseen - 1) % ODDPHASE_SEEN] = name_by_any(in, k);
}

struct oddphase_name oddphase_find(const struct oddphase *p, uint32_t phase)
{
    for (uint32_t i = 0; i < ODDPHASE_SEEN && i < p->nseen; i++)
        if (p->seen[i].phase == phase)
            return p->seen[i];
    return (struct oddphase_name){ .phase = phase };
}

static bool is_like(const struct oddphase_name *a, const struct oddphase_name *b)
{
    return a->id && a->id == b->id;
}

/* --------------------------------------------------------------- how it was */

static void put_far(struct oddphase_one *one, const struct hct_score *o)
{
    uint32_t at = one->nfar;

    while (at > 0 && (double)one->far[at - 1].is < o->score)
        at--;
    if (at == ODDPHASE_FAR)
        return;
    one->nfar += one->nfar < ODDPHASE_FAR;
    memmove(&one->far[at + 1], &one->far[at],
            (one->nfar - 1 - at) * sizeof(one->far[0]));
    one->far[at] = (struct oddphase_task){ o->rank, (float)o->score };
}

static double far_of(const struct oddphase_one *one, uint32_t rank)
{
    for (uint32_t i = 0; i < one->nfar; i++)
        if (one->far[i].rank == rank)
            return (double)one->far[i].is;
    return one->nfar ? (double)one->far[one->nfar - 1].is : 0;
}

static double slow_of(const struct oddphase_one *one, uint32_t rank)
{
    double most = 1;

    for (uint32_t i = 0; i < one->nslow; i++)
        if (one->slow[i].rank == rank)
            most = fmax(most, (double)one->slow[i].is);
    return most;
}

/* ----------------------------------------------------------- how it differs */

static void take(struct oddphase_one *one, double times, uint32_t rank,
                 bool by_step)
{
    if (times <= (double)one->times)
        return;
    one->times = (float)times;
    one->rank = rank;
    one->by_step = by_step;
}

static void compare_far(const struct oddphase *p, struct oddphase_one *one)
{
    uint32_t like = 0;

    for (uint32_t i = 0; i < p->n; i++)
        like += is_like(&p->one[i].what, &one->what);
    for (uint32_t t = 0; like >= LIKE_LEAST && t < one->nfar; t++) {
        double is = (double)one->far[t].is, was = 0, times;

        for (uint32_t i = 0; i < p->n; i++)
            if (is_like(&p->one[i].what, &one->what))
                was = fmax(was, far_of(&p->one[i], one->far[t].rank));
        times = (is + SAME) / (was + SAME);
        if (is >= was + FAR_MORE && times >= FAR_TIMES)
            take(one, times, one->far[t].rank, false);
    }
}

static void compare_slow(const struct oddphase *p, struct oddphase_one *one)
{
    for (uint32_t t = 0; p->n && t < one->nslow; t++) {
        double was = 1, times;

        for (uint32_t i = 0; i < p->n; i++)
            was = fmax(was, slow_of(&p->one[i], one->slow[t].rank));
        times = (double)one->slow[t].is / was;
        if (times >= SLOW_TIMES)
            take(one, times, one->slow[t].rank, true);
    }
}

/* The oldest goes that is not the one. */
static void make_room(struct oddphase *p)
{
    uint32_t at = oddphase_oddest(p) == &p->one[0];

    if (p->n < ODDPHASE_KEPT)
        return;
    p->n--;
    memmove(&p->one[at], &p->one[at + 1], (p->n - at) * sizeof(p->one[0]));
}

bool oddphase_add(struct oddphase *p, const struct hct_snapshot *in,
                  uint32_t phase, const struct oddphase_task *slow,
                  uint32_t nslow)
{
    struct oddphase_one one = { .what = oddphase_find(p, phase) };

    if (p->n && p->one[p->n - 1].what.phase >= phase)
        return false;
    for (uint32_t i = 0; i < in->nscores; i++)
        if (hct_score(in, i)->method == HCT_METHOD_CLUSTER)
            put_far(&one, hct_score(in, i));
    one.nslow = nslow < ODDPHASE_SLOW ? nslow : ODDPHASE_SLOW;
    if (one.nslow)
        memcpy(one.slow, slow, one.nslow * sizeof(*slow));
    make_room(p);
    compare_far(p, &one);
    compare_slow(p, &one);
    p->one[p->n++] = one;
    return one.times > 0;
}

/* ---------------------------------------------------------------- questions */

const struct oddphase_one *oddphase_oddest(const struct oddphase *p)
{
    const struct oddphase_one *is = NULL;

    for (uint32_t i = 0; i < p->n; i++)
        if (p->one[i].times > 0 &&
            (!is || (double)p->one[i].times > CLEARLY * (double)is->times))
            is = &p->one[i];
    return is;
}

void oddphase_say(const struct oddphase_one *one, char *buf, size_t size)
{
    const char *name = one->what.name;

    snprintf(buf, size, "phase %u%s%s%s is where its tasks differ most from earlier "
             "phases: task %u is %.1f times as %s its like as it was before",
             one->what.phase, *name ? " '" : "", name, *name ? "'" : "",
             one->rank, (double)one->times,
             one->by_step ? "slow in a step against" : "far from");
}
