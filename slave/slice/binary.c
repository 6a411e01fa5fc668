/* binary.c - an executable as a slice reads it. */
#include "slave/slice/binary.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <elfutils/libdwfl.h>

#include "proto/base/array.h"
#include "slave/symbols/debugfile.h"

struct symbols_of { struct binary_symbol *v; size_t n, cap; };
struct import { uint64_t slot; const char *name; uint64_t address; };

struct binary {
    Dwfl *dwfl;                 /* owned */
    Dwfl_Module *mod;
    Elf *elf;                   /* of the file itself */
    GElf_Addr bias;
    struct symbols_of functions, variables;     /* owned: by address */
    struct import *imports;     /* owned */
    size_t nimports, cap_imports;
};

static char *debug_path;        /* of libdwfl: its default */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = debugfile_find,
    .debuginfo_path = &debug_path,
};

/* ---------------------------------------------------------------- symbols */

static int by_address(const void *a, const void *b)
{
    const struct binary_symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static int read_symbols(struct binary *b, struct err *err)
{
    int n = dwfl_module_getsymtab(b->mod);

    for (int i = 1; i < n; i++) {
        GElf_Addr address;
        GElf_Sym s;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(b->mod, i, &s, &address,
                                                   &section, NULL, NULL);
        int type = GELF_ST_TYPE(s.st_info);
        struct symbols_of *to = type == STT_FUNC ? &b->functions
                                : type == STT_OBJECT ? &b->variables : NULL;

        if (!name || !*name || !to || !s.st_size || s.st_shndx == SHN_UNDEF)
            continue;
        if (array_reserve(&to->v, &to->cap, to->n + 1))
            return err_memory(err);
        to->v[to->n++] = (struct binary_symbol){ name, address, s.st_size };
    }
    if (b->functions.n)
        qsort(b->functions.v, b->functions.n, sizeof(*b->functions.v),
              by_address);
    if (b->variables.n)
        qsort(b->variables.v, b->variables.n, sizeof(*b->variables.v),
              by_address);
    return 0;
}

static const struct binary_symbol *find(const struct symbols_of *s,
                                        uint64_t address)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (s->v[mid].address <= address)
            low = mid + 1;
        else
            high = mid;
    }
    /* Those with the same address stand together, the largest one first. */
    while (low > 1 && s->v[low - 2].address == s->v[low - 1].address)
        low--;
    if (low == 0 || address - s->v[low - 1].address >= s->v[low - 1].bytes)
        return NULL;
    return &s->v[low - 1];
}

const struct binary_symbol *binary_function(const struct binary *b,
                                            uint64_t address)
{
    return find(&b->functions, address);
}

const struct binary_symbol *binary_variable(const struct binary *b,
                                            uint64_t address)
{
    return find(&b->variables, address);
}

const struct binary_symbol *binary_cold(const struct binary *b,
                                        const struct binary_symbol *of)
{
    size_t n = strlen(of->name);

    for (size_t i = 0; i < b->functions.n; i++) {
        const struct binary_symbol *s = &b->functions.v[i];

        if (strncmp(s->name, of->name, n) == 0 &&
            strcmp(s->name + n, ".cold") == 0)
            return s;
    }
    return NULL;
}

const struct binary_symbol *binary_functions(const struct binary *b, size_t *n)
{
    *n = b->functions.n;
    return b->functions.v;
}

const struct binary_symbol *binary_variables(const struct binary *b, size_t *n)
{
    *n = b->variables.n;
    return b->variables.v;
}

/* ---------------------------------------------------------------- imports */

static const char *import_name(Elf *elf, Elf_Scn *symbols, size_t strings,
                               uint64_t index)
{
    Elf_Data *data = elf_getdata(symbols, NULL);
    GElf_Sym s;

    if (!data || !gelf_getsym(data, (int)index, &s))
        return NULL;
    return elf_strptr(elf, strings, s.st_name);
}

static int read_relocations(struct binary *b, Elf_Scn *section,
                            const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *symbols = elf_getscn(b->elf, h->sh_link);
    GElf_Shdr of;
    GElf_Rela r;

    if (!data || !symbols || !gelf_getshdr(symbols, &of))
        return 0;
    for (int i = 0; gelf_getrela(data, i, &r); i++) {
        const char *name = import_name(b->elf, symbols, of.sh_link,
                                       GELF_R_SYM(r.r_info));

        bool own = GELF_R_TYPE(r.r_info) == R_X86_64_RELATIVE;

        if (!own && (!name || !*name))
            continue;
        if (array_reserve(&b->imports, &b->cap_imports, b->nimports + 1))
            return -1;
        b->imports[b->nimports++] = (struct import){
            r.r_offset, own ? NULL : name, own ? (uint64_t)r.r_addend : 0 };
    }
    return 0;
}

static int by_slot(const void *a, const void *b)
{
    uint64_t x = ((const struct import *)a)->slot;
    uint64_t y = ((const struct import *)b)->slot;

    return x < y ? -1 : x > y;
}

static int read_imports(struct binary *b, struct err *err)
{
    Elf_Scn *section = NULL;
    GElf_Shdr h;

    while ((section = elf_nextscn(b->elf, section)))
        if (gelf_getshdr(section, &h) && h.sh_type == SHT_RELA &&
            read_relocations(b, section, &h))
            return err_memory(err);
    if (b->nimports)
        qsort(b->imports, b->nimports, sizeof(*b->imports), by_slot);
    return 0;
}

static const struct import *find_import(const struct binary *b, uint64_t slot)
{
    const struct import key = { slot, NULL, 0 };

    return b->nimports ? bsearch(&key, b->imports, b->nimports, sizeof(key),
                                 by_slot) : NULL;
}

const char *binary_import(const struct binary *b, uint64_t slot)
{
    const struct import *i = find_import(b, slot);

    return i ? i->name : NULL;
}

uint64_t binary_pointer(const struct binary *b, uint64_t slot)
{
    size_t n;
    const struct import *i = find_import(b, slot);
    const uint8_t *bytes = i ? NULL : binary_bytes(b, slot, &n);
    uint64_t address = i ? i->address : 0;

    if (bytes && n >= sizeof(address))
        memcpy(&address, bytes, sizeof(address));
    return address;
}

/* ------------------------------------------------------------------- bytes */

const uint8_t *binary_bytes(const struct binary *b, uint64_t address, size_t *n)
{
    Elf_Scn *section = NULL;
    GElf_Shdr h;

    while ((section = elf_nextscn(b->elf, section))) {
        Elf_Data *data;

        if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_ALLOC) ||
            h.sh_type == SHT_NOBITS || address < h.sh_addr ||
            address - h.sh_addr >= h.sh_size ||
            !(data = elf_rawdata(section, NULL)) ||
            data->d_size <= address - h.sh_addr)
            continue;
        *n = data->d_size - (address - h.sh_addr);
        return (const uint8_t *)data->d_buf + (address - h.sh_addr);
    }
    return NULL;
}

Dwarf_Die *binary_unit(const struct binary *b, uint64_t address,
                       Dwarf_Addr *bias)
{
    Dwarf_Die *cu = dwfl_module_addrdie(b->mod, address, bias);

    while (!cu && (cu = dwfl_module_nextcu(b->mod, cu, bias)))
        if (dwarf_haspc(cu, address - *bias) == 1)
            return cu;
    return cu;
}

/* ------------------------------------------------------------------- frames */

/* The canonical frame address of these rows of code is a register, and so much
 * more. */
static bool is_from(Dwarf_Frame *frame, unsigned reg, int64_t *more)
{
    Dwarf_Op *ops;
    size_t n;

    if (dwarf_frame_cfa(frame, &ops, &n) || n != 1)
        return false;
    if (ops->atom == DW_OP_bregx) {
        *more = (int64_t)ops->number2;
        return ops->number == reg;
    }
    *more = (int64_t)ops->number;
    return ops->atom == DW_OP_breg0 + reg;
}

bool binary_frame(const struct binary *b, uint64_t low, uint64_t high,
                  unsigned reg, int64_t *offset)
{
    Dwarf_Addr bias, at = low, begin, end;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(b->mod, &bias);
    Dwarf_Frame *frame;
    uint64_t most = 0;
    int64_t more;

    if (!cfi)
        cfi = dwfl_module_dwarf_cfi(b->mod, &bias);
    while (cfi && at < high && dwarf_cfi_addrframe(cfi, at - bias, &frame) == 0) {
        bool known = dwarf_frame_info(frame, &begin, &end, NULL) >= 0 &&
                     end + bias > at;

        if (known && is_from(frame, reg, &more) && end - begin > most) {
            most = end - begin;
            *offset = -more;
        }
        free(frame);
        at = known ? end + bias : high;
    }
    return most > 0;
}

/* -------------------------------------------------------------------- open */

static bool has_id(const struct binary *b, const char *wanted)
{
    const unsigned char *id;
    char text[2 * 64 + 1] = "";
    GElf_Addr at;
    int n = dwfl_module_build_id(b->mod, &id, &at);

    if (n <= 0)
        return false;           /* what was loaded had one */
    for (int i = 0; i < n && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return strcmp(text, wanted) == 0;
}

static int check(struct binary *b, const char *path, const char *build_id,
                 struct err *err)
{
    Dwarf_Addr bias;
    GElf_Ehdr e;

    if (!gelf_getehdr(b->elf, &e))
        return err_set(err, ENOEXEC, "%s is no program", path);
    if (e.e_machine != EM_X86_64)
        return err_set(err, ENOTSUP, "%s is a program for another kind of"
                       " processor: slices can be taken of x86-64 only", path);
    if (build_id && !has_id(b, build_id))
        return err_set(err, ESTALE, "%s is not what was loaded: it was"
                       " overwritten, or replaced, after that", path);
    if (read_symbols(b, err) || read_imports(b, err))
        return -1;
    if (!b->functions.n)
        return err_set(err, ENODATA, "%s is stripped: nothing says where its"
                       " functions are", path);
    if (!dwfl_module_getdwarf(b->mod, &bias))
        return err_set(err, ENODATA, "%s has no lines: build it with -g", path);
    return 0;
}

struct binary *binary_open(const char *path, const char *build_id,
                           struct err *err)
{
    struct binary *b = calloc(1, sizeof(*b));

    if (!b)
        return err_memory(err), NULL;
    if (access(path, R_OK)) {
        err_sys(err, "%s cannot be read", path);
        free(b);
        return NULL;
    }
    unsetenv("DEBUGINFOD_URLS");        /* it would wait for a server */
    b->dwfl = dwfl_begin(&callbacks);
    if (b->dwfl) {
        dwfl_report_begin(b->dwfl);
        b->mod = dwfl_report_elf(b->dwfl, "", path, -1, 0, true);
        dwfl_report_end(b->dwfl, NULL, NULL);
    }
    b->elf = b->mod ? dwfl_module_getelf(b->mod, &b->bias) : NULL;
    if (!b->elf)
        err_set(err, ENOEXEC, "%s is no program", path);
    else if (check(b, path, build_id, err) == 0)
        return b;
    binary_close(b);
    return NULL;
}

void binary_close(struct binary *b)
{
    if (!b)
        return;
    if (b->dwfl)
        dwfl_end(b->dwfl);
    free(b->functions.v);
    free(b->variables.v);
    free(b->imports);
    free(b);
}
