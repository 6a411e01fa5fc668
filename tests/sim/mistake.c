/* mistake.c - what goes wrong in programs, see mistake.h. */
#include "tests/sim/mistake.h"

#include "tests/sim/chance.h"

static bool talks(const struct op *o)
{
    return o->kind >= OP_SEND && o->kind < OP_FINALIZE;
}

static bool is_message(const struct op *o)
{
    return (o->kind >= OP_SEND && o->kind <= OP_SENDRECV) ||
           o->kind == OP_PROBE || o->kind == OP_IPROBE;
}

static bool is_rooted(const struct op *o)
{
    return (o->kind >= OP_BCAST && o->kind <= OP_GATHER) ||
           o->kind == OP_IBCAST || o->kind == OP_IREDUCE;
}

static bool is_collective(const struct op *o)
{
    return o->kind >= OP_BARRIER && o->kind <= OP_IREDUCE;
}

/* Does the mistake make sense for that operation? */
static bool suits(enum mistake kind, const struct op *o)
{
    switch (kind) {
    case MISTAKE_TAG: case MISTAKE_PEER: case MISTAKE_COMM:
        return is_message(o);
    case MISTAKE_LARGE: case MISTAKE_SYNC:
        return o->kind >= OP_SEND && o->kind <= OP_ISEND;
    case MISTAKE_KIND:
        return is_collective(o);
    case MISTAKE_ROOT:
        return is_rooted(o);
    default:
        return talks(o);
    }
}

static void err(struct program *p, uint64_t *chance, enum mistake kind,
                uint32_t r, uint32_t at)
{
    struct op *o = &p->op[r][at], t = *o;

    switch (kind) {
    case MISTAKE_DROP:
        program_drop(p, r, at);
        break;
    case MISTAKE_TAG:
        o->tag = (int16_t)chance_below(chance, 4);
        break;
    case MISTAKE_PEER:
        o->peer = (int8_t)chance_below(chance, p->ntasks);
        break;
    case MISTAKE_COMM:
        o->comm = (uint8_t)chance_below(chance, PROGRAM_COMMS - 1);
        break;
    case MISTAKE_SWAP:
        *o = p->op[r][at + 1];
        p->op[r][at + 1] = t;
        break;
    case MISTAKE_TWICE:
        program_insert(p, r, at, t);
        break;
    case MISTAKE_KIND:
        o->kind = (uint8_t)(o->kind < OP_IBARRIER
                                ? OP_BARRIER + chance_below(chance, 8)
                                : OP_IBARRIER + chance_below(chance, 4));
        break;
    case MISTAKE_ROOT:
        o->peer = (int8_t)chance_below(chance, p->ntasks);
        break;
    case MISTAKE_LARGE:
        o->bytes = 1000000;
        break;
    case MISTAKE_SYNC:
        o->kind = o->kind == OP_ISEND ? OP_ISSEND : OP_SSEND;
        break;
    case MISTAKE_END:
        p->nops[r] = at;
        break;
    case MISTAKE_FOREVER:
        program_insert(p, r, at, (struct op){ .kind = OP_FOREVER });
        break;
    default:
        break;
    }
}

void mistake_make(struct program *p, uint64_t *chance)
{
    enum mistake kind = 1 + chance_below(chance, MISTAKE_KINDS - 1);

    if (kind >= MISTAKE_END && chance_is(chance, 60))
        kind = MISTAKE_DROP;
    for (unsigned i = 0; i < 50; i++) {
        uint32_t r = chance_below(chance, p->ntasks);
        uint32_t at = chance_below(chance, PROGRAM_OPS);

        if (at + 1 >= p->nops[r] || !suits(kind, &p->op[r][at]))
            continue;
        err(p, chance, kind, r, at);
        p->mistake[p->nmistakes++] = (uint8_t)kind;
        return;
    }
}
