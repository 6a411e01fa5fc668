/* lknorm.c - see lknorm.h.
 *
 * Two normal distributions differ by two numbers: r, the larger deviation in
 * units of the smaller one, and d, the distance of the means in the same. The
 * axes of the table are 1 / sqrt(r) and d / (d + sqrt(1 + r * r)): both from 0
 * to 1, so that any two find their place, and steepest where the norm is. */
#include "policies/smm/lknorm.h"

#include <math.h>
#include <stdbool.h>

#define FAR 1e100               /* its square is a number, too */

/* The part of a standard normal distribution that is below x. */
static double below(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* Of N(0, 1) and N(d, r), r >= 1: twice what the narrow one has more than the
 * wide one between the two points where the densities are the same. */
static double exact(double r, double d)
{
    double a = (r - 1) * (r + 1), root, left, right;

    if (a <= 0 && d <= 0)
        return 0;
    /* a x^2 + 2 d x - (d^2 + 2 r^2 ln r) = 0; of the same width: one point, and
     * the other one infinitely far */
    root = r * sqrt(d * d + 2 * a * log(r));
    left = -(d + root) / a;
    right = (d * d + 2 * r * r * log(r)) / (d + root);
    return 2 * ((below(right) - below(left)) -
                (below((right - d) / r) - below((left - d) / r)));
}

static void order(const struct normal *a, const struct normal *b, double *r,
                  double *d)
{
    double small = fmin(a->sd, b->sd);

    /* what is no number is far away */
    *r = fmin(fmax(a->sd, b->sd) / small, FAR);
    *d = fmin(fabs(a->mean - b->mean) / small, FAR);
}

double lknorm_exact(struct normal a, struct normal b)
{
    double r, d;

    order(&a, &b, &r, &d);
    return exact(r, d);
}

void lknorm_fill(struct lknorm *t)
{
    const double last = LKNORM_SIDE - 1;

    for (int i = 0; i < LKNORM_SIDE; i++)
        for (int j = 0; j < LKNORM_SIDE; j++) {
            double narrow = i / last, far = j / last;
            double r = 1 / (narrow * narrow);

            /* at the edges nothing is shared */
            t->at[i][j] =
                i == 0 || j == LKNORM_SIDE - 1
                    ? 2
                    : (float)lknorm_exact(
                          (struct normal){ 0, 1 },
                          (struct normal){ far / (1 - far) * hypot(1, r), r });
        }
}

/* Called for every step of every pair of models: no function is, and nothing is
 * divided that need not be. */
double lknorm(const struct lknorm *t, struct normal a, struct normal b)
{
    const double last = LKNORM_SIDE - 1;
    bool less = a.sd < b.sd;
    double wide = 1 / (less ? b.sd : a.sd);
    double narrow = (less ? a.sd : b.sd) * wide;        /* 1 / r */
    double far = fabs(a.mean - b.mean) * wide;          /* d / r */
    double x, y;
    int i, j;

    /* what is no number is far away */
    narrow = narrow > 0 ? narrow : 0;
    far = far < FAR ? far : FAR;
    x = last * sqrt(narrow);
    y = last * far / (far + sqrt(1 + narrow * narrow));
    /* so that a neighbour is there */
    i = x < last ? (int)x : LKNORM_SIDE - 2;
    j = y < last ? (int)y : LKNORM_SIDE - 2;
    x -= i;
    y -= j;
    return (1 - x) *
               ((1 - y) * (double)t->at[i][j] + y * (double)t->at[i][j + 1]) +
           x * ((1 - y) * (double)t->at[i + 1][j] +
                y * (double)t->at[i + 1][j + 1]);
}
