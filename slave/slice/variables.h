/* variables.h - what the variables of a function are called, and where in its
 * frame, or in which register, they are at an address of it. */
#ifndef HECTOR_VARIABLES_H
#define HECTOR_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "slave/slice/binary.h"

/* The name, at this address, of what stands in the frame at this offset from
 * its canonical frame address, or in this register; NULL: not known. */
const char *variables_in_frame(const struct binary *b, uint64_t pc,
                               int64_t offset);
const char *variables_in_register(const struct binary *b, uint64_t pc,
                                  uint8_t reg);

/* The bytes of the variable that is at this offset in the frame of the function
 * with this address, whatever part of it; false: there is none. */
bool variables_extent(const struct binary *b, uint64_t function, int64_t offset,
                      int64_t *low, int64_t *high);

/* Where the first variable behind this offset begins, in any block of the function;
 * false: there is none. */
bool variables_next(const struct binary *b, uint64_t function, int64_t offset,
                    int64_t *begins);

/* The line of this file that declares a variable which is this number there, and is kept
 * nowhere; 0: none does. */
unsigned variables_constant(const struct binary *b, uint64_t pc, int64_t is,
                            const char *file);

/* The line where that function is declared; 0: not known. */
unsigned variables_head(const struct binary *b, uint64_t function);

/* The first line of its body; 0: not known. */
unsigned variables_opens(const struct binary *b, uint64_t function);

/* How many parameters that function says it has; -1: it does not say. */
int variables_parameters(const struct binary *b, uint64_t function);

#endif
