/* insn.c - one instruction, by capstone.
 *
 * Capstone says which operands and registers are read and written; where it is
 * silent, an operand is taken to be read, and the first one to be written as
 * well. */
#include "slave/slice/insn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <capstone/capstone.h>

struct decoder { csh handle; cs_insn *insn; };

struct decoder *decoder_open(struct err *err)
{
    struct decoder *d = calloc(1, sizeof(*d));

    if (!d)
        return err_memory(err), NULL;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->handle) != CS_ERR_OK) {
        free(d);
        return err_set(err, ENOTSUP, "capstone does not know x86-64 here"), NULL;
    }
    cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
    d->insn = cs_malloc(d->handle);
    if (d->insn)
        return d;
    decoder_close(d);
    return err_memory(err), NULL;
}

void decoder_close(struct decoder *d)
{
    if (!d)
        return;
    if (d->insn)
        cs_free(d->insn, 1);
    cs_close(&d->handle);
    free(d);
}

/* -------------------------------------------------------------- registers */

static const struct { uint16_t name; uint8_t reg; bool part; } general[] = {
#define G(n, r) { X86_REG_R##n, r, false }, { X86_REG_E##n, r, false }, \
                { X86_REG_##n, r, true }
    G(AX, REG_AX), G(CX, REG_CX), G(DX, REG_DX), G(BX, REG_BX),
    G(SP, REG_SP), G(BP, REG_BP), G(SI, REG_SI), G(DI, REG_DI),
#undef G
    { X86_REG_AL, REG_AX, true }, { X86_REG_AH, REG_AX, true },
    { X86_REG_CL, REG_CX, true }, { X86_REG_CH, REG_CX, true },
    { X86_REG_DL, REG_DX, true }, { X86_REG_DH, REG_DX, true },
    { X86_REG_BL, REG_BX, true }, { X86_REG_BH, REG_BX, true },
    { X86_REG_SPL, REG_SP, true }, { X86_REG_BPL, REG_BP, true },
    { X86_REG_SIL, REG_SI, true }, { X86_REG_DIL, REG_DI, true },
#define R(n) { X86_REG_R##n, REG_R##n, false }, \
             { X86_REG_R##n##D, REG_R##n, false }, \
             { X86_REG_R##n##W, REG_R##n, true }, \
             { X86_REG_R##n##B, REG_R##n, true }
    R(8), R(9), R(10), R(11), R(12), R(13), R(14), R(15),
#undef R
    { X86_REG_EFLAGS, REG_FLAGS, false },
};

static uint8_t reg_of(unsigned name, bool *part)
{
    *part = false;
    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
        if (general[i].name == name) {
            *part = general[i].part;
            return general[i].reg;
        }
    if (name >= X86_REG_XMM0 && name <= X86_REG_XMM31)
        return (uint8_t)(REG_XMM0 + (name - X86_REG_XMM0));
    if (name >= X86_REG_YMM0 && name <= X86_REG_YMM31)
        return (uint8_t)(REG_XMM0 + (name - X86_REG_YMM0));
    if (name >= X86_REG_ZMM0 && name <= X86_REG_ZMM31)
        return (uint8_t)(REG_XMM0 + (name - X86_REG_ZMM0));
    if (name >= X86_REG_K0 && name <= X86_REG_K7)
        return (uint8_t)(REG_K0 + (name - X86_REG_K0));
    if ((name >= X86_REG_ST0 && name <= X86_REG_ST7) || name == X86_REG_FPSW)
        return REG_X87;
    return REG_NONE;
}

static void add_read(struct insn *i, unsigned name)
{
    bool part;
    uint8_t r = reg_of(name, &part);

    if (r != REG_NONE)
        i->reads |= REG_BIT(r);
}

static void add_write(struct insn *i, unsigned name)
{
    bool part;
    uint8_t r = reg_of(name, &part);

    if (r == REG_NONE)
        return;
    i->writes |= REG_BIT(r);
    if (!part && r != REG_X87)
        i->kills |= REG_BIT(r);
}

static void add_implicit(struct decoder *d, struct insn *i)
{
    cs_regs read, written;
    uint8_t nread = 0, nwritten = 0;

    if (cs_regs_access(d->handle, d->insn, read, &nread, written, &nwritten))
        return;
    for (uint8_t k = 0; k < nread; k++)
        add_read(i, read[k]);
    for (uint8_t k = 0; k < nwritten; k++)
        add_write(i, written[k]);
}

/* --------------------------------------------------------------- operands */

static void add_memory(const cs_insn *c, struct insn *i, const cs_x86_op *op,
                       uint8_t access)
{
    const x86_op_mem *m = &op->mem;
    struct insn_mem *to = &i->mem[i->nmem];
    bool part;

    if (i->nmem == 2)
        return;
    i->nmem++;
    *to = (struct insn_mem){ .base = reg_of(m->base, &part),
                             .index = reg_of(m->index, &part),
                             .scale = (uint8_t)m->scale,
                             .reads = access & CS_AC_READ,
                             .writes = access & CS_AC_WRITE,
                             .bytes = op->size, .disp = m->disp };
    if (m->base == X86_REG_RIP)
        to->disp += (int64_t)(c->address + c->size);
    if (m->segment == X86_REG_FS || m->segment == X86_REG_GS)
        i->thread = true;
    if (to->base == REG_NONE && to->index != REG_NONE && m->scale == 1) {
        to->base = to->index;
        to->index = REG_NONE;
    }
    if (c->detail->x86.prefix[0] == X86_PREFIX_REP ||
        c->detail->x86.prefix[0] == X86_PREFIX_REPNE) {
        if (c->id >= X86_INS_MOVSB && c->id <= X86_INS_MOVSW)
            to->bytes = 0;
        if (c->id >= X86_INS_STOSB && c->id <= X86_INS_STOSW)
            to->bytes = 0;
    }
    if (to->base != REG_NONE)
        i->addresses |= REG_BIT(to->base);
    if (to->index != REG_NONE)
        i->reads |= REG_BIT(to->index);
}

/* Does it store into its first operand, of which Capstone 4 says that it is
 * read? Of sete it says what is right, of seta it does not. */
static bool only_stores(const cs_insn *c)
{
    static const char *const begin[] = { "set", "mov", "vmov", "pextr", "vpextr",
                                         "extractps", "vextract", "fst", "fist",
                                         "fnst", "stmxcsr", "vstmxcsr" };

    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
        if (strncmp(c->mnemonic, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static bool changes_memory(const cs_insn *c)
{
    return c->id == X86_INS_CMPXCHG || c->id == X86_INS_ROL || c->id == X86_INS_ROR ||
           c->id == X86_INS_RCL || c->id == X86_INS_RCR;
}

/* Capstone 4 does not say it of many instructions of vectors. */
static uint8_t access_of(const cs_insn *c, const cs_x86_op *op, uint8_t k)
{
    const cs_x86 *x = &c->detail->x86;

    if (c->id == X86_INS_LEA || c->id == X86_INS_NOP)
        return 0;
    if (c->id == X86_INS_CMP || c->id == X86_INS_TEST)
        return CS_AC_READ;
    if (op->type == X86_OP_MEM && k == 0 && only_stores(c))
        return CS_AC_WRITE;
    if (op->type == X86_OP_MEM && k == 0 && changes_memory(c))
        return CS_AC_READ | CS_AC_WRITE;
    if (op->access)
        return op->access;
    if (k > 0 || x->op_count == 1)
        return CS_AC_READ;
    return x->op_count == 2 ? CS_AC_READ | CS_AC_WRITE : CS_AC_WRITE;
}

/* What a register had does not matter in "x ^ x" and "x - x". */
static bool is_zero_idiom(const cs_insn *c)
{
    const cs_x86 *x = &c->detail->x86;
    const cs_x86_op *last = x->operands;

    if (x->op_count < 2)
        return false;
    last += x->op_count - 1;
    if (last->type != X86_OP_REG || last[-1].type != X86_OP_REG ||
        last->reg != last[-1].reg)
        return false;
    switch (c->id) {
    case X86_INS_XOR: case X86_INS_SUB: case X86_INS_PXOR: case X86_INS_XORPS:
    case X86_INS_XORPD: case X86_INS_VPXOR: case X86_INS_VXORPS:
    case X86_INS_VXORPD:
        return true;
    default:
        return false;
    }
}

static void add_operands(const cs_insn *c, struct insn *i)
{
    const cs_x86 *x = &c->detail->x86;

    for (uint8_t k = 0; k < x->op_count; k++) {
        const cs_x86_op *op = &x->operands[k];
        uint8_t access = access_of(c, op, k);

        if (op->type == X86_OP_MEM) {
            add_memory(c, i, op, access);
        } else if (op->type == X86_OP_REG) {
            if (access & CS_AC_READ)
                add_read(i, op->reg);
            if (access & CS_AC_WRITE)
                add_write(i, op->reg);
        }
    }
}

/* ---------------------------------------------------------------- meaning */

static void set_moving(const cs_insn *c, struct insn *i)
{
    const cs_x86_op *to = &c->detail->x86.operands[0];
    const cs_x86_op *from = &c->detail->x86.operands[1];
    bool part, whole = to->size == 8;

    if (to->type == X86_OP_REG && to->size >= 4)
        i->to = reg_of(to->reg, &part);
    if (from->type == X86_OP_REG && from->size >= 4)
        i->from = reg_of(from->reg, &part);
    if (i->to != REG_NONE && i->to >= REG_GENERAL)
        i->to = REG_NONE;
    if (i->from != REG_NONE && i->from >= REG_GENERAL)
        i->from = REG_NONE;
    i->has_value = from->type == X86_OP_IMM;
    i->value = i->has_value ? from->imm : 0;
    switch (c->id) {
    case X86_INS_MOV: case X86_INS_MOVABS: case X86_INS_MOVSXD:
        if (i->to != REG_NONE && from->type == X86_OP_IMM)
            i->move = MOVE_CONST;
        else if (i->to != REG_NONE && i->from != REG_NONE && whole)
            i->move = MOVE_COPY;
        else if (i->to != REG_NONE && from->type == X86_OP_MEM && whole)
            i->move = MOVE_LOAD;
        else if (to->type == X86_OP_MEM && i->from != REG_NONE && whole)
            i->move = MOVE_STORE;
        else if (to->type == X86_OP_MEM && from->type == X86_OP_IMM)
            i->move = MOVE_STORE_CONST;
        break;
    case X86_INS_LEA:
        i->move = whole ? MOVE_ADDRESS : MOVE_NONE;
        break;
    case X86_INS_ADD: case X86_INS_SUB:
        if (from->type == X86_OP_IMM && i->to != REG_NONE && whole)
            i->move = MOVE_ADD;
        else if (c->id == X86_INS_ADD && i->to != REG_NONE &&
                 i->from != REG_NONE && whole)
            i->move = MOVE_SUM;
        if (c->id == X86_INS_SUB)
            i->value = -i->value;
        break;
    case X86_INS_INC: case X86_INS_DEC:
        if (i->to != REG_NONE && whole)
            i->move = MOVE_ADD;
        i->value = c->id == X86_INS_INC ? 1 : -1;
        break;
    default:
        break;
    }
}

static void push_slot(struct insn *i, bool writes)
{
    i->mem[1] = i->mem[0];
    i->mem[0] = (struct insn_mem){ .base = REG_SP, .index = REG_NONE,
                                   .reads = !writes, .writes = writes,
                                   .bytes = 8, .disp = writes ? -8 : 0 };
    i->nmem = i->nmem ? 2 : 1;
    i->addresses |= REG_BIT(REG_SP);
}

static void set_stack(const cs_insn *c, struct insn *i)
{
    const cs_x86_op *op = &c->detail->x86.operands[0];
    bool part;

    switch (c->id) {
    case X86_INS_PUSH:
        i->move = MOVE_PUSH;
        i->from = op->type == X86_OP_REG ? reg_of(op->reg, &part) : REG_NONE;
        push_slot(i, true);
        break;
    case X86_INS_POP:
        i->move = MOVE_POP;
        i->to = op->type == X86_OP_REG ? reg_of(op->reg, &part) : REG_NONE;
        push_slot(i, false);
        break;
    case X86_INS_LEAVE:
        i->move = MOVE_LEAVE;
        i->writes |= REG_BIT(REG_BP) | REG_BIT(REG_SP);
        break;
    default:
        return;
    }
    i->reads &= ~REG_BIT(REG_SP);
}

static bool in_group(const cs_insn *c, unsigned group)
{
    for (uint8_t k = 0; k < c->detail->groups_count; k++)
        if (c->detail->groups[k] == group)
            return true;
    return false;
}

static void set_kind(const cs_insn *c, struct insn *i)
{
    const cs_x86 *x = &c->detail->x86;

    if (in_group(c, CS_GRP_CALL))
        i->kind = INSN_CALL;
    else if (in_group(c, CS_GRP_RET) || in_group(c, CS_GRP_IRET))
        i->kind = INSN_RETURN;
    else if (c->id == X86_INS_JMP)
        i->kind = INSN_JUMP;
    else if (in_group(c, CS_GRP_JUMP) || in_group(c, CS_GRP_BRANCH_RELATIVE))
        i->kind = INSN_BRANCH;
    else if (c->id == X86_INS_HLT || c->id == X86_INS_UD2)
        i->kind = INSN_STOP;
    else
        return;
    if (x->op_count == 1 && x->operands[0].type == X86_OP_IMM)
        i->target = (uint64_t)x->operands[0].imm;
}

static bool counts(const cs_insn *c)
{
    const cs_x86 *x = &c->detail->x86;

    switch (c->id) {
    case X86_INS_INC: case X86_INS_DEC:
        return true;
    case X86_INS_ADD: case X86_INS_SUB:
        return x->operands[1].type == X86_OP_IMM;
    case X86_INS_LEA:
        return x->operands[1].mem.index == X86_REG_INVALID;
    default:
        return false;
    }
}

static bool compares(const cs_insn *c)
{
    switch (c->id) {
    case X86_INS_CMP: case X86_INS_TEST: case X86_INS_COMISD: case X86_INS_COMISS:
    case X86_INS_UCOMISD: case X86_INS_UCOMISS:
        return true;
    default:
        return false;
    }
}

static bool is_copy(const cs_insn *c)
{
    switch (c->id) {
    case X86_INS_MOV: case X86_INS_MOVSXD: case X86_INS_MOVSS:
    case X86_INS_MOVSD: case X86_INS_MOVAPS: case X86_INS_MOVAPD:
    case X86_INS_MOVQ: case X86_INS_MOVD: case X86_INS_PUSH: case X86_INS_POP:
        return c->detail->x86.op_count < 2 ||
               c->detail->x86.operands[1].type != X86_OP_IMM;
    default:
        return false;
    }
}

bool decoder_read(struct decoder *d, const uint8_t *bytes, size_t n,
                  uint64_t address, struct insn *out)
{
    uint64_t at = address;
    const cs_insn *c = d->insn;

    if (!cs_disasm_iter(d->handle, &bytes, &n, &at, d->insn))
        return false;
    *out = (struct insn){ .address = address, .bytes = (uint8_t)c->size,
                          .to = REG_NONE, .from = REG_NONE };
    if (c->id == X86_INS_NOP || c->id == X86_INS_ENDBR64)
        return true;
    set_kind(c, out);
    add_operands(c, out);
    if (out->kind == INSN_CALL || out->kind == INSN_RETURN) {
        out->writes = out->kills = 0;
        return true;
    }
    add_implicit(d, out);
    set_moving(c, out);
    set_stack(c, out);
    out->copies = is_copy(c);
    out->counts = counts(c);
    out->compares = compares(c);
    out->zeroes = is_zero_idiom(c);
    if (is_zero_idiom(c)) {
        out->reads = 0;
        out->move = MOVE_CONST;
    }
    /* An address is an address even where capstone says: read. */
    for (uint8_t k = 0; k < out->nmem; k++) {
        const struct insn_mem *m = &out->mem[k];

        if (c->id == X86_INS_LEA && m->base != REG_NONE) {
            out->reads |= REG_BIT(m->base);
            out->addresses = 0;
        }
    }
    return true;
}
