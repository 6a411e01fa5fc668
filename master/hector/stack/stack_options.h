/* stack_options.h - what hector stack was asked to show, and how. */
#ifndef HECTOR_STACK_OPTIONS_H
#define HECTOR_STACK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum stack_shape { STACK_TEXT, STACK_DOT, STACK_FOLDED, STACK_SVG,
                   STACK_HTML };

struct stack_options {
    const char *pids;           /* --pid, or NULL; borrowed */
    uint64_t samples, interval_ms;      /* --samples, 0: not given */
    bool all, lines, threads, last;
    enum stack_shape shape;
};

#endif
