/* faster.c - see faster.h. */
#include "policies/balance/faster.h"

#include "policies/balance/gain.h"

struct row {                    /* of moves */
    uint32_t work;
    uint32_t ngroups;
    uint32_t n, best;           /* moves made; of these are worth most */
    double was;                 /* the job's pace before */
    double slowest;             /* rate of those that have moved */
    double lost_s;              /* by others, and by traffic */
    double best_s;              /* worth of the best, without its cost */
    double best_net_s;
};

/* Tasks of the job by their hosts. */
static void group(struct field *f, struct row *r)
{
    const struct hct_work *w = hct_work(f->in, r->work);
    uint32_t stamp = ++f->stamp, at = 0;

    for (uint32_t i = 0; i < w->ntasks; i++) {
        struct spot *s = &f->spots[f->seats[w->first + i].at];

        if (s->stamp != stamp) {
            s->stamp = stamp;
            s->slot = r->ngroups++;
            f->groups[s->slot] =
                (struct group){f->seats[w->first + i].at, 0, 0};
        }
        f->groups[s->slot].left++;
    }
    for (uint32_t i = 0; i < r->ngroups; i++) {
        at += f->groups[i].left;
        f->groups[i].first = at;
    }
    for (uint32_t i = w->ntasks; i-- > 0;) {
        uint32_t seat = f->lined[w->first + i];

        f->grouped[--f->groups[f->spots[f->seats[seat].at].slot].first] = seat;
    }
}

/* The group whose tasks are slowest, of two the one of the host that is told first;
 * NULL: all have moved. */
static struct group *slowest(const struct field *f, const struct row *r,
                             double *rate)
{
    struct group *found = NULL;

    for (uint32_t i = 0; i < r->ngroups; i++) {
        struct group *g = &f->groups[i];
        double here = g->left ? field_rate(f, g->host) : 0;

        if (g->left && (!found || here < *rate ||
                        (here == *rate && g->host < found->host))) {
            found = g;
            *rate = here;
        }
    }
    return found;
}

/* One more move; false: there is none that could help. */
static bool step(struct field *f, struct row *r)
{
    double rate, before, after;
    struct group *g = slowest(f, r, &rate);
    uint32_t seat, to;

    if (!g || rate >= r->slowest)
        return false;
    seat = f->grouped[g->first + g->left - 1];
    to = field_best(f, seat, rate);
    if (to == HCT_NOWHERE)
        return false;
    g->left--;
    before = field_rate(f, to);
    r->lost_s -= gain_traffic(f, seat, g->host, HCT_NOWHERE);
    r->lost_s += gain_traffic(f, seat, to, HCT_NOWHERE);
    f->trials[r->n++] = (struct trial){ seat, g->host };
    field_put(f, seat, to);
    after = field_rate(f, to);
    r->lost_s += gain_loss(f, r->work, to, before, after);
    r->slowest = after < r->slowest ? after : r->slowest;
    return true;
}

static void judge(struct field *f, struct row *r, double cost_s)
{
    double rate = r->slowest, worth_s;
    const struct group *g = slowest(f, r, &rate);
    double pace = g && rate < r->slowest ? rate : r->slowest;

    worth_s = gain_pace(f, r->work, r->was, pace) - r->lost_s;
    if (worth_s - cost_s > r->best_net_s) {
        r->best = r->n;
        r->best_s = worth_s;
        r->best_net_s = worth_s - cost_s;
    }
}

static void take_back(struct field *f, struct row *r)
{
    while (r->n > r->best) {
        r->n--;
        field_put(f, f->trials[r->n].seat, f->trials[r->n].from);
    }
}

static void settle(struct field *f, const struct row *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        field_refresh(f, f->trials[i].from);
        field_refresh(f, f->seats[f->trials[i].seat].at);
    }
    f->works[r->work].pace = field_pace(f, r->work);
    f->works[r->work].worth_s += r->best_s;
}

bool faster_try(struct field *f, uint32_t work)
{
    struct row r = { .work = work, .was = f->works[work].pace };
    double top = f->ranking.key[ranking_best(&f->ranking)], most_s;
    double price_s = f->in->params[FIELD_MARGIN] * gain_price(f, work);

    if (!(top > r.was))
        return false;
    /* No row of moves gains more than this. */
    most_s = gain_pace(f, work, r.was, top);
    if (!(most_s > price_s))
        return false;
    r.slowest = top;
    group(f, &r);
    while ((r.n + 1) * price_s < most_s && step(f, &r))
        judge(f, &r, r.n * price_s);
    take_back(f, &r);
    if (r.n)
        settle(f, &r);
    return r.n > 0;
}
