/* program.c - the functions of an executable. */
#include "slave/slice/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "slave/slice/calls.h"
#include "slave/slice/variables.h"
#include "slave/symbols/symbols.h"

enum { TEXT_MAX = 8 << 20, STUB = 3, CHANGES_LEVELS = 2, HELD_LOOK = 24,
       POINTER_BLOCKS = 16, BEFORE_METHODS = 16 };

struct program {
    struct binary *binary;      /* owned, as all here */
    struct variables *variables;
    struct decoder *decoder;
    struct symbols *symbols;
    struct bases bases;
    struct function **functions;
    struct changes { uint64_t address, registers; } *changes;
    struct write { uint64_t at; int64_t low, high; } *writes;   /* to addresses of
                                   the file; has_writes: they are all here */
    struct typed { bool asked, known, counted, number; Dwarf_Die type; } *types;
                                /* of what bases point to, by their numbers */
    struct line **lines;        /* each by itself: others point to them; 0: none */
    char **texts;               /* of lines, each once */
    char *path;
    size_t nfunctions, cap_functions, nlines, cap_lines, ntexts, cap_texts,
           nchanges, cap_changes, nwrites, cap_writes, cap_types;
    bool has_writes;
    struct targets {
        uint32_t function, call;
        size_t n;
        struct function *v[PROGRAM_TARGETS];
    } *targets;                 /* of calls that are computed, each once */
    size_t ntargets, cap_targets;
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
    p->variables = variables_create(b);
    if (!p->path || !p->variables || !bases_init(&p->bases) ||
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
    free(p->targets);
    free(p->types);
    free(p->functions);
    free(p->lines);
    free(p->path);
    bases_fini(&p->bases);
    symbols_destroy(p->symbols);
    decoder_close(p->decoder);
    variables_destroy(p->variables);
    binary_close(p->binary);
    free(p);
}

struct variables *program_variables(const struct program *p)
{
    return p->variables;
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
        if (variables_extent(p->variables, p->functions[b->a]->symbol->address,
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

/* ------------------------------------------------------------------- types */

/* Of what an instruction has made: whoever has it in a register shortly behind
 * that. */
static bool find_made(struct program *p, const struct base *b, Dwarf_Die *type)
{
    struct function *f = p->functions[b->a];
    uint32_t insn = (uint32_t)(b->b / BASE_REGS), end;
    uint32_t base = bases_number(&p->bases, BASE_MADE, b->a, b->b);
    const struct flow_block *block = &f->flow.blocks[f->flow.block_of[insn]];

    end = block->first + block->n;
    for (uint32_t i = insn + 1; i < end && i <= insn + HELD_LOOK; i++) {
        uint64_t in = values_holding(&f->values, i, base);

        for (uint8_t r = 0; r < REG_GENERAL; r++)
            if ((in & REG_BIT(r)) &&
                variables_pointed(p->variables, f->flow.insns[i].address, r, type))
                return true;
    }
    return false;
}

static int argument_of(uint8_t reg)
{
    static const uint8_t arguments[] = { REG_DI, REG_SI, REG_DX, REG_CX, REG_R8,
                                         REG_R9 };

    for (int k = 0; k < (int)sizeof(arguments); k++)
        if (arguments[k] == reg)
            return k;
    return -1;
}

/* Of what a function is given: the variable that is there when it is entered,
 * or, as without optimisation it is put elsewhere first, the parameter by its
 * number. */
static bool find_given(struct program *p, uint64_t function, uint8_t reg,
                       Dwarf_Die *type)
{
    int n = argument_of(reg);

    return variables_pointed(p->variables, function, reg, type) ||
           (n >= 0 && variables_parameter_pointed(p->variables, function, n, type));
}

static bool type_behind(struct program *p, uint32_t base, Dwarf_Die *type);

/* The variable that this place is part of, and where that begins. */
static bool type_at(struct program *p, uint32_t base, int64_t at,
                    Dwarf_Die *type, int64_t *begins)
{
    const struct base b = p->bases.v[base];
    const struct binary_symbol *s;

    switch ((enum base_kind)b.kind) {
    case BASE_FRAME:
        return variables_type_in_frame(p->variables,
                                       p->functions[b.a]->symbol->address, at,
                                       type, begins);
    case BASE_FILE:
        s = binary_variable(p->binary, (uint64_t)at);
        if (!s)
            return false;
        *begins = (int64_t)s->address;
        return p->nfunctions && variables_type_in_file(
            p->variables, p->functions[p->nfunctions - 1]->symbol->address,
            s->address, type);
    default:
        *begins = 0;
        return type_behind(p, base, type);
    }
}

static bool find_type(struct program *p, const struct base *b, Dwarf_Die *type)
{
    Dwarf_Die of;
    int64_t begins;

    switch ((enum base_kind)b->kind) {
    case BASE_ENTRY:
        return find_given(p, p->functions[b->a]->symbol->address, (uint8_t)b->b,
                          type);
    case BASE_MADE:
        return find_made(p, b, type);
    case BASE_MEMORY:
        return type_at(p, b->a, b->b, &of, &begins) &&
               variables_pointer(&of, b->b - begins, type);
    default:
        return false;
    }
}

/* Of what such a base points to; each is asked once. */
static bool type_behind(struct program *p, uint32_t base, Dwarf_Die *type)
{
    const struct base b = p->bases.v[base];
    bool known;

    if (array_reserve_zeros(&p->types, &p->cap_types, base + 1))
        return false;
    if (!p->types[base].asked) {
        p->types[base].asked = true;
        known = find_type(p, &b, type);         /* more of them may be asked */
        p->types[base].known = known;
        if (known)
            p->types[base].type = *type;
    }
    *type = p->types[base].type;
    return p->types[base].known;
}

/* Compilers make other functions of one, and give these other things. */
static bool is_number(struct program *p, const struct base *b)
{
    const struct binary_symbol *s;
    int64_t begins;
    Dwarf_Die type;
    int n;

    if (b->kind == BASE_MEMORY)
        return type_at(p, b->a, b->b, &type, &begins) &&
               variables_counts(&type, b->b - begins);
    s = p->functions[b->a]->symbol;
    n = argument_of((uint8_t)b->b);
    return n >= 0 && !strchr(s->name, '.') &&
           variables_parameter_counts(p->variables, s->address, n);
}

static bool number(void *arg, uint32_t base)
{
    struct program *p = arg;
    const struct base b = p->bases.v[base];
    bool is;

    if (array_reserve_zeros(&p->types, &p->cap_types, base + 1))
        return false;
    if (!p->types[base].counted) {
        is = is_number(p, &b);
        p->types[base].number = is;
        p->types[base].counted = true;
    }
    return p->types[base].number;
}

/* Not behind a pointer. */
static bool is_variable(const struct program *p, uint32_t base)
{
    uint8_t kind = p->bases.v[base].kind;

    return kind == BASE_FILE || kind == BASE_FRAME;
}

/* An index stays in the array that is a field there, and in the field of its
 * elements: fields of a record are kept apart, elements are not. */
static bool narrow(struct program *p, struct area *a)
{
    struct variables_array of;
    Dwarf_Die type;
    int64_t begins;

    if (!type_at(p, a->base, a->low, &type, &begins) ||
        !variables_array(&type, a->low - begins, a->high - a->low, &of) ||
        (of.high == AREA_END && is_variable(p, a->base)))
        return false;
    a->bytes = (uint32_t)(a->high - a->low);
    a->low = begins + of.low;
    a->high = of.high == AREA_END ? AREA_END : begins + of.high;
    a->step = (uint32_t)of.step;
    a->first = of.first;
    return true;
}

int64_t program_record(struct program *p, uint32_t base)
{
    Dwarf_Die type;

    return type_behind(p, base, &type) ? variables_record(&type) : 0;
}

bool program_field_of_each(struct program *p, uint32_t record, struct area *a)
{
    struct area of = *a;
    int64_t bytes = program_record(p, record);

    if (!bytes || !narrow(p, &of) || of.step != bytes)
        return false;
    *a = of;
    return true;
}

void program_given(struct program *p, struct area *a)
{
    Dwarf_Die type;
    int64_t begins, end;

    if (type_at(p, a->base, a->low, &type, &begins) &&
        variables_field(&type, a->low - begins, &end))
        a->high = begins + end;
    else
        program_whole(p, a);
}

static void whole(void *arg, struct area *a, bool element)
{
    if (!element || !narrow(arg, a))
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
                              whole, changes, number, p) &&
                  (f->lines = calloc(f->flow.ninsns, sizeof(*f->lines)));
    f->parameters = strchr(s->name, '.') ? -1
        : variables_parameters(p->variables, s->address);
    f->head = variables_head(p->variables, s->address);
    f->opens = variables_opens(p->variables, s->address);
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

/* ----------------------------------------------------------------- targets */

/* The instruction that reads the pointer which is called: itself, or the one
 * that has put it into the register, back through the blocks that lead there.
 * FLOW_NONE: none is found. */
static uint32_t reads_pointer(const struct flow *f, uint32_t call)
{
    uint64_t reg = f->insns[call].reads & ~REG_BIT(REG_SP);
    uint32_t todo[POINTER_BLOCKS] = { f->block_of[call] }, n = 1, i = call;

    if (f->insns[call].nmem)
        return call;
    for (uint32_t k = 0; k < n; k++) {
        const struct flow_block *b = &f->blocks[todo[k]];

        if (k)
            i = b->first + b->n;
        while (i > b->first && !(f->insns[i - 1].writes & reg))
            i--;
        if (i > b->first && f->insns[i - 1].nmem && f->insns[i - 1].mem[0].reads)
            return i - 1;
        for (size_t p = 0; i == b->first && p < b->from.n && n < POINTER_BLOCKS;
             p++)
            todo[n++] = b->from.v[p];
    }
    return FLOW_NONE;
}

static size_t add_target(struct program *p, uint64_t slot,
                         struct function *v[PROGRAM_TARGETS], size_t n)
{
    uint64_t to = binary_pointer(p->binary, slot);
    struct function *f = to && n < PROGRAM_TARGETS ? program_function(p, to)
                                                   : NULL;

    for (size_t i = 0; i < n; i++)
        if (v[i] == f)
            return n;
    if (f && f->readable)
        v[n++] = f;
    return n;
}

/* What an object begins with is the address of a table of its class, behind what
 * is before the methods in there. */
static size_t find_methods(struct program *p, int64_t offset,
                           struct function *v[PROGRAM_TARGETS])
{
    size_t nvariables, n = 0;
    const struct binary_symbol *s = binary_variables(p->binary, &nvariables);

    for (size_t i = 0; i < nvariables; i++)
        if (strncmp(s[i].name, "_ZTV", 4) == 0 && offset >= 0 &&
            (uint64_t)offset + BEFORE_METHODS + 8 <= s[i].bytes)
            n = add_target(p, s[i].address + BEFORE_METHODS + (uint64_t)offset,
                           v, n);
    return n;
}

static size_t find_targets(struct program *p, const struct function *f,
                           uint32_t call, struct function *v[PROGRAM_TARGETS])
{
    uint32_t from = reads_pointer(&f->flow, call);
    struct area table;
    const struct base *b;
    size_t n = 0;

    if (from == FLOW_NONE)
        return 0;
    table = *values_area(&f->values, from, 0);
    b = &p->bases.v[table.base];
    if (b->kind == BASE_MEMORY && b->b == 0)
        return find_methods(p, table.low, v);
    if (table.base != BASE_NUMBER_FILE)
        return 0;
    program_whole(p, &table);
    for (int64_t at = table.low; at < table.high && n < PROGRAM_TARGETS; at += 8)
        n = add_target(p, (uint64_t)at, v, n);
    return n;
}

size_t program_targets(struct program *p, const struct function *f,
                       uint32_t call, struct function *v[PROGRAM_TARGETS])
{
    struct targets t = { .function = f->number, .call = call };

    if (f->flow.insns[call].target)
        return 0;
    for (size_t i = 0; i < p->ntargets; i++)
        if (p->targets[i].function == f->number && p->targets[i].call == call) {
            memcpy(v, p->targets[i].v, sizeof(t.v));
            return p->targets[i].n;
        }
    t.n = find_targets(p, f, call, t.v);
    memcpy(v, t.v, sizeof(t.v));
    if (array_reserve(&p->targets, &p->cap_targets, p->ntargets + 1) == 0)
        p->targets[p->ntargets++] = t;
    return t.n;
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
