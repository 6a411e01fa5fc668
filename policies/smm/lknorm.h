/* lknorm.h - how different two times are that are distributed normally: the
 * Lk-norm of the difference of their densities, for k = 1 (SC11, section 3.1,
 * equation 1). That is the area which the two do not share (figure 2 there):
 * from 0, where they are the same, to 2, where they have nothing in common. */
#ifndef HCT_LKNORM_H
#define HCT_LKNORM_H

#include <math.h>

enum { LKNORM_SIDE = 500 };     /* of the table, as there */

struct normal {
    double mean, sd;            /* of any unit, both of the same; sd > 0 */
};

/* By the two points in which the densities cross. */
double lknorm_exact(struct normal a, struct normal b);

/* By a table, as there: two values of deviation and distance, and what lies
 * between by interpolation in both. Differs from the exact value by less than
 * 0.002. */
struct lknorm {
    float at[LKNORM_SIDE][LKNORM_SIDE];
};
void lknorm_fill(struct lknorm *t);

#define LKNORM_C 0.41421356237309505    /* see lknorm.c */

/* Here, as it is called for every step of every pair of models. What is no number
 * is far away. */
static inline double lknorm(const struct lknorm *t, struct normal a,
                            struct normal b)
{
    const double last = LKNORM_SIDE - 1;
    double both = a.sd + b.sd, more = fabs(a.sd - b.sd);
    double apart = fabs(a.mean - b.mean);
    double x = last * (1 - more / both);
    double y = last * apart /
               (apart + 0.5 * ((1 + LKNORM_C) * both + (1 - LKNORM_C) * more));
    int i, j;

    x = x > 0 ? x : 0;
    y = y < last ? y : last;
    i = (int)x;
    j = (int)y;
    i = i < LKNORM_SIDE - 2 ? i : LKNORM_SIDE - 2;      /* a neighbour is there */
    j = j < LKNORM_SIDE - 2 ? j : LKNORM_SIDE - 2;
    x -= i;
    y -= j;
    return (1 - x) *
               ((1 - y) * (double)t->at[i][j] + y * (double)t->at[i][j + 1]) +
           x * ((1 - y) * (double)t->at[i + 1][j] +
                y * (double)t->at[i + 1][j + 1]);
}

#endif
