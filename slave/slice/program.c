/* program.c - the functions of an executable. */
#include "slave/slice/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "slave/slice/calls.h"
#include "slave/slice/variables.h"
#include "slave/symbols/symbols.h"

enum { TEXT_MAX = 8 << 20, STUB = 3, CHANGES_LEVELS = 2 };

struct program {
    struct binary *binary;      /* owned, as all here */
    struct decoder *decoder;
    struct symbols *symbols;
    struct bases bases;
    struct function **functions;
    struct changes { uint64_t address, registers; } *changes;
    struct write { uint64_t at; int64_t low, high; } *writes;   /* to addresses of
                                   the file; has_writes: they are all here */
    struct line **lines;        /* each by itself: others point to them; 0: none */
    char **texts;               /* of lines, each once */
    char *path;
    size_t nfunctions, cap_functions, nlines, cap_lines, ntexts, cap_texts,
           nchanges, cap_changes, nwrites, cap_writes;
    bool has_writes;
};

struct program *program_create(struct binary *b, const char *path,
                               struct err *err)
{
    struct program *p = calloc(1, sizeof(*p));

    if (!p) {
        binary_close(b);
        return err_memory(err), NULL;
    }
    p->binary = b;
    p->path = strdup(path);
    p->nlines = 1;
    if (!p->path || !bases_init(&p->bases) ||
        array_reserve_zeros(&p->lines, &p->cap_lines, 1))
        err_memory(err);
    else if ((p->decoder = decoder_open(err)) &&
             (p->symbols = symbols_create(1, err)))
        return p;
    program_destroy(p);
    return NULL;
}

void program_destroy(struct program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->nfunctions; i++) {
        flow_fini(&p->functions[i]->flow);
        values_fini(&p->functions[i]->values);
        free(p->functions[i]->lines);
        free(p->functions[i]);
    }
    for (size_t i = 0; i < p->ntexts; i++)
        free(p->texts[i]);
    for (size_t i = 1; p->lines && i < p->nlines; i++)
        free(p->lines[i]);
    free(p->texts);
    free(p->changes);
    free(p->writes);
    free(p->functions);
    free(p->lines);
    free(p->path);
    bases_fini(&p->bases);
    symbols_destroy(p->symbols);
    decoder_close(p->decoder);
    binary_close(p->binary);
    free(p);
}

const struct binary *program_binary(const struct program *p)
{
    return p->binary;
}

struct bases *program_bases(struct program *p)
{
    return &p->bases;
}

struct function *program_numbered(struct program *p, uint32_t number)
{
    return p->functions[number];
}

/* ------------------------------------------------------------------- calls */

/* A stub jumps to where the loader has put the address. */
static const char *stub_name(struct program *p, uint64_t address)
{
    size_t n;
    const uint8_t *bytes = binary_bytes(p->binary, address, &n);
    struct insn i;

    for (int k = 0; bytes && k < STUB; k++) {
        if (!decoder_read(p->decoder, bytes, n, address, &i))
            return NULL;
        if (i.kind == INSN_JUMP && i.nmem && i.mem[0].base == REG_NONE)
            return binary_import(p->binary, (uint64_t)i.mem[0].disp);
        if (i.kind != INSN_PLAIN)
            return NULL;
        bytes += i.bytes;
        n -= i.bytes;
        address += i.bytes;
    }
    return NULL;
}

const char *program_callee(struct program *p, const struct insn *call,
                           uint64_t *at)
{
    const struct binary_symbol *s;

    *at = 0;
    if (!call->target)
        return call->nmem && call->mem[0].base == REG_NONE &&
               call->mem[0].index == REG_NONE
               ? binary_import(p->binary, (uint64_t)call->mem[0].disp) : NULL;
    s = binary_function(p->binary, call->target);
    if (!s)
        return stub_name(p, call->target);
    *at = call->target;
    return s->name;
}

/* All but those that a function has to give back as they were. */
static const uint64_t changed_by_any = ~(REG_BIT(REG_BX) | REG_BIT(REG_SP) |
    REG_BIT(REG_BP) | REG_BIT(REG_R12) | REG_BIT(REG_R13) | REG_BIT(REG_R14) |
    REG_BIT(REG_R15));

static uint64_t changes_of(struct program *p, const struct insn *call,
                           unsigned levels)
{
    uint64_t at, changed = 0, end, next;
    size_t n;
    const char *name = program_callee(p, call, &at);
    const struct binary_symbol *s = name && at ? binary_function(p->binary, at)
                                               : NULL;
    const uint8_t *bytes = s && levels ? binary_bytes(p->binary, at, &n) : NULL;
    struct insn i;

    if (!bytes)
        return changed_by_any;
    end = s->address + s->bytes;
    for (; at < end && changed != changed_by_any; at = next) {
        if (!decoder_read(p->decoder, bytes, n, at, &i))
            return changed_by_any;
        next = at + i.bytes;
        bytes += i.bytes;
        n -= i.bytes;
        changed |= i.writes & changed_by_any;
        if (i.kind == INSN_CALL ||
            ((i.kind == INSN_JUMP || i.kind == INSN_BRANCH) &&
             (i.target < s->address || i.target >= end)))
            changed |= changes_of(p, &i, levels - 1);
    }
    return changed;
}

uint64_t program_changes(struct program *p, const struct insn *call)
{
    uint64_t changed;

    for (size_t i = 0; i < p->nchanges && call->target; i++)
        if (p->changes[i].address == call->target)
            return p->changes[i].registers;
    changed = changes_of(p, call, CHANGES_LEVELS);
    if (call->target &&
        array_reserve(&p->changes, &p->cap_changes, p->nchanges + 1) == 0)
        p->changes[p->nchanges++] = (struct changes){ call->target, changed };
    return changed;
}

static uint64_t changes(void *arg, const struct insn *call)
{
    return program_changes(arg, call);
}

static bool ends(void *arg, const struct insn *call)
{
    uint64_t at;

    return calls_end(program_callee(arg, call, &at));
}

/* --------------------------------------------------------------- functions */

void program_whole(struct program *p, struct area *a)
{
    const struct base *b = &p->bases.v[a->base];
    const struct binary_symbol *s;
    int64_t low, high;

    switch ((enum base_kind)b->kind) {
    case BASE_FILE:
        s = binary_variable(p->binary, (uint64_t)a->low);
        if (s) {
            a->low = (int64_t)s->address;
            a->high = (int64_t)(s->address + s->bytes);
        }
        break;
    case BASE_FRAME:
        if (variables_extent(p->binary, p->functions[b->a]->symbol->address,
                             a->low, &low, &high)) {
            a->low = low;
            a->high = high;
        }
        break;
    case BASE_NOTHING:
        break;
    case BASE_THREAD: case BASE_ENTRY: case BASE_MEMORY: case BASE_MADE:
    case BASE_JOINED:           /* behind a pointer: an array goes on from there */
        a->high = AREA_END;
        break;
    }
}

static void whole(void *arg, struct area *a)
{
    program_whole(arg, a);
}

struct function *program_function(struct program *p, uint64_t address)
{
    const struct binary_symbol *s = binary_function(p->binary, address);
    struct function *f;
    const char *cold;
    char name[256];

    if (!s)
        return NULL;
    /* What stands apart belongs to the function that it is of. */
    cold = strstr(s->name, ".cold");
    if (cold && !cold[5] && (size_t)(cold - s->name) < sizeof(name)) {
        size_t n;
        const struct binary_symbol *all = binary_functions(p->binary, &n);

        memcpy(name, s->name, (size_t)(cold - s->name));
        name[cold - s->name] = '\0';
        for (size_t i = 0; i < n; i++)
            if (strcmp(all[i].name, name) == 0)
                s = &all[i];
    }
    for (size_t i = 0; i < p->nfunctions; i++)
        if (p->functions[i]->symbol->address == s->address)
            return p->functions[i];
    if (array_reserve(&p->functions, &p->cap_functions, p->nfunctions + 1) ||
        !(f = calloc(1, sizeof(*f))))
        return NULL;
    f->symbol = s;
    f->number = (uint32_t)p->nfunctions;
    p->functions[p->nfunctions++] = f;
    f->readable = flow_make(&f->flow, p->binary, p->decoder, s, ends, p) &&
                  values_make(&f->values, &f->flow, &p->bases, f->number,
                              whole, changes, p) &&
                  (f->lines = calloc(f->flow.ninsns, sizeof(*f->lines)));
    f->head = variables_head(p->binary, s->address);
    f->opens = variables_opens(p->binary, s->address);
    return f;
}

/* ------------------------------------------------------------------- tails */

static struct function *target_of(struct program *p, const struct insn *call)
{
    uint64_t at;
    struct function *f = program_callee(p, call, &at) && at
        ? program_function(p, at) : NULL;

    return f && f->readable ? f : NULL;
}

/* In so many jumps. */
static bool leads(struct program *p, struct function *f,
                  const struct function *to, struct program_tail *v,
                  size_t jumps)
{
    for (uint32_t i = 0; i < f->flow.ninsns; i++) {
        struct function *next = f->flow.insns[i].kind == INSN_TAIL
            ? target_of(p, &f->flow.insns[i]) : NULL;

        if (!next || next == f)
            continue;
        *v = (struct program_tail){ f, i };
        if (jumps == 1 ? next == to : leads(p, next, to, v + 1, jumps - 1))
            return true;
    }
    return false;
}

size_t program_tails(struct program *p, const struct insn *call,
                     const struct function *to,
                     struct program_tail v[PROGRAM_TAILS])
{
    struct function *f = target_of(p, call);

    for (size_t n = 1; f && f != to && n <= PROGRAM_TAILS; n++)
        if (leads(p, f, to, v, n))
            return n;
    return 0;
}

/* ------------------------------------------------------------------- lines */

static const char *keep(struct program *p, const char *text)
{
    if (!text)
        return NULL;
    for (size_t i = 0; i < p->ntexts; i++)
        if (strcmp(p->texts[i], text) == 0)
            return p->texts[i];
    if (array_reserve(&p->texts, &p->cap_texts, p->ntexts + 1) ||
        !(p->texts[p->ntexts] = strdup(text)))
        return NULL;
    return p->texts[p->ntexts++];
}

static bool is_library(const char *file)
{
    return strncmp(file, "/usr/include/", 13) == 0 ||
           strncmp(file, "/usr/lib", 8) == 0;
}

static uint32_t look_up(struct program *p, uint64_t address)
{
    const struct symbol *s = symbols_find(p->symbols, p->path, NULL, 0, address,
                                          false, true);
    const struct symbol_frame *at;
    struct line l;

    if (!s || s->note != SYMBOL_FOUND)
        return 0;
    /* What a header of the system has inlined is where it was called. */
    at = s->frame;
    while (at < s->frame + s->n - 1 && at->file &&
           is_library(at->file))
        at++;
    if (!at->file)
        return 0;
    l = (struct line){ keep(p, at->function), keep(p, at->file), at->line,
                       is_library(at->file) };
    if (!l.function || !l.file)
        return 0;
    for (size_t i = 1; i < p->nlines; i++)
        if (p->lines[i]->function == l.function && p->lines[i]->file == l.file &&
            p->lines[i]->number == l.number)
            return (uint32_t)i;
    if (array_reserve(&p->lines, &p->cap_lines, p->nlines + 1) ||
        !(p->lines[p->nlines] = malloc(sizeof(l))))
        return 0;
    *p->lines[p->nlines] = l;
    return (uint32_t)p->nlines++;
}

static uint32_t line_number(struct program *p, struct function *f, uint32_t insn)
{
    if (!f->lines[insn])
        f->lines[insn] = look_up(p, f->flow.insns[insn].address) + 1;
    return f->lines[insn] - 1;
}

const struct line *program_line(struct program *p, struct function *f,
                                uint32_t insn)
{
    uint32_t k = line_number(p, f, insn);

    return k ? p->lines[k] : NULL;
}

const struct line *program_last_line(struct program *p, struct function *f)
{
    for (uint32_t i = 0; !f->has_last && i < f->flow.ninsns; i++) {
        const struct line *l = f->flow.insns[i].kind == INSN_RETURN
            ? program_line(p, f, i) : NULL;

        if (l && (!f->last || l->number > f->last->number))
            f->last = l;
    }
    f->has_last = true;
    return f->last;
}

unsigned program_count_lines(struct program *p, struct function *f)
{
    uint8_t *seen;
    unsigned n = 0;

    for (uint32_t i = 0; i < f->flow.ninsns; i++)
        line_number(p, f, i);
    seen = calloc(p->nlines, 1);
    for (uint32_t i = 0; seen && i < f->flow.ninsns; i++) {
        uint32_t k = line_number(p, f, i);

        n += k && !seen[k];
        seen[k] = 1;
    }
    free(seen);
    return n;
}

/* ----------------------------------------------------------------- writers */

static void note_writes(struct program *p, const struct insn *n, uint64_t at)
{
    for (uint8_t k = 0; k < n->nmem; k++) {
        const struct insn_mem *m = &n->mem[k];

        if (m->writes && m->base == REG_NONE && m->index == REG_NONE &&
            !n->thread &&
            array_reserve(&p->writes, &p->cap_writes, p->nwrites + 1) == 0)
            p->writes[p->nwrites++] = (struct write){
                at, m->disp, m->disp + (int64_t)m->bytes };
    }
}

/* The whole program is gone through once. */
static void find_writes(struct program *p)
{
    size_t nfunctions, text = 0;
    const struct binary_symbol *v = binary_functions(p->binary, &nfunctions);

    p->has_writes = true;
    for (size_t k = 0; k < nfunctions && text < TEXT_MAX; k++) {
        uint64_t at = v[k].address, end = at + v[k].bytes;
        size_t n;
        const uint8_t *bytes = binary_bytes(p->binary, at, &n);
        struct insn i;

        if (k && v[k].address == v[k - 1].address)
            continue;
        text += v[k].bytes;
        while (bytes && at < end && decoder_read(p->decoder, bytes, n, at, &i)) {
            note_writes(p, &i, at);
            bytes += i.bytes;
            n -= i.bytes;
            at += i.bytes;
        }
    }
}

void program_writers(struct program *p, const struct area *a,
                     void (*each)(void *arg, struct function *f, uint32_t insn),
                     void *arg)
{
    if (!p->has_writes)
        find_writes(p);
    for (size_t i = 0; i < p->nwrites; i++) {
        const struct write *w = &p->writes[i];
        struct function *f = w->low < a->high && w->high > a->low
            ? program_function(p, w->at) : NULL;
        uint32_t insn = f && f->readable ? flow_find(&f->flow, w->at) : FLOW_NONE;

        if (insn != FLOW_NONE)
            each(arg, f, insn);
    }
}
