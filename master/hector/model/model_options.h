/* model_options.h - what hector model was asked to show, and how. */
#ifndef HECTOR_MODEL_OPTIONS_H
#define HECTOR_MODEL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct model_options {
    uint64_t count;             /* -n, 0: not given */
    const char *phase;          /* --phase, or NULL; borrowed */
    const char *window;         /* --window, the same */
    bool last, phases, histogram, dot;
};

#endif
