/* value.c - what registers of a function have in them. */
#include "slave/slice/value.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { BASES_MAX = 1 << 20, ROUNDS_MAX = 64 };

/* ------------------------------------------------------------------- bases */

bool bases_init(struct bases *b)
{
    memset(b, 0, sizeof(*b));
    return bases_number(b, BASE_NOTHING, 0, 0) == BASE_NUMBER_NOTHING &&
           bases_number(b, BASE_FILE, 0, 0) == BASE_NUMBER_FILE &&
           bases_number(b, BASE_THREAD, 0, 0) == BASE_NUMBER_THREAD;
}

void bases_fini(struct bases *b)
{
    free(b->v);
    idtable_fini(&b->by_key);
    memset(b, 0, sizeof(*b));
}

uint32_t bases_number(struct bases *b, enum base_kind kind, uint32_t a,
                      int64_t of)
{
    uint64_t key = idtable_mix(idtable_mix(kind, a), (uint64_t)of);
    size_t i = idtable_first(&b->by_key, key);
    uint32_t id;

    for (; (id = idtable_at(&b->by_key, key, &i)) != IDTABLE_NONE; i++)
        if (b->v[id].kind == kind && b->v[id].a == a && b->v[id].b == of)
            return id;
    if (b->n == BASES_MAX || array_reserve(&b->v, &b->cap, b->n + 1) ||
        idtable_add(&b->by_key, key, (uint32_t)b->n))
        return 0;
    b->v[b->n] = (struct base){ (uint8_t)kind, a, of };
    return (uint32_t)b->n++;
}

/* As other fields of the same records are? */
static bool are_apart(const struct area *a, const struct area *b)
{
    int64_t step = a->step, off, bytes = b->bytes;

    if (!step || a->low == INT64_MIN || b->low == INT64_MIN)
        return false;
    if (!b->step) {
        if (b->high == AREA_END || b->high - b->low > step)
            return false;
        bytes = b->high - b->low;
    } else if (b->step != a->step) {
        return false;
    }
    off = (b->low + b->first - a->low - a->first) % step;
    off += off < 0 ? step : 0;
    return off >= a->bytes && off + bytes <= step;
}

bool area_meets(const struct area *a, const struct area *b)
{
    return a->base && a->base == b->base && a->low < b->high &&
           b->low < a->high && !are_apart(a, b) && !are_apart(b, a);
}

bool area_covers(const struct area *a, const struct area *b)
{
    return a->base && a->base == b->base && a->low <= b->low &&
           a->high >= b->high;
}

/* ------------------------------------------------------------- instructions */

static struct value made(struct values *v, uint32_t insn, uint8_t reg)
{
    return (struct value){ bases_number(v->bases, BASE_MADE, v->function,
                                        (int64_t)insn * BASE_REGS + reg),
                           false, 0 };
}

/* Is it what a pointer may come from, and not only a number? */
static bool is_pointer(const struct values *v, const struct value *x)
{
    switch ((enum base_kind)v->bases->v[x->base].kind) {
    case BASE_ENTRY: case BASE_MEMORY:
        return !v->number(v->arg, x->base);
    case BASE_FRAME: case BASE_THREAD:
        return true;
    case BASE_FILE:
        return x->offset >= 0x1000;
    case BASE_NOTHING: case BASE_MADE: case BASE_JOINED:
        break;
    }
    return false;
}

static struct value widened(struct value x)
{
    x.wide = true;
    return x;
}

/* Where an operand points, its index apart. */
static struct value mem_value(const struct values *v, const struct value *regs,
                              const struct insn_mem *m)
{
    struct value x = { BASE_NUMBER_FILE, false, 0 };

    if (m->base != REG_NONE && m->base < REG_GENERAL)
        x = regs[m->base];
    /* Of two registers that are added, either may be the address. */
    if (m->index < REG_GENERAL && m->scale == 1 && !is_pointer(v, &x) &&
        is_pointer(v, &regs[m->index]))
        x = regs[m->index];
    /* A table at a fixed address, by the register that looks like a base. */
    if (m->base != REG_NONE && !is_pointer(v, &x) && m->disp >= 0x1000)
        x = (struct value){ BASE_NUMBER_FILE, true, 0 };
    x.offset += m->disp;
    if (m->index != REG_NONE)
        x.wide = true;
    return x;
}

static int find_slot(const struct values *v, int64_t offset)
{
    for (size_t i = 0; i < v->nslots; i++)
        if (v->slots[i].offset == offset)
            return (int)i;
    return -1;
}

/* What stands there: what was put there last, or by the only one who does, or
 * else something that bears the name of the place. */
static struct value loaded(struct values *v, const struct value *regs,
                           const struct value *at, uint32_t insn, uint8_t reg)
{
    struct value x = { 0, false, 0 };

    if (!at->base || at->wide)
        return made(v, insn, reg);
    if (v->bases->v[at->base].kind == BASE_FRAME) {
        int slot = find_slot(v, at->offset);

        for (uint32_t k = 0; k < v->nkept; k++)
            if (v->kept[k] == at->offset && regs[REG_GENERAL + k].base)
                return regs[REG_GENERAL + k];
        if (slot >= 0 && v->slots[slot].n == 1 && v->slots[slot].value.base)
            return v->slots[slot].value;
    }
    x.base = bases_number(v->bases, BASE_MEMORY, at->base, at->offset);
    return x;
}

static struct value summed(struct values *v, uint32_t i, const struct value *a,
                           const struct value *b)
{
    if (is_pointer(v, a))
        return widened(*a);
    if (is_pointer(v, b))
        return widened(*b);
    return made(v, i, REG_AX);
}

static struct value address_of(struct values *v, uint32_t i,
                               const struct value *regs)
{
    const struct insn_mem *m = &v->flow->insns[i].mem[0];
    struct value x = mem_value(v, regs, m);

    if (m->index == REG_NONE)
        return m->base == REG_NONE || x.base ? x : made(v, i, REG_AX);
    return is_pointer(v, &x) ? x : made(v, i, REG_AX);
}

/* The stack pointer is as before behind it. */
static void after_call(struct values *v, uint32_t i, struct value *regs)
{
    uint64_t changed = v->changes(v->arg, &v->flow->insns[i]);

    for (uint8_t r = 0; r < REG_GENERAL; r++)
        if ((changed & REG_BIT(r)) || r == REG_AX)
            regs[r] = made(v, i, r);
}

/* What an instruction puts into memory, as far as it is known. */
static struct value put(struct values *v, uint32_t i, const struct value *regs)
{
    const struct insn *n = &v->flow->insns[i];
    struct value at;

    if (n->move == MOVE_PUSH && n->nmem == 2) {         /* from other memory */
        at = mem_value(v, regs, &n->mem[1]);
        return loaded(v, regs, &at, i, REG_AX);
    }
    if ((n->move == MOVE_PUSH || n->move == MOVE_STORE) && n->from < REG_GENERAL)
        return regs[n->from];
    return (struct value){ 0 };
}

/* Slots that are followed have another value behind it. */
static void store(struct values *v, uint32_t i, struct value *regs)
{
    const struct insn *n = &v->flow->insns[i];
    struct value at, x;

    if (!v->nkept || !n->nmem || !n->mem[0].writes)
        return;
    at = mem_value(v, regs, &n->mem[0]);
    if (at.wide || v->bases->v[at.base].kind != BASE_FRAME)
        return;
    x = put(v, i, regs);
    for (uint32_t k = 0; k < v->nkept; k++) {
        struct value *kept = &regs[REG_GENERAL + k];

        if (v->kept[k] == at.offset && x.base)
            *kept = x;
        else if (v->kept[k] < at.offset + n->mem[0].bytes &&
                 at.offset < v->kept[k] + 8)
            *kept = made(v, i, (uint8_t)(REG_GENERAL + k));
    }
}

static void step(struct values *v, uint32_t i, struct value *regs)
{
    const struct insn *n = &v->flow->insns[i];
    struct value x = { 0 }, at;
    bool good = true;

    if (n->kind == INSN_CALL) {
        after_call(v, i, regs);
        return;
    }
    store(v, i, regs);
    switch ((enum insn_move)n->move) {
    case MOVE_COPY: x = regs[n->from]; break;
    case MOVE_CONST:
        x = (struct value){ BASE_NUMBER_FILE, false, n->value };
        break;
    case MOVE_ADD:
        x = regs[n->to];
        x.offset += n->value;
        break;
    case MOVE_SUM: x = summed(v, i, &regs[n->to], &regs[n->from]); break;
    case MOVE_ADDRESS: x = address_of(v, i, regs); break;
    case MOVE_LOAD:
        at = mem_value(v, regs, &n->mem[0]);
        x = loaded(v, regs, &at, i, n->to);
        break;
    case MOVE_PUSH: regs[REG_SP].offset -= 8; return;
    case MOVE_POP:
        at = regs[REG_SP];
        regs[REG_SP].offset += 8;
        if (n->to < REG_GENERAL)
            regs[n->to] = loaded(v, regs, &at, i, n->to);
        return;
    case MOVE_LEAVE:
        regs[REG_SP] = regs[REG_BP];
        regs[REG_SP].offset += 8;
        regs[REG_BP] = made(v, i, REG_BP);
        return;
    case MOVE_NONE: case MOVE_STORE: case MOVE_STORE_CONST:
        good = false;
        break;
    }
    for (uint8_t r = 0; r < REG_GENERAL; r++)
        if (n->writes & REG_BIT(r))
            regs[r] = good && r == n->to ? x : made(v, i, r);
}

/* ------------------------------------------------------------------- blocks */

static bool same(const struct value *a, const struct value *b)
{
    return a->base == b->base && a->wide == b->wide && a->offset == b->offset;
}

static struct value join(struct values *v, uint32_t block, uint8_t reg,
                         const struct value *old, const struct value *new)
{
    if (!old->base || same(old, new))
        return *new;
    if (!new->base)
        return *old;
    if (old->base == new->base) {
        if (old->wide)
            return *old;
        return (struct value){ old->base, true, old->offset < new->offset
                               ? old->offset : new->offset };
    }
    return (struct value){ bases_number(v->bases, BASE_JOINED, v->function,
                                        (int64_t)block * BASE_REGS + reg),
                           false, 0 };
}

static bool flow_into(struct values *v, uint32_t block,
                      const struct value *regs)
{
    struct value *to = &v->at_block[(size_t)block * VALUE_PLACES];
    bool changed = false;

    for (uint8_t r = 0; r < REG_GENERAL + v->nkept; r++) {
        struct value x = to[r];

        /* What was put together here stays so. */
        if (v->bases->v[x.base].kind != BASE_JOINED ||
            v->bases->v[x.base].b != (int64_t)block * BASE_REGS + r)
            x = join(v, block, r, &to[r], &regs[r]);
        changed |= !same(&x, &to[r]);
        to[r] = x;
    }
    return changed;
}

static void enter(struct values *v)
{
    struct value *regs = &v->at_block[(size_t)v->flow->entry * VALUE_PLACES];

    for (uint8_t r = 0; r < REG_GENERAL; r++)
        regs[r] = (struct value){ bases_number(v->bases, BASE_ENTRY,
                                               v->function, r), false, 0 };
    regs[REG_SP] = (struct value){ bases_number(v->bases, BASE_FRAME,
                                                v->function, 0), false, -8 };
}

static void settle(struct values *v)
{
    const struct flow *f = v->flow;
    bool changed = true;

    memset(v->at_block, 0, f->nblocks * VALUE_PLACES * sizeof(*v->at_block));
    enter(v);
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (uint32_t b = 0; b < f->nblocks; b++) {
            struct value regs[VALUE_PLACES];

            memcpy(regs, &v->at_block[(size_t)b * VALUE_PLACES], sizeof(regs));
            if (!regs[REG_SP].base)
                continue;       /* not reached yet */
            for (uint32_t i = 0; i < f->blocks[b].n; i++)
                step(v, f->blocks[b].first + i, regs);
            for (size_t k = 0; k < f->blocks[b].to.n; k++)
                changed |= flow_into(v, f->blocks[b].to.v[k], regs);
        }
    }
}

/* ------------------------------------------------------------------- memory */

static bool is_call(const struct insn *n)
{
    return n->kind == INSN_CALL || n->kind == INSN_TAIL;
}

static struct area area_of(const struct values *v, const struct value *regs,
                           const struct insn *n, const struct insn_mem *m)
{
    struct value x = mem_value(v, regs, m);
    struct area a = { .base = x.base, .low = x.offset,
                      .high = x.offset + m->bytes };

    if (n->thread && m->base == REG_NONE)
        a.base = BASE_NUMBER_THREAD;
    if (!a.base)
        return a;
    if (x.wide || !m->bytes) {
        if (!m->bytes)
            a.high = AREA_END;
        v->whole(v->arg, &a, m->bytes != 0);
    }
    return a;
}

static bool is_joined(const struct values *v, const struct value *x)
{
    return v->bases->v[x->base].kind == BASE_JOINED;
}

/* What is put together from several may be so only because it comes back from a
 * slot that is not followed yet. */
static bool may_be_pointer(const struct values *v, const struct value *x)
{
    return is_pointer(v, x) || is_joined(v, x);
}

static void note_slot(struct values *v, const struct insn *n,
                      const struct value *at, const struct value *regs)
{
    int k = find_slot(v, at->offset);

    if (k < 0) {
        if (array_reserve(&v->slots, &v->cap_slots, v->nslots + 1))
            return;
        k = (int)v->nslots++;
        v->slots[k].offset = at->offset;
        v->slots[k].n = 0;
        v->slots[k].pointer = false;
    }
    v->slots[k].n++;
    memset(&v->slots[k].value, 0, sizeof(v->slots[k].value));
    if (n->move == MOVE_STORE || n->move == MOVE_PUSH) {
        if (n->from < REG_GENERAL)
            v->slots[k].value = regs[n->from];
        v->slots[k].pointer |= may_be_pointer(v, &v->slots[k].value);
    }
}

static void keep_slots(struct values *v)
{
    for (size_t i = 0; i < v->nslots && v->nkept < VALUE_KEPT; i++)
        if (v->slots[i].pointer &&
            (v->slots[i].n > 1 || is_joined(v, &v->slots[i].value)))
            v->kept[v->nkept++] = v->slots[i].offset;
}

static void each_insn(struct values *v, bool slots)
{
    const struct flow *f = v->flow;
    uint32_t ncalls = 0;

    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct value regs[VALUE_PLACES];

        memcpy(regs, &v->at_block[(size_t)b * VALUE_PLACES], sizeof(regs));
        for (uint32_t k = 0; k < f->blocks[b].n; k++) {
            uint32_t i = f->blocks[b].first + k;
            const struct insn *n = &f->insns[i];

            for (uint8_t m = 0; m < n->nmem; m++) {
                struct value at = mem_value(v, regs, &n->mem[m]);

                v->areas[i * 2 + m] = area_of(v, regs, n, &n->mem[m]);
                if (slots && m == 0 && n->mem[m].writes && !at.wide &&
                    v->bases->v[at.base].kind == BASE_FRAME)
                    note_slot(v, n, &at, regs);
            }
            if (is_call(n)) {
                memcpy(&v->at_call[(size_t)ncalls * REG_GENERAL], regs,
                       REG_GENERAL * sizeof(*regs));
                v->call_of[i] = ncalls++;
            }
            step(v, i, regs);
        }
    }
}

bool values_make(struct values *v, const struct flow *f, struct bases *bases,
                 uint32_t function, value_whole_f *whole,
                 value_changes_f *changes, value_number_f *number, void *arg)
{
    size_t ncalls = 1;

    *v = (struct values){ .flow = f, .bases = bases, .function = function,
                          .whole = whole, .changes = changes, .number = number,
                          .arg = arg };
    for (size_t i = 0; i < f->ninsns; i++)
        ncalls += is_call(&f->insns[i]);
    v->at_block = calloc(f->nblocks * VALUE_PLACES, sizeof(*v->at_block));
    v->at_call = calloc(ncalls * REG_GENERAL, sizeof(*v->at_call));
    v->call_of = calloc(f->ninsns + 1, sizeof(*v->call_of));
    v->areas = calloc(2 * f->ninsns + 1, sizeof(*v->areas));
    if (!v->at_block || !v->at_call || !v->call_of || !v->areas)
        return false;
    settle(v);
    each_insn(v, true);
    keep_slots(v);
    settle(v);                  /* slots are known now */
    each_insn(v, false);
    return true;
}

void values_fini(struct values *v)
{
    free(v->at_block);
    free(v->at_call);
    free(v->call_of);
    free(v->areas);
    free(v->slots);
    memset(v, 0, sizeof(*v));
}

const struct value *values_at_call(const struct values *v, uint32_t insn,
                                   uint8_t reg)
{
    return &v->at_call[(size_t)v->call_of[insn] * REG_GENERAL + reg];
}

const struct area *values_area(const struct values *v, uint32_t insn,
                               uint8_t operand)
{
    return &v->areas[(size_t)insn * 2 + operand];
}

static void all_before(struct values *v, uint32_t insn,
                       struct value regs[VALUE_PLACES])
{
    uint32_t b = v->flow->block_of[insn];

    memcpy(regs, &v->at_block[(size_t)b * VALUE_PLACES],
           VALUE_PLACES * sizeof(*regs));
    for (uint32_t i = v->flow->blocks[b].first; i < insn; i++)
        step(v, i, regs);
}

struct value values_before(struct values *v, uint32_t insn, uint8_t reg)
{
    struct value regs[VALUE_PLACES];

    all_before(v, insn, regs);
    return regs[reg];
}

struct value values_in_frame(struct values *v, uint32_t insn, uint32_t frame,
                             int64_t offset)
{
    const struct value at = { frame, false, offset };
    struct value regs[VALUE_PLACES], is;

    all_before(v, insn, regs);
    is = loaded(v, regs, &at, insn, REG_AX);
    if (v->bases->v[is.base].kind == BASE_MEMORY &&
        v->bases->v[is.base].a == frame && v->bases->v[is.base].b == offset)
        return (struct value){ 0 };
    return is;
}

bool values_held(struct values *v, uint32_t insn, const struct area *in,
                 uint32_t base, int64_t *at, struct value *is)
{
    struct value regs[VALUE_PLACES];

    all_before(v, insn, regs);
    for (*at = in->low; *at < in->high; *at += 8) {
        const struct value there = { in->base, false, *at };

        *is = loaded(v, regs, &there, insn, REG_AX);
        if (is->base == base)
            return true;
    }
    return false;
}

uint64_t values_holding(struct values *v, uint32_t insn, uint32_t base)
{
    struct value regs[VALUE_PLACES];
    uint64_t mask = 0;

    all_before(v, insn, regs);
    for (uint8_t r = 0; r < REG_GENERAL; r++)
        if (regs[r].base == base && !regs[r].wide && !regs[r].offset)
            mask |= REG_BIT(r);
    return mask;
}

struct value values_stacked(struct values *v, uint32_t call, int k)
{
    const struct value *sp = values_at_call(v, call, REG_SP);
    struct area slot = { .base = sp->base, .low = sp->offset + 8 * k,
                         .high = sp->offset + 8 * k + 8 };
    uint32_t first = v->flow->blocks[v->flow->block_of[call]].first;
    struct value regs[VALUE_PLACES];

    for (uint32_t i = call; i-- > first; ) {
        const struct insn *n = &v->flow->insns[i];

        if (!n->nmem || !n->mem[0].writes ||
            !area_covers(values_area(v, i, 0), &slot))
            continue;
        all_before(v, i, regs);
        return put(v, i, regs);
    }
    return (struct value){ 0 };
}
