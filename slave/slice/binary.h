/* binary.h - an executable as a slice reads it: its code, functions, variables
 * and the names of what it calls elsewhere.
 *
 * Addresses are those of the file. Everything that is given lives as long as
 * the binary. */
#ifndef HECTOR_BINARY_H
#define HECTOR_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <elfutils/libdw.h>

#include "proto/base/err.h"

struct binary_symbol { const char *name; uint64_t address, bytes; };

struct binary;

/* NULL, and a sentence: it cannot be read, is for other machines, stripped,
 * without lines, or has not this build id (hexadecimal; NULL: any will do). */
struct binary *binary_open(const char *path, const char *build_id,
                           struct err *err);
void binary_close(struct binary *b);            /* NULL is fine */

/* The function, or variable, that has this address; NULL: there is none. */
const struct binary_symbol *binary_function(const struct binary *b,
                                            uint64_t address);
const struct binary_symbol *binary_variable(const struct binary *b,
                                            uint64_t address);

/* The part of a function that is rarely run and stands elsewhere. */
const struct binary_symbol *binary_cold(const struct binary *b,
                                        const struct binary_symbol *of);

/* All functions, by address. */
const struct binary_symbol *binary_functions(const struct binary *b, size_t *n);

/* All variables, by address. */
const struct binary_symbol *binary_variables(const struct binary *b, size_t *n);

/* What the file has from this address on, and how much; NULL: nothing. */
const uint8_t *binary_bytes(const struct binary *b, uint64_t address,
                            size_t *n);

/* The function of a library whose address the loader puts there. */
const char *binary_import(const struct binary *b, uint64_t slot);

/* The address that the loader puts there, as the file has it, or that stands there
 * from the beginning; 0: none. */
uint64_t binary_pointer(const struct binary *b, uint64_t slot);

/* The unit that has the code at this address; NULL: none has. */
Dwarf_Die *binary_unit(const struct binary *b, uint64_t address,
                       Dwarf_Addr *bias);

/* How far from the canonical frame address this register (as DWARF counts them)
 * is in most of the code from low up to high; false: nothing says so. */
bool binary_frame(const struct binary *b, uint64_t low, uint64_t high,
                  unsigned reg, int64_t *offset);

#endif
