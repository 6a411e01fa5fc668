/* debugfile.h - where the debug information of a stripped binary is. */
#ifndef HECTOR_DEBUGFILE_H
#define HECTOR_DEBUGFILE_H

#include <elfutils/libdwfl.h>

/* For Dwfl_Callbacks.find_debuginfo: what dwfl_standard_find_debuginfo() finds
 * on this machine. That one, before it gives up, loads all of a library that
 * would ask servers, which is a third of the time that a small tree takes. */
int debugfile_find(Dwfl_Module *mod, void **data, const char *name,
                   Dwarf_Addr base, const char *file, const char *link,
                   GElf_Word crc, char **found);

#endif
