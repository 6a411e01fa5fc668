/* folded.c - see folded.h. Invariant: rows of a unit are in the order of their
 * addresses. */
#include "slave/slice/folded.h"

#include <stdlib.h>
#include <string.h>
#include <dwarf.h>

#include "proto/base/array.h"

enum { DEPTH_MAX = 64 };

struct row { Dwarf_Addr address; const char *file; int line; };

struct unit {
    Dwarf_Off offset;           /* which one it is */
    struct row *rows;           /* owned: those that are folded */
    size_t n, cap;
};

struct folded { struct unit *units; size_t n, cap; };   /* owned */

struct folded *folded_create(void)
{
    return calloc(1, sizeof(struct folded));
}

void folded_destroy(struct folded *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++)
        free(f->units[i].rows);
    free(f->units);
    free(f);
}

/* ------------------------------------------------------------- declarations */

struct lines { int *v; size_t n, cap; };        /* owned */

/* Those of functions. */
static void add_heads(struct lines *l, Dwarf_Die *die, int depth)
{
    Dwarf_Die child;
    int line;

    if (depth == DEPTH_MAX || dwarf_child(die, &child))
        return;
    do {
        if (dwarf_tag(&child) == DW_TAG_subprogram &&
            dwarf_decl_line(&child, &line) == 0 &&
            array_reserve(&l->v, &l->cap, l->n + 1) == 0)
            l->v[l->n++] = line;
        if (dwarf_tag(&child) != DW_TAG_variable)
            add_heads(l, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool has_line(const struct lines *l, int line)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i] == line)
            return true;
    return false;
}

/* -------------------------------------------------------------------- units */

static bool read_row(Dwarf_Lines *lines, size_t i, struct row *r, bool *ends)
{
    Dwarf_Line *l = dwarf_onesrcline(lines, i);

    return l && dwarf_lineaddr(l, &r->address) == 0 &&
           dwarf_lineno(l, &r->line) == 0 && dwarf_lineendsequence(l, ends) == 0 &&
           (r->file = dwarf_linesrc(l, NULL, NULL));
}

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return strcmp(x->file, y->file);
}

/* The last row of an address is its line. */
static size_t find_own(Dwarf_Lines *lines, size_t n, struct row *own)
{
    size_t nown = 0;
    struct row r, next;
    bool ends, unused;

    for (size_t i = 0; i < n; i++)
        if (read_row(lines, i, &r, &ends) && !ends &&
            (i + 1 == n || !read_row(lines, i + 1, &next, &unused) ||
             next.address != r.address))
            own[nown++] = r;
    if (nown)
        qsort(own, nown, sizeof(*own), compare);
    return nown;
}

static void read_unit(struct unit *u, Dwarf_Die *cu)
{
    struct lines heads = { 0 };
    Dwarf_Lines *lines;
    struct row *own, r;
    size_t n, nown;
    bool ends;

    if (dwarf_getsrclines(cu, &lines, &n) || !(own = calloc(n + 1, sizeof(*own))))
        return;
    nown = find_own(lines, n, own);
    add_heads(&heads, cu, 0);
    for (size_t i = 0; i < n && nown; i++)
        if (read_row(lines, i, &r, &ends) && !ends &&
            !has_line(&heads, r.line) &&
            !bsearch(&r, own, nown, sizeof(*own), compare) &&
            array_reserve(&u->rows, &u->cap, u->n + 1) == 0)
            u->rows[u->n++] = r;
    free(heads.v);
    free(own);
}

static struct unit *find_unit(struct folded *f, Dwarf_Die *cu)
{
    Dwarf_Off offset = dwarf_dieoffset(cu);

    for (size_t i = 0; i < f->n; i++)
        if (f->units[i].offset == offset)
            return &f->units[i];
    if (array_reserve(&f->units, &f->cap, f->n + 1))
        return NULL;
    f->units[f->n] = (struct unit){ .offset = offset };
    read_unit(&f->units[f->n], cu);
    return &f->units[f->n++];
}

size_t folded_at(struct folded *f, const struct binary *b, uint64_t address,
                 const char *file, unsigned lines[FOLDED_MAX])
{
    Dwarf_Addr bias;
    Dwarf_Die *cu = binary_unit(b, address, &bias);
    const struct unit *u = cu ? find_unit(f, cu) : NULL;
    size_t n = 0;

    for (size_t i = 0; u && i < u->n && n < FOLDED_MAX; i++)
        if (u->rows[i].address == address - bias &&
            strcmp(u->rows[i].file, file) == 0)
            lines[n++] = (unsigned)u->rows[i].line;
    return n;
}
