/* slice_words.c - what the lines of a slice are shown for, in words. */
#include "slave/slice/slice_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/paths.h"
#include "slave/slice/variables.h"
#include "slave/symbols/symbols.h"

/* -------------------------------------------------------------------- names */

static const char *name_of_area(const struct slice *s, uint64_t pc,
                                const struct area *a)
{
    struct variables *known = program_variables(s->program);
    const struct base *base = &program_bases(s->program)->v[a->base];
    const struct binary_symbol *v;
    struct area at;

    switch ((enum base_kind)base->kind) {
    case BASE_FRAME:
        return variables_in_frame(known, pc, a->low);
    case BASE_FILE:
        v = binary_variable(program_binary(s->program), (uint64_t)a->low);
        return v ? v->name : NULL;
    case BASE_ENTRY:            /* a field: by the pointer to it */
        return variables_in_register(
            known, program_numbered(s->program, base->a)->symbol->address,
            (uint8_t)base->b);
    case BASE_MEMORY:
        at = (struct area){ .base = base->a, .low = base->b,
                            .high = base->b + 8 };
        return name_of_area(s, pc, &at);
    case BASE_NOTHING: case BASE_THREAD: case BASE_MADE: case BASE_JOINED:
        break;
    }
    return NULL;
}

const char *slice_name(struct slice *s, uint32_t context, uint32_t insn,
                       const struct want *w)
{
    uint64_t pc = s->contexts[context].function->flow.insns[insn].address;

    if (w->is_reg)
        return variables_in_register(program_variables(s->program), pc, w->reg);
    return name_of_area(s, pc, &w->area);
}

/* What the instruction has put into a register may have a name only behind it. */
static const char *name_behind(struct slice *s, const struct node *n)
{
    const struct insn *i = &s->contexts[n->context].function->flow
                            .insns[n->insn];
    const char *name = NULL;

    if (slice_is_call(i))
        return variables_in_register(program_variables(s->program),
                                     i->address + i->bytes, REG_AX);
    for (uint8_t r = 0; r < REG_FLAGS && !name; r++)
        if (i->writes & REG_BIT(r))
            name = variables_in_register(program_variables(s->program),
                                         i->address + i->bytes, r);
    return name;
}

/* -------------------------------------------------------------------- words */

static void add_reader(struct str *to, const struct slice *s,
                       const struct node *n)
{
    (void)s;
    if (n->reader)
        str_addf(to, "%s:%u", paths_base(n->reader->file), n->reader->number);
    else
        str_add(to, "the place");
}

static const char *callee_of(struct slice *s, const struct node *n,
                             char out[128])
{
    const struct insn *i = &s->contexts[n->context].function->flow
                            .insns[n->insn];
    uint64_t at;
    const char *name = slice_is_call(i) ? program_callee(s->program, i, &at)
                                        : NULL;

    if (!name)
        return slice_is_call(i) ? "a function by its address" : NULL;
    symbol_pretty(out, 128, name);
    return out;
}

static void add_read(struct str *to, struct slice *s, const struct node *n,
                     const char *name)
{
    if (name)
        str_addf(to, "`%s`, read at ", name);
    else
        str_add(to, "what is read at ");
    add_reader(to, s, n);
}

void slice_reason(struct slice *s, const struct node *n, char out[SLICE_REASON])
{
    const char *name = n->name ? n->name : name_behind(s, n);
    struct str to = { 0 };
    char buffer[128];
    const char *callee = callee_of(s, n, buffer);

    switch ((enum node_kind)n->kind) {
    case NODE_HERE:
        if (callee)
            str_addf(&to, "is here, in %s", callee);
        else
            str_add(&to, "is here");
        break;
    case NODE_PATH:
        str_addf(&to, "calls %s, on the way there", callee ? callee : "it");
        break;
    case NODE_SETS: case NODE_MAY:
        if (callee)
            str_addf(&to, "%s %s ", callee, n->kind == NODE_MAY ? "may set"
                                                                : "sets");
        else
            str_add(&to, "sets ");
        add_read(&to, s, n, name);
        break;
    case NODE_PASSES:
        str_add(&to, "passes ");
        add_read(&to, s, n, name);
        break;
    case NODE_DECIDES:
        str_add(&to, "decides whether ");
        if (n->reader)
            add_reader(&to, s, n), str_add(&to, " is reached");
        else
            str_add(&to, "it gets there");
        break;
    case NODE_VIA:
        str_addf(&to, "calls %s, which sets ", callee ? callee : "it");
        add_read(&to, s, n, name);
        break;
    case NODE_SENDS:
        str_addf(&to, "another task may wait for this %s", callee ? callee
                 : "call");
        break;
    case NODE_RECEIVES:
        str_addf(&to, "another task may take what is sent in this %s", callee
                 ? callee : "call");
        break;
    case NODE_THEIRS:
        str_addf(&to, "another task was last in this %s", callee ? callee
                 : "call");
        break;
    case NODE_LEADS:
        str_addf(&to, "calls %s, in which other tasks are, or are waited for",
                 callee ? callee : "it");
        break;
    case NODE_ENDS:
        str_add(&to, "decides how often tasks communicate before that");
        break;
    case NODE_PUTS:
        str_addf(&to, "%s may have sent what is received at ", callee ? callee
                 : "a call");
        add_reader(&to, s, n);
        break;
    case NODE_ELSEWHERE:
        str_add(&to, "sets, outside of the path, ");
        add_read(&to, s, n, name);
        break;
    }
    snprintf(out, SLICE_REASON, "%s", str_text(&to));
    str_fini(&to);
}

/* Where the task is in a function of a library. */
static void say_library(struct str *to, struct slice *s)
{
    const struct node *here = s->nnodes ? &s->nodes[0] : NULL;
    const struct insn *call = here ? &s->contexts[here->context].function->flow
                                      .insns[here->insn] : NULL;
    uint64_t at = 1;
    const char *name = call && slice_is_call(call)
        ? program_callee(s->program, call, &at) : NULL;
    char pretty[80];

    if (!name || at || calls_about(name).mpi || calls_about(name).args)
        return;
    symbol_pretty(pretty, sizeof(pretty), name);
    str_addf(to, "; nor what %s does, which is of a library", pretty);
}

/* Nothing seems to lead to what catches an exception. */
static bool is_caught(const struct flow *f, uint32_t insn)
{
    uint8_t *seen = calloc(f->nblocks, 1);
    uint32_t *todo = calloc(f->nblocks, sizeof(*todo));
    bool caught = false;

    if (seen && todo) {
        todo[0] = f->block_of[insn];
        seen[todo[0]] = 1;
        flow_mark_before(f, todo, 1, seen);
        caught = !seen[f->entry];
    }
    free(seen);
    free(todo);
    return caught;
}

static void say_caught(struct str *to, struct slice *s)
{
    for (size_t i = 0; i < s->nnodes; i++) {
        const struct node *n = &s->nodes[i];
        struct function *f = s->contexts[n->context].function;
        const struct line *l = program_line(s->program, f, n->insn);

        if ((n->kind == NODE_HERE || n->kind == NODE_PATH) && l &&
            is_caught(&f->flow, n->insn))
            str_addf(to, "; nor what has thrown the exception that was caught"
                     " before %s:%u", paths_base(l->file), l->number);
    }
}

void slice_say_unseen(struct slice *s)
{
    struct str *to = &s->unseen;

    str_add(to, "Not seen: what is set through pointers that are not known");
    if (s->npointers)
        str_addf(to, " (%u reads)", s->npointers);
    str_addf(to, ", and by other tasks%s", s->other_tasks
             ? ", which send what is received here" : "");
    say_library(to, s);
    say_caught(to, s);
    if (s->not_followed.n)
        str_addf(to, "; not followed: %s", str_text(&s->not_followed));
    if (s->lineless.n)
        str_addf(to, "; without lines, as they were built without -g: %s",
                 str_text(&s->lineless));
    if (s->cut)
        str_add(to, "; it was too much to go through, and the farthest steps"
                " are left out");
    str_add(to, ".");
}
