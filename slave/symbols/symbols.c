/* symbols.c - what stands at an address of a binary.
 *
 * A binary is one Dwfl with one module, placed so that its addresses are
 * those of the file. Invariant: what a struct symbol points to is owned by
 * its answer, answers by their binary, so that closing a binary forgets them;
 * the last answer given is not forgotten before the next question. */
#include "slave/symbols/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "proto/base/brief.h"
#include "slave/symbols/debugfile.h"
#include "slave/symbols/scope.h"

enum {
    BUCKETS = 4096,             /* of answers */
    ANSWERS_MAX = 65536,        /* kept of one binary */
    ID_MAX = 64,
    NAME_MAX_BYTES = 1024,
    INLINED_MAX = 64,           /* in each other */
};

struct answer {
    struct answer *next;        /* in its bucket; owned */
    uint64_t key;               /* address, and how it was asked for */
    struct symbol symbol;
    char *text;                 /* owned: all strings of symbol */
};

struct binary {
    TAILQ_ENTRY(binary) place;
    char *path;                 /* owned */
    const char *module;         /* in path */
    uint8_t id[ID_MAX];         /* what was asked for */
    unsigned id_bytes;
    Dwfl *dwfl;                 /* owned; NULL: cannot be read */
    Dwfl_Module *mod;
    enum symbol_note note;      /* SYMBOL_FOUND: ask mod */
    struct stat file;           /* as it was opened; 0: it was not there */
    unsigned nanswers;
    struct answer *answer[BUCKETS];
    struct scope_last last;
};

struct symbols {
    unsigned max, n;
    TAILQ_HEAD(binaries, binary) binaries;      /* owned; most recently used
                                                   first */
};

static char *debug_path;        /* of libdwfl: its default */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = debugfile_find,
    .debuginfo_path = &debug_path,
};

/* ---------------------------------------------------------------- names */

typedef char *demangle_f(const char *name, char *buf, size_t *n, int *status);

/* The run-time library of C++ knows how, where it is installed. */
static demangle_f *demangler(void)
{
    static demangle_f *f;
    static bool asked;
    void *lib;

    if (!asked) {
        asked = true;
        lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (lib)
            *(void **)&f = dlsym(lib, "__cxa_demangle");
    }
    return f;
}

/* What is cut is not the end, where the function is. */
static bool demangle(char *out, unsigned size, const char *name)
{
    demangle_f *f = strncmp(name, "_Z", 2) == 0 ? demangler() : NULL;
    int status = -1;
    char *text = f ? f(name, NULL, NULL, &status) : NULL;
    struct str brief = { 0 };

    if (text && status == 0 && strlen(text) >= size)
        brief_add(&brief, text);
    if (text && status == 0)
        snprintf(out, size, "%s", brief.n ? str_text(&brief) : text);
    str_fini(&brief);
    free(text);
    return status == 0;
}

void symbol_pretty(char *out, unsigned size, const char *name)
{
    const char *mod = strstr(name, "_MOD_");
    size_t n = strlen(name);

    if (demangle(out, size, name))
        return;
    if (strncmp(name, "__", 2) == 0 && mod && mod > name + 2)
        snprintf(out, size, "%.*s::%s", (int)(mod - name - 2), name + 2,
                 mod + 5);
    else if (strcmp(name, "MAIN__") == 0)
        snprintf(out, size, "MAIN");
    else if (n > 1 && name[n - 1] == '_' && name[n - 2] != '_' &&
             name[0] != '_')
        snprintf(out, size, "%.*s", (int)n - 1, name);
    else
        snprintf(out, size, "%s", name);
}

const char *symbol_note_text(enum symbol_note note)
{
    switch (note) {
    case SYMBOL_FOUND: return NULL;
    case SYMBOL_UNNAMED: return "it is stripped: there are no names";
    case SYMBOL_NO_FILE: return "the file cannot be read";
    case SYMBOL_OTHER_BUILD: return "the file is not what was loaded: it has"
                                    " changed since";
    }
    return "?";
}

/* -------------------------------------------------------------- answers */

/* Strings are gathered in one text and pointed to once it is whole. */
struct draft {
    bool lines;                 /* they are wanted */
    char text[SYMBOL_DEPTH * 512 + NAME_MAX_BYTES];
    size_t used;
    struct { long function, file; unsigned line; } frame[SYMBOL_DEPTH];
    unsigned n;
};

static long draft_text(struct draft *d, const char *s)
{
    size_t n = s ? strlen(s) + 1 : 0, at = d->used;

    if (n == 0 || n > sizeof(d->text) - at)
        return -1;
    memcpy(d->text + at, s, n);
    d->used += n;
    return (long)at;
}

static void draft_frame(struct draft *d, const char *function,
                        const char *file, unsigned line)
{
    if (d->n == SYMBOL_DEPTH)
        return;
    d->frame[d->n].function = draft_text(d, function);
    d->frame[d->n].file = draft_text(d, file);
    d->frame[d->n].line = file ? line : 0;
    if (d->frame[d->n].function >= 0)
        d->n++;
}

static struct answer *answer_make(const struct draft *d, const struct binary *b,
                                  uint64_t offset, enum symbol_note note)
{
    struct answer *a = calloc(1, sizeof(*a));

    if (!a)
        return NULL;
    a->text = malloc(d->used ? d->used : 1);
    if (!a->text) {
        free(a);
        return NULL;
    }
    memcpy(a->text, d->text, d->used);
    a->symbol = (struct symbol){ .note = note, .module = b->module,
                                 .offset = offset, .n = d->n };
    for (unsigned i = 0; i < d->n; i++) {
        struct symbol_frame *f = &a->symbol.frame[i];

        f->function = a->text + d->frame[i].function;
        f->file = d->frame[i].file < 0 ? NULL : a->text + d->frame[i].file;
        f->line = d->frame[i].line;
    }
    return a;
}

static void answers_free(struct binary *b)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct answer *a = b->answer[i], *next; a; a = next) {
            next = a->next;
            free(a->text);
            free(a);
        }
    memset(b->answer, 0, sizeof(b->answer));
    b->nanswers = 0;
}

/* ------------------------------------------------------------- binaries */

static void binary_free(struct binary *b)
{
    answers_free(b);
    if (b->dwfl)
        dwfl_end(b->dwfl);
    free(b->path);
    free(b);
}

static enum symbol_note check_id(const struct binary *b)
{
    const unsigned char *id;
    GElf_Addr at;
    int n = dwfl_module_build_id(b->mod, &id, &at);

    if (b->id_bytes == 0 || n <= 0)
        return SYMBOL_FOUND;
    return (unsigned)n == b->id_bytes && memcmp(id, b->id, b->id_bytes) == 0
               ? SYMBOL_FOUND : SYMBOL_OTHER_BUILD;
}

static void look_at(const char *path, struct stat *file)
{
    if (stat(path, file))
        memset(file, 0, sizeof(*file));
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void binary_open(struct binary *b)
{
    GElf_Addr bias;

    b->note = SYMBOL_NO_FILE;
    look_at(b->path, &b->file);
    b->dwfl = dwfl_begin(&callbacks);
    if (!b->dwfl)
        return;
    dwfl_report_begin(b->dwfl);
    b->mod = dwfl_report_elf(b->dwfl, b->module, b->path, -1, 0, true);
    dwfl_report_end(b->dwfl, NULL, NULL);
    if (b->mod && dwfl_module_getelf(b->mod, &bias))
        b->note = check_id(b);
}

static struct binary *binary_create(const char *path, const uint8_t *id,
                                    unsigned id_bytes)
{
    struct binary *b = calloc(1, sizeof(*b));
    const char *slash;

    if (!b || !(b->path = strdup(path))) {
        free(b);
        return NULL;
    }
    slash = strrchr(b->path, '/');
    b->module = slash ? slash + 1 : b->path;
    if (id_bytes)
        memcpy(b->id, id, id_bytes);
    b->id_bytes = id_bytes;
    binary_open(b);
    return b;
}

static void binary_drop(struct symbols *s, struct binary *b)
{
    TAILQ_REMOVE(&s->binaries, b, place);
    s->n--;
    binary_free(b);
}

void symbols_refresh(struct symbols *s)
{
    struct binary *next;

    for (struct binary *b = TAILQ_FIRST(&s->binaries); b; b = next) {
        struct stat now;

        next = TAILQ_NEXT(b, place);
        look_at(b->path, &now);
        if (!is_same(&now, &b->file))
            binary_drop(s, b);
    }
}

/* Found or made, it becomes the first of the list; the last one goes when
 * there are too many. */
static struct binary *binary_get(struct symbols *s, const char *path,
                                 const uint8_t *id, unsigned id_bytes)
{
    struct binary *b;

    TAILQ_FOREACH(b, &s->binaries, place)
        if (b->id_bytes == id_bytes && strcmp(b->path, path) == 0 &&
            (id_bytes == 0 || memcmp(b->id, id, id_bytes) == 0))
            break;
    if (b) {
        TAILQ_REMOVE(&s->binaries, b, place);
    } else {
        b = binary_create(path, id, id_bytes);
        if (!b)
            return NULL;
        s->n++;
    }
    TAILQ_INSERT_HEAD(&s->binaries, b, place);
    if (s->n > s->max)
        binary_drop(s, TAILQ_LAST(&s->binaries, binaries));
    return b;
}

/* ---------------------------------------------------------------- DWARF */

/* The unit of an address; compilers that write no .debug_aranges make us look
 * through all units. */
static Dwarf_Die *find_unit(Dwfl_Module *mod, Dwarf_Addr address,
                            Dwarf_Addr *bias)
{
    Dwarf_Die *cu = dwfl_module_addrdie(mod, address, bias);

    if (cu)
        return cu;
    while ((cu = dwfl_module_nextcu(mod, cu, bias)))
        if (dwarf_haspc(cu, address - *bias) == 1)
            return cu;
    return NULL;
}

static const char *attr_text(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;

    return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

static void die_name(char *out, unsigned size, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    const char *linkage = attr_text(die, DW_AT_linkage_name);

    if (!name)
        name = attr_text(die, DW_AT_name);
    if (linkage && (!name || strstr(linkage, "_MOD_") ||
                    strncmp(linkage, "_Z", 2) == 0))
        symbol_pretty(out, size, linkage);
    else if (name && strncmp(name, "mpi_", 4) == 0)
        symbol_pretty(out, size, name);         /* Fortran's, written in C */
    else
        snprintf(out, size, "%s", name ? name : "");
}

struct place { const char *file; unsigned line; };

/* Where the inlined function was called from. */
static struct place call_place(Dwarf_Die *inlined, Dwarf_Die *cu)
{
    struct place p = { NULL, 0 };
    Dwarf_Attribute attr;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    size_t n;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) ||
        dwarf_getsrcfiles(cu, &files, &n) || file >= n)
        return p;
    p.file = dwarf_filesrc(files, file, NULL, NULL);
    p.line = (unsigned)line;
    return p;
}

/* What the line table says. */
static struct place line_place(Dwarf_Die *cu, Dwarf_Addr address)
{
    Dwarf_Line *line = dwarf_getsrc_die(cu, address);
    struct place p = { NULL, 0 };
    int number = 0;

    if (line && dwarf_lineno(line, &number) == 0 && number > 0) {
        p.file = dwarf_linesrc(line, NULL, NULL);
        p.line = (unsigned)number;
    }
    return p;
}

static void read_dwarf(struct draft *d, struct binary *b, Dwarf_Addr address)
{
    Dwarf_Addr bias;
    Dwarf_Die *cu = find_unit(b->mod, address, &bias), scopes[INLINED_MAX + 1];
    struct place p = { NULL, 0 };
    char name[NAME_MAX_BYTES];

    if (!cu)
        return;
    if (d->lines)
        p = line_place(cu, address - bias);
    if (!scope_function_near(cu, address - bias, &b->last, &scopes[0]))
        return;
    for (int i = scope_inlined(&scopes[0], address - bias, scopes + 1, INLINED_MAX);
         i >= 0; i--) {
        die_name(name, sizeof(name), &scopes[i]);
        if (*name)
            draft_frame(d, name, p.file, p.line);
        if (i > 0 && d->lines)
            p = call_place(&scopes[i], cu);
    }
}

static const char *table_name(Dwfl_Module *mod, Dwarf_Addr address)
{
    GElf_Off off = 0;
    GElf_Sym sym;
    const char *raw = dwfl_module_addrinfo(mod, address, &off, &sym, NULL,
                                           NULL, NULL);

    return raw && *raw && (!sym.st_size || off < sym.st_size) ? raw : NULL;
}

/* The symbol table knows more functions than the DWARF: those without, and
 * those that a compiler has made of parts of others (loops of OpenMP), whose
 * lines are known all the same. */
static void read_table(struct draft *d, Dwfl_Module *mod, Dwarf_Addr address,
                       bool dwarf)
{
    const char *raw = table_name(mod, address);
    char name[NAME_MAX_BYTES];
    struct place p = { NULL, 0 };
    Dwarf_Addr bias;
    Dwarf_Die *cu;

    if (!raw)
        return;
    symbol_pretty(name, sizeof(name), raw);
    name[strcspn(name, "@")] = '\0';
    cu = dwarf && d->lines ? find_unit(mod, address, &bias) : NULL;
    if (cu)
        p = line_place(cu, address - bias);
    draft_frame(d, name, p.file, p.line);
}

/* Of the C library names are all that anybody wants to see, and its DWARF,
 * where it is installed, takes longer to unpack than anything else. */
static bool is_c_library(const struct binary *b)
{
    static const char *const begin[] = { "libc.so", "libc-2.", "ld-linux",
                                         "ld-2." };

    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
        if (strncmp(b->module, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static struct answer *look_up(struct binary *b, uint64_t offset,
                              Dwarf_Addr address, bool lines)
{
    enum symbol_note note = b->note;
    struct draft d = { .lines = lines };
    char name[NAME_MAX_BYTES];

    if (note == SYMBOL_FOUND) {
        bool dwarf = !is_c_library(b);

        if (dwarf)
            read_dwarf(&d, b, address);
        if (d.n == 0)
            read_table(&d, b->mod, address, dwarf);
        if (d.n == 0)
            note = SYMBOL_UNNAMED;
    }
    if (d.n == 0) {
        snprintf(name, sizeof(name), "%.200s+0x%llx", b->module,
                 (unsigned long long)offset);
        draft_frame(&d, name, NULL, 0);
    }
    return answer_make(&d, b, offset, note);
}

const struct symbol *symbols_find(struct symbols *s, const char *path,
                                  const uint8_t *id, unsigned id_bytes,
                                  uint64_t address, bool call, bool lines)
{
    struct binary *b = binary_get(s, path, id,
                                  id_bytes <= ID_MAX ? id_bytes : 0);
    uint64_t key = address * 4 + 2 * lines + call;
    struct answer **bucket, *a;

    if (!b)
        return NULL;
    bucket = &b->answer[(key * 0x9e3779b97f4a7c15ull >> 32) % BUCKETS];
    for (a = *bucket; a; a = a->next)
        if (a->key == key)
            return &a->symbol;
    if (b->nanswers == ANSWERS_MAX)
        answers_free(b);
    a = look_up(b, address, call && address ? address - 1 : address, lines);
    if (!a)
        return NULL;
    a->key = key;
    a->next = *bucket;
    *bucket = a;
    b->nanswers++;
    return &a->symbol;
}

bool symbols_begins(struct symbols *s, const char *path, uint64_t address,
                    bool call, const char *with)
{
    struct binary *b = binary_get(s, path, NULL, 0);
    const char *raw = b && b->note == SYMBOL_FOUND
        ? table_name(b->mod, call && address ? address - 1 : address) : NULL;

    return raw && strncmp(raw, with, strlen(with)) == 0;
}

struct symbols *symbols_create(unsigned max_files, struct err *err)
{
    struct symbols *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err), NULL;
    TAILQ_INIT(&s->binaries);
    s->max = max_files ? max_files : 1;
    unsetenv("DEBUGINFOD_URLS");        /* it would wait for a server */
    return s;
}

void symbols_destroy(struct symbols *s)
{
    if (!s)
        return;
    while (s->n)
        binary_drop(s, TAILQ_FIRST(&s->binaries));
    free(s);
}
