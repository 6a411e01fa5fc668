/* slice_others.c - what a task that waits in MPI has to do with others, which
 * run the same program: they wait for it, or it for them. */
#include "slave/slice/slice_private.h"

#include <string.h>

#include "proto/base/array.h"

enum { SENDS_LEVELS = 2,
       OTHERS_MAX = 100000 };   /* instructions that are looked through */

/* An argument that is a number, where that is known. */
static bool find_number(struct slice *s, const struct function *f,
                        uint32_t call, uint8_t reg, bool fortran, int32_t *is)
{
    const struct values *v = &f->values;
    const struct value *at = values_at_call(v, call, reg);
    const struct binary *b = program_binary(s->program);
    const uint8_t *bytes;
    size_t n;

    if (at->base != BASE_NUMBER_FILE || at->wide)
        return false;
    *is = (int32_t)at->offset;
    if (!fortran)
        return true;
    if (binary_variable(b, (uint64_t)at->offset) ||
        !(bytes = binary_bytes(b, (uint64_t)at->offset, &n)) || n < 4)
        return false;
    memcpy(is, bytes, 4);
    return true;
}

/* The tag that a message is sent or received with: the fifth argument. */
static bool find_tag(struct slice *s, const struct function *f, uint32_t call,
                     bool fortran, int32_t *tag)
{
    return find_number(s, f, call, REG_R8, fortran, tag);
}

/* Does it do what a call like that of the task waits for? */
static bool is_answer(const struct slice *s, const char *name)
{
    return s->sends ? calls_receives(name) : calls_sends(name);
}

static unsigned nearer(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Who waits for a task that waits itself, waits for what that one waits for. */
static unsigned cost_for_theirs(struct slice *s, const struct slice_place *at,
                                const char *name, bool has_tag, int32_t tag)
{
    for (size_t i = 0; i < at->ntheirs; i++) {
        const struct function *f = program_function(s->program,
                                                    at->theirs[i] - 1);
        const struct slice_frame frame = { at->theirs[i], true };
        uint32_t call = f && f->readable ? slice_insn_at(f, &frame) : FLOW_NONE;
        uint64_t in;
        int32_t theirs;
        const char *is = call == FLOW_NONE ? NULL
            : program_callee(s->program, &f->flow.insns[call], &in);

        if ((calls_receives(is) ? calls_sends(name)
             : calls_sends(is) && calls_receives(name)) &&
            (!has_tag ||
             !find_tag(s, f, call, calls_about(is).fortran, &theirs) ||
             theirs < 0 || theirs == tag))
            return COST_FOR_THEIRS + (unsigned)i * COST_BEFORE;
    }
    return COST_MAX;
}

/* How near is it? A message with another tag is not the one that is waited
 * for. */
static unsigned cost_of_send(struct slice *s, const struct slice_place *at,
                             uint32_t context, uint32_t call, const char *name)
{
    int32_t tag;
    bool has_tag = find_tag(s, s->contexts[context].function, call,
                            calls_about(name).fortran, &tag);
    unsigned cost = !s->awaits_tag || !is_answer(s, name) || !has_tag ? COST_SENDS
        : tag == s->awaited_tag ? COST_SENDS_IT : COST_SENDS_OTHER;

    return nearer(cost, cost_for_theirs(s, at, name, has_tag, tag));
}

/* Which one of these calls it is; n: none of them. */
static size_t find_call(const uint64_t *v, size_t n, const struct insn *call)
{
    size_t i = 0;

    while (i < n && v[i] != call->address + call->bytes)
        i++;
    return i;
}

/* What the task has done last, others may have got: if it went elsewhere, all
 * wait for each other. */
static unsigned cost_of_lately(const struct insn *call,
                               const struct slice_place *at)
{
    size_t i = find_call(at->lately, at->nlately, call);

    return i < at->nlately ? COST_LATELY + (unsigned)i * COST_BEFORE : COST_MAX;
}

/* Whoever is elsewhere has left its loops of messages, one of which may have
 * been for this task. */
static void add_theirs(struct slice *s, const struct slice_place *at,
                       uint32_t context, uint32_t call, unsigned cost)
{
    const struct flow *f = &s->contexts[context].function->flow;
    const struct reader nobody = { .node = NO_NODE };

    slice_add(s, context, call, NODE_THEIRS, &nobody, cost);
    if (at->nframes == 0 || at->frames[0].address !=
        f->insns[call].address + f->insns[call].bytes)
        slice_add_loops(s, context, call, cost);
}

static void add_sends(struct slice *s, const struct slice_place *at,
                      uint32_t context, unsigned cost, unsigned levels);

/* A call whose address is computed: any of those that it may be of. */
static void add_targets(struct slice *s, const struct slice_place *at,
                        uint32_t context, uint32_t call, unsigned cost,
                        unsigned levels)
{
    struct function *v[PROGRAM_TARGETS];
    size_t n = levels ? program_targets(s->program,
                                        s->contexts[context].function, call, v)
                      : 0;

    for (size_t k = 0; k < n; k++) {
        uint32_t in = slice_context(s, v[k], context, call, 1);

        if (in != FLOW_NONE)
            add_sends(s, at, in, cost + COST_FRAME, levels - 1);
    }
}

/* ------------------------------------------------------------ what is sent */

static void note_put(struct slice *s, uint32_t context, uint32_t call,
                     const char *name)
{
    if (calls_sends(name) &&
        array_reserve(&s->puts, &s->cap_puts, s->nputs + 1) == 0)
        s->puts[s->nputs++] = (struct put){ context, call };
}

/* A type of C is an address that stands in the file. */
static bool is_of_file(const struct slice *s, const struct value *v)
{
    const struct base *b = &program_bases(s->program)->v[v->base];

    return !v->wide && (b->kind == BASE_FILE ||
                        (b->kind == BASE_MEMORY && b->a == BASE_NUMBER_FILE));
}

/* Are both known, and not the same? In Fortran they are numbers. */
static bool differ(struct slice *s, const struct put *a, const struct put *b,
                   uint8_t reg, bool fortran)
{
    const struct function *f = s->contexts[a->context].function;
    const struct function *g = s->contexts[b->context].function;
    const struct value *x = values_at_call(&f->values, a->insn, reg);
    const struct value *y = values_at_call(&g->values, b->insn, reg);
    int32_t n, m;

    if (reg == REG_R8 || fortran)
        return find_number(s, f, a->insn, reg, fortran, &n) && n >= 0 &&
               find_number(s, g, b->insn, reg, fortran, &m) && n != m;
    return is_of_file(s, x) && is_of_file(s, y) &&
           (x->base != y->base || x->offset != y->offset);
}

void slice_add_puts(struct slice *s, const struct node *n)
{
    const struct put to = { n->context, n->insn };
    struct function *f = s->contexts[n->context].function;
    const struct reader r = { .node = n->number, .cost = n->cost + COST_MESSAGE,
                              .line = program_line(s->program, f, n->insn) };
    uint64_t at;
    const char *name = program_callee(s->program, &f->flow.insns[n->insn], &at);
    bool fortran = calls_about(name).fortran;

    for (size_t i = 0; i < s->nputs; i++)
        if (!differ(s, &to, &s->puts[i], REG_R8, fortran) &&
            !differ(s, &to, &s->puts[i], REG_DX, fortran))
            slice_add(s, s->puts[i].context, s->puts[i].insn, NODE_PUTS, &r, 0);
}

static void add_sends(struct slice *s, const struct slice_place *at,
                      uint32_t context, unsigned cost, unsigned levels)
{
    const struct flow *f = &s->contexts[context].function->flow;
    const struct reader nobody = { .node = NO_NODE };

    for (uint32_t i = 0; i < f->ninsns && s->nothers++ < OTHERS_MAX; i++) {
        uint64_t address;
        const char *name = slice_is_call(&f->insns[i])
            ? program_callee(s->program, &f->insns[i], &address) : NULL;
        struct function *to = name && address && levels
            ? program_function(s->program, address) : NULL;
        uint32_t in = to && to->readable
            ? slice_context(s, to, context, i, 1) : FLOW_NONE;
        size_t theirs = calls_about(name).mpi
            ? find_call(at->theirs, at->ntheirs, &f->insns[i]) : at->ntheirs;

        note_put(s, context, i, name);
        if (theirs < at->ntheirs)
            add_theirs(s, at, context, i,
                       COST_THEIRS + (unsigned)theirs * COST_BEFORE);
        else if (calls_awaited(name) || (s->sends && calls_receives(name)))
            slice_add(s, context, i, calls_awaited(name) ? NODE_SENDS
                                                         : NODE_RECEIVES,
                      &nobody, cost + nearer(
                          cost_of_send(s, at, context, i, name),
                          cost_of_lately(&f->insns[i], at)));
        if (in != FLOW_NONE)
            add_sends(s, at, in, cost + COST_FRAME, levels - 1);
        else if (slice_is_call(&f->insns[i]))
            add_targets(s, at, context, i, cost, levels);
    }
}

void slice_add_others(struct slice *s, const struct slice_place *at)
{
    const struct function *f = s->contexts[0].function;
    uint32_t here = slice_insn_at(f, at->frames);
    uint64_t in;
    const char *name = here == FLOW_NONE || !slice_is_call(&f->flow.insns[here])
        ? NULL : program_callee(s->program, &f->flow.insns[here], &in);

    if (!calls_about(name).mpi)
        return;
    s->sends = calls_sends(name);
    s->awaits_tag = (s->sends || calls_receives(name)) &&
                    find_tag(s, f, here, calls_about(name).fortran,
                             &s->awaited_tag) && s->awaited_tag >= 0;
    for (uint32_t i = 0; i < s->npath; i++) {
        add_sends(s, at, i, i * COST_FRAME, SENDS_LEVELS);
        if (calls_meets(name))
            slice_add_loops(s, i, i ? s->contexts[i - 1].call : here,
                            i * COST_FRAME);
    }
}
