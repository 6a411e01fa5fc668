/* entry.h - which registers a function reads as its caller has left them: what it
 * is given, where nothing says which parameters it has (-g1), or where the compiler
 * has made another function of it, which takes fewer. */
#ifndef HECTOR_ENTRY_H
#define HECTOR_ENTRY_H

#include "slave/slice/program.h"

/* Of those that pass arguments, one bit each: on some way through the function it
 * is read before it is written, by itself or by a function that it calls. */
uint64_t entry_reads(struct program *p, const struct function *f);

#endif
