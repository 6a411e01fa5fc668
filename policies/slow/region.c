/* region.c - see region.h. */
#include "policies/slow/region.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "policies/pace/share.h"

/* Steps taken less often before than this do not say how long they take. */
enum { KNOWN = 4 };

/* Its number, or nsteps. */
static uint32_t find(const struct region *r, uint64_t from, uint64_t to)
{
    uint32_t i = 0;

    while (i < r->nsteps && (r->step[i].from != from || r->step[i].to != to))
        i++;
    return i;
}

/* Where a new one goes: what costs least gives way to what costs more. */
static struct region_step *room(struct region *r, double out_ns)
{
    struct region_step *least = &r->step[0];

    if (r->nsteps < REGION_STEPS)
        return &r->step[r->nsteps++];
    for (uint32_t i = 1; i < REGION_STEPS; i++)
        if (r->step[i].all.out_ns < least->all.out_ns)
            least = &r->step[i];
    return least->all.out_ns < out_ns ? least : NULL;
}

static void add_sum(struct region_sum *s, const struct hct_edge *e)
{
    s->n += (double)e->n;
    s->out_ns += (double)e->n * e->out_mean;
    s->bytes += (double)e->n * e->bytes_mean;
}

static void add(struct region *r, const struct hct_snapshot *in,
                const struct hct_model *m, const struct hct_edge *e)
{
    const struct hct_state *from = hct_state(in, m, e->from);
    const struct hct_state *to = hct_state(in, m, e->to);
    double out_ns = (double)e->n * e->out_mean;
    uint32_t at = find(r, from->place, to->place);
    struct region_step *s = at < r->nsteps ? &r->step[at] : NULL;

    if (!from->place || !to->place || (!s && !(s = room(r, out_ns))))
        return;
    if (at == r->nsteps || s->from != from->place || s->to != to->place)
        *s = (struct region_step){ .from = from->place, .to = to->place };
    s->call = from->call;
    s->to_call = to->call;
    s->site = from->site;
    add_sum(&s->all, e);
    if (e->phase == r->phase)
        add_sum(&s->here, e);
}

static const struct hct_model *model_of(const struct hct_snapshot *in,
                                        uint32_t rank)
{
    uint32_t low = 0, high = in->nmodels;

    while (low < high) {
        uint32_t at = low + (high - low) / 2;

        if (hct_model(in, at)->rank < rank)
            low = at + 1;
        else
            high = at;
    }
    return low < in->nmodels && hct_model(in, low)->rank == rank
               ? hct_model(in, low) : NULL;
}

bool region_keep(struct region *r, const struct hct_snapshot *in, uint32_t rank)
{
    const struct hct_model *m = model_of(in, rank);

    memset(r, 0, sizeof(*r));
    r->rank = rank;
    r->phase = hct_rank(in, rank)->phase;
    r->at_ns = in->now_ns;
    r->delayed_ns = hct_rank(in, rank)->delayed_ns;
    r->ran_ns = hct_rank(in, rank)->ran_ns;
    r->in_ns = hct_rank(in, rank)->in_ns;
    for (uint32_t i = 0; m && i < m->nedges; i++)
        add(r, in, m, hct_edge(in, m, i));
    return r->nsteps > 0;
}

/* What is known of the step, of this phase if possible; NULL: too little. */
static const struct region_sum *known(const struct region_step *before,
                                      bool same_phase)
{
    const struct region_sum *s = same_phase && before->here.n >= KNOWN
                                     ? &before->here : &before->all;

    return s->n >= KNOWN ? s : NULL;
}

/* Do its calls move as many bytes as before? */
static bool same_bytes(const struct region_sum *was, double n, double bytes)
{
    double before = was->bytes / was->n, is = bytes / n;

    return fabs(is - before) <= 0.1 * fmax(is, before);
}

static void compare(struct region_grown *g, const struct region_step *b,
                    const struct region_step *a, bool same_phase,
                    double as_long)
{
    double n = b->all.n - (a ? a->all.n : 0);
    double spent = b->all.out_ns - (a ? a->all.out_ns : 0);
    const struct region_sum *was = a ? known(a, same_phase) : NULL;
    double normal, longer;

    if (!(n > 0) || !(spent > 0))
        return;
    g->calls += n;
    g->out_ns += spent;
    if (!was || !same_bytes(was, n, b->all.bytes - a->all.bytes))
        return;
    normal = as_long * was->out_ns / was->n;
    longer = spent - normal * n;
    g->all_ns += longer;
    if (longer <= g->step_ns)
        return;
    g->step = *b;
    g->step_ns = longer;
    g->each_ns = longer / n;
    g->times = normal > 0 ? spent / n / normal : INFINITY;
}

static double calls_of(const struct region *r)
{
    double n = 0;

    for (uint32_t i = 0; i < r->nsteps; i++)
        n += r->step[i].all.n;
    return n;
}

/* For a call, as what it computes is: where one is slow, the others have more
 * time in which they are not kept from anything. */
struct had { double kept_ns, ran_ns; };

/* Before it began, and since the first reading, which has a part of what came
 * behind it began: in that it was as it is now. False: not known. */
static bool had(const struct region *before, const struct region *now,
                uint64_t since_ns, struct had *was, struct had *is)
{
    double calls = calls_of(before), more = calls_of(now) - calls;
    double lasts = (double)now->at_ns - (double)before->at_ns, late;

    if (!before->delayed_ns || now->delayed_ns < before->delayed_ns ||
        !(lasts > 0) || !before->at_ns || !(more > 0))
        return false;
    is->kept_ns = (double)(now->delayed_ns - before->delayed_ns) / more;
    is->ran_ns = ((double)now->ran_ns - (double)before->ran_ns) / more;
    late = before->at_ns > since_ns
               ? (double)(before->at_ns - since_ns) / lasts * more : 0;
    if (!(calls > late))
        return false;
    calls -= late;
    was->kept_ns = fmax((double)before->delayed_ns - late * is->kept_ns, 0) /
                   calls;
    was->ran_ns = fmax((double)before->ran_ns - late * is->ran_ns, 0) / calls;
    return true;
}

/* Who always had but a part of a processor, and has more to do, is kept for
 * longer, too: in proportion to what it ran longer. One that runs for little,
 * as it looks for messages now and then, has none: of tasks that compute amid
 * 11 others on each processor the part was 10, of such that sleep 170. */
static void note_kept(struct region_grown *g, const struct had *was,
                      const struct had *is)
{
    double part = was->kept_ns / was->ran_ns;

    g->starved_ns = g->kept_ns = is->kept_ns - was->kept_ns;
    if (!(was->ran_ns > 0) || is->ran_ns < 0 || part > share_most_kept)
        return;
    g->part = part;
    g->takes_ns = (1 + part) * is->ran_ns;
    g->starved_ns -= part * fmax(is->ran_ns - was->ran_ns, 0);
}

static double out_of(const struct region *r)
{
    double ns = 0;

    for (uint32_t i = 0; i < r->nsteps; i++)
        ns += r->step[i].all.out_ns;
    return ns;
}

/* Computation is time on a processor, and what there is of it that is none
 * tells input, output and sleep from a slow clock or memory. Before the first
 * call, when it was started, it may have slept for seconds: it has not in steps
 * for longer than these took. */
static double asleep(const struct region *before, const struct region *now)
{
    double calls = calls_of(before), more = calls_of(now) - calls;
    double was, is;

    if (!before->ran_ns || now->ran_ns < before->ran_ns ||
        now->delayed_ns < before->delayed_ns || now->at_ns <= before->at_ns ||
        !(calls > 0) || !(more > 0))
        return (double)NAN;
    was = fmin((double)before->at_ns -
               (double)(before->ran_ns + before->delayed_ns), out_of(before));
    is = (double)(now->at_ns - before->at_ns) -
         (double)(now->ran_ns - before->ran_ns) -
         (double)(now->delayed_ns - before->delayed_ns);
    return is / more - fmax(was, 0) / calls;
}

/* Is it the one, and not the other? */
static bool is_rather(double x, double one, double other)
{
    return fabs(x - one) < 0.25 * fabs(other - one);
}

static bool sleeps(const struct region *before, const struct region *now,
                   const struct region_grown *g)
{
    double calls = calls_of(before), in = (double)before->in_ns;
    double asleep = (double)before->at_ns -
                    (double)(before->ran_ns + before->delayed_ns);
    double longer_in = (double)now->in_ns - in - in * g->calls / calls;

    return is_rather(asleep, out_of(before), in) &&
           is_rather(g->asleep_ns * g->calls, g->all_ns, longer_in);
}

/* What it has had of its processor between the readings. */
static struct load between(const struct region *before, const struct region *now)
{
    if (now->ran_ns < before->ran_ns || now->delayed_ns < before->delayed_ns)
        return (struct load){ 0 };
    return (struct load){ (double)(now->ran_ns - before->ran_ns),
                          (double)(now->delayed_ns - before->delayed_ns) };
}

static bool find_longer(const struct region *before, const struct region *now,
                        uint64_t since_ns, double as_long,
                        struct region_grown *g)
{
    struct had was, is;

    *g = (struct region_grown){ .kept_ns = (double)NAN, .starved_ns = (double)NAN,
                                .asleep_ns = asleep(before, now) };
    if (had(before, now, since_ns, &was, &is))
        note_kept(g, &was, &is);
    for (uint32_t i = 0; i < now->nsteps; i++) {
        const struct region_step *b = &now->step[i];
        uint32_t at = find(before, b->from, b->to);

        compare(g, b, at < before->nsteps ? &before->step[at] : NULL,
                before->phase == now->phase, as_long);
    }
    g->sleeps = sleeps(before, now, g);
    return g->step_ns > 0;
}

bool region_find(const struct region *before, const struct region *now,
                 uint64_t since_ns, struct region_grown *g)
{
    return find_longer(before, now, since_ns, 1, g);
}

bool region_find_work(const struct region *before, const struct region *now,
                      uint64_t since_ns, const struct load *others,
                      struct region_grown *g)
{
    static const struct region none;
    struct load had = between(&none, before), has = between(before, now);
    double was = share_log(had.had_ns, had.wanted_ns);
    double is = load_leaves(&has, others);
    bool found = find_longer(before, now, since_ns, exp(was - is), g);

    g->all_ns *= exp(is);
    g->asleep_ns *= exp(is);
    return found;
}

void region_narrow(struct region_grown *g, double calls)
{
    double part = calls / g->calls;

    if (!(part > 0) || part >= 1)
        return;
    g->calls = calls;
    g->times = 1 + (g->times - 1) / part;
    g->each_ns /= part;
    g->kept_ns /= part;
    g->starved_ns /= part;
    g->takes_ns /= part;
    g->asleep_ns /= part;
}
