/* variable.h - where a variable of a binary is, by the name that its symbol
 * table has: that of the dynamic linker, or the full one where there is no
 * other, as in a program that is linked statically.
 *
 * Reads the file: for processes of their own, like symbols.h. */
#ifndef HECTOR_VARIABLE_H
#define HECTOR_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

struct variable {
    uint64_t address;           /* as the file has it */
    uint64_t bytes;             /* its size */
    uint64_t begin;             /* address of the first byte of the file */
    bool moves;                 /* the loader puts the file where it likes */
};

/* False: it is not defined there, or the file is none for processes like this
 * one. */
bool variable_find(struct variable *v, const char *path, const char *name);

#endif
