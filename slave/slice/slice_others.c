/* slice_others.c - what a task that waits in MPI has to do with others, which
 * run the same program: they wait for it, or it for them. */
#include "slave/slice/slice_private.h"

#include <string.h>

enum { SENDS_LEVELS = 2, TABLE_MAX = 32, POINTER_BLOCKS = 16,
       OTHERS_MAX = 100000 };   /* instructions that are looked through */

/* The tag that a message is sent or received with, where that is a number that
 * is known: their calls have it as the fifth argument. */
static bool find_tag(struct slice *s, uint32_t context, uint32_t call,
                     bool fortran, int32_t *tag)
{
    const struct values *v = &s->contexts[context].function->values;
    const struct value *at = values_at_call(v, call, REG_R8);
    const struct binary *b = program_binary(s->program);
    const uint8_t *bytes;
    size_t n;

    if (at->base != BASE_NUMBER_FILE || at->wide)
        return false;
    *tag = (int32_t)at->offset;
    if (!fortran)
        return true;
    if (binary_variable(b, (uint64_t)at->offset) ||
        !(bytes = binary_bytes(b, (uint64_t)at->offset, &n)) || n < 4)
        return false;
    memcpy(tag, bytes, 4);
    return true;
}

/* Does it do what a call like that of the task waits for? */
static bool is_answer(const struct slice *s, const char *name)
{
    return s->sends ? calls_receives(name) : calls_sends(name);
}

/* How near is it? A message with another tag is not the one that is waited
 * for. */
static unsigned cost_of_send(struct slice *s, uint32_t context, uint32_t call,
                             const char *name)
{
    int32_t tag;

    if (!s->awaits_tag || !is_answer(s, name) ||
        !find_tag(s, context, call, calls_about(name).fortran, &tag))
        return COST_SENDS;
    return tag == s->awaited_tag ? COST_SENDS_IT : COST_SENDS_OTHER;
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

static unsigned nearer(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Whoever is elsewhere has left its loops of messages, one of which may have been for
 * this task. */
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

/* The instruction that reads the pointer which is called: itself, or the one that
 * has put it into the register, back through the blocks that lead there. FLOW_NONE:
 * none is found. */
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

/* A call by a table in the file: any of its functions may be called. */
static void add_table(struct slice *s, const struct slice_place *at,
                      uint32_t context, uint32_t call, unsigned cost,
                      unsigned levels)
{
    const struct function *f = s->contexts[context].function;
    uint32_t from = !levels || f->flow.insns[call].target
        ? FLOW_NONE : reads_pointer(&f->flow, call);
    struct area table;

    if (from == FLOW_NONE)
        return;
    table = *values_area(&f->values, from, 0);
    if (table.base != BASE_NUMBER_FILE)
        return;
    program_whole(s->program, &table);
    for (int k = 0; k < TABLE_MAX && table.low + 8 * k < table.high; k++) {
        uint64_t to = binary_pointer(program_binary(s->program),
                                     (uint64_t)table.low + 8 * (uint64_t)k);
        struct function *callee = to ? program_function(s->program, to) : NULL;
        uint32_t in = callee && callee->readable
            ? slice_context(s, callee, context, call, 1) : FLOW_NONE;

        if (in != FLOW_NONE)
            add_sends(s, at, in, cost + COST_FRAME, levels - 1);
    }
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

        if (theirs < at->ntheirs)
            add_theirs(s, at, context, i,
                       COST_THEIRS + (unsigned)theirs * COST_BEFORE);
        else if (calls_awaited(name) || (s->sends && calls_receives(name)))
            slice_add(s, context, i, calls_awaited(name) ? NODE_SENDS
                                                         : NODE_RECEIVES,
                      &nobody, cost + nearer(
                          cost_of_send(s, context, i, name),
                          cost_of_lately(&f->insns[i], at)));
        if (in != FLOW_NONE)
            add_sends(s, at, in, cost + COST_FRAME, levels - 1);
        else if (slice_is_call(&f->insns[i]))
            add_table(s, at, context, i, cost, levels);
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
                    find_tag(s, 0, here, calls_about(name).fortran,
                             &s->awaited_tag) && s->awaited_tag >= 0;
    for (uint32_t i = 0; i < s->npath; i++) {
        add_sends(s, at, i, i * COST_FRAME, SENDS_LEVELS);
        if (calls_meets(name))
            slice_add_loops(s, i, i ? s->contexts[i - 1].call : here,
                            i * COST_FRAME);
    }
}
