/* entry.c - see entry.h: registers that are live at the entry of a function. */
#include "slave/slice/entry.h"

#include <stdlib.h>
#include <string.h>

#include "slave/slice/calls.h"

enum { LEVELS = 2, NGENERAL = 6 };

static const uint8_t arguments[NGENERAL] = { REG_DI, REG_SI, REG_DX, REG_CX,
                                             REG_R8, REG_R9 };
#define VECTORS ((uint64_t)0xff << REG_XMM0)

static uint64_t first_arguments(size_t n)
{
    uint64_t mask = 0;

    for (size_t k = 0; k < n && k < NGENERAL; k++)
        mask |= REG_BIT(arguments[k]);
    return mask;
}

static uint64_t reads(struct program *p, const struct function *f,
                      unsigned levels);

static uint64_t call_reads(struct program *p, const struct insn *call,
                           unsigned levels)
{
    uint64_t at;
    const char *name = program_callee(p, call, &at);
    const char *args = calls_about(name).args;
    const struct function *to = at && levels ? program_function(p, at) : NULL;

    if (to && to->readable)
        return reads(p, to, levels - 1);
    return args ? first_arguments(strlen(args)) : 0;
}

/* Registers that are as the caller has left them go into a block; those that still
 * are come out of it. */
static uint64_t through(struct program *p, const struct function *f,
                        const struct flow_block *b, uint64_t left,
                        unsigned levels, uint64_t *read)
{
    for (uint32_t i = b->first; i < b->first + b->n && left; i++) {
        const struct insn *n = &f->flow.insns[i];
        bool calls = n->kind == INSN_CALL || n->kind == INSN_TAIL;

        *read |= left & (calls ? call_reads(p, n, levels) : n->reads);
        left &= calls ? 0 : ~n->writes;
    }
    return left;
}

static uint64_t reads(struct program *p, const struct function *f,
                      unsigned levels)
{
    const struct flow *w = &f->flow;
    uint64_t *left = calloc(w->nblocks, sizeof(*left)), read = 0;
    bool more = left != NULL;

    if (left)
        left[w->entry] = first_arguments(NGENERAL) | VECTORS;
    while (more) {
        more = false;
        for (uint32_t b = 0; b < w->nblocks; b++) {
            uint64_t out = left[b] ? through(p, f, &w->blocks[b], left[b], levels,
                                             &read) : 0;

            for (size_t k = 0; k < w->blocks[b].to.n; k++) {
                uint64_t *to = &left[w->blocks[b].to.v[k]];

                more |= out & ~*to;
                *to |= out;
            }
        }
    }
    free(left);
    return read;
}

uint64_t entry_reads(struct program *p, const struct function *f)
{
    return f->readable ? reads(p, f, LEVELS) : 0;
}
