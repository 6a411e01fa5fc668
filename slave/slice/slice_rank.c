/* slice_rank.c - how near the lines of a slice are to where the task is.
 *
 * By the cheapest way of steps: a branch is as near as what it decides. What a
 * branch decides alike in all tasks can keep none of them from where the others
 * get to, and so is farther, as is what all of them set alike: a value differs
 * if it depends on the task's rank, on messages or on what is not known, by data
 * or by who decides which it is; else it is the same in all tasks that run one
 * program (single-valued; Aiken and Gay: Barrier inference, POPL 1998, 3).
 *
 * Where the task has been before, and gone on, what was set before that and led
 * there without a choice is what it was then: it has shown to be right, and is
 * farther (Zhang, Gupta and Gupta: Pruning dynamic slices with confidence,
 * PLDI 2006, by the outcome of a call in place of values). What is set once and
 * only ends a loop has not. And a line that computes nothing, but only hands on
 * what others have made, is behind these (thin slices, Sridharan, Fink and
 * Bodik, PLDI 2007, begin with who makes a value): so is one that only counts,
 * and, as a verdict says where tasks wait, and with which tag, one that only
 * calls MPI. What a program computes in floating point, or moves as whole objects,
 * is the data that it is about, and seldom says to whom it talks, or how often:
 * that is made of whole numbers. A line on which several
 * of those depend that were found is nearer than one on which only one does, and of
 * lines that are equally near that one comes first on which most depend: it has more
 * ways to lead there. One that only sets 0 is how counts begin, and seldom wrong. */
#include "slave/slice/slice_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "slave/slice/variables.h"

enum { FAR_MAX = 8 * COST_MAX, ROUNDS_MAX = 32,
       LEADS_MAX = 20 };        /* more is all the same */

/* How a node was reached: by data only from where the task is, so that its
 * value is part of what the call is given; or by a branch, or from elsewhere. */
enum way { BY_DATA, BY_CHOICE, WAYS };

struct rank {
    struct slice *s;            /* borrowed */
    uint16_t *cost;             /* owned, as the rest: of each node, by each way */
    bool *is_done;              /* the same */
    bool *differs, *is_empty, *asks;
    uint32_t *leads;            /* owned: how many steps lead to the node */
};

static const struct insn *insn_of(const struct slice *s, const struct node *n)
{
    return &s->contexts[n->context].function->flow.insns[n->insn];
}

/* It is about registers and the frame only. */
static bool is_own(struct slice *s, const struct function *f, uint32_t insn)
{
    const struct insn *i = &f->flow.insns[insn];

    for (uint8_t k = 0; k < i->nmem; k++) {
        const struct area *a = values_area(&f->values, insn, k);

        if (program_bases(s->program)->v[a->base].kind != BASE_FRAME)
            return false;
    }
    return true;
}

bool slice_is_brace(struct slice *s, uint32_t context, uint32_t insn,
                    const struct line *l)
{
    struct function *f = s->contexts[context].function;
    const struct flow_block *b = &f->flow.blocks[f->flow.entry];
    const struct line *first = program_line(s->program, f, b->first);
    const struct line *last = program_last_line(s->program, f);

    return first != last &&
           (l == first || l == last ||
            (last && l->function == last->function &&
             (l->number == f->head || l->number == f->opens))) &&
           f->flow.insns[insn].copies && is_own(s, f, insn);
}

bool slice_is_handed(struct slice *s, uint32_t context, uint32_t insn,
                     const struct line *l)
{
    struct function *f = s->contexts[context].function;

    return context > 0 && context < s->npath && f->flow.insns[insn].copies &&
           program_line(s->program, f, s->contexts[context - 1].call) == l;
}

/* ----------------------------------------------------------- what differs */

static bool any_differs(const struct rank *r, const struct node *n)
{
    for (uint32_t k = n->steps; k != NO_NODE; k = r->s->steps[k].next)
        if (r->differs[r->s->steps[k].to])
            return true;
    return false;
}

/* What all tasks get alike from a call does not depend on what they give to
 * it. */
static bool is_made_alike(struct slice *s, const struct node *n)
{
    uint64_t at;
    const char *name = slice_is_call(insn_of(s, n))
        ? program_callee(s->program, insn_of(s, n), &at) : NULL;

    return calls_about(name).mpi && calls_alike(name);
}

static void find_differing(struct rank *r)
{
    struct slice *s = r->s;
    bool more = true;

    for (size_t i = 0; i < s->nnodes; i++)
        r->differs[i] = s->nodes[i].differs || s->nodes[i].reads_rank;
    for (int round = 0; more && round < ROUNDS_MAX; round++) {
        more = false;
        for (size_t i = s->nnodes; i-- > 0; )
            if (!r->differs[i] && any_differs(r, &s->nodes[i]) &&
                !is_made_alike(s, &s->nodes[i]))
                r->differs[i] = more = true;
    }
}

/* ------------------------------------------------------- what is handed on */

/* All that it reads is an address that is known, or comes from who hands one
 * on. */
static bool hands_on(const struct rank *r, const struct node *n)
{
    bool any = n->is_address;

    if (!insn_of(r->s, n)->copies || n->differs || n->reads_given ||
        (n->kind != NODE_SETS && n->kind != NODE_PASSES))
        return false;
    for (uint32_t k = n->steps; k != NO_NODE; k = r->s->steps[k].next)
        if (!r->s->steps[k].decides) {
            if (!r->is_empty[r->s->steps[k].to])
                return false;
            any = true;
        }
    return any;
}

static void find_empty(struct rank *r)
{
    bool more = true;

    for (int round = 0; more && round < ROUNDS_MAX; round++) {
        more = false;
        for (size_t i = r->s->nnodes; i-- > 0; )
            if (!r->is_empty[i] && hands_on(r, &r->s->nodes[i]))
                r->is_empty[i] = more = true;
    }
}

/* ------------------------------------------------------- who asks for ranks */

static bool only_moves(const struct slice *s, const struct node *n)
{
    return insn_of(s, n)->copies &&
           (n->kind == NODE_SETS || n->kind == NODE_PASSES);
}

/* The compiler reads it where it likes, and keeps it in a register: who asks is
 * who reads that. */
static void find_asking(struct rank *r)
{
    struct slice *s = r->s;
    bool more = true;

    for (size_t i = 0; i < s->nnodes; i++)
        r->asks[i] = s->nodes[i].reads_rank;
    for (int round = 0; more && round < ROUNDS_MAX; round++) {
        more = false;
        for (size_t i = s->nnodes; i-- > 0; )
            for (uint32_t k = s->nodes[i].steps; k != NO_NODE && !r->asks[i];
                 k = s->steps[k].next)
                if (!s->steps[k].decides && r->asks[s->steps[k].to] &&
                    only_moves(s, &s->nodes[s->steps[k].to]))
                    r->asks[i] = more = true;
    }
}

/* ------------------------------------------------------------------- costs */

/* It has led to a call that has come to its end, and is what it was then. */
static bool has_worked(const struct slice *s, const struct node *from,
                       const struct node *to)
{
    return s->came_by && !to->again && (from->begins == 0 || from->again);
}

/* It is about floating point, or moves several things at once. */
static bool floats(const struct slice *s, const struct node *n)
{
    const struct insn *i = insn_of(s, n);
    const uint64_t all = (REG_BIT(REG_X87) - 1) & ~(REG_BIT(REG_XMM0) - 1);

    return !slice_is_call(i) && ((i->reads | i->writes) & all);
}

static unsigned cost_of(const struct rank *r, uint32_t from, enum way way,
                        const struct step *step)
{
    const struct node *n = &r->s->nodes[from];
    unsigned cost = step->cost;

    if (floats(r->s, &r->s->nodes[step->to]))
        cost += COST_FLOATS;

    if (!step->decides) {
        if (way == BY_DATA && has_worked(r->s, n, &r->s->nodes[step->to]))
            cost += COST_WORKED;
        return cost + (r->differs[step->to] ? 0 : COST_SAME);
    }
    if (!r->differs[step->to])
        cost += COST_ALIKE;
    return cost;
}

static void relax(struct rank *r, uint32_t to, enum way way, unsigned cost)
{
    uint16_t *is = &r->cost[WAYS * to + way];

    if (cost < *is && cost < FAR_MAX && !r->is_empty[to])
        *is = (uint16_t)cost;
}

static void go_on(struct rank *r, uint32_t at)
{
    const struct step *steps = r->s->steps;
    uint32_t from = at / WAYS;
    enum way way = at % WAYS;

    r->is_done[at] = true;
    for (uint32_t k = r->s->nodes[from].steps; k != NO_NODE; k = steps[k].next)
        relax(r, steps[k].to, steps[k].decides ? BY_CHOICE : way,
              r->cost[at] + cost_of(r, from, way, &steps[k]));
}

/* Cheapest first (Dijkstra); steps within a line cost nothing. */
static void find_costs(struct rank *r)
{
    size_t n = WAYS * r->s->nnodes;

    memset(r->cost, 0xff, n * sizeof(*r->cost));
    for (uint32_t i = 0; i < r->s->nnodes; i++) {
        const struct node *is = &r->s->nodes[i];

        relax(r, i, is->kind == NODE_HERE || is->kind == NODE_PATH ? BY_DATA
                                                                  : BY_CHOICE,
              is->begins);
    }
    for (unsigned cost = 0; cost < FAR_MAX; cost++)
        for (bool more = true; more; ) {
            more = false;
            for (uint32_t i = 0; i < n; i++)
                if (r->cost[i] == cost && !r->is_done[i]) {
                    go_on(r, i);
                    more = true;
                }
        }
}

static unsigned cost_at(const struct rank *r, uint32_t node)
{
    const uint16_t *is = &r->cost[WAYS * node];

    return is[BY_DATA] < is[BY_CHOICE] ? is[BY_DATA] : is[BY_CHOICE];
}

/* -------------------------------------------------------------------- rows */

/* What a compiler of Fortran puts around the program has no line. */
static bool is_start(struct slice *s, const struct node *n)
{
    const struct insn *i = insn_of(s, n);
    uint64_t at;
    const char *name = n->kind == NODE_PATH && slice_is_call(i)
        ? program_callee(s->program, i, &at) : NULL;

    return name && strcmp(name, "MAIN__") == 0;
}

static bool is_of_mpi(struct slice *s, const struct node *n)
{
    uint64_t at;

    return slice_is_call(insn_of(s, n)) &&
           calls_about(program_callee(s->program, insn_of(s, n), &at)).mpi;
}

/* Calls on the way there are in the stack, which whoever asks has seen; tasks
 * that run the same program come to be at different points where it asks who
 * they are. */
static unsigned row_cost(const struct rank *r, const struct node *n,
                         const struct line *l)
{
    unsigned cost = cost_at(r, n->number);

    if (n->kind == NODE_PATH || n->kind == NODE_LEADS ||
        slice_is_handed(r->s, n->context, n->insn, l))
        cost += COST_IN_STACK;
    if (r->asks[n->number] && !only_moves(r->s, n))
        cost -= cost < COST_RANK ? cost : COST_RANK;
    return cost;
}

/* NULL: there is no room. */
static struct slice_row *row_of(struct slice *s, const struct line *l,
                                unsigned number)
{
    struct slice_row *row;

    for (size_t i = 0; i < s->nrows; i++)
        if (s->rows[i].line == number && s->rows[i].file == l->file)
            return &s->rows[i];
    if (array_reserve(&s->rows, &s->cap_rows, s->nrows + 1))
        return NULL;
    row = &s->rows[s->nrows++];
    *row = (struct slice_row){ .function = l->function, .file = l->file,
                               .line = number, .cost = UINT_MAX,
                               .number = (uint32_t)s->nrows };
    return row;
}

/* What a node does on its line: it makes a value, or chooses one of several; it
 * calls MPI; it counts; decides; sets a number that stands there, or 0; or only
 * moves what is known already, or is a call. */
enum { MAKES = 1, CALLS_MPI = 2, COUNTS = 4, DECIDES = 8, SETS_NUMBER = 16,
       SETS_ZERO = 32 };

static bool is_zero(const struct insn *i)
{
    return i->zeroes || (i->has_value && i->value == 0 &&
                         (i->move == MOVE_CONST || i->move == MOVE_STORE_CONST));
}

static unsigned does_of(struct slice *s, const struct node *n)
{
    const struct insn *i = insn_of(s, n);

    if (n->kind != NODE_HERE && is_of_mpi(s, n))
        return CALLS_MPI;
    switch ((enum node_kind)n->kind) {
    case NODE_PATH: case NODE_VIA: case NODE_SENDS: case NODE_RECEIVES:
    case NODE_THEIRS: case NODE_LEADS: case NODE_PUTS:
        return 0;
    case NODE_DECIDES: case NODE_ENDS:
        return DECIDES;
    case NODE_SETS: case NODE_PASSES:
        if (is_zero(i))
            return SETS_ZERO;
        if (n->of_several && !i->counts)
            return MAKES;
        if (i->copies)
            return 0;
        if (i->counts)
            return n->counts ? COUNTS : MAKES;
        if (i->compares)
            return DECIDES;
        return i->move == MOVE_CONST || i->move == MOVE_STORE_CONST ? SETS_NUMBER
                                                                    : MAKES;
    case NODE_HERE: case NODE_MAY: case NODE_ELSEWHERE:
        break;
    }
    return MAKES;
}

static unsigned cost_of_work(unsigned does)
{
    if (does & MAKES)
        return 0;
    if (does & CALLS_MPI)
        return COST_NAMED;
    if (does & COUNTS)
        return COST_COUNTS + (does & DECIDES ? COST_TURNS : 0);
    if (does & (DECIDES | SETS_NUMBER))
        return 0;
    return does & SETS_ZERO ? COST_ZERO : COST_MAKES_NOTHING;
}

static unsigned cost_of_line(const struct slice_row *row)
{
    return cost_of_work(row->does) + (row->leads < 2 ? COST_SINGLE : 0);
}

/* Where the task is stays the first one, whoever depends on the line. */
static unsigned leads_to(const struct rank *r, const struct node *n)
{
    return n->kind == NODE_HERE ? LEADS_MAX : r->leads[n->number];
}

/* A line is there once, for what is nearest in it. */
static int add_line(struct rank *r, const struct node *n, const struct line *l,
                    unsigned number, unsigned cost)
{
    struct slice_row *row = row_of(r->s, l, number);

    if (!row)
        return -1;
    row->does |= number != l->number ? MAKES : does_of(r->s, n);
    row->leads += number != l->number ? 0 : leads_to(r, n);
    if (row->cost <= cost)
        return 0;
    row->cost = cost;
    row->decides = n->kind == NODE_DECIDES;
    slice_reason(r->s, n, row->reason);
    return 0;
}

/* What the compiler does when a function begins, or before a loop, has the line
 * of some declaration. */
static bool is_declaration(struct slice *s, const struct node *n,
                           const struct line *l, unsigned number)
{
    return n->kind != NODE_HERE && n->kind != NODE_PATH &&
           variables_declares(program_variables(s->program),
                              insn_of(s, n)->address, l->file, number);
}

/* A variable that is always the same number stands in no register: where that
 * number is read, it is. */
static int add_constant(struct rank *r, const struct node *n,
                        const struct line *l)
{
    const struct insn *i = insn_of(r->s, n);
    unsigned line = i->has_value
        ? variables_constant(program_variables(r->s->program), i->address, i->value,
                             l->file) : 0;

    if (!line || is_declaration(r->s, n, l, line))
        return 0;
    return add_line(r, n, l, line, row_cost(r, n, l) + COST_FOLDED);
}

static int add_folded(struct rank *r, const struct node *n,
                      const struct line *l)
{
    struct slice *s = r->s;
    unsigned v[FOLDED_MAX];
    bool sets = n->kind == NODE_SETS || n->kind == NODE_PASSES ||
                n->kind == NODE_DECIDES || n->kind == NODE_ENDS;
    size_t k;

    if (sets && add_constant(r, n, l))
        return -1;
    k = !sets ? 0 : folded_at(s->folded, program_binary(s->program),
                              insn_of(s, n)->address, l->file, v);
    for (size_t i = 0; i < k; i++)
        if (add_line(r, n, l, v[i], row_cost(r, n, l) + COST_FOLDED))
            return -1;
    return 0;
}

static int add_row(struct rank *r, const struct node *n)
{
    struct slice *s = r->s;
    const struct line *l = program_line(s->program,
                                        s->contexts[n->context].function,
                                        n->insn);

    if (cost_at(r, n->number) == UINT16_MAX || !l || !l->number || l->library ||
        is_start(s, n) || slice_is_brace(s, n->context, n->insn, l) ||
        is_declaration(s, n, l, l->number))
        return 0;
    if (add_line(r, n, l, l->number, row_cost(r, n, l)))
        return -1;
    return s->folded ? add_folded(r, n, l) : 0;
}

static unsigned at_most(unsigned leads)
{
    return leads < LEADS_MAX ? leads : LEADS_MAX;
}

/* What makes a value comes before what hands one on, and what is set before
 * what decides; then that on which most depends; else as they were found. */
static int by_cost(const void *a, const void *b)
{
    const struct slice_row *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if ((x->does & MAKES) != (y->does & MAKES))
        return x->does & MAKES ? -1 : 1;
    if (x->decides != y->decides)
        return x->decides ? 1 : -1;
    if (at_most(x->leads) != at_most(y->leads))
        return at_most(x->leads) > at_most(y->leads) ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int make_rows(struct rank *r)
{
    struct slice *s = r->s;

    find_differing(r);
    find_empty(r);
    find_asking(r);
    find_costs(r);
    for (size_t i = 0; i < s->nsteps; i++)
        r->leads[s->steps[i].to]++;
    for (size_t i = 0; i < s->nnodes; i++)
        if (add_row(r, &s->nodes[i]))
            return -1;
    for (size_t i = 0; i < s->nrows; i++)
        s->rows[i].cost += cost_of_line(&s->rows[i]);
    if (s->nrows)
        qsort(s->rows, s->nrows, sizeof(*s->rows), by_cost);
    return 0;
}

int slice_rank(struct slice *s, struct err *err)
{
    size_t n = s->nnodes + 1;
    struct rank r = { s, calloc(WAYS * n, sizeof(*r.cost)), calloc(WAYS * n, 1),
                      calloc(n, 1), calloc(n, 1), calloc(n, 1),
                      calloc(n, sizeof(*r.leads)) };
    bool room = r.cost && r.differs && r.is_empty && r.is_done &&
                r.asks && r.leads;
    int rc = room ? make_rows(&r) : -1;

    free(r.cost);
    free(r.differs);
    free(r.is_empty);
    free(r.is_done);
    free(r.asks);
    free(r.leads);
    return rc ? err_memory(err) : 0;
}
