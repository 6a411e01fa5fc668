/* scope.h - the functions that an address is in, by DWARF: the one that was called, and
 * those that are inlined there.
 *
 * dwarf_getscopes() of libdw finds no function that stands in a module of Fortran:
 * modules have no addresses, so it does not look into them. */
#ifndef HECTOR_SCOPE_H
#define HECTOR_SCOPE_H

#include <stdbool.h>
#include <elfutils/libdw.h>

/* The function that was called; pc: as the unit counts. */
bool scope_function(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *out);

/* Those that are inlined in it there, from the outermost on, at most most of them;
 * how many. */
int scope_inlined(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *out, int most);

#endif
