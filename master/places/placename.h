/* placename.h - "in solve (solver.c:214)", as whereis_text() has it, in its
 * parts. */
#ifndef HECTOR_PLACENAME_H
#define HECTOR_PLACENAME_H

#include <stdint.h>

struct placename {
    char *function, *file;      /* owned; NULL: not known */
    uint32_t line;              /* 0: not known */
};

struct placename placename_parse(const char *text);

#endif
