/* folded.h - lines that have no code of their own any more: what they set is part
 * of an instruction that stands for another line.
 *
 * Compilers that optimise tell where the statement would begin: in the table of
 * lines several rows have the same address then (DWARF 5, 6.2; GCC numbers them as
 * views), of which the last one is the line of what stands there. The others are of
 * what it was before, or of statements of which nothing is left. */
#ifndef HECTOR_FOLDED_H
#define HECTOR_FOLDED_H

#include <stddef.h>
#include <stdint.h>

#include "slave/slice/binary.h"

enum { FOLDED_MAX = 4 };

struct folded;
struct folded *folded_create(void);             /* NULL: no memory */
void folded_destroy(struct folded *f);          /* NULL is fine */

/* The lines of this file that are folded into what stands at this address; how
 * many. */
size_t folded_at(struct folded *f, const struct binary *b, uint64_t address,
                 const char *file, unsigned lines[FOLDED_MAX]);

#endif
