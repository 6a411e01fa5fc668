/* spread.c - see spread.h. */
#include "proto/model/spread.h"

#include <math.h>

#define TASK_MAX 5e17           /* ns: 15 years */
#define SUM_MAX 1e25            /* of 2^24 tasks */
#define SQUARES_MAX 1e50

void spread_merge(struct spread *to, const struct spread *part, uint32_t at)
{
    uint32_t least = part->least_task + at, most = part->most_task + at;

    if (!part->told)
        return;
    if (!to->told || part->least < to->least ||
        (part->least <= to->least && least < to->least_task)) {
        to->least = part->least;
        to->least_task = least;
    }
    if (!to->told || part->most > to->most ||
        (part->most >= to->most && most < to->most_task)) {
        to->most = part->most;
        to->most_task = most;
    }
    to->told += part->told;
    to->sum = fmin(to->sum + part->sum, SUM_MAX);
    to->squares = fmin(to->squares + part->squares, SQUARES_MAX);
}

void spread_add(struct spread *to, double ns, uint32_t task)
{
    double own = ns < TASK_MAX ? ns : TASK_MAX;
    const struct spread one = { .told = 1, .sum = own, .squares = own * own,
                                .least = own, .most = own,
                                .least_task = task, .most_task = task };

    spread_merge(to, &one, 0);
}

bool spread_sane(const struct spread *s, uint32_t width)
{
    if (!s->told)
        return true;
    return s->told <= width && s->least_task < width && s->most_task < width &&
           s->least >= 0 && s->least <= s->most && s->most <= s->sum &&
           s->sum <= SUM_MAX && s->squares >= 0 && s->squares <= SQUARES_MAX;
}

/* The difference of two large numbers is nothing, rather than less. */
static struct spread_of of(double n, double sum, double squares)
{
    double mean = n > 0 ? sum / n : 0;
    double rest = squares - sum * mean;

    return (struct spread_of){ mean, n > 1 ? sqrt(fmax(rest, 0) / (n - 1))
                                           : -1 };
}

struct spread_of spread_all(const struct spread *s)
{
    return of(s->told, s->sum, s->squares);
}

struct spread_of spread_but_most(const struct spread *s)
{
    return s->told ? of(s->told - 1.0, fmax(s->sum - s->most, 0),
                        fmax(s->squares - s->most * s->most, 0))
                   : (struct spread_of){ 0, -1 };
}
