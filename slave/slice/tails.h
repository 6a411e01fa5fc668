/* tails.h - functions of a path of calls that have no frame: they have jumped to
 * the next one in place of a call and a return (gcc -foptimize-sibling-calls). */
#ifndef HECTOR_TAILS_H
#define HECTOR_TAILS_H

#include "slave/slice/program.h"

enum { TAILS_MAX = 4 };

struct tail { struct function *function; uint32_t insn; };  /* borrowed; the jump */

/* How a call has led to that function, the outermost one first; how many: 0 if it
 * calls the function itself, or nobody knows. Of several ways one of the shortest is
 * taken. */
size_t tails_between(struct program *p, const struct insn *call,
                     const struct function *to, struct tail v[TAILS_MAX]);

#endif
