/* lknorm.c - see lknorm.h.
 *
 * Two normal distributions differ by two numbers: r, the larger deviation s2 in
 * units of the smaller one s1, and d, the distance g of the means in the same. The
 * axes of the table are 2 s1 / (s1 + s2) and g / (g + s2 + c s1): both from 0 to 1,
 * so that any two find their place, steepest where the norm is, and had by one
 * division each. With this c (LKNORM_C) s2 + c s1 is the square root of s1^2 + s2^2
 * where s1 is 0, and where it is s2. */
#include "policies/smm/lknorm.h"

#include <math.h>

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
            double x = i / last, y = j / last, r = (2 - x) / x;

            /* at the edges nothing is shared */
            t->at[i][j] = i == 0 || j == LKNORM_SIDE - 1
                              ? 2
                              : (float)lknorm_exact(
                                    (struct normal){ 0, 1 },
                                    (struct normal){ y / (1 - y) * (r + LKNORM_C), r });
        }
}
