/* folded.h - lines that have no code of their own any more: what they set is part
 * of an instruction that stands for another line.
 *
 * Compilers that optimise tell where the statement would begin: in the table of
 * lines several rows have the same address then (DWARF 5, 6.2; GCC numbers them as
 * views), of which the last one is the line of what stands there. Of the others
 * those that declare a variable say most, as what it is set to is computed there;
 * statements of which nothing is left are among the rest. */
#ifndef HECTOR_FOLDED_H
#define HECTOR_FOLDED_H

#include <stdbool.h>

#include "slave/slice/binary.h"

enum { FOLDED_MAX = 4 };

struct folded_line { unsigned number; bool declares; };

struct folded;
struct folded *folded_create(void);             /* NULL: no memory */
void folded_destroy(struct folded *f);          /* NULL is fine */

/* The lines of this file that are folded into what stands at this address; how
 * many. */
size_t folded_at(struct folded *f, const struct binary *b, uint64_t address,
                 const char *file, struct folded_line lines[FOLDED_MAX]);

#endif
