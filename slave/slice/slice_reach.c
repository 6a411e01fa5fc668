/* slice_reach.c - who has set what is read: backwards through the blocks of a
 * function, into calls, and out to the caller. */
#include "slave/slice/slice_private.h"

#include <stdlib.h>
#include <string.h>

#include "slave/slice/variables.h"
#include "slave/symbols/symbols.h"

static const uint8_t arguments[] = { REG_DI, REG_SI, REG_DX, REG_CX, REG_R8,
                                     REG_R9, REG_R10 };
enum { NARGUMENTS = sizeof(arguments), STACKED = 6, NUMBER = 8, RECORD = 32 };

/* A search: it goes on in functions that are called, and in callers. */
struct search {
    struct slice *s;
    uint32_t context;
    struct want want;
    struct reader reader;
    bool inside;                /* of a call: the caller is searched by whoever
                                   asks */
    bool passed;                /* the reader is in a function that is called */
    unsigned level;
    bool found, entry;          /* somebody was; it may be set before */
};

static void run(struct search *x, uint32_t insn, bool behind);

static const struct context *context_of(const struct search *x)
{
    return &x->s->contexts[x->context];
}

static struct bases *bases_of(const struct search *x)
{
    return program_bases(x->s->program);
}

/* It is no more than one number, or pointer. */
static bool is_number(const struct area *a)
{
    return a->low > INT64_MIN && a->high < AREA_END && a->high - a->low <= NUMBER;
}

static void add_at(struct search *x, uint32_t insn, enum node_kind kind,
                   unsigned more)
{
    x->found = true;
    slice_add(x->s, x->context, insn, kind, &x->reader, more);
}

static void add(struct search *x, uint32_t insn, enum node_kind kind)
{
    add_at(x, insn, kind, 0);
}

/* -------------------------------------------------------------- translation */

/* Nobody knows how large it is, but that in a frame no variable is part of it. */
static int64_t end_of_unnamed(const struct search *x, const struct value *a)
{
    const struct base *b = &bases_of(x)->v[a->base];
    const struct function *f;
    int64_t end;

    if (b->kind != BASE_FRAME)
        return AREA_END;
    f = program_numbered(x->s->program, b->a);
    return variables_next(program_variables(x->s->program), f->symbol->address,
                          a->offset, &end) ? end : AREA_END;
}

/* Is this place part of what such an address is given for? Two variables of a
 * frame have the same base. */
static bool is_within(const struct search *x, const struct value *a, int64_t at)
{
    uint8_t kind = bases_of(x)->v[a->base].kind;
    struct area whole = { .base = a->base, .low = a->offset,
                          .high = a->offset + 1 };

    if (kind != BASE_FRAME && kind != BASE_FILE)
        return true;
    program_whole(x->s->program, &whole);
    if (whole.high == a->offset + 1)
        whole.high = end_of_unnamed(x, a);
    return at == INT64_MIN || (at >= whole.low && at < whole.high);
}

/* What else stands in a register is not given to it. The last one is of
 * functions within functions. */
static bool is_parameter(const struct function *f, int k)
{
    return f->parameters < 0 || k < f->parameters || k == NARGUMENTS - 1;
}

/* The argument through which the function sees this place: of several the one
 * that is given for what is next before it. NARGUMENTS: none is. */
static int argument_of(const struct search *x, const struct function *callee,
                       uint32_t call, uint32_t base, int64_t at)
{
    const struct values *v = &context_of(x)->function->values;
    int64_t next = INT64_MIN;
    int best = NARGUMENTS;

    for (int k = 0; k < NARGUMENTS; k++) {
        const struct value *a = values_at_call(v, call, arguments[k]);
        bool before = a->offset <= at && a->offset > next;

        if (a->base != base || !is_parameter(callee, k) ||
            !is_within(x, a, at) || (best < NARGUMENTS && !before))
            continue;
        best = k;
        next = before ? a->offset : next;
    }
    return best;
}

/* What a function gives back, if that is an address: memory that it has asked
 * for, say. */
static bool given_back(const struct function *f, struct value *to)
{
    struct values v = f->values;        /* bases may be added */

    for (uint32_t i = 0; i < f->flow.ninsns; i++)
        if (f->flow.insns[i].kind == INSN_RETURN) {
            *to = values_before(&v, i, REG_AX);
            if (to->base)
                return true;
        }
    return false;
}

/* What is given may be the address of a record in the frame that has the one
 * that is meant, as polymorphic objects of Fortran are handed over. */
static bool base_in_record(const struct search *x,
                           const struct function *callee, uint32_t call,
                           uint32_t base, uint32_t *to, int64_t *less,
                           bool *wide)
{
    struct values *v = &context_of(x)->function->values;
    int64_t at;

    for (int k = 0; k < NARGUMENTS; k++) {
        const struct value *a = values_at_call(v, call, arguments[k]);
        const struct area in = { .base = a->base, .low = a->offset,
                                 .high = a->offset + RECORD };
        struct value is;

        if (bases_of(x)->v[a->base].kind != BASE_FRAME || a->wide ||
            !is_parameter(callee, k) ||
            !values_held(v, call, &in, base, &at, &is))
            continue;
        *to = bases_number(bases_of(x), BASE_ENTRY, callee->number,
                           arguments[k]);
        if (*to)
            *to = bases_number(bases_of(x), BASE_MEMORY, *to, at - a->offset);
        *less = is.offset;
        *wide = is.wide;
        return *to != 0;
    }
    return false;
}

/* From a base as the caller has it to that of what is called: an argument, what
 * it gives back, or what is in memory at one. at: the place behind it that is
 * meant. */
static bool base_down(const struct search *x, const struct function *callee,
                      uint32_t call, uint32_t base, int64_t at, uint32_t *to,
                      int64_t *less, bool *wide)
{
    const struct base b = bases_of(x)->v[base];
    const struct values *v = &context_of(x)->function->values;
    struct value back;
    int k;

    *less = 0;
    *wide = false;
    if (b.kind == BASE_FILE || b.kind == BASE_THREAD)
        return *to = base, true;
    if (b.kind == BASE_MADE && b.a == context_of(x)->function->number &&
        b.b == (int64_t)call * BASE_REGS + REG_AX && given_back(callee, &back)) {
        *to = back.base;
        *less = -back.offset;
        *wide = back.wide;
        return true;
    }
    k = argument_of(x, callee, call, base, at);
    if (k < NARGUMENTS) {
        const struct value *a = values_at_call(v, call, arguments[k]);

        *to = bases_number(bases_of(x), BASE_ENTRY, callee->number,
                           arguments[k]);
        *less = a->offset;
        *wide = a->wide;
        return *to != 0;
    }
    if (base_in_record(x, callee, call, base, to, less, wide))
        return true;
    if (b.kind != BASE_MEMORY ||
        !base_down(x, callee, call, b.a, b.b, to, less, wide) || *wide)
        return false;
    *to = bases_number(bases_of(x), BASE_MEMORY, *to, b.b - *less);
    *less = 0;
    return *to != 0;
}

static int64_t shifted(int64_t x, int64_t by)
{
    return x == INT64_MIN || x == AREA_END ? x : x + by;
}

/* What is meant is a field of each record of an array, and the function is given
 * one of these. at: where the address is, but for its index. */
static bool one_of_each(const struct search *x, int64_t at, struct area *a)
{
    int64_t first;

    if (!a->step || a->low == INT64_MIN ||
        program_record(x->s->program, a->base) != a->step)
        return false;
    first = (a->low + a->first - at) % a->step;
    a->low = first < 0 ? first + a->step : first;
    a->high = a->low + a->bytes;
    a->step = 0;
    return true;
}

static bool want_down(const struct search *x, const struct function *callee,
                      uint32_t call, struct want *to)
{
    int64_t less;
    bool wide;

    *to = x->want;
    if (to->is_reg)
        return true;
    if (!base_down(x, callee, call, x->want.area.base, x->want.area.low,
                   &to->area.base, &less, &wide))
        return false;
    if (wide && one_of_each(x, less, &to->area))
        return true;
    if (wide)
        to->area.step = 0;
    to->area.low = wide ? INT64_MIN : shifted(to->area.low, -less);
    to->area.high = wide ? AREA_END : shifted(to->area.high, -less);
    return true;
}

/* Where the return address stands, a function that is jumped to has the one of
 * who was called. */
static int64_t pushed_by(const struct insn *call)
{
    return call->kind == INSN_TAIL ? 8 : 0;
}

/* From a base as a function has it to that of its caller. */
static bool base_up(const struct search *x, uint32_t base, uint32_t *to,
                    int64_t *more, bool *wide)
{
    const struct context *c = context_of(x);
    const struct base b = bases_of(x)->v[base];
    const struct value *a;

    *more = 0;
    *wide = false;
    switch ((enum base_kind)b.kind) {
    case BASE_FILE: case BASE_THREAD:
        return *to = base, true;
    case BASE_ENTRY: case BASE_FRAME:
        if (b.a != c->function->number)
            return false;
        a = values_at_call(&x->s->contexts[c->caller].function->values, c->call,
                           b.kind == BASE_FRAME ? REG_SP : (uint8_t)b.b);
        *to = a->base;
        *more = a->offset + (b.kind == BASE_FRAME ? pushed_by(
            &x->s->contexts[c->caller].function->flow.insns[c->call]) : 0);
        *wide = a->wide;
        return a->base != 0;
    case BASE_MEMORY:
        if (!base_up(x, b.a, to, more, wide) || *wide)
            return false;
        if (bases_of(x)->v[*to].kind == BASE_FRAME) {
            const struct value is = values_in_frame(
                &x->s->contexts[c->caller].function->values, c->call, *to,
                b.b + *more);

            if (is.base) {
                *to = is.base;
                *more = is.offset;
                *wide = is.wide;
                return true;
            }
        }
        *to = bases_number(bases_of(x), BASE_MEMORY, *to, b.b + *more);
        *more = 0;
        return *to != 0;
    case BASE_NOTHING: case BASE_MADE: case BASE_JOINED:
        break;
    }
    return false;
}

/* Behind a pointer nobody knows how far an array goes on; the caller does, if
 * it is part of a variable. */
static void end_with_variable(const struct search *x, struct area *a)
{
    struct area whole = { .base = a->base, .low = a->low,
                          .high = a->low + 1 };
    uint8_t kind = bases_of(x)->v[a->base].kind;

    if (a->high != AREA_END || (kind != BASE_FRAME && kind != BASE_FILE))
        return;
    program_whole(x->s->program, &whole);
    if (whole.high > a->low + 1)
        a->high = whole.high;
}

static bool want_up(const struct search *x, struct want *to)
{
    int64_t more;
    bool wide;

    *to = x->want;
    if (to->is_reg)
        return true;
    if (!base_up(x, x->want.area.base, &to->area.base, &more, &wide))
        return false;
    to->area.low = shifted(to->area.low, more);
    to->area.high = shifted(to->area.high, more);
    end_with_variable(x, &to->area);
    if (wide && !to->area.step && to->area.low > INT64_MIN &&
        to->area.high < AREA_END &&
        program_field_of_each(x->s->program, x->want.area.base, &to->area))
        return true;
    if (wide) {
        to->area.step = 0;
        program_whole(x->s->program, &to->area);
    }
    return true;
}

/* ------------------------------------------------------------------ callers */

static bool is_argument(uint8_t reg)
{
    if (reg >= REG_XMM0 && reg < REG_XMM0 + 8)
        return true;
    for (int k = 0; k < NARGUMENTS; k++)
        if (arguments[k] == reg)
            return true;
    return false;
}

static void on_writer(void *arg, struct function *f, uint32_t insn)
{
    struct search *x = arg;
    uint32_t c = slice_context(x->s, f, FLOW_NONE, FLOW_NONE, FOLLOW_MAX);

    if (c == FLOW_NONE)
        return;
    slice_add(x->s, c, insn, NODE_ELSEWHERE, &x->reader, COST_DECIDES);
}

/* It was set before the function began. */
static void leave(struct search *x)
{
    const struct context *c = context_of(x);
    struct search up = *x;

    x->entry = true;
    if (x->inside)
        return;
    if (c->caller == FLOW_NONE) {
        if (!x->found && !x->want.is_reg &&
            x->want.area.base == BASE_NUMBER_FILE)
            program_writers(x->s->program, &x->want.area, on_writer, x);
        return;
    }
    if (x->want.is_reg && !is_argument(x->want.reg))
        return;
    if (!want_up(x, &up.want))
        return;
    up.context = c->caller;
    up.level++;
    up.passed |= c->depth == 0;
    run(&up, c->call, false);
    x->found |= up.found;
}

/* -------------------------------------------------------------------- calls */

enum effect { NO_EFFECT, MAY_SET, SETS };

/* Is the address of what is wanted given to this call? */
static bool is_given(const struct search *x, uint32_t call, int *which,
                     bool *exact)
{
    struct values *v = &context_of(x)->function->values;

    for (int k = 0; k < NARGUMENTS - 1 + STACKED; k++) {
        const struct value value = k < NARGUMENTS - 1
            ? *values_at_call(v, call, arguments[k])
            : values_stacked(v, call, k - (NARGUMENTS - 1)), *a = &value;
        struct area area = { .base = a->base, .low = a->offset,
                             .high = a->offset + 1 };

        if (!a->base || a->base != x->want.area.base)
            continue;
        program_given(x->s->program, &area);
        if (area.high == a->offset + 1 && a->base == BASE_NUMBER_FILE)
            continue;           /* it is a number */
        if (area.high == a->offset + 1)
            area.high = end_of_unnamed(x, a);
        if (!area_meets(&area, &x->want.area))
            continue;
        *which = k;
        *exact = !a->wide && a->offset == x->want.area.low;
        return true;
    }
    return false;
}

static bool has_exits(const struct function *f)
{
    for (size_t i = 0; i < f->flow.ninsns; i++)
        if (f->flow.insns[i].kind == INSN_RETURN ||
            f->flow.insns[i].kind == INSN_TAIL)
            return true;
    return false;
}

/* What is behind a variable of the file whose address is argument k: as the
 * function sees it. offset: of the variable's part that is meant. */
static bool base_behind(const struct search *x, const struct function *callee,
                        uint32_t call, int k, int64_t offset, uint32_t *to,
                        int64_t *less)
{
    const struct value *a = values_at_call(&context_of(x)->function->values,
                                           call, arguments[k]);
    struct area whole = { .base = a->base, .low = a->offset,
                          .high = a->offset + 1 };

    if (a->base != BASE_NUMBER_FILE)
        return false;
    program_whole(x->s->program, &whole);
    if (whole.high == a->offset + 1 || offset < whole.low || offset >= whole.high)
        return false;
    *less = a->offset;
    *to = bases_number(bases_of(x), BASE_ENTRY, callee->number, arguments[k]);
    return *to != 0;
}

/* A variable of the file, or what a pointer in one points to. */
static bool want_behind(const struct search *x, const struct function *callee,
                        uint32_t call, int k, struct want *to)
{
    const struct base b = bases_of(x)->v[x->want.area.base];
    int64_t less;

    *to = x->want;
    if (to->is_reg)
        return false;
    if (b.kind == BASE_MEMORY && b.a == BASE_NUMBER_FILE) {
        if (!base_behind(x, callee, call, k, b.b, &to->area.base, &less))
            return false;
        to->area.base = bases_number(bases_of(x), BASE_MEMORY, to->area.base,
                                     b.b - less);
        return to->area.base != 0;
    }
    if (b.kind != BASE_FILE ||
        !base_behind(x, callee, call, k, to->area.low, &to->area.base, &less))
        return false;
    to->area.low = shifted(to->area.low, -less);
    to->area.high = shifted(to->area.high, -less);
    return true;
}

static void run_from_exits(struct search *x)
{
    const struct flow *f = &context_of(x)->function->flow;

    for (uint32_t i = 0; i < f->ninsns; i++)
        if (f->insns[i].kind == INSN_RETURN)
            run(x, i, false);
        else if (f->insns[i].kind == INSN_TAIL)
            run(x, i, true);
}

/* What the function has set when it returns. */
static enum effect follow(struct search *x, struct function *f, uint32_t call)
{
    struct search in = *x;

    if (!want_down(x, f, call, &in.want))
        return NO_EFFECT;
    in.context = slice_context(x->s, f, x->context, call,
                               context_of(x)->depth + 1);
    if (in.context == FLOW_NONE || !has_exits(f))
        return NO_EFFECT;
    in.inside = true;
    in.found = in.entry = false;
    in.level++;
    run_from_exits(&in);
    for (int k = 0; k < NARGUMENTS; k++) {
        struct search behind = in;

        if (!want_behind(x, f, call, k, &behind.want))
            continue;
        run_from_exits(&behind);
        in.found |= behind.found;
    }
    if (!in.found)
        return NO_EFFECT;
    add_at(x, call, NODE_VIA, COST_VIA);
    return in.entry ? MAY_SET : SETS;
}

static void not_followed(struct slice *s, const char *name)
{
    struct str *to = &s->not_followed;
    char pretty[80] = "a function by its address";

    if (name)
        symbol_pretty(pretty, sizeof(pretty), name);
    if (to->n < 200 && !strstr(str_text(to), pretty))
        str_addf(to, "%s%s", to->n ? ", " : "", pretty);
}

static bool is_returned(uint8_t reg)
{
    return reg == REG_AX || reg == REG_DX || reg == REG_XMM0 ||
           reg == REG_XMM0 + 1;
}

static enum effect call_register(struct search *x, uint32_t call,
                                 struct function *f, const char *name)
{
    uint8_t r = x->want.reg;

    if (!(program_changes(x->s->program, &context_of(x)->function->flow
                          .insns[call]) & REG_BIT(r)))
        return NO_EFFECT;
    if (!is_returned(r))
        return SETS;            /* nobody knows to what */
    if (f && context_of(x)->depth < FOLLOW_MAX) {
        if (follow(x, f, call) != NO_EFFECT)
            return SETS;
    } else if (f || !name) {
        not_followed(x->s, name);
    }
    add(x, call, NODE_SETS);
    return SETS;
}

static enum effect call_memory(struct search *x, uint32_t call,
                               struct function *f, const char *name)
{
    struct call_about about = calls_about(name);
    bool given, exact = false;
    int which = 0;

    if (f && context_of(x)->depth < FOLLOW_MAX)
        return follow(x, f, call);
    given = is_given(x, call, &which, &exact);
    if (f && !given && x->want.area.base == BASE_NUMBER_FILE)
        not_followed(x->s, name);
    if (!given)
        return NO_EFFECT;
    if (about.args) {
        char letter = which < (int)strlen(about.args) ? about.args[which] : '-';

        if (letter != 'w' && letter != 'q')
            return NO_EFFECT;
        if (calls_identify(name) &&
            (!exact || !is_number(&x->want.area)))
            return NO_EFFECT;   /* one number, and nothing besides it */
        if (about.mpi && letter == 'q' && strchr(about.args, 'w'))
            return NO_EFFECT;   /* a request is done, not made */
        add(x, call, NODE_SETS);
        return exact ? SETS : MAY_SET;
    }
    add(x, call, NODE_MAY);
    return MAY_SET;
}

/* What one of several functions has set: nobody knows which one is called. */
static bool follow_all(struct search *x, uint32_t call)
{
    struct function *v[PROGRAM_TARGETS];
    size_t n = context_of(x)->depth < FOLLOW_MAX && x->level < DEPTH_MAX
        ? program_targets(x->s->program, context_of(x)->function, call, v) : 0;
    bool found = false;

    for (size_t i = 0; i < n; i++)
        found |= follow(x, v[i], call) != NO_EFFECT;
    return found;
}

static enum effect call_effect(struct search *x, uint32_t call)
{
    const struct insn *n = &context_of(x)->function->flow.insns[call];
    uint64_t at;
    const char *name = program_callee(x->s->program, n, &at);
    struct function *f = at ? program_function(x->s->program, at) : NULL;

    if (!name && !at && !(x->want.is_reg && !is_returned(x->want.reg)) &&
        follow_all(x, call))
        return x->want.is_reg ? SETS : MAY_SET;

    if (f && (!f->readable || x->level >= DEPTH_MAX))
        f = NULL;
    return x->want.is_reg ? call_register(x, call, f, name)
                          : call_memory(x, call, f, name);
}

/* ------------------------------------------------------------- instructions */

/* Behind a pointer nobody knows where an array ends that is written: it is
 * taken not to be what is read by itself. */
static bool is_array_only(const struct search *x, const struct area *written)
{
    uint8_t kind = bases_of(x)->v[written->base].kind;

    return kind != BASE_FRAME && kind != BASE_FILE &&
           written->high == AREA_END && !written->step &&
           is_number(&x->want.area);
}

static enum effect memory_effect(const struct search *x, uint32_t insn)
{
    const struct function *f = context_of(x)->function;
    const struct insn *n = &f->flow.insns[insn];
    enum effect e = NO_EFFECT;

    for (uint8_t k = 0; k < n->nmem; k++) {
        const struct area *a = values_area(&f->values, insn, k);

        if (!n->mem[k].writes || !area_meets(a, &x->want.area) ||
            is_array_only(x, a))
            continue;
        if (a->high < AREA_END &&
            a->high - a->low == (int64_t)n->mem[k].bytes &&
            n->mem[k].index == REG_NONE && area_covers(a, &x->want.area))
            return SETS;
        e = MAY_SET;
    }
    return e;
}

/* Where a variable is does not change. */
static bool is_address(const struct search *x, uint32_t insn)
{
    const struct function *f = context_of(x)->function;
    const struct insn *n = &f->flow.insns[insn];
    uint8_t kind;

    if (n->move != MOVE_ADDRESS || n->mem[0].index != REG_NONE)
        return false;
    kind = bases_of(x)->v[values_area(&f->values, insn, 0)->base].kind;
    return kind == BASE_FRAME || kind == BASE_FILE;
}

static enum effect effect(struct search *x, uint32_t insn)
{
    const struct insn *n = &context_of(x)->function->flow.insns[insn];
    enum node_kind kind = x->passed ? NODE_PASSES : NODE_SETS;
    enum effect e;

    if (slice_is_call(n))
        return call_effect(x, insn);
    if (x->want.is_reg)
        e = n->kills & REG_BIT(x->want.reg) ? SETS
            : n->writes & REG_BIT(x->want.reg) ? MAY_SET : NO_EFFECT;
    else
        e = memory_effect(x, insn);
    if (e != NO_EFFECT && x->want.is_reg && is_address(x, insn)) {
        x->found = true;
        x->s->nodes[x->reader.node].is_address = true;
    } else if (e != NO_EFFECT) {
        add(x, insn, kind);
    }
    return e;
}

/* Backwards through a block; false: somebody has set it for sure. */
static bool through(struct search *x, uint32_t first, uint32_t end)
{
    while (end > first)
        if (effect(x, --end) == SETS)
            return false;
    return true;
}

struct blocks { uint8_t *seen; uint32_t *v, n; };       /* to go through */

static void over_top(struct search *x, struct blocks *left, uint32_t block)
{
    const struct flow *f = &context_of(x)->function->flow;
    const struct flow_block *b = &f->blocks[block];

    if (block == f->entry && !x->entry)
        leave(x);
    for (size_t k = 0; k < b->from.n; k++)
        if (!left->seen[b->from.v[k]]) {
            left->seen[b->from.v[k]] = 1;
            left->v[left->n++] = b->from.v[k];
        }
}

/* From before this instruction, or from behind it. */
static void run(struct search *x, uint32_t insn, bool behind)
{
    const struct flow *f = &context_of(x)->function->flow;
    uint32_t block = f->block_of[insn], b;
    struct blocks left = { calloc(f->nblocks, 1),
                           calloc(f->nblocks + 1, sizeof(*left.v)), 0 };

    if (x->level >= DEPTH_MAX || x->s->nsearches++ >= SEARCHES_MAX)
        x->s->cut = true;
    else if (left.seen && left.v && through(x, f->blocks[block].first,
                                               insn + behind))
        over_top(x, &left, block);
    while (left.n) {
        b = left.v[--left.n];
        if (through(x, f->blocks[b].first, f->blocks[b].first + f->blocks[b].n))
            over_top(x, &left, b);
    }
    free(left.seen);
    free(left.v);
}

/* Of what a search has found, from this step on: if it is more than one, which
 * of them it is depends on who decides that they are reached. */
static void mark_several(struct slice *s, size_t first)
{
    size_t n = 0;

    for (size_t i = first; i < s->nsteps; i++)
        n += s->nodes[s->steps[i].to].kind != NODE_VIA;
    for (size_t i = first; n > 1 && i < s->nsteps; i++)
        s->nodes[s->steps[i].to].of_several = true;
}

void slice_reach(struct slice *s, uint32_t context, uint32_t insn,
                 const struct want *w, const struct reader *r)
{
    size_t first = s->nsteps;

    struct search x = { .s = s, .context = context, .want = *w, .reader = *r };
    uint64_t key = idtable_mix(idtable_mix(context, insn), w->is_reg
        ? w->reg : idtable_mix(w->area.base + 1000,
                               (uint64_t)w->area.low * 31 +
                               (uint64_t)w->area.high + w->area.step * 7919u +
                               (uint64_t)w->area.first * 104729u));
    size_t i = idtable_first(&s->seen_searches, key);

    if (r->cost > COST_MAX ||
        idtable_at(&s->seen_searches, key, &i) != IDTABLE_NONE ||
        idtable_add(&s->seen_searches, key, 0))
        return;
    run(&x, insn, false);
    mark_several(s, first);
}
