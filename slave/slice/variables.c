/* variables.c - what the variables of a function are called, and where they
 * are: by DWARF. */
#include "slave/slice/variables.h"

#include <stdlib.h>
#include <string.h>
#include <dwarf.h>

#include "proto/base/array.h"
#include "slave/slice/insn.h"
#include "slave/symbols/scope.h"

enum { DEPTH_MAX = 64, VECTOR = 16, NOT_ASKED = -2 };

/* A variable that is in the frame, wherever in the function that is said. */
struct place { int64_t low, high; Dwarf_Die type; };

/* What is known of a function: each is walked through once. */
struct scope {
    uint64_t address;           /* of its symbol */
    Dwarf_Die die;
    Dwarf_Addr bias;
    bool known, has_places;
    int parameters;             /* as variables_parameters() has them; NOT_ASKED */
    struct place *places;       /* owned: inner blocks first */
    size_t nplaces, cap_places;
};

struct variables {
    const struct binary *binary;        /* borrowed */
    struct scope *scopes;       /* owned */
    size_t nscopes, cap_scopes;
};

struct search {
    Dwarf_Addr pc;
    bool anywhere;              /* in all blocks of the function; else in those
                                   that have pc */
    bool in_frame;              /* else in a register, */
    bool constant;              /* or nowhere: it is the number offset, */
    bool declared;              /* or anywhere: it is declared on this line */
    bool pointed;               /* type is that of what one points to which is in
                                   the register */
    struct scope *places;       /* or all that are in the frame are kept there */
    int64_t offset;
    uint8_t reg;
    const struct binary *binary;        /* borrowed */
    Dwarf_Addr low_pc, high_pc; /* of the function, as the binary has them */
    int64_t base;               /* what offsets in the frame count from, from its
                                   canonical frame address */
    const char *name;           /* what is found */
    const char *file;           /* of the last two: where it is declared */
    int line;
    int64_t low, high;
    Dwarf_Die type;             /* of what is found, but for a constant */
};

/* As DWARF counts them. */
static const uint8_t numbered[] = {
    REG_AX, REG_DX, REG_CX, REG_BX, REG_SI, REG_DI, REG_BP, REG_SP, REG_R8,
    REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_NONE,
};

static uint8_t reg_of(unsigned number)
{
    if (number < sizeof(numbered))
        return numbered[number];
    return number <= 32 ? (uint8_t)(REG_XMM0 + (number - 17)) : REG_NONE;
}

static Dwarf_Word size_of(Dwarf_Die *variable)
{
    Dwarf_Attribute attr;
    Dwarf_Word size;
    Dwarf_Die type;

    if (!dwarf_attr_integrate(variable, DW_AT_type, &attr) ||
        !dwarf_formref_die(&attr, &type) || dwarf_aggregate_size(&type, &size))
        return 8;
    return size ? size : 1;
}

/* Where that is, from the canonical frame address. */
static bool find_place(const struct search *s, const Dwarf_Op *op, int64_t *at)
{
    if (op->atom == DW_OP_fbreg)
        *at = s->base;
    else if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31 ||
             !binary_frame(s->binary, s->low_pc, s->high_pc,
                           op->atom - DW_OP_breg0, at))
        return false;
    *at += (int64_t)op->number;
    return true;
}

static bool is_at(struct search *s, Dwarf_Die *variable,
                  const Dwarf_Op *op, int64_t *low, int64_t *high)
{
    if (s->in_frame) {
        if (!find_place(s, op, low))
            return false;
        *high = *low + (int64_t)size_of(variable);
        return s->places || (*low <= s->offset && s->offset < *high);
    }
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return reg_of(op->atom - DW_OP_reg0) == s->reg;
    return op->atom == DW_OP_regx && reg_of((unsigned)op->number) == s->reg;
}

/* Of the whole function, or from there on. */
static bool is_constant(const struct search *s, Dwarf_Die *variable)
{
    Dwarf_Attribute attr;
    Dwarf_Sword is;
    Dwarf_Op *ops;
    size_t n;

    if (dwarf_attr(variable, DW_AT_const_value, &attr))
        return dwarf_formsdata(&attr, &is) == 0 && is == s->offset;
    if (!dwarf_attr(variable, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, s->pc, &ops, &n, 1) != 1 || n != 2 ||
        ops[1].atom != DW_OP_stack_value)
        return false;
    if (ops->atom >= DW_OP_lit0 && ops->atom <= DW_OP_lit31)
        return ops->atom - DW_OP_lit0 == s->offset;
    return ops->atom >= DW_OP_const1u && ops->atom <= DW_OP_consts &&
           (int64_t)ops->number == s->offset;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    Dwarf_Die is;

    return dwarf_attr_integrate(die, DW_AT_type, &attr) &&
           dwarf_formref_die(&attr, &is) && dwarf_peel_type(&is, type) == 0;
}

static bool points(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);

    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type;
}

/* What Fortran hands over is at the address that is in a register. */
static bool is_pointed(struct search *s, Dwarf_Die *variable)
{
    Dwarf_Attribute attr;
    Dwarf_Die type;
    Dwarf_Op *op;
    size_t n;

    if (!dwarf_attr(variable, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, s->pc, &op, &n, 1) != 1 || n != 1 ||
        !type_of(variable, &type))
        return false;
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        s->type = type;
        return !op->number && reg_of(op->atom - DW_OP_breg0) == s->reg;
    }
    return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 &&
           reg_of(op->atom - DW_OP_reg0) == s->reg && points(&type) &&
           type_of(&type, &s->type);
}

/* A constant that has a name is made there. */
static bool is_declared(const struct search *s, Dwarf_Die *die)
{
    const char *file;
    int line;

    if (dwarf_hasattr(die, DW_AT_const_value) ||
        dwarf_decl_line(die, &line) || line != s->line)
        return false;
    file = dwarf_decl_file(die);
    return !file || strcmp(file, s->file) == 0;
}

/* The walk goes on. */
static bool keep_place(const struct search *s)
{
    struct scope *f = s->places;

    if (array_reserve(&f->places, &f->cap_places, f->nplaces + 1) == 0)
        f->places[f->nplaces++] = (struct place){ s->low, s->high, s->type };
    return false;
}

static bool look_at(struct search *s, Dwarf_Die *variable)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    int64_t low = 0, high = 0;

    if (s->pointed)
        return is_pointed(s, variable);
    if (s->declared)
        return is_declared(s, variable);
    if (s->constant) {
        const char *file = dwarf_decl_file(variable);

        /* Libdw does not say it of number 0, the file of the unit. */
        return (!file || strcmp(file, s->file) == 0) && is_constant(s, variable) &&
               dwarf_decl_line(variable, &s->line) == 0;
    }
    if (!dwarf_attr(variable, DW_AT_location, &attr))
        return false;
    if (s->anywhere ? dwarf_getlocation(&attr, &ops, &n) != 0
                    : dwarf_getlocation_addr(&attr, s->pc, &ops, &n, 1) != 1)
        return false;
    if (n != 1 || !is_at(s, variable, ops, &low, &high))
        return false;
    s->low = low;
    s->high = high;
    if (!type_of(variable, &s->type))
        memset(&s->type, 0, sizeof(s->type));
    if (s->places)
        return keep_place(s);
    s->name = dwarf_diename(variable);
    if (!s->name) {
        Dwarf_Attribute name;

        s->name = dwarf_formstring(dwarf_attr_integrate(variable, DW_AT_name,
                                                        &name));
    }
    return true;
}

/* Inner blocks first. */
static bool look_in(struct search *s, Dwarf_Die *block, int depth)
{
    Dwarf_Die child;

    if (depth == DEPTH_MAX || dwarf_child(block, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);

        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            (s->anywhere || dwarf_haspc(&child, s->pc) == 1) &&
            ((s->declared && is_declared(s, &child)) ||
             look_in(s, &child, depth + 1)))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    if (dwarf_child(block, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);

        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
            look_at(s, &child))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* A function that is not there is not looked for again either. NULL: no room. */
static struct scope *scope_of(struct variables *v, uint64_t address)
{
    Dwarf_Die *cu;
    struct scope *f;

    for (size_t i = 0; i < v->nscopes; i++)
        if (v->scopes[i].address == address)
            return &v->scopes[i];
    if (array_reserve(&v->scopes, &v->cap_scopes, v->nscopes + 1))
        return NULL;
    f = &v->scopes[v->nscopes++];
    *f = (struct scope){ .address = address, .parameters = NOT_ASKED };
    cu = binary_unit(v->binary, address, &f->bias);
    f->known = cu && scope_function(cu, address - f->bias, &f->die);
    return f;
}

/* By its symbol: NULL if DWARF does not know it. */
static struct scope *find_scope(struct variables *v, uint64_t pc)
{
    const struct binary_symbol *s = binary_function(v->binary, pc);
    struct scope *f = scope_of(v, s ? s->address : pc);

    return f && f->known ? f : NULL;
}

/* gcc counts from the canonical frame address; others name a register. */
static bool find_base(struct search *s, Dwarf_Die *function)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;

    s->base = 0;
    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attr) ||
        dwarf_getlocation_addr(&attr, s->pc, &ops, &n, 1) != 1 || n != 1)
        return false;
    if (ops->atom == DW_OP_call_frame_cfa)
        return true;
    return ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31 &&
           binary_frame(s->binary, s->low_pc, s->high_pc,
                        ops->atom - DW_OP_reg0, &s->base);
}

static bool search(struct search *s, struct variables *v, uint64_t pc)
{
    struct scope *f = find_scope(v, pc);

    if (!f)
        return false;
    s->binary = v->binary;
    s->pc = pc - f->bias;
    if (s->in_frame) {
        Dwarf_Addr unused;

        if (dwarf_ranges(&f->die, 0, &unused, &s->low_pc, &s->high_pc) <= 0)
            return false;
        s->low_pc += f->bias;
        s->high_pc += f->bias;
        if (!find_base(s, &f->die))
            return false;
    }
    return look_in(s, &f->die, 0);
}

struct variables *variables_create(const struct binary *b)
{
    struct variables *v = calloc(1, sizeof(*v));

    if (v)
        v->binary = b;
    return v;
}

void variables_destroy(struct variables *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->nscopes; i++)
        free(v->scopes[i].places);
    free(v->scopes);
    free(v);
}

const char *variables_in_frame(struct variables *v, uint64_t pc, int64_t offset)
{
    struct search s = { .in_frame = true, .offset = offset };

    return search(&s, v, pc) ? s.name : NULL;
}

const char *variables_in_register(struct variables *v, uint64_t pc, uint8_t reg)
{
    struct search s = { .reg = reg };

    return search(&s, v, pc) ? s.name : NULL;
}

/* ------------------------------------------------------------------- places */

static const struct place *places(struct variables *v, uint64_t function,
                                  size_t *n)
{
    struct scope *f = find_scope(v, function);
    struct search s = { .anywhere = true, .in_frame = true, .places = f };

    *n = 0;
    if (!f)
        return NULL;
    if (!f->has_places) {
        f->has_places = true;
        search(&s, v, function);
    }
    *n = f->nplaces;
    return f->places;
}

static const struct place *place_at(struct variables *v, uint64_t function,
                                    int64_t offset)
{
    size_t n;
    const struct place *p = places(v, function, &n);

    for (size_t i = 0; i < n; i++)
        if (p[i].low <= offset && offset < p[i].high)
            return &p[i];
    return NULL;
}

bool variables_extent(struct variables *v, uint64_t function, int64_t offset,
                      int64_t *low, int64_t *high)
{
    const struct place *p = place_at(v, function, offset);

    if (!p)
        return false;
    *low = p->low;
    *high = p->high;
    return true;
}

bool variables_next(struct variables *v, uint64_t function, int64_t offset,
                    int64_t *begins)
{
    size_t n;
    const struct place *p = places(v, function, &n);

    *begins = INT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (p[i].low > offset && p[i].low < *begins)
            *begins = p[i].low;
    return *begins < INT64_MAX;
}

/* ------------------------------------------------------------------- types */

bool variables_type_in_frame(struct variables *v, uint64_t function,
                             int64_t offset, Dwarf_Die *type, int64_t *begins)
{
    const struct place *p = place_at(v, function, offset);

    if (!p || !p->type.addr)
        return false;
    *type = p->type;
    *begins = p->low;
    return true;
}

bool variables_pointed(struct variables *v, uint64_t pc, uint8_t reg,
                       Dwarf_Die *type)
{
    struct search s = { .pointed = true, .reg = reg };

    if (!search(&s, v, pc))
        return false;
    *type = s.type;
    return true;
}

/* What Fortran hands over by its address is behind one that is kept in the
 * frame. */
static bool is_by_address(Dwarf_Die *parameter)
{
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    size_t n;

    return dwarf_attr(parameter, DW_AT_location, &attr) &&
           dwarf_getlocation(&attr, &op, &n) == 0 && n == 2 &&
           op->atom == DW_OP_fbreg && op[1].atom == DW_OP_deref;
}

/* It has a register of its own among those for numbers; -1: nobody knows. */
static int has_register(Dwarf_Die *parameter, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    Dwarf_Word encoding;

    if (!type_of(parameter, type))
        return -1;
    if (is_by_address(parameter) || points(type) ||
        dwarf_tag(type) == DW_TAG_enumeration_type)
        return 1;
    if (dwarf_tag(type) != DW_TAG_base_type ||
        !dwarf_attr(type, DW_AT_encoding, &attr) ||
        dwarf_formudata(&attr, &encoding))
        return -1;
    return encoding != DW_ATE_float && encoding != DW_ATE_complex_float;
}

/* The n-th of those that are given in a register for numbers. */
static bool find_parameter(struct variables *v, uint64_t function, int n,
                           Dwarf_Die *parameter, Dwarf_Die *type)
{
    struct scope *f = find_scope(v, function);

    if (!f || dwarf_child(&f->die, parameter))
        return false;
    do {
        int takes = dwarf_tag(parameter) == DW_TAG_formal_parameter
            ? has_register(parameter, type) : 0;

        if (takes < 0)
            return false;
        if (takes && n-- == 0)
            return true;
    } while (dwarf_siblingof(parameter, parameter) == 0);
    return false;
}

bool variables_parameter_pointed(struct variables *v, uint64_t function, int n,
                                 Dwarf_Die *type)
{
    Dwarf_Die parameter;

    return find_parameter(v, function, n, &parameter, type) &&
           (is_by_address(&parameter) || (points(type) && type_of(type, type)));
}

/* What is handed over by its address stands behind a register, there as well. */
bool variables_parameter_counts(struct variables *v, uint64_t function, int n)
{
    Dwarf_Die parameter, type;
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    size_t nops;

    return find_parameter(v, function, n, &parameter, &type) &&
           !points(&type) && !is_by_address(&parameter) &&
           dwarf_attr(&parameter, DW_AT_location, &attr) &&
           dwarf_getlocation_addr(&attr, function, &op, &nops, 1) == 1 &&
           nops == 1 &&
           (op->atom == DW_OP_fbreg ||
            (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31));
}

/* Of the file, of functions, and of modules. */
static bool find_at_address(Dwarf_Die *in, uint64_t address, int depth,
                            Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    Dwarf_Die child;
    Dwarf_Op *op;
    size_t n;

    if (depth == DEPTH_MAX || dwarf_child(in, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);

        if (tag == DW_TAG_variable &&
            dwarf_attr(&child, DW_AT_location, &attr) &&
            dwarf_getlocation(&attr, &op, &n) == 0 && n == 1 &&
            op->atom == DW_OP_addr && op->number == address)
            return type_of(&child, type);
        if ((tag == DW_TAG_subprogram || tag == DW_TAG_module ||
             tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) &&
            find_at_address(&child, address, depth + 1, type))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool variables_type_in_file(struct variables *v, uint64_t pc, uint64_t address,
                            Dwarf_Die *type)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = binary_unit(v->binary, pc, &bias);

    return unit && find_at_address(unit, address - bias, 0, type);
}

struct field {
    int64_t at, bytes;          /* what is looked for */
    struct variables_array of;  /* that it may be of */
    bool found, other;          /* it may be no array */
};

static bool is_record(Dwarf_Die *type)
{
    return dwarf_tag(type) == DW_TAG_structure_type ||
           dwarf_tag(type) == DW_TAG_class_type;
}

/* -1: not known, as where Fortran keeps a description of an array. */
static int64_t bytes_of(Dwarf_Die *type)
{
    Dwarf_Word bytes;

    return dwarf_hasattr(type, DW_AT_data_location) ||
           dwarf_aggregate_size(type, &bytes) ? -1 : (int64_t)bytes;
}

/* In Fortran an element is found from one before the first, in each dimension;
 * and who reads the next or the last one with each element begins that much
 * off. */
static int64_t slack_of(Dwarf_Die *array, int64_t bytes)
{
    int64_t largest = 0, ndims = 0;
    Dwarf_Die child;

    if (dwarf_child(array, &child))
        return 0;
    do {
        Dwarf_Attribute attr;
        Dwarf_Word n;

        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        ndims++;
        if ((!dwarf_attr(&child, DW_AT_upper_bound, &attr) &&
             !dwarf_attr(&child, DW_AT_count, &attr)) ||
            dwarf_formudata(&attr, &n) || n == 0 || n > (Dwarf_Word)bytes)
            n = 1;
        if (bytes / (int64_t)n > largest)
            largest = bytes / (int64_t)n;
    } while (dwarf_siblingof(&child, &child) == 0);
    return ndims > 1 ? 2 * largest : largest;
}

/* Of a field, in its record. */
static int64_t offset_of(Dwarf_Die *field)
{
    Dwarf_Attribute attr;
    Dwarf_Word offset = 0;

    if (dwarf_attr(field, DW_AT_data_member_location, &attr))
        dwarf_formudata(&attr, &offset);
    return (int64_t)offset;
}

static bool fits(Dwarf_Die *type, int64_t at, int64_t bytes, int depth);

static bool fits_field(Dwarf_Die *record, int64_t at, int64_t bytes, int depth)
{
    Dwarf_Die child, type;

    if (dwarf_child(record, &child))
        return false;
    do {
        int64_t offset = offset_of(&child);

        if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &type))
            continue;
        if (at >= offset &&
            fits(&type, at - offset, bytes, depth))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* May so many bytes be read there, at once, of what has this type? Vectors are
 * of several elements. What is not known fits. */
static bool fits(Dwarf_Die *type, int64_t at, int64_t bytes, int depth)
{
    int64_t all = bytes_of(type), each;
    Dwarf_Die of;

    if (all <= 0 || depth == DEPTH_MAX)
        return true;
    if (at < 0 || at >= all)
        return false;
    if (is_record(type))
        return fits_field(type, at, bytes, depth + 1);
    if (dwarf_tag(type) != DW_TAG_array_type)
        return at == 0 &&
               (bytes == all || (bytes >= VECTOR && bytes % all == 0));
    if (!type_of(type, &of) || (each = bytes_of(&of)) <= 0)
        return true;
    return fits(&of, at % each, bytes, depth + 1);
}

/* Is it an element, or one before or behind it? */
static bool is_of_array(const struct field *f, Dwarf_Die *array, int64_t begins,
                        int64_t bytes)
{
    int64_t slack = slack_of(array, bytes), each, at = f->at - begins;
    Dwarf_Die of;

    if (at < -slack || at >= bytes + slack)
        return false;
    if (!type_of(array, &of) || (each = bytes_of(&of)) <= 0)
        return true;
    return fits(&of, (at % each + each) % each, f->bytes, 0);
}

static void add_array(struct field *f, Dwarf_Die *array, int64_t begins,
                      int64_t bytes)
{
    struct variables_array *a = &f->of;
    Dwarf_Die of;

    a->step = !f->found && type_of(array, &of) && is_record(&of)
        ? bytes_of(&of) : 0;
    a->step = a->step > 0 ? a->step : 0;
    if (!f->found || begins < a->low)
        a->low = begins;
    if (!f->found || begins + bytes > a->high)
        a->high = begins + bytes;
    if (a->step)
        a->first = ((f->at - begins) % a->step + a->step) % a->step;
    f->found = true;
}

static void look_through(struct field *f, Dwarf_Die *record, int64_t begins,
                         int depth);

static void look_at_field(struct field *f, Dwarf_Die *field, int64_t begins,
                          int depth)
{
    Dwarf_Die type;
    int64_t bytes;

    begins += offset_of(field);
    if (!type_of(field, &type))
        return;
    bytes = bytes_of(&type);
    if (is_record(&type)) {
        look_through(f, &type, begins, depth + 1);
    } else if (bytes > 0 && dwarf_tag(&type) == DW_TAG_array_type) {
        if (is_of_array(f, &type, begins, bytes))
            add_array(f, &type, begins, bytes);
    } else {
        f->other |= f->at >= begins && fits(&type, f->at - begins, f->bytes, 0);
    }
}

static void look_through(struct field *f, Dwarf_Die *record, int64_t begins,
                         int depth)
{
    Dwarf_Die child;

    if (depth == DEPTH_MAX || dwarf_child(record, &child))
        return;
    do
        if (dwarf_tag(&child) == DW_TAG_member ||
            dwarf_tag(&child) == DW_TAG_inheritance)
            look_at_field(f, &child, begins, depth);
    while (dwarf_siblingof(&child, &child) == 0);
}

bool variables_array(Dwarf_Die *type, int64_t at, int64_t bytes,
                     struct variables_array *a)
{
    struct field f = { .at = at, .bytes = bytes };
    int64_t all = bytes_of(type);

    if (dwarf_tag(type) == DW_TAG_array_type && all > 0) {
        if (is_of_array(&f, type, 0, all))
            add_array(&f, type, 0, all);
    } else if (is_record(type)) {
        look_through(&f, type, 0, 0);
    }
    *a = f.of;
    if (f.other && !f.found)
        *a = (struct variables_array){ .low = at, .high = INT64_MAX,
                                       .step = all };
    return f.found != f.other && a->step >= 0;
}

int64_t variables_record(Dwarf_Die *type)
{
    int64_t bytes = is_record(type) ? bytes_of(type) : 0;

    return bytes > 0 ? bytes : 0;
}

static bool field_of(Dwarf_Die *type, int64_t at, int64_t *end, int depth);

/* at is in the record; a record in it ends by itself. */
static bool field_in(Dwarf_Die *record, int64_t at, int64_t *end, int depth)
{
    Dwarf_Die child, type;

    if (depth == DEPTH_MAX || dwarf_child(record, &child))
        return false;
    do {
        int64_t in = at - offset_of(&child), bytes;

        if ((dwarf_tag(&child) != DW_TAG_member &&
             dwarf_tag(&child) != DW_TAG_inheritance) || in < 0 ||
            !type_of(&child, &type) || (bytes = bytes_of(&type)) <= 0 ||
            in >= bytes)
            continue;
        if (in && field_of(&type, in, end, depth + 1))
            *end += at - in;
        else
            *end = at - in + bytes;
        return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool field_of(Dwarf_Die *type, int64_t at, int64_t *end, int depth)
{
    int64_t each;
    Dwarf_Die of;

    if (is_record(type))
        return field_in(type, at, end, depth);
    if (dwarf_tag(type) != DW_TAG_array_type || !type_of(type, &of) ||
        !is_record(&of) || (each = bytes_of(&of)) <= 0 || at % each == 0 ||
        !field_in(&of, at % each, end, depth))
        return false;
    *end += at - at % each;
    return true;
}

bool variables_field(Dwarf_Die *type, int64_t at, int64_t *end)
{
    return at > 0 && field_of(type, at, end, 0);
}

bool variables_counts(Dwarf_Die *type, int64_t at)
{
    Dwarf_Die child, of;

    if (!is_record(type) || dwarf_child(type, &child))
        return at == 0 && dwarf_tag(type) == DW_TAG_base_type;
    do {
        int64_t offset = offset_of(&child);

        if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &of))
            continue;
        if (at >= offset &&
            variables_counts(&of, at - offset))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool variables_pointer(Dwarf_Die *record, int64_t at, Dwarf_Die *to)
{
    Dwarf_Die child, type;

    if (points(record))
        return at == 0 && type_of(record, to);
    if (!is_record(record) || dwarf_child(record, &child))
        return false;
    do {
        int64_t offset = offset_of(&child);

        if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &type))
            continue;
        if (points(&type) && offset == at)
            return type_of(&type, to);
        if (is_record(&type) &&
            variables_pointer(&type, at - offset, to))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* ------------------------------------------------------ lines of functions */

unsigned variables_constant(struct variables *v, uint64_t pc, int64_t is,
                            const char *file)
{
    struct search s = { .constant = true, .offset = is, .file = file };

    return search(&s, v, pc) ? (unsigned)s.line : 0;
}

static bool is_fortran(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77: case DW_LANG_Fortran90: case DW_LANG_Fortran95:
    case DW_LANG_Fortran03: case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

bool variables_declares(struct variables *v, uint64_t pc, const char *file,
                        unsigned line)
{
    struct search s = { .declared = true, .anywhere = true, .file = file,
                        .line = (int)line };
    Dwarf_Addr bias;
    Dwarf_Die *unit = binary_unit(v->binary, pc, &bias);
    struct scope *f = unit && is_fortran(unit) ? find_scope(v, pc) : NULL;

    return f && (is_declared(&s, &f->die) || search(&s, v, pc));
}

unsigned variables_head(struct variables *v, uint64_t function)
{
    struct scope *f = find_scope(v, function);
    int line;

    return f && dwarf_decl_line(&f->die, &line) == 0 ? (unsigned)line : 0;
}

/* Of several rows that have its address the first one is of the opening brace,
 * which is not the line where it is declared in every style. */
unsigned variables_opens(struct variables *v, uint64_t function)
{
    Dwarf_Addr bias, at;
    Dwarf_Die *unit = binary_unit(v->binary, function, &bias);
    Dwarf_Lines *lines;
    size_t n;
    bool ends;
    int number;

    if (!unit || dwarf_getsrclines(unit, &lines, &n))
        return 0;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *l = dwarf_onesrcline(lines, i);

        if (l && dwarf_lineaddr(l, &at) == 0 && at == function - bias &&
            dwarf_lineendsequence(l, &ends) == 0 && !ends)
            return dwarf_lineno(l, &number) == 0 ? (unsigned)number : 0;
    }
    return 0;
}

/* With -g1 nothing says of any function what it is given. */
static bool has_types(Dwarf_Die *unit)
{
    Dwarf_Die child;

    if (dwarf_child(unit, &child))
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_base_type)
            return true;
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static int count_parameters(struct variables *v, struct scope *f)
{
    Dwarf_Die child;
    Dwarf_Addr bias;
    Dwarf_Die *unit = binary_unit(v->binary, f->address, &bias);
    int n = 0;

    if (!unit)
        return -1;
    if (dwarf_child(&f->die, &child) == 0)
        do
            n += dwarf_tag(&child) == DW_TAG_formal_parameter;
        while (dwarf_siblingof(&child, &child) == 0);
    return n || has_types(unit) ? n : -1;
}

int variables_parameters(struct variables *v, uint64_t function)
{
    struct scope *f = find_scope(v, function);

    if (!f)
        return -1;
    if (f->parameters == NOT_ASKED)
        f->parameters = count_parameters(v, f);
    return f->parameters;
}
