/* variables.h - what the variables of a function are called, and where in its
 * frame, or in which register, they are at an address of it. */
#ifndef HECTOR_VARIABLES_H
#define HECTOR_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "slave/slice/binary.h"

/* What is kept of a binary, which has to live as long: each function is walked
 * through once. NULL: no memory. */
struct variables;
struct variables *variables_create(const struct binary *b);
void variables_destroy(struct variables *v);    /* NULL is fine */

/* The name, at this address, of what stands in the frame at this offset from
 * its canonical frame address, or in this register; NULL: not known. */
const char *variables_in_frame(struct variables *v, uint64_t pc,
                               int64_t offset);
const char *variables_in_register(struct variables *v, uint64_t pc,
                                  uint8_t reg);

/* The bytes of the variable that is at this offset in the frame of the function
 * with this address, whatever part of it; false: there is none. */
bool variables_extent(struct variables *v, uint64_t function, int64_t offset,
                      int64_t *low, int64_t *high);

/* Where the first variable behind this offset begins, in any block of the
 * function; false: there is none. */
bool variables_next(struct variables *v, uint64_t function, int64_t offset,
                    int64_t *begins);

/* The type of the variable that is at this offset in the frame of the function,
 * or at this address of the file, and where it begins; and of what the variable
 * points to that is in this register at an address. False: not known. */
bool variables_type_in_frame(struct variables *v, uint64_t function,
                             int64_t offset, Dwarf_Die *type, int64_t *begins);
bool variables_type_in_file(struct variables *v, uint64_t pc,
                            uint64_t address, Dwarf_Die *type);
bool variables_pointed(struct variables *v, uint64_t pc, uint8_t reg,
                       Dwarf_Die *type);
/* The same of the n-th parameter that a function is given in a register for
 * numbers and addresses, from 0. */
bool variables_parameter_pointed(struct variables *v, uint64_t function,
                                 int n, Dwarf_Die *type);
/* Is that one a number, and no address? */
bool variables_parameter_counts(struct variables *v, uint64_t function,
                                int n);

/* The array, a field of a record of this type, of which elements are read or
 * written with an index, so many bytes each: by a place that is in it, or
 * shortly before or behind it. Of several that may be meant it is all. If its
 * elements are records, so many bytes each (step), the first ones that are
 * meant are first bytes from low. Or the record is itself one of many, whose
 * end (high, INT64_MAX) is not known. False: nothing is. */
struct variables_array { int64_t low, high, step, first; };
bool variables_array(Dwarf_Die *type, int64_t at, int64_t bytes,
                     struct variables_array *a);

/* How many bytes a record of this type has; 0: it is none. */
int64_t variables_record(Dwarf_Die *type);

/* The field of a record of this type that is there, in what part of it ever: if it
 * is an array, to its end. What begins where a record does may be all of that. False:
 * it is none. */
bool variables_field(Dwarf_Die *type, int64_t at, int64_t *end);

/* Is it a number, and no address, what is there in a variable of this type? */
bool variables_counts(Dwarf_Die *type, int64_t at);

/* What the pointer that is a field there points to. */
bool variables_pointer(Dwarf_Die *type, int64_t at, Dwarf_Die *to);

/* The line of this file that declares a variable which is this number there,
 * and is kept nowhere; 0: none does. */
unsigned variables_constant(struct variables *v, uint64_t pc, int64_t is,
                            const char *file);

/* Does that line of a file of Fortran declare something, a variable or the function
 * itself, of what this address is in? Nothing is done by it then. */
bool variables_declares(struct variables *v, uint64_t pc, const char *file,
                        unsigned line);

/* The line where that function is declared; 0: not known. */
unsigned variables_head(struct variables *v, uint64_t function);

/* The first line of its body; 0: not known. */
unsigned variables_opens(struct variables *v, uint64_t function);

/* How many parameters that function says it has; -1: it does not say. */
int variables_parameters(struct variables *v, uint64_t function);

#endif
