/* slice.c - the lines that decide that a task gets to a place, see slice.h.
 *
 * Nodes wait in buckets, by their cost, and are taken cheapest first: each
 * finds the next ones. How near they are in the end is found out when all are
 * known, by the steps between them (slice_rank.c). Invariant: what is in
 * seen_nodes has been put into a bucket once, at the cost at which it was
 * found first. */
#include "slave/slice/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "slave/slice/entry.h"
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

/* What is read by it counts, and not only who decides about it. */
static bool reads_count(enum node_kind kind)
{
    return kind != NODE_PATH && kind != NODE_VIA && kind != NODE_LEADS;
}

/* A call of which something is got is another node than the same one as a place
 * where tasks are. */
static unsigned role_of(enum node_kind kind)
{
    return kind == NODE_SETS ? 2 : kind == NODE_PUTS ? 3 : reads_count(kind);
}

static const char *callee(struct slice *s, uint32_t context, uint32_t insn)
{
    const struct insn *i = &s->contexts[context].function->flow.insns[insn];
    uint64_t at;

    return slice_is_call(i) ? program_callee(s->program, i, &at) : NULL;
}

/* Who a task is, it has from MPI: that is no fault of the program. Whoever
 * reads its rank is remembered. */
static bool is_given(struct slice *s, const char *name, const struct reader *r)
{
    if (!calls_identify(name))
        return false;
    if (r->node != NO_NODE) {
        s->nodes[r->node].reads_given = true;
        s->nodes[r->node].reads_rank |= calls_rank(name);
    }
    return true;
}

/* NO_NODE: it is not there yet. */
static uint32_t find_node(const struct slice *s, uint64_t key)
{
    size_t i = idtable_first(&s->seen_nodes, key);
    uint32_t id = idtable_at(&s->seen_nodes, key, &i);

    return id == IDTABLE_NONE ? NO_NODE : id;
}

static uint32_t add_node(struct slice *s, uint64_t key, const struct node *n)
{
    if (s->nnodes >= NODES_MAX) {
        s->cut = true;
        return NO_NODE;
    }
    if (array_reserve(&s->nodes, &s->cap_nodes, s->nnodes + 1) ||
        idtable_add(&s->seen_nodes, key, (uint32_t)s->nnodes))
        return NO_NODE;
    s->nodes[s->nnodes] = *n;
    s->nodes[s->nnodes].number = (uint32_t)s->nnodes;
    s->nodes[s->nnodes].next = s->bucket[n->cost];
    s->bucket[n->cost] = (uint32_t)s->nnodes;
    return (uint32_t)s->nnodes++;
}

static void add_step(struct slice *s, uint32_t from, uint32_t to, unsigned cost,
                     bool decides)
{
    struct node *n = &s->nodes[from];

    n->counts |= from == to && !decides;
    if (from == to || s->nsteps >= STEPS_MAX ||
        array_reserve(&s->steps, &s->cap_steps, s->nsteps + 1))
        return;
    s->steps[s->nsteps] = (struct step){ to, n->steps, (uint16_t)cost, decides };
    n->steps = (uint32_t)s->nsteps++;
}

uint32_t slice_add(struct slice *s, uint32_t context, uint32_t insn,
                   enum node_kind kind, const struct reader *r, unsigned more)
{
    struct function *f = s->contexts[context].function;
    const struct line *here = program_line(s->program, f, insn);
    unsigned step = kind == NODE_DECIDES ? COST_DECIDES : COST_SET;
    unsigned cost = r->cost + more;
    unsigned before = r->node == NO_NODE ? 0 : s->nodes[r->node].cost;
    uint64_t key = idtable_mix(idtable_mix(context, insn), role_of(kind));
    uint32_t to = find_node(s, key);

    if (kind == NODE_SETS && is_given(s, callee(s, context, insn), r))
        return NO_NODE;
    /* A step within a line is none, nor is one into a template of the library, or
     * what only hands a value on. */
    if (here && cost >= before + step &&
        (here == r->line || here->library || (kind != NODE_DECIDES &&
                             (slice_is_brace(s, context, insn, here) ||
                              slice_is_handed(s, context, insn, here)))))
        cost -= step;
    if (cost > COST_MAX) {
        s->cut = true;
        return NO_NODE;
    }
    if (to == NO_NODE) {
        const struct node n = { .context = context, .insn = insn,
                                .kind = (uint8_t)kind, .cost = (uint16_t)cost,
                                .begins = UINT16_MAX, .reader = r->line,
                                .name = r->name, .steps = NO_NODE };

        to = add_node(s, key, &n);
    }
    if (to == NO_NODE)
        return NO_NODE;
    if (r->node != NO_NODE)
        add_step(s, r->node, to, cost - before, kind == NODE_DECIDES);
    else if (cost < s->nodes[to].begins)
        s->nodes[to].begins = (uint16_t)cost;
    return to;
}

/* ---------------------------------------------------------------- what next */

/* Search for it; whoever sets it is a step of so much farther. */
static void want(struct slice *s, const struct node *n, const struct want *w,
                 unsigned cost)
{
    struct reader r = { .node = n->number, .cost = n->cost + cost,
                        .name = slice_name(s, n->context, n->insn, w) };

    r.line = program_line(s->program, s->contexts[n->context].function, n->insn);
    slice_reach(s, n->context, n->insn, w, &r);
}

static void want_register(struct slice *s, const struct node *n, uint8_t reg,
                          unsigned cost)
{
    const struct want w = { .is_reg = true, .reg = reg };

    want(s, n, &w, cost);
}

static void want_memory(struct slice *s, const struct node *n,
                        const struct area *area)
{
    const struct want w = { .area = *area };

    if (area->base) {
        want(s, n, &w, COST_SET);
        return;
    }
    s->npointers++;
    s->nodes[n->number].differs = true;
}

/* What the argument points to. */
static void want_pointed(struct slice *s, const struct node *n,
                         const struct value *v, int64_t bytes)
{
    struct area area = { .base = v->base, .low = v->offset,
                         .high = v->offset + bytes };

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
    struct values *v = &s->contexts[n->context].function->values;
    struct value at = *values_at_call(v, n->insn, REG_SP);
    const struct value is = values_stacked(v, n->insn, k);

    at.offset += 8 * k;
    want_pointed(s, n, &at, 8);
    if (!pointed || !at.base)
        return;
    if (is.base) {
        want_pointed(s, n, &is, 4);
        return;
    }
    at.base = bases_number(program_bases(s->program), BASE_MEMORY, at.base,
                           at.offset);
    at.offset = 0;
    want_pointed(s, n, &at, 4);
}

/* What is got from a collective call, or in exchange, others have put in by the
 * same line, as they run the same program. */
static bool is_exchanged(const struct node *n, const struct call_about *a)
{
    const char *got = strchr(a->args, 'w');

    /* Of who only sends the last one is a request. */
    return n->kind == NODE_SETS && a->mpi && strchr(a->args, 'd') && got &&
           got[1];
}

static void want_put_in(struct slice *s, const struct node *n,
                        const struct value *v, unsigned cost)
{
    struct want w = { .area = { .base = v->base, .low = v->offset,
                                .high = v->offset + 1 } };

    if (!v->base ||
        (v->base == BASE_NUMBER_FILE && (uint64_t)v->offset < 0x1000))
        return;                 /* not known, or in place */
    program_whole(s->program, &w.area);
    want(s, n, &w, cost);
}

/* A call that something is known about. */
static void want_known(struct slice *s, const struct node *n,
                       const struct call_about *a)
{
    const struct values *v = &s->contexts[n->context].function->values;

    for (int k = 0; a->args[k]; k++) {
        char c = a->args[k];
        bool pointed = c == 'q' || c == 'r' || (c == 'v' && a->fortran);

        if (c == 'd' && k < NARGUMENTS && is_exchanged(n, a))
            want_put_in(s, n, values_at_call(v, n->insn, arguments[k]),
                        COST_OTHERS);
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

/* What was put into registers for this call: since the one before, in its block. */
static uint64_t set_before(const struct flow *f, uint32_t call)
{
    uint32_t first = f->blocks[f->block_of[call]].first;
    uint64_t set = 0;

    for (uint32_t i = call; i-- > first && !slice_is_call(&f->insns[i]); )
        set |= f->insns[i].writes;
    return set;
}

/* Registers of the parameters that the function says it has; where it does not,
 * or where the compiler has made another one of it, those that it reads; of one
 * that is elsewhere, those that were set for this call. */
static void want_unknown(struct slice *s, const struct node *n, uint64_t callee,
                         const char *name)
{
    int said = callee ? variables_parameters(program_variables(s->program), callee)
                      : -1;
    bool whole = said >= 0 && name && !strchr(name, '.');
    const struct function *f = callee && !whole
        ? program_function(s->program, callee) : NULL;
    uint64_t set = set_before(&s->contexts[n->context].function->flow, n->insn);
    uint64_t given = f && f->readable ? entry_reads(s->program, f) : set;

    for (int k = 0; k < NARGUMENTS; k++)
        if (whole ? k < said : (given & REG_BIT(arguments[k])) != 0)
            want_register(s, n, arguments[k], COST_SET);
    for (uint8_t r = REG_XMM0; r < REG_XMM0 + 8; r++)
        if (set & REG_BIT(r))
            want_register(s, n, r, COST_SET);
}

static void want_call(struct slice *s, const struct node *n,
                      const struct insn *call)
{
    const struct function *f = s->contexts[n->context].function;
    uint64_t at;
    const char *name = program_callee(s->program, call, &at);
    struct call_about about = calls_about(name);

    if (about.mpi && about.args && strchr(about.args, 'w') &&
        n->kind != NODE_HERE)
        s->other_tasks = true;
    if (n->kind == NODE_PUTS)
        want_put_in(s, n, values_at_call(&f->values, n->insn, REG_DI), COST_SET);
    else if (about.args)
        want_known(s, n, &about);
    else
        want_unknown(s, n, at, name);
    if (n->kind == NODE_SETS && calls_receives(name))
        slice_add_puts(s, n);
}

/* Of two registers that are added either may be the address, and the other one
 * says where in there. */
static bool is_known_address(const struct slice *s, const struct node *n)
{
    const struct function *f = s->contexts[n->context].function;
    const struct insn_mem *m = &f->flow.insns[n->insn].mem[0];
    const struct area *a = values_area(&f->values, n->insn, 0);
    uint8_t kind = program_bases(s->program)->v[a->base].kind;

    if (m->index != REG_NONE && m->scale == 1)
        return false;
    return kind == BASE_FRAME || kind == BASE_FILE;
}

static void want_operands(struct slice *s, const struct node *n)
{
    const struct function *f = s->contexts[n->context].function;
    const struct insn *i = &f->flow.insns[n->insn];
    uint64_t plain = i->reads & ~i->addresses & ~REG_BIT(REG_SP);

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

static void want_reads(struct slice *s, const struct node *n)
{
    const struct insn *i = &s->contexts[n->context].function->flow
                            .insns[n->insn];

    if (slice_is_call(i))
        want_call(s, n, i);
    else
        want_operands(s, n);
}

/* By a pointer, as from a table: what that is made of decides who is called. */
static bool is_computed(struct slice *s, const struct node *n)
{
    const struct insn *i = &s->contexts[n->context].function->flow
                            .insns[n->insn];

    return slice_is_call(i) && !i->target && !callee(s, n->context, n->insn);
}

static void want_deciders(struct slice *s, const struct node *n)
{
    struct function *f = s->contexts[n->context].function;
    const struct flow_block *b = &f->flow.blocks[f->flow.block_of[n->insn]];
    const struct reader r = { n->number, program_line(s->program, f, n->insn),
                              NULL, n->cost + COST_DECIDES };

    for (size_t k = 0; k < b->deciders.n; k++) {
        const struct flow_block *p = &f->flow.blocks[b->deciders.v[k]];

        slice_add(s, n->context, p->first + p->n - 1, NODE_DECIDES, &r, 0);
    }
}

/* Whether a call is made in a function that is called is decided by who calls that,
 * too. */
static void want_caller(struct slice *s, const struct node *n)
{
    const struct context c = s->contexts[n->context];
    const struct line *line = program_line(s->program, c.function, n->insn);
    const struct reader r = { n->number, line, NULL, n->cost + COST_FRAME };

    if (c.depth && c.caller != FLOW_NONE &&
        (n->kind == NODE_SENDS || n->kind == NODE_RECEIVES ||
         n->kind == NODE_THEIRS || n->kind == NODE_LEADS))
        slice_add(s, c.caller, c.call, NODE_LEADS, &r, 0);
}

/* What a call gives may be another value in each task, as far as is known: also
 * that where the task is, which may have come by before. */
static bool gives_others(struct slice *s, const struct node *n)
{
    const struct insn *i = &s->contexts[n->context].function->flow
                            .insns[n->insn];

    return reads_count((enum node_kind)n->kind) && slice_is_call(i) &&
           !calls_alike(callee(s, n->context, n->insn));
}

static void take(struct slice *s, uint32_t number)
{
    const struct node n = s->nodes[number];

    s->nodes[number].differs = gives_others(s, &n);
    s->nodes[number].again = s->came_by && slice_is_again(s, n.context, n.insn);
    if (reads_count((enum node_kind)n.kind))
        want_reads(s, &n);
    if (is_computed(s, &n))
        want_operands(s, &n);
    want_deciders(s, &n);
    want_caller(s, &n);
}

static void run(struct slice *s)
{
    for (unsigned cost = 0; cost <= COST_MAX; ) {
        uint32_t n = s->bucket[cost];

        if (n == FLOW_NONE) {
            cost++;
            continue;
        }
        s->bucket[cost] = s->nodes[n].next;
        take(s, n);
        cost = 0;               /* a step within a line may cost less */
    }
}

/* -------------------------------------------------------------------- begin */

uint32_t slice_insn_at(const struct function *f,
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

/* Functions of the path that were built without -g: further in than one that
 * has lines, as those around main have none either. */
static int note_lineless(struct slice *s, const bool *has_line, struct err *err)
{
    size_t n = s->npath;

    while (n && !has_line[n - 1])
        n--;
    if (!n)
        return err_set(err, ENODATA, "no function that the task is in has lines:"
                       " build it with -g");
    for (size_t i = 0; i < n; i++)
        if (!has_line[i])
            str_addf(&s->lineless, "%s%s", s->lineless.n ? ", " : "",
                     s->contexts[i].function->symbol->name);
    return 0;
}

/* The caller of a context is the one behind it. Where the task is, is said of
 * the first one that has lines. */
static int add_frame(struct slice *s, struct function *f, uint32_t at,
                     bool *has_line, struct err *err)
{
    const struct reader nobody = { .node = NO_NODE };
    uint32_t n = (uint32_t)s->npath;
    bool here = true;

    if (array_reserve(&s->contexts, &s->cap_contexts, s->ncontexts + 1))
        return err_memory(err);
    if (n)
        s->contexts[n - 1].caller = n, s->contexts[n - 1].call = at;
    s->contexts[s->ncontexts++] = (struct context){ f, FLOW_NONE, FLOW_NONE,
                                                    0 };
    for (uint32_t i = 0; i < n; i++)
        here &= !has_line[i];
    slice_add(s, n, at, here ? NODE_HERE : NODE_PATH, &nobody,
              here ? 0 : n * COST_FRAME);
    has_line[n] = program_line(s->program, f, at) != NULL;
    s->npath++;
    return 0;
}

/* What is between a call and the last function: a function that jumps to
 * another one in place of a call has no frame of its own any more. */
static int add_tails(struct slice *s, const struct insn *call, bool *has_line,
                     struct err *err)
{
    const struct function *last = s->contexts[s->npath - 1].function;
    struct program_tail v[PROGRAM_TAILS];
    size_t n = program_tails(s->program, call, last, v);
    int rc = 0;

    while (n-- && s->npath < SLICE_FRAMES_MAX && rc == 0)
        rc = add_frame(s, v[n].function, v[n].insn, has_line, err);
    return rc;
}

static int add_path(struct slice *s, const struct slice_frame *v, size_t n,
                    struct err *err)
{
    bool has_line[SLICE_FRAMES_MAX];
    int rc = 0;

    for (size_t i = 0; i < n && s->npath < SLICE_FRAMES_MAX && rc == 0; i++) {
        struct function *f = program_function(s->program, v[i].call
                                              ? v[i].address - 1
                                              : v[i].address);
        uint32_t at = f && f->readable ? slice_insn_at(f, &v[i]) : FLOW_NONE;

        if (at == FLOW_NONE)
            break;              /* what runs before main has no lines */
        if (i)
            rc = add_tails(s, &f->flow.insns[at], has_line, err);
        if (rc == 0 && s->npath < SLICE_FRAMES_MAX)
            rc = add_frame(s, f, at, has_line, err);
        if (i == 0)
            s->here = at;
    }
    if (rc)
        return -1;
    if (!s->npath)
        return err_set(err, ESRCH, "the place is in no function of the program");
    return note_lineless(s, has_line, err);
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

struct slice *slice_make(const char *path, const char *build_id,
                         const struct slice_place *at, struct err *err)
{
    struct slice *s = calloc(1, sizeof(*s));
    struct binary *b;

    if (!s)
        return err_memory(err), NULL;
    memset(s->bucket, 0xff, sizeof(s->bucket));
    b = binary_open(path, build_id, err);
    s->program = b ? program_create(b, path, err) : NULL;
    s->folded = folded_create();
    if (!s->program || add_path(s, at->frames, at->nframes, err)) {
        slice_free(s);
        return NULL;
    }
    for (size_t i = 0; i < at->nlately; i++)
        s->came_by |= at->lately[i] == at->frames[0].address;
    slice_add_others(s, at);
    run(s);
    if (slice_rank(s, err)) {
        slice_free(s);
        return NULL;
    }
    count_lines(s);
    slice_say_unseen(s);
    return s;
}

void slice_free(struct slice *s)
{
    if (!s)
        return;
    program_destroy(s->program);
    folded_destroy(s->folded);
    free(s->contexts);
    free(s->nodes);
    free(s->puts);
    free(s->rows);
    free(s->steps);
    idtable_fini(&s->seen_nodes);
    idtable_fini(&s->seen_searches);
    str_fini(&s->unseen);
    str_fini(&s->not_followed);
    str_fini(&s->lineless);
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
