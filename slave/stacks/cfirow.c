/* cfirow.c - how the registers of a frame's caller are found at one address.
 *
 * libdw gives the rules as lists of operations; those of a known shape become
 * rules of ours. A register rule has been put behind the operation that pushes
 * the CFA, which only says that it tells a location: if there is no CFA, there
 * is no such register either. */
#include "slave/stacks/cfirow.h"

#include <stddef.h>
#include <dwarf.h>

enum { RETURN = CFIROW_REGS - 1 };

#if defined(__x86_64__)

static bool fits(struct cfi_rule *r, enum cfi_where where, uint64_t from,
                 uint64_t offset)
{
    int64_t is = (int64_t)offset;

    if (from > CFI_CFA || is < INT32_MIN || is > INT32_MAX)
        return false;
    *r = (struct cfi_rule){ (uint8_t)where, (uint8_t)from, (int32_t)is };
    return true;
}

/* A register and an offset. */
static bool is_based(const Dwarf_Op *op, uint64_t *from, uint64_t *offset)
{
    bool numbered = op->atom == DW_OP_bregx;

    if (!numbered && (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31))
        return false;
    *from = numbered ? op->number : (uint64_t)(op->atom - DW_OP_breg0);
    *offset = numbered ? op->number2 : op->number;
    return *from < CFIROW_REGS;
}

static bool make_cfa(struct cfi_rule *r, const Dwarf_Op *op, size_t n)
{
    uint64_t from, offset;

    if (n < 1 || n > 2 || !is_based(&op[0], &from, &offset) ||
        (n == 2 && op[1].atom != DW_OP_deref))
        return false;
    return fits(r, n == 2 ? CFI_AT : CFI_SUM, from, offset);
}

static bool make_rule(struct cfi_rule *r, const Dwarf_Op *op, size_t n)
{
    uint64_t from = CFI_CFA, offset = 0;
    enum cfi_where where = CFI_AT;
    size_t i = 1;

    if (n == 1 && op[0].atom == DW_OP_regx)
        return op[0].number < CFIROW_REGS &&
               fits(r, CFI_SAME, op[0].number, 0);
    if (n < 1 || op[0].atom != DW_OP_call_frame_cfa)
        return false;
    if (i < n && op[i].atom == DW_OP_plus_uconst)
        offset = op[i++].number;
    else if (i < n && is_based(&op[i], &from, &offset))
        i++;
    if (i < n && op[i].atom == DW_OP_stack_value) {
        where = CFI_SUM;
        i++;
    }
    return i == n && fits(r, where, from, offset);
}

static bool make_reg(struct cfi_rule *r, Dwarf_Frame *frame, int number)
{
    Dwarf_Op room[3], *op;
    size_t n;

    if (dwarf_frame_register(frame, number, room, &op, &n))
        return false;
    if (n > 0)
        return make_rule(r, op, n);
    *r = (struct cfi_rule){ op ? CFI_LOST : CFI_SAME, (uint8_t)number, 0 };
    return !op || op == room;
}

bool cfirow_make(struct cfirow *row, Dwarf_Frame *frame)
{
    Dwarf_Addr start, end;
    Dwarf_Op *op;
    size_t n;

    if (dwarf_frame_info(frame, &start, &end, &row->signal) != RETURN ||
        dwarf_frame_cfa(frame, &op, &n) || !make_cfa(&row->cfa, op, n))
        return false;
    for (int i = 0; i < CFIROW_REGS; i++)
        if (!make_reg(&row->reg[i], frame, i))
            return false;
    return true;
}

#else

bool cfirow_make(struct cfirow *row, Dwarf_Frame *frame)
{
    (void)row, (void)frame;
    return false;
}

#endif

/* ------------------------------------------------------------- evaluation */

struct step {
    const struct cfi_regs *regs;
    uint64_t cfa;
    bool has_cfa;
    cfirow_read_f *read;
    void *arg;
};

static bool has(const struct cfi_regs *regs, unsigned number)
{
    return regs->set >> number & 1;
}

static bool value(const struct step *s, const struct cfi_rule *r,
                  uint64_t *out)
{
    if (r->where == CFI_LOST || (r->from < CFI_CFA && !has(s->regs, r->from)))
        return false;
    if (r->where == CFI_SAME) {
        *out = s->regs->v[r->from];
        return true;
    }
    if (!s->has_cfa)
        return false;
    *out = (r->from == CFI_CFA ? s->cfa : s->regs->v[r->from]) +
           (uint64_t)(int64_t)r->offset;
    return r->where == CFI_SUM || s->read(s->arg, *out, out);
}

bool cfirow_step(const struct cfirow *row, struct cfi_regs *regs,
                 cfirow_read_f *read, void *arg)
{
    struct step s = { .regs = regs, .has_cfa = true, .read = read,
                      .arg = arg };
    struct cfi_regs next = { .set = 0 };

    s.has_cfa = value(&s, &row->cfa, &s.cfa);
    for (unsigned i = 0; i < CFIROW_REGS; i++)
        if (value(&s, &row->reg[i], &next.v[i]))
            next.set |= 1u << i;
    *regs = next;
    return has(regs, RETURN) && regs->v[RETURN] != 0;
}
