/* variables.c - what the variables of a function are called, and where they
 * are: by DWARF. */
#include "slave/slice/variables.h"

#include <stdlib.h>
#include <string.h>
#include <dwarf.h>

#include "slave/slice/insn.h"
#include "slave/symbols/scope.h"

enum { DEPTH_MAX = 64 };

struct search {
    Dwarf_Addr pc;
    bool anywhere;              /* in all blocks of the function; else in those
                                   that have pc */
    bool in_frame;              /* else in a register, */
    bool constant;              /* or nowhere: it is the number offset */
    bool next;                  /* the first one behind the offset: all are looked
                                   at, and low is kept */
    int64_t offset;
    uint8_t reg;
    const struct binary *binary;        /* borrowed */
    Dwarf_Addr low_pc, high_pc; /* of the function, as the binary has them */
    int64_t base;               /* what offsets in the frame count from, from its
                                   canonical frame address */
    const char *name;           /* what is found */
    const char *file;           /* of a constant: where it is declared */
    int line;
    int64_t low, high;
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
        if (s->next && *low > s->offset && *low < s->low)
            s->low = *low;
        *high = *low + (int64_t)size_of(variable);
        return !s->next && *low <= s->offset && s->offset < *high;
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

static bool look_at(struct search *s, Dwarf_Die *variable)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    int64_t low = 0, high = 0;

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
            look_in(s, &child, depth + 1))
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

static bool find_function(const struct binary *b, uint64_t pc, Dwarf_Die *out,
                          Dwarf_Addr *bias)
{
    Dwarf_Die *cu = binary_unit(b, pc, bias);

    return cu && scope_function(cu, pc - *bias, out);
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

static bool search(struct search *s, const struct binary *b, uint64_t pc)
{
    Dwarf_Die function;
    Dwarf_Addr bias;

    if (!find_function(b, pc, &function, &bias))
        return false;
    s->binary = b;
    s->pc = pc - bias;
    if (s->in_frame) {
        Dwarf_Addr unused;

        if (dwarf_ranges(&function, 0, &unused, &s->low_pc, &s->high_pc) <= 0)
            return false;
        s->low_pc += bias;
        s->high_pc += bias;
        if (!find_base(s, &function))
            return false;
    }
    return look_in(s, &function, 0);
}

const char *variables_in_frame(const struct binary *b, uint64_t pc,
                               int64_t offset)
{
    struct search s = { .in_frame = true, .offset = offset };

    return search(&s, b, pc) ? s.name : NULL;
}

const char *variables_in_register(const struct binary *b, uint64_t pc,
                                  uint8_t reg)
{
    struct search s = { .reg = reg };

    return search(&s, b, pc) ? s.name : NULL;
}

bool variables_extent(const struct binary *b, uint64_t function, int64_t offset,
                      int64_t *low, int64_t *high)
{
    struct search s = { .anywhere = true, .in_frame = true, .offset = offset };

    if (!search(&s, b, function))
        return false;
    *low = s.low;
    *high = s.high;
    return true;
}

bool variables_next(const struct binary *b, uint64_t function, int64_t offset,
                    int64_t *begins)
{
    struct search s = { .anywhere = true, .in_frame = true, .next = true,
                        .offset = offset, .low = INT64_MAX };

    search(&s, b, function);
    *begins = s.low;
    return s.low < INT64_MAX;
}

unsigned variables_constant(const struct binary *b, uint64_t pc, int64_t is,
                            const char *file)
{
    struct search s = { .constant = true, .offset = is, .file = file };

    return search(&s, b, pc) ? (unsigned)s.line : 0;
}

unsigned variables_head(const struct binary *b, uint64_t function)
{
    Dwarf_Die die;
    Dwarf_Addr bias;
    int line;

    return find_function(b, function, &die, &bias) &&
           dwarf_decl_line(&die, &line) == 0 ? (unsigned)line : 0;
}

/* Of several rows that have its address the first one is of the opening brace, which is
 * not the line where it is declared in every style. */
unsigned variables_opens(const struct binary *b, uint64_t function)
{
    Dwarf_Addr bias, at;
    Dwarf_Die *unit = binary_unit(b, function, &bias);
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

int variables_parameters(const struct binary *b, uint64_t function)
{
    Dwarf_Die die, child;
    Dwarf_Addr bias;
    Dwarf_Die *unit = binary_unit(b, function, &bias);
    int n = 0;

    if (!unit || !find_function(b, function, &die, &bias))
        return -1;
    if (dwarf_child(&die, &child) == 0)
        do
            n += dwarf_tag(&child) == DW_TAG_formal_parameter;
        while (dwarf_siblingof(&child, &child) == 0);
    return n || has_types(unit) ? n : -1;
}
