/* bocpd.c - see bocpd.h. */
#include "policies/pace/bocpd.h"

#include <math.h>
#include <string.h>

/* The prior of a run's mean is as wide as this many spreads: a factor of two is
 * nothing unheard of where times vary by some per cent. */
static const double width = 10;

void bocpd_begin(struct bocpd *b, double length, double spread)
{
    memset(b, 0, sizeof(*b));
    b->hazard = 1 / length;
    b->spread = spread;
}

static struct bocpd_run prior(const struct bocpd *b, double p)
{
    return (struct bocpd_run){
        .p = p, .mean = b->mean, .kappa = 1 / (width * width), .alpha = 1,
        .beta = b->spread * b->spread };
}

/* The density of the next number in this run: Student's t. */
static double predict(const struct bocpd_run *r, double x)
{
    double df = 2 * r->alpha;
    double scale2 = r->beta * (r->kappa + 1) / (r->alpha * r->kappa);
    double z2 = (x - r->mean) * (x - r->mean) / scale2;

    return exp(lgamma((df + 1) / 2) - lgamma(df / 2) -
               (df + 1) / 2 * log1p(z2 / df)) /
           sqrt(df * 3.14159265358979323846 * scale2);
}

static void learn(struct bocpd_run *r, double x)
{
    double apart = x - r->mean;

    r->beta += r->kappa * apart * apart / (2 * (r->kappa + 1));
    r->mean += apart / (r->kappa + 1);
    r->kappa += 1;
    r->alpha += 0.5;
    r->n++;
}

/* The two oldest become one: the likelier, with the chance of both. */
static void make_room(struct bocpd *b)
{
    struct bocpd_run *last = &b->run[b->nruns - 1], *other = last - 1;

    if (b->nruns < BOCPD_RUNS)
        return;
    if (last->p > other->p) {
        last->p += other->p;
        *other = *last;
    } else {
        other->p += last->p;
    }
    b->nruns--;
}

void bocpd_add(struct bocpd *b, double x)
{
    double all;
    struct bocpd_run fresh;

    if (!isfinite(x))
        return;
    if (b->n++ == 0) {
        b->mean = x;
        b->run[0] = prior(b, 1);
        b->nruns = 1;
        learn(&b->run[0], x);
        return;
    }
    make_room(b);
    fresh = prior(b, b->hazard);
    fresh.p *= predict(&fresh, x);
    all = fresh.p;
    for (uint32_t i = 0; i < b->nruns; i++) {
        b->run[i].p *= (1 - b->hazard) * predict(&b->run[i], x);
        all += b->run[i].p;
    }
    memmove(&b->run[1], &b->run[0], b->nruns * sizeof(b->run[0]));
    b->run[0] = fresh;
    b->nruns++;
    for (uint32_t i = 0; i < b->nruns; i++) {
        /* So far off that no run has it: then it begins one. */
        b->run[i].p = all > 0 ? b->run[i].p / all : i == 0;
        learn(&b->run[i], x);
    }
}

bool bocpd_change(const struct bocpd *b, uint32_t least, uint32_t most,
                  double *p, uint32_t *since)
{
    double best = 0;

    *p = 0;
    *since = 0;
    for (uint32_t i = 0; i < b->nruns; i++) {
        const struct bocpd_run *r = &b->run[i];

        if (r->n < least || r->n > most || r->n + 2 * least > b->n)
            continue;
        *p += r->p;
        if (r->p > best) {
            best = r->p;
            *since = r->n;
        }
    }
    return *since > 0;
}
