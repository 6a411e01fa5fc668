/* lknorm.h - how different two times are that are distributed normally: the
 * Lk-norm of the difference of their densities, for k = 1 (SC11, section 3.1,
 * equation 1). That is the area which the two do not share (figure 2 there):
 * from 0, where they are the same, to 2, where they have nothing in common. */
#ifndef HCT_LKNORM_H
#define HCT_LKNORM_H

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
double lknorm(const struct lknorm *t, struct normal a, struct normal b);

#endif
