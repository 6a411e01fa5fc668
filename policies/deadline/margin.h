/* margin.h - by what margin instances of a deadline are met, relative to what
 * they may take: 1 is at once, 0 just in time, less is late. All zero it is an
 * empty one.
 *
 * Of each instance a mean and variance are kept (Welford, Technometrics 4,
 * 1962). What is extrapolated are points: of a deadline that many ranks have,
 * the lowest margin of as many instances one after the other as there are
 * ranks. So one that falls behind counts however many do not, and a point is
 * about a cycle of the program, also where ranks run apart. */
#ifndef HCT_DEADLINE_MARGIN_H
#define HCT_DEADLINE_MARGIN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MARGIN_POINTS = 32,         /* the last ones, that a line is fitted to */
    MARGIN_LEAST = 8,           /* fewer say nothing of what is to come */
};

struct margin_point {
    double margin;
    uint32_t rank, pad;         /* whose it is */
};

struct margin {
    uint64_t n;
    double mean, m2;            /* of n */
    uint64_t npoints;           /* so far; they are a ring */
    struct margin_point point[MARGIN_POINTS];
    struct margin_point lowest; /* of the point to come, */
    uint32_t has, of;           /* ... instances it has, of so many */
    uint32_t fresh;             /* points since the fit */
    uint16_t known;             /* 1: there is a fit */
    uint16_t falls;             /* 1: it does, and not by chance */
    uint64_t fitted_ns;
    double slope, chance;       /* of the fit, from point to point; that one of
                                   those to come is missed */
};

/* One more instance, or another margin for one that was added. */
void margin_add(struct margin *m, double x);
void margin_replace(struct margin *m, double was, double x);
double margin_deviation(const struct margin *m);

/* The same instance for the points: of as many ranks. True: a point is
 * whole. */
bool margin_collect(struct margin *m, double x, uint32_t rank, uint32_t ranks);

/* The points, the oldest first: returns how many. */
uint32_t margin_points(const struct margin *m, double v[MARGIN_POINTS]);
const struct margin_point *margin_last(const struct margin *m, uint32_t back);
/* Whose is the lowest of so many last ones most often? UINT32_MAX: there are
 * none. */
uint32_t margin_worst(const struct margin *m, uint32_t last);

/* The slope of v by Theil (1950) and Sen (JASA 63, 1968): the median of those
 * between all pairs. falls: it is below 0, by the test of Mann (1945) and
 * Kendall at the level 0.01 of one side; rises: the same. */
struct margin_slope {
    double slope;
    bool falls, rises;
};
struct margin_slope margin_slope(const double *v, uint32_t n);

/* That one of the next h points is below 0; n at least MARGIN_LEAST. */
double margin_chance(const double *v, uint32_t n, struct margin_slope slope,
                     uint32_t h);

/* Does so for the points that there are, but not for each of many: every
 * eighth, or five times a second; where a miss is likely every second. */
void margin_fit(struct margin *m, uint32_t h, uint64_t now_ns);
bool margin_is_known(const struct margin *m);

#endif
