/* tails.c - see tails.h. */
#include "slave/slice/tails.h"

static struct function *target_of(struct program *p, const struct insn *call)
{
    uint64_t at;
    struct function *f = program_callee(p, call, &at) && at
        ? program_function(p, at) : NULL;

    return f && f->readable ? f : NULL;
}

/* In so many jumps. */
static bool leads(struct program *p, struct function *f,
                  const struct function *to, struct tail *v, size_t jumps)
{
    for (uint32_t i = 0; i < f->flow.ninsns; i++) {
        struct function *next = f->flow.insns[i].kind == INSN_TAIL
            ? target_of(p, &f->flow.insns[i]) : NULL;

        if (!next || next == f)
            continue;
        *v = (struct tail){ f, i };
        if (jumps == 1 ? next == to : leads(p, next, to, v + 1, jumps - 1))
            return true;
    }
    return false;
}

size_t tails_between(struct program *p, const struct insn *call,
                     const struct function *to, struct tail v[TAILS_MAX])
{
    struct function *f = target_of(p, call);

    for (size_t n = 1; f && f != to && n <= TAILS_MAX; n++)
        if (leads(p, f, to, v, n))
            return n;
    return 0;
}
