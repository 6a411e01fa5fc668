/* symbols.h - what stands at an address of a binary: function, source file,
 * line, and the functions that were inlined there.
 *
 * An address is that of the file: what the program counter was minus what the
 * loader has added. Binaries stay open in a bounded cache, their DWARF is read
 * when it is first asked for, from the file or from where distributions put it
 * (/usr/lib/debug), never over the network. Reading a file that is not known
 * yet may take long: not for an event loop's handlers.
 *
 * Of the C library only names are given, which need no DWARF.
 *
 * Names are those of the source: C as it is, Fortran without the compiler's
 * underscores (`module::procedure`), C++ demangled. */
#ifndef HECTOR_SYMBOLS_H
#define HECTOR_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"

enum { SYMBOL_DEPTH = 16 };     /* inlined functions at one address */

enum symbol_note {
    SYMBOL_FOUND,               /* a name at least */
    SYMBOL_UNNAMED,             /* stripped: module and offset are all */
    SYMBOL_NO_FILE,             /* it cannot be read */
    SYMBOL_OTHER_BUILD,         /* the file has changed: nothing in it counts */
};

struct symbol_frame {
    const char *function;       /* never NULL; SYMBOL_UNNAMED: "name+0x..." */
    const char *file;           /* of the source; NULL: not known */
    unsigned line;              /* 0: not known */
};

struct symbol {
    enum symbol_note note;
    const char *module;         /* last part of the path */
    uint64_t offset;            /* the address that was asked for */
    unsigned n;                 /* at least 1 */
    struct symbol_frame frame[SYMBOL_DEPTH];    /* innermost first; all but
                                                   the last one are inlined */
};

struct symbols;

/* At most max_files binaries are kept open. Unsets DEBUGINFOD_URLS. */
struct symbols *symbols_create(unsigned max_files, struct err *err);
void symbols_destroy(struct symbols *s);        /* NULL is fine */

/* Binaries whose files are not what they were are forgotten. */
void symbols_refresh(struct symbols *s);

/* Look an address up. id is the build id of what was loaded; id_bytes 0: not
 * known, any will do. call: the address is where a call returns to, so what
 * counts is the instruction before it. Without lines files and lines are not
 * known, which saves reading the tables of lines. The result is valid until the next
 * call; NULL only without memory. */
const struct symbol *symbols_find(struct symbols *s, const char *path,
                                  const uint8_t *id, unsigned id_bytes,
                                  uint64_t address, bool call, bool lines);

/* Does the name there begin so in the symbol table? This reads nothing else. */
bool symbols_begins(struct symbols *s, const char *path, uint64_t address,
                    bool call, const char *with);

/* The sentence for a person about this note; NULL for SYMBOL_FOUND. */
const char *symbol_note_text(enum symbol_note note);

/* The name as the source has it. */
void symbol_pretty(char *out, unsigned size, const char *name);

#endif
