/* why_options.h - what hector why was asked to show. */
#ifndef HECTOR_WHY_OPTIONS_H
#define HECTOR_WHY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct why_options {
    bool progress;              /* --progress; and how it is drawn */
    bool dot, svg, html;
    bool outliers;              /* --outliers */
    uint64_t top;               /* -k, 0: not given; also of a slice */
    const char *method;         /* --method, or NULL; borrowed, as the next */
    const char *phase, *since;  /* --phase, --since */
    bool slice;                 /* --slice */
    uint64_t next;              /* -n, 0: not given */
};

#endif
