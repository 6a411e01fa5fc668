/* scope.c - see scope.h. */
#include "slave/symbols/scope.h"

#include <dwarf.h>

enum { DEPTH_MAX = 64 };

/* inner: also a function in another one (contains of Fortran), whose addresses are
 * not among those of that one. */
static bool find(Dwarf_Die *parent, Dwarf_Addr pc, bool inner, int depth,
                 Dwarf_Die *out)
{
    Dwarf_Die child;

    if (depth == DEPTH_MAX || dwarf_child(parent, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);

        if (tag == DW_TAG_subprogram && dwarf_haspc(&child, pc) == 1) {
            *out = child;
            return true;
        }
        if ((tag == DW_TAG_module || tag == DW_TAG_namespace ||
             (inner && tag == DW_TAG_subprogram)) &&
            find(&child, pc, inner, depth + 1, out))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool scope_function(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *out)
{
    return find(unit, pc, false, 0, out) || find(unit, pc, true, 0, out);
}

bool scope_function_near(Dwarf_Die *unit, Dwarf_Addr pc, struct scope_last *last,
                         Dwarf_Die *out)
{
    if (!last->known || dwarf_haspc(&last->function, pc) != 1)
        last->known = scope_function(unit, pc, &last->function);
    if (last->known)
        *out = last->function;
    return last->known;
}

/* The block, or inlined function, of a block that has the address. */
static bool next_in(Dwarf_Die *block, Dwarf_Addr pc, Dwarf_Die *out)
{
    Dwarf_Die child;

    if (dwarf_child(block, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);

        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            dwarf_haspc(&child, pc) == 1) {
            *out = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

int scope_inlined(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *out, int most)
{
    Dwarf_Die at = *function, next;
    int n = 0;

    for (int depth = 0; depth < DEPTH_MAX && n < most && next_in(&at, pc, &next);
         depth++) {
        at = next;
        if (dwarf_tag(&at) == DW_TAG_inlined_subroutine)
            out[n++] = at;
    }
    return n;
}
