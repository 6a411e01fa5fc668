/* flow.c - the control-flow graph of one function. */
#include "slave/slice/flow.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { TABLE_MAX = 1024, TABLE_LOOK = 12 };

static bool list_add(struct flow_list *l, uint32_t x)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i] == x)
            return true;
    if (array_reserve(&l->v, &l->cap, l->n + 1))
        return false;
    l->v[l->n++] = x;
    return true;
}

void flow_fini(struct flow *f)
{
    for (size_t i = 0; i < f->nblocks; i++) {
        free(f->blocks[i].to.v);
        free(f->blocks[i].from.v);
        free(f->blocks[i].deciders.v);
    }
    free(f->blocks);
    free(f->insns);
    free(f->block_of);
    memset(f, 0, sizeof(*f));
}

uint32_t flow_find(const struct flow *f, uint64_t address)
{
    size_t low = 0, high = f->ninsns;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (f->insns[mid].address < address)
            low = mid + 1;
        else
            high = mid;
    }
    return low < f->ninsns && f->insns[low].address == address ? (uint32_t)low
                                                               : FLOW_NONE;
}

/* ------------------------------------------------------------- instructions */

static bool read_part(struct flow *f, const struct binary *b, struct decoder *d,
                      const struct binary_symbol *part)
{
    uint64_t at = part->address, end = part->address + part->bytes;
    size_t n;
    const uint8_t *bytes = binary_bytes(b, at, &n);

    if (!bytes)
        return false;
    if (n > part->bytes)
        n = part->bytes;
    while (at < end && f->ninsns < FLOW_INSNS_MAX) {
        if (array_reserve(&f->insns, &f->cap_insns, f->ninsns + 1))
            return false;
        if (!decoder_read(d, bytes, n, at, &f->insns[f->ninsns]))
            break;
        bytes += f->insns[f->ninsns].bytes;
        n -= f->insns[f->ninsns].bytes;
        at += f->insns[f->ninsns++].bytes;
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct insn *)a)->address;
    uint64_t y = ((const struct insn *)b)->address;

    return x < y ? -1 : x > y;
}

/* ------------------------------------------------------------------- tables */

/* A jump by a table of offsets from its own beginning, or of addresses: where
 * the table is, is found shortly before. */
static uint64_t table_before(const struct flow *f, uint32_t i)
{
    const struct insn *jump = &f->insns[i];

    if (jump->nmem && jump->mem[0].base == REG_NONE)
        return (uint64_t)jump->mem[0].disp;
    for (uint32_t k = 1; k <= TABLE_LOOK && k <= i; k++) {
        const struct insn *n = &f->insns[i - k];

        if (n->move == MOVE_ADDRESS && n->mem[0].base == REG_NONE &&
            n->mem[0].index == REG_NONE)
            return (uint64_t)n->mem[0].disp;
    }
    return 0;
}

static bool each_target(const struct flow *f, const struct binary *b,
                        uint32_t i, bool (*take)(void *arg, uint32_t to),
                        void *arg)
{
    uint64_t table = table_before(f, i);
    bool whole = f->insns[i].nmem && f->insns[i].mem[0].base == REG_NONE;
    size_t n, each = whole ? 8 : 4;
    const uint8_t *bytes = table ? binary_bytes(b, table, &n) : NULL;

    for (size_t k = 0; bytes && k < TABLE_MAX && (k + 1) * each <= n; k++) {
        uint64_t address;
        int32_t offset;
        uint32_t to;

        if (whole) {
            memcpy(&address, bytes + k * each, each);
        } else {
            memcpy(&offset, bytes + k * each, each);
            address = table + (uint64_t)(int64_t)offset;
        }
        to = flow_find(f, address);
        if (to == FLOW_NONE)
            break;
        if (!take(arg, to))
            return false;
    }
    return true;
}

/* -------------------------------------------------------------------- blocks */

static bool mark(void *arg, uint32_t to)
{
    ((uint8_t *)arg)[to] = 1;
    return true;
}

static bool ends_block(const struct insn *i)
{
    return i->kind != INSN_PLAIN && i->kind != INSN_CALL;
}

/* Jumps that leave the function are calls. */
static void find_tails(struct flow *f)
{
    for (size_t i = 0; i < f->ninsns; i++) {
        struct insn *n = &f->insns[i];

        if (n->kind == INSN_JUMP && n->target &&
            flow_find(f, n->target) == FLOW_NONE)
            n->kind = INSN_TAIL;
    }
}

static bool make_blocks(struct flow *f, const struct binary *b,
                        flow_ends_f *ends, void *arg)
{
    uint8_t *first = calloc(f->ninsns + 1, 1);

    if (!first)
        return false;
    first[0] = 1;
    for (uint32_t i = 0; i < f->ninsns; i++) {
        const struct insn *n = &f->insns[i];
        uint32_t to = n->target && n->kind != INSN_CALL &&
                      n->kind != INSN_TAIL ? flow_find(f, n->target) : FLOW_NONE;

        if (to != FLOW_NONE)
            first[to] = 1;
        if (ends_block(n) || (n->kind == INSN_CALL && ends(arg, n)))
            first[i + 1] = 1;
        if (i && f->insns[i - 1].address + f->insns[i - 1].bytes != n->address)
            first[i] = 1;
        if (n->kind == INSN_JUMP && !n->target)
            each_target(f, b, i, mark, first);
    }
    for (uint32_t i = 0; i < f->ninsns; i++) {
        if (first[i]) {
            if (array_reserve_zeros(&f->blocks, &f->cap_blocks, f->nblocks + 1))
                break;
            f->blocks[f->nblocks++] = (struct flow_block){ .first = i };
        }
        f->blocks[f->nblocks - 1].n++;
        f->block_of[i] = (uint32_t)f->nblocks - 1;
    }
    free(first);
    return f->nblocks > 0;
}

struct edges { struct flow *f; uint32_t from; };

static bool add_edge(void *arg, uint32_t insn)
{
    const struct edges *e = arg;
    uint32_t to = e->f->block_of[insn];

    return list_add(&e->f->blocks[e->from].to, to) &&
           list_add(&e->f->blocks[to].from, e->from);
}

static bool make_edges(struct flow *f, const struct binary *b,
                       flow_ends_f *ends, void *arg)
{
    bool good = true;

    for (uint32_t k = 0; k < f->nblocks && good; k++) {
        uint32_t last = f->blocks[k].first + f->blocks[k].n - 1;
        const struct insn *n = &f->insns[last];
        struct edges e = { f, k };
        bool falls = n->kind == INSN_PLAIN || n->kind == INSN_BRANCH ||
                     (n->kind == INSN_CALL && !ends(arg, n));

        if (falls && last + 1 < f->ninsns &&
            f->insns[last + 1].address == n->address + n->bytes)
            good = add_edge(&e, last + 1);
        if (good && n->target && n->kind != INSN_CALL &&
            n->kind != INSN_TAIL) {
            uint32_t to = flow_find(f, n->target);

            if (to != FLOW_NONE)
                good = add_edge(&e, to);
        } else if (good && n->kind == INSN_JUMP) {
            good = each_target(f, b, last, add_edge, &e);
        }
    }
    return good;
}

/* ------------------------------------------------------------------ deciders */

/* Behind all blocks stands one more, to which every way out leads. */
struct turned {
    uint32_t n;
    uint8_t *out;               /* leads out */
    uint32_t *order, *number;   /* blocks in the order in which they are left
                                   in a walk from the end; where they stand */
    uint32_t *after;            /* the next block that always comes */
    uint32_t norder;
};

static void walk_back(const struct flow *f, struct turned *t, uint32_t from,
                      uint32_t *stack, uint32_t *next)
{
    uint32_t depth = 0;

    if (t->number[from] != FLOW_NONE)
        return;
    stack[depth++] = from;
    t->number[from] = 0;
    next[from] = 0;
    while (depth) {
        uint32_t b = stack[depth - 1];

        if (next[b] < f->blocks[b].from.n) {
            uint32_t p = f->blocks[b].from.v[next[b]++];

            if (t->number[p] == FLOW_NONE) {
                t->number[p] = 0;
                next[p] = 0;
                stack[depth++] = p;
            }
        } else {
            t->order[t->norder] = b;
            t->number[b] = t->norder++;
            depth--;
        }
    }
}

static uint32_t common(const struct turned *t, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a != t->n && (b == t->n || t->number[a] < t->number[b]))
            a = t->after[a];
        while (b != t->n && (a == t->n || t->number[b] < t->number[a]))
            b = t->after[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy: A simple, fast dominance algorithm, on the
 * graph with its edges turned around. */
static void find_after(const struct flow *f, struct turned *t)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t k = t->norder; k-- > 0; ) {
            uint32_t b = t->order[k], new = t->out[b] ? t->n : FLOW_NONE;

            for (size_t i = 0; i < f->blocks[b].to.n; i++) {
                uint32_t s = f->blocks[b].to.v[i];

                if (t->after[s] == FLOW_NONE)
                    continue;
                new = new == FLOW_NONE ? s : common(t, new, s);
            }
            if (new != t->after[b]) {
                t->after[b] = new;
                changed = true;
            }
        }
    }
}

void flow_mark_before(const struct flow *f, uint32_t *todo, uint32_t n,
                      uint8_t *marks)
{
    while (n) {
        const struct flow_list *from = &f->blocks[todo[--n]].from;

        for (size_t k = 0; k < from->n; k++)
            if (!marks[from->v[k]]) {
                marks[from->v[k]] = 1;
                todo[n++] = from->v[k];
            }
    }
}

/* Which blocks come to a return? Ways that only end the program, as checks of
 * memory do, are no decisions. NULL: there is no room. */
static uint8_t *find_returning(const struct flow *f)
{
    uint8_t *returns = calloc(f->nblocks + 1, 1);
    uint32_t *stack = calloc(f->nblocks + 1, sizeof(*stack)), n = 0;

    for (uint32_t b = 0; returns && stack && b < f->nblocks; b++) {
        uint32_t last = f->blocks[b].first + f->blocks[b].n - 1;

        if (f->insns[last].kind == INSN_RETURN ||
            f->insns[last].kind == INSN_TAIL) {
            returns[b] = 1;
            stack[n++] = b;
        }
    }
    flow_mark_before(f, stack, n, returns);
    free(stack);
    return returns;
}

static bool is_check(const struct flow *f, const struct flow_block *b,
                     const uint8_t *returns)
{
    size_t n = 0, ends = 0;

    for (size_t i = 0; i < b->to.n; i++) {
        const struct flow_block *to = &f->blocks[b->to.v[i]];

        n += returns[b->to.v[i]];
        ends += !returns[b->to.v[i]] && to->to.n == 0;
    }
    return n == 1 && n + ends == b->to.n;
}

static bool find_deciders(struct flow *f, const struct turned *t)
{
    uint8_t *returns = find_returning(f);
    bool good = returns != NULL;

    for (uint32_t p = 0; p < f->nblocks && good; p++) {
        const struct flow_block *b = &f->blocks[p];

        if (b->to.n + t->out[p] < 2 || is_check(f, b, returns))
            continue;
        for (size_t i = 0; i < b->to.n && good; i++)
            for (uint32_t s = b->to.v[i]; s != t->after[p] && s != t->n &&
                     s != FLOW_NONE && good; s = t->after[s])
                good = list_add(&f->blocks[s].deciders, p);
    }
    free(returns);
    return good;
}

static bool make_deciders(struct flow *f)
{
    size_t n = f->nblocks + 1;
    struct turned t = { .n = (uint32_t)f->nblocks, .out = calloc(n, 1),
                        .order = calloc(n, sizeof(*t.order)),
                        .number = malloc(n * sizeof(*t.number)),
                        .after = malloc(n * sizeof(*t.after)) };
    uint32_t *stack = calloc(n, sizeof(*stack)), *next = calloc(n, sizeof(*next));
    bool good = t.out && t.order && t.number && t.after && stack && next;

    if (good) {
        memset(t.number, 0xff, n * sizeof(*t.number));
        memset(t.after, 0xff, n * sizeof(*t.after));
        for (uint32_t b = 0; b < f->nblocks; b++)
            if (!f->blocks[b].to.n) {
                t.out[b] = 1;
                walk_back(f, &t, b, stack, next);
            }
        for (uint32_t b = (uint32_t)f->nblocks; b-- > 0; )
            if (t.number[b] == FLOW_NONE) {     /* in an endless loop */
                t.out[b] = 1;
                walk_back(f, &t, b, stack, next);
            }
        find_after(f, &t);
        good = find_deciders(f, &t);
    }
    free(t.out);
    free(t.order);
    free(t.number);
    free(t.after);
    free(stack);
    free(next);
    return good;
}

bool flow_make(struct flow *f, const struct binary *b, struct decoder *d,
               const struct binary_symbol *function, flow_ends_f *ends,
               void *arg)
{
    const struct binary_symbol *cold = binary_cold(b, function);

    memset(f, 0, sizeof(*f));
    if (!read_part(f, b, d, function) || !f->ninsns)
        return false;
    if (cold && read_part(f, b, d, cold))
        qsort(f->insns, f->ninsns, sizeof(*f->insns), by_address);
    if (array_reserve(&f->block_of, &f->cap_block_of, f->ninsns))
        return false;
    find_tails(f);
    if (!make_blocks(f, b, ends, arg) || !make_edges(f, b, ends, arg))
        return false;
    f->entry = f->block_of[flow_find(f, function->address)];
    return make_deciders(f);
}
