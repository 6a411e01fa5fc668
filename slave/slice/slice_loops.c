/* slice_loops.c - loops in which tasks communicate, and which the task has
 * left: who leaves one a turn too early, or too late, waits for the others
 * behind it.
 *
 * Whether a loop ends decides whether what comes behind it is reached, though
 * every way out of it may lead there: control dependence that is sensitive to
 * non-termination (Ranganath and others, TOPLAS 2007; weak control dependence,
 * Podgurski and Clarke, TSE 1990). A loop is taken here to be a strongly
 * connected part of the flow (Tarjan 1972), the outermost one, so that inner
 * loops belong to it. */
#include "slave/slice/slice_private.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS_LEVELS = 2 };

/* ----------------------------------------------------------- strong parts */

struct parts {
    const struct flow *f;       /* borrowed */
    uint32_t *part;             /* of each block, from 1; 0: not known yet */
    uint32_t *number, *low;     /* in the order of a walk, from 1 */
    uint32_t *stack, *open;     /* of the walk; blocks without a part */
    uint32_t *next;             /* way out of a block */
    uint32_t nstack, nopen, count, nparts;
};

static void enter(struct parts *p, uint32_t block)
{
    p->number[block] = p->low[block] = ++p->count;
    p->next[block] = 0;
    p->stack[p->nstack++] = block;
    p->open[p->nopen++] = block;
}

static void leave(struct parts *p, uint32_t block)
{
    p->nstack--;
    if (p->low[block] == p->number[block]) {
        uint32_t b;

        p->nparts++;
        do {
            b = p->open[--p->nopen];
            p->part[b] = p->nparts;
        } while (b != block);
    }
    if (p->nstack) {
        uint32_t above = p->stack[p->nstack - 1];

        if (p->low[block] < p->low[above])
            p->low[above] = p->low[block];
    }
}

static void walk(struct parts *p, uint32_t from)
{
    enter(p, from);
    while (p->nstack) {
        uint32_t b = p->stack[p->nstack - 1], to;

        if (p->next[b] == p->f->blocks[b].to.n) {
            leave(p, b);
            continue;
        }
        to = p->f->blocks[b].to.v[p->next[b]++];
        if (!p->number[to])
            enter(p, to);
        else if (!p->part[to] && p->number[to] < p->low[b])
            p->low[b] = p->number[to];
    }
}

/* ------------------------------------------------------------------ loops */

static bool communicates(struct slice *s, const struct function *f,
                         const struct insn *n, unsigned levels)
{
    uint64_t at;
    const char *name = slice_is_call(n) ? program_callee(s->program, n, &at)
                                        : NULL;
    const struct function *to;

    if (calls_awaited(name) || calls_receives(name))
        return true;
    to = name && at && levels ? program_function(s->program, at) : NULL;
    for (size_t i = 0; to && to != f && to->readable && i < to->flow.ninsns; i++)
        if (communicates(s, to, &to->flow.insns[i], levels - 1))
            return true;
    return false;
}

static bool part_communicates(struct slice *s, const struct function *f,
                              const struct parts *p, uint32_t part)
{
    for (uint32_t i = 0; i < f->flow.ninsns; i++)
        if (p->part[f->flow.block_of[i]] == part &&
            communicates(s, f, &f->flow.insns[i], LOOPS_LEVELS))
            return true;
    return false;
}

/* Blocks from which this one can be reached. */
static void mark_before(const struct flow *f, uint32_t block, uint32_t *todo,
                        uint8_t *before)
{
    todo[0] = block;
    before[block] = 1;
    flow_mark_before(f, todo, 1, before);
}

static bool leads_out(const struct flow_block *b, const struct parts *p,
                      uint32_t part, const uint8_t *before)
{
    bool stays = false, leaves = false;

    for (size_t k = 0; k < b->to.n; k++) {
        stays |= p->part[b->to.v[k]] == part;
        leaves |= p->part[b->to.v[k]] != part && before[b->to.v[k]];
    }
    return stays && leaves;
}

static void add_exits(struct slice *s, uint32_t context, uint32_t call,
                      const struct parts *p, const uint8_t *before,
                      uint8_t *known, unsigned cost)
{
    const struct function *f = s->contexts[context].function;
    const struct reader nobody = { .node = NO_NODE };
    uint32_t here = p->part[f->flow.block_of[call]];
    enum { UNKNOWN, SILENT, SPEAKS };

    for (uint32_t b = 0; b < f->flow.nblocks; b++) {
        const struct flow_block *at = &f->flow.blocks[b];
        uint32_t part = p->part[b];

        if (part == here || !before[b] || !leads_out(at, p, part, before))
            continue;
        if (known[part] == UNKNOWN)
            known[part] = part_communicates(s, f, p, part) ? SPEAKS : SILENT;
        if (known[part] == SPEAKS)
            slice_add(s, context, at->first + at->n - 1, NODE_ENDS, &nobody,
                      cost + COST_ENDS);
    }
}

/* Room for what is known of n blocks; the walk goes through all of them. NULL: there
 * is none. */
static uint32_t *find_parts(const struct flow *f, struct parts *p)
{
    size_t n = f->nblocks + 1;
    uint32_t *room = calloc(6 * n, sizeof(*room));

    *p = (struct parts){ .f = f };
    if (!room)
        return NULL;
    p->part = room;
    p->number = room + n;
    p->low = room + 2 * n;
    p->stack = room + 3 * n;
    p->open = room + 4 * n;
    p->next = room + 5 * n;
    for (uint32_t b = 0; b < f->nblocks; b++)
        if (!p->number[b])
            walk(p, b);
    return room;
}

void slice_add_loops(struct slice *s, uint32_t context, uint32_t call,
                     unsigned cost)
{
    const struct flow *f = &s->contexts[context].function->flow;
    size_t n = f->nblocks + 1;
    uint8_t *marks = calloc(2 * n, 1);
    struct parts p;
    uint32_t *room = find_parts(f, &p);

    if (room && marks) {
        mark_before(f, f->block_of[call], p.stack, marks);
        add_exits(s, context, call, &p, marks, marks + n, cost);
    }
    free(room);
    free(marks);
}

/* ------------------------------------------------------- what is done again */

/* Is a block part of a loop that this one is in? One that is a part by itself is a
 * loop if it leads to itself. */
static bool is_in_loop_of(const struct parts *p, uint32_t block, uint32_t of)
{
    const struct flow_block *b = &p->f->blocks[of];

    if (p->part[block] != p->part[of])
        return false;
    for (size_t k = 0; k < b->to.n; k++)
        if (p->part[b->to.v[k]] == p->part[of])
            return true;
    return false;
}

static bool is_repeated(const struct flow *f, uint32_t insn, uint32_t call)
{
    struct parts p;
    uint32_t *room = find_parts(f, &p);
    bool is = !room || is_in_loop_of(&p, f->block_of[insn], f->block_of[call]);

    free(room);
    return is;
}

static uint32_t call_on_path(const struct slice *s, uint32_t context)
{
    return context ? s->contexts[context - 1].call : s->here;
}

bool slice_is_again(const struct slice *s, uint32_t context, uint32_t insn)
{
    while (context >= s->npath) {
        const struct context *c = &s->contexts[context];

        if (c->caller == FLOW_NONE)
            return true;
        insn = c->call;
        context = c->caller;
    }
    for (uint32_t k = context; k < s->npath; k++) {
        uint32_t call = call_on_path(s, k);

        if (is_repeated(&s->contexts[k].function->flow,
                        k == context ? insn : call, call))
            return true;
    }
    return false;
}
