/* stack_ask.c - asks the master of a job for the call tree of its tasks: a
 * reduction of the kind "stack". */
#include "master/hector/stack/stack_ask.h"

#include <errno.h>

#include "master/hector/core/ask.h"
#include "master/hector/core/seek.h"
#include "master/hector/core/target.h"
#include "master/hector/stack/stack_options.h"
#include "proto/base/clock.h"
#include "proto/tree/prefixtree.h"

/* For the slaves, beyond the samples themselves: late threads, binaries. */
#define WAIT_NS (40 * CLOCK_NS_PER_S)

static int gather(const struct tool *t, const struct target *target,
                  struct ask *answer, struct err *err)
{
    const struct stack_options *o = t->own;
    Hct__Gather m = HCT__GATHER__INIT;
    Hct__Stack how = HCT__STACK__INIT;
    char address[ADDR_LIST_MAX], ranks[4096];
    uint8_t argument[4200];

    if (target_ranks(target, ranks, sizeof(ranks), err) ||
        seek_master(t, target->job, address, err))
        return -1;
    how.samples = o->samples ? (uint32_t)o->samples : 1;
    how.interval_ns = o->interval_ms * CLOCK_NS_PER_MS;
    how.lines = o->lines;
    how.threads = o->threads;
    how.ranks = ranks;
    m.kind = (char *)"stack";
    m.argument.len = hct__stack__pack(&how, argument);
    m.argument.data = argument;
    m.job = target->job;
    m.wait_ns = WAIT_NS + how.samples * how.interval_ns;
    return ask_gather(answer, address, &m, err);
}

/* Ranks that the job does not have. */
static int check_ranks(const struct target *target, const Hct__CallTree *m,
                       struct err *err)
{
    const struct taskset *ranks = &target->ranks;
    struct prefixtree tree;
    uint32_t ntasks;

    if (target->all || ranks->n == 0 || m->tree.len == 0)
        return 0;
    if (prefixtree_parse(&tree, m->tree.data, m->tree.len, err))
        return -1;
    ntasks = tree.width;
    prefixtree_fini(&tree);
    if (ranks->v[ranks->n - 1].last < ntasks)
        return 0;
    return err_set(err, ESRCH, "job %llu has %u tasks: there is no task %u",
                   (unsigned long long)target->job, ntasks,
                   ranks->v[ranks->n - 1].last);
}

Hct__CallTree *stack_ask(const struct tool *t, const char *word)
{
    struct target target;
    Hct__CallTree *m = NULL;
    struct ask answer;
    struct err err;

    if (target_parse(&target, word, &err)) {
        tool_complain(TOOL_USAGE, "%s", err.text);
        return NULL;
    }
    if (gather(t, &target, &answer, &err)) {
        tool_complain(TOOL_FAILED, "%s: %s", word, err.text);
    } else {
        m = hct__call_tree__unpack(NULL, answer.bytes.n,
                                   (const uint8_t *)str_text(&answer.bytes));
        if (!m) {
            tool_complain(TOOL_FAILED, "%s: the master's answer makes no"
                          " sense", word);
        } else if (check_ranks(&target, m, &err)) {
            tool_complain(TOOL_FAILED, "%s", err.text);
            hct__call_tree__free_unpacked(m, NULL);
            m = NULL;
        } else {
            ask_add_absent(&answer, &m->notes, &m->n_notes);
        }
        ask_fini(&answer);
    }
    target_fini(&target);
    return m;
}
