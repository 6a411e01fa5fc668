/* slice.c - the lines that decide that a task gets to a place, see slice.h.
 *
 * Steps wait in buckets, by their cost, and are taken cheapest first: each finds
 * the next ones. Invariant: what is in seen_nodes has been put into a bucket
 * once, at the cost at which it was found first, which is the least but for
 * what lies on one line. */
#include "slave/slice/slice.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "slave/slice/slice_private.h"
#include "slave/slice/variables.h"

static const uint8_t arguments[] = { REG_DI, REG_SI, REG_DX, REG_CX, REG_R8,
                                     REG_R9 };
enum { NARGUMENTS = sizeof(arguments) };

/* -------------------------------------------------------------------- steps */

uint32_t slice_context(struct slice *s, struct function *f, uint32_t caller,
                       uint32_t call, uint32_t depth)
{
    for (size_t i = 0; i < s->ncontexts; i++) {
        const struct context *c = &s->contexts[i];

        if (c->function == f && c->caller == caller && c->call == call)
            return (uint32_t)i;
    }
    if (array_reserve(&s->contexts, &s->cap_contexts, s->ncontexts + 1))
        return FLOW_NONE;
    s->contexts[s->ncontexts] = (struct context){ f, caller, call, depth };
    return (uint32_t)s->ncontexts++;
}

static bool reads_rank(const struct slice *s, const struct line *l)
{
    for (size_t i = 0; i < s->nby_rank; i++)
        if (s->by_rank[i] == l)
            return true;
    return false;
}

/* What is read by it counts, and not only who decides about it. */
static bool reads_count(enum node_kind kind)
{
    return kind != NODE_PATH && kind != NODE_VIA;
}

/* What is given to a function is put where it stays, on its first line, and
 * what it returns where that is expected, on its last one: that says nothing. */
static bool is_brace(struct slice *s, uint32_t context, uint32_t insn,
                     const struct line *l)
{
    struct function *f = s->contexts[context].function;
    const struct flow_block *b = &f->flow.blocks[f->flow.entry];
    const struct line *first = program_line(s->program, f, b->first);
    const struct line *last = program_line(s->program, f,
                                           (uint32_t)f->flow.ninsns - 1);

    return first != last && (l == first || l == last) &&
           f->flow.insns[insn].copies;
}

/* Who a task is, it has from MPI: that is no fault of the program. Whoever
 * reads its rank is remembered. */
static bool is_given(struct slice *s, uint32_t context, uint32_t insn,
                     const struct line *reader)
{
    const struct insn *i = &s->contexts[context].function->flow.insns[insn];
    uint64_t at;
    const char *name = slice_is_call(i) ? program_callee(s->program, i, &at)
                                        : NULL;

    if (!calls_identify(name))
        return false;
    if (reader && calls_rank(name) && !reads_rank(s, reader) &&
        array_reserve(&s->by_rank, &s->cap_by_rank, s->nby_rank + 1) == 0)
        s->by_rank[s->nby_rank++] = reader;
    return true;
}

void slice_add(struct slice *s, uint32_t context, uint32_t insn,
               enum node_kind kind, unsigned cost, const struct line *reader,
               const char *name)
{
    struct function *f = s->contexts[context].function;
    const struct line *here = program_line(s->program, f, insn);
    unsigned step = kind == NODE_DECIDES ? COST_DECIDES : COST_SET;
    uint64_t key = idtable_mix(idtable_mix(context, insn), reads_count(kind));
    size_t i = idtable_first(&s->seen_nodes, key);
    struct node *n;

    if (kind == NODE_SETS && is_given(s, context, insn, reader))
        return;
    /* A step within a line is none, nor is what only hands a value on. */
    if (here && cost >= step && (here == reader ||
                                 (kind != NODE_DECIDES &&
                                  is_brace(s, context, insn, here))))
        cost -= step;
    if (cost > COST_MAX || s->nnodes >= NODES_MAX) {
        s->cut = true;
        return;
    }
    if (idtable_at(&s->seen_nodes, key, &i) != IDTABLE_NONE ||
        array_reserve(&s->nodes, &s->cap_nodes, s->nnodes + 1) ||
        idtable_add(&s->seen_nodes, key, 0))
        return;
    n = &s->nodes[s->nnodes];
    *n = (struct node){ context, insn, (uint8_t)kind, (uint16_t)cost, reader,
                        name, s->bucket[cost] };
    s->bucket[cost] = (uint32_t)s->nnodes++;
}

/* What a compiler of Fortran puts around the program has no line. */
static bool is_start(struct slice *s, const struct node *n)
{
    const struct insn *i = &s->contexts[n->context].function->flow
                            .insns[n->insn];
    uint64_t at;
    const char *name = n->kind == NODE_PATH && slice_is_call(i)
        ? program_callee(s->program, i, &at) : NULL;

    return name && strcmp(name, "MAIN__") == 0;
}

/* Calls on the way there are in the stack, which whoever asks has seen. */
static unsigned row_cost(const struct node *n)
{
    return n->kind == NODE_PATH ? n->cost + COST_IN_STACK : n->cost;
}

/* NULL: there is no room. */
static struct slice_row *row_of(struct slice *s, const struct line *l)
{
    struct slice_row *row;

    for (size_t i = 0; i < s->nrows; i++)
        if (s->rows[i].line == l->number && s->rows[i].file == l->file)
            return &s->rows[i];
    if (array_reserve(&s->rows, &s->cap_rows, s->nrows + 1))
        return NULL;
    row = &s->rows[s->nrows++];
    *row = (struct slice_row){ .function = l->function, .file = l->file,
                               .at = l, .line = l->number, .cost = UINT_MAX,
                               .number = (uint32_t)s->nrows };
    return row;
}

/* A line is there once, for what is nearest in it. */
static int add_row(struct slice *s, const struct node *n)
{
    const struct line *l = program_line(s->program,
                                        s->contexts[n->context].function,
                                        n->insn);
    struct slice_row *row;

    if (!l || !l->number || is_brace(s, n->context, n->insn, l))
        return 0;
    row = row_of(s, l);
    if (!row)
        return -1;
    if (row->cost <= row_cost(n))
        return 0;
    row->cost = row_cost(n);
    row->decides = n->kind == NODE_DECIDES;
    slice_reason(s, n, row->reason);
    return 0;
}

/* ---------------------------------------------------------------- what next */

static void want_register(struct slice *s, const struct node *n, uint8_t reg,
                          unsigned cost)
{
    const struct want w = { .is_reg = true, .reg = reg };
    struct reader r = { program_line(s->program,
                                     s->contexts[n->context].function, n->insn),
                        slice_name(s, n->context, n->insn, &w), n->cost + cost };

    slice_reach(s, n->context, n->insn, &w, &r);
}

static void want_memory(struct slice *s, const struct node *n,
                        const struct area *area)
{
    const struct want w = { .area = *area };
    struct reader r = { program_line(s->program,
                                     s->contexts[n->context].function, n->insn),
                        slice_name(s, n->context, n->insn, &w),
                        n->cost + COST_SET };

    if (area->base)
        slice_reach(s, n->context, n->insn, &w, &r);
    else
        s->npointers++;
}

/* What the argument points to. */
static void want_pointed(struct slice *s, const struct node *n,
                         const struct value *v, int64_t bytes)
{
    struct area area = { v->base, v->offset, v->offset + bytes };

    if (v->base && (v->wide || bytes > 8))
        program_whole(s->program, &area);
    if (v->base == BASE_NUMBER_FILE && (uint64_t)v->offset < 0x1000)
        return;                 /* a number, or NULL */
    want_memory(s, n, &area);
}

/* An argument that is handed over on the stack. */
static void want_stacked(struct slice *s, const struct node *n, int k,
                         bool pointed)
{
    const struct values *v = &s->contexts[n->context].function->values;
    struct value at = *values_at_call(v, n->insn, REG_SP);

    at.offset += 8 * k;
    want_pointed(s, n, &at, 8);
    if (!pointed || !at.base)
        return;
    at.base = bases_number(program_bases(s->program), BASE_MEMORY, at.base,
                           at.offset);
    at.offset = 0;
    want_pointed(s, n, &at, 4);
}

/* A call that something is known about. */
static void want_known(struct slice *s, const struct node *n,
                       const struct call_about *a)
{
    const struct values *v = &s->contexts[n->context].function->values;

    for (int k = 0; a->args[k]; k++) {
        char c = a->args[k];
        bool pointed = c == 'q' || c == 'r' || (c == 'v' && a->fortran);

        if (c == 'd' || c == 'w')
            continue;
        if (k >= NARGUMENTS) {
            want_stacked(s, n, k - NARGUMENTS, pointed);
            continue;
        }
        want_register(s, n, arguments[k], COST_SET);
        if (pointed)
            want_pointed(s, n, values_at_call(v, n->insn, arguments[k]),
                         c == 'v' ? 4 : 16);
    }
}

/* Registers of the parameters that the function says it has; where it does
 * not, or where the compiler has made another one of it, also those that were
 * set for this call: since the one before, in its block. */
static void want_unknown(struct slice *s, const struct node *n, uint64_t callee,
                         const char *name)
{
    int said = callee ? variables_parameters(program_binary(s->program), callee)
                      : -1;
    bool whole = said >= 0 && name && !strchr(name, '.');
    const struct flow *f = &s->contexts[n->context].function->flow;
    uint32_t first = f->blocks[f->block_of[n->insn]].first;
    uint64_t set = 0;

    for (uint32_t i = n->insn; i-- > first && !slice_is_call(&f->insns[i]); )
        set |= f->insns[i].writes;
    for (int k = 0; k < NARGUMENTS; k++)
        if (k < said || (!whole && (set & REG_BIT(arguments[k]))))
            want_register(s, n, arguments[k], COST_SET);
    for (uint8_t r = REG_XMM0; r < REG_XMM0 + 8; r++)
        if (set & REG_BIT(r))
            want_register(s, n, r, COST_SET);
}

static void want_call(struct slice *s, const struct node *n,
                      const struct insn *call)
{
    uint64_t at;
    const char *name = program_callee(s->program, call, &at);
    struct call_about about = calls_about(name);

    if (about.mpi && about.args && strchr(about.args, 'w') &&
        n->kind != NODE_HERE)
        s->other_tasks = true;
    if (about.args)
        want_known(s, n, &about);
    else
        want_unknown(s, n, at, name);
}

static bool is_known_address(const struct slice *s, const struct node *n)
{
    const struct function *f = s->contexts[n->context].function;
    const struct area *a = values_area(&f->values, n->insn, 0);
    uint8_t kind = program_bases(s->program)->v[a->base].kind;

    return kind == BASE_FRAME || kind == BASE_FILE;
}

static void want_reads(struct slice *s, const struct node *n)
{
    const struct function *f = s->contexts[n->context].function;
    const struct insn *i = &f->flow.insns[n->insn];
    uint64_t plain = i->reads & ~i->addresses & ~REG_BIT(REG_SP);

    if (slice_is_call(i)) {
        want_call(s, n, i);
        return;
    }
    for (uint8_t r = 0; r < REG_COUNT; r++)
        if (plain & REG_BIT(r))
            want_register(s, n, r, COST_SET);
        else if ((i->addresses & REG_BIT(r)) && r != REG_SP &&
                 !is_known_address(s, n))
            want_register(s, n, r, COST_POINTER);
    for (uint8_t k = 0; k < i->nmem; k++)
        if (i->mem[k].reads)
            want_memory(s, n, values_area(&f->values, n->insn, k));
}

static void want_deciders(struct slice *s, const struct node *n)
{
    struct function *f = s->contexts[n->context].function;
    const struct flow_block *b = &f->flow.blocks[f->flow.block_of[n->insn]];
    const struct line *here = program_line(s->program, f, n->insn);

    for (size_t k = 0; k < b->deciders.n; k++) {
        const struct flow_block *p = &f->flow.blocks[b->deciders.v[k]];

        slice_add(s, n->context, p->first + p->n - 1, NODE_DECIDES,
                  n->cost + COST_DECIDES, here, NULL);
    }
}

static int take(struct slice *s, uint32_t number)
{
    const struct node n = s->nodes[number];

    if (!is_start(s, &n) && add_row(s, &n))
        return -1;
    if (reads_count((enum node_kind)n.kind))
        want_reads(s, &n);
    want_deciders(s, &n);
    return 0;
}

static int run(struct slice *s, struct err *err)
{
    for (unsigned cost = 0; cost <= COST_MAX; ) {
        uint32_t n = s->bucket[cost];

        if (n == FLOW_NONE) {
            cost++;
            continue;
        }
        s->bucket[cost] = s->nodes[n].next;
        if (take(s, n))
            return err_memory(err);
        cost = 0;               /* a step within a line may cost less */
    }
    return 0;
}

/* -------------------------------------------------------------------- begin */

static uint32_t insn_at(const struct function *f,
                        const struct slice_frame *frame)
{
    const struct flow *w = &f->flow;

    if (!frame->call)
        return flow_find(w, frame->address);
    for (uint32_t i = 0; i < w->ninsns; i++)
        if (w->insns[i].address + w->insns[i].bytes == frame->address &&
            w->insns[i].kind == INSN_CALL)
            return i;
    return FLOW_NONE;
}

/* The caller of a context is the one behind it. */
static int add_path(struct slice *s, const struct slice_frame *v, size_t n,
                    struct err *err)
{
    for (size_t i = 0; i < n && i < SLICE_FRAMES_MAX; i++) {
        struct function *f = program_function(s->program, v[i].call
                                              ? v[i].address - 1
                                              : v[i].address);
        uint32_t at = f && f->readable ? insn_at(f, &v[i]) : FLOW_NONE;

        if (at == FLOW_NONE)
            break;              /* what runs before main has no lines */
        if (array_reserve(&s->contexts, &s->cap_contexts, s->ncontexts + 1))
            return err_memory(err);
        if (i)
            s->contexts[i - 1].caller = (uint32_t)i,
            s->contexts[i - 1].call = at;
        s->contexts[s->ncontexts++] = (struct context){ f, FLOW_NONE, FLOW_NONE,
                                                        0 };
        slice_add(s, (uint32_t)i, at, i ? NODE_PATH : NODE_HERE,
                  (unsigned)i * COST_FRAME, NULL, NULL);
        s->npath++;
    }
    if (!s->npath)
        return err_set(err, ESRCH, "the place is in no function of the program");
    return 0;
}

/* --------------------------------------------------------------------- rows */

static void count_lines(struct slice *s)
{
    for (size_t i = 0; i < s->npath; i++) {
        bool before = false;

        for (size_t k = 0; k < i; k++)
            before |= s->contexts[k].function == s->contexts[i].function;
        if (!before)
            s->nlines += program_count_lines(s->program,
                                             s->contexts[i].function);
    }
}

/* Tasks that run the same program come to be at different points where it asks
 * who they are: such lines are nearer than they are by their steps. */
static void draw_near(struct slice *s)
{
    for (size_t i = 0; i < s->nrows; i++) {
        struct slice_row *r = &s->rows[i];

        if (reads_rank(s, r->at))
            r->cost -= r->cost < COST_RANK ? r->cost : COST_RANK;
    }
}

/* What is set comes before what decides; else as they were found. */
static int by_cost(const void *a, const void *b)
{
    const struct slice_row *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->decides != y->decides)
        return x->decides ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

struct slice *slice_make(const char *path, const char *build_id,
                         const struct slice_frame *frames, size_t n,
                         struct err *err)
{
    struct slice *s = calloc(1, sizeof(*s));
    struct binary *b;

    if (!s)
        return err_memory(err), NULL;
    memset(s->bucket, 0xff, sizeof(s->bucket));
    b = binary_open(path, build_id, err);
    s->program = b ? program_create(b, path, err) : NULL;
    if (!s->program || add_path(s, frames, n, err)) {
        slice_free(s);
        return NULL;
    }
    slice_add_others(s, insn_at(s->contexts[0].function, frames));
    if (run(s, err)) {
        slice_free(s);
        return NULL;
    }
    draw_near(s);
    if (s->nrows)
        qsort(s->rows, s->nrows, sizeof(*s->rows), by_cost);
    count_lines(s);
    slice_say_unseen(s);
    return s;
}

void slice_free(struct slice *s)
{
    if (!s)
        return;
    program_destroy(s->program);
    free(s->contexts);
    free(s->nodes);
    free(s->rows);
    free(s->by_rank);
    idtable_fini(&s->seen_nodes);
    idtable_fini(&s->seen_searches);
    str_fini(&s->unseen);
    str_fini(&s->not_followed);
    free(s);
}


const struct slice_row *slice_rows(const struct slice *s, size_t *n)
{
    *n = s->nrows;
    return s->rows;
}

unsigned slice_lines_of_path(const struct slice *s)
{
    return s->nlines;
}

const char *slice_unseen(const struct slice *s)
{
    return str_text(&s->unseen);
}
