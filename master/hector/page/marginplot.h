/* marginplot.h - the relative margin of a deadline over time as a picture
 * (SVG): 1 is at once, 0 just in time, less is late. As wide as there is room,
 * with text of the same size; of many instances each place shows the range of
 * its own. Pure. */
#ifndef HECTOR_MARGINPLOT_H
#define HECTOR_MARGINPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/str.h"

struct marginplot_point {       /* an instance */
    uint64_t at_ns;             /* done, or was due */
    double margin;              /* NaN: it has not ended */
    bool late;
};

enum marginplot_kind {
    MARGINPLOT_DECLINING, MARGINPLOT_MISSED, MARGINPLOT_MET,
    MARGINPLOT_OTHER,           /* that was found */
    MARGINPLOT_STEP,            /* that was taken for it */
};

struct marginplot_mark {        /* at a time */
    uint64_t at_ns;
    enum marginplot_kind kind;
    const char *text;           /* borrowed; shown where it is pointed at */
};

struct marginplot {
    const char *title;          /* borrowed, as all */
    double wanted;              /* of the margin is to be left */
    const struct marginplot_point *points;      /* in time; one at least */
    size_t npoints;
    const struct marginplot_mark *marks;        /* at any time */
    size_t nmarks;
};

/* What gives it its colours, for light and dark: part of a <style>. */
extern const char marginplot_style[];

void marginplot_draw(const struct marginplot *p, struct str *to);

#endif
