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

/* The same for who asks for one address after the other of a file: the one that was
 * found last is looked at first, as a unit of C++ has thousands. */
struct scope_last { Dwarf_Die function; bool known; };
bool scope_function_near(Dwarf_Die *unit, Dwarf_Addr pc, struct scope_last *last,
                         Dwarf_Die *out);

/* Those that are inlined in it there, from the outermost on, at most most of them;
 * how many. */
int scope_inlined(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *out, int most);

#endif
